"""Splits the text of an expression at ``&&`` without parsing it.

Quoted names, escapes and comments can hide anything, so a text with one of those is left whole; so
is one that has ``&&`` in a string, or beside it an operator that binds less.  The pieces need not
be expressions: if one is not, the text as a whole has to be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, compress, repeat
from typing import Final

#: What can hide operators and brackets from a look at the text; inside a string it does no harm.
_HIDING: Final = ("\\", "'", "//", "/*")
#: What brackets change in how many are open.
_CHANGES: Final = dict.fromkeys("([{", 1) | dict.fromkeys(")]}", -1)
#: What stands for ``&&`` and ``||`` where a text is reduced to its operators and brackets.
_AND, _OR = "\1", "\2"
#: Operators that bind less than ``&&``.
_WEAK: Final = frozenset({_OR, "?", ":"})
_OTHERS: Final = dict.fromkeys(set(range(128)) - {ord(c) for c in (*_CHANGES, *_WEAK, _AND)})


@lru_cache(maxsize=1000)
def conjuncts_in(text: str) -> Sequence[str]:
    """The texts of its conjuncts from left to right; itself if it has but one, or if in doubt."""
    if "&&" not in text or text.count('"') % 2 or any(map(text.__contains__, _HIDING)):
        return (text,)
    bare = " ".join(text.split('"')[::2])
    marks = bare.replace("&&", _AND).replace("||", _OR).translate(_OTHERS)
    depths = list(accumulate(map(_CHANGES.get, marks, repeat(0))))
    parts = text.split("&&")
    outside = [not depth for depth in compress(depths, map(_AND.__eq__, marks))]
    weakest = min(compress(depths, map(_WEAK.__contains__, marks)), default=1)
    if len(parts) != len(outside) + 1 or depths[-1] or weakest <= 0:
        return (text,)
    if all(outside):
        return [part.strip(" ") for part in parts]
    found: list[str] = []
    begun: list[str] = []
    for part, ends in zip(parts, [*outside, True], strict=True):
        begun.append(part)
        if ends:
            found.append("&&".join(begun).strip(" "))
            begun.clear()
    return found
