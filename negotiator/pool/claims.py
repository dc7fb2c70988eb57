"""Reads what the claims in a pool hold: whom slots are charged to, and which concurrency limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from attr import evolve

from classad.ads.ad import as_string
from classad.evaluate import EvalContext
from negotiator.model.arithmetic import stored
from negotiator.model.result import Match
from negotiator.model.snapshot import AccountantState, Resource
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy

_LIMITS: Final = ("ConcurrencyLimits", "PreemptingConcurrencyLimits")
#: The states of slots whose claims are charged.
_CHARGED: Final = ("Claimed", "Preempting")


def charged_slots(slots: Slots, policy: NegotiatorPolicy, context: EvalContext) -> list[Slot]:
    """The slots whose claims are charged to somebody."""
    claimed = [slot for slot in slots if slot.charged is not None and slot.state in _CHARGED]
    if policy.discount_suspended_resources:
        activities = (slot.ad.get_string("Activity", context=context) for slot in claimed)
        pairs = zip(claimed, activities, strict=True)
        claimed = [slot for slot, activity in pairs if (activity or "").lower() != "suspended"]
    return claimed


def charges(slots: Iterable[Slot]) -> list[tuple[str, float]]:
    """Whom each slot is charged to, and its weight."""
    return [(slot.charged, slot.weight) for slot in slots if slot.charged is not None]


def claim_record(slot: Slot, context: EvalContext) -> Resource:
    """The record of a claimed slot as it is now; its ad tells the limits it was matched for."""
    limits = as_string(slot.value("MatchedConcurrencyLimits", context))
    now = int(context.now or 0)
    return Resource(_key_of(slot, context), slot.charged or "", stored(slot.weight), now, limits)


def match_record(
    slot: Slot, submitter: str, cost: float, limits: str, context: EvalContext
) -> Resource:
    """The record of a slot that has just been matched; ``limits``: those of the match."""
    now = int(context.now or 0)
    return Resource(_key_of(slot, context), submitter, stored(cost), now, limits.lower() or None)


def matched_keys(slots: Slots, context: EvalContext) -> set[str]:
    """The keys of slots that are matched and not claimed yet."""
    return {_key_of(slot, context) for slot in slots if slot.state == "Matched"}


def waiting_matches(
    slots: Slots, state: AccountantState, context: EvalContext
) -> dict[str, Resource]:
    """The records of slots that are matched and not claimed yet, by their keys."""
    matched = matched_keys(slots, context)
    found = state.resources.items() if matched else ()
    return {key: resource for key, resource in found if key in matched}


def table_of_claims(
    waiting: Mapping[str, Resource],
    charged: Iterable[Slot],
    matches: Iterable[tuple[Match, str]],
    slots: Iterable[Slot],
    context: EvalContext,
) -> dict[str, Resource]:
    """The accountant's records of claims after a cycle: one holder of each slot, the last.

    Every match of a slot with a consumption policy has a record of its own.  ``charged``: the slots
    that were charged at the start of the cycle, whose ads tell the limits that they were matched
    for; ``matches``: with the concurrency limits that they are counted for.
    """
    found = dict(waiting)
    for slot in charged:
        record = claim_record(slot, context)
        found[record.key] = record
    by_name = {slot.name: slot for slot in slots}
    made: Counter[str] = Counter()
    for match, limits in matches:
        slot = by_name[match.slot]
        record = match_record(slot, match.submitter, match.cost, limits, context)
        if slot.resources:
            made[record.key] += 1
            record = evolve(record, key=f"{record.key}_cp_match_{made[record.key] - 1:03}")
        found[record.key] = record
    return found


def _key_of(slot: Slot, context: EvalContext) -> str:
    """The name under which the accountant records a claim of a slot."""
    return f"{slot.name}@{as_string(slot.value('StartdIpAddr', context)) or ''}"


def held_limits(slots: Slots, waiting: Mapping[str, Resource], context: EvalContext) -> list[str]:
    """The limits that claims in any state hold, and those of slots matched but not yet claimed."""
    found = slots.each(_limits_of, context, reads=_LIMITS)
    texts: list[str | None] = [text for held in found if held for text in held]
    texts += [resource.matched_concurrency_limits for resource in waiting.values()]
    return [text for text in texts if text]


def _limits_of(slot: Slot, context: EvalContext) -> list[str | None]:
    there = [name for name in _LIMITS if slot.raw(name) is not None]
    return [slot.ad.get_string(name, context=context) for name in there]
