"""The slots of a cycle, and questions that are asked of each of them.

Decision here: how a question is asked.  Slots that are rows of a table are asked all at once: once
for each distinct combination of what the question looks at; slot by slot where attributes that the
cycle has changed could be looked at, or a random number would be drawn.  Inputs: slots, a question
and the attributes that it looks at.  Outputs: the answers, in the order of the slots.

Never here: what is asked.
Follows: nothing; it is bookkeeping.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypeVar

from classad import ClassAd
from classad.ads.expression import Expression as ExprTree
from classad.evaluate import EvalContext
from classad.table.arrays.arrays import pick
from classad.table.expressions.shapes import OTHERS, Shapes
from negotiator.columns.chance import UnsureError, without_chance
from negotiator.columns.rows import SlotRows
from negotiator.pool.slots import KEPT, OCCUPANTS, Slot

T = TypeVar("T")


class ColumnSlots(list[Slot]):
    """Slots that are rows of a table.

    ``changed``: the folded names of attributes that the cycle has changed in some of them.
    """

    def __init__(self, slots: Iterable[Slot], rows: SlotRows, changed: Collection[str]) -> None:
        super().__init__(slots)
        self.rows = rows
        self.changed = set(changed)
        #: What is kept of the slots, by the names of their fields, where that is at hand.
        self.kept: Mapping[str, Sequence[Any]] = {}
        self._places: array[int] | None = None

    def some(self, slots: Iterable[Slot]) -> ColumnSlots:
        """Some of these slots, or all in another order."""
        return ColumnSlots(slots, self.rows, self.changed)

    def stand_in(self, rows: array[int], kept: Mapping[str, Sequence[Any]]) -> None:
        """Say which rows the slots are, and what is kept of them, to save looking."""
        self._places, self.kept = rows, kept

    def places(self) -> array[int]:
        """The rows that the slots are; nobody puts slots in later, or takes them out."""
        if self._places is None:
            self._places = array("i", [slot.row for slot in self])
        return self._places

    def each(
        self,
        reads: Iterable[str],
        find: Callable[[Slot, EvalContext], T],
        context: EvalContext,
        knows: Sequence[str],
    ) -> list[T] | None:
        """The answers; None if they have to be found slot by slot."""
        names = [*reads, *(name for what in knows for name in KEPT[what].reads)]
        surely = without_chance(context)
        sight = self.rows.table.sight(names)
        if self.changed and (sight.odd or not self.changed.isdisjoint(sight.names)):
            return None

        def ask(ad: ClassAd) -> T:
            slot = Slot(ad, "", 1.0, 1, False, None, None)
            for what in knows:
                setattr(slot, what, KEPT[what].find(ad, surely))
            return find(slot, surely)

        try:
            return spread(*self.rows.table.apply(ask, names), self.places())
        except UnsureError:
            return None


def spread(codes: array[int], values: list[T], rows: array[int]) -> list[T]:
    """What some rows have, of a column."""
    if len(values) == 1:
        return values * len(rows)
    return list(map(values.__getitem__, pick(codes, rows)))


def mentioned(*trees: ExprTree | None) -> tuple[str, ...] | None:
    """The attributes of an ad by itself that expressions mention; None if that is not known."""
    shapes = Shapes()
    found: set[str] = set()
    for tree in trees:
        if tree is not None:
            shape = shapes.of_tree(tree)
            if shape.odd or shape.random:
                return None
            found.update(name for where, name in shape.names if where != OTHERS)
    return tuple(sorted(found))


def holders_are_charged(slots: Sequence[Slot]) -> bool:
    """Whether each claimed slot is known to be charged to whoever holds it."""
    if not isinstance(slots, ColumnSlots):
        return False
    table = slots.rows.table
    *others, group, user = OCCUPANTS
    if table.sight(()).odd or any(map(table.has, others)):
        return False
    columns = [table.column(name)[1] for name in (group, user)]
    return all({*map(type, values)} <= _TEXTS and "" not in values for values in columns)


_TEXTS: Final = frozenset({str, type(None)})


def kept_of(slots: Sequence[Slot], what: str) -> Sequence[Any]:
    """What is kept of each slot as a cycle begins: its weight, or one of ``slots.KEPT``."""
    known = slots.kept.get(what) if isinstance(slots, ColumnSlots) else None
    return list(map(attrgetter(what), slots)) if known is None else known


def each(
    slots: Sequence[Slot],
    reads: Iterable[str] | None,
    find: Callable[[Slot, EvalContext], T],
    context: EvalContext,
    *,
    knows: Sequence[str] = (),
) -> list[T]:
    """The answer of each slot.

    ``reads``: the attributes of the ad that the question looks at; None if that is not known.
    ``knows``: what else it looks at of the slot: whether it is ``partitionable``, its ``state``.
    """
    if isinstance(slots, ColumnSlots) and reads is not None:
        found = slots.each(reads, find, context, knows)
        if found is not None:
            return found
    return [find(slot, context) for slot in slots]
