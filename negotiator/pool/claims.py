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

    claimed = [slot for slot in slots if slot.state in ("Claimed", "Preempting")]
    if policy.discount_suspended_resources:
        claimed = [slot for slot in claimed if not _is_suspended(slot, context)]
    return [(slot.charged, slot.weight) for slot in claimed if slot.charged is not None]


def _is_suspended(slot: Slot, context: EvalContext) -> bool:
    return (slot.ad.get_string("Activity", context=context) or "").lower() == "suspended"


def held_limits(slots: Slots, state: AccountantState, context: EvalContext) -> list[str]:
    """The limits that claims in any state hold, and those of slots matched but not yet claimed."""
    found = slots.each(_limits_of, context, reads=_LIMITS)
    texts: list[str | None] = [text for held in found if held for text in held]
    matched = set()
    for slot in slots:
        if slot.state != "Matched":
            continue
        address = slot.ad.get_string("StartdIpAddr", context=context) or ""
        matched.add(f"{slot.name}@{address}")
    for key, resource in state.resources.items():
        if key in matched:
            texts.append(resource.matched_concurrency_limits)
    return [text for text in texts if text]


def _limits_of(slot: Slot, context: EvalContext) -> list[str | None]:
    there = [name for name in _LIMITS if slot.raw(name) is not None]
    return [slot.ad.get_string(name, context=context) for name in there]
