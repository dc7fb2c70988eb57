"""Reads the jobs of a history: what stays the same of each, and what it was doing when.

Inputs: an open history.  Outputs: ``HistoryJob`` with its ``Spell`` values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attr import evolve, frozen

from negotiator.jobs.readiness import IDLE
from pieslice.recording.store import History

_COLUMNS: Final = (
    "number, schedd, cluster, proc, submitter, grouped, request, cpus, submitted, first, last"
)


@frozen
class Spell:
    """What a job was doing from a capture on.  ``time``: since when, as well as it is known."""

    moment: int
    time: float
    status: int
    slot: str


@frozen
class HistoryJob:
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


def all_jobs(history: History) -> list[HistoryJob]:
    """The jobs of a history in the order in which they were seen."""
    return some_jobs(history, "1")


def some_jobs(history: History, condition: str, *values: object) -> list[HistoryJob]:
    """The jobs of a history for which a condition on the table of jobs holds."""
    numbers = f"SELECT number FROM job WHERE {condition}"
    spells: dict[int, list[Spell]] = {}
    for number, *rest in history.rows(
        f"SELECT job, moment, time, status, slot FROM spell WHERE job IN ({numbers}) "
        "ORDER BY rowid",
        *values,
    ):
        spells.setdefault(number, []).append(Spell(*rest))
    query = f"SELECT {_COLUMNS} FROM job WHERE {condition} ORDER BY number"
    return [evolve(HistoryJob(*row), spells=spells[row[0]]) for row in history.rows(query, *values)]
