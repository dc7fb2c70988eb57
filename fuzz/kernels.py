"""Checks the sorting kernels: C and Python give one order.

Inputs: columns of keys.  Outputs: none; a check raises.
"""

from __future__ import annotations

from array import array

from classad import kernels
from classad.kernels import Key
from fuzz.target import Unavailable


def kernels_agree(case: tuple[list[list[float]], int]) -> None:
    """The C kernels and their Python twins give the same order."""
    try:
        _, top_c, sort_c = kernels._choose("c")
    except ImportError as missing:
        raise Unavailable(str(missing)) from missing
    _, top_python, sort_python = kernels._choose("python")
    columns, wanted = case
    rows = len(columns[0])
    keys = [Key(array("d", column)) for column in columns]
    every = array("i", range(rows))
    k = wanted % (rows + 1)
    order = sort_python(keys, rows, every, rows)
    assert sort_c(keys, rows, every, rows) == order, f"sort_order of {columns}"
    if not kernels._has_nan(columns):
        assert sort_c(keys, rows, every, k) == order[:k], f"the first {k} of {columns}"
    best = top_python(keys, rows, every, k)
    assert top_c(keys, rows, every, k) == best, f"top_k, k = {k}, of {columns}"
    some = array("i", range(wanted % 2, rows, 1 + wanted % 3))
    kinds = bytes(row * wanted % 5 % 3 for row in range(rows))
    codes = array("i", [row * wanted % 7 for row in range(rows)])
    keys = [Key(key.values, codes, kinds, 1.0) if n % 2 else key for n, key in enumerate(keys)]
    for c, python in ((sort_c, sort_python), (top_c, top_python)):
        ordered = python(keys, rows, some, len(some))
        assert c(keys, rows, some, len(some)) == ordered, f"{some} of {columns}, kinds {kinds!r}"
