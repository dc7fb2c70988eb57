"""Holds a slot in one cycle, and the slots of a cycle, which one question asks all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, Protocol, Self, TypeAlias, TypeVar

from attr import define

from classad import ClassAd
from classad.ads.ad import is_value
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.language.names import fold_name
from classad.language.values import UNDEFINED
from classad.match import half_match
from negotiator.expressions.known import external_names_of
from negotiator.expressions.visible import Mentions, VisiblePart
from negotiator.pool.addresses import ANY

T = TypeVar("T")

#: Values that an ad keeps as they are.
_SIMPLE: Final = frozenset({bool, int, float, str})
#: New values of attributes with the spelling of their names, by the folded names.
Changes: TypeAlias = Mapping[str, tuple[str, object]]
_NO_CHANGES: Final[Changes] = {}


class SlotSource(Protocol):
    """Where the ads of slots are made when they are wanted."""

    mentions: Mentions

    def ad(self, row: int) -> ClassAd:
        """The ad of a slot, only to be looked at; ``row``: its number here."""

    def cell(self, key: str, row: int) -> object:
        """What the ad has for an attribute (a folded name), None if nothing."""

    def names_of(self, row: int) -> Iterable[str]:
        """The names of the attributes of the ad."""

    def part(self, row: int, names: Iterable[str]) -> ClassAd:
        """Some attributes of the ad (folded names), as an ad."""


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
    #: Whom a claim of it is charged to.
    charged: str | None = None
    #: The resources of its consumption policy; empty without one.
    resources: tuple[str, ...] = ()
    #: The kinds of address under which the startd can be reached.
    families: frozenset[int] = ANY
    #: ``WantAdRevaluate``: it stays in the pool after a match, behind all others.
    reevaluated: bool = False
    #: The schedd that has claimed it as a whole, if it is partitionable.
    schedd: str | None = None
    #: ``Requirements`` as the startd sent them.
    requirements: object = None
    #: What the cycle has set in the ad, by folded names, until a copy is made that has it.  Slots
    #: may share it: it is replaced, never changed.
    changes: Changes = _NO_CHANGES
    #: Where the ad is made when it is wanted, if none was given, and its row there.
    _source: SlotSource | None = None
    row: int = -1
    #: The folded names of attributes that the cycle has set in any slot, if somebody wants them.
    _noted: set[str] | None = None
    #: Pre-job and post-job rank for the whole cycle, when jobs' ranks are ignored.
    fixed_ranks: tuple[float, float] | None = None
    _copy: ClassAd | None = None
    #: The folded names of what is left of the ad, until a copy is made that has no more.
    _left: frozenset[str] | None = None

    @property
    def base(self) -> ClassAd:
        """The ad that was given."""
        if self._base is None:
            assert self._source is not None
            self._base = self._source.ad(self.row)
        return self._base

    @property
    def left(self) -> frozenset[str] | None:
        """The folded names of what is left of the ad, if they alone are known; None for all."""
        return self._left

    @property
    def is_copied(self) -> bool:
        """Whether the ad has been copied, to be changed."""
        return self._copy is not None

    @property
    def is_own(self) -> bool:
        """Whether more than ``changes`` is otherwise than in the ad that was given."""
        return self._copy is not None or self._left is not None

    @property
    def ad(self) -> ClassAd:
        """The ad as the cycle has it; only looked at."""
        return self.own_ad() if self.changes else self.unchanged

    @property
    def unchanged(self) -> ClassAd:
        """The ad without the ``changes``."""
        if self._copy is None and self._left is not None:
            assert self._source is not None
            self._copy = self._source.part(self.row, self._left)
        return self.base if self._copy is None else self._copy

    def insert(self, name: str, value: object) -> None:
        """Set an attribute, in a copy of the ad that was given.

        The copy is made when it is looked at, which few slots of a cycle are.
        """
        if self._noted is not None:
            self._noted.add(fold_name(name))
        if self._copy is None and is_plain(value):
            self.changes = {**self.changes, fold_name(name): (name, value)}
        else:
            self.own_ad().insert(name, value)

    def drop(self, name: str) -> None:
        """Take an attribute out, in a copy of the ad that was given."""
        if self._noted is not None:
            self._noted.add(fold_name(name))
        self.own_ad().remove(name)

    def adopt(self, changes: Changes) -> None:
        """Set attributes to values for which ``insert`` would make no copy.

        Many slots do so at once: whoever has them do so tells ``Slots.note``.
        """
        if self._copy is None:
            self.changes = {**self.changes, **changes} if self.changes else changes
        else:
            for name, value in changes.values():
                self._copy.insert(name, value)

    def raw(self, name: str) -> object:
        """What the ad has for an attribute, without making the copy."""
        return self.cell(fold_name(name))

    def cell(self, key: str) -> object:
        """The same for a name in lower case."""
        found = self.changes.get(key)
        if found is not None:
            return found[1]
        if self._base is None and self._copy is None and self._source is not None:
            if self._left is not None and key not in self._left:
                return None
            return self._source.cell(key, self.row)
        return self.unchanged.raw(key)

    def names(self) -> Iterable[str]:
        """The names of the attributes of the ad, which is not made for that."""
        if self._base is None and not self.is_own and self._source is not None:
            return [*self._source.names_of(self.row), *(name for name, _ in self.changes.values())]
        return self.ad.names()

    def value(self, name: str, context: EvalContext) -> object:
        """What an attribute is by itself; the ad is made only if it is an expression."""
        value = self.raw(name)
        if value is None:
            return UNDEFINED
        return value if value.__class__ in _SIMPLE else self.ad.evaluate_attr(name, None, context)

    def visible(self) -> VisiblePart:
        """The part of the ad that another ad can see in a match, while the ad does not change."""
        apart = self._source is not None and self._base is None and not self.is_own
        mentions = self._source.mentions if apart and self._source is not None else None
        return VisiblePart(self.cell, lambda: self.ad, mentions)

    def seen_with(self, other: ClassAd, names: frozenset[str]) -> ClassAd:
        """The part of the ad with which attributes (lower-case names) of both keep their values."""
        return self.visible().meeting(other, names)

    def keep(self, part: ClassAd) -> None:
        """Go by a part of the ad."""
        self._copy = part
        self.changes = _NO_CHANGES

    def keep_only(self, names: frozenset[str]) -> None:
        """Go by some attributes of the ad (folded names), whose part is made when it is wanted."""
        self._left = names
        self.changes = _NO_CHANGES

    def own_ad(self) -> ClassAd:
        """The ad to be changed."""
        if self._left is not None:
            self._copy = self.unchanged
        elif self._copy is None:
            self._copy = self.base.duplicate()
        if self.changes:
            for name, value in self.changes.values():
                self._copy.insert(name, value)
            self.changes = _NO_CHANGES
        return self._copy


class Slots(list[Slot]):
    """The slots of a cycle in pool order.

    A question is asked of each of them here; where they are kept otherwise it is asked once for all
    that it cannot tell apart.
    """

    def each(
        self,
        find: Callable[[Slot, EvalContext], T],
        context: EvalContext,
        *,
        reads: Iterable[str] | None,
        expressions: Iterable[Expression | None] = (),
        knows: Sequence[str] = (),
    ) -> list[T]:
        """The value of a function for each slot.

        ``reads``, ``expressions``: the attributes of the ad that the question looks at, and what it
        evaluates in the ad; None if that is not known.  ``knows``: what else it looks at of the
        slot: whether it is ``partitionable``, its ``state``.
        """
        return [find(slot, context) for slot in self]

    def note(self, names: Iterable[str]) -> None:
        """Take note of attributes (folded names) that slots have adopted."""

    @cached_property
    def with_policy(self) -> list[Slot]:
        """The slots with a consumption policy, which the cycle neither gives nor takes."""
        return [slot for slot in self if slot.resources]

    def some(self, slots: Iterable[Slot]) -> Self:
        """Some of these slots, or all in another order."""
        return type(self)(slots)

    def external_names(self) -> set[str]:
        """The names that the expressions of the slots read from the other ad, in lower case."""
        return external_names_of(slot.ad for slot in self)


def is_plain(value: object) -> bool:
    """Whether an ad keeps a value as it is."""
    return not is_value(value) if isinstance(value, Expression) else value.__class__ in _SIMPLE


def holds(expr: Expression | None, ad: ClassAd, context: EvalContext) -> bool:
    """Whether a constraint is true of an ad alone; a number that is not zero counts."""
    if expr is None:
        return True
    value = evaluate(expr, ad, context=context)
    return value is True or (value.__class__ in (int, float) and value != 0)


def meets(ad: ClassAd, other: ClassAd, context: EvalContext) -> bool:
    """Whether the requirements of one ad are true of the other; undefined and error are not.

    They are evaluated through a reference from the match ad, so they are under way themselves: what
    leads back to them is undefined.
    """
    return half_match(ad, other, context)
