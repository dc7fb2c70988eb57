"""Checks the sorting kernels: C and Python give one order.

Inputs: columns of keys.  Outputs: none; a check raises.
"""

from __future__ import annotations

from array import array

from classad import kernels
from classad.kernels import OrderKey
from fuzz.target import Unavailable


def kernels_agree(case: tuple[list[list[float]], int]) -> None:
    """The C kernels and their Python twins give the same order."""
    try:
        _, in_c = kernels._choose("c")
    except ImportError as missing:
        raise Unavailable(str(missing)) from missing
    _, in_python = kernels._choose("python")
    columns, wanted = case
    rows = len(columns[0])
    keys = [OrderKey(array("d", column)) for column in columns]
    every = array("i", range(rows))
    k = wanted % (rows + 1)
    order = in_python(keys, rows, every, rows, False)
    assert in_c(keys, rows, every, rows, False) == order, f"sort_order of {columns}"
    if not any(key != key for column in columns for key in column):
        assert in_c(keys, rows, every, k, False) == order[:k], f"the first {k} of {columns}"
    best = in_python(keys, rows, every, k, True)
    assert in_c(keys, rows, every, k, True) == best, f"top_k, k = {k}, of {columns}"
    some = array("i", range(wanted % 2, rows, 1 + wanted % 3))
    kinds = bytes(row * wanted % 5 % 3 for row in range(rows))
    codes = array("i", [row * wanted % 7 for row in range(rows)])
    keys = [OrderKey(key.values, codes, kinds, 1.0) if n % 2 else key for n, key in enumerate(keys)]
    for stable in (False, True):
        ordered = in_python(keys, rows, some, len(some), stable)
        found = in_c(keys, rows, some, len(some), stable)
        assert found == ordered, f"{some} of {columns}, kinds {kinds!r}"
