"""Applies operators to abstract values.

The reference functions of ``classad.language.operators`` are the meaning: they are asked at the
ends of intervals where they are monotone, and for every pair of truth values or known strings.
Inputs: abstract operands.  Outputs: an abstract value with everything that can come out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isnan
from typing import TYPE_CHECKING, Final

from classad.language.operators import (
    ARITHMETIC,
    BINARY,
    COMPARISONS,
    IDENTITY,
    LOGIC,
    UNARY,
    OperatorKind,
)
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, Truth, fold
from policy.attributes import BYTES, DATE, SECONDS
from policy.values.domain import (
    ALL_REAL,
    ALL_WHOLE,
    PLAIN,
    Abstract,
    Real,
    Whole,
    constant,
    single_number,
    single_value,
    truths,
)

if TYPE_CHECKING:
    from policy.values.domain import Abstract

#: Strings are compared one by one up to so many pairs.
_MOST_PAIRS: Final = 4096


def binary(symbol: str, a: Abstract, b: Abstract) -> Abstract:
    """``a symbol b`` for operands that are both evaluated."""
    if symbol in LOGIC:
        rule = BINARY[symbol].implementation
        return truths(_truth(rule(x, y)) for x in a.outcomes() for y in b.outcomes())
    if symbol in IDENTITY:
        return _identity(symbol, a, b)
    if symbol in COMPARISONS:
        return _strict(a, b, truths(_compared(symbol, a, b)))
    if symbol in ARITHMETIC:
        return _arithmetic(symbol, a, b)
    return _bits(symbol, a, b)


def unary(symbol: str, a: Abstract) -> Abstract:
    """``symbol a``."""
    rule = UNARY[symbol].implementation
    if UNARY[symbol].kind is OperatorKind.LOGIC:
        return truths(_truth(rule(x)) for x in a.outcomes())
    known = single_value(a)
    if known is not None:
        return constant(rule(known))._replace(unit=a.unit, single=a.single)
    error = a.error or bool(a.truths) or a.has_text
    if symbol == "~":
        whole = None if a.whole is None else (~a.whole[1], ~a.whole[0])
        return Abstract(a.undefined, error or a.real is not None or a.nan or a.other, whole=whole)
    error = error or a.other
    result = Abstract(
        a.undefined, error, frozenset(), a.whole, a.real, a.nan, other=a.other, unit=a.unit
    )
    if symbol == "+":
        return result
    whole = a.whole
    if whole is not None:
        whole = (-whole[1], -whole[0]) if whole[0] > INT_MIN else ALL_WHOLE
    return result._replace(whole=whole, real=None if a.real is None else (-a.real[1], -a.real[0]))


def _truth(value: object) -> Truth:
    assert isinstance(value, bool) or value is UNDEFINED or value is ERROR
    return value


def _strict(a: Abstract, b: Abstract, value: Abstract) -> Abstract:
    """With what undefined and error operands give."""
    error = (a.error and not b.empty) or (b.error and not a.empty)
    undefined = (a.undefined and (b.undefined or b.defined)) or (b.undefined and a.defined)
    if not (error or undefined):
        return value
    return value._replace(undefined=value.undefined or undefined, error=value.error or error)


# --- comparisons ----------------------------------------------------------------------------


def _compared(symbol: str, a: Abstract, b: Abstract) -> Iterator[Truth]:
    """What a strict comparison of defined values gives."""
    for x in a.numbers():
        for y in b.numbers():
            yield from _interval_compared(symbol, x, y)
    if (a.nan and b.has_number) or (b.nan and a.has_number):
        yield symbol == "!="
    if a.has_text and b.has_text:
        yield from _texts_compared(symbol, a, b)
    if a.other and b.other:
        yield from (True, False, ERROR)
    if _unlike(a, b) or _unlike(b, a):
        yield ERROR


def _unlike(a: Abstract, b: Abstract) -> bool:
    """May they be values that no comparison has a rule for?"""
    return (a.has_number and (b.has_text or b.other)) or (a.has_text and b.other)


def _interval_compared(symbol: str, x: Whole | Real, y: Whole | Real) -> list[Truth]:
    rule = BINARY[symbol].implementation
    if not (_is_whole(x) and _is_whole(y)):
        x, y = (float(x[0]), float(x[1])), (float(y[0]), float(y[1]))
    ends = [_truth(rule(one, other)) for one in x for other in y]
    overlap = x[0] <= y[1] and y[0] <= x[1]
    if symbol in ("==", "!="):
        ends = [overlap is (symbol == "==")]
        if overlap and not x[0] == x[1] == y[0] == y[1]:
            return [True, False]
    return ends


def _is_whole(x: Whole | Real) -> bool:
    return isinstance(x[0], int) and isinstance(x[1], int)


def _texts_compared(symbol: str, a: Abstract, b: Abstract) -> list[Truth]:
    if a.texts is None or b.texts is None or len(a.texts) * len(b.texts) > _MOST_PAIRS:
        if a.folded is not None and b.texts is not None and symbol in ("==", "!="):
            return _folded_compared(symbol, a.folded, b.texts)
        if b.folded is not None and a.texts is not None and symbol in ("==", "!="):
            return _folded_compared(symbol, b.folded, a.texts)
        return [True, False]
    rule = BINARY[symbol].implementation
    return [_truth(rule(x, y)) for x in a.texts for y in b.texts]


def _folded_compared(symbol: str, forms: frozenset[bytes], texts: frozenset[str]) -> list[Truth]:
    equal = {form == fold(text) for form in forms for text in texts}
    return [same is (symbol == "==") for same in equal]


def _identity(symbol: str, a: Abstract, b: Abstract) -> Abstract:
    same = list(_same(a, b))
    if symbol == "=?=":
        return truths(same)
    return truths((not one) if isinstance(one, bool) else one for one in same)


def _same(a: Abstract, b: Abstract) -> Iterator[Truth]:
    """What ``=?=`` gives: kinds of values that both have, and those of different kinds."""
    mine, others = _kinds(a), _kinds(b)
    if any(x != y for x in mine for y in others):
        yield False
    if (a.undefined and b.undefined) or (a.error and b.error):
        yield True
    if a.other and b.other:
        yield from (True, False, ERROR)
    yield from ({x == y for x in a.truths for y in b.truths})
    for x, y in ((a.whole, b.whole), (a.real, b.real)):
        if x is not None and y is not None:
            yield from _interval_compared("==", x, y)
    if (a.nan or b.nan) and "real" in mine and "real" in others:
        yield False
    if a.has_text and b.has_text:
        if a.texts is None or b.texts is None:
            yield from {True, False} if _may_equal(a, b) else {False}
        else:
            yield from ({x == y for x in a.texts for y in b.texts})


def _may_equal(a: Abstract, b: Abstract) -> bool:
    texts = a.texts if a.texts is not None else b.texts
    if texts is None:
        return True
    return any(a.contains(text) and b.contains(text) for text in texts)


def _kinds(a: Abstract) -> set[str]:
    named = {
        "undefined": a.undefined,
        "error": a.error,
        "boolean": bool(a.truths),
        "integer": a.whole is not None,
        "real": a.real is not None or a.nan,
        "string": a.has_text,
        "other": a.other,
    }
    return {name for name, there in named.items() if there}


# --- arithmetic -----------------------------------------------------------------------------


def _arithmetic(symbol: str, a: Abstract, b: Abstract) -> Abstract:
    found = Abstract(unit=combined_unit(symbol, a, b), single=a.single or b.single)
    whole_a, whole_b = _whole_part(a), _whole_part(b)
    if whole_a is not None and whole_b is not None:
        found = _with_whole(found, symbol, whole_a, whole_b)
    for x, y in ((a.real, b.real), (a.real, whole_b), (whole_a, b.real)):
        if x is not None and y is not None:
            found = _with_real(found, symbol, _as_real(x), _as_real(y))
    if (a.nan and b.has_number) or (b.nan and a.has_number):
        found = found._replace(error=True) if symbol == "%" else found._replace(nan=True)
    if _mismatched(a, b) or _mismatched(b, a):
        found = found._replace(error=True)
    if (a.other and (b.other or b.has_number)) or (b.other and a.has_number):
        found = found._replace(error=True, other=True)
    return _strict(a, b, found)


def _mismatched(a: Abstract, b: Abstract) -> bool:
    """Is one a string and the other defined, too?"""
    return a.has_text and b.defined


def _whole_part(a: Abstract) -> Whole | None:
    parts = [(int(min(a.truths)), int(max(a.truths)))] if a.truths else []
    if a.whole is not None:
        parts.append(a.whole)
    if not parts:
        return None
    return min(part[0] for part in parts), max(part[1] for part in parts)


def _as_real(x: Whole | Real) -> Real:
    return float(x[0]), float(x[1])


def _with_whole(value: Abstract, symbol: str, x: Whole, y: Whole) -> Abstract:
    if symbol in ("/", "%"):
        error = y[0] <= 0 <= y[1]
        divisors = [d for d in ((y[0], min(y[1], -1)), (max(y[0], 1), y[1])) if d[0] <= d[1]]
        if not divisors:
            return value._replace(error=True)
        ends = [_whole_ends(symbol, x, divisor) for divisor in divisors]
        whole = min(end[0] for end in ends), max(end[1] for end in ends)
        return value._replace(whole=whole, error=value.error or error)
    exact: Callable[[int, int], float] | None = BINARY[symbol].exact
    assert exact is not None
    corners = [int(exact(one, other)) for one in x for other in y]
    whole = min(corners), max(corners)
    if whole[0] < INT_MIN or whole[1] > INT_MAX:
        whole = ALL_WHOLE
    return value._replace(whole=whole)


def _whole_ends(symbol: str, x: Whole, y: Whole) -> Whole:
    if symbol == "%":
        most = max(abs(y[0]), abs(y[1])) - 1
        return max(-most, min(x[0], 0)), min(most, max(x[1], 0))
    rule = BINARY["/"].implementation
    corners = [rule(one, other) for one in x for other in y]
    numbers = [corner for corner in corners if isinstance(corner, int)]
    if x[0] <= 0 <= x[1]:
        numbers.append(0)
    return min(numbers), max(numbers)


def _with_real(value: Abstract, symbol: str, x: Real, y: Real) -> Abstract:
    if symbol == "%":
        return value._replace(error=True)
    if symbol == "/" and y[0] <= 0 <= y[1]:
        return value._replace(real=ALL_REAL, nan=True, error=True)
    infinite = any(end in (inf, -inf) for end in (*x, *y))
    if symbol == "/":
        corners = [_finite(one / other) for one in x for other in y]
    elif symbol == "*":
        corners = [0.0 if one == 0 or other == 0 else one * other for one in x for other in y]
    elif symbol == "+":
        corners = [_or(x[0] + y[0], -inf), _or(x[1] + y[1], inf)]
    else:
        corners = [_or(x[0] - y[1], -inf), _or(x[1] - y[0], inf)]
    low, high = min(corners), max(corners)
    if symbol == "/" and infinite:
        low, high = ALL_REAL
    real = (
        (low, high) if value.real is None else (min(value.real[0], low), max(value.real[1], high))
    )
    return value._replace(real=real, nan=value.nan or infinite, error=value.error or high == inf)


def _finite(value: float) -> float:
    return 0.0 if isnan(value) else value


def _or(value: float, instead: float) -> float:
    return instead if isnan(value) else value


def _bits(symbol: str, a: Abstract, b: Abstract) -> Abstract:
    """Operators on the bits of integers: any other defined operand is an error."""
    found = Abstract()
    if a.whole is not None and b.whole is not None:
        one, other = single_value(a), single_value(b)
        if isinstance(one, int) and isinstance(other, int):
            return constant(BINARY[symbol].implementation(one, other))
        found = found._replace(whole=ALL_WHOLE)
        if symbol == "&" and a.whole[0] >= 0 and b.whole[0] >= 0:
            found = found._replace(whole=(0, min(a.whole[1], b.whole[1])))
    if (_not_whole(a) and b.defined) or (_not_whole(b) and a.defined):
        found = found._replace(error=True)
    return _strict(a, b, found)


def _not_whole(a: Abstract) -> bool:
    return bool(a.truths) or a.real is not None or a.nan or a.has_text or a.other


# --- units ----------------------------------------------------------------------------------------

_BY_BYTES: Final = {size: unit for unit, size in BYTES.items()}


def combined_unit(symbol: str, a: Abstract, b: Abstract) -> str:
    """The unit of ``a symbol b``."""
    one, other = a.unit, b.unit
    if symbol == "+":
        return _unit_of_sum(one, other)
    if symbol == "-":
        if one == other == DATE:
            return SECONDS
        return "" if other == DATE else _unit_of_sum(one, other)
    if symbol == "*":
        if one == PLAIN:
            return _unit_scaled(b, a, 1)
        return _unit_scaled(a, b, 1) if other == PLAIN else ""
    if symbol == "/":
        return _unit_scaled(a, b, -1) if other == PLAIN else ""
    return one if symbol == "%" and other == PLAIN and one != DATE else ""


def _unit_of_sum(one: str, other: str) -> str:
    if one == other or other == PLAIN:
        return one
    if one == PLAIN:
        return other
    return DATE if {one, other} == {DATE, SECONDS} else ""


def _unit_scaled(given: Abstract, factor: Abstract, sign: int) -> str:
    """The unit of an amount times or over a plain number; 1024 changes the unit of memory."""
    unit = given.unit
    if unit == PLAIN:
        return PLAIN
    number = single_number(factor)
    if unit == DATE or number is None:
        return ""
    if unit in BYTES:
        return _of_memory(unit, number, sign)
    if unit in (SECONDS, "min") and number in (60, 3600, 86400):
        return ""
    return unit


def _of_memory(unit: str, number: float, sign: int) -> str:
    """MiB times 1024 are KiB in number; 1000 and its like leave nothing certain."""
    if number in (1024, 1024**2, 1024**3):
        size = BYTES[unit] / number if sign > 0 else BYTES[unit] * number
        return _BY_BYTES.get(int(size), "")
    return unit if abs(number) < 512 else ""
