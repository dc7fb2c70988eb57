"""Splits the text of an expression at ``&&`` without parsing it.

Quoted names, escapes and comments can hide anything, so a text with one of those is left whole; so
is one that has ``&&`` in a string, or beside it an operator that binds less.  What follows a call
that may move the evaluation to another ad stays with it.  The pieces need not be expressions: if
one is not, the text as a whole has to be read.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, compress, repeat
from typing import Final

from classad.evaluation.functions import names_search

#: What can hide operators and brackets from a look at the text; inside a string it does no harm.
_HIDING: Final = ("\\", "'", "//", "/*")
#: What brackets change in how many are open.
_CHANGES: Final = dict.fromkeys("([{", 1) | dict.fromkeys(")]}", -1)
#: What stands for ``||`` where a text is reduced to its operators and brackets.
_OR: Final = "\1"
#: Operators that bind less than ``&&``.
_WEAK: Final = frozenset({_OR, "?", ":"})
_OTHERS: Final = dict.fromkeys(set(range(128)) - {ord(c) for c in (*_CHANGES, *_WEAK)})
#: More brackets than a text has.
_NOWHERE: Final = sys.maxsize


@lru_cache(maxsize=1000)
def conjuncts_in(text: str) -> Sequence[str]:
    """The texts of its conjuncts from left to right; itself if it has but one, or if in doubt."""
    if "&&" not in text:
        return (text,)
    found: list[str] = []
    begun: list[str] = []
    depth = 0
    for part in text.split("&&"):
        # Texts of many jobs are made of few pieces.
        stretch = _stretch(part)
        if stretch is None or depth + stretch[1] <= 0:
            return (text,)
        depth += stretch[0]
        begun.append(part)
        if not depth:
            found.append("&&".join(begun).strip(" "))
            begun.clear()
    return (text,) if begun else _with_followers(found, text)


def _with_followers(pieces: list[str], text: str) -> list[str]:
    """The pieces; those behind one that may move the evaluation are one with it."""
    if names_search(text):
        for place, piece in enumerate(pieces):
            if names_search(piece):
                return [*pieces[:place], " && ".join(pieces[place:])]
    return pieces


@lru_cache(maxsize=1000)
def _stretch(part: str) -> tuple[int, int] | None:
    """How many brackets a piece leaves open, and the fewest that are open at a weaker operator.

    None if that cannot be told.
    """
    if part.count('"') % 2 or any(map(part.__contains__, _HIDING)):
        return None
    bare = " ".join(part.split('"')[::2])
    marks = bare.replace("||", _OR).translate(_OTHERS)
    depths = list(accumulate(map(_CHANGES.get, marks, repeat(0)), initial=0))
    return depths[-1], min(compress(depths[1:], map(_WEAK.__contains__, marks)), default=_NOWHERE)
