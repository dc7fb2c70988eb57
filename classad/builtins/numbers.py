"""Defines functions that convert between types, round, raise to powers and draw random numbers.

Strings convert by the number they begin with.  Reals beyond 64 bits become the least integer.
Follows: the ClassAd language reference; measured on 25.14.1 (vectors ``fn1``, ``fn2``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from classad.builtins.support import int_of, is_list, is_number, real_of, text_of, truncated
from classad.evaluation.functions import CHANCE, ResultKind, builtin
from classad.evaluation.state import EvalState
from classad.language.bounds import EvaluationFailure
from classad.language.values import (
    ERROR,
    UNDEFINED,
    ClassAdValue,
    RelTime,
    Value,
    truncating_divide,
    wrap64,
)

_NOT_EVEN_UNDEFINED = "undefined and error give error"


for _name, _convert, _result, _doc, *_examples in (
    ("int", int_of, ResultKind.ROUNDED, "The argument as an integer, truncated toward zero.",
     'int("12abc") -> 12', "int(-3.9) -> -3", "int(true) -> 1", 'int("x") -> error'),
    ("real", real_of, ResultKind.NUMBER,
     'The argument as a real; ``"INF"``, ``"-INF"`` and ``"NaN"`` are understood.',
     'real("1e3") -> 1.000000000000000E+03', 'real("-INF") -> real("-INF")'),
    ("string", text_of, ResultKind.TEXT,
     "The argument as a string, printed in new syntax if it is none.",
     'string(1.5) -> "1.500000000000000E+00"', 'string({1, "a"}) -> "{ 1,\\"a\\" }"'),
):  # fmt: skip
    builtin(
        _name,
        args=1,
        result=_result,
        prints=_result is ResultKind.TEXT,
        doc=_doc,
        examples=_examples,
    )(lambda state, value, convert=_convert: convert(value))


@builtin(
    "bool",
    args=1,
    result=ResultKind.CONDITION,
    exceptional="undefined gives undefined, and so does a string other than true and false",
    examples=['bool("TRUE") -> true', 'bool("yes") -> undefined', "bool(0.0) -> false"],
)
def to_bool(state: EvalState, value: ClassAdValue) -> ClassAdValue:
    """The argument as a boolean: numbers and relative times by being non-zero."""
    if is_number(value):
        return value != 0
    if value.__class__ is RelTime:
        return int_of(value) != 0
    if value.__class__ is str:
        return {"true": True, "false": False}.get(value.lower(), UNDEFINED)
    return UNDEFINED if value is UNDEFINED else ERROR


def _declare_rounding(
    *names: str, rule: Callable[[float], float], doc: str, examples: Sequence[str]
) -> None:
    @builtin(
        *names,
        args=1,
        result=ResultKind.ROUNDED,
        exceptional=_NOT_EVEN_UNDEFINED,
        doc=f"The {doc}; strings convert.",
        examples=examples,
    )
    def rounded(state: EvalState, value: ClassAdValue) -> ClassAdValue:
        if value.__class__ is int:
            return value
        real = real_of(value)
        if isinstance(real, Value):
            return ERROR
        return truncated(rule(real)) if math.isfinite(real) else truncated(real)


_declare_rounding(
    "floor", rule=math.floor, doc="greatest integer not above the argument",
    examples=["floor(-2.5) -> -3"],
)  # fmt: skip
_declare_rounding(
    "ceil", "ceiling", rule=math.ceil, doc="least integer not below the argument",
    examples=["ceil(2.1) -> 3"],
)  # fmt: skip
_declare_rounding(
    "round", rule=round, doc="nearest integer, a half going to the even one",
    examples=["round(0.5) -> 0", "round(1.5) -> 2", "round(-0.7) -> -1"],
)  # fmt: skip


def c_pow(base: float, exponent: float) -> float:
    """C's ``pow``: infinities and NaN instead of exceptions."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        odd = exponent % 2 == 1
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:
        if base == 0:
            odd = exponent % 2 == 1
            return math.copysign(math.inf, base) if odd else math.inf
        return math.nan


@builtin(
    "pow",
    args=2,
    result=ResultKind.NUMBER,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=["pow(2, 10) -> 1024", "pow(-2, 3) -> -7", "pow(2, -1) -> 5.000000000000000E-01"],
)
def power(state: EvalState, base: ClassAdValue, exponent: ClassAdValue) -> ClassAdValue:
    """The first argument to the power of the second.

    With an integer base and an integer exponent not below 0 the real result plus a half is
    truncated, which is one too many for negative results.
    """
    if base.__class__ is int and exponent.__class__ is int and exponent >= 0:
        return truncated(c_pow(float(base), float(exponent)) + 0.5)
    x, y = real_of(base), real_of(exponent)
    if isinstance(x, Value) or isinstance(y, Value):
        return ERROR
    return c_pow(x, y)


#: A step this near to zero rounds nothing.
_NO_STEP: Final = 1e-8


def _multiple(value: ClassAdValue, step: ClassAdValue) -> ClassAdValue:
    """The least multiple of ``step`` not below ``value``."""
    real, unit = real_of(value), real_of(step)
    if isinstance(real, Value) or isinstance(unit, Value):
        return ERROR
    if abs(unit) <= _NO_STEP:
        return value
    if value.__class__ is int and step.__class__ is int:
        return wrap64(truncating_divide(wrap64(value + step - 1), step) * step)
    ratio = real / unit
    if not math.isfinite(ratio):
        return ratio * unit
    # As C's ceil: the result keeps the sign of what it rounds up to zero.
    return math.copysign(abs(math.ceil(ratio)), ratio) * unit


@builtin(
    "quantize",
    args=2,
    exceptional=_NOT_EVEN_UNDEFINED,
    examples=["quantize(3, 8) -> 8", "quantize(3, {1, 4, 8}) -> 4", "quantize(9, {2, 4}) -> 12"],
)
def quantize(state: EvalState, value: ClassAdValue, step: ClassAdValue) -> ClassAdValue:
    """The first argument rounded up to a multiple of the second.

    With a list: its first member that is large enough, or else a multiple of the last one.
    """
    if not is_list(step):
        return _multiple(value, step)
    real = real_of(value)
    if isinstance(real, Value):
        return ERROR
    last: ClassAdValue = 0
    for last in step.values(state):
        bound = real_of(last)
        if isinstance(bound, Value):
            return ERROR
        if bound >= real:
            return last
    return _multiple(value, last)


@builtin(
    "random",
    args=(0, 1),
    result=ResultKind.NUMBER,
    fails=True,
    reads=CHANCE,
    exceptional="undefined, error and booleans give error; a bound not above 0 fails the "
    "whole evaluation",
    examples=["random(1) -> 0", "random(true) -> error"],
)
def random_number(state: EvalState, bound: ClassAdValue = 1.0) -> ClassAdValue:
    """A random integer from 0 up to, not including, an integer bound; or a real up to a real one.

    Without an argument a real between 0 and 1.
    """
    if bound.__class__ is not int and bound.__class__ is not float:
        return ERROR
    if not bound > 0:
        raise EvaluationFailure("the bound of random is not positive")
    if bound.__class__ is int:
        return min(int(state.random() * bound), bound - 1)
    return state.random() * bound
