"""Puts the answer to ``why JOB [SLOT]`` together.

Decides which questions are asked of which job: a waiting one of the cycle, a running one of its
slot, any other of its status.

Inputs: what ``negotiate`` takes, the job.  Outputs: an ``Answer``; raises ``UnknownSlotError``.
"""

from __future__ import annotations

from attr import frozen

from negotiator.jobs.lists import IDLE, RUNNING
from negotiator.matching.board import Offer
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from pieslice.why.clauses.funnel import Funnel, funnel
from pieslice.why.jobs import AskedJob
from pieslice.why.requests.absence import Absence, why_no_session, why_not_ready
from pieslice.why.requests.fates import Fate, JobFate, fate_of
from pieslice.why.requests.limits import Limits, Standing, limits, standing
from pieslice.why.requests.moments import JobHistory, When, look_at
from pieslice.why.slots.case import (
    SlotCase,
    find_slots,
    no_such_slot,
    slot_case,
    slot_names,
)
from pieslice.why.slots.holders import Holding, holding
from pieslice.why.slots.nearest import NearSlot, OverLimit, cheapest, nearest, reason_to_preempt
from pieslice.why.slots.ranking import Ranking, ranking
from policy.model import NegotiatorPolicy


@frozen(eq=False)
class Seen:
    """What the moment shows."""

    ranking: Ranking
    funnel: Funnel
    limits: Limits
    #: The turn of the pie; None outside of one.
    spin: int | None
    hypothetical: bool
    #: What keeps the job from the slot nearest to being preempted, or lets it preempt.
    near: NearSlot | None = None
    over_limit: OverLimit | None = None
    case: SlotCase | None = None
    #: The slots of the machine, if a machine was named.
    machine: tuple[SlotCase, ...] = ()


@frozen(eq=False)
class Answer:
    """``seen`` for a job that waits, ``holding`` for one that runs; ``slots`` of the pool.

    ``fate``: what became of a job that waits, with the request that it was in; ``absence``: why
    its submitter had no session; ``not_ready``: why an idle job is not offered.
    """

    history: JobHistory
    standing: Standing
    slots: int
    seen: Seen | None
    holding: Holding | None
    fate: JobFate | None = None
    absence: Absence | None = None
    not_ready: str | None = None
    #: Why a slot that was asked about was not considered in the cycle at all.
    trimmed: tuple[str, str] | None = None


def why(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    job: AskedJob,
    slot: str | None = None,
    *,
    now: float,
    seed: int,
    known: frozenset[str] = frozenset(),
) -> Answer:
    """Everything about a job, and a slot if one is named.

    ``known``: lower-cased names of attributes that HTCondor knows.
    """
    history, look = look_at(
        snapshot, policy, job, lambda halted: _look(halted, slot, known), now=now, seed=seed
    )
    seen = None if look is None else look.finish(history)
    trimmed = None
    if slot is not None and seen is not None and seen.case is None and not seen.machine:
        trimmed = _trimmed(history.result, slot) or _unseen(snapshot, slot)
        if trimmed is None:
            raise no_such_slot(_slot_names(snapshot), slot)
    held = None
    if job.status == RUNNING:
        held = holding(snapshot, policy, job, history.result, now=now, seed=seed)
    stand = standing(history.result, history.job.submitter, job.schedd)
    fate = fate_of(history.record, job.id)
    absence = None
    if fate is not None and fate.fate is Fate.NO_SESSION:
        absence = why_no_session(snapshot, policy, history.result, fate.submitter, fate.schedd)
    not_ready = None
    if fate is None and job.status == IDLE:
        not_ready = why_not_ready(job, now, snapshot.slots, policy.language)
    size = len(snapshot.slots)
    return Answer(history, stand, size, seen, held, fate, absence, not_ready, trimmed)


@frozen(eq=False)
class _Look:
    halted: Offer
    ranking: Ranking
    funnel: Funnel
    case: SlotCase | None
    machine: tuple[SlotCase, ...] = ()

    def finish(self, history: JobHistory) -> Seen:
        halted, verdicts = self.halted, self.funnel.verdicts
        if self.case is not None:
            verdicts = {self.case.slot: self.case.verdict}
        near, over = nearest(halted, verdicts), cheapest(halted, verdicts)
        best = next((item for item in self.ranking.slots if item.slot == history.slot), None)
        if history.when is When.MATCHED:
            near = None if best is None else reason_to_preempt(halted, best.slot, best.kind)
        found = limits(halted, history.result)
        return Seen(
            self.ranking,
            self.funnel,
            found,
            None if found.pie is None else halted.board.spin,
            halted.hypothetical,
            near,
            over,
            self.case,
            self.machine,
        )


def _look(halted: Offer, slot: str | None, known: frozenset[str]) -> _Look:
    found = ranking(halted)
    sieved = funnel(halted, known)
    names = [] if slot is None else slot_names(halted, slot)
    cases = [slot_case(halted, name, sieved.verdicts.get(name, ""), found, known) for name in names]
    if len(cases) > 1:
        return _Look(halted, found, sieved, None, tuple(cases))
    return _Look(halted, found, sieved, cases[0] if cases else None)


def _trimmed(result: CycleResult, text: str) -> tuple[str, str] | None:
    """A slot that was taken out before, and why."""
    causes = {item.name: item.cause.value for item in result.trimmed}
    found = find_slots(list(causes), text)
    return (found[0], causes[found[0]]) if found else None


def _unseen(snapshot: Snapshot, text: str) -> tuple[str, str] | None:
    """A slot that the negotiator never saw, and why."""
    found = find_slots(_slot_names(snapshot), text)
    if not found:
        return None
    ads = (ad for ad in snapshot.slots if ad.get_string("Name") == found[0])
    absent = any(ad.get_bool("Absent") is True for ad in ads)
    cause = "its ad has Absent = true" if absent else "NEGOTIATOR_SLOT_CONSTRAINT is not true"
    return found[0], cause


def _slot_names(snapshot: Snapshot) -> list[str]:
    return [name for ad in snapshot.slots if (name := ad.get_string("Name")) is not None]
