"""Fetches the slots of a cycle: which of them take part, and what the negotiator makes of them.

What is known of a slot ad by itself is a table of facts, ``KEPT``; an engine may find a fact once
for all ads that look alike to it.  Follows the description of the negotiation cycle in HTCondor's
manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Generic, NamedTuple, TypeVar

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.language.names import fold_name
from negotiator.expressions.flattening import Flattener
from negotiator.expressions.visible import Mentions, VisiblePart
from negotiator.pool.addresses import slot_families
from negotiator.pool.consumption import policy_resources
from negotiator.pool.slots import Slot, Slots, holds
from negotiator.pool.weights import lacks_weight, slot_weight
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


T = TypeVar("T")

#: Who is on a slot, in lower case; the first that is there counts.
OCCUPANTS: Final = ("preemptingaccountinggroup", "preemptinguser", "accountinggroup", "remoteuser")
#: Whom a claim is charged to, the first that is a text and not empty.
_CHARGED: Final = ("accountinggroup", "remoteuser")


class Fact(NamedTuple, Generic[T]):
    """Something that is found from a slot ad alone.

    ``reads``: the attributes that it is told by; ``prefix``: and all whose names begin so;
    ``expression``: and those that this mentions.
    """

    find: Callable[[ClassAd, EvalContext], T]
    reads: tuple[str, ...] = ()
    prefix: str = ""
    expression: Expression | None = None


def occupant(
    ad: ClassAd, context: EvalContext, prefix: str = "", attributes: Sequence[str] = OCCUPANTS
) -> str | None:
    """The accounting name of whoever holds or is about to hold the slot.

    ``prefix``: of the attributes, when they speak of another slot of the machine.
    """
    names = [fold_name(prefix) + name for name in attributes] if prefix else attributes
    read = ad._attrs.get if ad._chained is None else ad.raw
    for name in names:
        value = read(name)
        if value is not None:
            user = value if value.__class__ is str else ad.get_string(name, context=context)
            if user is not None:
                return user
    return None


def _charged(ad: ClassAd, context: EvalContext) -> str | None:
    """Whom a claim of the slot is charged to."""
    read = ad._attrs.get if ad._chained is None else ad.raw
    text = None
    for name in _CHARGED:
        value = read(name)
        text = value if value is None or value.__class__ is str else ad.get_string(name)
        if text:
            break
    return text


def _claiming_schedd(ad: ClassAd, context: EvalContext) -> str | None:
    """The schedd that has claimed a partitionable slot as a whole."""
    if ad.get_bool("PartitionableSlot", context=context) is not True:
        return None
    return ad.get_string("RemoteScheddName", context=context)


def _text(name: str) -> Fact[str | None]:
    return Fact(lambda ad, context: ad.get_string(name, context=context), (name,))


def _flag(name: str) -> Fact[bool]:
    return Fact(lambda ad, context: ad.get_bool(name, context=context) is True, (name,))


NAME: Final = _text("Name")
#: It is in the collector, and is passed over all the same.
_PRESENT: Final = Fact(
    lambda ad, context: ad.get_bool("Absent", context=context) is not True, ("Absent",)
)
#: What else is kept of a slot, by the names of its fields.
KEPT: Final[Mapping[str, Fact[Any]]] = {
    "partitionable": _flag("PartitionableSlot"),
    "state": _text("State"),
    "user": Fact(occupant, OCCUPANTS),
    "charged": Fact(_charged, OCCUPANTS),
    "resources": Fact(policy_resources, ("PartitionableSlot", "MachineResources"), "consumption"),
    "families": Fact(slot_families, ("MyAddress", "StartdIpAddr")),
    "reevaluated": _flag("WantAdRevaluate"),
    "schedd": Fact(_claiming_schedd, ("PartitionableSlot", "RemoteScheddName")),
}


def _in_one(facts: Sequence[Fact[Any]]) -> Fact[list[Any]]:
    """A fact that gives several, which are told by the same."""
    finds = [fact.find for fact in facts]
    return facts[0]._replace(find=lambda ad, context: [find(ad, context) for find in finds])


def _told_alike() -> list[tuple[list[str], Fact[list[Any]]]]:
    found: dict[object, list[str]] = {}
    for what, (_, *told_by) in KEPT.items():
        found.setdefault(tuple(told_by), []).append(what)
    return [(whats, _in_one([KEPT[what] for what in whats])) for whats in found.values()]


#: The same, those in one that are told by the same attributes.
KEPT_TOGETHER: Final = _told_alike()


def admission(policy: NegotiatorPolicy) -> list[Fact[bool]]:
    """The conditions under which a slot with a name takes part in the cycle."""
    constraint = policy.slot_constraint
    if constraint is None:
        return [_PRESENT]
    return [_PRESENT, Fact(partial(holds, constraint), expression=constraint)]


def children_can_go(policy: NegotiatorPolicy) -> bool:
    """Whether dynamic slots may be preempted for their partitionable slot."""
    return policy.consider_preemption and policy.allow_pslot_preemption


def changing(policy: NegotiatorPolicy) -> tuple[str, ...]:
    """The fields of which one is true of slots whose ads change within the cycle."""
    always = ("resources", "reevaluated")
    return (*always, "partitionable") if children_can_go(policy) else always


def fetch_slots(
    ads: Iterable[ClassAd],
    claims: Mapping[str, int],
    policy: NegotiatorPolicy,
    context: EvalContext,
    read: bool = True,
) -> Slots:
    """The slots the collector hands out, with the weights the negotiator gives them.

    ``read``: jobs or the policy may read the requirements of slots as a value.
    """
    found = Slots()
    flattener, fields = Flattener(context, read=read), changing(policy)
    mentions = Mentions()
    admitted = admission(policy)
    for ad in ads:
        name = NAME.find(ad, context)
        if name is None or not all(fact.find(ad, context) for fact in admitted):
            continue
        kept = {what: fact.find(ad, context) for what, fact in KEPT.items()}
        slot = new_slot(ad, name, claims.get(name, 1), kept)
        if is_projected(slot, policy):
            take_part(slot, mentions, context)
        take_requirements(slot)
        give_weight(slot, policy, context)
        # What changes within the cycle goes by what it was when the cycle began.
        if any(map(kept.__getitem__, fields)) or flattener.matters(slot.ad):
            flatten_requirements(slot, flattener)
        slot.weight = slot_weight(slot.ad, policy, context)
        if slot.resources:
            slot.own_ad()
        found.append(slot)
    return found


def new_slot(ad: ClassAd, name: str, claims: int, kept: Mapping[str, object]) -> Slot:
    """A slot made from its ad; ``kept``: the facts of ``KEPT``, or some of them."""
    slot = Slot(ad, name, 1.0, claims, False, None, None)
    for what, value in kept.items():
        setattr(slot, what, value)
    slot.requirements = ad.raw("Requirements")
    return slot


def take_part(slot: Slot, mentions: Mentions, context: EvalContext) -> None:
    """Know of a slot what the collector sends of it when nothing is preempted."""
    project(slot, mentions)
    slot.user = occupant(slot.ad, context)


def give_weight(slot: Slot, policy: NegotiatorPolicy, context: EvalContext) -> None:
    """Give a slot the negotiator's weight if it has none, or is overruled."""
    if lacks_weight(slot.ad, policy, context):
        slot.insert("SlotWeight", policy.slot_weight)


def take_requirements(slot: Slot) -> None:
    """``NegotiatorRequirements`` replace those of the startd."""
    own = slot.raw("NegotiatorRequirements")
    if own is not None:
        slot.insert("Requirements", own)


def use_plain_requirements(slot: Slot) -> None:
    """Go back to the requirements as they were before they were flattened."""
    own = slot.raw("NegotiatorRequirements")
    plain = slot.requirements if own is None else own
    if plain is not None and plain is not slot.raw("Requirements"):
        slot.insert("Requirements", plain)


def flatten_requirements(slot: Slot, flattener: Flattener) -> None:
    """Replace the requirements by their flattened form, if they can be flattened."""
    flattened = flattener.flattened(slot.ad)
    if flattened is not None:
        slot.insert("Requirements", flattened)
