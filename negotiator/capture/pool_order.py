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

from collections.abc import Sequence
from typing import Final, NamedTuple

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


class _Entry(NamedTuple):
    """An ad in the table; ``position``: its place among the names that were given."""

    value: int
    name: str
    position: int


class CollectorTable:
    """A table of the collector, which keeps the size it has grown to when entries leave it."""

    def __init__(self) -> None:
        self._buckets: list[list[_Entry]] = [[] for _ in range(FIRST_SIZE)]

    def order(self, names: Sequence[str]) -> list[int]:
        """Positions of ``names`` in the order of the walk, after all others have left.

        Entries of before that have the same names have left, too, and come again.
        """
        self._buckets = [[] for _ in self._buckets]
        self._enter(names)
        return [entry.position for bucket in self._buckets for entry in bucket]

    def walk(self, names: Sequence[str]) -> list[str]:
        """``names`` in the order of the walk: others have left, and those not there yet come."""
        wanted = set(names)
        self._buckets = [
            [entry for entry in bucket if entry.name in wanted] for bucket in self._buckets
        ]
        there = {entry.name for bucket in self._buckets for entry in bucket}
        self._enter([name for name in names if name not in there])
        return [entry.name for bucket in self._buckets for entry in bucket]

    def _enter(self, names: Sequence[str]) -> None:
        """Put each name to the front of its bucket; a table that is full grows."""
        count = sum(map(len, self._buckets))
        for position, name in enumerate(names):
            value = name_hash(name)
            self._buckets[value % len(self._buckets)].insert(0, _Entry(value, name, position))
            count += 1
            if count / len(self._buckets) >= MAX_LOAD:
                self._grow()

    def _grow(self) -> None:
        """Move the entries to a larger table in walk order, each to the front of its bucket."""
        size = 2 * (len(self._buckets) + 1) - 1
        larger: list[list[_Entry]] = [[] for _ in range(size)]
        for bucket in self._buckets:
            for entry in bucket:
                larger[entry.value % size].insert(0, entry)
        self._buckets = larger


def pool_order(names: Sequence[str]) -> list[int]:
    """Positions of ``names`` (in order of insertion) in the order of a fresh table's walk."""
    return CollectorTable().order(names)


def submitter_order(
    submitters: Sequence[tuple[str, str]], table: CollectorTable | None = None
) -> list[int]:
    """Positions of submitters (name, name of the schedd) in the order of the table's walk."""
    return (table or CollectorTable()).order([name + schedd for name, schedd in submitters])
