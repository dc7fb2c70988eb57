"""Sums up a history: its span, gaps and sizes, and how well the pool was loaded.

The loading factor is the part of the cores that had a claim, as a mean over time.  How long slots
stay without a claim is estimated as waits are (``pieslice.history.waits``): slots that were still
empty when they were last seen count for as long as they were.

Inputs: captures, vacancies of slots.  Outputs: ``Summary``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from attr import frozen

from pieslice.history.waits import Wait, curve
from pieslice.recording.store import Moment

#: A distance of so many times the median is a gap, where nothing tells what was planned.
_GAP: Final = 3.0
#: Where it is known: over two intervals at least one cycle has no capture beside it.
_PLANNED_GAP: Final = 2.0
#: The parts of vacancies that are told.
PARTS: Final = (0.5, 0.9)


@frozen
class MomentLoad:
    """Cores with a claim, of all, and jobs at a capture."""

    claimed: float
    cores: float
    idle: int
    running: int


@frozen
class Vacancies:
    """How often slots lost their claim, and the seconds within which they had another one.

    ``refilled``: how many had; ``within``: for each of ``PARTS``, None where that is not known.
    """

    count: int
    refilled: int
    within: tuple[float | None, ...]


@frozen
class Summary:
    """A history.  Times in seconds since the epoch, distances in seconds, sizes in bytes.

    ``gaps``: begin and length, of those much longer than usual; ``cycles``: captures with
    decisions; ``load``: the part of the cores that had a claim, None without cores.
    """

    captures: int
    first: float
    last: float
    distance: float | None
    gaps: tuple[tuple[float, float], ...]
    cycles: int
    matches: int
    rejections: int
    #: Those whose job or claim the captures show: what is refused or ends at once is not.
    matches_seen: int
    jobs: int
    started: int
    gone: int
    files: int
    stored: int
    load: float | None
    cores: float
    idle: float
    running: float
    vacancies: Vacancies


def distances(moments: Sequence[Moment]) -> tuple[float | None, tuple[tuple[float, float], ...]]:
    """The usual time from one capture to the next, and the gaps.

    A gap is longer than two of the intervals between cycles that were planned when it began; in a
    pool that does not tell them, three times as long as usual.
    """
    steps = [(early, late.time - early.time) for early, late in pairwise(moments)]
    if not steps:
        return None, ()
    usual = float(median(step for _, step in steps))
    return usual, tuple(
        (early.time, step)
        for early, step in steps
        if step > (_GAP * usual if early.interval is None else _PLANNED_GAP * early.interval)
    )


def mean_load(
    moments: Sequence[Moment], loads: Sequence[MomentLoad]
) -> tuple[float | None, float, float, float]:
    """The loading factor, and cores, idle and running jobs, as means over time.

    A capture stands for the time until the next one, except over gaps.
    """
    usual, gaps = distances(moments)
    begun = dict(gaps)
    times = [late.time - early.time for early, late in pairwise(moments)]
    weights = [
        (moment.interval or usual or 1.0) if moment.time in begun else step
        for moment, step in zip(moments, [*times, usual or 1.0], strict=True)
    ]
    total = sum(weights)

    def mean(values: Sequence[float]) -> float:
        return sum(w * v for w, v in zip(weights, values, strict=True)) / total

    cores = mean([load.cores for load in loads])
    claimed = mean([load.claimed for load in loads])
    idle, running = (mean([getattr(one, name) for one in loads]) for name in ("idle", "running"))
    return (claimed / cores if cores else None), cores, idle, running


def vacancies_of(rows: Sequence[tuple[float, float | None, bool]], end: float) -> Vacancies:
    """From the times without a claim: since when, until when, and whether a claim ended it."""
    waits = [
        Wait(0.0, (end if until is None else until) - since, bool(ended and until is not None))
        for since, until, ended in rows
    ]
    found = curve(waits)
    return Vacancies(
        len(waits),
        sum(wait.started for wait in waits),
        tuple(found.quantile(part) for part in PARTS),
    )
