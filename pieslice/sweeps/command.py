"""Runs a grid of simulations and prints one table: ``pieslice sweep``.

Keeps the folder of a sweep and how one is taken up again, which workers are used.

Inputs: the parsed arguments and the two streams.  Outputs: files, the table; the exit code is 1 if
a point could not be simulated.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from attr import asdict

from classad.extras import load
from classad.files.lock import BusyError, hold
from negotiator.io import InputError
from pieslice.command_line import EXIT_BAD, EXIT_INTERRUPTED, EXIT_NO, EXIT_OK
from pieslice.reports.output import chosen_width, show_diagnostics
from pieslice.reports.progress import Progress
from pieslice.simulation.cli import setting
from pieslice.simulation.command import plan_of
from pieslice.simulation.errors import RunError, WorkloadError
from pieslice.simulation.output import write_json
from pieslice.simulation.setup import Plan, absolute, fingerprint
from pieslice.sweeps.answers import about_sweep, swept
from pieslice.sweeps.grid import MacroAxis, Point, axes_of, points
from pieslice.sweeps.table import Results, as_csv
from pieslice.sweeps.work import PointResult, handed_out, simulate
from pieslice.terminal import complain
from pieslice.writing import naming


def sweep_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Run the command."""
    try:
        folder, plan, axes = _resumed(args) if args.resume is not None else _begun(args)
        # What is wrong with all points is said once, before any worker starts.
        show_diagnostics(about_sweep(plan, axes), err)
        if folder is not None and args.resume is None:
            _make(folder, plan, axes, args.seeds)
        return _sweep(args, folder, points(plan, axes, args.seeds), out, err)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
    except (argparse.ArgumentTypeError, WorkloadError, RunError, BusyError, ImportError) as problem:
        complain(f"error: {problem}", err)
    except KeyboardInterrupt:
        again = "" if args.output is None else f"; --resume {args.output} goes on"
        complain(f"interrupted{again}", err)
        return EXIT_INTERRUPTED
    return EXIT_BAD


def _begun(args: argparse.Namespace) -> tuple[Path | None, Plan, list[MacroAxis]]:
    plan = absolute(plan_of(args, seed=0, settings=()))
    if not args.set:
        raise RunError("give at least one --set NAME=V1,V2")
    axes = axes_of(setting(text) for text in args.set)
    folder: Path | None = args.output
    if folder is not None and (folder / "sweep.json").exists():
        raise RunError(f"{folder}: contains a sweep already; continue it with --resume")
    return folder, plan, axes


def _make(folder: Path, plan: Plan, axes: list[MacroAxis], seeds: int) -> None:
    """Make the folder of a sweep whose input is read without an error."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {
        "plan": asdict(plan),
        "axes": [[axis.name, list(axis.values)] for axis in axes],
        "seeds": seeds,
        "files": fingerprint(plan),
    }
    write_json(folder / "sweep.json", about)


def _resumed(args: argparse.Namespace) -> tuple[Path, Plan, list[MacroAxis]]:
    folder: Path = args.resume
    if not (folder / "sweep.json").is_file():
        raise RunError(f"{folder}: contains no sweep to continue; start a new one")
    try:
        about = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
        plan = Plan(**about["plan"])
        axes = [MacroAxis(name, tuple(values)) for name, values in about["axes"]]
        args.seeds, files = about["seeds"], about["files"]
    except (KeyError, TypeError, ValueError) as problem:
        raise RunError(f"{folder}: not a sweep: {problem}") from None
    if fingerprint(plan) != files:
        raise RunError(f"{folder}: the pool, workload or configuration has changed since")
    args.output = folder
    return folder, plan, axes


def _sweep(
    args: argparse.Namespace, folder: Path | None, grid: list[Point], out: IO[str], err: IO[str]
) -> int:
    if folder is not None:
        lock = hold(folder / "sweep")
        try:
            return _swept(args, folder, grid, out, err)
        finally:
            lock.release()
    return _swept(args, folder, grid, out, err)


def _swept(
    args: argparse.Namespace, folder: Path | None, grid: list[Point], out: IO[str], err: IO[str]
) -> int:
    results = Results(folder)
    waiting = [point for point in grid if not results.done(point)]
    done = len(grid) - len(waiting)
    with Progress(err).counted("simulating", len(grid)) as moved:
        moved(done, "")
        for count, outcome in enumerate(_outcomes(args, waiting), done + 1):
            results.add(outcome)
            moved(count, f"{count} of {len(grid)} points")
    answer = swept(grid, results)
    if folder is not None:
        with naming(folder / "table.csv"):
            (folder / "table.csv").write_text(as_csv(answer.rows), encoding="utf-8")
    out.write(answer.to_json() if args.json else answer.text(chosen_width(args, out)))
    return EXIT_NO if answer.failed else EXIT_OK


def _outcomes(args: argparse.Namespace, waiting: list[Point]) -> Iterator[PointResult]:
    if args.scheduler is None:
        yield from handed_out(simulate, waiting, args.tries, jobs=args.jobs)
        return
    distributed = load("distributed")
    with distributed.Client(args.scheduler, timeout="60s") as client:
        yield from handed_out(simulate, waiting, args.tries, client=client)
