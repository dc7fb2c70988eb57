"""Reads the weight of a slot: what a slot costs, what its ad says of itself, what it says now.

Follows: slot weights of 25.14.1, three of them, told apart by the vectors.
"""

from __future__ import annotations

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.versions.slots import FORCE_SLOT_WEIGHT
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
