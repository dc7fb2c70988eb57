"""Runs, interrupts, continues and compares simulations: ``pieslice simulate``.

Decides when a checkpoint is made, what an interruption leaves behind, and the
bar that shows how far it is.

Inputs: the parsed arguments and the two streams.  Outputs: a run folder, a summary, the exit code.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from attr import asdict, define, evolve

from negotiator.io import InputError
from pieslice.command_line import EXIT_BAD, EXIT_INTERRUPTED, EXIT_OK
from pieslice.data import JsonData, Record
from pieslice.inputs.pool import parse_time
from pieslice.reports.output import chosen_width, show_diagnostics
from pieslice.reports.progress import Share
from pieslice.simulate.checkpoint import restore, saved
from pieslice.simulate.matching import Negotiator
from pieslice.simulate.notices import about_jobs
from pieslice.simulate.output import RunFolder, write_json, write_parquet
from pieslice.simulate.series import rows
from pieslice.simulate.setup import Plan, about_policy, build, fingerprint
from pieslice.simulate.summary import comparison, summarise, text
from pieslice.simulate.workload import WorkloadError

_HOUR: Final = 3600


class RunError(ValueError):
    """A run that cannot be begun or taken up."""


@define
class _Stop:
    """Whether somebody pressed Ctrl-C."""

    asked: bool = False


def simulate_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Run the command."""
    try:
        if args.resume is not None:
            return _resume(args, out, err)
        if args.compare is not None and args.config is not None:
            raise RunError("give --config or --compare, not both")
        if args.parquet and args.output is None:
            raise RunError("--parquet needs -o, the folder of the run")
        plan = plan_of(args, args.seed, tuple(args.set), args.series)
        for config in args.compare or (args.config,):
            show_diagnostics(about_policy(evolve(plan, config=config)), err)
        if args.compare is not None:
            return _compare(args, plan, out, err)
        return _run(args, plan, args.output, out, err)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
    except (WorkloadError, RunError, ImportError) as problem:
        err.write(f"pieslice simulate: error: {problem}\n")
    except json.JSONDecodeError as problem:
        err.write(f"pieslice simulate: error: {args.resume}: not a run: {problem}\n")
    return EXIT_BAD


def plan_of(
    args: argparse.Namespace, seed: int, settings: tuple[tuple[str, str], ...], series: int = 600
) -> Plan:
    """What the arguments describe."""
    if args.pool is None or args.workload is None:
        raise RunError("give a pool and --workload, or --resume with the folder of a run")
    return Plan(
        pool=args.pool,
        workload=args.workload,
        seconds=round(args.days * 86_400),
        config=args.config,
        seed=seed,
        machines=args.machines,
        series=series,
        fresh=args.fresh,
        every=round(args.every * _HOUR),
        run_time=args.run_time,
        worklife=args.claim_worklife,
        retirement=args.retirement,
        vacate=args.vacate,
        now=None if args.now is None else int(parse_time(args.now)),
        settings=settings,
    )


def _run(
    args: argparse.Namespace, plan: Plan, folder: Path | None, out: IO[str], err: IO[str]
) -> int:
    summary = _simulate(args, plan, folder, err)
    out.write(_shown(summary, args, out))
    return EXIT_OK if summary["complete"] else EXIT_INTERRUPTED


def _shown(summary: Record, args: argparse.Namespace, out: IO[str]) -> str:
    if args.json:
        return json.dumps(summary, indent=1) + "\n"
    return text(summary, chosen_width(args, out))


def _compare(args: argparse.Namespace, plan: Plan, out: IO[str], err: IO[str]) -> int:
    """Two configurations, one workload and seed."""
    found = []
    for letter, config in zip("ab", args.compare, strict=True):
        folder = None if args.output is None else args.output / letter
        found.append(_simulate(args, evolve(plan, config=config), folder, err))
        if not found[-1]["complete"]:
            err.write(_half(letter, config, folder))
            return EXIT_INTERRUPTED
    left, right = found
    out.write(
        json.dumps({"a": left, "b": right}, indent=1) + "\n"
        if args.json
        else comparison(left, right, chosen_width(args, out))
    )
    return EXIT_OK


def _half(letter: str, config: str, folder: Path | None) -> str:
    """What was interrupted in a comparison, and how to get the rest."""
    note = f"note: interrupted in the run of {letter}, {config}"
    if folder is None:
        return f"{note}; nothing is kept without -o\n"
    rest = "" if letter == "b" else f"; --config and -o {folder.parent / 'b'} run the other one"
    return f"{note}: --resume {folder} goes on{rest}\n"


def _simulate(args: argparse.Namespace, plan: Plan, folder: Path | None, err: IO[str]) -> JsonData:
    if folder is None:
        return _loop(plan, None, None, args, err)
    if (folder / "run.json").exists():
        raise RunError(f"{folder}: contains a run already; continue it with --resume")
    folder.mkdir(parents=True, exist_ok=True)
    run = RunFolder(folder, args.format)
    about = {
        "plan": asdict(plan),
        "files": fingerprint(plan),
        "format": args.format,
        "checkpoint_hours": args.checkpoint_hours,
    }
    write_json(folder / "run.json", about)
    return _finished(plan, run, None, args, err)


def _resume(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    folder: Path = args.resume
    if not (folder / "run.json").is_file():
        raise RunError(f"{folder}: contains no run to continue; start a new one")
    about = json.loads((folder / "run.json").read_text())
    plan = Plan(**about["plan"])
    args.format, args.checkpoint_hours = about["format"], about["checkpoint_hours"]
    done = folder / "summary.json"
    if done.is_file() and json.loads(done.read_text())["complete"]:
        out.write(_shown(json.loads(done.read_text()), args, out))
        return EXIT_OK
    if fingerprint(plan) != about["files"]:
        raise RunError(f"{folder}: the pool, workload or configuration has changed since")
    path = folder / "checkpoint.json"
    data = json.loads(path.read_text()) if path.is_file() else None
    run = RunFolder(folder, args.format, None if data is None else data["lengths"])
    summary = _finished(plan, run, data, args, err)
    out.write(_shown(summary, args, out))
    return EXIT_OK if summary["complete"] else EXIT_INTERRUPTED


def _finished(
    plan: Plan, run: RunFolder, data: JsonData | None, args: argparse.Namespace, err: IO[str]
) -> JsonData:
    try:
        summary = _loop(plan, run, data, args, err)
    finally:
        run.close()
    write_json(run.folder / "summary.json", summary)
    if args.parquet and summary["complete"]:
        write_parquet(run.folder, run.form)
    return summary


def _loop(
    plan: Plan,
    run: RunFolder | None,
    data: JsonData | None,
    args: argparse.Namespace,
    err: IO[str],
) -> JsonData:
    """From the beginning, or from a checkpoint, to the end or to Ctrl-C."""

    def sink(*event: object) -> None:
        if run is not None:
            run.write("events", event)

    simulation, negotiator = build(plan, sink)
    if run is None or data is None:
        show_diagnostics(about_jobs(simulation), err)
    moment = 0
    if data is not None:
        restore(simulation, data["simulation"])
        moment = data["next"]
    interval = max(1, negotiator.policy.interval_seconds)
    between = max(interval, round(args.checkpoint_hours * _HOUR))
    due = moment + between
    with _interruptible() as stop, _bar(plan.seconds, moment, err) as moved:
        while moment < plan.seconds and not stop.asked:
            simulation.advance(moment)
            negotiator.cycle(min(interval, plan.seconds - moment))
            _record(run, negotiator, plan, moment, interval)
            moment += interval
            moved(min(moment, plan.seconds))
            if run is not None and (moment >= due or stop.asked):
                run.checkpoint({"next": moment, "simulation": saved(simulation)})
                due = moment + between
        # What comes after a checkpoint is cut off when the run is taken up.
        simulation.advance(min(moment, plan.seconds))
    return summarise(simulation, complete=moment >= plan.seconds)


def _record(
    run: RunFolder | None, negotiator: Negotiator, plan: Plan, moment: int, interval: int
) -> None:
    """Write the series at the first cycle at or after each of its moments."""
    if run is not None and (
        moment == 0 or moment // plan.series > (moment - interval) // plan.series
    ):
        for row in rows(negotiator):
            run.write("series", row)


@contextlib.contextmanager
def _interruptible() -> Iterator[_Stop]:
    """Let Ctrl-C end the loop between two cycles; a second one ends the program."""
    stop = _Stop()

    def ask(number: int, frame: object) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True

    try:
        before = signal.signal(signal.SIGINT, ask)
    except ValueError:
        # Only the main thread is told of signals.
        yield stop
        return
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _bar(seconds: int, begin: int, err: IO[str]) -> Iterator[Callable[[int], None]]:
    """A bar with the rate and the time left, on a terminal only."""
    share = Share(err, "simulating", seconds, begin)

    def moved(moment: int) -> None:
        share.moved(moment, f"{share.speed() / _HOUR:.1f} simulated hours/s")

    try:
        yield moved
    finally:
        share.ended()
