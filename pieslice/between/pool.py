"""Keeps the slots of a pool whose claims change, and shows claims in their ads.

Decides what a captured slot is when nobody has it, how a slot ad shows a claim, and how dynamic
slots are cut from partitionable ones and given back.

Inputs: slot ads, jobs.  Outputs: ``SimSlot`` and ``SlotPool``, changed in place.  Follows: the
states and attributes of condor_startd of HTCondor 25.14.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from types import MappingProxyType
from typing import Final

from attr import define, field

from classad import ClassAd
from classad.ads.ad import ListValue, Stored
from classad.ads.expression import Expression, parsed
from classad.evaluate import EvalContext
from classad.language.names import fold_name
from classad.language.values import UNDEFINED
from negotiator.claims.parts import AVAILABLE, resources_of
from negotiator.model.snapshot import machine_of, whole_slot
from negotiator.model.watched import WatchedAd, pass_time

#: What a claim adds to a slot ad, besides its state.
OF_CLAIMS: Final = (
    "RemoteUser", "RemoteOwner", "AccountingGroup", "RemoteGroup", "RemoteNegotiatingGroup",
    "PreemptingUser", "PreemptingOwner", "PreemptingAccountingGroup", "PreemptingRank", "JobId",
    "GlobalJobId", "JobStart", "ClientMachine", "ConcurrencyLimits", "PreemptingConcurrencyLimits",
    "TotalJobRunTime", "RetirementTimeRemaining", "RemoteAutoregroup", "PublicClaimId",
)  # fmt: skip
_FOLDED_OF_CLAIMS: Final = frozenset(map(fold_name, OF_CLAIMS))
#: Since when a slot has been claimed, or has not.
ENTERED: Final = "EnteredCurrentState"
#: What a part of a backfill slot has too much of.
CONFLICT: Final = "ResourceConflict"
_HELD: Final = ("Claimed", "Preempting")
#: How many dynamic slots a partitionable one has.
_PARTS: Final = "NumDynamicSlots"
#: What its ad tells of each of them, besides their resources.
_OF_CHILDREN: Final = (
    "Name", "State", "Activity", "CurrentRank", "RemoteUser", "RemoteOwner", "AccountingGroup",
    ENTERED, "RetirementTimeRemaining",
)  # fmt: skip
_FITS: Final = (
    "MY.Cpus >= TARGET.RequestCpus && MY.Memory >= TARGET.RequestMemory"
    " && MY.Disk >= TARGET.RequestDisk"
)


@define(eq=False)
class SimSlot:
    """A slot; ``parent`` is the partitionable slot that a dynamic one was cut from.

    ``taken``: what the dynamic slot has of its parent's resources, ``number``: its number there,
    the smallest that was free.
    """

    name: str
    ad: ClassAd
    weight: float
    parent: SimSlot | None = None
    taken: dict[str, float] = field(factory=dict)
    number: int = 0
    #: The numbers of the dynamic slots that were cut from it and are there.
    numbers: set[int] = field(factory=set)
    #: How often the pool had lent its ads when this slot got its own.
    lent: int = 0
    #: How often its resources have changed.
    changes: int = 0
    #: Of a backfill slot that shares its machine with primary ones: what is left of each resource,
    #: below 0 where they have given away more than there is.
    left: dict[str, float] = field(factory=dict)
    #: The texts of the devices that the dynamic slot has, by resource.
    devices: dict[str, list[str]] = field(factory=dict)
    #: Whether it is a static primary slot that somebody has, beside backfill slots.
    held: bool = False

    @property
    def backfill(self) -> bool:
        """Whether it has what the primary slots of its machine leave."""
        return self.ad.get_bool("BackfillSlot") is True

    @property
    def partitionable(self) -> bool:
        """Whether dynamic slots are cut from it."""
        return self.ad.get_bool("PartitionableSlot") is True

    @property
    def resources(self) -> tuple[str, ...]:
        """What dynamic slots are cut by: all that the machine says it has, but swap space."""
        return resources_of(self.ad)

    @property
    def machine(self) -> str:
        """The part of the name after the first ``@``."""
        return machine_of(self.name)


@define(eq=False)
class SlotPool:
    """All slots by name, in pool order, dynamic ones after all others."""

    slots: dict[str, SimSlot] = field(factory=dict)
    #: Machines that have left, with their slots.
    away: dict[str, list[SimSlot]] = field(factory=dict)
    #: How often slots have come, gone or changed, and how often machines have.
    changes: int = 0
    machines: int = 0
    #: How often the ads of the slots were lent.
    lent: int = 0
    #: Backfill slots whose ads do not show yet what primary ones have given back.
    grown: list[SimSlot] = field(factory=list)
    #: Partitionable backfill slots by machine, where there are primary slots, too.
    _backfill: dict[str, list[SimSlot]] | None = field(default=None, init=False)

    @property
    def weight(self) -> float:
        """The weight of all slots; a partitionable one counts what it has left."""
        return sum(slot.weight for slot in self.slots.values())

    @property
    def capacity(self) -> float:
        """The same without backfill slots that have what other slots have, too."""
        if not self._sharing():
            return self.weight
        return sum(
            slot.weight
            for slot in self.slots.values()
            if not (slot.backfill and self.backfill_of(slot.machine))
        )

    def own(self, slot: SimSlot) -> ClassAd:
        """The ad of a slot to be changed: a copy if the one that it has was lent."""
        if slot.lent < self.lent:
            slot.ad, slot.lent = WatchedAd.copy_of(slot.ad), self.lent
        return slot.ad

    def lend(self) -> list[ClassAd]:
        """The ads of all slots, which stay as they are."""
        self.lent += 1
        return [slot.ad for slot in self.slots.values()]

    def cut(
        self,
        parent: SimSlot,
        part: Mapping[str, float],
        devices: Mapping[str, Sequence[Stored]] = MappingProxyType({}),
    ) -> SimSlot:
        """A dynamic slot with so much of each resource, and these devices."""
        number = next(number for number in count(1) if number not in parent.numbers)
        parent.numbers.add(number)
        head, at, machine = parent.name.partition("@")
        name = f"{head}_{number}{at}{machine}"
        ad = WatchedAd.copy_of(parent.ad)
        show_part(ad, name, part)
        texts = {name: [*map(str, items)] for name, items in devices.items()}
        take_devices(self.own(parent), ad, texts)
        self._change(parent, part, -1)
        slot = SimSlot(
            name, ad, weight_of(ad), parent, dict(part), number, lent=self.lent, devices=texts
        )
        self.slots[name] = slot
        return slot

    def give_back(self, slot: SimSlot) -> None:
        """Return what a dynamic slot has; others stay."""
        if slot.parent is not None:
            slot.parent.numbers.discard(slot.number)
            # Of a captured one its ad tells what it has taken.
            there = {name: slot.ad.get_number(name) or 0.0 for name in slot.resources}
            give_devices(self.own(slot.parent), slot.ad)
            self._change(slot.parent, slot.taken or there, 1)
            self.slots.pop(slot.name, None)

    def _change(self, parent: SimSlot, amounts: Mapping[str, float], sign: int) -> None:
        sharing = self.backfill_of(parent.machine) if self._sharing() else ()
        ad = self.own(parent)
        for resource, amount in amounts.items():
            if resource in parent.left:
                parent.left[resource] += sign * amount
                continue
            left = (ad.get_number(resource) or 0) + sign * amount
            ad.insert(resource, int(left))
        if ad.raw(_PARTS) is not None:
            ad.insert(_PARTS, len(parent.numbers))
        self._changed(parent)
        if parent.left:
            self.show_left(parent)
        elif not parent.backfill:
            self._share(sharing, amounts, sign)

    def _changed(self, slot: SimSlot) -> None:
        slot.weight = weight_of(slot.ad)
        slot.changes += 1
        self.changes += 1

    # --- slots that share a machine -----------------------------------------------------------

    def backfill_of(self, machine: str) -> Sequence[SimSlot]:
        """The backfill slots of a machine that have what its primary slots leave."""
        return self._sharing().get(machine, ())

    def _sharing(self) -> dict[str, list[SimSlot]]:
        if self._backfill is None:
            self._backfill = self._find_backfill()
        return self._backfill

    def _find_backfill(self) -> dict[str, list[SimSlot]]:
        there = [*self.slots.values(), *chain.from_iterable(self.away.values())]
        backfill = [slot for slot in there if slot.parent is None and slot.backfill]
        if not backfill:
            return {}
        machines = {slot.machine for slot in backfill}
        mates: dict[str, list[SimSlot]] = {}
        for slot in there:
            if slot.machine in machines:
                mates.setdefault(slot.machine, []).append(slot)
        found: dict[str, list[SimSlot]] = {}
        for slot in backfill:
            primary = [mate for mate in mates[slot.machine] if not mate.backfill]
            for mate in primary:
                mate.held = _is_static(mate) and mate.ad.get_string("State") in _HELD
            if primary and slot.partitionable:
                found.setdefault(slot.machine, []).append(slot)
                takers = [mate for mate in primary if mate.held or mate.parent is not None]
                takers += (mate for mate in mates[slot.machine] if mate.parent is slot)
                slot.left = {name: _left_of(slot, name, takers) for name in slot.resources}
        return found

    def hold(self, slot: SimSlot, *, held: bool) -> None:
        """A static primary slot is somebody's, or nobody's any more."""
        sharing = self.backfill_of(slot.machine) if self._sharing() else ()
        if sharing and _is_static(slot) and not slot.backfill and slot.held is not held:
            slot.held = held
            amounts = {name: slot.ad.get_number(name) or 0.0 for name in slot.resources}
            self._share(sharing, amounts, -1 if held else 1)

    def _share(self, backfill: Sequence[SimSlot], amounts: Mapping[str, float], sign: int) -> None:
        """Let backfill slots have what a primary one has given away, or got back.

        What is lost shows at once; more only when the startd tells of the slot next.
        """
        for slot in backfill:
            for name, amount in amounts.items():
                if name in slot.left:
                    slot.left[name] += sign * amount
            if sign < 0:
                self.show_left(slot)
            else:
                self.grown.append(slot)

    def show_left(self, slot: SimSlot) -> None:
        """Let the ad of a backfill slot tell what is left, and those of its parts which conflict.

        The oldest parts do, as many as have what there is too little of.
        """
        ad = self.own(slot)
        for name, amount in slot.left.items():
            ad.insert(name, int(max(amount, 0)))
        self._changed(slot)
        lacking = {name: -amount for name, amount in slot.left.items() if amount < 0}
        for part in [it for it in self.slots.values() if it.parent is slot]:
            names = [name for name, amount in lacking.items() if amount > 0]
            for name in names:
                lacking[name] -= part.ad.get_number(name) or 0
            if names:
                self.own(part).insert(CONFLICT, ",".join(names))
            elif part.ad.raw(CONFLICT) is not None:
                self.own(part).remove(CONFLICT)

    def show_shared(
        self, slot: SimSlot, left: dict[str, float], shown: Mapping[str, float]
    ) -> None:
        """Put a backfill slot and its ad into a state that was saved."""
        slot.left = left
        self.show_left(slot)
        for name, amount in shown.items():
            self.own(slot).insert(name, int(amount))
        self._changed(slot)

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


def _is_static(slot: SimSlot) -> bool:
    return slot.parent is None and not slot.partitionable


def _left_of(slot: SimSlot, name: str, takers: Iterable[SimSlot]) -> float:
    """What a backfill slot has of a resource; nothing may be less than nothing."""
    shown = slot.ad.get_number(name) or 0.0
    total = slot.ad.get_number(f"TotalSlot{name}")
    if shown > 0 or total is None:
        return shown
    return min(shown, total - sum(mate.ad.get_number(name) or 0 for mate in takers))


def show_part(ad: ClassAd, name: str, part: Mapping[str, float]) -> None:
    """Make the ad of a partitionable slot that of a dynamic one with so much of each resource."""
    for key, value in (("Name", name), ("DynamicSlot", True), ("PartitionableSlot", False)):
        ad.insert(key, value)
    if ad.raw("SlotType") is not None:
        ad.insert("SlotType", "Dynamic")
    if ad.raw("ChildName") is not None:
        forget_children(ad)
    for resource, amount in part.items():
        ad.insert(resource, int(amount))


def take_devices(parent: ClassAd, part: ClassAd, devices: Mapping[str, Sequence[str]]) -> None:
    """Let devices, by their texts, be those of a part of a partitionable slot."""
    for resource, texts in devices.items():
        name = f"{AVAILABLE}{resource}"
        there = parent.raw(name)
        if isinstance(there, ListValue):
            part.insert(name, ListValue(item for item in there.items if str(item) in texts))
            parent.insert(name, ListValue(item for item in there.items if str(item) not in texts))


def give_devices(parent: ClassAd, part: ClassAd) -> None:
    """Let a partitionable slot have the devices of one of its parts again."""
    for resource in resources_of(parent):
        name = f"{AVAILABLE}{resource}"
        mine, theirs = parent.raw(name), part.raw(name)
        if isinstance(mine, ListValue) and isinstance(theirs, ListValue):
            items = {str(item): item for item in (*mine.items, *theirs.items)}
            parent.insert(name, ListValue(items[text] for text in sorted(items)))


def show_children(parent: ClassAd, resources: Sequence[str], parts: Sequence[ClassAd]) -> None:
    """Let the ad of a partitionable slot tell of its dynamic ones."""
    for name in (*_OF_CHILDREN, *resources):
        values = (part.raw(name) for part in parts)
        told = tuple(UNDEFINED if value is None else value for value in values)
        parent.insert(f"Child{name}", ListValue(told))


def weight_of(ad: ClassAd) -> float:
    """The slot weight; anything but a number that is not negative counts one."""
    weight = ad.get_number("SlotWeight")
    return 1.0 if weight is None or weight < 0 else float(weight)


def pool_of(ads: Iterable[ClassAd]) -> SlotPool:
    """The pool as it is when nobody has a slot."""
    pool, parts = SlotPool(), []
    for original in ads:
        name = original.get_string("Name")
        if name is None or original.get_bool("DynamicSlot") is True:
            parts.append((name, original))
            continue
        ad = WatchedAd.copy_of(original)
        slot = SimSlot(name, ad, 0.0)
        if slot.partitionable:
            for resource in slot.resources:
                total = ad.get_number(f"TotalSlot{resource}")
                if total is not None:
                    ad.insert(resource, int(total))
            # The dynamic slots that were captured are gone, and so is what it tells of them.
            forget_children(ad)
            if ad.raw(_PARTS) is not None:
                ad.insert(_PARTS, 0)
        show_free(ad)
        slot.weight = weight_of(ad)
        pool.slots[name] = slot
    for name, part in parts:
        parent = pool.slots.get(whole_slot(name or ""))
        if parent is not None:
            give_devices(parent.ad, part)
    return pool


def plain_pool(count: int, cpus: int) -> SlotPool:
    """Static slots of one size, for questions that need no capture."""
    pool = SlotPool()
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


def forget_children(ad: ClassAd) -> None:
    """Take out what the ad of a partitionable slot tells of its dynamic ones."""
    for key in [key for key in ad.names() if key.lower().startswith("child")]:
        ad.remove(key)


def show_free(ad: ClassAd, now: int | None = None) -> None:
    """Make a slot ad that of an unclaimed slot, one that lost its claim just ``now``."""
    for name in _FOLDED_OF_CLAIMS & ad._attrs.keys():
        ad.remove(name)
    if now is not None:
        ad.insert(ENTERED, now)
    ad.insert("State", "Unclaimed")
    ad.insert("Activity", "Idle")
    ad.insert("CurrentRank", 0.0)


def terms_of_claim(ad: ClassAd, job: ClassAd, context: EvalContext) -> tuple[float, str]:
    """The startd's rank of the job that a claim is made for, and its concurrency limits."""
    rank = ad.get_number("Rank", job, context=context)
    limits = job.get_string("ConcurrencyLimits", ad, context=context)
    return float(rank) if rank is not None else 0.0, limits or ""


def show_claim(ad: ClassAd, user: str, rank: float, limits: str, claimed: int, now: int) -> None:
    """Make a slot ad that of a claim by a submitter, which runs a job since ``now``.

    ``rank`` and ``limits``: those of the job that the claim was made for.
    """
    show_free(ad)
    show_job(ad, user, rank, limits, claimed, now)


def show_job(ad: ClassAd, user: str, rank: float, limits: str, claimed: int, now: int) -> None:
    """The same for the ad of a free slot, or of a claim by the submitter that is used again."""
    values: dict[str, object] = {
        "State": "Claimed",
        "Activity": "Busy",
        "RemoteUser": user,
        "RemoteOwner": user,
        "AccountingGroup": user,
        "CurrentRank": rank,
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
