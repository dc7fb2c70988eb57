"""Sorts as ``std::sort`` of the GNU C++ library does.

HTCondor leaves the order of submitters, groups and candidates to it, and users can observe the
order of equal ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from classad.kernels import sort_order

__all__ = ["ascending", "best_first"]

#: Rows by columns of keys where the larger key is the better one, best first.
best_first = sort_order


def ascending(columns: Sequence[Sequence[float]]) -> list[int]:
    """Rows by columns of keys, smallest first."""
    return sort_order([[-key for key in column] for column in columns])
