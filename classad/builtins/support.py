"""Converts arguments, byte strings and lists for the families of functions.

Inputs and outputs: values as in ``classad.language.values``.  A conversion that fails gives
``UNDEFINED`` for undefined and ``ERROR`` for everything else, so that callers can return it as it
is.
Follows: section "functions" of the language notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeGuard

from classad.ads.ad import ListValue
from classad.evaluation.functions import ArgumentColumn
from classad.language.spelling import leading_real
from classad.language.times import format_abstime, int32_of_real, reltime_text
from classad.language.values import (
    ERROR,
    INT_MIN,
    UNDEFINED,
    AbsTime,
    ClassAdValue,
    RelTime,
    Value,
    from_bytes,
    to_bytes,
)

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from classad.ads.ad import Ad

NUMBERS: Final = frozenset({bool, int, float})
_NO_ADS: Final = NUMBERS | {str, Value, ListValue}


def either_exceptional(*values: ClassAdValue) -> Value | None:
    """Error if any value is the error value, else undefined if any is undefined, else None."""
    found: Value | None = None
    for value in values:
        if value.__class__ is Value:
            if value is ERROR:
                return ERROR
            found = UNDEFINED
    return found


def undefined_first(*values: ClassAdValue) -> Value | None:
    """Undefined if any value is, else error if any is, else None."""
    if any(value is UNDEFINED for value in values):
        return UNDEFINED
    return ERROR if any(value is ERROR for value in values) else None


def text_of(value: ClassAdValue) -> str | Value:
    """``str(x)``: the string itself, other values as printed, times bare; or undefined or error."""
    if value.__class__ is str or value.__class__ is Value:
        return value
    if value.__class__ is AbsTime:
        return format_abstime(value)
    if value.__class__ is RelTime:
        return reltime_text(value.secs)
    from classad.formats.unparse import unparse_value

    return unparse_value(value)


def truncated(real: float) -> int:
    """A real cast to a 64-bit integer; out of range and NaN give the least one, as on x86-64."""
    return int(real) if -9223372036854775808.0 <= real < 9223372036854775808.0 else INT_MIN


def real_of(value: ClassAdValue) -> float | Value:
    """The value as a real, or undefined or error."""
    if value.__class__ is float:
        return value
    if value.__class__ is int or value.__class__ is bool:
        return float(value)
    if value.__class__ is str:
        real = leading_real(value)
        return ERROR if real is None else real
    if value.__class__ is AbsTime:
        return float(value.secs)
    if value.__class__ is RelTime:
        return float(int32_of_real(value.secs))
    return UNDEFINED if value is UNDEFINED else ERROR


def int_of(value: ClassAdValue) -> int | Value:
    """The value as an integer, truncated toward zero, or undefined or error."""
    if value.__class__ is int:
        return value
    if value.__class__ is bool:
        return int(value)
    if value.__class__ is AbsTime:
        return int(value.secs)
    real = real_of(value)
    return real if isinstance(real, Value) else truncated(real)


def canonical(text: str) -> str:
    """The one spelling of a string put together from parts: halves of a character become one."""
    return text if text.isascii() else from_bytes(to_bytes(text))


def new_list(items: Iterable[ClassAdValue]) -> ListValue:
    """A list made by a function."""
    return ListValue(items, computed=True)


def shared_texts(columns: Sequence[ArgumentColumn]) -> list[str] | None:
    """The values that all calls share, if each column has one and all are strings."""
    found = []
    for column in columns:
        value = column.shared()
        if not isinstance(value, str):
            return None
        found.append(value)
    return found


def is_number(value: object) -> TypeGuard[bool | int | float]:
    """Whether the value is a number or a boolean."""
    return value.__class__ in NUMBERS


def is_list(value: object) -> TypeIs[ListValue]:
    """Whether the value is a list."""
    return value.__class__ is ListValue


def is_ad(value: object) -> TypeIs[Ad]:
    """Whether the value is an ad."""
    if value.__class__ in _NO_ADS:
        return False  # telling an ad by what it inherits from takes ten times as long
    from classad.ads.ad import Ad

    return isinstance(value, Ad)
