"""Runs one simulation to its end: in memory, or into a folder, then maybe only to Ctrl-C.

Decides when a checkpoint is made and what an interruption leaves behind.

Inputs: a plan, maybe the folder of a run and its checkpoint.  Outputs: the summary, events and
series; the files of the folder.
"""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from attr import Factory, asdict, define, evolve, frozen

from classad.errors import Diagnostic
from negotiator.io import InputError
from pieslice.command_line import installed_version
from pieslice.data import JsonData
from pieslice.reports.document import plain, version_data
from pieslice.reports.progress import Moved
from pieslice.reports.whatif import WhatIfData
from pieslice.simulation.checkpoint import restore, saved
from pieslice.simulation.errors import RunError, WorkloadError
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.notices import about_run
from pieslice.simulation.output import RunFolder, write_json, write_parquet
from pieslice.simulation.recorded import recording
from pieslice.simulation.series import Row, rows
from pieslice.simulation.setup import Plan, build, command_of, fingerprint
from pieslice.simulation.summary import summarise

_HOUR: Final = 3600
#: Where an event has the number of its job.
_JOB: Final = 3


@frozen
class RunForm:
    """How a run is written: the form of its tables, hours between checkpoints, also Parquet.

    ``history``: also every cycle, with the pool before it, as a capture in that file.
    """

    tables: str = "csv"
    checkpoint_hours: float = 6.0
    parquet: bool = False
    history: Path | None = None


@frozen
class RunReporter:
    """Where a run says how far it is and, before it begins, what should be known of its jobs."""

    moved: Moved
    notices: Callable[[Sequence[Diagnostic]], None]


#: For those who want to know nothing of it.
SILENT: Final = RunReporter(lambda done, words: None, lambda diagnostics: None)


@define
class _Stop:
    """Whether somebody pressed Ctrl-C."""

    asked: bool = False


@define
class Kept:
    """Where a run in memory puts its rows."""

    rows: dict[str, list[Row]] = Factory(lambda: {"events": [], "series": []})

    def write(self, name: str, values: Row) -> None:
        """Add a row to ``events`` or ``series``."""
        self.rows[name].append(values)


def run_here(plan: Plan, reporter: RunReporter = SILENT, kept: Kept | None = None) -> JsonData:
    """The summary of a run in memory; Ctrl-C raises ``KeyboardInterrupt``."""
    return _loop(plan, kept, None, RunForm(), reporter, _Stop())


def run_new(plan: Plan, folder: Path | None, form: RunForm, reporter: RunReporter) -> JsonData:
    """The summary of a run from its beginning."""
    if folder is None:
        with _interruptible() as stop:
            return _loop(plan, None, None, form, reporter, stop)
    if (folder / "run.json").exists():
        raise RunError(f"{folder}: contains a run already; continue it with --resume")
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    run = RunFolder(folder, form.tables)
    about = {
        "plan": asdict(plan),
        "files": fingerprint(plan),
        "format": form.tables,
        "checkpoint_hours": form.checkpoint_hours,
        "command": command_of(plan),
        "version": installed_version(),
    }
    write_json(folder / "run.json", about)
    try:
        return _finished(plan, run, None, form, reporter)
    except (InputError, WorkloadError):
        # Input that is refused is corrected, and tried again with the same folder.
        run.remove()
        for path in made:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise


def run_until(plan: Plan, seconds: int, reporter: RunReporter) -> Negotiator:
    """The simulation before its first cycle at or after a moment."""
    simulation, negotiator = build(plan, lambda *event: None)
    reporter.notices(about_run(negotiator))
    interval = max(1, negotiator.policy.interval_seconds)
    moment = 0
    while moment < seconds:
        simulation.advance(moment)
        negotiator.cycle(interval)
        moment += interval
        reporter.moved(min(moment, seconds), f"hour {moment / _HOUR:.1f} of {seconds / _HOUR:.1f}")
    simulation.advance(moment)
    return negotiator


def begun(folder: Path) -> tuple[Plan, JsonData]:
    """The plan of a run that was begun, and all that its folder says of it."""
    if not (folder / "run.json").is_file():
        raise RunError(f"{folder}: contains no run to continue; start a new one")
    with sound(folder):
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        return Plan(**about["plan"]), about


#: What reading a folder that is damaged ends in.
_DAMAGE: Final = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


@contextlib.contextmanager
def sound(folder: Path) -> Iterator[None]:
    """Refuse the folder if what is read from it is not what a run writes."""
    try:
        yield
    except RunError:
        raise
    except _DAMAGE as bad:
        what = f"{type(bad).__name__}: {bad}"
        raise RunError(f"{folder}: damaged; start a new run ({what})") from None


def run_on(folder: Path, form: RunForm, reporter: RunReporter) -> JsonData:
    """The summary of a run that was interrupted, from its last checkpoint to its end."""
    plan, about = begun(folder)
    done = folder / "summary.json"
    with sound(folder):
        if done.is_file():
            summary: JsonData = json.loads(done.read_text(encoding="utf-8"))
            if summary["complete"]:
                return summary
        if fingerprint(plan) != about["files"]:
            raise RunError(f"{folder}: the pool, workload or configuration has changed since")
        path = folder / "checkpoint.json"
        data = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        as_before = evolve(form, tables=about["format"], checkpoint_hours=about["checkpoint_hours"])
        run = RunFolder(folder, as_before.tables, None if data is None else data["lengths"])
    return _finished(plan, run, data, as_before, reporter)


def _finished(
    plan: Plan, run: RunFolder, data: JsonData | None, form: RunForm, reporter: RunReporter
) -> JsonData:
    try:
        with _interruptible() as stop:
            summary = _loop(plan, run, data, form, reporter, stop)
    finally:
        run.close()
    write_json(run.folder / "summary.json", summary)
    if form.parquet and summary["complete"]:
        write_parquet(run.folder, run.form)
    return summary


def _loop(
    plan: Plan,
    run: RunFolder | Kept | None,
    data: JsonData | None,
    form: RunForm,
    reporter: RunReporter,
    stop: _Stop,
) -> JsonData:
    """From the beginning, or from a checkpoint, to the end or to Ctrl-C."""

    def sink(*event: object) -> None:
        if run is not None:
            number = event[_JOB]
            assert isinstance(number, int)
            arrivals = simulation.workload.arrivals
            run.write("events", (*event, arrivals[number - 1].origin if number else ""))

    simulation, negotiator = build(plan, sink)
    if run is None or data is None:
        reporter.notices(about_run(negotiator))
    moment = 0
    if data is not None:
        with sound(run.folder if isinstance(run, RunFolder) else Path()):
            restore(simulation, data["simulation"])
            moment = int(data["next"])
    interval = max(1, negotiator.policy.interval_seconds)
    between = max(interval, round(form.checkpoint_hours * _HOUR))
    due = moment + between
    with recording(form.history, negotiator, plan) as keep:
        reporter.moved(moment, "")
        while moment < plan.seconds and not stop.asked:
            simulation.advance(moment)
            with keep():
                negotiator.cycle(min(interval, plan.seconds - moment))
            _record(run, negotiator, plan, moment, interval)
            moment += interval
            reporter.moved(
                min(moment, plan.seconds),
                f"hour {moment / _HOUR:.1f} of {plan.seconds / _HOUR:g}",
            )
            if isinstance(run, RunFolder) and (moment >= due or stop.asked):
                run.checkpoint({"next": moment, "simulation": saved(simulation)})
                due = moment + between
        # What comes after a checkpoint is cut off when the run is taken up.
        simulation.advance(min(moment, plan.seconds))
        negotiator.due.settle()
    summary = summarise(simulation, complete=moment >= plan.seconds)
    what_if = WhatIfData.of(negotiator.what_if)
    told_of_it = {} if what_if is None else {"what_if": plain(what_if)}
    return {**version_data(negotiator.followed), **told_of_it, **summary}


def _record(
    run: RunFolder | Kept | None, negotiator: Negotiator, plan: Plan, moment: int, interval: int
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
