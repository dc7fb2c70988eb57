"""Measures the pool: its size and weight.  Slots in every state count.

Follows the description of the negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from classad.evaluate import EvalContext
from negotiator.model.arithmetic import DBL_MAX, add_up, c_int, whole
from negotiator.model.result import PoolNumbers
from negotiator.pool.slots import Slot, Slots, holds
from policy.model import NegotiatorPolicy


def pool_numbers(slots: Slots, policy: NegotiatorPolicy, context: EvalContext) -> PoolNumbers:
    """The size of the pool, in slot weights and in slots."""
    multipliers = slots.each(_multiplier, context, reads=("GhostMultiplier",))
    weights = [slot.weight for slot in slots]
    if multipliers.count(1) < len(multipliers):
        weights = [weight * by for weight, by in zip(weights, multipliers, strict=True)]
    constraint = policy.slot_poolsize_constraint

    def size(slot: Slot, context: EvalContext) -> float | None:
        """What a slot counts as; None if it does not count."""
        if not holds(constraint, slot.ad, context):
            return None
        return _effective_size(slot, context)

    sizes = slots.each(
        size, context, reads=("Cpus",), expressions=(constraint,), knows=("partitionable",)
    )
    counts = [it for it in sizes if it is not None]
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


def _effective_size(slot: Slot, context: EvalContext) -> float:
    """The ``Cpus`` of a partitionable slot as an integer; one without a number, and other slots."""
    cpus = slot.ad.get_number("Cpus", context=context) if slot.partitionable else None
    return 1.0 if cpus is None else float(c_int(cpus))


def _multiplier(slot: Slot, context: EvalContext) -> int:
    if slot.raw("GhostMultiplier") is None:
        return 1
    number = slot.ad.get_number("GhostMultiplier", context=context)
    return 1 if number is None else whole(number)
