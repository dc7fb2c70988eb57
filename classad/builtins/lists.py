"""Defines functions on lists: totals, extremes, membership, and strings cut into lists.

A member is evaluated when the function walks over it.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn1``, ``fn2``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Final

from classad.builtins.support import is_ad, is_list, is_number, new_list
from classad.evaluation.functions import LAZY, ArgumentColumn, Booleans, ResultKind, builtin
from classad.evaluation.state import EvalState
from classad.language.operators import (
    BINARY,
    COMPARISONS,
    add,
    divide,
    equal,
    greater,
    identical,
    less,
)
from classad.language.values import (
    ERROR,
    SCALARS,
    UNDEFINED,
    BinaryRule,
    ClassAdValue,
    Thunk,
    Value,
    closeness,
)

_TOTALS: Final = "an undefined list gives undefined, an undefined member is skipped; a member "
_TOTALS_RULE: Final = _TOTALS + "that is no number or boolean gives error"


def _declare_total(
    name: str,
    of: Callable[[list[int | float]], ClassAdValue],
    none: ClassAdValue,
    doc: str,
    *examples: str,
) -> None:
    """Declare a function of the members that are not undefined; ``none``: what no members give."""

    @builtin(
        name,
        args=1,
        exceptional=_TOTALS_RULE + ("; no members give undefined" if none is UNDEFINED else ""),
        doc=f"The {doc}.",
        examples=examples,
    )
    def total(state: EvalState, value: ClassAdValue) -> ClassAdValue:
        if not is_list(value):
            return UNDEFINED if value is UNDEFINED else ERROR
        members = [member for member in value.values(state) if member is not UNDEFINED]
        kept = [member for member in members if is_number(member)]
        if len(kept) < len(members):
            return ERROR
        return of(kept) if kept else none


def _sum(members: Sequence[int | float]) -> ClassAdValue:
    first: ClassAdValue = members[0]
    return reduce(add, members[1:], first)


def _extreme(better: BinaryRule, members: Sequence[int | float]) -> ClassAdValue:
    best = members[0]
    for member in members[1:]:
        # A comparison leaves both sides in their common type, booleans as integers.
        common = float if float in (member.__class__, best.__class__) else int
        challenger, best = common(member), common(best)
        if better(challenger, best):
            best = challenger
    return best


_declare_total(
    "sum", _sum, 0, "sum of a list's members; 0 for none",
    "sum({1, 2.5}) -> 3.500000000000000E+00", "sum({1, undefined}) -> 1", "sum({}) -> 0",
)  # fmt: skip
_declare_total(
    "avg", lambda members: divide(_sum(members), float(len(members))), 0,
    "mean of a list's members, a real; the integer 0 for none",
    "avg({1, 2}) -> 1.500000000000000E+00", "avg({}) -> 0",
)  # fmt: skip
_declare_total(
    "min", partial(_extreme, less), UNDEFINED,
    "least member of a list, in the type it was compared in",
    "min({3, 1, 2}) -> 1", "min({1, 2.5}) -> 1.000000000000000E+00",
)  # fmt: skip
_declare_total(
    "max", partial(_extreme, greater), UNDEFINED,
    "greatest member of a list, in the type it was compared in",
    "max({3, 1, 2}) -> 3", "max({false, true}) -> 1", "max({}) -> undefined",
)  # fmt: skip


class _Items:
    """The items of many lists: which of the lists hold each of them.

    ``others``: by its place what there is instead of a list.  ``strange``: some item could equal a
    scalar that it is not close to.
    """

    def __init__(self, values: Sequence[ClassAdValue]) -> None:
        self.others: dict[int, ClassAdValue] = {}
        self.strange = False
        self._close: dict[object, dict[object, tuple[ClassAdValue, list[int]]]] = {}
        for place, value in enumerate(values):
            if is_list(value):
                for item in value.items:
                    self._add(item, place)
            else:
                self.others[place] = value

    def _add(self, item: ClassAdValue, place: int) -> None:
        if item.__class__ in SCALARS:
            alike = self._close.setdefault(closeness(item), {})
            key = (item.__class__, repr(item) if item.__class__ is float else item)
            alike.setdefault(key, (item, []))[1].append(place)
        elif item.__class__ is not Value:
            self.strange = True

    def holding(self, value: ClassAdValue) -> Iterator[int]:
        """The lists some item of which equals a scalar."""
        for item, places in self._close.get(closeness(value), {}).values():
            if equal(item, value) is True:
                yield from places


def _one_in_many(given: Sequence[ArgumentColumn]) -> list[ClassAdValue] | None:
    """One scalar in many lists."""
    value, lists = given[0].shared(), given[1]
    if value is None or lists.shared() is not None or value.__class__ not in SCALARS:
        return None
    known = lists.memo.get("items")
    if not isinstance(known, _Items):
        known = lists.memo["items"] = _Items(lists.values())
    if known.strange:
        return None
    found: list[ClassAdValue] = Booleans([False] * len(lists.values()))
    for place in known.holding(value):
        found[place] = True
    if not known.others:
        return found
    found = list(found)
    for place, other in known.others.items():
        found[place] = UNDEFINED if other is UNDEFINED else ERROR
    return found


@builtin(
    "member",
    args=2,
    result=ResultKind.CONDITION,
    bulk=_one_in_many,
    exceptional="an undefined first argument gives undefined; members that cannot be compared "
    "are passed over",
    examples=['member("b", {"A", "B"}) -> true', 'member(1, {"a", 2}) -> false'],
)
def is_member(state: EvalState, value: ClassAdValue, members: ClassAdValue) -> ClassAdValue:
    """Whether some member of the list equals (``==``) the value."""
    if value is UNDEFINED or members is UNDEFINED:
        return UNDEFINED
    if not is_list(members) or value is ERROR or is_list(value) or is_ad(value):
        return ERROR
    return any(equal(item, value) is True for item in members.values(state))


@builtin(
    "identicalMember",
    args=2,
    result=ResultKind.CONDITION,
    exceptional="an undefined list gives undefined; the value may be undefined or error",
    examples=['identicalMember("a", {"A", "B"}) -> false', "identicalMember(1, {1.0}) -> false"],
)
def identical_member(state: EvalState, value: ClassAdValue, members: ClassAdValue) -> ClassAdValue:
    """Whether some member of the list is identical (``=?=``) to the value."""
    if members is UNDEFINED:
        return UNDEFINED
    if not is_list(members) or is_list(value) or is_ad(value):
        return ERROR
    return any(identical(item, value) is True for item in members.values(state))


_COMPARISONS: Final = {
    BINARY[symbol].word or symbol: BINARY[symbol].implementation for symbol in COMPARISONS
}
_COMPARE_RULE: Final = (
    "a member that compares to error gives error, one that compares to undefined ends the walk "
    "with false; an undefined operator or list gives undefined"
)


def _declare_comparison(name: str, decides: bool, doc: str, *examples: str) -> None:
    """Declare a walk that ends where a comparison gives ``decides``."""

    @builtin(
        name,
        args=3,
        result=ResultKind.CONDITION,
        laziness=LAZY,
        exceptional=_COMPARE_RULE,
        doc=f"Whether ``member op value`` is true for {doc} member; op is the first argument.",
        examples=examples,
    )
    def walk(state: EvalState, operator: Thunk, in_list: Thunk, against: Thunk) -> ClassAdValue:
        # Each argument is evaluated if the last was fit.
        symbol = operator()
        if symbol is UNDEFINED:
            return UNDEFINED
        if symbol.__class__ is not str or symbol not in _COMPARISONS:
            return ERROR
        members = in_list()
        if not is_list(members):
            return UNDEFINED if members is UNDEFINED else ERROR
        value = against()
        compare = _COMPARISONS[symbol]
        for item in members.values(state):
            outcome = compare(item, value)
            if outcome is ERROR:
                return ERROR
            if outcome is UNDEFINED:
                return False
            if outcome is decides:
                return decides
        return not decides


_declare_comparison(
    "anyCompare", True, "some",
    'anyCompare("<", {1, 2}, 2) -> true', 'anyCompare("==", {}, 1) -> false',
)  # fmt: skip
_declare_comparison(
    "allCompare", False, "every",
    'allCompare("<", {1, 2}, 2) -> false', 'allCompare("==", {}, 1) -> true',
)  # fmt: skip


#: Where ``split`` cuts unless told otherwise.
_BLANKS_AND_COMMA: Final = ", \t"


def split_text(text: str, separators: str) -> list[str]:
    """Cut at the separators.

    An empty item arises only between two equal separators that are not blanks.
    """
    if separators == _BLANKS_AND_COMMA and "," not in text:
        return [item for item in text.replace("\t", " ").split(" ") if item]
    items: list[str] = []
    item = ""
    previous = ""
    for char in text:
        if char not in separators:
            item += char
            continue
        if item:
            items.append(item)
            item = ""
            previous = previous if char.isspace() else char
        elif char == previous and not char.isspace():
            items.append("")
        elif not char.isspace():
            previous = char
    if item:
        items.append(item)
    return items


@builtin(
    "split",
    args=(1, 2),
    result=ResultKind.LIST,
    exceptional="undefined and error give error",
    examples=['split("a, b") -> { "a","b" }', 'split("a::b", ":") -> { "a","","b" }'],
)
def split(
    state: EvalState, text: ClassAdValue, separators: ClassAdValue = _BLANKS_AND_COMMA
) -> ClassAdValue:
    """The pieces of a string between separators (comma, blank and tab unless given)."""
    if text.__class__ is not str or separators.__class__ is not str:
        return ERROR
    return new_list(split_text(text, separators))


def _declare_cut(name: str, first: bool, doc: str, *examples: str) -> None:
    """Declare a function that cuts at ``@``; ``first``: where a text without one belongs."""

    @builtin(
        name,
        args=1,
        result=ResultKind.LIST,
        exceptional="undefined and error give error",
        doc=doc,
        examples=examples,
    )
    def cut(state: EvalState, text: ClassAdValue) -> ClassAdValue:
        if text.__class__ is not str:
            return ERROR
        before, mark, after = text.partition("@")
        return new_list([before, after] if mark or first else ["", before])


_declare_cut(
    "splitUserName", True,
    "A user's name and domain, cut at the first ``@``; without one it is all name.",
    'splitUserName("ann@uni.edu") -> { "ann","uni.edu" }',
)  # fmt: skip
_declare_cut(
    "splitSlotName", False,
    "A slot's name and machine, cut at the first ``@``; without one it is all machine.",
    'splitSlotName("slot1@host") -> { "slot1","host" }',
    'splitSlotName("host") -> { "","host" }',
)  # fmt: skip
