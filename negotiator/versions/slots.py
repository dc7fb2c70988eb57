"""Lists the rules about slots, submitters and significant attributes that changed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import dropwhile
from typing import Final, Protocol, TypeVar

from negotiator.versions.rule import Daemon, Rule
from policy.knobs.cycle import REMOVE_SIGNIFICANT_ATTRIBUTES
from policy.model import NegotiatorPolicy
from policy.versions import Version

_NEVER_BEFORE: Final = frozenset(
    name.lower()
    for name in (
        "CurrentTime", "RemoteUserPrio", "RemoteUserResourcesInUse", "RemoteGroupResourcesInUse",
        "SubmittorPrio", "SubmitterUserPrio", "SubmitterUserResourcesInUse",
        "SubmitterGroupResourcesInUse",
    )
)  # fmt: skip
_NEVER_SINCE: Final = _NEVER_BEFORE | frozenset(
    name.lower()
    for name in (
        "LastHeardFrom", "RemoteUser", "RemoteOwner", "TotalJobRunTime", "MachineLastMatchTime",
        "JobCurrentStartDate", "JobState", "Mips", "KFlops", "SlotID", "DSlotId",
        "PartitionableSlot", "DynamicSlot", "Offline", "PelicanPluginVersion",
    )
)  # fmt: skip

NEVER_SIGNIFICANT: Final = Rule(
    "4",
    "attributes that are never significant",
    "Eight names of priorities and usage are left out of the significant attributes.",
    "So are fifteen more that change all the time, TotalJobRunTime, RemoteUser and SlotID among "
    "them: fewer autoclusters, and often none.",
    Version(25, 5, 1),
    Daemon.NEGOTIATOR,
    _NEVER_BEFORE,
    _NEVER_SINCE,
    "ties-no-autocluster",
)

#: Names and pattern that are taken out of the significant attributes.
Removed = tuple[tuple[str, ...], str]


def _removed_by_schedd(policy: NegotiatorPolicy) -> Removed:
    # The schedd has no default for it, and takes what a configuration says.
    names = policy.remove_significant_attributes
    return (() if names == _removed_by_default() else names), ""


def _removed_by_negotiator(policy: NegotiatorPolicy) -> Removed:
    return policy.remove_significant_attributes, policy.remove_significant_attributes_regex


def _removed_by_default() -> tuple[str, ...]:
    return tuple((REMOVE_SIGNIFICANT_ATTRIBUTES.default or "").replace(",", " ").split())


REMOVED_ATTRIBUTES: Final = Rule(
    "5",
    "REMOVE_SIGNIFICANT_ATTRIBUTES of the negotiator",
    "Only the schedd reads REMOVE_SIGNIFICANT_ATTRIBUTES, without a default; "
    "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX is no macro.",
    "The negotiator reads both, with defaults.",
    Version(25, 5, 1),
    Daemon.NEGOTIATOR,
    _removed_by_schedd,
    _removed_by_negotiator,
)


#: Whether the negotiator writes it.
REMOTE_USER_FLOOR: Final = Rule(
    "8",
    "RemoteUserFloor",
    "It is undefined in PREEMPTION_REQUIREMENTS and ranks.",
    "The negotiator writes the floor of a slot's user into the slot ad, and the attribute is never "
    "significant.",
    Version(25, 8, 2),
    Daemon.NEGOTIATOR,
    False,
    True,
)


#: Whether the negotiator reads it.
FORCE_SLOT_WEIGHT: Final = Rule(
    "6",
    "FORCE_NEGOTIATOR_SLOT_WEIGHT",
    "It is no macro: SLOT_WEIGHT of the negotiator is for slots without a SlotWeight only.",
    "If it is true the negotiator's SLOT_WEIGHT replaces that of every slot.",
    Version(25, 5, 1),
    Daemon.NEGOTIATOR,
    False,
    True,
    "pslot-preemption-unflattened",
)
#: Whether the negotiator reads it.
SKIP_MATCHMAKING: Final = Rule(
    "7",
    "SkipMatchmaking",
    "A submitter whose ad says so takes part like any other.",
    "A submitter whose ad says so takes no part in the cycle.",
    Version(25, 11, 0),
    Daemon.NEGOTIATOR,
    False,
    True,
    "skip-matchmaking",
)


def _note_stays(said: Iterable[bool | None]) -> list[bool]:
    note, found = False, []
    for word in said:
        note = note if word is None else word
        found.append(note)
    return found


def _each_for_itself(said: Iterable[bool | None]) -> list[bool]:
    return [word is True for word in said]


#: Which claimed slots count as partitionable, by what each says of PartitionableSlot, in pool
#: order; None: the ad that the negotiator asked for does not say.
CLAIMED_SLOTS_TRIMMED: Final = Rule(
    "17",
    "claimed slots when preemption is off",
    "Behind a claimed partitionable slot all claimed slots that do not say that they are none "
    "count as partitionable: they stay, and can be preempted although preemption is off.",
    "Every claimed slot is trimmed but for claimed partitionable ones.",
    Version(23, 10, 1),
    Daemon.NEGOTIATOR,
    _note_stays,
    _each_for_itself,
    "wild-20244",
)


class ScannedSlot(Protocol):
    """A slot that is looked at for a request."""

    state: str | None
    partitionable: bool


S = TypeVar("S", bound=ScannedSlot)
#: Slots in pool order, with their positions.
Placed = Iterable[tuple[int, S]]


def _behind_claims(slots: Placed[S]) -> Placed[S]:
    return dropwhile(lambda it: it[1].state == "Claimed" and not it[1].partitionable, slots)


def _every_one(slots: Placed[S]) -> Placed[S]:
    return slots


#: The slots among which a request looks when preemption is off, of those that are left.  The
#: negotiator asks for claimed slots without MyAddress; one that has none counts as reached at the
#: address of the slot looked at before it, and before the first there is none.
SCANNED_SLOTS: Final = Rule(
    "17a",
    "claimed slots in front of all others when preemption is off",
    "Whenever slots are looked at for a request, those that are claimed, not partitionable, and in "
    "front of the first other slot are passed over.",
    "No such slot is left.",
    Version(23, 10, 1),
    Daemon.NEGOTIATOR,
    _behind_claims,
    _every_one,
    "wild-20449",
)

SUBMITTER_TAG: Final = Rule(
    "16",
    "a submitter ad without SubmitterTag",
    "It is negotiated with in an older protocol.",
    "It is skipped with an error.",
    Version(23, 3, 0),
    Daemon.NEGOTIATOR,
    None,
    None,
    recorded=False,
    applied=False,
)
