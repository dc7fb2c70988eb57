"""Knows the universes of jobs: their names, and the numbers that ``JobUniverse`` has for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: Numbers by the names that submit files and UNIVERSE of routes take.
UNIVERSES: Final[Mapping[str, int]] = {
    "standard": 1, "vanilla": 5, "docker": 5, "container": 5, "scheduler": 7, "mpi": 8, "grid": 9,
    "java": 10, "parallel": 11, "local": 12, "vm": 13,
}  # fmt: skip
#: A number with several names goes by the first.
_NAMES: Final = {number: name for name, number in reversed(tuple(UNIVERSES.items()))}


def universe_name(number: int) -> str:
    """The name of a universe; the number itself where it has none any more."""
    return _NAMES.get(number, str(number))
