"""Puts candidates in order from the front, of which usually only the first few are ever wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from negotiator.columns.rank_keys import Keys
from negotiator.matching.candidate import Candidate

#: So many are sorted at first, usually the first of them is enough; then so many times more.
_FIRST: Final = 16
_MORE: Final = 8


class LazyEntries:
    """Candidates best first, made when their place is asked for."""

    def __init__(self, keys: Keys, make: Callable[[int], Candidate]) -> None:
        """``make``: the candidate that a row is."""
        self._size = len(keys.rows)
        self._keys = keys
        self._make = make
        self._made: list[Candidate] = []
        #: The rows at the front.
        self._order: list[int] = []

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
        if place >= len(self._order):
            self._order = self._keys.first(max(_FIRST, _MORE * place))
        return self._order[place]
