"""Rows that may change between requests, and ads with a few attributes changed as such rows.

Which columns have changed since the rows were last looked at is found by comparing their cells.
No ad is copied.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from operator import is_not
from typing import Any, NamedTuple, Protocol

from classad.binding.ad import ClassAd
from classad.table.store.columns import PLAIN, Column, cell_key, is_nested
from classad.table.store.parts import Part
from classad.table.store.store import MISLEADING, Store


class Shown(Protocol):
    """Rows, of which some attributes are otherwise than where they come from.

    ``names``: the folded names of attributes that some row may have otherwise.
    """

    @property
    def names(self) -> Collection[str]: ...

    def ad(self, row: int) -> ClassAd:
        """A row as an ad, with the changes."""


class Overlaid(Shown, Protocol):
    """Ads, and what of them is otherwise in the rows."""

    @property
    def ads(self) -> Sequence[ClassAd]:
        """The ads without the changes."""

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


class ChangingStore(Store, ABC):
    """Rows that may be others each time they are looked at."""

    def __init__(self, shown: Shown, ads: Sequence[ClassAd], size: int) -> None:
        self._shown = shown
        #: Whether rows have the attributes that were asked for.
        self._has: dict[str, bool] = {}
        super().__init__(ads, size=size)

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

    def ad(self, row: int) -> ClassAd:
        return self._shown.ad(row)

    def ads_of(self, rows: Sequence[int]) -> Iterator[ClassAd]:
        return map(self._shown.ad, rows)

    def cells(self, name: str, rows: Sequence[int]) -> list[Any]:
        cells = _Seen(self.peek(name, rows))
        self._pieces.setdefault(name, {})[id(rows)] = rows, cells
        return cells

    def refresh(self) -> Changes:
        """Look again at rows that may be others than before, or have others in their places."""
        concerns = self._look()
        found = Changes(set(), set(), self._appear())
        for name, column in list(self._columns.items()):
            if column is None or not concerns(name):
                continue
            fresh = self._renewed(name, column)
            if fresh is not column:
                self._columns[name] = fresh
                found.names.add(name)
                if column.expressions or fresh.expressions:
                    found.split.add(name)
        for name in filter(concerns, list(self._pieces)):
            pieces = self._pieces[name].values()
            if any(seen.is_changed(self.peek(name, rows)) for rows, seen in pieces):
                del self._pieces[name]
                found.names.add(name)
                found.split.add(name)
        for part in self._parts.values():
            part.forget(None if found.appeared else found.names)
            part.forget_splits(found.names)
        return found

    def _appear(self) -> bool:
        """Whether rows have an attribute now that none had."""
        new = [name for name, there in self._has.items() if not there and self._is_there(name)]
        for name in new:
            self._has[name] = True
            self._columns.pop(name, None)
        return bool(new)

    @abstractmethod
    def _look(self) -> Callable[[str], bool]:
        """Take in how the rows are now; whether an attribute may be another one than before."""

    @abstractmethod
    def _is_there(self, name: str) -> bool:
        """Whether some row has an attribute now."""

    @abstractmethod
    def _renewed(self, name: str, column: Column) -> Column:
        """A column as it is now; the same one if nothing has changed."""


class OverlaidStore(ChangingStore):
    """The rows of an ``Overlaid``."""

    def __init__(self, source: Overlaid) -> None:
        self._source = source
        #: The cells from which each column was made.
        self._seen: dict[str, _Seen] = {}
        super().__init__(source, source.ads, len(source.ads))

    def _note(self, row: int, ad: Any) -> None:
        if ad._chained is not None or ad._parent is not None:
            self.opaque |= 1 << row

    def _look(self) -> Callable[[str], bool]:
        self.ads = list(self._source.ads)
        self._places, self.opaque = None, 0
        for row, ad in enumerate(self._source.ads):
            self._note(row, ad)
        return lambda name: True

    def _is_there(self, name: str) -> bool:
        return name in self._source.names or any(name in ad._attrs for ad in self._source.ads)

    def trees_apart(self, part: Part, names: Sequence[str]) -> bool:
        return False  # what is otherwise in a row may be anything

    def peek(self, name: str, rows: Sequence[int]) -> list[Any]:
        if name in self._source.names:
            return self._source.cells(name, rows)
        ads = self._source.ads
        return [ads[row]._attrs.get(name) for row in rows]

    def _column(self, name: str) -> Column:
        cells = self._seen[name] = _Seen(self.peek(name, range(self.size)))
        return Column.of(name, cells)

    def _renewed(self, name: str, column: Column) -> Column:
        if not self._seen[name].is_changed(self.peek(name, range(self.size))):
            return column
        return self._column(name)


class _Seen(list[Any]):
    """Cells as they were.  ``nested``: what tells those apart that could change from within."""

    __slots__ = ("nested",)

    def __init__(self, cells: list[Any]) -> None:
        super().__init__(cells)
        self.nested: dict[int, Any] = {}
        if not PLAIN.issuperset(map(type, cells)):
            self.nested = {n: cell_key(cell) for n, cell in enumerate(cells) if is_nested(cell)}

    def is_changed(self, now: list[Any]) -> bool:
        """Whether a cell is another one now; equal lists and ads count as others."""
        if any(cell_key(self[place]) != key for place, key in self.nested.items()):
            return True
        others = [place for place, other in enumerate(map(is_not, self, now)) if other]
        return any(
            place in self.nested
            or is_nested(now[place])
            or cell_key(now[place]) != cell_key(self[place])
            for place in others
        )
