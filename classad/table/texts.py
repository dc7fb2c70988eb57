"""Texts of expressions taken apart at ``&&`` before anybody reads them.

What is decided here: where that can be told without reading.  Quoted names, escapes and comments
can hide anything, so a text with one of those is left whole; so is one in which something that
binds less than ``&&`` stands beside it.
Inputs: texts that are known to be expressions.  Outputs: texts, perhaps of no expressions: if any
of them is none, the text as a whole has to be read.
Never here: what a text means.
"""

from __future__ import annotations

import re
from typing import Final

#: What can hide operators and brackets from a look at the text; inside a string it does no harm.
_HIDING: Final = ("\\", "'", "//", "/*")
_MARKS: Final = re.compile(r'"[^"]*"|&&|\|\||[()\[\]{}?:]')
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")


def conjuncts_in(text: str) -> list[str]:
    """The texts of its conjuncts from left to right; itself if it has but one, or if in doubt."""
    if "&&" not in text or any(hiding in text for hiding in _HIDING) or text.count('"') % 2:
        return [text]
    found, start, depth = [], 0, 0
    for match in _MARKS.finditer(text):
        mark = match[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
        elif depth == 0 and mark[0] != '"':
            if mark != "&&":
                return [text]
            found.append(text[start : match.start()].strip(" "))
            start = match.end()
    found.append(text[start:].strip(" "))
    return found
