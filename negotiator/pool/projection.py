"""Cuts the ads of claimed slots down to what the collector sends when nothing is preempted.

Follows the corner rules of the negotiation cycle; vectors ``corner-no-preemption-*``.
"""

from __future__ import annotations

from typing import Final

from classad import ClassAd
from classad.language.names import fold_name
from negotiator.expressions.visible import Mentions, VisiblePart
from negotiator.pool.slots import Slot
from policy.model import NegotiatorPolicy

#: What is asked for; the collector adds what these refer to in the ad, and so on.
PROJECTED: Final = frozenset(
    map(
        fold_name,
        (
            *("Name", "MyType", "State", "Activity", "StartdIpAddr", "AccountingGroup", "Owner"),
            *("RemoteUser", "Requirements", "SlotWeight", "ConcurrencyLimits"),
        ),
    )
)


def is_projected(slot: Slot, policy: NegotiatorPolicy) -> bool:
    """Whether the collector is asked for a part of the ad only: the slot is nobody's to have."""
    return not policy.consider_preemption and slot.state == "Claimed" and not slot.partitionable


def project(slot: Slot, mentions: Mentions) -> None:
    """Leave in the ad of a slot what the collector sends of it."""
    visible = VisiblePart(slot.cell, lambda: slot.ad.duplicate(), mentions)
    slot.keep(visible.meeting(ClassAd(), PROJECTED))
