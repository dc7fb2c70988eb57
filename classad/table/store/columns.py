"""Columns: for every row the code of what it has for one attribute, and what the codes stand for.

Two rows have the same if they have an equal value of one type, an expression of equal text, lists
or ads that print alike, or nothing.  Numbers come first and rise, so that a comparison with a
constant changes at one code only.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, Protocol

from classad.ads.ad import Ad, ListValue, prepared
from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.language.values import UNDEFINED, AbsTime, Value
from classad.table.arrays import NO_CODES, bits_of, flag, number_pairs, pick, rows_of
from classad.table.memo import Budget, Memo
from classad.table.shapes import text_of
from classad.table.vectors import Vector

#: Cells that say all there is to say.
PLAIN: Final = frozenset({bool, int, float, str, Value, AbsTime, type(None)})
_NUMBERS: Final = frozenset({bool, int, float})
#: Cells that are what they were as long as they are the same object.
_NEVER_CHANGED: Final = PLAIN | {Expression}
#: Values that no row has any more are kept, up to so many besides.
_MANY_UNUSED: Final = 64


class Column:
    """One attribute of all rows: ``values[codes[row]]`` is what a row has, None for nothing.

    The first ``ordered`` values are numbers (not booleans) that rise.  ``expressions``: the codes
    whose values depend on more than themselves.
    """

    __slots__ = ("codes", "expressions", "numbers", "ordered", "shared", "values")

    def __init__(
        self,
        values: list[Any],
        codes: array[int],
        ordered: int,
        expressions: frozenset[int] | None = None,
    ) -> None:
        self.values, self.codes, self.ordered = values, codes, ordered
        self.numbers: dict[object, int] | None = None
        #: Whether another store has a column of the same list of values.
        self.shared = False
        self.expressions = _open_among(values) if expressions is None else expressions

    @classmethod
    def of(cls, cells: Sequence[Any]) -> Column:
        """The column of what each row has."""
        keys = cells if _plainly(cells) else _keys(cells)
        first = dict(zip(keys, cells, strict=True))
        number = {key: place for place, key in enumerate(first)}
        codes = array("i", map(number.__getitem__, keys))
        return cls.of_codes(list(first.values()), codes)

    @classmethod
    def of_codes(cls, values: list[Any], codes: array[int]) -> Column:
        """The column of distinct values and the place of each row's among them."""
        places, ordered = _order(values)
        if not ordered:
            return cls(values, codes, 0)
        number = NO_CODES * len(values)
        for code, place in enumerate(places):
            number[place] = code
        return cls([values[place] for place in places], pick(number, codes), ordered)

    def moved(self, values: list[Any], codes: array[int], ordered: int) -> Column:
        """The same attribute of other rows; ``values``: those of this column, or some of them."""
        same = values is self.values
        keeps = same or not self.expressions
        other = Column(values, codes, ordered, self.expressions if keeps else None)
        self.shared = other.shared = self.shared or same
        return other

    def give(self, cells: Iterable[tuple[int, Any]]) -> tuple[bool, bool]:
        """Give some rows other cells; whether one has changed, and whether expressions have."""
        values, codes = self.values, self.codes
        given = [
            (row, cell_key(cell), cell)
            for row, cell in cells
            if values[codes[row]] is not cell or cell.__class__ not in _NEVER_CHANGED
        ]
        if not given:
            return False, False
        if self.numbers is None:
            self.numbers = {cell_key(value): code for code, value in enumerate(values)}
        numbers = self.numbers
        if self.shared and not all(key in numbers for _, key, _ in given):
            self.values, self.shared = values.copy(), False
            values = self.values
        changed = concerned = False
        for row, key, cell in given:
            code, before = numbers.get(key), codes[row]
            if code is None:
                code = numbers[key] = len(values)
                values.append(cell)
                if is_open(cell):
                    self.expressions |= {code}
            if code != before:
                codes[row], changed = code, True
                concerned |= before in self.expressions or code in self.expressions
        if len(values) > _MANY_UNUSED + 2 * len(codes):
            self._number_anew()
        return changed, concerned

    def same(
        self, other: Column, keys: list[Any] | None = None, others: list[Any] | None = None
    ) -> bool:
        """Whether they say the same of every row by the same codes.

        ``keys``: of the values, if kept from before.
        """
        if self.codes != other.codes:
            return False
        if keys is None and others is None:
            if self.values is other.values:
                return True
            keys, others = list(map(cell_key, self.values)), list(map(cell_key, other.values))
        return keys == others

    def _number_anew(self) -> None:
        """Forget the values that no row has any more."""
        fresh = Column.of(list(map(self.values.__getitem__, self.codes)))
        self.values, self.codes, self.numbers = fresh.values, fresh.codes, None
        self.ordered, self.expressions = fresh.ordered, fresh.expressions

    def cell(self, row: int) -> Any:
        """What a row has."""
        return self.values[self.codes[row]]


def in_use(codes: array[int], size: int) -> tuple[list[int], array[int]]:
    """The codes, below ``size``, that rows have, rising, and the place of each row's among them."""
    used = sorted(set(codes))
    number = NO_CODES * size
    for place, code in enumerate(used):
        number[code] = place
    return used, pick(number, codes)


def cell_key(cell: Any) -> Any:
    """Tells a cell from all that differ from it."""
    kind = cell.__class__
    if kind is float:
        return (kind, repr(cell))
    if kind in PLAIN:
        return (kind, cell)
    if kind is Expression:
        return text_of(cell)
    if kind is ListValue:
        return ("list", *map(cell_key, cell.items))
    # As they are spelled: what prints an ad tells two spellings apart.
    return ("ad", *[(cell._names[name], cell_key(value)) for name, value in cell._attrs.items()])


def is_nested(cell: Any) -> bool:
    """Whether a cell is a list or an ad."""
    kind = cell.__class__
    return kind is ListValue or (kind not in PLAIN and isinstance(cell, Ad))


def is_open(cell: Any) -> bool:
    """Whether what a cell is depends on anything else: it is an expression or contains one."""
    if cell.__class__ in PLAIN:
        return False
    if cell.__class__ is ListValue:
        return any(map(is_open, cell.items))
    return not isinstance(cell, Ad) or any(map(is_open, cell._attrs.values()))


def _open_among(values: list[Any]) -> frozenset[int]:
    """The places of values that depend on anything else."""
    if PLAIN.issuperset(map(type, values)):
        return frozenset()
    return frozenset(place for place, value in enumerate(values) if is_open(value))


def _plainly(cells: Sequence[Any]) -> bool:
    """Whether cells are the same if Python says that they are equal."""
    kinds = set(map(type, cells))
    if not kinds <= PLAIN - {Value, AbsTime} or len(kinds & _NUMBERS) > 1:
        return False
    # There are two zeros, and a NaN is not equal to itself.
    if float not in kinds:
        return True
    distinct = set(cells)
    return 0.0 not in distinct and all(value == value for value in distinct)


def _keys(cells: Sequence[Any]) -> list[Any]:
    """What tells any cells apart."""
    known: dict[int, Any] = {}
    keys: list[Any] = []
    for cell in cells:
        if cell.__class__ in PLAIN:
            keys.append(cell_key(cell))
            continue
        key = known.get(id(cell))
        if key is None:
            key = known[id(cell)] = cell_key(cell)
        keys.append(key)
    return keys


def _order(values: Sequence[Any]) -> tuple[Sequence[int], int]:
    """The places of values in the order of their codes: numbers first, rising; and their number."""
    kinds = list(map(type, values))
    if int not in kinds and float not in kinds:
        return range(len(values)), 0
    numbers = [place for place, kind in enumerate(kinds) if kind is int or kind is float]
    if float in kinds:
        numbers = [place for place in numbers if values[place] == values[place]]
    others: Iterable[int] = ()
    if len(numbers) < len(values):
        others = sorted(set(range(len(values))).difference(numbers))
    numbers.sort(key=values.__getitem__)
    return [*numbers, *others], len(numbers)


class Joint(NamedTuple):
    """``codes``: the combination of each row; ``cells``: by column those of each combination.

    ``ordered``: so many combinations, of one column, are numbers that rise.
    """

    codes: array[int]
    cells: list[list[Any]]
    ordered: int

    @property
    def size(self) -> int:
        """How many combinations there are."""
        return len(self.cells[0])

    @property
    def samples(self) -> Sequence[tuple[Any, ...]]:
        """The cells of each combination."""
        return list(zip(*self.cells, strict=True))


class ColumnView(NamedTuple):
    """A column as far as the rows of a part go: its fields are those of a ``Column``."""

    values: list[Any]
    codes: array[int]
    ordered: int
    expressions: frozenset[int]


class PartSource(Protocol):
    """Where a part gets its columns."""

    budget: Budget

    def column(self, name: str) -> Column | None:
        """The column of all rows."""


class Part:
    """Some rows of a table, or all.

    ``bits``: the same rows as a set; ``rows``: their numbers, None for all of them.
    """

    __slots__ = (
        "_bases",
        "_joints",
        "_source",
        "_splits",
        "_vectors",
        "_views",
        "bits",
        "rows",
        "size",
        "uid",
    )

    def __init__(self, uid: int, size: int, bits: int, source: PartSource) -> None:
        """``size``: of the whole table."""
        self.uid = uid
        self.size = size
        self.bits = bits
        self.rows = None if bits.bit_count() == size else rows_of(bits)
        self._source = source
        budget = source.budget
        self._views: Memo[str, ColumnView] = Memo(budget)
        self._bases: Memo[tuple[str, ...], tuple[ClassAd, tuple[str, ...]]] = Memo(budget)
        self._joints: Memo[tuple[str, ...], Joint] = Memo(budget)
        self._splits: Memo[str, list[tuple[Any, int]]] = Memo(budget)
        self._vectors: Memo[tuple[tuple[str, ...], str], tuple[Vector, bool]] = Memo(budget)

    def forget(self, names: set[str] | None) -> None:
        """Columns have changed; None: all of them."""
        for single in (self._views, self._splits):
            single.drop(None if names is None else names.__contains__)
        for several in (self._joints, self._bases):
            several.drop(None if names is None else lambda key: not names.isdisjoint(key))
        self._vectors.drop(None if names is None else lambda key: not names.isdisjoint(key[0]))

    def view(self, name: str) -> ColumnView:
        """The column of an attribute, for these rows."""
        found = self._views.get(name)
        if found is None:
            found = self._look(name)
            size = 0 if self.rows is None else 4 * len(self.rows) + 8 * len(found.values)
            self._views.keep(name, found, 300 + size)
        return found

    def _look(self, name: str) -> ColumnView:
        whole = self._source.column(name)
        assert whole is not None
        if self.rows is None:
            return ColumnView(whole.values, whole.codes, whole.ordered, whole.expressions)
        used, codes = in_use(pick(whole.codes, self.rows), len(whole.values))
        expressions = [bisect_left(used, code) for code in whole.expressions.intersection(used)]
        ordered = bisect_left(used, whole.ordered)
        return ColumnView(
            [whole.values[code] for code in used], codes, ordered, frozenset(expressions)
        )

    def has_expressions(self, name: str) -> bool:
        """Whether some cell may be no plain value."""
        return bool(self.view(name).expressions)

    def split(self, name: str) -> list[tuple[Any, int]]:
        """The rows by the expression they have, None for plain cells, as sets."""
        found = self._splits.get(name)
        if found is None:
            view = self.view(name)
            found = self._by_expression(view) if view.expressions else [(None, self.bits)]
            self._splits.keep(name, found, 200 + len(found) * (100 + self.size // 7))
        return found

    def _by_expression(self, view: ColumnView) -> list[tuple[Any, int]]:
        by_code = {code: array("i") for code in sorted(view.expressions)}
        rest, found, many = self.bits, [], len(by_code) > _MANY
        rows = range(self.size) if self.rows is None else self.rows
        for row, code in zip(rows, view.codes, strict=True) if many else ():
            if code in by_code:
                by_code[code].append(row)
        for code, places in by_code.items():
            if many:
                bits = bits_of(places, self.size)
            else:
                one = bytes(code) + b"\1" + bytes(len(view.values) - code - 1)
                bits = flag(view.codes, self.rows, one, self.size)
            if bits:
                found.append((view.values[code], bits))
                rest ^= bits
        return [(None, rest), *found] if rest else found

    def constant(self, name: str) -> bool:
        """Whether all rows have the same cell."""
        return len(self.view(name).values) == 1

    def cell(self, name: str) -> Any:
        """The cell that all rows have."""
        return self.view(name).values[0]

    def base(self, names: tuple[str, ...]) -> tuple[ClassAd, tuple[str, ...]]:
        """An ad with what all rows have alike, and the names in which they differ.

        It is for the caller to give it those, and nothing else.
        """
        found = self._bases.get(names)
        if found is None:
            row = ClassAd()
            for name in names:
                if self.constant(name):
                    put_cell(row, name, self.cell(name))
            varying = tuple([name for name in names if not self.constant(name)])
            found = self._bases.keep(names, (row, varying), 600 + 150 * len(names))
        return found

    def joint(self, names: tuple[str, ...]) -> Joint:
        """The combinations of cells of one or more columns."""
        found = self._joints.get(names)
        if found is None:
            views = [self.view(name) for name in names]
            if len(views) == 1:
                (view,) = views
                found = Joint(view.codes, [view.values], view.ordered)
            else:
                found = _combined(views)
            cells = 4 * len(found.codes) + 8 * found.size * len(names)
            self._joints.keep(names, found, 300 + (0 if len(views) == 1 else cells))
        return found

    def vector(self, names: tuple[str, ...], name: str) -> tuple[Vector, bool]:
        """The cells of a column in the combinations of some; whether there are rows without.

        Those count as undefined.  No cell may be an expression.
        """
        found = self._vectors.get((names, name))
        if found is None:
            joint = self.joint(names)
            cells = joint.cells[names.index(name)]
            missing = None in cells
            found = Vector.of(_values(cells)), missing
            found[0].ordered = joint.ordered
            self._vectors.keep((names, name), found, 600 + 17 * len(cells))
        return found

    def alike(self, name: str) -> tuple[Vector, bool]:
        """The same of the cell that all rows have."""
        cell = self.cell(name)
        return Vector.constant(*_values([cell])), cell is None


#: Up to so many expressions are looked for one after the other, without a loop in Python.
_MANY: Final = 64
#: Kinds of cells that are values.
_VALUES: Final = PLAIN - {type(None)}


def _combined(views: list[ColumnView]) -> Joint:
    codes = views[0].codes
    first = array("i")
    for view in views[1:]:
        codes, first = number_pairs(codes, view.codes)
    cells = [list(map(view.values.__getitem__, pick(view.codes, first))) for view in views]
    return Joint(codes, cells, 0)


def put_cell(ad: ClassAd, name: str, cell: Any) -> None:
    """Give an ad the cell of a row; lists and ads come to belong to it."""
    attrs = ad._attrs
    if cell is None:
        attrs.pop(name, None)
        return
    if is_nested(cell):
        cell = prepared(cell, ad)
    attrs[name] = cell
    ad._names[name] = name


def _values(cells: list[Any]) -> list[Any]:
    """Cells as values."""
    if _VALUES.issuperset(map(type, cells)):
        return list(cells)
    home = ClassAd()
    found = [UNDEFINED if cell is None else cell for cell in cells]
    return [cell if cell.__class__ in _VALUES else prepared(cell, home) for cell in found]
