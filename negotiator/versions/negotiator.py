"""Lists the rules of the negotiator that changed: slots, submitters, attributes, the accountant."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import dropwhile
from typing import Final, Protocol, TypeAlias, TypeVar

from negotiator.model.snapshot import Customer
from negotiator.versions.rule import DecidingDaemon, VersionRule
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

NEVER_SIGNIFICANT: Final = VersionRule(
    "4",
    "attributes that are never significant",
    "Eight names of priorities and usage are left out of the significant attributes.",
    "So are fifteen more that change all the time, TotalJobRunTime, RemoteUser and SlotID among "
    "them: fewer autoclusters, and often none.",
    Version(25, 5, 1),
    DecidingDaemon.NEGOTIATOR,
    _NEVER_BEFORE,
    _NEVER_SINCE,
    "ties-no-autocluster",
)


def _removed_by_schedd(policy: NegotiatorPolicy) -> tuple[tuple[str, ...], str]:
    # The schedd has no default for it, and takes what a configuration says.
    names = policy.remove_significant_attributes
    default = (REMOVE_SIGNIFICANT_ATTRIBUTES.default or "").replace(",", " ").split()
    return (() if names == tuple(default) else names), ""


#: Names and pattern that are taken out of the significant attributes.
REMOVED_ATTRIBUTES: Final[
    VersionRule[Callable[[NegotiatorPolicy], tuple[tuple[str, ...], str]]]
] = VersionRule(
    "5",
    "REMOVE_SIGNIFICANT_ATTRIBUTES of the negotiator",
    "Only the schedd reads REMOVE_SIGNIFICANT_ATTRIBUTES, without a default; "
    "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX is no macro.",
    "The negotiator reads both, with defaults.",
    Version(25, 5, 1),
    DecidingDaemon.NEGOTIATOR,
    _removed_by_schedd,
    lambda policy: (
        policy.remove_significant_attributes,
        policy.remove_significant_attributes_regex,
    ),
)


#: Whether the negotiator writes it.
REMOTE_USER_FLOOR: Final = VersionRule(
    "8",
    "RemoteUserFloor",
    "It is undefined in PREEMPTION_REQUIREMENTS and ranks.",
    "The negotiator writes the floor of a slot's user into the slot ad, and the attribute is never "
    "significant.",
    Version(25, 8, 2),
    DecidingDaemon.NEGOTIATOR,
    False,
    True,
)


#: Whether the negotiator reads it.
FORCE_SLOT_WEIGHT: Final = VersionRule(
    "6",
    "FORCE_NEGOTIATOR_SLOT_WEIGHT",
    "It is no macro: SLOT_WEIGHT of the negotiator is for slots without a SlotWeight only.",
    "If it is true the negotiator's SLOT_WEIGHT replaces that of every slot.",
    Version(25, 5, 1),
    DecidingDaemon.NEGOTIATOR,
    False,
    True,
    "pslot-preemption-unflattened",
)
#: Whether the negotiator reads it.
SKIP_MATCHMAKING: Final = VersionRule(
    "7",
    "SkipMatchmaking",
    "A submitter whose ad says so takes part like any other.",
    "A submitter whose ad says so takes no part in the cycle.",
    Version(25, 11, 0),
    DecidingDaemon.NEGOTIATOR,
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


#: Which claimed slots count as partitionable, by what each says of PartitionableSlot, in pool
#: order; None: the ad that the negotiator asked for does not say.
CLAIMED_SLOTS_TRIMMED: Final[VersionRule[Callable[[Iterable[bool | None]], list[bool]]]] = (
    VersionRule(
        "17",
        "claimed slots when preemption is off",
        "Behind a claimed partitionable slot all claimed slots that do not say that they are none "
        "count as partitionable: they stay, and can be preempted although preemption is off.",
        "Every claimed slot is trimmed but for claimed partitionable ones.",
        Version(23, 10, 1),
        DecidingDaemon.NEGOTIATOR,
        _note_stays,
        lambda said: [word is True for word in said],
        "wild-20244",
    )
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
SCANNED_SLOTS: Final = VersionRule(
    "17a",
    "claimed slots in front of all others when preemption is off",
    "Whenever slots are looked at for a request, those that are claimed, not partitionable, and in "
    "front of the first other slot are passed over.",
    "No such slot is left.",
    Version(23, 10, 1),
    DecidingDaemon.NEGOTIATOR,
    _behind_claims,
    _every_one,
    "wild-20449",
)

SUBMITTER_TAG: Final = VersionRule(
    "16",
    "a submitter ad without SubmitterTag",
    "It is negotiated with in an older protocol.",
    "It is skipped with an error.",
    Version(23, 3, 0),
    DecidingDaemon.NEGOTIATOR,
    None,
    None,
    recorded=False,
    applied=False,
)


# --- the accountant -------------------------------------------------------------------------------

#: Whether the accountant keeps a table of claims from cycle to cycle.
USAGE_OF_SLOTS: Final = VersionRule(
    "1",
    "usage of a slot that changes hands",
    "The accountant keeps a table of claims from cycle to cycle: a match takes the slot from the "
    "usage of its holder at once, and a match on a slot that the submitter holds already charges "
    "nothing and counts no concurrency limits.",
    "Usage is counted anew from the claimed slots when a cycle begins; a match adds to it, and "
    "nothing is taken from anybody within the cycle.",
    Version(25, 10, 1),
    DecidingDaemon.NEGOTIATOR,
    True,
    False,
    "preempt-same-user",
)


#: A record without the leases that are over.
LeaseEnd: TypeAlias = Callable[[Customer, float], Customer]


def _bounds_end(customer: Customer, now: float) -> Customer:
    ceiling, floor = customer.ceiling_lease, customer.floor_lease
    if ceiling is not None and ceiling.expiration <= now:
        customer = customer.changed(ceiling=int(ceiling.previous), ceiling_lease=None)
    if floor is not None and floor.expiration <= now:
        customer = customer.changed(floor=int(floor.previous), floor_lease=None)
    return customer


def _factor_ends(customer: Customer, now: float) -> Customer:
    factor = customer.factor_lease
    if factor is not None and factor.expiration <= now:
        customer = customer.changed(priority_factor=factor.previous, factor_lease=None)
    return customer


LEASES_OF_BOUNDS: Final[VersionRule[LeaseEnd]] = VersionRule(
    "12a",
    "leases of floor and ceiling",
    "Their leases are not looked at: the leased value stays.",
    "A floor or ceiling whose lease is over is set back when a cycle begins.",
    Version(25, 11, 0),
    DecidingDaemon.NEGOTIATOR,
    lambda customer, now: customer,
    _bounds_end,
    recorded=False,
)
LEASES_OF_FACTORS: Final[VersionRule[LeaseEnd]] = VersionRule(
    "12b",
    "leases of priority factors",
    "Their leases are not looked at: the leased value stays.",
    "A factor whose lease is over is set back when a cycle begins.",
    Version(25, 12, 2),
    DecidingDaemon.NEGOTIATOR,
    lambda customer, now: customer,
    _factor_ends,
    recorded=False,
)


DOMAIN_OF_NAME: Final[VersionRule[Callable[[str], str]]] = VersionRule(
    "15",
    "domain of a name with two @",
    "ACCOUNTANT_LOCAL_DOMAIN is compared with what follows the first @.",
    "It is compared with what follows the last one.",
    Version(25, 10, 1),
    DecidingDaemon.NEGOTIATOR,
    lambda name: name.partition("@")[2],
    lambda name: name.rpartition("@")[2] if "@" in name else "",
    recorded=False,
)
