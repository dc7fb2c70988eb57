"""Defines the type predicates, and functions that choose which argument is evaluated, or log it.

A type predicate gives a boolean, whatever the argument.
Follows: the ClassAd language reference, ``isUndefined``, ``ifThenElse``, ``debug`` and relatives.
"""

from __future__ import annotations

from classad.builtins.support import is_ad, is_list
from classad.evaluation.functions import LAZY, RAW, Implementation, InlineForm, ResultKind, builtin
from classad.evaluation.state import CallSite, EvalState
from classad.language.operators import truth
from classad.language.values import ERROR, UNDEFINED, AbsTime, ClassAdValue, RelTime, Thunk


def _declare(
    name: str,
    doc: str,
    implementation: Implementation,
    *examples: str,
    result: ResultKind = ResultKind.ANY,
    form: InlineForm | None = None,
) -> None:
    builtin(
        name,
        args=1,
        result=result,
        form=form,
        guard=True,
        exceptional="never undefined or error",
        doc=f"Whether the argument is {doc}.",
        examples=examples,
    )(implementation)


_KIND = ResultKind.KIND
_declare(
    "isUndefined", "undefined", lambda state, value: value is UNDEFINED,
    "isUndefined(undefined) -> true", "isUndefined(error) -> false",
    result=_KIND, form=InlineForm.IS_UNDEFINED,
)  # fmt: skip
_declare(
    "isError", "the error value", lambda state, value: value is ERROR,
    "isError(1 / 0) -> true", "isError(undefined) -> false",
    result=_KIND, form=InlineForm.IS_ERROR,
)  # fmt: skip
_declare(
    "isString", "a string", lambda state, value: value.__class__ is str,
    'isString("a") -> true', result=_KIND,
)  # fmt: skip
_declare(
    "isInteger", "an integer; a boolean is none", lambda state, value: value.__class__ is int,
    "isInteger(1) -> true", "isInteger(1.0) -> false", result=_KIND,
)  # fmt: skip
_declare(
    "isReal", "a real", lambda state, value: value.__class__ is float,
    "isReal(1.0) -> true", result=_KIND,
)  # fmt: skip
_declare(
    "isBoolean", "a boolean", lambda state, value: value.__class__ is bool,
    "isBoolean(1 == 1) -> true", result=_KIND,
)  # fmt: skip
_declare("isList", "a list", lambda state, value: is_list(value), "isList({1,2}) -> true")
_declare("isClassAd", "an ad", lambda state, value: is_ad(value), "isClassAd([a = 1]) -> true")
_declare(
    "isAbsTime", "an absolute time", lambda state, value: value.__class__ is AbsTime,
    "isAbsTime(absTime(0, 0)) -> true",
)  # fmt: skip
_declare(
    "isRelTime", 'a relative time; a ``relTime("...")`` literal is a real',
    lambda state, value: value.__class__ is RelTime,
    "isRelTime(relTime(5)) -> true", 'isRelTime(relTime("5")) -> false',
)  # fmt: skip


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
