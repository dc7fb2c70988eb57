"""Finds which jobs start at once on what the matches of a cycle leave of partitionable slots.

Inputs: a cycle that was held: its snapshot, result, board, and who got the slot of each match; the
submitters that are asked about.  Outputs: a ``LeftoverStart`` for each such job.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from attr import evolve, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.jobs.requests import QueuedJob
from negotiator.matching.board import Board
from negotiator.model.loaded_slots import slots_named
from negotiator.model.result import CycleResult, Match
from negotiator.model.snapshot import ScheddQueue, Snapshot
from negotiator.versions.schedd import matched_limits
from pieslice.between.claims import How
from pieslice.between.course import Course, Party
from policy.model import NegotiatorPolicy


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
    policy = board.policy
    pairs = [
        (match, job)
        for match, job in zip(result.matches, placed, strict=True)
        if job is not None and (match.submitter, match.schedd) in parties
    ]
    slots = slots_named(snapshot.slots, {match.slot for match, _ in pairs}) if pairs else {}
    pairs = [
        (match, job) for match, job in pairs if slots[match.slot].get_bool("PartitionableSlot")
    ]
    if not (pairs and policy.claims.leftovers):
        return {}
    gone = {name for match, _ in pairs for name in match.dynamic_slots}
    slots = {**slots, **slots_named(snapshot.slots, gone)} if gone else slots
    seen = evolve(
        snapshot,
        slots=tuple(slots.values()),
        queues=_queues(snapshot, board, pairs, parties),
    )
    course = Course.of(seen, policy, int(result.now))
    decided = evolve(result, matches=tuple(match for match, _ in pairs))
    starts = course.follow(decided, [job for _, job in pairs], board)
    by_slot = {(match.slot, match.submitter): match.job for match, _ in pairs}
    return {
        (start.submitter, start.schedd, start.job): LeftoverStart(
            start.whole, by_slot[start.whole, start.submitter]
        )
        for start in starts
        if start.how not in (How.MATCH, How.REMATCH)
    }


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
