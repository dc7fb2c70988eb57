"""Applies the functions of the language to abstract values.

A call with known arguments is evaluated as such; of any other the declaration of the function says
what it can give.  ``tests/policy/test_values.py`` holds each to the reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil, floor
from typing import Final

from classad.evaluate import evaluate
from classad.evaluation.functions import Builtin, InlineForm, Laziness, ResultKind, Where
from classad.language.values import INT_MAX, INT_MIN, Value
from classad.syntax.nodes import Call, Literal
from policy.attributes import DATE
from policy.language.expressions import parse
from policy.values.domain import (
    ALL_WHOLE,
    ANY_NUMBER,
    ANY_TEXT,
    ANYTHING,
    BOTH,
    Abstract,
    constant,
    join,
    single_value,
    truths,
)

#: What the clock may show: from 2001 to 2106.
CLOCK: Final = Abstract(whole=(1_000_000_000, 2**32), unit=DATE)

_CONDITION: Final = Abstract(True, True, BOTH)
_COUNT: Final = Abstract(True, True, whole=(0, INT_MAX))
_TEXT: Final = ANY_TEXT._replace(undefined=True, error=True)
_MEASURE: Final = ANY_NUMBER._replace(undefined=True, error=True)
_WHOLE: Final = Abstract(True, True, whole=ALL_WHOLE)

#: What comes out at most.
_RESULTS: Final[Mapping[ResultKind, Abstract]] = {
    ResultKind.CONDITION: _CONDITION,
    ResultKind.COUNT: _COUNT,
    ResultKind.INTEGER: _WHOLE,
    ResultKind.NUMBER: _MEASURE,
    ResultKind.TEXT: _TEXT,
    ResultKind.LOWER: _TEXT,
    ResultKind.UPPER: _TEXT,
    ResultKind.CLOCK: CLOCK,
    ResultKind.LIST: Abstract(error=True, other=True),
}
#: An expression of each kind that is neither undefined, error, boolean, number nor string.
_OTHERS: Final = ("{}", "[]", "relTime(0)", "absTime(0)")
#: What a literal may hold.
_CONSTANTS: Final = (bool, int, float, str, Value)


def call(function: Builtin, node: Call, arguments: Sequence[Abstract]) -> Abstract:
    """The value of a call whose arguments are evaluated in the ad of the call."""
    if function.result is ResultKind.KIND and len(arguments) == 1:
        return _is_kind(node.name, arguments[0])
    known = [single_value(argument) for argument in arguments]
    plain = function.deterministic and goes_in(function) and function.laziness is Laziness.EAGER
    literals = [Literal(value) for value in known if isinstance(value, _CONSTANTS)]
    if plain and arguments and len(literals) == len(known):
        return constant(evaluate(Call(node.name, tuple(literals))))
    if function.result is ResultKind.ROUNDED and len(arguments) == 1:
        return _rounded(arguments[0])
    return _RESULTS.get(function.result, ANYTHING)


def goes_in(function: Builtin) -> bool:
    """Are all arguments evaluated, if at all, in the ad of the call?"""
    here = all(where is Where.HERE for where in function.where)
    return here and function.laziness is not Laziness.RAW


def is_choice(function: Builtin) -> bool:
    """Is it ``ifThenElse``?"""
    return function.form is InlineForm.CHOICE


def _is_kind(name: str, argument: Abstract) -> Abstract:
    """Whether the argument is of a kind: asked for a value of each kind that it can be of."""
    samples = (
        ("undefined", argument.undefined),
        ("error", argument.error),
        ("true", bool(argument.truths)),
        ("0", argument.whole is not None),
        ("0.0", argument.real is not None or argument.nan),
        ('""', argument.has_text),
        *((sample, argument.other) for sample in _OTHERS),
    )
    return truths([_tells(name, sample) for sample, there in samples if there])


@cache
def _tells(name: str, sample: str) -> bool:
    value = evaluate(parse(f"{name}({sample})"))
    assert isinstance(value, bool)
    return value


def _rounded(argument: Abstract) -> Abstract:
    """An integer beside the argument; what is no number may convert or not."""
    found = Abstract(argument.undefined, argument.error or argument.undefined)
    if argument.has_text or argument.other or argument.nan:
        found = join(found, _WHOLE)
    else:
        for low, high in argument.numbers():
            # One that is out of range becomes the least integer.
            fits = low >= INT_MIN and high < 2.0**63
            found = join(found, Abstract(whole=(floor(low), ceil(high)) if fits else ALL_WHOLE))
    return found._replace(unit=argument.unit, single=argument.single)
