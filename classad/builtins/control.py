"""Defines functions that choose which argument is evaluated, or only log it.

Follows: the ClassAd language reference, ``ifThenElse`` and ``debug``.
"""

from __future__ import annotations

from classad.evaluation.functions import LAZY, RAW, Form, builtin
from classad.evaluation.state import CallSite, EvalState
from classad.language.operators import truth
from classad.language.values import ClassAdValue, Thunk


@builtin(
    "ifThenElse",
    args=3,
    laziness=LAZY,
    form=Form.CHOICE,
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
