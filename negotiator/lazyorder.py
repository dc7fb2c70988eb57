"""Candidates in order, of which usually only the first few are ever wanted.

Decision here: none; the order is that of sorting all of them.  Rows that are better than every one
behind them stand first in any order, so they are handed out without sorting the rest.  Where rows
are equal, all are sorted after all.  Inputs: rows and what gives their keys, none of them NaN.
Outputs: candidates by place.

Never here: the values of the keys, which candidate is taken.
Follows: ``std::sort`` of the GNU library, as ``negotiator.ordering``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final, Protocol

from classad.table.moving import rows_of
from negotiator.candidates import Candidate
from negotiator.ordering import best_first

#: So many are looked for before all are sorted: usually the first is enough.
_STEPS: Final = (2, 16)


class Ranked(Protocol):
    """What rows are ordered by."""

    def best(self, k: int) -> list[int]:
        """The best rows, best first; equal ones in row order."""

    def of(self, row: int) -> Any:
        """Equal for rows that are equal."""

    def gather(self, rows: array[int]) -> list[array[float]]:
        """The keys of some rows, the first column decides first.

        Columns that are equal for all may be left out.
        """


class LazyEntries:
    """Candidates best first, made when their place is asked for."""

    def __init__(self, bits: int, keys: Ranked, make: Callable[[int], Candidate]) -> None:
        """``bits``: the rows as a set; ``make``: the candidate that a row is."""
        self._size = bits.bit_count()
        self._bits = bits
        self._keys = keys
        self._make = make
        self._made: list[Candidate] = []
        #: The rows at the front, and all of them once they are sorted.
        self._order: list[int] = []
        self._steps = list(_STEPS)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: int) -> Candidate:
        if not 0 <= place < self._size:
            raise IndexError(place)
        while len(self._made) <= place:
            self._made.append(self._make(self._row(len(self._made))))
        return self._made[place]

    def insert(self, place: int, candidate: Candidate) -> None:
        """Put a candidate in; all the others are made."""
        if self._size:
            self[self._size - 1]
        self._made.insert(place, candidate)
        self._size += 1

    def first_in_order(self) -> Candidate | None:
        """The first in row order of the best; None if there is none."""
        return self._make(self._keys.best(1)[0]) if self._size else None

    def _row(self, place: int) -> int:
        """The row at a place."""
        while place >= len(self._order):
            self._order = self._longer()
        return self._order[place]

    def _longer(self) -> list[int]:
        """More rows at the front than before, if need be all of them."""
        if self._steps:
            found = self._front(self._steps.pop(0))
            if len(found) > len(self._order):
                return found
        return self._sorted()

    def _front(self, most: int) -> list[int]:
        """The rows at the front that are better than all behind them."""
        best = self._keys.best(most)
        sure = len(best) if len(best) == self._size else len(best) - 1
        for i, (one, other) in enumerate(pairwise(best)):
            if self._keys.of(one) == self._keys.of(other):
                sure = i
                break
        return best[:sure]

    def _sorted(self) -> list[int]:
        rows = rows_of(self._bits)
        # Rows that are all equal are shuffled, too.
        columns = self._keys.gather(rows) or [array("d", bytes(8 * len(rows)))]
        return [rows[place] for place in best_first(columns)]
