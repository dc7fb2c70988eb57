"""Says what may have been meant by a name that nothing has: the same words in every command.

Inputs: the name, those that there are.  Outputs: the end of an error message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from classad.errors import suggest

#: Names that are listed where none is near.
MAX_NAMES: Final = 4


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean `x`?``, or nothing if no name is near."""
    near = suggest(name, known)
    return "" if near is None else f"; did you mean `{near}`?"


def listed(names: Iterable[str]) -> str:
    """Some names, and how many more there are."""
    every = list(names)
    more = len(every) - MAX_NAMES
    return ", ".join(every[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
