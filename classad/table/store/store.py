"""Holds the rows of a table, as ads or as loaded columns, and makes columns that are asked for.

Of loaded columns (classad/loading/long_form.py) an ad is made only when one is wanted.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, count
from typing import Any, Final

from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.loading.columns import LoadedColumn, LoadedColumns, Tag
from classad.table.arrays import NO_CODES, number_pairs
from classad.table.memo import Budget, Memo
from classad.table.shapes import Shapes
from classad.table.store.columns import PLAIN, Column, Part, cell_key

#: Rows are made one by one when fewer than one in so many is wanted.
_FEW: Final = 10
#: Attributes with these names change what ``MY.x`` and ``TARGET.x`` are.
SCOPE_NAMES: Final = frozenset({"my", "target"})


class Store:
    """Rows: their ads and columns."""

    def __init__(
        self,
        ads: Sequence[ClassAd] | None,
        loaded: LoadedColumns | None = None,
        *,
        size: int | None = None,
    ) -> None:
        """``ads`` or ``loaded`` is given; ``size``: how many rows there are, if not as many."""
        self.budget = budget = Budget()
        self.ads: list[ClassAd | None] = list(ads or ())
        self.loaded = loaded
        if loaded is not None:
            self.ads = [None] * loaded.n_rows
        self.size = len(self.ads) if size is None else size
        self.shapes = Shapes(budget)
        self._columns: dict[str, Column | None] = {}
        #: Columns that no ad has an attribute for, see ``give``.
        self._given: Memo[str, Column] = Memo(budget)
        self._uids = count()
        self._parts: Memo[int, Part] = Memo(budget)
        self.everything = self.part((1 << self.size) - 1)
        self.names: set[str] = set()
        self.row_by_row = 0
        #: Rows whose ads are no longer, or not only, in the loaded columns.
        self.own: set[int] = set()
        self._places: dict[int, int] | None = None
        #: How often rows have got other ads, and at which time a column changed last.
        self.edits = 0
        self.edited: dict[str, int] = {}
        #: What has been looked at for some rows only: the rows, and the keys of their cells.
        self._pieces: dict[str, dict[int, tuple[Sequence[int], list[Any]]]] = {}
        if loaded is None:
            for row, ad in enumerate(self.ads):
                self._note(row, ad)
        else:
            self.names.update(column.key for column in loaded.columns)

    def _note(self, row: int, ad: Any) -> None:
        """Take in what an ad has that concerns the table as a whole."""
        self.names.update(ad._attrs)
        if ad._chained is not None or ad._parent is not None:
            self.row_by_row |= 1 << row
            if ad._chained is not None:
                self.names.update(ad.keys() and [name.lower() for name in ad])
        else:
            self.row_by_row &= ~(1 << row)

    @property
    def redefines_scope_names(self) -> bool:
        """Whether ``MY`` or ``TARGET`` is an attribute of some row."""
        return not SCOPE_NAMES.isdisjoint(self.names)

    def has(self, name: str) -> bool:
        """Whether some row has the attribute."""
        return name in self.names or name in self._given

    def give(self, name: str, cells: Sequence[Any] | Column) -> bool:
        """Let rows have something that their ads have not; whether they had something else.

        ``name``: see classad/table/expressions/conjuncts.py.
        """
        column = cells if isinstance(cells, Column) else Column.of(cells)
        before = self._given.get(name)
        if before is not None and (before.codes, before.values) == (column.codes, column.values):
            return False
        self._given.keep(name, column, 300 + 4 * self.size + 50 * len(column.values))
        for part in self._parts.values() if before is not None else ():
            part.forget({name})
        return before is not None

    def spelled(self) -> dict[str, str]:
        """How each attribute is spelled where it was first met."""
        found: dict[str, str] = {}
        if self.loaded is not None:
            found.update((column.key, column.name) for column in self.loaded.columns)
        for ad in self.ads if self.loaded is None else map(self.ads.__getitem__, self.own):
            if ad is not None and not ad._names.keys() <= found.keys():
                for key, name in ad._names.items():
                    found.setdefault(key, name)
        return found

    def ad(self, row: int) -> ClassAd:
        """The ad of a row."""
        ad = self.ads[row]
        if ad is None:
            assert self.loaded is not None
            ad = self.ads[row] = self.loaded.ad(row, ClassAd)
            self.own.add(row)
            if self._places is not None:
                self._places[id(ad)] = row
        return ad

    def ads_of(self, rows: Sequence[int]) -> Iterator[ClassAd]:
        """The ads of some rows, which rise; those made for that are not kept."""
        if self.loaded is None or _FEW * len(rows) < self.size:
            for row in rows:
                ad = self.ads[row]
                yield ad if ad is not None or self.loaded is None else self.loaded.ad(row, ClassAd)  # type: ignore[misc]
            return
        place = 0
        for row, made in enumerate(self.loaded.to_ads(ClassAd)):
            if place < len(rows) and rows[place] == row:
                place += 1
                own = self.ads[row]
                yield made if own is None else own

    def column(self, name: str) -> Column | None:
        """The column of an attribute (a folded name); None if no row has it."""
        if name in self._given:
            return self._given[name]
        if name not in self._columns:
            self._columns[name] = self._column(name) if self.has(name) else None
        return self._columns[name]

    def row_by_row_for(self, partner: ClassAd | None) -> int:
        """The rows that a partner has to be asked about one by one, such as itself."""
        if self._places is None:
            self._places = {id(ad): row for row, ad in enumerate(self.ads) if ad is not None}
        row = self._places.get(id(partner))
        return self.row_by_row if row is None else self.row_by_row | 1 << row

    def built(self, name: str) -> Column | None:
        """The column of an attribute, if it has been asked for before."""
        return self._columns.get(name) or self._given.get(name)

    def cell(self, name: str, row: int) -> Any:
        """What a row has for an attribute, of which no column is made: that would cost more."""
        column = self._columns.get(name) or self._given.get(name)
        if column is not None:
            return column.values[column.codes[row]]
        return self.peek(name, (row,))[0] if self.has(name) else None

    def cells(self, name: str, rows: Sequence[int]) -> tuple[list[Any], list[Any]]:
        """What some rows, which rise, have, and what tells that apart."""
        cells = self.peek(name, rows)
        keys = list(map(cell_key, cells))
        self._pieces.setdefault(name, {})[id(rows)] = rows, keys
        return cells, keys

    def peek(self, name: str, rows: Sequence[int]) -> list[Any]:
        """The same without noting that somebody wants to know."""
        if self.loaded is None:
            return [ad._attrs.get(name) for ad in map(self.ads.__getitem__, rows) if ad is not None]
        column = self.loaded.column(name)
        found: list[Any] = [None] * len(rows)
        if column is not None:
            found = self.loaded.cells(column, rows, self._reader(name))
        for place, row in enumerate(rows if self.own else ()):
            ad = self.ads[row]
            if ad is not None:
                found[place] = ad._attrs.get(name)
        return found

    def _reader(self, name: str) -> Callable[[int], Any]:
        """What gives the value of an attribute that a text is: an expression, a list or an ad.

        Equal texts have one object.
        """
        known: dict[int, Any] = {}
        loaded = self.loaded
        assert loaded is not None

        def read(number: int) -> Any:
            found = known.get(number)
            if found is None:
                found = known[number] = loaded.stored(name, _NOWHERE, number)
            return found

        return read

    def _column(self, name: str) -> Column:
        if self.loaded is None:
            return Column.of([ad._attrs.get(name) for ad in self.ads if ad is not None])
        loaded = self.loaded.column(name)
        codes = NO_CODES * self.size
        values: list[Any] = [None]
        if loaded is not None:
            numbers, first = number_pairs(loaded.payload, loaded.tags)
            values = self.loaded.picked(loaded, first, self._reader(name))
            if loaded.rows is None:
                codes = numbers
            else:
                codes = array("i", [len(values)]) * self.size
                for row, number in zip(loaded.rows, numbers, strict=True):
                    codes[row] = number
                values.append(None)
        column = Column.of_codes(values, codes)
        column.give((row, self.ad(row)._attrs.get(name)) for row in self.own)
        return column

    @cached_property
    def open_names(self) -> list[str]:
        """The attributes that some row may have an expression for, or had when it was loaded."""
        loaded, found = self.loaded, []
        if loaded is None:
            return list(set().union(*[_open_in(ad) for ad in self.ads if ad is not None]))
        for column in map(loaded.columns.__getitem__, loaded.with_expressions):
            # Most are lists and ads, which need not be made to be told from expressions.
            if not loaded.are_values(column.key, _texts(column)):
                found.append(column.key)
        return found

    def trees_apart(self, part: Part, names: Sequence[str]) -> bool:
        """Whether in each row these attributes are expressions of their own, none another's too.

        Which expression is under way is told by the object.
        """
        rows = range(self.size) if part.rows is None else part.rows
        ads = map(self.ads.__getitem__, rows)
        return all(ad is None or is_apart(ad, names) for ad in ads)

    def part(self, bits: int) -> Part:
        """The part that consists of these rows."""
        part = self._parts.get(bits)
        if part is None:
            part = Part(next(self._uids), self.size, bits, self)
            self._parts.keep(bits, part, 2000 + self.size // 7 + 4 * len(part.rows or ()))
        return part

    def forget(self) -> None:
        """Forget what was noted of the rows for the sake of expressions."""
        self.shapes.forget()
        self._given.drop()
        self._pieces.clear()
        self._parts.drop()
        self.everything.forget(None)
        self._parts.keep(self.everything.bits, self.everything, 0)

    def replace_many(self, ads: Mapping[int, ClassAd]) -> tuple[set[str], bool]:
        """Other ads for some rows: columns in which that matters, and whether expressions do."""
        before, row_by_row = self.names.copy(), self.row_by_row
        structural = False
        for row, ad in ads.items():
            self.ads[row] = ad
            self._note(row, ad)
            structural = structural or not is_apart(ad, ad._attrs)
        self.own.update(ads)
        self._places = None
        changed: set[str] = self.names - before
        structural |= bool(changed) or row_by_row != self.row_by_row
        known = self.__dict__.get("open_names")
        if known is not None and not set(known).issuperset(chain(*map(_open_in, ads.values()))):
            del self.__dict__["open_names"]
        for name in changed:
            self._columns.pop(name, None)
        for name, column in self._columns.items():
            if column is not None:
                cells = [(row, ad._attrs.get(name)) for row, ad in ads.items()]
                other, concerned = column.give(cells)
                structural |= concerned
                if other:
                    changed.add(name)
        for row, ad in ads.items() if self._pieces else ():
            self._replace_in_pieces(row, ad, changed)
        self._forget_changed(changed, structural)
        return changed, structural

    def read_again(self, names: Iterable[str]) -> tuple[set[str], bool]:
        """The same of some attributes of all rows, which may have changed in the ads."""
        changed: set[str] = set()
        structural = False
        for name in names:
            column = self._columns.get(name)
            if column is not None:
                fresh = self._columns[name] = self._column(name)
                if not column.same(fresh):
                    changed.add(name)
                    structural |= bool(column.expressions or fresh.expressions)
        self._forget_changed(changed, structural)
        return changed, structural

    def _forget_changed(self, changed: set[str], structural: bool) -> None:
        """Forget what follows from columns that have changed."""
        if not (changed or structural):
            return
        self.edits += 1
        for name in changed:
            self.edited[name] = self.edits
        for part in self._parts.values():
            part.forget(None if structural else changed)
        if structural:
            self._pieces.clear()

    def _replace_in_pieces(self, row: int, ad: ClassAd, changed: set[str]) -> None:
        """The same of what has been looked at for some rows."""
        for name, pieces in self._pieces.items():
            key = cell_key(ad._attrs.get(name))
            for rows, keys in pieces.values():
                place = bisect_left(rows, row)
                if place < len(rows) and rows[place] == row and keys[place] != key:
                    keys[place] = key
                    changed.add(name)


#: The ad that lists and ads in loaded cells belong to.
_NOWHERE: Final = ClassAd()


def _texts(column: LoadedColumn) -> set[int]:
    """The numbers of the texts of expressions, lists and ads in a column."""
    _, first = number_pairs(column.payload, column.tags)
    tags = map(column.tags.__getitem__, first)
    return set(compress(map(column.payload.__getitem__, first), map(Tag.EXPRESSION.__eq__, tags)))


def _open_in(ad: ClassAd) -> list[str]:
    """The attributes of an ad that are more than plain values."""
    return [name for name, cell in ad._attrs.items() if cell.__class__ not in PLAIN]


def is_apart(ad: ClassAd, names: Iterable[str]) -> bool:
    """Whether attributes of an ad are expressions of their own, none another's too."""
    trees = [id(cell) for cell in map(ad._attrs.get, names) if cell.__class__ is Expression]
    return len(set(trees)) == len(trees)


__all__ = ["SCOPE_NAMES", "Store", "is_apart"]
