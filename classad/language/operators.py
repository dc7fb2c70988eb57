"""Declares the operators of the language: one row each, from which everything else is derived.

The parsers, the printer, both evaluators, the column programs, the C kernels, the checks of
policies and the generators of tests read the rows at the end of this file.

Inputs: evaluated operands as Python values (see ``classad.language.values``).  Outputs: a value.
Every function here is total: a wrong operand gives ``ERROR``, never an exception.

The logic functions take operands that have both been evaluated already; ``Operator.settles`` says
when the left one alone decides.  Subscripts and selection, which evaluate members, are elsewhere.
Follows: sections 3 and 4 of the language notes; vectors ``op_*.jsonl``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from math import inf, nan
from types import FunctionType
from typing import Any, Final, NamedTuple, TypeAlias

from classad import patterns
from classad.language.times import int32_of_real
from classad.language.values import (
    ERROR,
    INT_MAX,
    INT_MIN,
    UNDEFINED,
    AbsTime,
    BinaryRule,
    ClassAdValue,
    RelTime,
    Truth,
    Value,
    fold,
    truncating_divide,
    wrap64,
)

#: An operand.  The functions below tell operands apart by looking their class up in a set, which a
#: type checker cannot follow; what they return is checked.
Operand: TypeAlias = Any

_NUMBERS: Final = frozenset({bool, int, float})
_WHOLE: Final = frozenset({bool, int})
#: Classes of values that are neither lists nor ads.
_PLAIN: Final = frozenset({*_NUMBERS, str, AbsTime, RelTime, Value})


def exceptional(a: ClassAdValue, b: ClassAdValue) -> Value:
    """What a strict operator gives for operands it has no rule for: the stronger of the two."""
    if a is ERROR or b is ERROR:
        return ERROR
    if a is UNDEFINED or b is UNDEFINED:
        return UNDEFINED
    return ERROR


# --- arithmetic -----------------------------------------------------------------------------


def real_result(x: float) -> float | Value:
    """A real, or the error that positive infinity stands for."""
    return ERROR if x == inf else x


def add(a: Operand, b: Operand) -> ClassAdValue:
    """Sum; whole numbers wrap at 64 bits; relative time shifts an absolute time."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        return real_result(a + b) if ca is float or cb is float else wrap64(a + b)
    if ca is AbsTime and cb is RelTime:
        return _shift(a, int32_of_real(b.secs))
    if ca is RelTime and cb is AbsTime:
        return _shift(b, int32_of_real(a.secs))
    if ca is RelTime and cb is RelTime:
        return RelTime(a.secs + b.secs)
    return exceptional(a, b)


def subtract(a: Operand, b: Operand) -> ClassAdValue:
    """Difference; two absolute times give a relative one."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        return real_result(a - b) if ca is float or cb is float else wrap64(a - b)
    if ca is AbsTime:
        if cb is AbsTime:
            return RelTime(float(a.secs - b.secs))
        if cb is RelTime:
            return _shift(a, -int32_of_real(b.secs))
    if ca is RelTime and cb is RelTime:
        return RelTime(a.secs - b.secs)
    return exceptional(a, b)


def multiply(a: Operand, b: Operand) -> ClassAdValue:
    """Product; a number scales a relative time."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        return real_result(a * b) if ca is float or cb is float else wrap64(a * b)
    if ca is RelTime and (cb is int or cb is float):
        return RelTime(a.secs * b)
    if cb is RelTime and (ca is int or ca is float):
        return RelTime(b.secs * a)
    return exceptional(a, b)


def divide(a: Operand, b: Operand) -> ClassAdValue:
    """Quotient; whole numbers truncate toward zero, a whole divisor of zero is an error."""
    ca, cb = a.__class__, b.__class__
    if ca in _NUMBERS and cb in _NUMBERS:
        if ca is float or cb is float:
            return real_result(_real_divide(a, b))
        return _whole_divide(int(a), int(b))
    if ca is RelTime and (cb is int or cb is float):
        return RelTime(_real_divide(a.secs, b))
    return exceptional(a, b)


def remainder(a: Operand, b: Operand) -> ClassAdValue:
    """Remainder with the sign of the dividend; whole numbers only."""
    ca, cb = a.__class__, b.__class__
    if ca in _WHOLE and cb in _WHOLE:
        if not b:
            return ERROR
        rest: int = abs(a) % abs(b)
        return -rest if a < 0 else rest
    return exceptional(a, b)


def _whole_divide(a: int, b: int) -> int | Value:
    if b == 0:
        return ERROR
    if a == INT_MIN and b == -1:
        return INT_MAX
    return truncating_divide(a, b)


def _real_divide(a: float, b: float) -> float:
    """IEEE division, which Python refuses for a zero divisor."""
    x, y = float(a), float(b)
    if y:
        return x / y
    if not x or x != x:
        return nan
    negative = (x < 0) != (str(y)[0] == "-")
    return -inf if negative else inf


def _shift(time: AbsTime, seconds: int) -> AbsTime:
    """An absolute time moved by whole seconds, its zone kept."""
    return AbsTime(wrap64(time.secs + seconds), time.offset)


def negate(a: ClassAdValue) -> ClassAdValue:
    """Unary minus; booleans have no negative."""
    if a.__class__ is int:
        return wrap64(-a)
    if a.__class__ is float:
        return -a
    if a.__class__ is RelTime:
        return RelTime(-a.secs)
    return UNDEFINED if a is UNDEFINED else ERROR


def plus(a: ClassAdValue) -> ClassAdValue:
    """Unary plus: numbers unchanged; booleans are an error."""
    ca = a.__class__
    if ca is int or ca is float or ca is RelTime or a is UNDEFINED:
        return a
    return ERROR


# --- comparison -----------------------------------------------------------------------------


def _compare(name: str, doc: str) -> BinaryRule:
    """A strict comparison from Python's operator of that name; the bodies differ in one token."""
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
    space: dict[str, object] = {
        "_NUMBERS": _NUMBERS, "AbsTime": AbsTime, "RelTime": RelTime,
        "exceptional": exceptional, "fold": fold,
    }  # fmt: skip
    exec(patterns.compile_code(source, "<comparison>", "exec"), space)
    function = space["compare"]
    assert isinstance(function, FunctionType)
    function.__doc__ = doc
    return function


less = _compare("<", "Less than; numbers mix, strings compare without case.")
less_equal = _compare("<=", "Less or equal.")
greater = _compare(">", "Greater than.")
greater_equal = _compare(">=", "Greater or equal.")
equal = _compare("==", "Equal: numbers by value, strings without case.")
not_equal = _compare("!=", "Not equal.")


def identical(a: Operand, b: Operand) -> Truth:
    """``=?=``: same type and same value, strings with case; two lists or two ads are an error."""
    ca = a.__class__
    # Ads are of more classes than one, that of Python programs among them.
    if ca is not b.__class__ and not (_is_ad(a) and _is_ad(b)):
        return False
    if ca is Value:
        return a is b
    if ca in _NUMBERS or ca is str or ca is AbsTime or ca is RelTime:
        same: bool = a == b
        return same
    if getattr(a, "computed", None) is not getattr(b, "computed", None):
        return False
    return ERROR


def _is_ad(value: Operand) -> bool:
    return value.__class__ not in _PLAIN and hasattr(value, "raw")


def not_identical(a: ClassAdValue, b: ClassAdValue) -> Truth:
    """``=!=``: the negation of ``=?=``."""
    same = identical(a, b)
    return ERROR if same is ERROR else not same


# --- logic ----------------------------------------------------------------------------------


def truth(a: ClassAdValue) -> Truth:
    """A boolean, ``UNDEFINED``, or ``ERROR`` for what is neither boolean nor number."""
    if a.__class__ is bool:
        return a
    if a.__class__ is int or a.__class__ is float:
        return a != 0
    return UNDEFINED if a is UNDEFINED else ERROR


def logical_and(a: ClassAdValue, b: ClassAdValue) -> Truth:
    """``&&``: a false or error left operand decides alone, and the right one is not evaluated."""
    x = truth(a)
    if x is False or x is ERROR:
        return x
    y = truth(b)
    if x is True or y is False or y is ERROR:
        return y
    return UNDEFINED


def logical_or(a: ClassAdValue, b: ClassAdValue) -> Truth:
    """``||``: a true or error left operand decides alone, and the right one is not evaluated."""
    x = truth(a)
    if x is True or x is ERROR:
        return x
    y = truth(b)
    if x is False or y is True or y is ERROR:
        return y
    return UNDEFINED


def logical_not(a: ClassAdValue) -> Truth:
    """``!``."""
    x = truth(a)
    return (not x) if x.__class__ is bool else x


def elvis(a: ClassAdValue, b: ClassAdValue) -> ClassAdValue:
    """``a ?: b``: the second only if the first is undefined."""
    return b if a is UNDEFINED else a


def choose(a: ClassAdValue, b: ClassAdValue, c: ClassAdValue) -> ClassAdValue:
    """``a ? b : c``."""
    x = truth(a)
    if x.__class__ is not bool:
        return x
    return b if x else c


# --- bits -----------------------------------------------------------------------------------


def _bits(rule: Callable[[int, int], int], doc: str) -> BinaryRule:
    def bits(a: ClassAdValue, b: ClassAdValue) -> ClassAdValue:
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


def complement(a: ClassAdValue) -> ClassAdValue:
    """Bitwise complement of an integer."""
    if a.__class__ is int:
        return ~a
    return UNDEFINED if a is UNDEFINED else ERROR


# --- the table ------------------------------------------------------------------------------


class OperatorKind(Enum):
    """What an operator does; the laws that hold for all operators of a kind.

    All but those of ``LOGIC``, ``IDENTITY`` and ``CHOICE`` are strict: both operands are evaluated,
    and an error among them gives an error.
    """

    #: Three-valued logic.
    LOGIC = "logic"
    #: On the bits of integers.
    BITS = "bits"
    #: The same for all values of a type that do not equal the other operand.
    EQUALITY = "equality"
    #: As ``EQUALITY``, and never undefined.
    IDENTITY = "identity"
    #: Changes at most once as a number rises.
    ORDER = "order"
    #: Shifts of integers.
    SHIFT = "shift"
    #: On numbers and times.
    ARITHMETIC = "arithmetic"
    #: Gives one of its operands as it is.
    CHOICE = "choice"


#: The kinds of values that an operator has a meaning for, for generators of expressions.
_LOGICAL: Final = ("boolean", "integer", "real", "exceptional")
_INTEGER: Final = ("integer",)
_ORDERED: Final = ("integer", "real", "string", "boolean", "time")
_MEASURED: Final = ("integer", "real", "time", "boolean")
_NUMERIC: Final = ("integer", "real", "boolean")
_ANYTHING: Final = ()


class Operator(NamedTuple):
    """One operator.

    ``precedence`` grows from loose (0) to tight (12); all associate to the left but ``?:``, which
    takes whole operands of its own level on the right.  ``takes``: the kinds of operands that it
    has a meaning for (none: all).  ``token``: its name in the grammar and, with a prefix, in C.

    ``opcode``: the name of its C kernel; None: there is none.  ``settles``: whether the left
    operand decides, so that the right one is not evaluated; None: both always are.  ``commutes``:
    flattening may gather its constants.  ``mirror``: the operator that means the same with the
    operands exchanged, if it is another.  ``exact``: Python's operator that does the same to
    numbers while nothing wraps, and to integers below 2**53 as doubles.  ``word``: its spelling in
    new syntax.
    """

    symbol: str
    arity: int
    precedence: int
    kind: OperatorKind
    takes: tuple[str, ...]
    token: str
    implementation: Callable[..., ClassAdValue]
    opcode: str | None = None
    settles: Callable[[ClassAdValue], bool] | None = None
    commutes: bool = False
    mirror: str | None = None
    exact: Callable[[Operand, Operand], float] | None = None
    word: str | None = None

    @property
    def lazy(self) -> bool:
        """Whether the right operand may stay unevaluated."""
        return self.settles is not None


_L, _B, _E, _I = OperatorKind.LOGIC, OperatorKind.BITS, OperatorKind.EQUALITY, OperatorKind.IDENTITY
_O, _S, _A = OperatorKind.ORDER, OperatorKind.SHIFT, OperatorKind.ARITHMETIC

#: Symbol -> binary operator, in the order of the tokens of csrc/lex.h.
BINARY: Final[dict[str, Operator]] = {
    row.symbol: row
    for row in (
        # An error decides, too, unlike a string or a list, which only make the outcome an error.
        Operator("||", 2, 1, _L, _LOGICAL, "OR", logical_or, "OR",
                 settles=lambda a: a is ERROR or truth(a) is True),
        Operator("&&", 2, 2, _L, _LOGICAL, "AND", logical_and, "AND",
                 settles=lambda a: a is ERROR or truth(a) is False),
        Operator("|", 2, 3, _B, _INTEGER, "BIT_OR", bit_or, commutes=True),
        Operator("^", 2, 4, _B, _INTEGER, "BIT_XOR", bit_xor, commutes=True),
        Operator("&", 2, 5, _B, _INTEGER, "BIT_AND", bit_and, commutes=True),
        Operator("==", 2, 6, _E, _ANYTHING, "EQUAL", equal, "EQUAL"),
        Operator("!=", 2, 6, _E, _ANYTHING, "NOT_EQUAL", not_equal, "NOT_EQUAL"),
        Operator("=?=", 2, 6, _I, _ANYTHING, "META_EQUAL", identical, "IDENTICAL", word="is"),
        Operator("=!=", 2, 6, _I, _ANYTHING, "META_NOT_EQUAL", not_identical, "NOT_IDENTICAL",
                 word="isnt"),
        Operator("<", 2, 7, _O, _ORDERED, "LESS", less, "LESS", mirror=">"),
        Operator("<=", 2, 7, _O, _ORDERED, "LESS_OR_EQUAL", less_equal, "LESS_EQUAL", mirror=">="),
        Operator(">", 2, 7, _O, _ORDERED, "GREATER", greater, "GREATER", mirror="<"),
        Operator(">=", 2, 7, _O, _ORDERED, "GREATER_OR_EQUAL", greater_equal, "GREATER_EQUAL",
                 mirror="<="),
        Operator("<<", 2, 8, _S, _INTEGER, "SHIFT_LEFT", shift_left),
        Operator(">>", 2, 8, _S, _INTEGER, "SHIFT_RIGHT", shift_right),
        Operator(">>>", 2, 8, _S, _INTEGER, "SHIFT_RIGHT_LOGICAL", shift_right_logical),
        Operator("+", 2, 9, _A, _MEASURED, "PLUS", add, "ADD",
                 commutes=True, exact=operator.add),
        Operator("-", 2, 9, _A, _MEASURED, "MINUS", subtract, "SUBTRACT", exact=operator.sub),
        Operator("*", 2, 10, _A, _NUMERIC, "TIMES", multiply, "MULTIPLY",
                 commutes=True, exact=operator.mul),
        Operator("/", 2, 10, _A, _NUMERIC, "DIVIDE", divide, "DIVIDE"),
        Operator("%", 2, 10, _A, _NUMERIC, "MODULUS", remainder, "REMAINDER"),
        Operator("?:", 2, 12, OperatorKind.CHOICE, _ANYTHING, "ELVIS", elvis, "ELVIS",
                 settles=lambda a: a is not UNDEFINED),
    )
}  # fmt: skip
#: Symbol -> prefix operator.
UNARY: Final[dict[str, Operator]] = {
    row.symbol: row
    for row in (
        Operator("-", 1, 11, _A, _NUMERIC, "MINUS", negate, "NEGATE"),
        Operator("+", 1, 11, _A, _NUMERIC, "PLUS", plus, "PLUS"),
        Operator("!", 1, 11, _L, _NUMERIC, "NOT", logical_not, "NOT"),
        Operator("~", 1, 11, _B, _NUMERIC, "BIT_NOT", complement),
    )
}
#: ``c ? a : b``.
CONDITIONAL: Final = Operator("?:", 3, 0, OperatorKind.CHOICE, _ANYTHING, "QMARK", choose)


def of_kind(*kinds: OperatorKind) -> frozenset[str]:
    """The symbols of the binary operators of some kinds."""
    return frozenset(symbol for symbol, row in BINARY.items() if row.kind in kinds)


LOGIC: Final = of_kind(OperatorKind.LOGIC)
ORDER: Final = of_kind(OperatorKind.ORDER)
EQUALITY: Final = of_kind(OperatorKind.EQUALITY)
IDENTITY: Final = of_kind(OperatorKind.IDENTITY)
CHOICE: Final = of_kind(OperatorKind.CHOICE)
ARITHMETIC: Final = of_kind(OperatorKind.ARITHMETIC)
#: Those that compare values, identity included.
COMPARISONS: Final = ORDER | EQUALITY | IDENTITY
#: Those that undefined is no surprise to.
GUARDS: Final = of_kind(OperatorKind.IDENTITY, OperatorKind.CHOICE)
#: The rows that csrc/operate.c applies, by the number of their opcode.
OPCODES: Final = tuple(
    row
    for kind in (
        OperatorKind.ARITHMETIC,
        OperatorKind.ORDER,
        OperatorKind.EQUALITY,
        OperatorKind.IDENTITY,
        OperatorKind.LOGIC,
        OperatorKind.CHOICE,
    )
    for row in BINARY.values()
    if row.kind is kind and row.opcode is not None
) + tuple(row for row in UNARY.values() if row.opcode is not None)
#: Operator -> Python's that does the same to numbers that are not too large.
EXACT: Final = {symbol: row.exact for symbol, row in BINARY.items() if row.exact is not None}
#: Comparison -> the same with its sides exchanged.
MIRRORED: Final = {symbol: row.mirror for symbol, row in BINARY.items() if row.mirror}
#: The symbols in the order of the tokens of csrc/lex.h: ``?:`` is the last one.
_FIRST = (symbol for symbol, row in BINARY.items() if row.kind is not OperatorKind.CHOICE)
TOKENS: Final = tuple(dict.fromkeys((*_FIRST, *UNARY, *BINARY)))
