"""Reads what the claims in a pool hold: whom slots are charged to, and which concurrency limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from attr import frozen

from classad.ads.ad import as_string
from classad.evaluate import EvalContext
from negotiator.accounting.accountant import stored
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
        claimed = [slot for slot in claimed if not _is_suspended(slot, context)]
    return claimed


def charges(slots: Iterable[Slot]) -> list[tuple[str, float]]:
    """Whom each slot is charged to, and its weight."""
    return [(slot.charged, slot.weight) for slot in slots if slot.charged is not None]


@frozen(eq=False)
class SlotStock:
    """The slots as the accountant looks at them when a cycle begins.

    ``charged``: those whose claims are charged to somebody.
    """

    slots: Slots
    charged: list[Slot]
    context: EvalContext

    def charges(self) -> list[tuple[str, float]]:
        """Whom each claimed slot is charged to, and its weight, in pool order."""
        return charges(self.charged)

    def claims(self) -> list[Resource]:
        """The records of the claimed slots as they are now, in pool order."""
        return [_record(slot, self.context) for slot in self.charged]

    def matched(self) -> set[str]:
        """The keys of slots that are matched and not claimed yet."""
        return {_key_of(slot, self.context) for slot in self.slots if slot.state == "Matched"}


@frozen(eq=False)
class SlotClaim:
    """A slot that has just been matched, as the accountant looks at it.

    ``limits``: the concurrency limits of the match.
    """

    slot: Slot
    limits: str
    context: EvalContext

    def record(self, submitter: str, cost: float) -> Resource:
        """The record of the match."""
        now = int(self.context.now or 0)
        key = _key_of(self.slot, self.context)
        return Resource(key, submitter, stored(cost), now, self.limits.lower() or None)

    def consumes(self) -> bool:
        """Whether it has a consumption policy, so that each match is a claim of its own."""
        return bool(self.slot.resources)


def _record(slot: Slot, context: EvalContext) -> Resource:
    """The record of a claimed slot, whose ad tells the limits that it was matched for."""
    limits = as_string(slot.value("MatchedConcurrencyLimits", context))
    now = int(context.now or 0)
    return Resource(_key_of(slot, context), slot.charged or "", stored(slot.weight), now, limits)


def waiting_matches(
    slots: Slots, state: AccountantState, context: EvalContext
) -> dict[str, Resource]:
    """The records of slots that are matched and not claimed yet, by their keys."""
    matched = SlotStock(slots, [], context).matched()
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
    now = int(context.now or 0)
    found = dict(waiting)
    for slot in charged:
        record = _record(slot, context)
        found[record.key] = record
    by_name = {slot.name: slot for slot in slots}
    made: Counter[str] = Counter()
    for match, text in matches:
        slot = by_name[match.slot]
        key = _key_of(slot, context)
        if slot.resources:
            made[key] += 1
            key = f"{key}_cp_match_{made[key] - 1:03}"
        weight = stored(match.cost)
        found[key] = Resource(key, match.submitter, weight, now, text.lower() or None)
    return found


def _key_of(slot: Slot, context: EvalContext) -> str:
    """The name under which the accountant records a claim of a slot."""
    return f"{slot.name}@{as_string(slot.value('StartdIpAddr', context)) or ''}"


def _is_suspended(slot: Slot, context: EvalContext) -> bool:
    return (slot.ad.get_string("Activity", context=context) or "").lower() == "suspended"


def held_limits(slots: Slots, waiting: Mapping[str, Resource], context: EvalContext) -> list[str]:
    """The limits that claims in any state hold, and those of slots matched but not yet claimed."""
    found = slots.each(_limits_of, context, reads=_LIMITS)
    texts: list[str | None] = [text for held in found if held for text in held]
    texts += [resource.matched_concurrency_limits for resource in waiting.values()]
    return [text for text in texts if text]


def _limits_of(slot: Slot, context: EvalContext) -> list[str | None]:
    there = [name for name in _LIMITS if slot.raw(name) is not None]
    return [slot.ad.get_string(name, context=context) for name in there]
