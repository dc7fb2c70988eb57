"""Holds sets of rows, and moves codes, bits and doubles between rows.

Codes and row numbers are arrays of 32-bit integers; a set of rows is one Python integer, whose bit
r stands for row r.  What is done in C (csrc/codes.c) when it is there is done here else; the tests
compare both ways.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from classad import kernels
from classad.kernels import checked

#: Times a length: zeros.  An array made from bytes takes many times as long.
NO_CODES: Final = array("i", [0])
NO_NUMBERS: Final = array("d", [0.0])
NO_PAYLOAD: Final = array("q", [0])

if TYPE_CHECKING:
    #: The rows to which codes belong; None: as many as there are codes, from 0.
    RowNumbers = array[int] | None
    #: Whole numbers of any width.
    Values = array[int] | memoryview
    _Array = TypeVar("_Array", array[int], array[float])


def number_pairs(left: Values, right: Values) -> tuple[array[int], array[int]]:
    """A number for each row, equal for equal pairs, and for each number its first row.

    ``left`` and ``right``: codes, or payloads and tags of cells as a loader keeps them.
    """
    native, count = kernels.native, len(left)
    out = NO_CODES * count
    if native is None:
        numbers: dict[object, int] = {}
        first = array("i")
        for row, pair in enumerate(zip(left, right, strict=True)):
            number = out[row] = numbers.setdefault(pair, len(first))
            if number == len(first):
                first.append(row)
        return out, first
    ffi, lib = native
    first = NO_CODES * count
    room = 1 << max(2 * count - 1, 1).bit_length()
    slots = ffi.new("int32_t[]", room)
    given = (
        left.itemsize,
        ffi.from_buffer("char[]", left),
        right.itemsize,
        ffi.from_buffer("char[]", right),
    )
    found = lib.ca_number_pairs(count, *given, room, slots, _ints(ffi, out), _ints(ffi, first))
    return out, first[: checked(found)]


def pick(values: _Array, rows: array[int]) -> _Array:
    """The values of some rows."""
    native = kernels.native
    if native is None:
        return array(values.typecode, map(values.__getitem__, rows))
    ffi, lib = native
    out = values[:1] * len(rows)
    given, made = ffi.from_buffer("char[]", values), ffi.from_buffer("char[]", out)
    checked(lib.ca_pick(len(rows), _ints(ffi, rows), len(values), values.itemsize, given, made))
    return out


def flag(codes: array[int], rows: RowNumbers, table: bytes, size: int) -> int:
    """The rows, below ``size``, whose code has a 1 in the table."""
    native = kernels.native
    if native is None:
        return _flag(codes, rows, table, size)
    ffi, lib = native
    bits = bytearray((size + 7) // 8)
    where = ffi.NULL if rows is None else _ints(ffi, rows)
    room, held = len(bits), ffi.from_buffer("unsigned char[]", bits)
    known = ffi.from_buffer("unsigned char[]", table)
    checked(lib.ca_flag(len(codes), _ints(ffi, codes), where, len(table), known, room, held))
    return int.from_bytes(bits, "little")


def bits_of(rows: array[int], size: int) -> int:
    """The set of some rows, all below ``size``."""
    return flag(NO_CODES * len(rows), rows, b"\x01", size)


def rows_of(bits: int) -> array[int]:
    """The rows of a set, rising."""
    native = kernels.native
    if native is None:
        return array("i", [row for row, digit in enumerate(f"{bits:b}"[::-1]) if digit == "1"])
    if not bits:
        return array("i")
    ffi, lib = native
    data = bits.to_bytes((bits.bit_length() + 63) // 64 * 8, "little")
    held = ffi.from_buffer("unsigned char[]", data)
    # Many times as fast as bit_count.
    out = NO_CODES * checked(lib.ca_list_bits(len(data), held, 0, ffi.NULL))
    checked(lib.ca_list_bits(len(data), held, len(out), _ints(ffi, out)))
    return out


def without(bits: int, unwanted: int) -> int:
    """The rows that are in the first set only; many times as fast as with a complement."""
    return bits ^ (bits & unwanted) if unwanted else bits


def mark(out: bytearray, rows: array[int], kind: int) -> None:
    """Give some rows a kind, from 0 to 255."""
    native = kernels.native
    if native is None:
        for row in rows:
            out[row] = kind
        return
    ffi, lib = native
    made = ffi.from_buffer("unsigned char[]", out)
    checked(lib.ca_mark(len(rows), _ints(ffi, rows), kind, len(out), made))


# ---- Python ------------------------------------------------------------------------------------


def _flag(codes: Sequence[int], rows: RowNumbers, table: bytes, size: int) -> int:
    if rows is None:
        digits = bytes(48 + (table[code] & 1) for code in codes)
        return int(digits[::-1], 2) if digits else 0
    bits = bytearray((size + 7) // 8)
    for row, code in zip(rows, codes, strict=True):
        if table[code] & 1:
            bits[row >> 3] |= 1 << (row & 7)
    return int.from_bytes(bits, "little")


# ---- C -----------------------------------------------------------------------------------------


def _ints(ffi: Any, values: array[int]) -> Any:
    return ffi.from_buffer("int32_t[]", values)


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
        if not 0 <= row < self.size:
            raise IndexError(f"there is no row {row} in a table of {self.size}")
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

    def _other(self, other: Rows) -> int:
        if other.size != self.size:
            raise ValueError(f"rows of tables of {self.size} and {other.size} rows")
        return other.bits
