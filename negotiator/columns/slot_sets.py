"""Keeps slots as sets of rows, by something that they are; a set is made when it is asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from classad.table.arrays.arrays import bits_of, flag

T = TypeVar("T")


class SlotSets(Generic[T]):
    """The slots by a value of theirs.  A set is an integer, whose bit r stands for row r."""

    def __init__(self, rows: array[int], size: int, values: Sequence[T]) -> None:
        """``rows``: those that are slots, rising, of a table of ``size``."""
        self._rows = rows
        self._size = size
        self._numbers = {value: code for code, value in enumerate(dict.fromkeys(values))}
        self._codes = array("i", map(self._numbers.__getitem__, values))

    @property
    def values(self) -> Iterable[T]:
        """The values that there are."""
        return self._numbers

    def of(self, value: T) -> int:
        """The slots with a value."""
        code = self._numbers.get(value)
        return 0 if code is None else bits_of(self._by_code[code], self._size)

    @cached_property
    def _by_code(self) -> list[array[int]]:
        found = [array("i") for _ in self._numbers]
        for row, code in zip(self._rows, self._codes, strict=True):
            found[code].append(row)
        return found

    def where(self, chosen: Callable[[T], bool]) -> int:
        """The slots with certain values."""
        table = bytes(map(chosen, self._numbers))
        rows = None if len(self._rows) == self._size else self._rows
        return flag(self._codes, rows, table, self._size) if any(table) else 0


class Weighed:
    """The slots by weight, whatever is no number before all others."""

    def __init__(self, sets: SlotSets[float]) -> None:
        self._sets = sets
        self._weights = sorted(sets.values, key=_heaviness, reverse=True)
        self._known: dict[int, int] = {}

    def too_heavy(self, permitted: Callable[[float], bool]) -> int:
        """The slots of weights that are not permitted; a weight is if a greater one is."""
        if not self._weights or permitted(self._weights[0]):
            return 0
        heavy = bisect_left(self._weights, True, key=permitted)
        found = self._known.get(heavy)
        if found is None:
            found = self._known[heavy] = self._sets.where(set(self._weights[:heavy]).__contains__)
        return found


def _heaviness(weight: float) -> tuple[bool, float]:
    return (weight != weight, weight)
