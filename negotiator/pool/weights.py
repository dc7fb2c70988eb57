"""Reads the weight of a slot (what it costs, what its ad says of itself, what it says now) and sums
up the pool, in which slots of every state count.

Follows: slot weights of 25.14.1, three of them, told apart by the vectors; the description of the
negotiation cycle in HTCondor's manual.
"""

from __future__ import annotations

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.model.arithmetic import DBL_MAX, add_up, c_int, whole
from negotiator.model.result import PoolNumbers
from negotiator.pool.slots import Slot, Slots, holds
from negotiator.versions.negotiator import FORCE_SLOT_WEIGHT
from policy.model import NegotiatorPolicy


def slot_weight(ad: ClassAd, policy: NegotiatorPolicy, context: EvalContext) -> float:
    """What a slot costs."""
    return own_weight(ad, context) if policy.use_slot_weights else 1.0


def own_weight(ad: ClassAd, context: EvalContext) -> float:
    """The SlotWeight of an ad; anything but a number that is not negative counts one."""
    weight = ad.get_number("SlotWeight", context=context)
    return 1.0 if weight is None or weight < 0 else float(weight)


def current_weight(ad: ClassAd, context: EvalContext) -> float:
    """The SlotWeight that an ad has at this moment, whatever slots cost; 1 for no number."""
    weight = ad.get_number("SlotWeight", context=context)
    return 1.0 if weight is None else float(weight)


def lacks_weight(ad: ClassAd, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    """Whether the negotiator gives the slot its own weight: it has none, or is overruled."""
    forced = policy.force_slot_weight and FORCE_SLOT_WEIGHT.of(policy.version)
    return forced or ad.get_number("SlotWeight", context=context) is None


def pool_numbers(slots: Slots, policy: NegotiatorPolicy, context: EvalContext) -> PoolNumbers:
    """The size of the pool, in slot weights and in slots."""
    multipliers = slots.each(_multiplier, context, reads=("GhostMultiplier",))
    weights = [slot.weight for slot in slots]
    if multipliers.count(1) < len(multipliers):
        weights = [weight * by for weight, by in zip(weights, multipliers, strict=True)]
    constraint = policy.slot_poolsize_constraint

    def size(slot: Slot, context: EvalContext) -> float | None:
        """What a slot counts as: a partitionable one its ``Cpus``, if it has any; None for not."""
        # No ad is made for nothing: most slots may be claimed, and a part be made of each.
        if constraint is not None and not holds(constraint, slot.ad, context):
            return None
        cpus = slot.ad.get_number("Cpus", context=context) if slot.partitionable else None
        return 1.0 if cpus is None else float(c_int(cpus))

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


def _multiplier(slot: Slot, context: EvalContext) -> int:
    if slot.raw("GhostMultiplier") is None:
        return 1
    number = slot.ad.get_number("GhostMultiplier", context=context)
    return 1 if number is None else whole(number)
