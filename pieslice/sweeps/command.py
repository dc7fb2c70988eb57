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

from attr import asdict, evolve

from classad.errors import Diagnostic
from negotiator.io import InputError
from pieslice.command_line import EXIT_BAD, EXIT_INTERRUPTED, EXIT_NO, EXIT_OK
from pieslice.data import JsonData
from pieslice.reports.output import chosen_width, show_diagnostics
from pieslice.reports.progress import Progress
from pieslice.simulation.cli import setting
from pieslice.simulation.command import plan_of
from pieslice.simulation.notices import about_jobs
from pieslice.simulation.output import write_json
from pieslice.simulation.running import RunError
from pieslice.simulation.setup import Plan, about_policy, build, fingerprint
from pieslice.simulation.workload import WorkloadError
from pieslice.sweeps.grid import Axis, Point, points, split_values
from pieslice.sweeps.table import Results, as_csv, as_text, rows
from pieslice.sweeps.work import Outcome, here, on_cores, on_dask, simulate


def sweep_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Run the command."""
    try:
        folder, plan, axes = _resumed(args) if args.resume is not None else _begun(args)
        # What is wrong with all points is said once, before any worker starts.
        simulation, _ = build(plan, lambda *event: None)
        show_diagnostics([*_about(plan, axes), *about_jobs(simulation)], err)
        return _sweep(args, folder, points(plan, axes, args.seeds), out, err)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
    except (argparse.ArgumentTypeError, WorkloadError, RunError, ImportError) as problem:
        err.write(f"pieslice sweep: error: {problem}\n")
    except KeyboardInterrupt:
        again = "" if args.output is None else f"; --resume {args.output} goes on"
        err.write(f"pieslice sweep: interrupted{again}\n")
        return EXIT_INTERRUPTED
    return EXIT_BAD


def _about(plan: Plan, axes: list[Axis]) -> list[Diagnostic]:
    """What is to be said of the configuration and of each value of each macro, once."""
    found: dict[str, Diagnostic] = {}
    for settings in ((), *(((axis.name, text),) for axis in axes for text in axis.values)):
        for item in about_policy(evolve(plan, settings=settings)):
            found.setdefault(item.render(), item)
    return list(found.values())


def _begun(args: argparse.Namespace) -> tuple[Path | None, Plan, list[Axis]]:
    plan = _absolute(plan_of(args, seed=0, settings=()))
    axes = [_axis(text) for text in args.set]
    if not axes:
        raise RunError("give at least one --set NAME=V1,V2")
    names = [axis.name.lower() for axis in axes]
    if twice := [axis.name for axis in axes if names.count(axis.name.lower()) > 1]:
        raise RunError(f"`{twice[0]}` is set twice; give all its values in one --set")
    folder: Path | None = args.output
    if folder is not None:
        if (folder / "sweep.json").exists():
            raise RunError(f"{folder}: contains a sweep already; continue it with --resume")
        folder.mkdir(parents=True, exist_ok=True)
        about = {
            "plan": asdict(plan),
            "axes": [[axis.name, list(axis.values)] for axis in axes],
            "seeds": args.seeds,
            "files": fingerprint(plan),
        }
        write_json(folder / "sweep.json", about)
    return folder, plan, axes


def _axis(text: str) -> Axis:
    name, values = setting(text)
    return Axis(name, tuple(dict.fromkeys(split_values(values))))


def _absolute(plan: Plan) -> Plan:
    """The plan as workers in other folders understand it."""

    def full(text: str | None) -> str | None:
        return str(Path(text).resolve()) if text is not None and Path(text).exists() else text

    changed: JsonData = {
        name: full(getattr(plan, name)) for name in ("pool", "workload", "config", "machines")
    }
    return evolve(plan, **changed)


def _resumed(args: argparse.Namespace) -> tuple[Path, Plan, list[Axis]]:
    folder: Path = args.resume
    if not (folder / "sweep.json").is_file():
        raise RunError(f"{folder}: contains no sweep to continue; start a new one")
    try:
        about = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
        plan = Plan(**about["plan"])
        axes = [Axis(name, tuple(values)) for name, values in about["axes"]]
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
    results = Results(folder)
    waiting = [point for point in grid if not results.done(point)]
    done = len(grid) - len(waiting)
    with Progress(err).counted("simulating", len(grid)) as moved:
        moved(done, "")
        for count, outcome in enumerate(_outcomes(args, waiting), done + 1):
            results.add(outcome)
            moved(count, f"{count} of {len(grid)} points")
    table = rows(grid, results)
    if folder is not None:
        (folder / "table.csv").write_text(as_csv(table), encoding="utf-8")
    names = list(grid[0].row)
    if args.json:
        out.write(json.dumps(table, indent=1) + "\n")
    else:
        out.write(as_text(table, names, chosen_width(args, out)))
    return EXIT_NO if any(row["error"] for row in table) else EXIT_OK


def _outcomes(args: argparse.Namespace, waiting: list[Point]) -> Iterator[Outcome]:
    if args.scheduler is not None:
        return on_dask(simulate, waiting, args.tries, args.scheduler)
    if args.jobs == 1 or len(waiting) < 2:
        return here(simulate, waiting, args.tries)
    return on_cores(simulate, waiting, args.tries, args.jobs)
