"""Reads texts as numbers and booleans, the way the C library and the daemons do.

What counts as an integer, a double or a boolean literal, when an expression is evaluated instead,
and what an invalid boolean falls back to.
Inputs: an expanded text; an ``evaluate`` function from expression text to ClassAd value (None when
it cannot be parsed).  Outputs: Python numbers, or None for "not one".
Follows: 25.14.1 (golden vectors ``typed``).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from typing import Final

from classad.patterns import late_regex
from policy.language.lines import BLANKS

#: Evaluates an expression text against nothing; None when it is not an expression.
Evaluate = Callable[[str], object]

INT32: Final = (-(2**31), 2**31 - 1)
INT64: Final = (-(2**63), 2**63 - 1)

_INTEGER = late_regex(r"[+-]?[0-9]+")
_DOUBLE = late_regex(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEX_DOUBLE = late_regex(
    r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
)
_SPECIAL = late_regex(r"[+-]?(?:inf(?:inity)?|nan(?:\([A-Za-z0-9_]*\))?)", re.IGNORECASE)
_BOOLEAN = late_regex(r"true|1|false|0", re.IGNORECASE)


def clamp(value: int, limits: tuple[int, int]) -> int:
    """``value`` moved into the limits."""
    return max(limits[0], min(limits[1], value))


def integer_literal(text: str) -> int | None:
    """strtoll in base 10 of the whole text, saturating at 64 bits."""
    bare = text.strip(BLANKS)
    return saturated(bare) if _INTEGER.fullmatch(bare) else None


def saturated(digits: str) -> int:
    """Decimal digits, with a sign or without, as an integer of 64 bits: the nearest one."""
    negative, most = digits.startswith("-"), INT64[1]
    magnitude = digits.lstrip("+-").lstrip("0") or "0"
    # Python reads no more than 4,300 digits.
    number = int(magnitude) if len(magnitude) <= len(str(most)) else most + 1
    return clamp(-number if negative else number, INT64)


def double_literal(text: str) -> float | None:
    """strtod of the whole text: decimal, hexadecimal, ``inf`` and ``nan``."""
    bare = text.strip(BLANKS)
    if _DOUBLE.fullmatch(bare):
        return float(bare)
    if _HEX_DOUBLE.fullmatch(bare):
        try:
            return float.fromhex(bare)
        except OverflowError:
            return -math.inf if bare.startswith("-") else math.inf
    if _SPECIAL.fullmatch(bare):
        return float(bare.split("(")[0])
    return None


def read_integer(text: str, evaluate: Evaluate) -> int | None:
    """An integer: literal, or an expression that is a number or boolean, truncated."""
    literal = integer_literal(text)
    if literal is not None:
        return literal
    value = evaluate(text)
    # The exceptional values are integers to Python: compare classes.
    if value.__class__ is bool or value.__class__ is int:
        return int(value)
    if isinstance(value, float):
        # What no C integer holds becomes the least one, also a great positive number.
        return int(value) if abs(value) < INT64[1] else INT64[0]
    return None


def read_double(text: str, evaluate: Evaluate) -> float | None:
    """A double: literal, or an expression that is a number or boolean; infinities saturate."""
    number = double_literal(text)
    if number is None:
        value = evaluate(text)
        if value.__class__ is bool or value.__class__ is int or value.__class__ is float:
            number = float(value)
    if number is None:
        return None
    if math.isinf(number):
        return math.copysign(sys.float_info.max, number)
    return number


def read_boolean(text: str, evaluate: Evaluate) -> bool | None:
    """A boolean: ``true false 1 0``, or an expression that is a boolean or number."""
    bare = text.strip(BLANKS)
    if _BOOLEAN.fullmatch(bare):
        return bare[0] in "tT1"
    value = evaluate(text)
    if value.__class__ is bool or value.__class__ is int:
        return bool(value)
    return value != 0.0 if isinstance(value, float) else None


def leading_boolean(text: str) -> bool | None:
    """What an invalid boolean falls back to when it begins with a valid one (``truex``, ``01``)."""
    head = _BOOLEAN.match(text.lstrip(BLANKS))
    return None if head is None else head[0][0] in "tT1"
