"""What the function families share: conversions of arguments, byte strings, lists.

Inputs and outputs: values as in ``classad.language.values``.  A conversion that fails gives
``UNDEFINED``
for undefined and ``ERROR`` for everything else, so that callers can return it as it is.
Never here: a function of the language.
Follows: section "functions" of the language notes; C's ``strtod`` for numbers in strings.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Final

from classad.ads.ad import ListValue
from classad.language.times import format_abstime, int32_of_real, reltime_text
from classad.language.values import ERROR, INT_MIN, UNDEFINED, AbsTime, RelTime, Value

NUMBERS: Final = frozenset({bool, int, float})
_NO_ADS: Final = NUMBERS | {str, Value, ListValue}

#: What C's strtod reads; the longest match wins.
_NUMBER: Final = re.compile(
    r"""[ \t-\r]*
    (?: (?P<hex>[-+]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][-+]?[0-9]+)?)
      | (?P<decimal>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
      | (?P<word>[-+]?(?:infinity|inf|nan)) )""",
    re.VERBOSE | re.IGNORECASE,
)


def either_exceptional(*values: Any) -> Value | None:
    """Error if any value is the error value, else undefined if any is undefined, else None."""
    found: Value | None = None
    for value in values:
        if value.__class__ is Value:
            if value is ERROR:
                return ERROR
            found = UNDEFINED
    return found


def undefined_first(*values: Any) -> Value | None:
    """Undefined if any value is, else error if any is, else None."""
    if any(value is UNDEFINED for value in values):
        return UNDEFINED
    return ERROR if any(value is ERROR for value in values) else None


def text_of(value: Any) -> Any:
    """``str(x)``: the string itself, other values as printed, times bare; or undefined or error."""
    kind = value.__class__
    if kind is str or kind is Value:
        return value
    if kind is AbsTime:
        return format_abstime(value)
    if kind is RelTime:
        return reltime_text(value.secs)
    from classad.formats.unparse import unparse_value

    return unparse_value(value)


def leading_real(text: str) -> float | None:
    """The number at the start of a string, or None."""
    found = _NUMBER.match(text)
    if found is None:
        return None
    digits = found["hex"]
    if digits:
        try:
            return float.fromhex(digits)
        except OverflowError:
            return -math.inf if digits[0] == "-" else math.inf
    return float(found["decimal"] or found["word"])


def truncated(real: float) -> int:
    """A real cast to a 64-bit integer; out of range and NaN give the least one, as on x86-64."""
    return int(real) if -9223372036854775808.0 <= real < 9223372036854775808.0 else INT_MIN


def real_of(value: Any) -> Any:
    """The value as a real, or undefined or error."""
    kind = value.__class__
    if kind is float:
        return value
    if kind in NUMBERS:
        return float(value)
    if kind is str:
        real = leading_real(value)
        return ERROR if real is None else real
    if kind is AbsTime:
        return float(value.secs)
    if kind is RelTime:
        return float(int32_of_real(value.secs))
    return UNDEFINED if value is UNDEFINED else ERROR


def int_of(value: Any) -> Any:
    """The value as an integer, truncated toward zero, or undefined or error."""
    kind = value.__class__
    if kind is int:
        return value
    if kind is bool:
        return int(value)
    if kind is AbsTime:
        return int(value.secs)
    real = real_of(value)
    return real if real.__class__ is Value else truncated(real)


def to_bytes(text: str) -> bytes:
    """The bytes that a string stands for."""
    return text.encode("utf-8", "surrogateescape")


def from_bytes(raw: bytes) -> str:
    """The string of some bytes, whatever they are."""
    return raw.decode("utf-8", "surrogateescape")


def canonical(text: str) -> str:
    """The one spelling of a string put together from parts: halves of a character become one."""
    return text if text.isascii() else from_bytes(to_bytes(text))


def new_list(items: Iterable[Any]) -> ListValue:
    """A list made by a function."""
    return ListValue(items, computed=True)


def is_list(value: Any) -> bool:
    """Whether the value is a list."""
    return value.__class__ is ListValue


def is_ad(value: Any) -> bool:
    """Whether the value is an ad."""
    if value.__class__ in _NO_ADS:
        return False  # telling an ad by what it inherits from takes ten times as long
    from classad.ads.ad import Ad as ClassAd

    return isinstance(value, ClassAd)
