"""Takes slots out of the cycle that nobody can get, each for the first cause that is true of it.

The causes are the table ``TRIM_CAUSES``, in the negotiator's order.  Follows the description of the
negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from classad.evaluate import EvalContext
from negotiator.model.arithmetic import c_cut
from negotiator.model.result import TrimCause, TrimmedSlot
from negotiator.pool.slots import Slot, Slots
from negotiator.versions.negotiator import CLAIMED_SLOTS_TRIMMED
from policy.model import NegotiatorPolicy

#: The states of slots that somebody has.
_CLAIMED: Final = ("Claimed", "Preempting")


class TrimRule(NamedTuple):
    """A cause, whether a policy looks for it, and what it is.

    ``reads``: the attributes of the ad by which it is told; None if that is not known.
    """

    cause: TrimCause
    looked_for: Callable[[NegotiatorPolicy], bool]
    true: Callable[[Slot, NegotiatorPolicy, EvalContext], bool]
    reads: tuple[str, ...] | None


def _claimed(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    return slot.state in _CLAIMED and not slot.partitionable


def _retires(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    """Whether retirement time is left, read as an integer: a real is cut, ``True`` is 1."""
    remaining = slot.ad.get_number("RetirementTimeRemaining", context=context)
    return c_cut(remaining) > 0


def _claim_without_job(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    """Whether a slot is claimed and runs nothing; a partitionable slot never runs anything."""
    if slot.state != "Claimed" or slot.partitionable:
        return False
    return (slot.ad.get_string("Activity", context=context) or "").lower() == "idle"


def _shuts_down(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    """Whether the startd will shut down within the threshold; the fast condition goes first."""
    there = slot.ad.get_number("MyCurrentTime", context=context)
    start = context.now or 0.0 if there is None else there
    ad = slot.ad.duplicate()
    ad.insert("CurrentTime", int(start + policy.trim_shutdown_threshold_seconds))
    for name in ("DaemonShutdownFast", "DaemonShutdown"):
        value = ad.evaluate_attr(name, context=context)
        if value.__class__ is bool:
            return value is True
    return False


def _wants_no_matching(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    """Whether a partitionable slot is claimed as a whole, and by whom it may not be matched."""
    if not slot.partitionable or slot.state != "Claimed":
        return False
    if slot.ad.get_bool("WantMatching", context=context) is False:
        return True
    if policy.match_working_cm_slots:
        return False
    return bool(slot.ad.get_string("WorkingCM", context=context))


#: Why slots are taken out before matching; the first that is true counts.
TRIM_CAUSES: Final = (
    TrimRule(TrimCause.CLAIMED, lambda policy: not policy.consider_preemption, _claimed, ()),
    TrimRule(
        TrimCause.RETIREMENT,
        lambda policy: policy.consider_preemption and not policy.consider_early_preemption,
        _retires,
        ("RetirementTimeRemaining",),
    ),
    TrimRule(
        TrimCause.IDLE_CLAIM,
        lambda policy: policy.dialect.idle_claims_skipped,
        _claim_without_job,
        ("Activity",),
    ),
    TrimRule(
        TrimCause.SHUTDOWN,
        lambda policy: policy.trim_shutdown_threshold_seconds > 0,
        _shuts_down,
        None,  # what the expressions of the startd mention
    ),
    TrimRule(
        TrimCause.CLAIMED_PARTITIONABLE,
        lambda policy: True,
        _wants_no_matching,
        ("WantMatching", "WorkingCM"),
    ),
)


def _spared(
    slots: Slots, noted: Callable[[Iterable[bool | None]], list[bool]], context: EvalContext
) -> list[int]:
    """The places of claimed slots that count as partitionable and are not."""
    places = [i for i, slot in enumerate(slots) if slot.state in _CLAIMED]
    said = (slots[i].ad.get_bool("PartitionableSlot", context=context) for i in places)
    pairs = zip(places, noted(said), strict=True)
    return [place for place, counts in pairs if counts and not slots[place].partitionable]


def trim_slots(
    slots: Slots, policy: NegotiatorPolicy, context: EvalContext
) -> tuple[Slots, list[TrimmedSlot]]:
    """The slots that are left, and those that are not."""
    rules = [rule for rule in TRIM_CAUSES if rule.looked_for(policy)]

    def cause(slot: Slot, context: EvalContext) -> TrimCause | None:
        return next((rule.cause for rule in rules if rule.true(slot, policy, context)), None)

    reads: list[str] | None = []
    for rule in rules:
        reads = None if reads is None or rule.reads is None else [*reads, *rule.reads]
    causes = slots.each(cause, context, reads=reads, knows=("partitionable", "state"))
    if not policy.consider_preemption and not CLAIMED_SLOTS_TRIMMED.is_new(policy.version):
        others = [rule for rule in rules if rule.cause is not TrimCause.CLAIMED]
        for place in _spared(slots, CLAIMED_SLOTS_TRIMMED.of(policy.version), context):
            true = (it.cause for it in others if it.true(slots[place], policy, context))
            causes[place] = next(true, None)
    if causes.count(None) == len(causes):
        return slots, []
    pairs = list(zip(slots, causes, strict=True))
    trimmed = [TrimmedSlot(slot.name, found) for slot, found in pairs if found is not None]
    return slots.some(slot for slot, found in pairs if found is None), trimmed
