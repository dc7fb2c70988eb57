"""Computes the order in which the negotiator sees the slots and the submitters of a pool.

The collector walks its hash tables.  The order of that walk, the *pool order*, is the one in which
slots are tested and, with it, decides which of several equal candidates is taken; likewise the
order of submitters that nothing else tells apart, and in which their shares are summed, to the last
bit.

Inputs: names in the order in which the collector first heard of them (for a saved pool: the order
of the file, which is the best guess there is).  Outputs: positions into that sequence.
Follows: the collector's tables in HTCondor 25.14.1; pinned by the recorded scan orders of the
negotiation vectors, and by what a collector returned for 10, 90 and 135 submitter ads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

#: Buckets of a fresh table.
FIRST_SIZE: Final = 7
#: Entries per bucket from which the table grows.
MAX_LOAD: Final = 0.8
_MASK: Final = 2**64 - 1


def name_hash(name: str) -> int:
    """``h = h * 33 + byte`` over the name's bytes, unsigned, 64 bits."""
    value = 0
    for byte in name.encode("utf-8", "surrogateescape"):
        value = (value * 33 + byte) & _MASK
    return value


class CollectorTable:
    """A table of the collector, which keeps the size it has grown to when all entries leave it."""

    def __init__(self) -> None:
        self._size = FIRST_SIZE

    def order(self, names: Sequence[str]) -> list[int]:
        """Positions of ``names`` in the order of the walk, once they are all that is in it."""
        hashes = [name_hash(name) for name in names]
        table: list[list[int]] = [[] for _ in range(self._size)]
        for position, value in enumerate(hashes):
            table[value % len(table)].insert(0, position)
            if (position + 1) / len(table) >= MAX_LOAD:
                table = _grown(table, hashes)
        self._size = len(table)
        return list(_walk(table))


def pool_order(names: Sequence[str]) -> list[int]:
    """Positions of ``names`` (in order of insertion) in the order of a fresh table's walk."""
    return CollectorTable().order(names)


def submitter_order(
    submitters: Sequence[tuple[str, str]], table: CollectorTable | None = None
) -> list[int]:
    """Positions of submitters (name, name of the schedd) in the order of the table's walk."""
    return (table or CollectorTable()).order([name + schedd for name, schedd in submitters])


def _walk(table: list[list[int]]) -> Iterable[int]:
    """Buckets ascending; inside a bucket from the front."""
    return (position for bucket in table for position in bucket)


def _grown(table: list[list[int]], hashes: Sequence[int]) -> list[list[int]]:
    """The next larger table; the entries move in walk order, each to the front of its bucket."""
    size = 2 * (len(table) + 1) - 1
    larger: list[list[int]] = [[] for _ in range(size)]
    for position in _walk(table):
        larger[hashes[position] % size].insert(0, position)
    return larger
