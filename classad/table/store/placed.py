"""Rows of another store in an order of their own, with a few attributes changed.

Columns are moved, not made anew, and no ad is copied.  Which columns have changed since the rows
were last looked at, in the same store or in another one, is found by comparing their cells.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from classad.binding.ad import ClassAd
from classad.table.arrays import NO_CODES, flag, pick
from classad.table.store.columns import PLAIN, Column, Part, cell_key, in_use
from classad.table.store.store import Store, is_apart

#: The place of a row that is an ad without attributes.
NOWHERE: Final = -1


class Placed(Protocol):
    """Rows that stand in another store, and what of them is otherwise.

    ``base``: that store, which may be another one each time; ``places``: the row there that each
    row is, ``NOWHERE`` for none; ``names``: the folded names of attributes that some row may have
    otherwise.
    """

    @property
    def base(self) -> Store: ...

    @property
    def places(self) -> array[int]: ...

    @property
    def names(self) -> Collection[str]: ...

    def ad(self, row: int) -> ClassAd:
        """A row as an ad, with the changes."""

    def changed(self, name: str) -> Mapping[int, Any]:
        """What rows have for an attribute that are otherwise; None for nothing."""


class ChangedColumns(NamedTuple):
    """Columns that have changed.

    ``split``: those of them in which expressions have; ``appeared``: whether an attribute that no
    row had is there now.
    """

    names: set[str]
    split: set[str]
    appeared: bool


class PlacedStore(Store):
    """The rows of a ``Placed``, which may be others each time they are looked at."""

    def __init__(self, source: Placed) -> None:
        self._source = source
        self._base = source.base
        self._order = array("i")
        self._overlay: frozenset[str] = frozenset()
        #: How often the base had been edited when it was looked at last.
        self._edits = 0
        #: The attributes that were asked for and that no row had.
        self._absent: set[str] = set()
        #: The keys of columns with lists and ads, which may be otherwise when they are compared.
        self._keys: dict[str, list[Any]] = {}
        super().__init__((), size=len(source.places))
        self._look()

    def has(self, name: str) -> bool:
        found = super().has(name)
        if not found:
            self._absent.add(name)
        return found

    def ad(self, row: int) -> ClassAd:
        return self._source.ad(row)

    def ads_of(self, rows: Sequence[int]) -> Iterator[ClassAd]:
        return map(self._source.ad, rows)

    def refresh(self) -> ChangedColumns:
        """Look again at rows that may be others than before, or have others in their places."""
        edited = self._edits != self._source.base.edits
        concerns = self._look()
        found = ChangedColumns(set(), set(), not self._absent.isdisjoint(self.names))
        for name in self._absent & self.names:
            self._columns.pop(name, None)
        self._absent -= self.names
        for name, column in list(self._columns.items()):
            if column is None or not concerns(name):
                continue
            keys = self._keys.pop(name, None)
            fresh = self._column(name)
            if not column.same(fresh, keys, self._keys.get(name)):
                self._columns[name] = fresh
                found.names.add(name)
                if column.expressions or fresh.expressions:
                    found.split.add(name)
        # What the base has no column of may have changed unnoticed.
        built = self._base.built
        for name in [n for n in self._pieces if concerns(n) or (edited and built(n) is None)]:
            pieces = self._pieces[name].values()
            if any(list(map(cell_key, self.peek(name, rows))) != keys for rows, keys in pieces):
                del self._pieces[name]
                found.names.add(name)
                found.split.add(name)
        for part in self._parts.values():
            part.forget(None if found.appeared else found.names)
        return found

    def _look(self) -> Callable[[str], bool]:
        """Take in how the rows are now; whether an attribute may be another one than before."""
        source, base, places, overlay = self._source, self._base, self._order, self._overlay
        self._base, self._order = source.base, source.places
        self._overlay = frozenset(source.names)
        self.names |= self._base.names | self._overlay
        used = len(self._order) - self._order.count(NOWHERE)
        self._whole = used == len(self._order) == self._base.size
        self.row_by_row = self._placed(self._base.row_by_row)
        moved = base is not self._base or (places is not self._order and places != self._order)
        edits, self._edits = self._edits, self._base.edits
        edited = {name for name, at in self._base.edited.items() if at > edits}
        return lambda name: moved or name in overlay or name in self._overlay or name in edited

    def _placed(self, bits: int) -> int:
        """The rows that are certain rows of the other store."""
        if not bits:
            return 0
        # Nowhere is the last place, which no row of the other store has.
        wanted = bytes(bits >> row & 1 for row in range(self._base.size))
        places = array("i", [len(wanted) if p == NOWHERE else p for p in self._order])
        return flag(places, None, wanted + b"\0", self.size)

    def trees_apart(self, part: Part, names: Sequence[str]) -> bool:
        # What is otherwise in a row, and what ads of other stores have, may be anything.
        if self._base.loaded is None or not self._overlay.isdisjoint(names):
            return False
        places = self._order if part.rows is None else pick(self._order, part.rows)
        ads = (self._base.ads[place] for place in places if place != NOWHERE)
        return all(ad is None or is_apart(ad, names) for ad in ads)

    def row_by_row_for(self, partner: ClassAd | None) -> int:
        found = self._base.row_by_row_for(partner)
        return self.row_by_row if found == self._base.row_by_row else self._placed(found)

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
        changed = self._source.changed(name) if name in self._overlay else {}
        if changed:
            cells = list(map(column.values.__getitem__, column.codes))
            for row, cell in changed.items():
                cells[row] = cell
            column = Column.of(cells)
        if not PLAIN.issuperset(map(type, column.values)):
            self._keys[name] = list(map(cell_key, column.values))
        return column

    def _moved(self, name: str) -> Column:
        """The other store's column in the order of these rows."""
        base = self._base.column(name)
        if base is None:
            return Column([None], NO_CODES * self.size, 0)
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
        used, codes = in_use(pick(codes, places), len(base.values) + 1)
        values = [None if code == nothing else base.values[code] for code in used]
        ordered = sum(code < base.ordered for code in used)
        return base.moved(values, codes, ordered)
