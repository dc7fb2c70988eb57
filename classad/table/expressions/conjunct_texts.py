"""Splits the text of an expression at ``&&`` without parsing it.

Quoted names, escapes and comments can hide anything, so a text with one of those is left whole; so
is one that has ``&&`` in a string, or beside it an operator that binds less.  The pieces need not
be expressions: if one is not, the text as a whole has to be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

#: What can hide operators and brackets from a look at the text; inside a string it does no harm.
_HIDING: Final = re.compile(r"\\|'|//|/\*")
_MARKS: Final = re.compile(r'"[^"]*"|&&|\|\||[()\[\]{}?:]')
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")


def conjuncts_in(text: str) -> Sequence[str]:
    """The texts of its conjuncts from left to right; itself if it has but one, or if in doubt."""
    if "&&" not in text or text.count('"') % 2 or _HIDING.search(text):
        return (text,)
    depth = 0
    outside: list[bool] = []
    for mark in _MARKS.findall(text):
        if mark == "&&":
            outside.append(depth == 0)
        elif mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif depth <= 0 and mark[0] != '"':
            return (text,)
    parts = text.split("&&")
    if depth or len(parts) != len(outside) + 1:
        return (text,)
    found: list[str] = []
    begun: list[str] = []
    for part, ends in zip(parts, [*outside, True], strict=True):
        begun.append(part)
        if ends:
            found.append("&&".join(begun).strip(" "))
            begun.clear()
    return tuple(found)
