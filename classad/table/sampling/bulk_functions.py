"""Functions of a constant and many values, with the work that all values share done once.

What is decided here: nothing about the functions; each falls back (None) to being called once for
each value.  The tests compare both ways.
Inputs: vectors of arguments.  Outputs: vectors.
Never here: what matches, how a string list is read: classad/builtins has that.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, Final

from classad.ads.ad import ListValue
from classad.builtins.lists import is_member
from classad.builtins.regex import quick_search
from classad.builtins.stringlists import items_of
from classad.builtins.strings import ascii_lower
from classad.builtins.support import to_bytes
from classad.language.operators import equal
from classad.language.values import Value
from classad.loading.columns import Tag
from classad.table.arrays.vectors import Live, Vector
from classad.table.store.columns import cell_key
from classad.table.store.parts import SCALARS, closeness

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


class _Lists:
    """Many lists, and which of them hold each of their items.

    ``others``: what there is in place of a list, by its place.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.size = len(values)
        self.others: dict[int, Any] = {}
        self.close: dict[Any, dict[Any, tuple[Any, list[int]]]] = {}
        #: Whether an item could be equal to something that it is not close to.
        self.strange = False
        for place, value in enumerate(values):
            if value.__class__ is ListValue:
                for item in value.items:
                    self._add(item, place)
            else:
                self.others[place] = value

    def _add(self, item: Any, place: int) -> None:
        if item.__class__ in SCALARS:
            alike = self.close.setdefault(closeness(item), {})
            alike.setdefault(cell_key(item), (item, []))[1].append(place)
        elif item.__class__ is not Value:
            self.strange = True

    def holding(self, value: Any) -> list[int]:
        """The lists some item of which equals a value."""
        found = []
        for item, places in self.close.get(closeness(value), {}).values():
            if equal(item, value) is True:
                found += places
        return found


def _list_member(given: Sequence[Vector], live: Live) -> Vector | None:
    """``member(value, list)`` with many lists."""
    value, lists = given[0].value(0), given[1]
    if given[0].step or not lists.step or value.__class__ not in SCALARS:
        return None
    known = lists.memo.get("lists")
    if known is None:
        known = lists.memo["lists"] = _Lists(lists.values())
    if known.strange:
        return None
    found = bytearray(known.size)
    for place in known.holding(value):
        found[place] = 1
    if not known.others:
        return _booleans(found)
    values: list[Any] = [held == 1 for held in found]
    for place, other in known.others.items():
        values[place] = is_member(None, value, other)
    return Vector.of(values)


def _member(fold: Callable[[str], str], name: str) -> Callable[..., Vector | None]:
    def bulk(given: Sequence[Vector], live: Live) -> Vector | None:
        """``stringListMember(item, list, delimiters)`` with many lists, or with many items."""
        texts, fixed = _strings(given[1]), _constants([given[0], *given[2:]])
        if texts is None or fixed is None:
            return within(given)
        item, delimiters = fold(fixed[0]), fixed[1] if len(fixed) > 1 else _BLANK
        memo, key = given[1].memo, (name, delimiters)
        holders = memo.get(key)
        if holders is None:
            holders = memo[key] = _holders(texts, delimiters, fold)
        found = bytearray(len(texts))
        for place in holders.get(item, ()):
            found[place] = 1
        return _booleans(found)

    def within(given: Sequence[Vector]) -> Vector | None:
        """The same with many items."""
        items, fixed = _strings(given[0]), _constants(given[1:])
        if items is None or fixed is None:
            return None
        held = set(map(fold, items_of(fixed[0], fixed[1] if len(fixed) > 1 else _BLANK)))
        memo = given[0].memo
        folded = memo.get(name)
        if folded is None:
            folded = memo[name] = list(map(fold, items))
        return _booleans([item in held for item in folded])

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
    "member": _list_member,
    "regexp": _regexp,
    "stringlistmember": _member(str, "exact"),
    "stringlistimember": _member(ascii_lower, "folded"),
}
