"""Columns: for every row the code of what it has for one attribute, and what the codes stand for.

Two rows have the same if they have an equal value of one type, an expression of equal text, equal
lists or ads, or nothing.  Numbers come first and rise, so that a comparison with a constant changes
at one code only.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from classad.ads.ad import Ad, ListValue
from classad.ads.expression import Expression as ExprTree
from classad.language.values import AbsTime, Value
from classad.table.arrays.arrays import pick
from classad.table.expressions.shapes import text_of

#: Cells that say all there is to say.
PLAIN: Final = frozenset({bool, int, float, str, Value, AbsTime, type(None)})
_NUMBERS: Final = frozenset({bool, int, float})


class Column:
    """One attribute of all rows: ``values[codes[row]]`` is what a row has, None for nothing.

    The first ``ordered`` values are numbers (not booleans) that rise.  ``expressions``: the codes
    whose values depend on more than themselves.
    """

    __slots__ = ("codes", "expressions", "key", "numbers", "ordered", "values")

    def __init__(self, key: str, values: list[Any], codes: array[int], ordered: int) -> None:
        self.key = key
        self.values, self.codes, self.ordered = values, codes, ordered
        self.numbers: dict[object, int] | None = None
        self.expressions = _open_among(values)

    @classmethod
    def of(cls, key: str, cells: Sequence[Any]) -> Column:
        """The column of what each row has."""
        kinds = set(map(type, cells))
        coded = _by_value(cells) if _plainly(kinds) else None
        if coded is None:
            coded = _by_key(cells)
        return cls(key, *coded)

    @classmethod
    def of_codes(cls, key: str, values: list[Any], codes: array[int]) -> Column:
        """The column of distinct values and the place of each row's among them."""
        places, ordered = _order(values)
        if not ordered:
            return cls(key, values, codes, 0)
        number = array("i", bytes(4 * len(values)))
        for code, place in enumerate(places):
            number[place] = code
        return cls(key, [values[place] for place in places], pick(number, codes), ordered)

    def moved(self, values: list[Any], codes: array[int], ordered: int) -> Column:
        """The same attribute of other rows; ``values``: those of this column, or some of them."""
        found = Column.__new__(Column)
        found.key, found.values, found.codes, found.ordered = self.key, values, codes, ordered
        found.numbers = None
        found.expressions = self.expressions
        if values is not self.values and self.expressions:
            found.expressions = _open_among(values)
        return found

    def set(self, row: int, cell: Any) -> bool:
        """Give a row another cell; whether the expressions are concerned."""
        if self.numbers is None:
            self.numbers = {cell_key(value): code for code, value in enumerate(self.values)}
        key = cell_key(cell)
        code = self.numbers.get(key)
        if code is None:
            code = self.numbers[key] = len(self.values)
            self.values.append(cell)
            if is_open(cell):
                self.expressions |= {code}
        before = self.codes[row]
        self.codes[row] = code
        return before != code and (before in self.expressions or code in self.expressions)

    def cell(self, row: int) -> Any:
        """What a row has."""
        return self.values[self.codes[row]]


def cell_key(cell: Any) -> Any:
    """Tells a cell from all that differ from it."""
    kind = cell.__class__
    if kind is float:
        return (kind, repr(cell))
    if kind in PLAIN:
        return (kind, cell)
    if kind is ExprTree:
        return text_of(cell)
    if kind is ListValue:
        return ("list", *map(cell_key, cell.items))
    return ("ad", *[(name, cell_key(value)) for name, value in cell._attrs.items()])


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


_Coded = tuple[list[Any], "array[int]", int]


def _plainly(kinds: Iterable[type]) -> bool:
    """Whether cells of these kinds are the same if Python says that they are equal."""
    found = set(kinds)
    return found <= PLAIN - {Value, AbsTime} and len(found & _NUMBERS) <= 1


def _by_value(cells: Sequence[Any]) -> _Coded | None:
    """The codes of cells that are told apart by ``==``; None if that does not do."""
    distinct = dict.fromkeys(cells)
    if float in map(type, distinct) and (0.0 in distinct or any(v != v for v in distinct)):
        return None  # there are two zeros
    return _coded(list(distinct), cells, list)


def _by_key(cells: Sequence[Any]) -> _Coded:
    """The codes of any cells."""
    known: dict[int, Any] = {}
    keys: list[Any] = []
    for cell in cells:
        kind = cell.__class__
        if kind is float or kind in PLAIN:
            keys.append(cell_key(cell))
            continue
        key = known.get(id(cell))
        if key is None:
            key = known[id(cell)] = cell_key(cell)
        keys.append(key)
    first: dict[object, Any] = {}
    for key, cell in zip(keys, cells, strict=True):
        first.setdefault(key, cell)
    return _coded(list(first.values()), keys, lambda values: [cell_key(v) for v in values])


def _coded(
    values: list[Any], keys: Sequence[Any], keys_of: Callable[[list[Any]], list[Any]]
) -> _Coded:
    """Put the values in the order of their codes and give every row its code."""
    places, numbers = _order(values)
    ordered = [values[place] for place in places]
    code_of = {key: code for code, key in enumerate(keys_of(ordered))}
    codes = array("i", map(code_of.__getitem__, keys))
    return ordered, codes, numbers


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
