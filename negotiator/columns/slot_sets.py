"""Slots as sets of rows, by something that they have.

Decision here: none.  A set is one integer, whose bit r stands for row r; it is made when it is
asked for, which for most values of most things never happens.  Inputs: the rows of the slots and
a value for each.  Outputs: sets.

Never here: what the values mean.
Follows: nothing; it is bookkeeping.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, TypeVar

from classad.table.arrays.arrays import bits_of, flag

T = TypeVar("T")
#: So many sets are kept.
_KEPT: Final = 256
#: Up to so many rows become a set one by one.
_FEW: Final = 8


class SlotSets(Generic[T]):
    """The slots by a value of theirs."""

    def __init__(self, rows: array[int], size: int, values: Sequence[T]) -> None:
        """``rows``: those that are slots, rising, of a table of ``size``."""
        self._rows = rows
        self._size = size
        self._numbers = {value: code for code, value in enumerate(dict.fromkeys(values))}
        self._codes = array("i", map(self._numbers.__getitem__, values))
        self._members: list[list[int]] | None = None
        self._known: dict[T, int] = {}

    @property
    def values(self) -> Iterable[T]:
        """The values that there are."""
        return self._numbers

    def of(self, value: T) -> int:
        """The slots with a value."""
        found = self._known.get(value)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()  # a set of many slots takes some room
            code = self._numbers.get(value)
            found = self._known[value] = 0 if code is None else self._bits(code)
        return found

    def _bits(self, code: int) -> int:
        rows = self._rows_by_code[code]
        if len(rows) > _FEW:
            return bits_of(array("i", rows), self._size)
        found = 0
        for row in rows:
            found |= 1 << row
        return found

    @property
    def _rows_by_code(self) -> list[list[int]]:
        if self._members is None:
            self._members = [[] for _ in self._numbers]
            for row, code in zip(self._rows, self._codes, strict=True):
                self._members[code].append(row)
        return self._members

    def where(self, chosen: Callable[[T], bool]) -> int:
        """The slots with certain values."""
        return self._flagged([code for value, code in self._numbers.items() if chosen(value)])

    def _flagged(self, codes: list[int]) -> int:
        if not codes:
            return 0
        table = bytearray(len(self._numbers))
        for code in codes:
            table[code] = 1
        rows = None if len(self._rows) == self._size else self._rows
        return flag(self._codes, rows, bytes(table), self._size)


class Weighed:
    """The slots by weight, whatever is no number before all others."""

    def __init__(self, sets: SlotSets[float]) -> None:
        self._sets = sets
        key = _heaviness
        self._weights = sorted(sets.values, key=key, reverse=True)
        self._known: dict[int, int] = {}

    def too_heavy(self, permitted: Callable[[float], bool]) -> int:
        """The slots of weights that are not permitted; a weight is if a greater one is."""
        if not self._weights or permitted(self._weights[0]):
            return 0
        low, high = 1, len(self._weights)
        while low < high:
            middle = (low + high) // 2
            if permitted(self._weights[middle]):
                high = middle
            else:
                low = middle + 1
        found = self._known.get(low)
        if found is None:
            found = self._known[low] = self._sets.where(set(self._weights[:low]).__contains__)
        return found


def _heaviness(weight: float) -> tuple[bool, float]:
    return (weight != weight, weight)
