"""Slots as a cycle begins: which exist and what they weigh.

Decision here: constraint and weight.  Inputs: slot ads in pool order.  Outputs: ``Slot`` objects
that hold the ads and what the cycle changes in them.

Never here: what the negotiator adds to the ads (see ``ephemeral``), matching.
Follows: the description of the negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from attr import define

from classad import ClassAd
from classad.ads.ad import is_value
from classad.ads.expression import Expression as ExprTree
from classad.evaluate import EvalContext, evaluate
from classad.language.names import fold_name
from classad.language.values import UNDEFINED
from negotiator.expressions.settled import Freezer
from negotiator.pool.addresses import ANY, slot_families
from negotiator.pool.consumption import policy_resources
from policy.model import NegotiatorPolicy

if TYPE_CHECKING:
    from negotiator.columns.rows import SlotRows
    from negotiator.columns.visible import Mentions

#: Values that an ad keeps as they are.
_SIMPLE: Final = frozenset({bool, int, float, str})
#: Who is on a slot, the first that is there counts.
OCCUPANTS: Final = ("PreemptingAccountingGroup", "PreemptingUser", "AccountingGroup", "RemoteUser")
#: New values of attributes with the spelling of their names, by the folded names.
Changes: TypeAlias = Mapping[str, tuple[str, Any]]
_NO_CHANGES: Final[Changes] = {}


@define(eq=False)
class Slot:
    """A slot in one cycle.  ``weight`` is in slot weights; ``user`` is who holds it, if anybody."""

    _base: ClassAd | None
    name: str
    weight: float
    claims: int
    partitionable: bool
    state: str | None
    user: str | None
    #: The resources of its consumption policy; empty without one.
    resources: tuple[str, ...] = ()
    #: The kinds of address under which the startd can be reached.
    families: frozenset[int] = ANY
    #: ``WantAdRevaluate``: it stays in the pool after a match, behind all others.
    reevaluated: bool = False
    #: ``Requirements`` as the startd sent them.
    requirements: Any = None
    #: What the cycle has set in the ad, by folded names, until a copy is made that has it.  Slots
    #: may share it: it is replaced, never changed.
    changes: Changes = _NO_CHANGES
    #: Where the ad is made when it is wanted, if none was given, and its row there.
    _rows: SlotRows | None = None
    row: int = -1
    #: Pre-job and post-job rank for the whole cycle, when jobs' ranks are ignored.
    fixed_ranks: tuple[float, float] | None = None
    _copy: ClassAd | None = None

    @property
    def base(self) -> ClassAd:
        """The ad that was given."""
        if self._base is None:
            assert self._rows is not None
            self._base = self._rows.ad(self.row)
        return self._base

    @property
    def copied(self) -> ClassAd | None:
        """The ad with the cycle's changes, if a copy has been made."""
        return self._copy

    @property
    def ad(self) -> ClassAd:
        """The ad as the cycle has it; only looked at."""
        return self.own_ad() if self.changes else self.unchanged

    @property
    def unchanged(self) -> ClassAd:
        """The ad without the ``changes``."""
        return self.base if self._copy is None else self._copy

    def insert(self, name: str, value: Any) -> None:
        """Set an attribute, in a copy of the ad that was given.

        The copy is made when it is looked at, which few slots of a cycle are.
        """
        if self._copy is None and is_plain(value):
            self.changes = {**self.changes, fold_name(name): (name, value)}
        else:
            self.own_ad().insert(name, value)

    def adopt(self, changes: Changes) -> None:
        """Set attributes to values for which ``insert`` would make no copy."""
        if self._copy is None:
            self.changes = {**self.changes, **changes} if self.changes else changes
        else:
            for name, value in changes.values():
                self.insert(name, value)

    def raw(self, name: str) -> Any:
        """What the ad has for an attribute, without making the copy."""
        return self.cell(fold_name(name))

    def cell(self, key: str) -> Any:
        """The same for a name in lower case."""
        found = self.changes.get(key)
        if found is not None:
            return found[1]
        if self._base is None and self._copy is None and self._rows is not None:
            return self._rows.cell(key, self.row)
        return self.unchanged.raw(key)

    def value(self, name: str, context: EvalContext) -> Any:
        """What an attribute is by itself; the ad is made only if it is an expression."""
        value = self.raw(name)
        if value is None:
            return UNDEFINED
        return value if value.__class__ in _SIMPLE else self.ad.evaluate_attr(name, None, context)

    @property
    def mentions(self) -> Mentions | None:
        """What expressions of the rows mention; None if the ad has been made already."""
        if self._rows is None or self._base is not None or self._copy is not None:
            return None
        return self._rows.mentions

    def own_ad(self) -> ClassAd:
        """The ad to be changed."""
        if self._copy is None:
            self._copy = self.base.duplicate()
        if self.changes:
            for name, value in self.changes.values():
                self._copy.insert(name, value)
            self.changes = _NO_CHANGES
        return self._copy

    def accounted_user(self) -> str | None:
        """Whom a claimed slot is charged to."""
        if self.state not in ("Claimed", "Preempting"):
            return None
        return self.ad.get_string("AccountingGroup") or self.ad.get_string("RemoteUser")


def is_plain(value: Any) -> bool:
    """Whether an ad keeps a value as it is."""
    return not is_value(value) if value.__class__ is ExprTree else value.__class__ in _SIMPLE


def holds(expr: ExprTree | None, ad: ClassAd, context: EvalContext) -> bool:
    """Whether a constraint is true of an ad alone; a number that is not zero counts."""
    if expr is None:
        return True
    value = evaluate(expr, ad, context=context)
    return value is True or (value.__class__ in (int, float) and value != 0)


def meets(ad: ClassAd, other: ClassAd, context: EvalContext) -> bool:
    """Whether the requirements of one ad are true of the other; undefined and error are not."""
    if ad.raw("Requirements") is None:
        return False
    return ad.get_bool("Requirements", other, context) is True


class Fact(NamedTuple):
    """Something about a slot ad by itself.

    ``reads``: the attributes that it is told by; ``prefix``: and all whose names begin so.
    """

    find: Callable[[ClassAd, EvalContext], Any]
    reads: tuple[str, ...]
    prefix: str = ""


def occupant(ad: ClassAd, context: EvalContext, prefix: str = "") -> str | None:
    """The accounting name of whoever holds or is about to hold the slot.

    ``prefix``: of the attributes, when they speak of another slot of the machine.
    """
    for plain in OCCUPANTS:
        attribute = prefix + plain
        if ad.raw(attribute) is not None:
            user = ad.get_string(attribute, context=context)
            if user is not None:
                return user
    return None


def _text(name: str) -> Fact:
    return Fact(lambda ad, context: ad.get_string(name, context=context), (name,))


def _flag(name: str) -> Fact:
    return Fact(lambda ad, context: ad.get_bool(name, context=context) is True, (name,))


NAME: Final = _text("Name")
#: It is in the collector, and is passed over all the same.
ABSENT: Final = _flag("Absent")
#: What else is kept of a slot.
KEPT: Final[Mapping[str, Fact]] = {
    "partitionable": _flag("PartitionableSlot"),
    "state": _text("State"),
    "user": Fact(occupant, OCCUPANTS),
    "resources": Fact(policy_resources, ("PartitionableSlot", "MachineResources"), "consumption"),
    "families": Fact(slot_families, ("MyAddress", "StartdIpAddr")),
    "reevaluated": _flag("WantAdRevaluate"),
}


def fetch_slots(
    ads: Iterable[ClassAd],
    claims: Mapping[str, int],
    policy: NegotiatorPolicy,
    context: EvalContext,
) -> list[Slot]:
    """The slots the collector hands out, with the weights the negotiator gives them."""
    found = []
    freezer = Freezer(context)
    for ad in ads:
        name = NAME.find(ad, context)
        absent = ABSENT.find(ad, context)
        if name is None or absent or not holds(policy.slot_constraint, ad, context):
            continue
        kept = {what: fact.find(ad, context) for what, fact in KEPT.items()}
        slot = Slot(base=ad, name=name, weight=1.0, claims=claims.get(name, 1), **kept)
        slot.requirements = ad.raw("Requirements")
        own = ad.raw("NegotiatorRequirements")
        if own is not None:
            slot.insert("Requirements", own)
        if lacks_weight(slot.ad, policy, context):
            slot.insert("SlotWeight", policy.slot_weight)
        settled = freezer.settled(slot.ad)
        if settled is not None:
            slot.insert("Requirements", settled)
        slot.weight = slot_weight(slot.ad, policy, context)
        if slot.resources:
            slot.own_ad()
        found.append(slot)
    return found


def lacks_weight(ad: ClassAd, policy: NegotiatorPolicy, context: EvalContext) -> bool:
    """Whether the negotiator gives the slot its own weight: it has none, or is overruled."""
    return policy.force_slot_weight or ad.get_number("SlotWeight", context=context) is None


def slot_weight(ad: ClassAd, policy: NegotiatorPolicy, context: EvalContext) -> float:
    """What a slot costs; anything but a number that is not negative counts one."""
    if not policy.use_slot_weights:
        return 1.0
    weight = ad.get_number("SlotWeight", context=context)
    return 1.0 if weight is None or weight < 0 else float(weight)
