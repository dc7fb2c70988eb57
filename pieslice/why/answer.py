"""Puts the answer to ``why JOB [SLOT]`` together.

Decides which questions are asked of which job: a waiting one of the cycle, a running one of its
slot, any other of its status.

Inputs: what ``negotiate`` takes, the job.  Outputs: an ``Answer``; raises ``UnknownSlotError``.
"""

from __future__ import annotations

from attr import frozen

from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from pieslice.why.funnel import Funnel, funnel
from pieslice.why.holders import Holding, holding
from pieslice.why.jobs import AskedJob
from pieslice.why.limits import Limits, Standing, limits, standing
from pieslice.why.moments import HaltedCycle, JobHistory, look_at
from pieslice.why.ranking import Ranking, ranking
from pieslice.why.slotcase import SlotCase, means, slot_case, slot_names
from policy.model import NegotiatorPolicy

_RUNNING = 2


class UnknownSlotError(Exception):
    """There is no such slot, or there are several."""


@frozen(eq=False)
class Seen:
    """What the moment shows."""

    ranking: Ranking
    funnel: Funnel
    limits: Limits
    spin: int
    hypothetical: bool
    case: SlotCase | None = None


@frozen(eq=False)
class Answer:
    """``seen`` for a job that waits, ``holding`` for one that runs; ``slots`` of the pool."""

    history: JobHistory
    standing: Standing
    slots: int
    seen: Seen | None
    holding: Holding | None
    #: Why a slot that was asked about was not considered in the cycle at all.
    trimmed: tuple[str, str] | None = None


def why(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    job: AskedJob,
    slot: str | None = None,
    *,
    now: float,
    seed: int = 0,
    known: frozenset[str] = frozenset(),
) -> Answer:
    """Everything about a job, and a slot if one is named.

    ``known``: lower-cased names of attributes that HTCondor knows.
    """
    history, look = look_at(
        snapshot, policy, job, lambda halted: _look(halted, slot, known), now=now, seed=seed
    )
    seen = None if look is None else look.finish(history.result)
    trimmed = None
    if slot is not None and seen is not None and seen.case is None:
        trimmed = _trimmed(history.result, slot) or _unseen(snapshot, slot)
        if trimmed is None:
            raise UnknownSlotError(f"there is no slot `{slot}` in the pool")
    held = None
    if job.status == _RUNNING:
        held = holding(snapshot, policy, job, history.result, now=now, seed=seed)
    stand = standing(history.result, history.job.submitter, job.schedd)
    return Answer(history, stand, len(snapshot.slots), seen, held, trimmed)


@frozen(eq=False)
class _Look:
    halted: HaltedCycle
    ranking: Ranking
    funnel: Funnel
    case: SlotCase | None

    def finish(self, result: CycleResult) -> Seen:
        halted = self.halted
        found = limits(halted, result)
        hypothetical = halted.hypothetical
        return Seen(self.ranking, self.funnel, found, halted.board.spin, hypothetical, self.case)


def _look(halted: HaltedCycle, slot: str | None, known: frozenset[str]) -> _Look:
    found = ranking(halted)
    sieved = funnel(halted, known)
    case = None
    names = [] if slot is None else slot_names(halted, slot)
    if len(names) > 1:
        some = ", ".join(names[:4])
        raise UnknownSlotError(f"`{slot}` matches {len(names)} slots: {some}, ...")
    if names:
        case = slot_case(halted, names[0], sieved.verdicts.get(names[0], ""), found, known)
    return _Look(halted, found, sieved, case)


def _trimmed(result: CycleResult, text: str) -> tuple[str, str] | None:
    """A slot that was taken out before, and why."""
    found = (item for item in result.trimmed if means(text, item.name))
    return next(((item.name, item.cause.value) for item in found), None)


def _unseen(snapshot: Snapshot, text: str) -> tuple[str, str] | None:
    """A slot that the negotiator never saw, and why."""
    for ad in snapshot.slots:
        name = ad.get_string("Name")
        if name is not None and means(text, name):
            absent = ad.get_bool("Absent") is True
            return (
                name,
                "its ad has Absent = true" if absent else "NEGOTIATOR_SLOT_CONSTRAINT is not true",
            )
    return None
