"""Defines functions that compare version strings in their natural order.

The order: up to the first difference equal; digit runs there by length, then by digits; a run
with more leading zeros first, runs with equally many by digits alone.  The number that
``versioncmp`` gives is the difference that decided, not just its sign.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn1``, ``fn2``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import eq, ge, gt, le, lt
from typing import Final

from classad.builtins.support import text_of, to_bytes
from classad.evaluation.functions import Result, builtin
from classad.evaluation.state import EvalState
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, Value

_RULE: Final = "an undefined argument gives undefined, else an error one error"


def _digit(text: bytes, index: int) -> bool:
    return index < len(text) and 48 <= text[index] <= 57


def _run(text: bytes, start: int) -> tuple[int, int]:
    """Leading zeros that other digits follow, and the end of the digit run at ``start``."""
    end = start
    while _digit(text, end):
        end += 1
    zeros = start
    while zeros < end - 1 and text[zeros] == 48:
        zeros += 1
    return zeros - start, end


def natural_compare(left: bytes, right: bytes) -> int:
    """Negative, zero or positive; the size is that of the difference that decides."""
    at = 0
    while at < len(left) and at < len(right) and left[at] == right[at]:
        at += 1
    if at == len(left) and at == len(right):
        return 0
    start = at
    while start > 0 and _digit(left, start - 1):
        start -= 1
    if _digit(left, start) and _digit(right, start):
        left_zeros, left_end = _run(left, start)
        right_zeros, right_end = _run(right, start)
        if left_zeros != right_zeros:
            return right_zeros - left_zeros
        if left_end != right_end and not left_zeros:
            return left_end - right_end
    return _signed(left, at) - _signed(right, at)


def _signed(text: bytes, index: int) -> int:
    """The byte as C's signed char, 0 at the end of the text."""
    byte = text[index] if index < len(text) else 0
    return byte if byte < 128 else byte - 256


def compared(left: ClassAdValue, right: ClassAdValue) -> int | Value:
    """The order of two arguments as strings, or the exceptional value."""
    if left.__class__ is str and right.__class__ is str:
        return _order(left, right)
    a, b = text_of(left), text_of(right)
    if isinstance(a, Value) or isinstance(b, Value):
        return UNDEFINED if a is UNDEFINED or b is UNDEFINED else ERROR
    return _order(a, b)


@lru_cache(maxsize=1024)  # a pool has few versions, and each is compared for every slot
def _order(left: str, right: str) -> int:
    return natural_compare(to_bytes(left), to_bytes(right))


@builtin(
    "versioncmp",
    args=2,
    result=Result.INTEGER,
    prints=True,
    exceptional=_RULE,
    examples=[
        'versioncmp("8.9.10", "8.9.9") -> 1',
        'versioncmp("abc", "ab") -> 99',
        'versioncmp("1.0", "1.00") -> 1',
    ],
)
def versioncmp(state: EvalState, left: ClassAdValue, right: ClassAdValue) -> ClassAdValue:
    """Less than, equal to or greater than 0 by the natural order of the arguments as strings."""
    return compared(left, right)


def _relation(name: str, holds: Callable[[int, int], bool], doc: str, example: str) -> None:
    """Declare a function that is true where the order of two versions is so to 0."""

    @builtin(
        name,
        args=2,
        cased=True,
        result=Result.CONDITION,
        prints=True,
        exceptional=_RULE,
        doc=f"Whether the {doc}.",
        examples=[example],
    )
    def relation(state: EvalState, left: ClassAdValue, right: ClassAdValue) -> ClassAdValue:
        order = compared(left, right)
        return order if isinstance(order, Value) else holds(order, 0)


for _row in (
    ("versionLT", lt, "first version is older than the second", 'versionLT("1.9", "1.10") -> true'),
    (
        "versionLE",
        le,
        "first version is not newer than the second",
        'versionLE("1.9", "1.9") -> true',
    ),
    (
        "versionGT",
        gt,
        "first version is newer than the second",
        'versionGT("1.9", "1.10") -> false',
    ),
    (
        "versionGE",
        ge,
        "first version is not older than the second",
        'versionGE("1.10", "1.9") -> true',
    ),
    ("versionEQ", eq, "two versions are equal, byte by byte", 'versionEQ("1.0", "1") -> false'),
):
    _relation(*_row)


@builtin(
    "version_in_range",
    args=3,
    result=Result.CONDITION,
    prints=True,
    exceptional="an undefined bound gives undefined; error and an undefined version give error",
    examples=['version_in_range("1.10", "1.9", "1.11") -> true'],
)
def version_in_range(
    state: EvalState, version: ClassAdValue, low: ClassAdValue, high: ClassAdValue
) -> ClassAdValue:
    """Whether the first version lies between the two others, both included."""
    if low is UNDEFINED or high is UNDEFINED:
        return UNDEFINED
    from_low, to_high = compared(low, version), compared(version, high)
    if isinstance(from_low, Value) or isinstance(to_high, Value):
        return ERROR
    return from_low <= 0 and to_high <= 0
