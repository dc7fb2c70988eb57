"""Asks the slots of a cycle once for each distinct combination of the attributes that matter.

Slots are asked one by one where attributes that the cycle has changed could be looked at, or a
random number would be drawn.  What they want from requests is told once for each expression.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, Self, TypeVar

from attr import Factory, define

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.loading.columns import LoadedColumns
from classad.table import Rows, Table
from classad.table.arrays import flag, pick, rows_of
from classad.table.memo import DEFAULT
from classad.table.shapes import OTHERS, Shapes
from classad.table.store.columns import PLAIN
from classad.table.store.placed import NOWHERE
from classad.table.store.store import Store
from negotiator.columns.chance import UnsureError, without_chance
from negotiator.columns.rows import SlotRows
from negotiator.expressions.known import external_names_of, references_in, wanted
from negotiator.pool.fetch import KEPT, Fact, new_slot
from negotiator.pool.slots import Slot, Slots

T = TypeVar("T")


class ColumnSlots(Slots):
    """Slots that are rows of a table.

    ``changed``: the folded names of attributes that the cycle has changed in some of them.
    """

    def __init__(
        self,
        slots: Iterable[Slot],
        rows: SlotRows,
        changed: set[str],
        places: array[int] | None = None,
    ) -> None:
        """``places``: the rows that the slots are, if they are known."""
        super().__init__(slots)
        self.rows = rows
        self.changed = changed
        self._places = places
        #: Keeps the table of their ads for other cycles, if there are to be any.
        self.kept: KeptTable | None = None

    def some(self, slots: Iterable[Slot]) -> Self:
        """See ``Slots``."""
        found = type(self)(slots, self.rows, self.changed)
        found.kept = self.kept
        return found

    def note(self, names: Iterable[str]) -> None:
        """See ``Slots``."""
        self.changed.update(names)

    def places(self) -> array[int]:
        """The rows that the slots are; nobody puts slots in later, or takes them out."""
        if self._places is None:
            self._places = array("i", [slot.row for slot in self])
        return self._places

    def table(self) -> Table:
        """The ads as they are at this moment; the table stands on the columns that there are.

        A table that is kept is right until the next one is asked for.
        """
        return (self.kept or KeptTable()).of(self)

    def each(
        self,
        find: Callable[[Slot, EvalContext], T],
        context: EvalContext,
        *,
        reads: Iterable[str] | None,
        expressions: Iterable[Expression | None] = (),
        knows: Sequence[str] = (),
    ) -> list[T]:
        """See ``Slots``."""
        surely = without_chance(context)

        def ask(ad: ClassAd) -> T:
            known = {what: KEPT[what].find(ad, surely) for what in knows}
            return find(new_slot(ad, "", 1, known), surely)

        try:
            if reads is None:
                raise UnsureError
            names = [*reads, *mentioned(*expressions)]
            names += [name for what in knows for name in KEPT[what].reads]
            sight = self.rows.table.sight(names)
            others = self._others(sight.names) if self.changed else []
            if others and (sight.row_by_row or len(others) == len(self)):
                raise UnsureError
            found = spread(*self.rows.table.apply(ask, names), self.places())
            for place in others:
                found[place] = find(self[place], context)
            return found
        except UnsureError:
            return super().each(find, context, reads=reads)

    def _others(self, names: frozenset[str]) -> list[int]:
        """The places of slots in which the cycle may have changed one of these attributes."""
        if self.changed.isdisjoint(names):
            return []
        return [
            place
            for place, slot in enumerate(self)
            if slot.is_own or not names.isdisjoint(slot.changes)
        ]

    def external_names(self) -> set[str]:
        """See ``Slots``."""
        loaded, by_row = self.rows.loaded, self.rows.external
        if by_row is not None:
            own = [slot for slot in self if slot.is_own or slot.changes]
            alone = set(map(id, own))
            usual = [slot.row for slot in self if id(slot) not in alone] if own else self.places()
            found = set().union(*set(map(by_row.__getitem__, usual)))
            return found | external_names_of(slot.ad for slot in own)
        if loaded is None:
            return super().external_names()
        return _external_names_in(self, self.rows.table, loaded, bool(self.changed))


class PlacedAds:
    """Slots that are rows of another table; see ``classad.table.store.placed.Placed``."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.names: set[str] = set()
        self.places: array[int] = array("i")
        self.base: Store
        self._slots: Mapping[int, Slot] = {}
        #: Those of them that are not what their rows in the other table are.
        self._own: Mapping[int, Slot] = {}
        self._nobody = ClassAd()

    def show(self, slots: ColumnSlots, numbers: Sequence[int]) -> dict[int, Slot]:
        """The slots that are the rows from now on, by the number of the row."""
        self._slots = found = dict(zip(numbers, slots, strict=True))
        self.base, self.names = slots.rows.table.store, slots.changed.copy()
        self.places = slots.places()
        own = found.items() if self.names else ()
        self._own = {row: slot for row, slot in own if slot.changes or slot.is_own}
        if not any(slot.is_own for slot in self._own.values()):
            # Slots of one user share theirs.
            changes = {id(slot.changes): slot.changes for slot in self._own.values()}
            self.names &= set().union(*changes.values())
        if len(found) != self.size:
            places = array("i", [NOWHERE]) * self.size
            for number, place in zip(numbers, self.places, strict=True):
                places[number] = place
            self.places = places
        return found

    def ad(self, row: int) -> ClassAd:
        """The ad of a row."""
        slot = self._slots.get(row)
        return self._nobody if slot is None else slot.ad

    def changed(self, name: str) -> dict[int, object]:
        """What the cycle has made of an attribute, by row."""
        found = {}
        for row, slot in self._own.items():
            if name in slot.changes:
                found[row] = slot.changes[name][1]
            elif slot.is_own:
                found[row] = slot.cell(name)
        return found


class KeptTable:
    """A table of slots for one cycle after another: it is not made anew where they are as many."""

    def __init__(self, budget: int = DEFAULT) -> None:
        """``budget``: bytes of results that may be kept."""
        self._budget = budget
        self._ads: PlacedAds | None = None
        self._table: Table | None = None

    def of(self, slots: ColumnSlots) -> Table:
        """The table, of these slots as they are at this moment."""
        if self._ads is not None and self._table is not None and self._ads.size == len(slots):
            self._ads.show(slots, range(len(slots)))
            self._table.refresh()
            return self._table
        self._ads = PlacedAds(len(slots))
        self._ads.show(slots, range(len(slots)))
        self._table = Table.placed(self._ads, budget=self._budget)
        return self._table


def facts_of(fact: Fact[T], rows: SlotRows, surely: EvalContext) -> tuple[array[int], list[T]]:
    """What a fact may be, and which of that it is for each row."""
    reads = [*fact.reads, *mentioned(fact.expression)]
    if fact.prefix:
        reads += [name for name in rows.table.keys if name.startswith(fact.prefix)]
    return rows.table.apply(lambda ad: fact.find(ad, surely), reads)


def lasting_facts_of(
    fact: Fact[T], rows: SlotRows, surely: EvalContext
) -> tuple[array[int], list[T]]:
    """The same of a fact that no policy has a part in, such as those of ``KEPT``.

    Where it is told by values alone neither clock nor functions matter: it is found once for all
    cycles that have these rows.
    """
    found = rows.facts.get(fact)
    if found is None:
        found = facts_of(fact, rows, surely)
        values = chain.from_iterable(rows.table.cells(name)[1] for name in fact.reads)
        if rows.lasting and not fact.prefix and PLAIN.issuperset(map(type, values)):
            rows.facts[fact] = found
    return found


def spread(codes: array[int], values: list[T], rows: array[int]) -> list[T]:
    """What some rows have, of a column."""
    if len(values) == 1:
        return values * len(rows)
    return list(map(values.__getitem__, pick(codes, rows)))


def mentioned(*trees: Expression | None) -> set[str]:
    """The attributes of an ad by itself that expressions mention; raises ``UnsureError``."""
    shapes = Shapes()
    found: set[str] = set()
    for tree in trees:
        if tree is not None:
            shape = shapes.of(tree)
            if shape.row_by_row or shape.random:
                raise UnsureError
            found.update(name for where, name in shape.names if where != OTHERS)
    return found


# --- names that the expressions of slots want from other ads --------------------------------------

_WEIGHT: Final = "slotweight"


def _external_names_in(
    slots: Sequence[Slot], table: Table, loaded: LoadedColumns, changed: bool
) -> set[str]:
    """What the expressions of slots want; those that the cycle has changed are looked at alone.

    ``changed``: whether there can be such slots.
    """
    alone: list[Slot] = []
    #: The others by what is left of them.
    usual: dict[frozenset[str] | None, list[Slot]] = {}
    for slot in slots if changed else ():
        if slot.is_copied or (slot.changes and not slot.changes.keys() <= {_WEIGHT}):
            alone.append(slot)
        else:
            usual.setdefault(slot.left, []).append(slot)
    found = external_names_of(slot.ad for slot in alone)
    for left, some in usual.items() if changed else [(None, slots)]:
        found |= _external_names_left(left, some, table, loaded, changed)
    return found


def _external_names_left(
    left: frozenset[str] | None,
    slots: Sequence[Slot],
    table: Table,
    loaded: LoadedColumns,
    changed: bool,
) -> set[str]:
    """The same of slots of which the same is left, and that have no change but of their weight."""
    weighed = [slot for slot in slots if slot.changes] if changed else []
    size = len(table)
    rows, own = (
        (1 << size) - 1 if len(some) == size else Rows.of(size, [slot.row for slot in some]).bits
        for some in (slots, weighed)
    )
    finder = _Finder(table, loaded, rows, own, left)
    for name in table.store.open_names:
        if left is None or name in left:
            codes, values = table.cells(name)
            finder.look(codes, values, rows & ~own if name == _WEIGHT else rows)
    if weighed:
        finder.look(array("i", bytes(4 * size)), [weighed[0].changes[_WEIGHT][1]], own)
    return finder.found


@define(eq=False)
class _Finder:
    """Looks at some rows.

    ``weighed``: those that have the negotiator's ``SlotWeight``; ``left``: the attributes that are
    left of the rows, None for all.
    """

    table: Table
    loaded: LoadedColumns
    rows: int
    weighed: int
    left: frozenset[str] | None
    found: set[str] = Factory(set)
    _missing: dict[str, int] = Factory(dict)

    def look(self, codes: array[int], values: Sequence[object], rows: int) -> None:
        """Look at the expressions that some rows have for an attribute."""
        live = set(codes) if rows.bit_count() == len(codes) else set(pick(codes, rows_of(rows)))
        mentioning: dict[str, list[int]] = {}
        target: set[str] = set()
        for code in live:
            value = values[code]
            if isinstance(value, Expression):
                refs = references_in(value)
                target |= refs.target
                for name in refs.bare:
                    mentioning.setdefault(name, []).append(code)

        def lacks(name: str) -> bool:
            without = rows & self._without(name)
            if not without:
                return False
            flags = bytearray(len(values))
            for code in mentioning[name]:
                flags[code] = 1
            return bool(without & flag(codes, None, bytes(flags), len(codes)))

        self.found |= wanted(target, mentioning.keys() - self.found, lacks)

    def _without(self, name: str) -> int:
        """The rows that have not got an attribute."""
        if name not in self._missing:
            column = self.loaded.column(name)
            if column is None or (self.left is not None and name not in self.left):
                missing = self.rows
            elif column.present == self.loaded.n_rows:
                missing = 0
            else:
                codes, values = self.table.cells(name)
                absent = bytes(value is None for value in values)
                missing = flag(codes, None, absent, len(codes))
            self._missing[name] = missing & ~self.weighed if name == _WEIGHT else missing
        return self._missing[name]
