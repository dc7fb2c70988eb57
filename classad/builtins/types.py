"""Defines the type predicates: always a boolean, whatever the argument.

Follows: the ClassAd language reference, functions ``isUndefined`` and its relatives.
"""

from __future__ import annotations

from classad.builtins.support import is_ad, is_list
from classad.evaluation.functions import Form, Result, builtin
from classad.evaluation.state import EvalState
from classad.language.values import ERROR, UNDEFINED, AbsTime, ClassAdValue, RelTime

_ALWAYS = "never undefined or error"


@builtin(
    "isUndefined",
    args=1,
    result=Result.KIND,
    form=Form.IS_UNDEFINED,
    guard=True,
    exceptional=_ALWAYS,
    examples=["isUndefined(undefined) -> true", "isUndefined(error) -> false"],
)
def is_undefined(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is undefined."""
    return value is UNDEFINED


@builtin(
    "isError",
    args=1,
    result=Result.KIND,
    form=Form.IS_ERROR,
    guard=True,
    exceptional=_ALWAYS,
    examples=["isError(1 / 0) -> true", "isError(undefined) -> false"],
)
def is_error(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is the error value."""
    return value is ERROR


@builtin(
    "isString",
    args=1,
    result=Result.KIND,
    guard=True,
    exceptional=_ALWAYS,
    examples=['isString("a") -> true'],
)
def is_string(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is a string."""
    return value.__class__ is str


@builtin(
    "isInteger",
    args=1,
    result=Result.KIND,
    guard=True,
    exceptional=_ALWAYS,
    examples=["isInteger(1) -> true", "isInteger(1.0) -> false"],
)
def is_integer(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is an integer; a boolean is none."""
    return value.__class__ is int


@builtin(
    "isReal",
    args=1,
    result=Result.KIND,
    guard=True,
    exceptional=_ALWAYS,
    examples=["isReal(1.0) -> true"],
)
def is_real(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is a real."""
    return value.__class__ is float


@builtin(
    "isBoolean",
    args=1,
    result=Result.KIND,
    guard=True,
    exceptional=_ALWAYS,
    examples=["isBoolean(1 == 1) -> true"],
)
def is_boolean(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is a boolean."""
    return value.__class__ is bool


@builtin("isList", args=1, guard=True, exceptional=_ALWAYS, examples=["isList({1,2}) -> true"])
def is_list_value(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is a list."""
    return is_list(value)


@builtin(
    "isClassAd", args=1, guard=True, exceptional=_ALWAYS, examples=["isClassAd([a = 1]) -> true"]
)
def is_classad(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is an ad."""
    return is_ad(value)


@builtin(
    "isAbsTime",
    args=1,
    guard=True,
    exceptional=_ALWAYS,
    examples=["isAbsTime(absTime(0, 0)) -> true"],
)
def is_abstime(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is an absolute time."""
    return value.__class__ is AbsTime


@builtin(
    "isRelTime",
    args=1,
    guard=True,
    exceptional=_ALWAYS,
    examples=["isRelTime(relTime(5)) -> true", 'isRelTime(relTime("5")) -> false'],
)
def is_reltime(state: EvalState, value: ClassAdValue) -> bool:
    """Whether the argument is a relative time; a ``relTime("...")`` literal is a real."""
    return value.__class__ is RelTime
