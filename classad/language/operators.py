"""The operators of the language: one row each, with precedence and scalar meaning.

Inputs: evaluated operands as Python values (see ``classad.language.values``).  Outputs: a value.
Every function here is total: a wrong operand gives ``ERROR``, never an exception.

What is not here: laziness (the compiler decides which operand is evaluated when), subscripts and
selection (they evaluate members), printing.  The logic functions take operands that have both been
evaluated already.
Follows: sections 3 and 4 of the language notes; vectors ``op_*.jsonl``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any, Final, NamedTuple

from classad.language.values import (
    ERROR,
    INT_MAX,
    INT_MIN,
    UNDEFINED,
    AbsTime,
    RelTime,
    Value,
    wrap64,
)

_NUMBERS: Final = frozenset({bool, int, float})
_WHOLE: Final = frozenset({bool, int})


def exceptional(a: Any, b: Any) -> Any:
    """What a strict operator gives for operands it has no rule for: the stronger of the two."""
    if a is ERROR or b is ERROR:
        return ERROR
    if a is UNDEFINED or b is UNDEFINED:
        return UNDEFINED
    return ERROR


# --- arithmetic -----------------------------------------------------------------------------


def real_result(x: float) -> Any:
    """A real, or the error that positive infinity stands for."""
    return ERROR if x == inf else x


def add(a: Any, b: Any) -> Any:
    """Sum; whole numbers wrap at 64 bits; relative time shifts an absolute time."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        return real_result(a + b) if ca is float or cb is float else wrap64(a + b)
    if ca is AbsTime and cb is RelTime:
        return _shift(a, b.secs)
    if ca is RelTime and cb is AbsTime:
        return _shift(b, a.secs)
    if ca is RelTime and cb is RelTime:
        return RelTime(a.secs + b.secs)
    return exceptional(a, b)


def subtract(a: Any, b: Any) -> Any:
    """Difference; two absolute times give a relative one."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        return real_result(a - b) if ca is float or cb is float else wrap64(a - b)
    if ca is AbsTime:
        if cb is AbsTime:
            return RelTime(float(a.secs - b.secs))
        if cb is RelTime:
            return _shift(a, -b.secs)
    if ca is RelTime and cb is RelTime:
        return RelTime(a.secs - b.secs)
    return exceptional(a, b)


def multiply(a: Any, b: Any) -> Any:
    """Product; a number scales a relative time."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        return real_result(a * b) if ca is float or cb is float else wrap64(a * b)
    if ca is RelTime and (cb is int or cb is float):
        return RelTime(a.secs * b)
    if cb is RelTime and (ca is int or ca is float):
        return RelTime(b.secs * a)
    return exceptional(a, b)


def divide(a: Any, b: Any) -> Any:
    """Quotient; whole numbers truncate toward zero, a whole divisor of zero is an error."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        if ca is float or cb is float:
            return real_result(_real_divide(a, b))
        return _whole_divide(int(a), int(b))
    if ca is RelTime and (cb is int or cb is float):
        return RelTime(_real_divide(a.secs, b))
    return exceptional(a, b)


def remainder(a: Any, b: Any) -> Any:
    """Remainder with the sign of the dividend; whole numbers only."""
    ca, cb = a.__class__, b.__class__
    if ca in _WHOLE and cb in _WHOLE:
        if not b:
            return ERROR
        rest = abs(a) % abs(b)
        return -rest if a < 0 else rest
    return exceptional(a, b)


def _whole_divide(a: int, b: int) -> Any:
    if b == 0:
        return ERROR
    if a == INT_MIN and b == -1:
        return INT_MAX
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _real_divide(a: float, b: float) -> float:
    """IEEE division, which Python refuses for a zero divisor."""
    x, y = float(a), float(b)
    if y:
        return x / y
    if not x or x != x:
        return nan
    negative = (x < 0) != (str(y)[0] == "-")
    return -inf if negative else inf


def _shift(time: AbsTime, seconds: float) -> Any:
    """An absolute time moved by whole seconds, its zone kept."""
    if seconds != seconds or seconds in (inf, -inf):
        return AbsTime(wrap64(time.secs + INT_MIN), time.offset)
    return AbsTime(wrap64(time.secs + int(seconds)), time.offset)


def negate(a: Any) -> Any:
    """Unary minus; booleans have no negative."""
    ca = a.__class__
    if ca is int:
        return wrap64(-a)
    if ca is float:
        return -a
    if ca is RelTime:
        return RelTime(-a.secs)
    return UNDEFINED if a is UNDEFINED else ERROR


def plus(a: Any) -> Any:
    """Unary plus: numbers unchanged; booleans are an error."""
    ca = a.__class__
    if ca is int or ca is float or ca is RelTime or a is UNDEFINED:
        return a
    return ERROR


# --- comparison -----------------------------------------------------------------------------


def fold(text: str) -> Any:
    """The key by which strings compare without case: ASCII letters lowered, bytes otherwise."""
    if text.isascii():
        return text.lower().encode()
    return text.encode("utf-8", "surrogateescape").lower()


def _compare(name: str, doc: str) -> Callable[[Any, Any], Any]:
    """A strict comparison made from Python's operator of the same name."""
    source = f"""
def compare(a, b):
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        if ca is float or cb is float:
            return float(a) {name} float(b)
        return a {name} b
    if ca is str and cb is str:
        return a {name} b if a == b else fold(a) {name} fold(b)
    if ca is cb:
        if ca is AbsTime or ca is RelTime:
            return a.secs {name} b.secs
    return exceptional(a, b)
"""
    space: dict[str, Any] = {
        "_NUMBERS": _NUMBERS, "AbsTime": AbsTime, "RelTime": RelTime,
        "exceptional": exceptional, "fold": fold,
    }  # fmt: skip
    exec(source, space)  # the six bodies differ in one token
    function: Callable[[Any, Any], Any] = space["compare"]
    function.__doc__ = doc
    return function


less = _compare("<", "Less than; numbers mix, strings compare without case.")
less_equal = _compare("<=", "Less or equal.")
greater = _compare(">", "Greater than.")
greater_equal = _compare(">=", "Greater or equal.")
equal = _compare("==", "Equal: numbers by value, strings without case.")
not_equal = _compare("!=", "Not equal.")


def identical(a: Any, b: Any) -> Any:
    """``=?=``: same type and same value, strings with case; two lists or two ads are an error."""
    ca = a.__class__
    if ca is not b.__class__:
        return False
    if ca is Value:
        return a is b
    if ca in _NUMBERS or ca is str or ca is AbsTime or ca is RelTime:
        return a == b
    if getattr(a, "computed", None) is not getattr(b, "computed", None):
        return False
    return ERROR


def not_identical(a: Any, b: Any) -> Any:
    """``=!=``: the negation of ``=?=``."""
    same = identical(a, b)
    return ERROR if same is ERROR else not same


# --- logic ----------------------------------------------------------------------------------


def truth(a: Any) -> Any:
    """A boolean, ``UNDEFINED``, or ``ERROR`` for what is neither boolean nor number."""
    ca = a.__class__
    if ca is bool:
        return a
    if ca is int or ca is float:
        return a != 0
    return UNDEFINED if a is UNDEFINED else ERROR


def logical_and(a: Any, b: Any) -> Any:
    """``&&``: a false or error left operand decides alone, and the right one is not evaluated."""
    x = truth(a)
    if x is False or x is ERROR:
        return x
    y = truth(b)
    if x is True or y is False or y is ERROR:
        return y
    return UNDEFINED


def logical_or(a: Any, b: Any) -> Any:
    """``||``: a true or error left operand decides alone, and the right one is not evaluated."""
    x = truth(a)
    if x is True or x is ERROR:
        return x
    y = truth(b)
    if x is False or y is True or y is ERROR:
        return y
    return UNDEFINED


def logical_not(a: Any) -> Any:
    """``!``."""
    x = truth(a)
    return (not x) if x.__class__ is bool else x


def elvis(a: Any, b: Any) -> Any:
    """``a ?: b``: the second only if the first is undefined."""
    return b if a is UNDEFINED else a


def choose(a: Any, b: Any, c: Any) -> Any:
    """``a ? b : c``."""
    x = truth(a)
    if x.__class__ is not bool:
        return x
    return b if x else c


# --- bits -----------------------------------------------------------------------------------


def _bits(rule: Callable[[int, int], int], doc: str) -> Callable[[Any, Any], Any]:
    def bits(a: Any, b: Any) -> Any:
        if a.__class__ is int and b.__class__ is int:
            return wrap64(rule(a, b))
        return exceptional(a, b)

    bits.__doc__ = doc
    return bits


def _shift_left(a: int, b: int) -> int:
    return a << (b & 63)


def _shift_right(a: int, b: int) -> int:
    """Arithmetic shift; a negative number moves one place at a time, hence the clamped count."""
    if a < 0:
        return a >> min(b, 64) if b > 0 else a
    return a >> (b & 63)


def _shift_right_logical(a: int, b: int) -> int:
    """Logical shift; of a negative number: one place, sign cleared, then the rest."""
    if a < 0:
        return ((a >> 1) & INT_MAX) >> ((b - 1) & 63)
    return a >> (b & 63)


bit_and = _bits(lambda a, b: a & b, "Bitwise and of integers.")
bit_or = _bits(lambda a, b: a | b, "Bitwise or of integers.")
bit_xor = _bits(lambda a, b: a ^ b, "Bitwise exclusive or of integers.")
shift_left = _bits(_shift_left, "Shift left; the count is taken modulo 64.")
shift_right = _bits(_shift_right, "Arithmetic shift right.")
shift_right_logical = _bits(_shift_right_logical, "Logical shift right.")


def complement(a: Any) -> Any:
    """Bitwise complement of an integer."""
    if a.__class__ is int:
        return ~a
    return UNDEFINED if a is UNDEFINED else ERROR


# --- the table ------------------------------------------------------------------------------


class Operator(NamedTuple):
    """One operator.

    ``precedence`` grows from loose (0) to tight (12).  ``commutes``: flattening may gather its
    constants.  ``lazy``: the right operand may stay unevaluated.
    """

    symbol: str
    arity: int
    precedence: int
    implementation: Callable[..., Any]
    commutes: bool = False
    lazy: bool = False


#: Symbol -> binary operator.
BINARY: Final[dict[str, Operator]] = {
    row.symbol: row
    for row in (
        Operator("||", 2, 1, logical_or, lazy=True),
        Operator("&&", 2, 2, logical_and, lazy=True),
        Operator("|", 2, 3, bit_or, commutes=True),
        Operator("^", 2, 4, bit_xor, commutes=True),
        Operator("&", 2, 5, bit_and, commutes=True),
        Operator("==", 2, 6, equal),
        Operator("!=", 2, 6, not_equal),
        Operator("=?=", 2, 6, identical),
        Operator("=!=", 2, 6, not_identical),
        Operator("<", 2, 7, less),
        Operator("<=", 2, 7, less_equal),
        Operator(">", 2, 7, greater),
        Operator(">=", 2, 7, greater_equal),
        Operator("<<", 2, 8, shift_left),
        Operator(">>", 2, 8, shift_right),
        Operator(">>>", 2, 8, shift_right_logical),
        Operator("+", 2, 9, add, commutes=True),
        Operator("-", 2, 9, subtract),
        Operator("*", 2, 10, multiply, commutes=True),
        Operator("/", 2, 10, divide),
        Operator("%", 2, 10, remainder),
        Operator("?:", 2, 12, elvis, lazy=True),
    )
}
#: Symbol -> prefix operator.
UNARY: Final[dict[str, Operator]] = {
    row.symbol: row
    for row in (
        Operator("-", 1, 11, negate),
        Operator("+", 1, 11, plus),
        Operator("!", 1, 11, logical_not),
        Operator("~", 1, 11, complement),
    )
}
#: ``c ? a : b``.
CONDITIONAL: Final = Operator("?:", 3, 0, choose, lazy=True)
