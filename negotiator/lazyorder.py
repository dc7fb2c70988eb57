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

from negotiator.candidates import Candidate
from negotiator.columnkeys import Keys
from negotiator.ordering import best_first

#: So many are looked for before all are sorted: usually the first is enough.
_STEPS: Final = (2, 16)


class LazyEntries:
    """Candidates best first, made when their place is asked for."""

    def __init__(self, keys: Keys, make: Callable[[int], Candidate]) -> None:
        """``make``: the candidate that the row is at a place of the keys."""
        self._size = len(keys.rows)
        self._keys = keys
        self._make = make
        self._made: list[Candidate] = []
        #: The places of the rows at the front, and of all of them once they are sorted.
        self._order: list[int] = []
        self._steps = list(_STEPS)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: int) -> Candidate:
        if not 0 <= place < self._size:
            raise IndexError(place)
        while len(self._made) <= place:
            self._made.append(self._make(self._next(len(self._made))))
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

    def _next(self, place: int) -> int:
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
        keys = list(map(self._keys.at, best))
        for number, (one, other) in enumerate(pairwise(keys)):
            if one == other:
                sure = number
                break
        return best[:sure]

    def _sorted(self) -> list[int]:
        # Rows that are all equal are shuffled, too.
        return best_first(self._keys.columns() or [array("d", bytes(8 * self._size))])
