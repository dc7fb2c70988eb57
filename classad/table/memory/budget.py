"""Counts the bytes that a table keeps for later answers, and says which of them go.

Two kinds are counted.  *Results*, such as the rows in which an expression is true, go one by one,
those first that were not used for longest.  *Notes* are what was found out about expressions and
columns on the way: shapes, plans, programs, combinations of cells.  They refer to each other, so
the table forgets all of them at once when they are ``full``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

#: Bytes, unless a table is given another number.
DEFAULT: Final = 512 * 2**20


class Result(Protocol):
    """Something that is kept.  ``cost``: its bytes; ``used``: when it was last asked for."""

    used: int

    @property
    def cost(self) -> int: ...


K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", bound=Result)
#: A home of results and the key of one.
_Place = tuple[dict[object, Result], object]


class Budget:
    """An account of what is kept.  ``now`` counts the requests, for marking what is used."""

    def __init__(self, limit: int = DEFAULT) -> None:
        self.limit = limit
        self.spent = 0
        self.noted = 0
        self.now = 0
        self._most = limit // 2
        self._kept: list[_Place] = []
        self._crowded = 10_000

    @property
    def held(self) -> int:
        """The bytes that are kept, about."""
        return self.spent + self.noted

    # --- notes ----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Spare as many notes as there are now: they are what one request needs."""
        self._most = max(self.limit // 2, 2 * self.noted)

    @property
    def full(self) -> bool:
        """Whether all notes are to be forgotten."""
        return self.noted > self._most

    def start_again(self) -> None:
        """Count no notes: those there were have been forgotten."""
        self.noted = 0
        self._most = self.limit // 2

    # --- results --------------------------------------------------------------------------------

    def clear(self) -> None:
        """Give up all results."""
        for home, key in self._kept:
            home.pop(key, None)
        self._kept.clear()
        self.spent = 0

    def add(self, home: dict[K, R], key: K, result: R) -> None:
        """Keep a result; old ones go if there are too many."""
        result.used = self.now
        before = home.get(key)
        if before is None:
            self._kept.append((home, key))  # type: ignore[arg-type]
        else:
            self.spent -= before.cost
        home[key] = result
        self.spent += result.cost
        if len(self._kept) > self._crowded:
            self._kept = self._there()
            self._crowded = 2 * len(self._kept) + 10_000
        if self.spent > self.limit:
            self._shrink()

    def drop(self, home: dict[K, R], unwanted: Callable[[R], bool] | None = None) -> None:
        """Give up some results of one home, or all."""
        for key in [key for key, result in home.items() if unwanted is None or unwanted(result)]:
            self.spent -= home.pop(key).cost

    def _there(self) -> list[_Place]:
        """The results that are still kept, each once, though it may have been given up before."""
        found = {(id(home), key): (home, key) for home, key in self._kept if key in home}
        return list(found.values())

    def _shrink(self) -> None:
        """Give up the less recently used half."""
        kept = [(home, key, home[key]) for home, key in self._there()]
        kept.sort(key=lambda entry: entry[2].used)
        self.spent = sum(entry[2].cost for entry in kept)
        for place, (home, key, _) in enumerate(kept):
            if self.spent <= self.limit // 2:
                self._kept = [(home, key) for home, key, _ in kept[place:]]
                return
            self.spent -= home.pop(key).cost
        self._kept = []


class Notes(dict[K, V]):
    """Notes of one kind, by what they are about; ``keep`` puts them in."""

    __slots__ = ("_budget", "_sizes")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._sizes: dict[K, int] = {}

    def keep(self, key: K, value: V, size: int) -> V:
        """Note something that takes so many bytes, about."""
        self._budget.noted += size - self._sizes.get(key, 0)
        self._sizes[key] = size
        self[key] = value
        return value

    def drop(self, unwanted: Callable[[K], bool] | None = None) -> None:
        """Forget some notes, or all."""
        for key in [key for key in self if unwanted is None or unwanted(key)]:
            del self[key]
            self._budget.noted -= self._sizes.pop(key)


__all__ = ["DEFAULT", "Budget", "Notes", "Result"]
