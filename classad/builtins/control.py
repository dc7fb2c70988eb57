"""Choosing and logging: functions that decide which argument is evaluated, or only observe it.

Follows: the ClassAd language reference, ``ifThenElse`` and ``debug``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from classad.builtins.registry import LAZY, builtin
from classad.operators import truth

Thunk = Callable[[], Any]


@builtin(
    "ifThenElse",
    args=3,
    laziness=LAZY,
    exceptional="an undefined condition gives undefined, one that is no boolean or number error; "
    "the branch not taken is not evaluated",
    examples=['ifThenElse(2 > 1, "yes", error) -> "yes"', 'ifThenElse("true", 1, 2) -> error'],
)
def if_then_else(state: Any, condition: Thunk, then: Thunk, otherwise: Thunk) -> Any:
    """The second argument if the first is true or a non-zero number, else the third."""
    decision = truth(condition())
    if decision is True:
        return then()
    return otherwise() if decision is False else decision


@builtin(
    "debug",
    args=1,
    exceptional="the argument's value, whatever it is",
    examples=["debug(1 + 1) -> 2", "debug(undefined) -> undefined"],
)
def debug(state: Any, value: Any) -> Any:
    """The argument itself, which is also handed to the context's ``debug_sink``, if it has one."""
    sink = getattr(state.context, "debug_sink", None)
    if sink is not None:
        sink(value)
    return value
