"""Checks the recorded orders in which the C++ library's sort leaves elements.

Decides how such a file is recognised and taken apart: a case for each recorded order.

Inputs: parsed files.  Outputs: the kinds.  Each case is sorted by both kernels, where the C one is
there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from classad.kernels import backends, sort_order
from pieslice.data import Content
from tests.conform.runner import Case, Kind, Mismatch


def check_sorted(case: Case) -> list[Mismatch]:
    """The places of elements, the best first; equal ones in the order of the library."""
    wanted = case["order"]
    orders = {backend: sort_order([case["ranks"]], backend) for backend in backends}
    return [
        Mismatch(f"order ({backend})", wanted, order)
        for backend, order in orders.items()
        if order != wanted
    ]


def _orders(content: Content) -> Iterable[Case] | None:
    """The orders of a file; all elements of an ``equal`` one are equal."""
    if not isinstance(content, dict) or not {"about", "mixed"} <= set(content):
        return None
    equal = ((f"equal {n}", [0] * int(n), o) for n, o in content.get("equal", {}).items())
    mixed = ((f"mixed {i}", row["keys"], row["order"]) for i, row in enumerate(content["mixed"]))
    return [
        {"id": name, "ranks": ranks, "order": order}
        for found in (equal, mixed)
        for name, ranks, order in found
    ]


SORT_KINDS: Final = (
    Kind(
        "order of equal elements",
        lambda case: {"ranks", "order"} <= set(case),
        check_sorted,
        frozenset(("id", "ranks", "order")),
        _orders,
    ),
)
