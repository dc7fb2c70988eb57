"""Defines functions on strings: joining, case, parts and order.

Strings are bytes underneath: lengths and offsets count bytes, case is that of ASCII.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn1``, ``fn2``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from classad.builtins.support import (
    canonical,
    from_bytes,
    is_ad,
    is_list,
    text_of,
    to_bytes,
    undefined_first,
)
from classad.evaluation.functions import LAZY, Result, builtin
from classad.evaluation.state import EvalState
from classad.language import bounds
from classad.language.times import wrap32
from classad.language.values import ERROR, UNDEFINED, ClassAdValue, Thunk, Value

_ORDER_RULE: Final = "an undefined argument gives undefined, else an error one error"


@builtin(
    "strcat",
    args=(0, None),
    result=Result.TEXT,
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
    result=Result.TEXT,
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


@builtin(
    "toUpper",
    args=1,
    result=Result.UPPER,
    prints=True,
    examples=['toUpper("Slot1@host") -> "SLOT1@HOST"'],
)
def to_upper(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The argument as a string with ASCII letters in upper case."""
    text = text_of(value)
    if isinstance(text, Value):
        return text
    return text.upper() if text.isascii() else from_bytes(to_bytes(text).upper())


@builtin(
    "toLower", args=1, result=Result.LOWER, prints=True, examples=['toLower("LINUX") -> "linux"']
)
def to_lower(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The argument as a string with ASCII letters in lower case."""
    text = text_of(value)
    return text if isinstance(text, Value) else ascii_lower(text)


@builtin(
    "substr",
    args=(2, 3),
    result=Result.TEXT,
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
    result=Result.COUNT,
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
        result=Result.INTEGER,
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
