"""What must hold for the sorting kernels: C and Python give one order.

Inputs: columns of keys.  Outputs: none; a check raises.
Never here: chance.
"""

from __future__ import annotations

from classad import kernels
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
    keys, _ = kernels._pack(columns)
    k = wanted % (rows + 1)
    order = sort_python(keys, rows, rows)
    assert sort_c(keys, rows, rows) == order, f"sort_order of {columns}"
    if all(key == key for key in keys):
        assert sort_c(keys, rows, k) == order[:k], f"the first {k} of {columns}"
    assert top_c(keys, rows, k) == top_python(keys, rows, k), f"top_k, k = {k}, of {columns}"
