"""Counts the concurrency limits of a cycle: what a text asks for, whether there is room for it.

How much a limit has in all is read by ``policy.groups.read_limits``.  Follows "Concurrency Limits"
in HTCondor's manual and the vectors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from classad.patterns import late_regex

_SEPARATORS: Final = late_regex(r"[\s,]+")
_NAME: Final = late_regex(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?", re.ASCII)
_NUMBER: Final = late_regex(r"\s*[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?)", re.ASCII)


def parse_limits(text: str) -> Iterator[tuple[str, float]]:
    """Names and increments of a limit text; invalid names are left out."""
    for token in _SEPARATORS.split(text.lower()):
        name, _, amount = token.partition(":")
        if _NAME.fullmatch(name):
            number = _NUMBER.match(amount)
            increment = float(number.group()) if number else 0.0
            yield name, increment if increment > 0 else 1.0


class ConcurrencyCounts:
    """The counts of one cycle; they only grow: a preempted claim keeps its part."""

    def __init__(self, maximum: Callable[[str], float], in_use: Iterable[str]) -> None:
        """``maximum``: by limit name; ``in_use``: limit texts at the head of the cycle."""
        self._maximum = maximum
        self._counts: dict[str, float] = {}
        #: Names of the limits that refused requests since one was not refused for its limits.
        self.full: set[str] = set()
        for text in in_use:
            self.take(text)

    def take(self, text: str) -> None:
        """Count the limits of a match."""
        for name, increment in parse_limits(text):
            self._counts[name] = self._counts.get(name, 0.0) + increment

    def states(self) -> list[tuple[str, float, float]]:
        """The limits that something uses: name, count, maximum."""
        return [(name, count, self._maximum(name)) for name, count in self._counts.items()]

    def state_of(self, text: str) -> list[tuple[str, float, float, float]]:
        """For each limit of a text: its name, the count, what the text adds, the maximum."""
        return [
            (name, self._counts.get(name, 0.0), increment, self._maximum(name))
            for name, increment in parse_limits(text)
        ]

    def has_room(self, text: str) -> bool:
        """Whether every single token has room; tokens of one name are not added up."""
        for name, increment in parse_limits(text):
            if self._counts.get(name, 0.0) + increment > self._maximum(name):
                self.full.add(name)
                return False
        return True
