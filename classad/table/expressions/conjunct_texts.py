"""Splits the text of an expression at ``&&`` without parsing it.

Quoted names, escapes and comments can hide anything, so a text with one of those is left whole; so
is one that has ``&&`` in a string, or beside it an operator that binds less.  The pieces need not
be expressions: if one is not, the text as a whole has to be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

#: What can hide operators and brackets from a look at the text; inside a string it does no harm.
_HIDING: Final = ("\\", "'", "//", "/*")
_MARKS: Final = re.compile(r'"[^"]*"|\|\||[()\[\]{}?:]')
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_NOWHERE: Final = 1 << 30


class Stretch(NamedTuple):
    """What stands between one ``&&`` and the next, wherever they are.

    ``change``: brackets that are open at its end and were not before it; ``lowest``: how many of
    them are at least, where something binds less.
    """

    change: int
    lowest: int


def conjuncts_in(text: str) -> Sequence[str]:
    """The texts of its conjuncts from left to right; itself if it has but one, or if in doubt."""
    return _conjuncts_in(text) if "&&" in text else (text,)


def _conjuncts_in(text: str) -> Sequence[str]:
    found: list[str] = []
    open_parts: list[str] = []
    depth = 0
    for part in text.split("&&"):
        stretch = _stretch(part)
        if stretch is None or depth + stretch.lowest <= 0:
            return (text,)
        depth += stretch.change
        open_parts.append(part)
        if not depth:
            found.append("&&".join(open_parts).strip(" "))
            open_parts.clear()
    return (text,) if open_parts else tuple(found)


def _stretch(part: str) -> Stretch | None:
    """What stands there; None if that cannot be told."""
    if part.count('"') % 2 or any(hiding in part for hiding in _HIDING):
        return None
    depth, lowest = 0, _NOWHERE
    for match in _MARKS.finditer(part):
        mark = match[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif mark[0] != '"':
            lowest = min(lowest, depth)
    return Stretch(depth, lowest)
