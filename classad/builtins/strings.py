"""Defines functions on strings: joining, case, parts and order, that of version strings included.

Strings are bytes underneath: lengths and offsets count bytes, case is that of ASCII.

Versions are in natural order: up to the first difference equal; digit runs there by length, then by
digits; a run with more leading zeros first, runs with equally many by digits alone.  The number
that ``versioncmp`` gives is the difference that decided, not just its sign.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn1``, ``fn2``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import eq, ge, gt, le, lt
from typing import Final

from classad.builtins.support import canonical, is_ad, is_list, text_of, undefined_first
from classad.evaluation.functions import LAZY, ResultKind, builtin
from classad.evaluation.state import EvalState
from classad.language import bounds
from classad.language.times import wrap32
from classad.language.values import (
    ERROR,
    UNDEFINED,
    ClassAdValue,
    Thunk,
    Value,
    from_bytes,
    to_bytes,
)

_ORDER_RULE: Final = "an undefined argument gives undefined, else an error one error"


@builtin(
    "strcat",
    args=(0, None),
    result=ResultKind.TEXT,
    laziness=LAZY,
    prints=True,
    exceptional="the first undefined or error argument, from the left, is the result",
    examples=['strcat("a", 1, true) -> "a1true"', "strcat(undefined, error) -> undefined"],
)
def strcat(state: EvalState, *arguments: Thunk) -> ClassAdValue:
    """All arguments as strings, one after the other."""
    parts = []
    for argument in arguments:
        text = text_of(argument())
        if isinstance(text, Value):
            return text
        parts.append(text)
    if bounds.entered:
        bounds.make_room(sum(map(len, parts)))
    return canonical("".join(parts))


@builtin(
    "join",
    args=(0, None),
    result=ResultKind.TEXT,
    laziness=LAZY,
    prints=True,
    exceptional="undefined items are left out and an undefined separator is empty; if all items "
    "are undefined the result is; error gives error",
    examples=[
        'join(",", "a", 1, undefined) -> "a,1"',
        'join("-", {"a", "b"}) -> "a-b"',
        'join(",", {"", "b"}) -> "b"',
    ],
)
def join(state: EvalState, *arguments: Thunk) -> ClassAdValue:
    """The items of a list, or the further arguments, with a separator between them.

    The separator is put only where some text precedes, so leading empty items leave no trace.
    """
    if not arguments:
        return ""
    separator = arguments[0]()
    if separator is ERROR:
        return ERROR
    if len(arguments) == 1:
        if is_list(separator):
            return _joined("", separator.values(state), False)
        return separator if separator is UNDEFINED else ""
    text = text_of(separator)
    return _joined(text, _items(state, arguments[1:]), text is UNDEFINED)


def _items(state: EvalState, arguments: tuple[Thunk, ...]) -> Iterable[ClassAdValue]:
    """What is joined: the members of an only list, else the arguments' values."""
    if len(arguments) > 1:
        return (argument() for argument in arguments)
    before = state.work
    only = arguments[0]()
    if is_list(only):
        members: list[ClassAdValue] = only.values(state)
        return members
    # HTCondor evaluates it again to join it: the value is the same, but the work counts.
    state.charge(state.work - before)
    return [only]


def _joined(separator: str | Value, items: Iterable[ClassAdValue], missing: bool) -> str | Value:
    """The items' texts; undefined if ``missing`` or an item is undefined and none is present."""
    between = "" if isinstance(separator, Value) else separator
    joined = ""
    present = False
    for item in items:
        text = text_of(item)
        if isinstance(text, Value):
            if text is ERROR:
                return ERROR
            missing = True
            continue
        present = True
        if bounds.entered:
            bounds.make_room(len(joined) + len(text))
        joined += between + text if joined else text
    return UNDEFINED if missing and not present else canonical(joined)


def ascii_lower(text: str) -> str:
    """ASCII letters in lower case, everything else as it is."""
    return text.lower() if text.isascii() else from_bytes(to_bytes(text).lower())


def _ascii_upper(text: str) -> str:
    return text.upper() if text.isascii() else from_bytes(to_bytes(text).upper())


def _declare_case(
    name: str, of: Callable[[str], str], case: str, result: ResultKind, example: str
) -> None:
    @builtin(
        name,
        args=1,
        result=result,
        prints=True,
        doc=f"The argument as a string with ASCII letters in {case} case.",
        examples=[example],
    )
    def cased(state: EvalState, value: ClassAdValue) -> ClassAdValue:
        text = text_of(value)
        return text if isinstance(text, Value) else of(text)


_declare_case(
    "toUpper", _ascii_upper, "upper", ResultKind.UPPER, 'toUpper("Slot1@host") -> "SLOT1@HOST"'
)
_declare_case("toLower", ascii_lower, "lower", ResultKind.LOWER, 'toLower("LINUX") -> "linux"')


@builtin(
    "substr",
    args=(2, 3),
    result=ResultKind.TEXT,
    exceptional=_ORDER_RULE,
    examples=[
        'substr("abcdef", 1, 2) -> "bc"',
        'substr("abcdef", -2) -> "ef"',
        'substr("abcdef", 1, -1) -> "bcde"',
    ],
)
def substr(
    state: EvalState, text: ClassAdValue, offset: ClassAdValue, length: ClassAdValue | None = None
) -> ClassAdValue:
    """Part of a string from an offset in bytes, counted from the end if negative.

    A negative length leaves off that many bytes at the end.
    """
    found = undefined_first(text, offset, 0 if length is None else length)
    if found is not None:
        return found
    if text.__class__ is not str or offset.__class__ is not int:
        return ERROR
    if length is not None and length.__class__ is not int:
        return ERROR
    raw = text if text.isascii() else to_bytes(text)
    size = len(raw)
    start = wrap32(offset)
    start = max(size + start, 0) if start < 0 else min(start, size)
    end = size
    if length is not None:
        count = wrap32(length)
        end = size + count if count < 0 else min(start + count, size)
    part = raw[start : max(start, end)]
    return part if isinstance(part, str) else from_bytes(part)


@builtin(
    "size",
    args=1,
    result=ResultKind.COUNT,
    examples=['size("abc") -> 3', "size({1, 2}) -> 2", "size([a = 1]) -> 1", "size(1) -> error"],
)
def size(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """Bytes of a string, members of a list, or attributes of an ad (its own ones only)."""
    if value.__class__ is str:
        return len(value) if value.isascii() else len(to_bytes(value))
    if is_list(value):
        return len(value)
    if is_ad(value):
        return len(value._attrs)
    return UNDEFINED if value is UNDEFINED else ERROR


def _declare_order(name: str, key: Callable[[str], bytes], doc: str, *examples: str) -> None:
    """Declare a comparison of two arguments as strings."""

    @builtin(
        name,
        args=2,
        result=ResultKind.INTEGER,
        prints=True,
        exceptional=_ORDER_RULE,
        doc=doc,
        examples=examples,
    )
    def order(state: EvalState, left: ClassAdValue, right: ClassAdValue) -> ClassAdValue:
        one, other = text_of(left), text_of(right)
        if isinstance(one, Value) or isinstance(other, Value):
            return UNDEFINED if one is UNDEFINED or other is UNDEFINED else ERROR
        return (key(one) > key(other)) - (key(one) < key(other))


_declare_order(
    "strcmp", to_bytes,
    "-1, 0 or 1 as the first argument, as a string, sorts before, with or after the second.",
    'strcmp("a", "b") -> -1', 'strcmp("a", "A") -> 1',
)  # fmt: skip
_declare_order(
    "stricmp", lambda text: to_bytes(text).lower(),
    "As ``strcmp`` without regard to the case of ASCII letters.",
    'stricmp("a", "A") -> 0',
)  # fmt: skip


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
    result=ResultKind.INTEGER,
    prints=True,
    exceptional=_ORDER_RULE,
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
        result=ResultKind.CONDITION,
        prints=True,
        exceptional=_ORDER_RULE,
        doc=f"Whether the {doc}.",
        examples=[example],
    )
    def relation(state: EvalState, left: ClassAdValue, right: ClassAdValue) -> ClassAdValue:
        order = compared(left, right)
        return order if isinstance(order, Value) else holds(order, 0)


for _row in (
    ("versionLT", lt, "first version is older than the second", 'versionLT("1.9", "1.10") -> true'),
    ("versionLE", le, "first version is not newer than the second",
     'versionLE("1.9", "1.9") -> true'),
    ("versionGT", gt, "first version is newer than the second",
     'versionGT("1.9", "1.10") -> false'),
    ("versionGE", ge, "first version is not older than the second",
     'versionGE("1.10", "1.9") -> true'),
    ("versionEQ", eq, "two versions are equal, byte by byte", 'versionEQ("1.0", "1") -> false'),
):  # fmt: skip
    _relation(*_row)


@builtin(
    "version_in_range",
    args=3,
    result=ResultKind.CONDITION,
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
