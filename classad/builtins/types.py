"""Defines the type predicates, and functions that choose which argument is evaluated, or log it.

A type predicate gives a boolean, whatever the argument.
Follows: the ClassAd language reference, ``isUndefined``, ``ifThenElse``, ``debug`` and relatives.
"""

from __future__ import annotations

from typing import Final

from classad.builtins.support import is_ad, is_list
from classad.evaluation.functions import LAZY, RAW, InlineForm, ResultKind, builtin
from classad.evaluation.state import CallSite, EvalState
from classad.language.operators import truth
from classad.language.values import ERROR, UNDEFINED, AbsTime, ClassAdValue, RelTime, Thunk

_KIND: Final = {"result": ResultKind.KIND}
for _name, _doc, _implementation, _more, *_examples in (
    ("isUndefined", "undefined", lambda state, value: value is UNDEFINED,
     _KIND | {"form": InlineForm.IS_UNDEFINED},
     "isUndefined(undefined) -> true", "isUndefined(error) -> false"),
    ("isError", "the error value", lambda state, value: value is ERROR,
     _KIND | {"form": InlineForm.IS_ERROR},
     "isError(1 / 0) -> true", "isError(undefined) -> false"),
    ("isString", "a string", lambda state, value: value.__class__ is str, _KIND,
     'isString("a") -> true'),
    ("isInteger", "an integer; a boolean is none", lambda state, value: value.__class__ is int,
     _KIND, "isInteger(1) -> true", "isInteger(1.0) -> false"),
    ("isReal", "a real", lambda state, value: value.__class__ is float, _KIND,
     "isReal(1.0) -> true"),
    ("isBoolean", "a boolean", lambda state, value: value.__class__ is bool, _KIND,
     "isBoolean(1 == 1) -> true"),
    ("isList", "a list", lambda state, value: is_list(value), {}, "isList({1,2}) -> true"),
    ("isClassAd", "an ad", lambda state, value: is_ad(value), {}, "isClassAd([a = 1]) -> true"),
    ("isAbsTime", "an absolute time", lambda state, value: value.__class__ is AbsTime, {},
     "isAbsTime(absTime(0, 0)) -> true"),
    ("isRelTime", 'a relative time; a ``relTime("...")`` literal is a real',
     lambda state, value: value.__class__ is RelTime, {},
     "isRelTime(relTime(5)) -> true", 'isRelTime(relTime("5")) -> false'),
):  # fmt: skip
    builtin(
        _name,
        args=1,
        guard=True,
        exceptional="never undefined or error",
        doc=f"Whether the argument is {_doc}.",
        examples=_examples,
        **_more,
    )(_implementation)


@builtin(
    "ifThenElse",
    args=3,
    laziness=LAZY,
    form=InlineForm.CHOICE,
    guard=True,
    exceptional="an undefined condition gives undefined, one that is no boolean or number error; "
    "the branch not taken is not evaluated",
    examples=['ifThenElse(2 > 1, "yes", error) -> "yes"', 'ifThenElse("true", 1, 2) -> error'],
)
def if_then_else(state: EvalState, condition: Thunk, then: Thunk, otherwise: Thunk) -> ClassAdValue:
    """The second argument if the first is true or a non-zero number, else the third."""
    decision = truth(condition())
    if decision is True:
        return then()
    return otherwise() if decision is False else decision


@builtin(
    "debug",
    args=1,
    laziness=RAW,
    observed=True,
    exceptional="the argument's value, whatever it is",
    examples=["debug(1 + 1) -> 2", "debug(undefined) -> undefined"],
)
def debug(site: CallSite) -> ClassAdValue:
    """The argument's value; its text and value also go to the context's ``debug_sink``, if any."""
    value: ClassAdValue = site.evaluate(site.args[0])
    sink = site.state.context.debug_sink
    if sink is not None:
        from classad.formats.unparse import unparse

        sink(unparse(site.args[0]), value)
    return value
