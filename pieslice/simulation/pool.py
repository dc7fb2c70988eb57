"""Keeps the slots of a simulated pool and shows claims in their ads.

Decides what a captured slot is when nobody has it, how a slot ad shows a claim, and how dynamic
slots are cut from partitionable ones and given back.

Inputs: slot ads, jobs.  Outputs: ``SimSlot`` and ``Pool``, changed in place.  Follows: the states
and attributes of condor_startd of HTCondor 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from attr import define, field

from classad import ClassAd
from classad.ads.expression import Expression, parsed
from classad.evaluate import EvalContext
from classad.language.rules import NEWEST, LanguageRules
from negotiator.model.snapshot import machine_of
from negotiator.model.watched import WatchedAd, pass_time

#: What a claim adds to a slot ad, besides its state.
OF_CLAIMS: Final = (
    "RemoteUser", "RemoteOwner", "AccountingGroup", "RemoteGroup", "RemoteNegotiatingGroup",
    "PreemptingUser", "PreemptingOwner", "PreemptingAccountingGroup", "PreemptingRank", "JobId",
    "GlobalJobId", "JobStart", "ClientMachine", "ConcurrencyLimits", "PreemptingConcurrencyLimits",
    "TotalJobRunTime", "RetirementTimeRemaining", "RemoteAutoregroup", "PublicClaimId",
)  # fmt: skip
#: Since when a slot has been claimed, or has not.
ENTERED: Final = "EnteredCurrentState"
_FITS: Final = (
    "MY.Cpus >= TARGET.RequestCpus && MY.Memory >= TARGET.RequestMemory"
    " && MY.Disk >= TARGET.RequestDisk"
)
_RESOURCES: Final = "Cpus, Memory, Disk"


@define(eq=False)
class SimSlot:
    """A slot; ``parent`` is the partitionable slot that a dynamic one was cut from.

    ``taken``: what the dynamic slot has of its parent's resources.
    """

    name: str
    ad: ClassAd
    weight: float
    parent: SimSlot | None = None
    taken: dict[str, float] = field(factory=dict)
    children: int = 0
    #: How often its resources have changed.
    changes: int = 0

    @property
    def partitionable(self) -> bool:
        """Whether dynamic slots are cut from it."""
        return self.ad.get_bool("PartitionableSlot") is True

    @property
    def resources(self) -> tuple[str, ...]:
        """What dynamic slots are cut by: all that the machine says it has, but swap space."""
        names = re.split(r"[\s,]+", self.ad.get_string("MachineResources") or _RESOURCES)
        return tuple(name for name in names if name and name.lower() != "swap")

    @property
    def machine(self) -> str:
        """The part of the name after the first ``@``."""
        return machine_of(self.name)


@define(eq=False)
class Pool:
    """All slots by name, in pool order, dynamic ones after all others."""

    slots: dict[str, SimSlot] = field(factory=dict)
    #: Machines that have left, with their slots.
    away: dict[str, list[SimSlot]] = field(factory=dict)
    #: How often slots have come, gone or changed, and how often machines have.
    changes: int = 0
    machines: int = 0

    @property
    def weight(self) -> float:
        """The weight of all slots; a partitionable one counts what it has left."""
        return sum(slot.weight for slot in self.slots.values())

    def cut(self, parent: SimSlot, job: ClassAd, number: int | None = None) -> SimSlot | None:
        """A dynamic slot with what the job asks for, None if too little is left."""
        wanted = {}
        for resource in parent.resources:
            amount = job.get_number(f"Request{resource}", parent.ad)
            wanted[resource] = float(amount) if amount is not None else 0.0
            if wanted[resource] > (parent.ad.get_number(resource) or 0):
                return None
        parent.children = parent.children + 1 if number is None else max(parent.children, number)
        head, at, machine = parent.name.partition("@")
        name = f"{head}_{number or parent.children}{at}{machine}"
        ad = WatchedAd.copy_of(parent.ad)
        for key, value in (("Name", name), ("DynamicSlot", True), ("PartitionableSlot", False)):
            ad.insert(key, value)
        for resource, amount in wanted.items():
            ad.insert(resource, int(amount))
        self._change(parent, wanted, -1)
        slot = SimSlot(name, ad, weight_of(ad), parent, wanted)
        self.slots[name] = slot
        return slot

    def give_back(self, slot: SimSlot) -> None:
        """Return what a dynamic slot has; others stay."""
        if slot.parent is not None:
            self._change(slot.parent, slot.taken, 1)
            self.slots.pop(slot.name, None)

    def _change(self, parent: SimSlot, amounts: dict[str, float], sign: int) -> None:
        for resource, amount in amounts.items():
            left = (parent.ad.get_number(resource) or 0) + sign * amount
            parent.ad.insert(resource, int(left))
        parent.weight = weight_of(parent.ad)
        parent.changes += 1
        self.changes += 1

    def leave(self, machine: str) -> list[SimSlot]:
        """Take the slots of a machine out of the pool, dynamic ones for good."""
        gone = [slot for slot in self.slots.values() if slot.machine == machine]
        for slot in gone:
            del self.slots[slot.name]
        self.changes += 1
        self.machines += 1
        # It may be away already.
        self.away.setdefault(machine, []).extend(slot for slot in gone if slot.parent is None)
        return gone

    def join(self, machine: str) -> None:
        """Bring a machine back."""
        for slot in self.away.pop(machine, []):
            self.slots[slot.name] = slot
        self.changes += 1
        self.machines += 1


def weight_of(ad: ClassAd) -> float:
    """The slot weight; anything but a number that is not negative counts one."""
    weight = ad.get_number("SlotWeight")
    return 1.0 if weight is None or weight < 0 else float(weight)


def pool_of(ads: Iterable[ClassAd]) -> Pool:
    """The pool as it is when nobody has a slot."""
    pool = Pool()
    for original in ads:
        name = original.get_string("Name")
        if name is None or original.get_bool("DynamicSlot") is True:
            continue
        ad = WatchedAd.copy_of(original)
        slot = SimSlot(name, ad, 0.0)
        if slot.partitionable:
            for resource in slot.resources:
                total = ad.get_number(f"TotalSlot{resource}")
                if total is not None:
                    ad.insert(resource, int(total))
            # The dynamic slots that were captured are gone, and so is what it tells of them.
            for key in [key for key in ad.names() if key.lower().startswith("child")]:
                ad.remove(key)
        show_free(ad)
        slot.weight = weight_of(ad)
        pool.slots[name] = slot
    return pool


def plain_pool(count: int, cpus: int) -> Pool:
    """Static slots of one size, for questions that need no capture."""
    pool = Pool()
    # What they ask about is significant: the schedd tells jobs apart by it.
    fits = Expression.from_node(parsed(_FITS))
    requirements = Expression.from_node(parsed("START && WithinResourceLimits"))
    for number in range(1, count + 1):
        name = f"slot1@node{number:04d}"
        ad = WatchedAd()
        for key, value in (
            ("MyType", "Machine"),
            ("Name", name),
            ("Machine", f"node{number:04d}"),
            ("StartdIpAddr", f"<192.0.2.1:{number}>"),
            ("Cpus", cpus),
            ("Memory", 4096 * cpus),
            ("Disk", 10_000_000 * cpus),
            ("SlotWeight", cpus),
            ("START", True),
            ("WithinResourceLimits", fits),
            ("Requirements", requirements),
            ("Rank", 0.0),
        ):
            ad.insert(key, value)
        show_free(ad)
        pool.slots[name] = SimSlot(name, ad, float(cpus))
    return pool


def show_free(ad: ClassAd, now: int | None = None) -> None:
    """Make a slot ad that of an unclaimed slot, one that lost its claim just ``now``."""
    for name in OF_CLAIMS:
        ad.remove(name)
    if now is not None:
        ad.insert(ENTERED, now)
    ad.insert("State", "Unclaimed")
    ad.insert("Activity", "Idle")
    ad.insert("CurrentRank", 0.0)


def show_claim(
    ad: ClassAd,
    user: str,
    job: ClassAd,
    claimed: int,
    now: int,
    language: LanguageRules = NEWEST,
) -> None:
    """Make a slot ad that of a claim by a submitter, which runs a job since ``now``.

    ``language``: the rules by which the slot ranks the job.
    """
    show_free(ad)
    # Its chance is its own: equal claims are equal.
    context = EvalContext(now=float(now), language=language)
    rank = ad.get_number("Rank", job, context=context)
    limits = job.get_string("ConcurrencyLimits", ad, context=context)
    values: dict[str, object] = {
        "State": "Claimed",
        "Activity": "Busy",
        "RemoteUser": user,
        "RemoteOwner": user,
        "AccountingGroup": user,
        "CurrentRank": float(rank) if rank is not None else 0.0,
        ENTERED: claimed,
        "JobStart": now,
    }
    if limits:
        values["ConcurrencyLimits"] = limits
    for name, value in values.items():
        ad.insert(name, value)


def show_preempting(ad: ClassAd, user: str) -> None:
    """Let a slot ad show who waits for the slot."""
    ad.insert("Activity", "Retiring")
    ad.insert("PreemptingUser", user)
    ad.insert("PreemptingAccountingGroup", user)


def show_time(ad: ClassAd, now: int, retiring: int | None = None) -> None:
    """What changes in a slot ad from cycle to cycle."""
    told = {"mycurrenttime": now}
    start = ad._attrs.get("jobstart")
    if start.__class__ is int:
        told["totaljobruntime"] = now - start
    if retiring is not None:
        told["retirementtimeremaining"] = max(0, retiring)
    pass_time(ad, told)
