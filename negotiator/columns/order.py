"""Puts candidates in order from the front, of which usually only the first few are ever wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Self

from negotiator.columns.rank_keys import Keys
from negotiator.matching.candidate import Candidate
from negotiator.pool.slots import Slot

#: So many are sorted at first, usually the first of them is enough; then so many times more.
_FIRST: Final = 16
_MORE: Final = 8


class ColumnFound:
    """Candidates that stand in columns, best first; each is made when its place is asked for."""

    def __init__(self, keys: Keys, slots: Mapping[int, Slot]) -> None:
        """``slots``: by row."""
        self._size = len(keys.rows)
        self._keys = keys
        self._slots = slots
        self._made: list[Candidate] = []
        #: The rows at the front.
        self._order: list[int] = []

    def entries(self) -> Self:
        """See ``Found``."""
        return self

    def first_best(self) -> Candidate | None:
        """See ``Found``."""
        return self.candidate(self._keys.best(1)[0]) if self._size else None

    def candidate(self, row: int) -> Candidate:
        """The candidate that a row is."""
        slot, keys = self._slots[row], self._keys
        return Candidate(row, slot, keys.at(row), keys.kind(row), slot.weight)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: int) -> Candidate:
        if not 0 <= place < self._size:
            raise IndexError(place)
        while len(self._made) <= place:
            self._made.append(self.candidate(self._next(len(self._made))))
        return self._made[place]

    def _next(self, place: int) -> int:
        if place >= len(self._order):
            self._order = self._keys.first(max(_FIRST, _MORE * place))
        return self._order[place]
