"""Runs, continues and compares simulations: ``pieslice simulate``.

Decides which runs a command makes (configurations by seeds) and where each of them is kept.

Inputs: the parsed arguments and the two streams.  Outputs: run folders, a summary or a comparison,
a page; the exit code.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

from attr import asdict, evolve, frozen

from classad.errors import Diagnostic
from classad.files.lock import BusyError
from classad.patterns import late_regex
from negotiator.io import InputError
from pieslice.command_line import EXIT_BAD, EXIT_INTERRUPTED, EXIT_OK
from pieslice.data import JsonData
from pieslice.inputs.pool import ONLY_FOR, parse_time
from pieslice.recording.store import HistoryError
from pieslice.reports.output import chosen_width, show_diagnostics
from pieslice.reports.progress import Moved, Progress
from pieslice.runreport.asking import policy_options
from pieslice.runreport.command import ReportError, write_page
from pieslice.simulation.answers import LETTERS, Run, Simulated, SimulatedPolicy, simulated
from pieslice.simulation.errors import RunError, WorkloadError
from pieslice.simulation.moment import write_moment
from pieslice.simulation.replay import recorded_seconds
from pieslice.simulation.running import (
    RunForm,
    RunReporter,
    begun,
    run_new,
    run_on,
    run_until,
    sound,
)
from pieslice.simulation.setup import CAPTURED, Plan, about_policy, is_plain, read_setting
from pieslice.terminal import complain

#: A macro that is set, in the place of a file.
_SETTING: Final = late_regex(r"[A-Za-z_][\w.]*\s*=")
_HOUR: Final = 3600
_DAY: Final = 86_400


#: What ends the command with a line.
_REFUSED: Final = (WorkloadError, RunError, ReportError, HistoryError, BusyError, ImportError)


class _InterruptedError(Exception):
    """Ctrl-C ended one of several runs; its text says how to go on."""


@frozen
class _Place:
    """A configuration, the folder of its runs, and those that are done, one for each seed.

    ``name``: what it is called; empty for that of the pool.
    """

    name: str
    plan: Plan
    folder: Path | None
    runs: list[Run]


def simulate_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Run the command."""
    try:
        if args.resume is not None:
            return _resume(args, out, err)
        _check(args)
        plan = plan_of(args, args.seed, tuple(args.set), args.series)
        sides = _sides(args, plan)
        for _, side in sides:
            show_diagnostics(about_policy(side), err)
        if args.workload is None and plan.workload == CAPTURED and Path(plan.pool).exists():
            told = (
                f"the jobs of {plan.pool}, which run {plan.run_time} s in the middle (--run-time)"
            )
            told += "; --workload names others, --every repeats them"
            show_diagnostics([Diagnostic(told, severity="note")], err)
        if args.capture is not None:
            return _capture(args, plan, out, err)
        with contextlib.ExitStack() as cleanup:
            folder = args.output
            if folder is None and args.report is not None:
                folder = Path(cleanup.enter_context(TemporaryDirectory()))
            if args.compare is not None or args.seeds > 1:
                return _several(args, sides, folder, out, err)
            return _one(args, plan, folder, out, err)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
    except _InterruptedError as problem:
        complain(f"{problem}", err)
        return EXIT_INTERRUPTED
    except _REFUSED as problem:
        complain(f"error: {problem}", err)
    return EXIT_BAD


def _check(args: argparse.Namespace) -> None:
    if args.compare is not None and args.config is not None:
        raise RunError("give --config or --compare, not both")
    if args.parquet and args.output is None:
        raise RunError("--parquet needs -o, the folder of the run")
    if args.capture is not None and (args.compare or args.seeds > 1 or args.output or args.report):
        raise RunError("--capture ends the run at its hour: give it without other outputs")
    if args.record is not None and (args.compare or args.seeds > 1):
        raise RunError("--record keeps one run: give it without --compare and --seeds")
    if args.report is not None and not args.report.parent.is_dir():
        raise RunError(f"{args.report}: no such folder")


def plan_of(
    args: argparse.Namespace, seed: int, settings: tuple[tuple[str, str], ...], series: int = 600
) -> Plan:
    """What the arguments describe."""
    pool, workload, days = args.pool, args.workload, args.days
    if args.replay is not None:
        if workload is not None:
            raise RunError("--replay names the workload: give it without --workload")
        pool, workload = pool or args.replay, args.replay
        days = days or recorded_seconds(Path(args.replay)) / _DAY
    if args.where and not (args.config or args.also or args.set or getattr(args, "compare", None)):
        raise RunError(f"{ONLY_FOR}: give --config or --also, too")
    if pool is None:
        raise RunError("give a pool and --workload, --replay, or --resume and the folder of a run")
    if workload is None:
        if is_plain(pool):
            raise RunError(
                f"`{pool}` are slots without jobs: give --workload"
                " (`pieslice help simulations` says what that can be), or a capture as the pool"
            )
        workload = CAPTURED
    return Plan(
        pool=pool,
        workload=workload,
        seconds=round((days or 1.0) * _DAY),
        config=args.config,
        also=tuple(args.also),
        where=args.where or "",
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
        **_version(args),
    )


def _version(args: argparse.Namespace) -> JsonData:
    """The version that is given, as a plan has it; a captured pool tells its own."""
    given, fallback = args.condor_version, getattr(args, "project_version", None)
    if given is not None:
        return {"condor_version": str(given.given)}
    if fallback is not None:
        return {"fallback_version": str(fallback.given), "fallback_from": fallback.origin}
    return {}


# --- one run ------------------------------------------------------------------------------------


def _one(
    args: argparse.Namespace, plan: Plan, folder: Path | None, out: IO[str], err: IO[str]
) -> int:
    progress = Progress(err)
    with progress.counted("simulating", plan.seconds) as moved:
        summary = run_new(plan, folder, _form(args), _told(moved, progress, err))
    return _shown(plan, summary, args, folder, out)


def _capture(args: argparse.Namespace, plan: Plan, out: IO[str], err: IO[str]) -> int:
    """Write the pool before a cycle, and how to ask about that cycle."""
    hour, folder = args.capture
    if folder.exists() and any(folder.iterdir()):
        raise RunError(f"{folder}: contains files already")
    seconds = round(hour * _HOUR)
    if seconds > plan.seconds:
        raise RunError(f"--capture: hour {hour:g} is after the end of the run")
    progress = Progress(err)
    with progress.counted("simulating", seconds) as moved:
        negotiator = run_until(plan, seconds, _told(moved, progress, err))
    write_moment(negotiator, folder)
    at = negotiator.simulation.state.now / _HOUR
    options = shlex.join([str(folder), "JOB", *policy_options(asdict(plan))])
    out.write(f"the pool at hour {at:.2f} is in {folder}; about its next cycle:\n")
    out.write(f"  pieslice why {options}\n")
    return EXIT_OK


def _resume(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    plan, _ = begun(args.resume)
    progress = Progress(err)
    with progress.counted("simulating", plan.seconds) as moved:
        summary = run_on(args.resume, _form(args), _told(moved, progress, err))
    with sound(args.resume):
        return _shown(plan, summary, args, args.resume, out)


def _shown(
    plan: Plan, summary: JsonData, args: argparse.Namespace, folder: Path | None, out: IO[str]
) -> int:
    side = SimulatedPolicy(plan.config or "", (Run(plan, summary),))
    out.write(_printed(simulated([side], [plan.seed]), args, out))
    if args.report is not None and folder is not None:
        write_page([folder], args.report)
    return EXIT_OK if summary["complete"] else EXIT_INTERRUPTED


def _form(args: argparse.Namespace) -> RunForm:
    return RunForm(args.format, args.checkpoint_hours, args.parquet, args.record)


def _told(
    moved: Moved, progress: Progress, err: IO[str], known: set[str] | None = None
) -> RunReporter:
    """``known``: what was said of the runs before, which is not said again."""
    said = set[str]() if known is None else known

    def notices(diagnostics: Sequence[Diagnostic]) -> None:
        new = [item for item in diagnostics if item.render() not in said]
        said.update(item.render() for item in new)
        with progress.aside():
            show_diagnostics(new, err)

    return RunReporter(moved, notices)


# --- several runs -------------------------------------------------------------------------------


def _sides(args: argparse.Namespace, plan: Plan) -> list[tuple[str, Plan]]:
    """What is compared: configurations, or the pool's own with a macro that is set."""
    if args.compare is None:
        return [(plan.config or "", plan)]
    found = []
    for text in args.compare:
        if _SETTING.match(text) and not Path(text).exists():
            found.append((text, evolve(plan, settings=(*plan.settings, read_setting(text)))))
        else:
            found.append((text, evolve(plan, config=text)))
    return found


def _several(
    args: argparse.Namespace,
    sides: Sequence[tuple[str, Plan]],
    folder: Path | None,
    out: IO[str],
    err: IO[str],
) -> int:
    """One or two configurations, each on the workloads of all seeds."""
    plan = sides[0][1]
    seeds = range(plan.seed, plan.seed + args.seeds)
    places = [
        _Place(name, side, _place(folder, letter, compares=args.compare is not None), [])
        for letter, (name, side) in zip(LETTERS, sides, strict=False)
    ]
    progress, known = Progress(err), set[str]()
    count = len(places) * len(seeds)
    with progress.counted("simulating", plan.seconds * count) as moved:
        runs = ((seed, place) for seed in seeds for place in places)
        for number, (seed, place) in enumerate(runs):
            other = place is not places[0] and place.plan.config is not None
            first = places[0].plan.config if other else None
            one = evolve(place.plan, seed=seed, instead_of=first)
            told = _told(_nth(moved, number, count, plan.seconds), progress, err, known)
            into = _run_folder(place, seed, several=len(seeds) > 1)
            place.runs.append(Run(one, run_new(one, into, _form(args), told)))
            if not place.runs[-1].summary["complete"]:
                raise _InterruptedError(_half(args, one, into, places, place))
    policies = [SimulatedPolicy(place.name, tuple(place.runs)) for place in places]
    out.write(_printed(simulated(policies, seeds), args, out))
    if args.report is not None:
        write_page([place.folder for place in places if place.folder is not None], args.report)
    return EXIT_OK


def _place(folder: Path | None, letter: str, *, compares: bool) -> Path | None:
    return folder / letter if folder is not None and compares else folder


def _run_folder(place: _Place, seed: int, *, several: bool) -> Path | None:
    if place.folder is None or not several:
        return place.folder
    return place.folder / f"seed-{seed}"


def _nth(moved: Moved, number: int, count: int, seconds: int) -> Moved:
    """Tells the progress of a run among others."""

    def told(done: float, words: str) -> None:
        moved(number * seconds + done, f"run {number + 1} of {count}, {words}".rstrip(", "))

    return told


def _half(
    args: argparse.Namespace, plan: Plan, folder: Path | None, places: list[_Place], place: _Place
) -> str:
    """What was interrupted, and how to get the rest."""
    which = "" if len(places) == 1 else f" of {LETTERS[places.index(place)].upper()}, {place.name}"
    seed = f", seed {plan.seed}" if args.seeds > 1 else ""
    note = f"note: interrupted in the run{which}{seed}"
    if args.output is None:
        return f"{note}; nothing is kept without -o"
    rest = ""
    if args.seeds > 1:
        rest = "; the runs before it are kept"
    elif place is not places[-1]:
        rest = f"; --config and -o {places[-1].folder} run the other one"
    return f"{note}: --resume {folder} goes on{rest}"


def _printed(answer: Simulated, args: argparse.Namespace, out: IO[str]) -> str:
    """The numbers of all runs, as text or as JSON."""
    return answer.to_json() if args.json else answer.text(chosen_width(args, out))
