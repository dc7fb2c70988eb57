"""How big the pool is, and which of its slots are considered at all.

Decision here: pool size and trimming.  Inputs: the slots of a cycle.  Outputs: ``PoolNumbers``, in
slot weights; the slots that are left and those that are not.

Never here: the weight of a slot, matching.
Follows: the description of the negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from classad.evaluate import EvalContext
from negotiator.columns.slots import ColumnSlots, each, kept_of, mentioned
from negotiator.model.arithmetic import DBL_MAX, add_up
from negotiator.model.result import PoolNumbers, TrimCause, TrimmedSlot
from negotiator.pool.slots import Slot, holds
from policy.model import NegotiatorPolicy


def pool_numbers(
    slots: Sequence[Slot], policy: NegotiatorPolicy, context: EvalContext
) -> PoolNumbers:
    """The size of the pool.  Slots in every state count."""
    multipliers = each(slots, ("GhostMultiplier",), _multiplier, context)
    weights = list(kept_of(slots, "weight"))
    if multipliers.count(1) < len(multipliers):
        weights = [weight * by for weight, by in zip(weights, multipliers, strict=True)]
    constraint = policy.slot_poolsize_constraint

    def size(slot: Slot, context: EvalContext) -> float | None:
        """What a slot counts as; None if it does not count."""
        if not holds(constraint, slot.ad, context):
            return None
        return (slot.ad.get_number("Cpus", context=context) or 0) if slot.partitionable else 1

    names = mentioned(constraint)
    reads = None if names is None else ("Cpus", *names)
    sizes = each(slots, reads, size, context, knows=("partitionable",))
    counts = [float(it) for it in sizes if it is not None]
    counted = weights
    if len(counts) < len(sizes):
        counted = [weight for weight, it in zip(weights, sizes, strict=True) if it is not None]
    return PoolNumbers(
        slots=len(slots),
        pool_weight=add_up(weights),
        min_slot_weight=min(weights, default=DBL_MAX),
        pie=add_up(counted) if policy.use_slot_weights else float(len(counted)),
        counted_slots=len(counted),
        effective_size=add_up(counts),
    )


def _multiplier(slot: Slot, context: EvalContext) -> int:
    if slot.raw("GhostMultiplier") is None:
        return 1
    number = slot.ad.get_number("GhostMultiplier", context=context)
    return 1 if number is None else int(number)


def trim_slots(
    slots: Sequence[Slot], policy: NegotiatorPolicy, context: EvalContext
) -> tuple[Sequence[Slot], list[TrimmedSlot]]:
    """Take out the slots that nobody can get in this cycle."""
    reads = ["WantMatching", "WorkingCM"]
    if policy.consider_preemption and not policy.consider_early_preemption:
        reads.append("RetirementTimeRemaining")
    if policy.dialect.idle_claims_skipped:
        reads.append("Activity")
    # Of slots that shut down it is what the expressions of the startd mention.
    known = policy.trim_shutdown_threshold_seconds <= 0
    causes = each(
        slots,
        reads if known else None,
        lambda slot, c: _trim_cause(slot, policy, c),
        context,
        knows=("partitionable", "state"),
    )
    if causes.count(None) == len(causes):
        return slots, []
    pairs = list(zip(slots, causes, strict=True))
    trimmed = [TrimmedSlot(slot.name, cause) for slot, cause in pairs if cause is not None]
    kept = [slot for slot, cause in pairs if cause is None]
    return (slots.some(kept) if isinstance(slots, ColumnSlots) else kept), trimmed


def _trim_cause(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> TrimCause | None:
    if not policy.consider_preemption:
        if slot.state in ("Claimed", "Preempting") and not slot.partitionable:
            return TrimCause.CLAIMED
    elif not policy.consider_early_preemption:
        remaining = slot.ad.get_number("RetirementTimeRemaining", context=context)
        if remaining is not None and remaining > 0:
            return TrimCause.RETIREMENT
    if policy.dialect.idle_claims_skipped and _claim_without_job(slot, context):
        return TrimCause.IDLE_CLAIM
    if policy.trim_shutdown_threshold_seconds > 0 and _shuts_down(slot, policy, context):
        return TrimCause.SHUTDOWN
    if slot.partitionable and slot.state == "Claimed":
        wanted = _wants_matching(slot, policy, context)
        return None if wanted else TrimCause.CLAIMED_PARTITIONABLE
    return None


def _claim_without_job(slot: Slot, context: EvalContext) -> bool:
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


def _wants_matching(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    wants = slot.ad.get_bool("WantMatching", context=context)
    if wants is False:
        return False
    return policy.match_working_cm_slots or not slot.ad.get_string("WorkingCM", context=context)
