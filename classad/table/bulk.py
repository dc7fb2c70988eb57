"""Functions of a constant and many strings, with the work that all strings share done once.

What is decided here: nothing about the functions; each falls back (None) to being called once for
each value.  The tests compare both ways.
Inputs: vectors of arguments.  Outputs: vectors.
Never here: what matches, how a string list is read: classad/builtins has that.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Final

from classad.builtins.regex import quick_search
from classad.builtins.stringlists import items_of
from classad.builtins.strings import ascii_lower
from classad.builtins.support import to_bytes
from classad.loaded import Tag
from classad.table.vectors import Live, Vector

_BLANK: Final = ", \t\n\v\f\r"


def _strings(vector: Vector) -> list[str] | None:
    """The values if all are strings, and there is more than one."""
    if not vector.step or vector.others.__class__ is not list:
        return None
    known = vector.memo.get("strings")
    if known is None:
        known = vector.memo["strings"] = set(map(type, vector.others)) == {str}
    return vector.others if known else None


def _constants(vectors: Sequence[Vector]) -> list[str] | None:
    """The values of constants if all are strings."""
    found = [vector.value(0) for vector in vectors if not vector.step]
    fine = len(found) == len(vectors) and all(value.__class__ is str for value in found)
    return found if fine else None


def _regexp(given: Sequence[Vector], live: Live) -> Vector | None:
    """``regexp(pattern, subject, options)`` with many subjects."""
    texts, fixed = _strings(given[1]), _constants([given[0], *given[2:]])
    if texts is None or fixed is None:
        return None
    search = quick_search(*fixed)
    if search is None:
        return None
    memo = given[1].memo
    subjects = memo.get("bytes")
    if subjects is None:
        subjects = memo["bytes"] = list(map(to_bytes, texts))
        memo["longest"] = max(map(len, subjects))
    if memo["longest"] > search.longest:
        return None
    find = search.find
    if live is None:
        return _booleans([find(subject) is not None for subject in subjects])
    found = bytearray(len(subjects))
    for place in live:
        found[place] = find(subjects[place]) is not None
    return _booleans(found)


def _member(fold: Callable[[str], str], name: str) -> Callable[..., Vector | None]:
    def bulk(given: Sequence[Vector], live: Live) -> Vector | None:
        """``stringListMember(item, list, delimiters)`` with many lists."""
        texts, fixed = _strings(given[1]), _constants([given[0], *given[2:]])
        if texts is None or fixed is None:
            return None
        item, delimiters = fold(fixed[0]), fixed[1] if len(fixed) > 1 else _BLANK
        memo, key = given[1].memo, (name, delimiters)
        holders = memo.get(key)
        if holders is None:
            holders = memo[key] = _holders(texts, delimiters, fold)
        found = bytearray(len(texts))
        for place in holders.get(item, ()):
            found[place] = 1
        return _booleans(found)

    return bulk


def _holders(
    texts: Sequence[str], delimiters: str, fold: Callable[[str], str]
) -> dict[str, list[int]]:
    """Which lists hold each item."""
    found: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        for item in items_of(text, delimiters):
            found.setdefault(fold(item), []).append(place)
    return found


def _booleans(found: Sequence[int]) -> Vector:
    return Vector(bytes((Tag.BOOLEAN,)) * len(found), array("q", list(found)), {})


#: By folded name; each gets the arguments and the positions that matter.
BULK: Final[dict[str, Callable[[Sequence[Vector], Live], Vector | None]]] = {
    "regexp": _regexp,
    "stringlistmember": _member(str, "exact"),
    "stringlistimember": _member(ascii_lower, "folded"),
}
