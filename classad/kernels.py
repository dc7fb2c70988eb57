"""Chooses and orders rows by columns of numeric keys, in C when it is there.

Inputs: columns, each a sequence of numbers of one length, or keys of some rows; the first one
decides first, larger is better.  Outputs: lists of row numbers, best first.
Backends: ``backend`` says which one works, ``"c"`` (csrc/) or ``"python"`` (this file); results are
identical.  ``CLASSAD_KERNELS=auto|c|python`` chooses, read once at import: the one place of this
package where the environment speaks, and it never changes an answer.
Follows: ``std::sort`` of the GNU C++ library for ``sort_order``, including its order of equal
elements, which a negotiation cycle shows to its users.
"""

from __future__ import annotations

import os
from array import array
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from classad._kernels import _FFI, _Lib

    #: Keys of so many rows, some of the rows, how many places are wanted, whether equal rows keep
    #: their order (and a NaN is below all numbers) or stand as the library has them.
    _Order = Callable[[Sequence["OrderKey"], int, "array[int]", int, bool], list[int]]

#: The number of the interface in csrc/kernels.h that this file speaks.
INTERFACE: Final = 17
#: The code of a kernel that has run out of memory.
NO_MEMORY: Final = -4
#: Ranges up to this length are left to the final insertion sort.
INSERTION_LENGTH: Final = 16


class OrderKey(NamedTuple):
    """What orders rows: a value for each row, or for each code that rows have.

    With ``kinds`` of all rows it is ``other`` where the kind is 0; if they are to be the codes
    (``of_kinds``), the value of the kind where it is not.
    """

    values: array[float]
    codes: array[int] | None = None
    kinds: bytes | bytearray | None = None
    other: float = 0.0
    of_kinds: bool = False

    def at(self, row: int) -> float:
        """The key of a row."""
        kind = 1 if self.kinds is None else self.kinds[row]
        if kind == 0:
            return self.other
        place = kind if self.of_kinds else row if self.codes is None else self.codes[row]
        return self.values[place] if place < len(self.values) else self.other


def sort_order(columns: Sequence[Sequence[float]], with_backend: str | None = None) -> list[int]:
    """The rows in the order in which GNU ``std::sort`` leaves them all, best first.

    Up to 16 rows equal ones keep their order, above that the library shuffles them, always in the
    same way.  A NaN is neither better nor worse than anything: the next column decides.
    ``with_backend``: one of ``backends``, not the one that works.
    """
    if not columns:
        raise ValueError("there is no key column")
    count = len(columns[0])
    for column in columns:
        if len(column) != count:
            raise ValueError(f"key columns of different lengths: {count} and {len(column)}")
    keys = [OrderKey(array("d", column)) for column in columns]
    order = _order if with_backend is None else _choose(with_backend)[1]
    return order(keys, count, array("i", range(count)), count, False)


def top_rows(keys: Sequence[OrderKey], size: int, rows: array[int], k: int) -> list[int]:
    """The ``k`` best of some rows, which rise, of ``size`` that have keys; equal ones keep order.

    All of them when there are fewer.  A NaN is below all numbers and equal to another NaN.
    """
    if k < 0:
        raise ValueError(f"the number of rows to choose is negative: {k}")
    _check(keys, size)
    return _order(keys, size, rows, min(k, len(rows)), True)


def sort_rows(keys: Sequence[OrderKey], size: int, rows: array[int], wanted: int) -> list[int]:
    """The first ones, of some rows without a NaN, in the order in which ``sort_order`` has them.

    ``size`` rows have keys; ``rows``: some of these, in the order in which they stand.
    """
    _check(keys, size)
    return _order(keys, size, rows, min(wanted, len(rows)), False)


def _check(keys: Sequence[OrderKey], size: int) -> None:
    for key in keys:
        of_rows = key.kinds if key.of_kinds else key.values if key.codes is None else key.codes
        if of_rows is None or len(of_rows) < size or (key.kinds and len(key.kinds) < size):
            raise ValueError(f"a key has not what {size} rows want")


# ---- Python ------------------------------------------------------------------------------------


class _OrderedRow(tuple[float, ...]):
    """The keys of a row with a NaN: compared column by column, NaN deciding nothing."""

    __slots__ = ()

    def __gt__(self, other: tuple[float, ...]) -> bool:
        for left, right in zip(self, other, strict=True):
            if left > right:
                return True
            if left < right:
                return False
        return False


def _order_python(
    keys: Sequence[OrderKey], size: int, rows: array[int], wanted: int, stable: bool
) -> list[int]:
    columns: list[Any] = [list(map(key.at, rows)) for key in keys]
    order = list(range(len(rows)))
    has_nan = any(key != key for column in columns for key in column)
    if has_nan and stable:  # below all numbers
        columns = [[(key == key, key if key == key else 0.0) for key in c] for c in columns]
    table: list[tuple[float, ...]] = list(zip(*columns, strict=True)) or [()] * len(rows)
    if has_nan and not stable:
        _introsort([_OrderedRow(row) for row in table], order)
    elif stable or len(distinct := set(table)) == len(rows):  # then there is only one order
        order.sort(key=table.__getitem__, reverse=True)
    else:
        # One number a distinct row: comparing integers is several times faster than tuples.
        levels = {row: level for level, row in enumerate(sorted(distinct))}
        _introsort([levels[row] for row in table], order)
    return [rows[place] for place in order[:wanted]]


def _introsort(key: Sequence[Any], order: list[int]) -> None:
    """Sort row numbers by falling key as libstdc++ does; csrc/select.c is the same in C."""
    rows = len(order)
    ranges = [(0, rows, 2 * (rows.bit_length() - 1))]
    while ranges:
        first, last, depth_left = ranges.pop()
        while last - first > INSERTION_LENGTH:
            if depth_left == 0:
                order[first:last] = _heap_sort(key, order[first:last])
                break
            depth_left -= 1
            cut = _partition(key, order, first, last)
            # The library recurses here; the ranges do not overlap, so the order is free.
            ranges.append((cut, last, depth_left))
            last = cut
    _insertion_sort(key, order)


def _partition(key: Sequence[Any], order: list[int], first: int, last: int) -> int:
    place = _median_place(key, order, first, last)
    order[first], order[place] = order[place], order[first]
    pivot = key[order[first]]
    i, j = first + 1, last
    while True:
        # The first bound only ever stops an intransitive (NaN) comparison; the pivot stops j.
        while i < last and key[order[i]] > pivot:
            i += 1
        j -= 1
        while pivot > key[order[j]]:
            j -= 1
        if i >= j:
            return i
        order[i], order[j] = order[j], order[i]
        i += 1


def _median_place(key: Sequence[Any], order: list[int], first: int, last: int) -> int:
    a, b, c = first + 1, first + (last - first) // 2, last - 1
    key_a, key_b, key_c = key[order[a]], key[order[b]], key[order[c]]
    if key_a > key_b:
        if key_b > key_c:
            return b
        return c if key_a > key_c else a
    if key_a > key_c:
        return a
    return c if key_b > key_c else b


def _heap_sort(key: Sequence[Any], heap: list[int]) -> list[int]:
    for parent in reversed(range(len(heap) // 2)):
        _adjust_heap(key, heap, len(heap), parent, heap[parent])
    for end in range(len(heap) - 1, 0, -1):
        moved = heap[end]
        heap[end] = heap[0]
        _adjust_heap(key, heap, end, 0, moved)
    return heap


def _adjust_heap(key: Sequence[Any], heap: list[int], length: int, hole: int, moved: int) -> None:
    """Fill the hole with ``moved``: down along the better children, then up to its place."""
    top = child = hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if key[heap[child]] > key[heap[child - 1]]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if length % 2 == 0 and child == (length - 2) // 2:
        child = 2 * child + 1
        heap[hole] = heap[child]
        hole = child
    while hole > top and key[heap[(hole - 1) // 2]] > key[moved]:
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = moved


def _insertion_sort(key: Sequence[Any], order: list[int]) -> None:
    for i in range(1, len(order)):
        moved = order[i]
        moved_key = key[moved]
        hole = i
        if i < INSERTION_LENGTH and moved_key > key[order[0]]:
            hole = 0
        else:
            while hole > 0 and moved_key > key[order[hole - 1]]:
                hole -= 1
        if hole != i:
            order.insert(hole, order.pop(i))


# ---- C -----------------------------------------------------------------------------------------


def checked(code: int) -> int:
    """What a kernel returned, which is negative if it has refused its arguments."""
    if code == NO_MEMORY:
        raise MemoryError("no memory for the C kernels")
    if code < 0:
        raise ValueError(f"the C kernel refused its arguments (code {code})")
    return code


def _order_of_c(ffi: _FFI, lib: _Lib) -> _Order:
    new = ffi.new_allocator(should_clear_after_alloc=False)

    def ints(values: array[int]) -> object:
        return ffi.from_buffer("int32_t[]", values)

    def order(
        keys: Sequence[OrderKey], size: int, rows: array[int], wanted: int, stable: bool
    ) -> list[int]:
        given: Any = ffi.new("ca_key[]", len(keys))
        kept: list[object] = []  # what the keys point to
        for key, (values, codes, kinds, other, of_kinds) in zip(given, keys, strict=True):
            key.values, key.size, key.other = (
                ffi.from_buffer("double[]", values),
                len(values),
                other,
            )
            kept.append(key.values)
            if codes is not None:
                kept.append(ints(codes))
                key.codes = kept[-1]
            if kinds is not None:
                kept.append(ffi.from_buffer("unsigned char[]", kinds))
                key.kinds, key.of_kinds = kept[-1], of_kinds
        count = len(rows)
        first, scratch = new("double[]", count), new("int32_t[]", 3 * count)
        found = new("int32_t[]", count)
        checked(
            lib.ca_order(
                count, len(keys), given, size, ints(rows), wanted, stable, first, scratch, found
            )
        )
        return ffi.unpack(found, wanted)

    return order


def _extension(wanted: str) -> tuple[_FFI, _Lib] | None:
    """The extension module's two halves, or None where Python does the work."""
    if wanted not in ("auto", "c", "python"):
        raise ImportError(f"CLASSAD_KERNELS is `{wanted}`, not one of auto, c, python")
    if wanted == "python":
        return None
    try:
        from classad._kernels import ffi, lib
    except ImportError:
        if wanted == "c":
            raise
        return None
    if lib.ca_interface() != INTERFACE:
        raise ImportError("classad._kernels was built from other sources: build it again")
    return ffi, lib


def _choose(wanted: str) -> tuple[str, _Order]:
    found = _extension(wanted)
    return ("python", _order_python) if found is None else ("c", _order_of_c(*found))


_WANTED: Final = os.environ.get("CLASSAD_KERNELS", "") or "auto"
#: What the C parser (classad/syntax/native.py) and loader are called through; None without them.
native: Final = _extension(_WANTED)
backend, _order = _choose(_WANTED)
#: All that are there.
backends: Final = tuple(dict.fromkeys((backend, "python")))
