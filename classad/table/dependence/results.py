"""Keeps what was found for partners, by what they have for the attributes that decide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from classad.table.dependence.partner import Asked, Key, Partner, key_of
from classad.table.memory.budget import Budget, Result

R = TypeVar("R", bound=Result)


class Results(Generic[R]):
    """Results by what a partner has for the ``asked`` names: ``known`` by ``key_of`` its keys."""

    __slots__ = ("_budget", "asked", "key_of", "known")

    def __init__(self, asked: Sequence[Asked], budget: Budget) -> None:
        self._budget = budget
        self.known: dict[Key, R] = {}
        self.ask_for(asked)

    def ask_for(self, asked: Sequence[Asked]) -> None:
        """These attributes decide; whatever was found by others is to be forgotten before."""
        self.asked = asked
        self.key_of = key_of(asked)

    def find(self, partner: Partner) -> R | None:
        """What was found for a partner that is the same."""
        return self.known.get(self.key_of(partner.keys))

    def keep(self, partner: Partner, found: R) -> R:
        """Keep what was found for partners like this one."""
        self._budget.add(self.known, self.key_of(partner.keys), found)
        return found

    def forget(self, unwanted: Callable[[R], bool] | None = None) -> None:
        """Forget some results, or all."""
        self._budget.drop(self.known, unwanted)


__all__ = ["R", "Results"]
