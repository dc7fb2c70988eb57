"""Tells the life of a job: submitted, cycle by cycle, started, preempted by whom, gone.

The job that a question means is looked up here, with those near a name that is none.

Decides what the cycles did with a job while it was idle: a cycle names the first job of each
request, so a decision about a job of the same submitter that asks for the same holds for this one,
too.  Equal fates one after another are one line.

Inputs: a job, the decisions and captures of its time.  Outputs: ``Life``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from attr import field, frozen

from negotiator.jobs.readiness import IDLE, RUNNING
from negotiator.model.snapshot import whole_slot
from pieslice.inputs.moments import shown_time
from pieslice.recording.facts import GONE
from pieslice.recording.jobs import HistoryJob, Spell, some_jobs
from pieslice.recording.store import History, HistoryError, Moment
from pieslice.reports.layout import times
from pieslice.reports.names import listed
from pieslice.why.asked import JOB_ID, STATUS
from policy.language.numbers import saturated

#: How many of the clusters near one that is not there are named.
_NEAR: Final = 3


def word_of(spell: Spell) -> str:
    """What a job was doing, as a word."""
    return "gone" if spell.status == GONE else STATUS.get(spell.status, f"status {spell.status}")


def find_job(history: History, text: str) -> HistoryJob:
    """The job of that id; of several that had it one after another the last."""
    found = JOB_ID.fullmatch(text)
    if found is None:
        raise HistoryError(f"`{text}` is not a job id")
    schedd, cluster, proc = found[1], saturated(found[2]), found[3]
    jobs = [
        job
        for job in some_jobs(history, "cluster = ?", cluster)
        if schedd in (None, job.schedd) and (proc is None or job.proc == saturated(proc))
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
    mates = some_jobs(history, "cluster = ?", cluster)
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


@frozen
class Decision:
    """What a cycle decided about a request.

    ``own``: whether it names the job itself; ``alike``: a job of its submitter that asks for the
    same.
    """

    moment: int
    own: bool
    job: str
    submitter: str
    slot: str | None
    preempted: str | None
    reason: str | None
    alike: bool = field(default=True, converter=bool)


@frozen
class Entry:
    """A part of a life: from when (seconds since the epoch), in how many cycles (0: no cycle)."""

    time: float
    cycles: int
    what: str


@frozen
class Life:
    """A job's life; ``named``: cycles that decided about it or about a job that asks for the same.

    ``cycles``: those whose decisions were recorded while it was idle.
    """

    job: HistoryJob
    entries: tuple[Entry, ...]
    named: int
    cycles: int


def life_of(
    job: HistoryJob,
    moments: Sequence[Moment],
    decisions: Iterable[Decision],
    takers: Mapping[int, str],
) -> Life:
    """The life of a job.

    ``decisions``: about jobs that ask for the same, and all that took slots from others while it
    ran; ``takers``: by the captures at which a job was found stopped, who had the slot then.
    """
    found = list(decisions)
    entries = [] if job.submitted is None else [Entry(job.submitted, 0, "submitted")]
    named = cycles = 0
    before: Spell | None = None
    for spell, after in pairwise([*job.spells, None]):
        assert spell is not None
        entries.append(Entry(spell.time, 0, _change(before, spell, found, takers)))
        if spell.status == IDLE:
            fates = list(_fates(spell, after, moments, found))
            cycles += len(fates)
            named += sum(fate.what != _UNNAMED for fate in fates)
            entries += _runs(fates)
        before = spell
    return Life(job, tuple(entries), named, cycles)


_UNNAMED: Final = "not among the decisions of the cycle"
_OTHERS: Final = "others like it matched"


class _Fate(NamedTuple):
    """What a cycle did with a job; ``others``: it matched others that ask for the same before."""

    time: float
    what: str
    others: bool


def _fates(
    spell: Spell, after: Spell | None, moments: Sequence[Moment], decisions: Sequence[Decision]
) -> Iterator[_Fate]:
    """What each recorded cycle did while the job was idle."""
    by_moment: dict[int, list[Decision]] = {}
    for item in decisions:
        by_moment.setdefault(item.moment, []).append(item)
    for moment in moments:
        within = spell.moment <= moment.number and (after is None or moment.number < after.moment)
        if within and moment.cycle is not None:
            yield _fate(
                moment.cycle, [item for item in by_moment.get(moment.number, ()) if item.alike]
            )


def _fate(time: float, about: Sequence[Decision]) -> _Fate:
    """What a cycle did: a match of the job itself comes first, then a rejection, then others."""
    own = [item.slot for item in about if item.own and item.slot is not None]
    others = any(item.slot is not None for item in about)
    rejected = next((item.reason for item in about if item.reason is not None), None)
    if own:
        slots = "a slot" if len(own) == 1 else f"{len(own)} slots"
        return _Fate(time, f"matched: its request got {slots}", False)
    if rejected is not None:
        return _Fate(time, f"rejected: {rejected}", others)
    return _Fate(time, _OTHERS if others else _UNNAMED, False)


def _runs(fates: Sequence[_Fate]) -> Iterator[Entry]:
    for what, group in groupby(fates, key=attrgetter("what")):
        run = list(group)
        count = sum(fate.others for fate in run)
        more = f" (others like it matched first: {times(count)})" if count else ""
        yield Entry(run[0].time, len(run), what + more)


def _change(
    before: Spell | None, spell: Spell, decisions: Sequence[Decision], takers: Mapping[int, str]
) -> str:
    """What happened between two spells."""
    if before is None:
        return f"first seen, {word_of(spell)}" + (f" on {spell.slot}" if spell.slot else "")
    if spell.status == RUNNING:
        return f"starts on {spell.slot}"
    if before.status != RUNNING:
        return "gone from the queue" if spell.status == GONE else word_of(spell)
    if spell.status == GONE:
        return f"gone from the queue, ran on {before.slot}"
    ran = f"ran on {before.slot}"
    taken = [
        item
        for item in decisions
        if item.preempted is not None
        and item.slot in (before.slot, whole_slot(before.slot))
        and before.moment <= item.moment < spell.moment
    ]
    if taken:
        whom = f"job {taken[-1].job} of {taken[-1].submitter}"
        return f"{word_of(spell)} again, {ran}: preempted for {whom}"
    taker = takers.get(spell.moment)
    then = f"no preemption recorded; then {taker} had the slot" if taker else "nothing tells why"
    return f"{word_of(spell)} again, {ran}: {then}"
