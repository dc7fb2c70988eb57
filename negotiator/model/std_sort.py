"""Orders that HTCondor leaves to the C++ library's unstable sort, ties included.

Decision here: in which order submitters and groups have their turn.  Inputs: columns of keys.
Outputs: positions, first turn first.

Never here: the values of the keys.
Follows: ``std::sort`` of the GNU library, whose order of equal elements users can observe.
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
