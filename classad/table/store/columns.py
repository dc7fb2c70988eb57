"""Columns: for every row the code of what it has for one attribute, and what the codes stand for.

Two rows have the same if they have an equal value of one type, an expression of equal text, lists
or ads that print alike, or nothing.  Numbers come first and rise, so that a comparison with a
constant changes at one code only.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Final

from classad.ads.ad import Ad, ListValue
from classad.ads.expression import Expression
from classad.language.values import AbsTime, Value
from classad.table.arrays.arrays import NO_CODES, pick
from classad.table.expressions.shapes import text_of

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

    __slots__ = ("codes", "expressions", "numbers", "ordered", "values")

    def __init__(
        self,
        values: list[Any],
        codes: array[int],
        ordered: int,
        expressions: frozenset[int] | None = None,
    ) -> None:
        self.values, self.codes, self.ordered = values, codes, ordered
        self.numbers: dict[object, int] | None = None
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
        same = values is self.values or not self.expressions
        return Column(values, codes, ordered, self.expressions if same else None)

    def give(self, cells: Iterable[tuple[int, Any]]) -> tuple[bool, bool]:
        """Give some rows other cells; whether one has changed, and whether expressions have."""
        values, codes = self.values, self.codes
        given = [
            (row, cell_key(cell), cell)
            for row, cell in cells
            if values[codes[row]] is not cell or cell.__class__ not in _NEVER_CHANGED
        ]
        if self.numbers is None and given:
            self.numbers = {cell_key(value): code for code, value in enumerate(values)}
        numbers = self.numbers or {}
        if not all(key in numbers for _, key, _ in given):
            self.values = values = values.copy()  # other stores may have columns of them
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
