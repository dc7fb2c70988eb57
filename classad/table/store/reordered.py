"""Rows of another store in an order of their own, with a few attributes changed.

Columns are moved, not made anew.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from classad.binding.ad import ClassAd
from classad.table.arrays.arrays import pick
from classad.table.store.columns import Column, cell_key
from classad.table.store.overlay import ChangingStore, Shown
from classad.table.store.parts import Part
from classad.table.store.store import Store, is_apart

#: The place of a row that is an ad without attributes.
NOWHERE: Final = -1


class Placed(Shown, Protocol):
    """Rows that stand in another store, and what of them is otherwise.

    ``places``: the row of the other store that each row is, ``NOWHERE`` for none.
    """

    @property
    def base(self) -> Store: ...

    @property
    def places(self) -> array[int]: ...

    def changed(self, name: str) -> Mapping[int, Any]:
        """What rows have for an attribute that are otherwise; None for nothing."""


class PlacedStore(ChangingStore):
    """The rows of a ``Placed``."""

    def __init__(self, source: Placed) -> None:
        self._source = source
        self._order = array("i")
        self._overlay: frozenset[str] = frozenset()
        super().__init__(source, (), len(source.places))
        self._look()

    def _look(self) -> Callable[[str], bool]:
        source, places, overlay = self._source, self._order, self._overlay
        self._base, self._order = source.base, source.places
        self._overlay = frozenset(source.names)
        self.names = set(self._base.names | self._overlay)
        used = len(self._order) - self._order.count(NOWHERE)
        self._whole = used == len(self._order) == self._base.size
        self.opaque = 0
        if self._base.opaque:
            for row, place in enumerate(self._order):
                if place >= 0 and self._base.opaque >> place & 1:
                    self.opaque |= 1 << row
        moved = places is not self._order and places != self._order
        return lambda name: moved or name in overlay or name in self._overlay

    def _is_there(self, name: str) -> bool:
        return name in self.names

    def trees_apart(self, part: Part, names: Sequence[str]) -> bool:
        if not self._overlay.isdisjoint(names):
            return False  # what is otherwise in a row may be anything
        places = self._order if part.rows is None else pick(self._order, part.rows)
        ads = (self._base.ads[place] for place in places if place != NOWHERE)
        return all(ad is None or is_apart(ad, names) for ad in ads)

    def opaque_for(self, partner: ClassAd | None) -> int:
        return self.opaque

    def peek(self, name: str, rows: Sequence[int]) -> list[Any]:
        """What some rows have, without a column for all."""
        places = [self._order[row] for row in rows]
        there = [place for place in places if place != NOWHERE]
        found = iter(self._base.peek(name, there))
        cells = [None if place == NOWHERE else next(found) for place in places]
        if name in self._overlay:
            changed = self._source.changed(name)
            cells = [changed.get(row, cell) for row, cell in zip(rows, cells, strict=True)]
        return cells

    def _column(self, name: str) -> Column:
        column = self._moved(name)
        if name not in self._overlay:
            return column
        changed = self._source.changed(name)
        if _MANY * len(changed) > self.size:
            cells = list(map(column.values.__getitem__, column.codes))
            for row, cell in changed.items():
                cells[row] = cell
            return Column.of(name, cells)
        own = Column(name, list(column.values), array("i", column.codes), column.ordered)
        for row, cell in changed.items():
            own.set(row, cell)
        return own

    def _moved(self, name: str) -> Column:
        """The other store's column in the order of these rows."""
        base = self._base.column(name)
        if base is None:
            return Column(name, [None], array("i", bytes(4 * self.size)), 0)
        if self._whole:
            return base.moved(base.values, pick(base.codes, self._order), base.ordered)
        # One code more stands for nowhere, unless there is one for nothing.
        nothing = next((code for code, v in enumerate(base.values) if v is None), len(base.values))
        codes = array("i", base.codes)
        codes.append(nothing)
        places = self._order
        if NOWHERE in places:
            end = len(codes) - 1
            places = array("i", [end if place == NOWHERE else place for place in places])
        codes = pick(codes, places)
        used = sorted(set(codes))
        number = array("i", bytes(4 * (len(base.values) + 1)))
        for code, before in enumerate(used):
            number[before] = code
        values = [None if code == nothing else base.values[code] for code in used]
        ordered = sum(code < base.ordered for code in used)
        return base.moved(values, pick(number, codes), ordered)

    def _renewed(self, name: str, column: Column) -> Column:
        fresh = self._column(name)
        return column if same(column, fresh) else fresh


def same(one: Column, other: Column) -> bool:
    """Whether two columns say the same of every row."""
    if one.codes != other.codes:
        return False
    return one.values is other.values or list(map(cell_key, one.values)) == list(
        map(cell_key, other.values)
    )


#: If more than one cell in so many is another one, the column is made anew.
_MANY: Final = 8
