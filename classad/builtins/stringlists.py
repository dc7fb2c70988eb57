"""Defines functions on string lists: strings that hold items between delimiters.

Items are trimmed of blanks and empty ones do not count.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn1``, ``fn2``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from classad.builtins.strings import ascii_lower
from classad.builtins.support import shared_texts, truncated
from classad.evaluation.functions import Booleans, Column, Result, builtin
from classad.evaluation.state import EvalState
from classad.language.strtod import leading_real
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
    result=Result.COUNT,
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


def _numbers(text: ClassAdValue, delimiters: ClassAdValue) -> tuple[list[float], bool] | None:
    """The items as reals and whether all of them look like integers, or None."""
    if text.__class__ is not str or delimiters.__class__ is not str:
        return None
    items = items_of(text, delimiters)
    numbers = [real for real in map(leading_real, items) if real is not None]
    if len(numbers) < len(items):
        return None
    return numbers, all(set(item) <= set("+-0123456789") for item in items)


def _result(real: float, whole: bool) -> int | float:
    return truncated(real) if whole else real


@builtin(
    "stringListSum",
    args=(1, 2),
    result=Result.NUMBER,
    exceptional=_STRINGS_ONLY + ", an item that is no number too",
    examples=['stringListSum("1, 2") -> 3', 'stringListSum("1, 2.5") -> 3.500000000000000E+00'],
)
def string_list_sum(
    state: EvalState, text: ClassAdValue, delimiters: ClassAdValue = ", "
) -> ClassAdValue:
    """The sum of the items: an integer if all items are; the real 0.0 for none."""
    found = _numbers(text, delimiters)
    if found is None:
        return ERROR
    numbers, whole = found
    return _result(_sum(numbers), whole) if numbers else 0.0


def _sum(numbers: list[float]) -> float:
    """The sum from left to right (Python's own sum of reals compensates rounding)."""
    total = 0.0
    for number in numbers:
        total += number
    return total


@builtin(
    "stringListAvg",
    args=(1, 2),
    result=Result.NUMBER,
    exceptional=_STRINGS_ONLY + ", an item that is no number too",
    examples=['stringListAvg("1, 2") -> 1', 'stringListAvg("1.0, 2") -> 1.500000000000000E+00'],
)
def string_list_avg(
    state: EvalState, text: ClassAdValue, delimiters: ClassAdValue = ", "
) -> ClassAdValue:
    """The mean of the items, truncated if all items are integers; the real 0.0 for none."""
    found = _numbers(text, delimiters)
    if found is None:
        return ERROR
    numbers, whole = found
    return _result(_sum(numbers) / len(numbers), whole) if numbers else 0.0


@builtin(
    "stringListMin",
    args=(1, 2),
    exceptional=_STRINGS_ONLY + ", an item that is no number too; no items give undefined",
    examples=['stringListMin("3, 1, 2") -> 1', 'stringListMin("") -> undefined'],
)
def string_list_min(
    state: EvalState, text: ClassAdValue, delimiters: ClassAdValue = ", "
) -> ClassAdValue:
    """The least item, but at most the greatest single-precision number."""
    found = _numbers(text, delimiters)
    if found is None:
        return ERROR
    numbers, whole = found
    least = _FLT_MAX
    for number in numbers:
        if number < least:
            least = number
    return _result(least, whole) if numbers else UNDEFINED


@builtin(
    "stringListMax",
    args=(1, 2),
    exceptional=_STRINGS_ONLY + ", an item that is no number too; no items give undefined",
    examples=['stringListMax("3, 1, 2") -> 3', 'stringListMax("-3, -1") -> 0'],
)
def string_list_max(
    state: EvalState, text: ClassAdValue, delimiters: ClassAdValue = ", "
) -> ClassAdValue:
    """The greatest item, but at least the least positive single-precision number."""
    found = _numbers(text, delimiters)
    if found is None:
        return ERROR
    numbers, whole = found
    greatest = _FLT_MIN
    for number in numbers:
        if number > greatest:
            greatest = number
    return _result(greatest, whole) if numbers else UNDEFINED


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


def _contains(
    item: ClassAdValue, text: ClassAdValue, delimiters: ClassAdValue, fold: Callable[[str], str]
) -> ClassAdValue:
    pair = _pair(item, text, delimiters)
    if isinstance(pair, Value):
        return pair
    wanted = fold(pair[0])
    if wanted not in fold(pair[1]):
        return False
    return any(fold(found) == wanted for found in items_of(pair[1], _delimiters(delimiters)))


class _Membership:
    """The bulk form of a membership: one item in many lists, or many items in one list.

    ``name``: under which a column keeps what was found out about it.
    """

    def __init__(self, fold: Callable[[str], str], name: str) -> None:
        self.fold = fold
        self.name = name

    def __call__(self, given: Sequence[Column]) -> list[ClassAdValue] | None:
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

    def _many_items(self, given: Sequence[Column]) -> list[ClassAdValue] | None:
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


@builtin(
    "stringListMember",
    args=(2, 3),
    result=Result.CONDITION,
    bulk=_Membership(str, "exact"),
    exceptional=_ONE_UNDEFINED,
    examples=['stringListMember("b", "a, b") -> true', 'stringListMember("B", "a, b") -> false'],
)
def string_list_member(
    state: EvalState, item: ClassAdValue, text: ClassAdValue, delimiters: ClassAdValue = UNDEFINED
) -> ClassAdValue:
    """Whether the first argument is an item of the second."""
    return _contains(item, text, delimiters, str)


@builtin(
    "stringListIMember",
    args=(2, 3),
    result=Result.CONDITION,
    bulk=_Membership(ascii_lower, "folded"),
    exceptional=_ONE_UNDEFINED,
    examples=['stringListIMember("B", "a, b") -> true'],
)
def string_list_imember(
    state: EvalState, item: ClassAdValue, text: ClassAdValue, delimiters: ClassAdValue = UNDEFINED
) -> ClassAdValue:
    """As ``stringListMember`` without regard to case."""
    return _contains(item, text, delimiters, ascii_lower)


def _subset(
    part: ClassAdValue, text: ClassAdValue, delimiters: ClassAdValue, fold: Callable[[str], str]
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


@builtin(
    "stringListSubsetMatch",
    args=(2, 3),
    result=Result.CONDITION,
    exceptional=_ONE_UNDEFINED,
    examples=['stringListSubsetMatch("b, a", "a, b, c") -> true'],
)
def string_list_subset(
    state: EvalState, part: ClassAdValue, text: ClassAdValue, delimiters: ClassAdValue = UNDEFINED
) -> ClassAdValue:
    """Whether every item of the first argument is one of the second."""
    return _subset(part, text, delimiters, str)


@builtin(
    "stringListISubsetMatch",
    args=(2, 3),
    result=Result.CONDITION,
    exceptional=_ONE_UNDEFINED,
    examples=['stringListISubsetMatch("B", "a, b") -> true'],
)
def string_list_isubset(
    state: EvalState, part: ClassAdValue, text: ClassAdValue, delimiters: ClassAdValue = UNDEFINED
) -> ClassAdValue:
    """As ``stringListSubsetMatch`` without regard to case."""
    return _subset(part, text, delimiters, ascii_lower)


@builtin(
    "stringListsIntersect",
    args=(2, 3),
    result=Result.CONDITION,
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
