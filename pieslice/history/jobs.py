"""Reads the jobs of a history.

Inputs: a history, a job's name as ``pieslice why`` takes it.  Outputs: ``Job``, its ``Spell``
values; raises ``HistoryError`` for a job that was never seen, with those near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attr import evolve, frozen

from negotiator.jobs.lists import IDLE
from pieslice.inputs.moments import shown_time
from pieslice.recording.facts import GONE
from pieslice.recording.store import History, HistoryError
from pieslice.reports.names import listed
from pieslice.why.jobs import JOB_ID, STATUS

_COLUMNS: Final = (
    "number, schedd, cluster, proc, submitter, grouped, request, cpus, submitted, first, last"
)
#: How many of the clusters near one that is not there are named.
_NEAR: Final = 3


@frozen
class Spell:
    """What a job was doing from a capture on.  ``time``: since when, as well as it is known."""

    moment: int
    time: float
    status: int
    slot: str

    @property
    def word(self) -> str:
        """The status as a word."""
        return "gone" if self.status == GONE else STATUS.get(self.status, f"status {self.status}")


@frozen
class Job:
    """A job of a history; see ``pieslice.recording.facts.JobAbout``.

    ``first`` and ``last``: the captures that have it; None while it is there.
    """

    number: int
    schedd: str
    cluster: int
    proc: int
    submitter: str
    group: str
    request: str
    cpus: float | None
    submitted: float | None
    first: int
    last: int | None
    spells: Sequence[Spell] = ()

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return f"{self.cluster}.{self.proc}"

    @property
    def begun(self) -> float:
        """When it was submitted, or else seen first."""
        return self.spells[0].time if self.submitted is None else self.submitted

    @property
    def now(self) -> Spell:
        """What it was doing last."""
        return self.spells[-1]

    @property
    def waits(self) -> bool:
        """Whether it is idle and has not run while it was seen."""
        return all(spell.status == IDLE for spell in self.spells)


def all_jobs(history: History) -> list[Job]:
    """The jobs of a history in the order in which they were seen."""
    return _jobs(history, "1")


def find_job(history: History, text: str) -> Job:
    """The job of that id; of several that had it one after another the last."""
    found = JOB_ID.fullmatch(text)
    if found is None:
        raise HistoryError(f"`{text}` is not a job id")
    schedd, cluster, proc = found[1], int(found[2]), found[3]
    jobs = [
        job
        for job in _jobs(history, "cluster = ?", cluster)
        if schedd in (None, job.schedd) and (proc is None or job.proc == int(proc))
    ]
    if not jobs:
        raise HistoryError(f"{history.path}: job `{text}` was never seen{_near(history, cluster)}")
    for what, names in (
        ("in several queues", {f"{job.schedd}#{text}" for job in jobs}),
        ("several jobs", {job.id for job in jobs}),
    ):
        if len(names) > 1:
            raise HistoryError(f"`{text}` is {what}: {listed(sorted(names))}")
    return jobs[-1]


def _near(history: History, cluster: int) -> str:
    """The jobs of the same cluster, or the clusters near it, and when they were seen."""
    mates = _jobs(history, "cluster = ?", cluster)
    if mates:
        return f"; cluster {cluster} has {listed(job.id for job in mates)}"
    rows = history.rows(
        "SELECT cluster, min(time) FROM job JOIN moment ON moment.number = job.first "
        "GROUP BY cluster ORDER BY abs(cluster - ?) LIMIT ?",
        cluster,
        _NEAR,
    )
    near = ", ".join(f"{number} (seen from {shown_time(time)} on)" for number, time in sorted(rows))
    return f"; the nearest clusters are {near}" if near else ""


def _jobs(history: History, condition: str, *values: object) -> list[Job]:
    numbers = f"SELECT number FROM job WHERE {condition}"
    spells: dict[int, list[Spell]] = {}
    for number, *rest in history.rows(
        f"SELECT job, moment, time, status, slot FROM spell WHERE job IN ({numbers}) "
        "ORDER BY rowid",
        *values,
    ):
        spells.setdefault(number, []).append(Spell(*rest))
    query = f"SELECT {_COLUMNS} FROM job WHERE {condition} ORDER BY number"
    return [evolve(Job(*row), spells=spells[row[0]]) for row in history.rows(query, *values)]
