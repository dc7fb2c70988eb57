"""Defines functions on string lists: strings that hold items between delimiters.

Items are trimmed of blanks and empty ones do not count.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn1``, ``fn2``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import Final

from classad.builtins.strings import ascii_lower
from classad.builtins.support import shared_texts, truncated
from classad.evaluation.functions import ArgumentColumn, Booleans, ResultKind, builtin
from classad.evaluation.state import EvalState
from classad.language.spelling import leading_real
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, Value

_STRINGS_ONLY: Final = "anything but strings, undefined included, gives error"
_BLANKS: Final = " \t\n\v\f\r"
_FLT_MAX: Final = 3.4028234663852886e38
_FLT_MIN: Final = 1.1754943508222875e-38


def items_of(text: str, delimiters: str) -> list[str]:
    """The items of a string list."""
    for delimiter in delimiters[1:]:
        text = text.replace(delimiter, delimiters[0])
    pieces = text.split(delimiters[0]) if delimiters else [text]
    return [item for item in (piece.strip(_BLANKS) for piece in pieces) if item]


@builtin(
    "stringListSize",
    args=(1, 2),
    result=ResultKind.COUNT,
    exceptional=_STRINGS_ONLY,
    examples=['stringListSize("a, b c") -> 3', 'stringListSize("a;b", ";") -> 2'],
)
def string_list_size(
    state: EvalState, text: ClassAdValue, delimiters: ClassAdValue = ", "
) -> ClassAdValue:
    """The number of items."""
    if text.__class__ is not str or delimiters.__class__ is not str:
        return ERROR
    return len(items_of(text, delimiters))


#: Reals to their total, left to right: Python's own sum of reals compensates rounding.
_sum: Final = partial(reduce, add)


def _declare_number(
    name: str,
    of: Callable[[list[float]], float],
    none: ClassAdValue,
    doc: str,
    *examples: str,
    result: ResultKind = ResultKind.ANY,
) -> None:
    """Declare a function that makes one number of the items; ``none``: what no items give."""

    @builtin(
        name,
        args=(1, 2),
        result=result,
        exceptional=f"{_STRINGS_ONLY}, an item that is no number too"
        + ("; no items give undefined" if none is UNDEFINED else ""),
        doc=doc,
        examples=examples,
    )
    def number(
        state: EvalState, text: ClassAdValue, delimiters: ClassAdValue = ", "
    ) -> ClassAdValue:
        if text.__class__ is not str or delimiters.__class__ is not str:
            return ERROR
        items = items_of(text, delimiters)
        numbers = [real for real in map(leading_real, items) if real is not None]
        if len(numbers) < len(items):
            return ERROR
        if not numbers:
            return none
        whole = all(set(item) <= set("+-0123456789") for item in items)
        return truncated(of(numbers)) if whole else of(numbers)


_declare_number(
    "stringListSum", lambda numbers: _sum(numbers, 0.0), 0.0,
    "The sum of the items: an integer if all items are; the real 0.0 for none.",
    'stringListSum("1, 2") -> 3', 'stringListSum("1, 2.5") -> 3.500000000000000E+00',
    result=ResultKind.NUMBER,
)  # fmt: skip
_declare_number(
    "stringListAvg", lambda numbers: _sum(numbers, 0.0) / len(numbers), 0.0,
    "The mean of the items, truncated if all items are integers; the real 0.0 for none.",
    'stringListAvg("1, 2") -> 1', 'stringListAvg("1.0, 2") -> 1.500000000000000E+00',
    result=ResultKind.NUMBER,
)  # fmt: skip
_declare_number(
    "stringListMin", lambda numbers: min([_FLT_MAX, *numbers]), UNDEFINED,
    "The least item, but at most the greatest single-precision number.",
    'stringListMin("3, 1, 2") -> 1', 'stringListMin("") -> undefined',
)  # fmt: skip
_declare_number(
    "stringListMax", lambda numbers: max([_FLT_MIN, *numbers]), UNDEFINED,
    "The greatest item, but at least the least positive single-precision number.",
    'stringListMax("3, 1, 2") -> 3', 'stringListMax("-3, -1") -> 0',
)  # fmt: skip


_ONE_UNDEFINED: Final = (
    "one undefined argument counts as empty, two give undefined; anything else but strings "
    "gives error"
)


def _pair(
    left: ClassAdValue, right: ClassAdValue, delimiters: ClassAdValue
) -> tuple[str, str] | Value:
    """Both strings, one undefined standing for an empty one, or the exceptional value."""
    if delimiters.__class__ is not str and delimiters is not UNDEFINED:
        return ERROR
    if left.__class__ is str and right.__class__ is str:
        return left, right
    if left is UNDEFINED and right is UNDEFINED:
        return UNDEFINED
    one, other = ("" if text is UNDEFINED else text for text in (left, right))
    return (one, other) if one.__class__ is str and other.__class__ is str else ERROR


def _delimiters(given: ClassAdValue) -> str:
    return ", \t\n\v\f\r" if given is UNDEFINED else str(given)


class _Membership:
    """The bulk form of a membership: one item in many lists, or many items in one list.

    ``name``: under which a column keeps what was found out about it.
    """

    def __init__(self, fold: Callable[[str], str], name: str) -> None:
        self.fold = fold
        self.name = name

    def __call__(self, given: Sequence[ArgumentColumn]) -> list[ClassAdValue] | None:
        texts, fixed = given[1].texts(), shared_texts([given[0], *given[2:]])
        if texts is None or fixed is None:
            return self._many_items(given)
        delimiters = _delimiters(fixed[1] if len(fixed) > 1 else UNDEFINED)
        memo, key = given[1].memo, f"{self.name} {delimiters}"
        holders = memo.get(key)
        if not isinstance(holders, dict):
            holders = memo[key] = self._holders(texts, delimiters)
        found = Booleans([False] * len(texts))
        for place in holders.get(self.fold(fixed[0]), ()):
            found[place] = True
        return found

    def _holders(self, texts: Sequence[str], delimiters: str) -> dict[str, list[int]]:
        """Which lists hold each item."""
        found: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            for item in items_of(text, delimiters):
                found.setdefault(self.fold(item), []).append(place)
        return found

    def _many_items(self, given: Sequence[ArgumentColumn]) -> list[ClassAdValue] | None:
        items, fixed = given[0].texts(), shared_texts(given[1:])
        if items is None or fixed is None:
            return None
        delimiters = _delimiters(fixed[1] if len(fixed) > 1 else UNDEFINED)
        held = set(map(self.fold, items_of(fixed[0], delimiters)))
        memo = given[0].memo
        folded = memo.get(self.name)
        if not isinstance(folded, list):
            folded = memo[self.name] = list(map(self.fold, items))
        return Booleans([item in held for item in folded])


_declare: Final = partial(
    builtin, args=(2, 3), result=ResultKind.CONDITION, exceptional=_ONE_UNDEFINED
)


def _declare_member(name: str, bulk: _Membership, doc: str, *examples: str) -> None:
    """Declare what looks for an item in a string, as ``bulk`` does."""
    fold = bulk.fold

    @_declare(name, bulk=bulk, doc=doc, examples=examples)
    def is_item(
        state: EvalState,
        item: ClassAdValue,
        text: ClassAdValue,
        delimiters: ClassAdValue = UNDEFINED,
    ) -> ClassAdValue:
        pair = _pair(item, text, delimiters)
        if isinstance(pair, Value):
            return pair
        wanted = fold(pair[0])
        if wanted not in fold(pair[1]):
            return False
        return any(fold(found) == wanted for found in items_of(pair[1], _delimiters(delimiters)))


def _declare_subset(name: str, fold: Callable[[str], str], doc: str, *examples: str) -> None:
    """Declare what looks for all items of one string in another."""

    @_declare(name, doc=doc, examples=examples)
    def are_items(
        state: EvalState,
        part: ClassAdValue,
        text: ClassAdValue,
        delimiters: ClassAdValue = UNDEFINED,
    ) -> ClassAdValue:
        pair = _pair(part, text, delimiters)
        if isinstance(pair, Value):
            return pair
        if not pair[0]:
            return True
        parts, all_items = (
            [fold(item) for item in items_of(side, _delimiters(delimiters))] for side in pair
        )
        return bool(parts) and all(item in all_items for item in parts)


_declare_member(
    "stringListMember", _Membership(str, "exact"),
    "Whether the first argument is an item of the second.",
    'stringListMember("b", "a, b") -> true', 'stringListMember("B", "a, b") -> false',
)  # fmt: skip
_declare_member(
    "stringListIMember", _Membership(ascii_lower, "folded"),
    "As ``stringListMember`` without regard to case.",
    'stringListIMember("B", "a, b") -> true',
)  # fmt: skip
_declare_subset(
    "stringListSubsetMatch", str, "Whether every item of the first argument is one of the second.",
    'stringListSubsetMatch("b, a", "a, b, c") -> true',
)  # fmt: skip
_declare_subset(
    "stringListISubsetMatch", ascii_lower,
    "As ``stringListSubsetMatch`` without regard to case.",
    'stringListISubsetMatch("B", "a, b") -> true',
)  # fmt: skip


@builtin(
    "stringListsIntersect",
    args=(2, 3),
    result=ResultKind.CONDITION,
    exceptional="error gives error, else undefined gives undefined, other than strings error",
    examples=[
        'stringListsIntersect("a, b", "b, c") -> true',
        "stringListsIntersect(undefined, error) -> error",
        'stringListsIntersect(1, undefined, "a") -> undefined',
    ],
)
def string_lists_intersect(
    state: EvalState, left: ClassAdValue, right: ClassAdValue, delimiters: ClassAdValue = ", "
) -> ClassAdValue:
    """Whether the two string lists have an item in common."""
    arguments = (left, right, delimiters)
    if any(argument is ERROR for argument in arguments):
        return ERROR
    if any(argument is UNDEFINED for argument in arguments):
        return UNDEFINED
    if left.__class__ is not str or right.__class__ is not str or delimiters.__class__ is not str:
        return ERROR
    cuts = delimiters or ", "
    return bool(_untrimmed(left, cuts) & _untrimmed(right, cuts))


def _untrimmed(text: str, delimiters: str) -> set[str]:
    items = {text}
    for delimiter in delimiters:
        items = {piece for item in items for piece in item.split(delimiter)}
    return items - {""}
