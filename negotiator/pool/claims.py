"""Reads what the claims in a pool hold: whom slots are charged to, and which concurrency limits."""

from __future__ import annotations

from typing import Final

from classad.evaluate import EvalContext
from negotiator.model.snapshot import AccountantState
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy

_LIMITS: Final = ("ConcurrencyLimits", "PreemptingConcurrencyLimits")


def charged_claims(
    slots: Slots, policy: NegotiatorPolicy, context: EvalContext
) -> list[tuple[str, float]]:
    """Whom each claimed slot is charged to, and its weight."""

    def charged(slot: Slot, context: EvalContext) -> str | None:
        user = _charged_user(slot)
        if user is None or not policy.discount_suspended_resources:
            return user
        activity = slot.ad.get_string("Activity", context=context) or ""
        return None if activity.lower() == "suspended" else user

    reads = ["AccountingGroup", "RemoteUser"]
    if policy.discount_suspended_resources:
        reads.append("Activity")
    users = slots.each(charged, context, reads=reads, knows=("state",))
    pairs = zip(slots.weights(), users, strict=True)
    return [(user, weight) for weight, user in pairs if user is not None]


def _charged_user(slot: Slot) -> str | None:
    if slot.state not in ("Claimed", "Preempting"):
        return None
    return slot.ad.get_string("AccountingGroup") or slot.ad.get_string("RemoteUser")


def held_limits(slots: Slots, state: AccountantState, context: EvalContext) -> list[str]:
    """The limits that claims in any state hold, and those of slots matched but not yet claimed."""
    found = slots.each(_limits_of, context, reads=_LIMITS)
    texts: list[str | None] = [text for held in found if held for text in held]
    matched = set()
    for slot in slots.in_state("Matched"):
        address = slot.ad.get_string("StartdIpAddr", context=context) or ""
        matched.add(f"{slot.name}@{address}")
    for key, resource in state.resources.items():
        if key in matched:
            texts.append(resource.matched_concurrency_limits)
    return [text for text in texts if text]


def _limits_of(slot: Slot, context: EvalContext) -> list[str | None]:
    there = [name for name in _LIMITS if slot.raw(name) is not None]
    return [slot.ad.get_string(name, context=context) for name in there]
