"""Defines ``Rows``: a set of row numbers of a table, as one integer with a bit for each row."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from classad.table.arrays.arrays import bits_of, rows_of, without


class Rows:
    """Some rows of a table of ``size`` rows.

    >>> some = Rows.of(8, [1, 2, 5])
    >>> 2 in some, len(some), list(some & Rows.of(8, [2, 5, 7])), list(~some)
    (True, 3, [2, 5], [0, 3, 4, 6, 7])
    """

    __slots__ = ("bits", "size")

    def __init__(self, size: int, bits: int = 0) -> None:
        """``bits``: bit r stands for row r."""
        self.size = size
        self.bits = bits

    @classmethod
    def all(cls, size: int) -> Rows:
        """Every row."""
        return cls(size, (1 << size) - 1)

    @classmethod
    def of(cls, size: int, rows: Iterable[int]) -> Rows:
        """The rows given; ``IndexError`` for one that the table does not have."""
        try:
            given = array("i", rows)
        except OverflowError:
            raise IndexError(f"there are no such rows in a table of {size}") from None
        if given and not 0 <= min(given) <= max(given) < size:
            wrong = next(row for row in given if not 0 <= row < size)
            raise IndexError(f"there is no row {wrong} in a table of {size}")
        return cls(size, bits_of(given, size))

    def __contains__(self, row: int) -> bool:
        return 0 <= row < self.size and bool(self.bits >> row & 1)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers())

    def numbers(self) -> array[int]:
        """The row numbers, rising, as a flat array of 32-bit integers."""
        return rows_of(self.bits)

    def mask(self) -> bytes:
        """One byte for each row, 1 or 0."""
        flags = bytearray(self.size)
        for row in self.numbers():
            flags[row] = 1
        return bytes(flags)

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __bool__(self) -> bool:
        return self.bits != 0

    def first(self) -> int | None:
        """The lowest row; None if there is none."""
        return (self.bits & -self.bits).bit_length() - 1 if self.bits else None

    def add(self, row: int) -> None:
        """Put a row in."""
        self._check(row)
        self.bits |= 1 << row

    def discard(self, row: int) -> None:
        """Take a row out, if it is there."""
        if row in self:
            self.bits ^= 1 << row

    def copy(self) -> Rows:
        """The same rows, as a set of its own."""
        return Rows(self.size, self.bits)

    def __and__(self, other: Rows) -> Rows:
        return Rows(self.size, self.bits & self._other(other))

    def __or__(self, other: Rows) -> Rows:
        return Rows(self.size, self.bits | self._other(other))

    def __xor__(self, other: Rows) -> Rows:
        return Rows(self.size, self.bits ^ self._other(other))

    def __sub__(self, other: Rows) -> Rows:
        return Rows(self.size, without(self.bits, self._other(other)))

    def __invert__(self) -> Rows:
        return Rows(self.size, self.bits ^ ((1 << self.size) - 1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and (self.size, self.bits) == (other.size, other.bits)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Rows {len(self)} of {self.size}>"

    def _check(self, row: int) -> None:
        if not 0 <= row < self.size:
            raise IndexError(f"there is no row {row} in a table of {self.size}")

    def _other(self, other: Rows) -> int:
        if other.size != self.size:
            raise ValueError(f"rows of tables of {self.size} and {other.size} rows")
        return other.bits
