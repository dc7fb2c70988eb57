"""Finds which jobs start at once by a cycle, on what its matches leave of partitionable slots too.

Inputs: a cycle that was held: its snapshot, result, board, and who got the slot of each match; the
submitters that are asked about.  Outputs: a ``LeftoverStart`` for each such job; ``Starts``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from attr import evolve, field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.jobs.requests import QueuedJob
from negotiator.matching.board import Board
from negotiator.model.loaded_slots import any_has, slots_named
from negotiator.model.result import CycleResult, Match
from negotiator.model.snapshot import ScheddQueue, Snapshot
from negotiator.pool.weights import slot_weight
from negotiator.versions.schedd import matched_limits
from policy.model import NegotiatorPolicy

if TYPE_CHECKING:
    from pieslice.between.course import Course, JobStart, Party


@frozen
class LeftoverStart:
    """A job starts on what the match of another ``job`` leaves of a ``slot``."""

    slot: str
    job: str

    @property
    def text(self) -> str:
        """Where it starts, in words."""
        return f"at once on what the match of {self.job} leaves of {self.slot}"


#: By submitter, schedd and job.
Leftovers: TypeAlias = Mapping[tuple[str, str, str], LeftoverStart]


def leftovers(
    snapshot: Snapshot,
    result: CycleResult,
    board: Board,
    placed: Sequence[QueuedJob | None],
    parties: Collection[Party],
) -> Leftovers:
    """The jobs of some submitters, each at one schedd, that start on leftovers."""
    if not board.policy.claims.leftovers:
        return {}
    from pieslice.between.state import How

    pairs, _, starts = _follow(snapshot, result, board, placed, parties)
    by_slot = {(match.slot, match.submitter): match.job for match, _ in pairs}
    return {
        (start.submitter, start.schedd, start.job): LeftoverStart(
            start.whole, by_slot[start.whole, start.submitter]
        )
        for start in starts
        if start.how not in (How.MATCH, How.REMATCH) and (start.submitter, start.schedd) in parties
    }


@frozen(eq=False)
class Starts:
    """What starts at once by the decisions of a cycle.

    ``jobs``: by submitter, schedd and job, the slots that were matched for them or divided.
    ``weights``: of each partitionable slot that was matched, the slot weight that is claimed.
    """

    jobs: Mapping[tuple[str, str, str], str] = field(factory=dict)
    weights: Mapping[str, float] = field(factory=dict)


def what_starts(
    snapshot: Snapshot, result: CycleResult, board: Board, placed: Sequence[QueuedJob | None]
) -> Starts:
    """What starts by what a cycle has decided, also on what its matches leave of slots."""
    policy = board.policy
    parties = {(match.submitter, match.schedd) for match in result.matches}
    pairs, course, starts = _follow(snapshot, result, board, placed, parties)
    weights = dict.fromkeys((match.slot for match, _ in pairs), 0.0)
    jobs = {
        (match.submitter, match.schedd, f"{job.cluster}.{job.proc}"): match.slot
        for match, job in zip(result.matches, placed, strict=True)
        if job is not None and match.slot not in weights
    }
    context = EvalContext(now=result.now, language=policy.language)
    for start in starts:
        assert course is not None
        jobs[start.submitter, start.schedd, start.job] = start.whole
        part = course.pool.slots[start.slot]
        weights[start.whole] += slot_weight(part.ad, policy, context)
    return Starts(jobs, weights)


def _follow(
    snapshot: Snapshot,
    result: CycleResult,
    board: Board,
    placed: Sequence[QueuedJob | None],
    parties: Collection[Party],
) -> tuple[list[tuple[Match, QueuedJob]], Course | None, tuple[JobStart, ...]]:
    """Carry out the matches of partitionable slots; the matches, and what started on these.

    A backfill slot is left what everybody takes of its machine, so that all matches count then.
    """
    policy = board.policy
    found = zip(result.matches, placed, strict=True)
    matched = [(match, job) for match, job in found if job is not None]
    pairs = [(match, job) for match, job in matched if (match.submitter, match.schedd) in parties]
    slots = slots_named(snapshot.slots, {match.slot for match, _ in pairs}) if pairs else {}
    if any(ad.get_bool("BackfillSlot") for ad in slots.values()):
        pairs, parties = matched, {(match.submitter, match.schedd) for match, _ in matched}
        slots = slots_named(snapshot.slots, {match.slot for match, _ in pairs})
    else:
        pairs = [
            (match, job) for match, job in pairs if slots[match.slot].get_bool("PartitionableSlot")
        ]
    if not pairs:
        return [], None, ()
    gone = {name for match, _ in pairs for name in match.dynamic_slots}
    slots = {**slots, **slots_named(snapshot.slots, gone)} if gone else slots
    seen = evolve(
        snapshot,
        slots=tuple(slots.values()),
        queues=_queues(snapshot, board, pairs, parties),
    )
    from pieslice.between.course import Course

    course = Course.of(seen, policy, int(result.now))
    decided = evolve(result, matches=tuple(match for match, _ in pairs))
    return pairs, course, course.follow(decided, [job for _, job in pairs], board)


def _queues(
    snapshot: Snapshot,
    board: Board,
    pairs: Sequence[tuple[Match, QueuedJob]],
    parties: Collection[Party],
) -> tuple[ScheddQueue, ...]:
    """The queues with the jobs of these submitters: those that got a slot, and that wait on."""
    found = []
    for queue in snapshot.queues:
        lists = [(party, board.jobs.get(party)) for party in parties if party[1] == queue.name]
        jobs = [job.ad for match, job in pairs if match.schedd == queue.name]
        running = 0
        for _, waiting in lists:
            if waiting is not None:
                running = waiting.room.running + waiting.room.accepted
                jobs += (job.ad for job in waiting.waiting)
        started = sum(match.schedd == queue.name for match, _ in pairs)
        found.append(evolve(queue, jobs=tuple(jobs), running=max(running - started, 0)))
    return tuple(found)


def may_have_limits(slots: Sequence[ClassAd], job: ClassAd) -> bool:
    """Whether a match of a job with some slot may be counted for concurrency limits at all."""
    name = "ConcurrencyLimits"
    return job.raw(name) is not None or any_has(slots, name)


def barred_by_limits(
    slots: Mapping[str, ClassAd], job: ClassAd, policy: NegotiatorPolicy, now: float
) -> str | None:
    """A partitionable slot of whose rest a job may use nothing, since it has concurrency limits.

    ``slots``: those that were matched, by name.
    """
    if not (policy.claims.leftovers and policy.claims.considers_limits):
        return None
    context = EvalContext(now=now, language=policy.language)
    for name, slot in slots.items():
        if slot.get_bool("PartitionableSlot") and matched_limits(job, slot, context):
            return name
    return None


def makes_no_part(slot: ClassAd | None, job: ClassAd, policy: NegotiatorPolicy, now: float) -> bool:
    """Whether a startd refuses a job on a slot that matches it, asking START of the dynamic slot.

    ``slot``: as it was matched; None if nobody knows it.
    """
    if slot is None or slot.get_bool("PartitionableSlot") is not True:
        return False
    from negotiator.claims.idle import jobs_on

    context = EvalContext(now=now, language=policy.language)
    return not jobs_on(slot.duplicate(), job, policy.claims.rounding, context)[0]
