"""Keeps slots as sets of rows, by something that they are; a set is made when it is asked for."""

from __future__ import annotations

from array import array
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
