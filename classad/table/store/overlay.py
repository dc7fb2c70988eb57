"""Rows that are ads with a few attributes changed, without a copy of each ad.

Which columns have changed since the rows were last looked at is found by comparing their cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from operator import is_not
from typing import Any, Final, NamedTuple, Protocol

from classad.binding.ad import ClassAd
from classad.table.store.columns import PLAIN, Column, cell_key, is_nested
from classad.table.store.parts import Part
from classad.table.store.store import MISLEADING, Store


class Overlaid(Protocol):
    """Ads, and what of them is otherwise in the rows.

    ``names``: the folded names of attributes that some row may have otherwise.
    """

    @property
    def ads(self) -> Sequence[ClassAd]:
        """The ads without the changes."""

    @property
    def names(self) -> Collection[str]: ...

    def ad(self, row: int) -> ClassAd:
        """A row as an ad, with the changes."""

    def cells(self, name: str, rows: Sequence[int]) -> list[Any]:
        """What some rows have for one of the ``names``."""


class Changes(NamedTuple):
    """Columns that have changed.

    ``split``: those of them in which expressions have; ``appeared``: whether an attribute that no
    row had is there now.
    """

    names: set[str]
    split: set[str]
    appeared: bool


class OverlaidStore(Store):
    """The rows of an ``Overlaid``."""

    def __init__(self, source: Overlaid) -> None:
        self._source = source
        self._has: dict[str, bool] = {}
        #: The cells from which each column was made, and those that were looked at for some rows.
        self._seen: dict[str, _Seen] = {}
        self._pieces_seen: dict[str, dict[int, tuple[Sequence[int], _Seen]]] = {}
        super().__init__(source.ads)

    def _note(self, row: int, ad: Any) -> None:
        if ad._chained is not None or ad._parent is not None:
            self.odd |= 1 << row

    @property
    def misleading(self) -> bool:
        return any(map(self.has, MISLEADING))

    def has(self, name: str) -> bool:
        if name in self._given:
            return True
        found = self._has.get(name)
        if found is None:
            found = self._has[name] = self._is_there(name)
        return found

    def _is_there(self, name: str) -> bool:
        return name in self._source.names or any(name in ad._attrs for ad in self._source.ads)

    def ad(self, row: int) -> ClassAd:
        return self._source.ad(row)

    def trees_apart(self, part: Part, names: Sequence[str]) -> bool:
        return False  # what is otherwise in a row may be anything

    def ads_of(self, rows: Sequence[int]) -> Iterator[ClassAd]:
        return map(self._source.ad, rows)

    def column(self, name: str) -> Column | None:
        if name in self._given:
            return self._given[name]
        if name not in self._columns:
            self._columns[name] = self._column(name) if self.has(name) else None
        return self._columns[name]

    def cells(self, name: str, rows: Sequence[int]) -> list[Any]:
        cells = self._some(name, rows)
        self._pieces_seen.setdefault(name, {})[id(rows)] = rows, _Seen(cells)
        return cells

    def _some(self, name: str, rows: Sequence[int]) -> list[Any]:
        if name in self._source.names:
            return self._source.cells(name, rows)
        ads = self._source.ads
        return [ads[row]._attrs.get(name) for row in rows]

    def _column(self, name: str) -> Column:
        cells = self._all(name)
        self._seen[name] = _Seen(cells)
        return Column.of(name, cells)

    def _all(self, name: str) -> list[Any]:
        if name in self._source.names:
            return self._source.cells(name, range(self.size))
        return [ad._attrs.get(name) for ad in self._source.ads]

    # --- changes --------------------------------------------------------------------------------

    def refresh(self) -> Changes:
        """Look again at rows that may be others than before, or have others in their places."""
        self.ads = list(self._source.ads)
        self._places, self.odd = None, 0
        for row, ad in enumerate(self._source.ads):
            self._note(row, ad)
        appeared = False
        for name, there in self._has.items():
            if not there and self._is_there(name):
                self._has[name] = appeared = True
                self._columns.pop(name, None)
        found = Changes(set(), set(), appeared)
        for name, column in list(self._columns.items()):
            if column is not None:
                self._compare(name, column, found)
        seen = self._pieces_seen
        for name in [name for name, pieces in seen.items() if self._differ(name, pieces)]:
            del seen[name]
            found.names.add(name)
            found.split.add(name)
        for part in self._parts.values():
            part.forget(None if appeared else found.names)
            part.forget_splits(found.names)
        return found

    def _differ(self, name: str, pieces: dict[int, tuple[Sequence[int], _Seen]]) -> bool:
        """Whether some rows that have been looked at by themselves have something else now."""
        return any(seen.is_changed(self._some(name, rows)) for rows, seen in pieces.values())

    def _compare(self, name: str, column: Column, found: Changes) -> None:
        """Bring a column up to date."""
        before, cells = self._seen[name], self._all(name)
        if before.nested:
            if not before.is_changed(cells):
                return
            rows: Sequence[int] = range(self.size)
        else:
            rows = [row for row, new in enumerate(map(is_not, before.cells, cells)) if new]
            if not rows:
                return
        self._seen[name] = _Seen(cells)
        if _MANY * len(rows) > self.size or len(column.values) > self.size + _MANY:
            fresh = Column.of(name, cells)
            if _same(column, fresh) and not any(map(is_nested, column.values)):
                return
            self._columns[name] = fresh
            found.names.add(name)
            if column.expressions or fresh.expressions:
                found.split.add(name)
            return
        for row in rows:
            code = column.codes[row]
            if column.set(row, cells[row]):
                found.split.add(name)
            if column.codes[row] != code:
                found.names.add(name)


class _Seen:
    """Cells as they were.  ``nested``: what tells those apart that could change from within."""

    __slots__ = ("cells", "nested")

    def __init__(self, cells: list[Any]) -> None:
        self.cells = cells
        self.nested: dict[int, Any] = {}
        if not PLAIN.issuperset(map(type, cells)):
            self.nested = {n: cell_key(cell) for n, cell in enumerate(cells) if is_nested(cell)}

    def is_changed(self, now: list[Any]) -> bool:
        """Whether a cell is another one now; equal lists and ads count as others."""
        for place, cell in enumerate(now):
            before = self.cells[place]
            key = self.nested.get(place)
            if cell is before:
                if key is not None and cell_key(cell) != key:
                    return True
            elif key is not None or is_nested(cell) or cell_key(cell) != cell_key(before):
                return True
        return False


def _same(one: Column, other: Column) -> bool:
    return one.codes == other.codes and list(map(cell_key, one.values)) == list(
        map(cell_key, other.values)
    )


#: If more than one cell in so many is another one, the column is made anew.
_MANY: Final = 8
