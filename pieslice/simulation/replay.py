"""Lets a simulation begin with a history: its first capture as the pool, its jobs as they came.

Decides how long a job runs that a history knows.  One that was seen to end runs as long as its last
run, as what it did before was lost.  Of one that was not, nobody knows: it runs as long as half of
the others of its submitter (of all, if none of those ended), and at least as long as it had run.
Jobs that went without having run are left out.

Inputs: the path of a history.  Outputs: the folder of a capture, which is there while a simulation
is built; ``RecordedJob`` values.  Raises ``HistoryError``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from classad import ClassAd
from classad.files.ads import read_long
from negotiator.capture.ads import begins_as
from negotiator.jobs.readiness import RUNNING
from pieslice.inputs.moments import unpacked
from pieslice.recording.changes import Columns
from pieslice.recording.facts import GONE, JobKey, rows_of_jobs
from pieslice.recording.jobs import HistoryJob, all_jobs
from pieslice.recording.store import History, HistoryError, Moment, is_history
from pieslice.simulation.workload import RecordedJob


def is_recorded(name: str) -> bool:
    """Whether a path is that of a history."""
    path = Path(name)
    return path.is_file() and is_history(begins_as(path))


@contextlib.contextmanager
def opened(pool: str) -> Iterator[str | None]:
    """The first capture of a history as a folder; None for any other pool."""
    if not is_recorded(pool):
        yield None
        return
    path = Path(pool)
    first, _ = _span(path)
    with unpacked(path, (first.time, "")) as found:
        yield str(found.folder)


def recorded_seconds(path: Path) -> float:
    """The time from the first to the last capture."""
    first, last = _span(path)
    if last.time == first.time:
        raise HistoryError(f"{path}: one capture is no time to replay")
    return last.time - first.time


def _span(path: Path) -> tuple[Moment, Moment]:
    with History(path) as history:
        moments = history.moments()
    if not moments:
        raise HistoryError(f"{path}: no capture in it yet")
    return moments[0], moments[-1]


def recorded_jobs(path: Path, seconds: int) -> list[RecordedJob]:
    """The jobs of a history that were submitted within so many seconds of its beginning.

    Those that were there at the beginning come first, the running ones before the others.
    """
    with History(path) as history:
        jobs, moments = all_jobs(history), history.moments()
        first, last = moments[0], moments[-1]
        times = run_times(jobs, first.time, last.time)
        ads = dict(_first_ads(history, jobs))
    # Those that ran when the history began have their slots before anybody else comes.
    in_order = sorted(jobs, key=lambda job: (job.spells[0].status != RUNNING, job.begun))
    found = (
        RecordedJob(
            job.submitter,
            ads[job.number],
            max(0, round(job.begun - first.time)),
            max(1, round(times[job.number])),
        )
        for job in in_order
        if job.number in ads and job.number in times
    )
    return [job for job in found if job.submit < max(seconds, 1)]


def run_times(jobs: Sequence[HistoryJob], begin: float, end: float) -> Mapping[int, float]:
    """How long each job runs from the beginning on, by its number; see the module."""
    ended: dict[int, float] = {}
    so_far: dict[int, float] = {}
    for job in jobs:
        for spell, after in pairwise([*job.spells, None]):
            if spell is not None and spell.status == RUNNING:
                until = end if after is None else after.time
                ran = until - max(spell.time, begin)
                if after is not None and after.status == GONE:
                    ended[job.number] = ran
                else:
                    so_far[job.number] = ran
    known: dict[str, list[float]] = {}
    for job in jobs:
        if job.number in ended:
            known.setdefault(job.submitter, []).append(ended[job.number])
    usual = [median(ended.values())] if ended else [0.0]
    return ended | {
        job.number: max(so_far.get(job.number, 0.0), median(known.get(job.submitter, usual)))
        for job in jobs
        if job.number not in ended and job.last is None
    }


def _first_ads(history: History, jobs: Sequence[HistoryJob]) -> Iterator[tuple[int, ClassAd]]:
    """The ad of each job in the capture that has it first."""
    new: dict[int, dict[JobKey, int]] = {}
    for job in jobs:
        key = JobKey(job.schedd, job.cluster, job.proc)
        new.setdefault(job.first, {})[key] = job.number
    for moment, files in history.sequence():
        wanted, ads = new.get(moment.number, {}), files.get("jobs.ads")
        if wanted and isinstance(ads, Columns):
            for key, row in rows_of_jobs(ads):
                if key in wanted:
                    lines = [f"{name} = {ads.value(row, name)}" for name in ads.names[row]]
                    yield wanted[key], next(read_long(lines, ""))
