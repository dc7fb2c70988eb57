"""Applies consumption policies: what a request takes of a partitionable slot, and what that costs.

The cost is the drop of ``SlotWeight``.  Such a slot is matched several times in a cycle.  Follows
"Consumption Policies" in HTCondor's manual and the vectors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.pool.weights import own_weight

#: Amounts by resource name.
Amounts = Mapping[str, int | float]


@lru_cache(maxsize=100)
def resource_names(text: str) -> tuple[str, ...]:
    """The resources that a text such as MachineResources lists, but swap space."""
    return tuple(word for word in re.split(r"[\s,]+", text) if word and word.lower() != "swap")


def policy_resources(ad: ClassAd, context: EvalContext) -> tuple[str, ...]:
    """The resources that a slot's consumption policy speaks of; empty if it has none."""
    if ad.get_bool("PartitionableSlot", context=context) is not True:
        return ()
    text = ad.get_string("MachineResources", context=context)
    if text is None:
        return ()
    resources = resource_names(text)
    declared = all(ad.raw(f"Consumption{name}") is not None for name in resources)
    return resources if declared else ()


def claim_ids(slots: Sequence[ClassAd]) -> dict[str, int]:
    """How many claim ids slots with a consumption policy have left, by name.

    Their startd makes one for each core, and a dynamic slot takes one; all other slots have one.
    """
    table = slots.table() if isinstance(slots, LoadedSlots) else None
    if table is not None and not table.has("ConsumptionCpus"):
        return {}
    context, found = EvalContext(now=0.0), {}
    for ad in slots:
        if ad.raw("ConsumptionCpus") is not None and policy_resources(ad, context):
            cores = ad.get_number("TotalSlotCpus") or 1
            parts = ad.get_number("NumDynamicSlots") or 0
            found[ad.get_string("Name") or ""] = max(int(cores - parts), 0)
    return found


def consumed(
    slot: ClassAd, resources: tuple[str, ...], request: ClassAd, context: EvalContext
) -> Amounts | None:
    """What a request would take of a slot; None if the slot has not got it."""
    asking = ClassAd()
    asking.chain(request)
    for name in resources:
        if request.raw(f"Request{name}") is None:
            asking.insert(f"Request{name}", 0)
    amounts: dict[str, int | float] = {}
    for name in resources:
        amount = slot.get_number(f"Consumption{name}", asking, context)
        there = slot.get_number(name, context=context)
        # The negotiator aborts where the slot lacks a resource that its policy names.
        if amount is None or there is None or amount < 0 or there < amount:
            return None
        amounts[name] = amount
    return amounts if any(amount > 0 for amount in amounts.values()) else None


def request_for(request: ClassAd, amounts: Amounts) -> ClassAd:
    """The request as the requirements see it: what it asks for is what it would take."""
    seen = ClassAd()
    seen.chain(request)
    for name, amount in amounts.items():
        if request.raw(f"Request{name}") is not None:
            seen.insert(f"Request{name}", _whole(amount))
    return seen


def deduct(slot: ClassAd, amounts: Amounts, context: EvalContext) -> None:
    """Take the amounts from the slot."""
    for name, amount in amounts.items():
        there = slot.get_number(name, context=context) or 0
        slot.insert(name, _whole(there - amount))


def cost_of(slot: ClassAd, amounts: Amounts, context: EvalContext) -> float:
    """By how much the slot's weight would drop; it may be nothing."""
    before = own_weight(slot, context)
    with _restored(slot, amounts):
        deduct(slot, amounts, context)
        after = own_weight(slot, context)
    return before - after


@contextmanager
def _restored(slot: ClassAd, amounts: Amounts) -> Iterator[None]:
    kept: dict[str, object] = {name: slot.raw(name) for name in amounts}
    yield
    for name, value in kept.items():
        slot.insert(name, value)


def _whole(amount: int | float) -> int | float:
    """An integer where the amount is one."""
    return int(amount) if amount == int(amount) else amount
