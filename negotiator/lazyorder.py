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
from typing import Final

from classad.kernels import top_k
from classad.table.moving import rows_of
from negotiator.candidates import Candidate
from negotiator.ordering import best_first

#: So many are looked for before all are sorted.
_FEW: Final = 16

#: The keys of some rows, the first column decides first; those equal for all may be left out.
Gather = Callable[["array[int]"], "list[array[float]]"]


class LazyEntries:
    """Candidates best first, made when their place is asked for."""

    def __init__(self, bits: int, gather: Gather, make: Callable[[int], Candidate]) -> None:
        """``bits``: the rows as a set; ``make``: the candidate that a row is."""
        self._size = bits.bit_count()
        self._bits = bits
        self._gather = gather
        self._make = make
        self._made: list[Candidate] = []
        #: The rows at the front, and all of them once they are sorted.
        self._order: list[int] = []
        self._rows: array[int] | None = None
        self._columns: list[array[float]] = []

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
        if not self._size:
            return None
        rows, columns = self._look()
        return self._make(rows[top_k(columns, 1)[0]] if columns else rows[0])

    def _row(self, place: int) -> int:
        """The row at a place."""
        if place >= len(self._order):
            self._order = self._sorted() if self._order else (self._front() or self._sorted())
        return self._order[place]

    def _look(self) -> tuple[array[int], list[array[float]]]:
        if self._rows is None:
            self._rows = rows_of(self._bits)
            self._columns = self._gather(self._rows)
        return self._rows, self._columns

    def _front(self) -> list[int]:
        """The rows at the front that are better than all behind them."""
        rows, columns = self._look()
        if len(rows) == 1:
            return [rows[0]]
        if not columns:
            return []
        best = top_k(columns, _FEW)
        sure = len(best) if len(best) == len(rows) else len(best) - 1
        for i, (one, other) in enumerate(pairwise(best)):
            if all(column[one] == column[other] for column in columns):
                sure = i
                break
        return [rows[place] for place in best[:sure]]

    def _sorted(self) -> list[int]:
        rows, columns = self._look()
        # Rows that are all equal are shuffled, too.
        order = best_first(columns or [array("d", bytes(8 * len(rows)))])
        return [rows[place] for place in order]
