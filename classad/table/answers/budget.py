"""How many bytes of results are kept, and which go first.

What is decided here: results that have not been used for longest are given up.
Inputs: results with a ``cost`` in bytes and a ``used`` mark.  Never here: what they mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

#: Bytes, unless a table is given another number.
DEFAULT: Final = 512 * 2**20


class Budget:
    """An account of kept results.  ``now`` counts the requests, for marking what is used."""

    def __init__(self, limit: int = DEFAULT) -> None:
        self.limit = limit
        self.spent = 0
        self.now = 0
        self._kept: list[tuple[dict[Any, Any], Any]] = []
        self._crowded = 10_000

    def add(self, home: dict[Any, Any], key: Any, result: Any) -> None:
        """Keep a result; old ones go if there are too many."""
        result.used = self.now
        before = home.get(key)
        if before is None:
            self._kept.append((home, key))
        else:
            self.spent -= before.cost
        home[key] = result
        self.spent += result.cost
        if len(self._kept) > self._crowded:
            self._kept = self._there()
            self._crowded = 2 * len(self._kept) + 10_000
        if self.spent > self.limit:
            self._shrink()

    def drop(self, home: dict[Any, Any], unwanted: Callable[[Any], bool]) -> None:
        """Give up some results of one home."""
        for key in [key for key, result in home.items() if unwanted(result)]:
            self.spent -= home.pop(key).cost

    def clear(self) -> None:
        """Give up everything."""
        for home, key in self._kept:
            home.pop(key, None)
        self._kept.clear()
        self.spent = 0

    def _there(self) -> list[tuple[dict[Any, Any], Any]]:
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
