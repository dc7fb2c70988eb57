"""Applies the functions of the language to abstract values.

A call with known arguments is evaluated as such; of some functions the kind of result is known; any
other may give anything.  ``tests/policy/test_values.py`` holds each to the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor
from typing import Final

from attr import evolve

from classad.evaluate import evaluate
from classad.evaluation.functions import Builtin, Form, Laziness, Where
from classad.language.values import ERROR, INT_MAX, UNDEFINED, Value
from classad.syntax.nodes import Call, Literal, Node
from policy.attributes import DATE
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
_TEXT: Final = evolve(ANY_TEXT, undefined=True, error=True)
_MEASURE: Final = evolve(ANY_NUMBER, undefined=True, error=True)
_WHOLE: Final = Abstract(True, True, whole=ALL_WHOLE)

#: What comes out at most, by folded name.
_RESULTS: Final[Mapping[str, Abstract]] = {
    **dict.fromkeys(
        (
            *("regexp", "regexpmember", "stringlist_regexpmember", "member", "identicalmember"),
            *("stringlistmember", "stringlistimember", "stringlistsubsetmatch", "anycompare"),
            *("stringlistisubsetmatch", "stringlistsintersect", "allcompare", "bool"),
            *("versionlt", "versionle", "versiongt", "versionge", "versioneq", "version_in_range"),
        ),
        _CONDITION,
    ),
    **dict.fromkeys(("size", "stringlistsize", "countmatches"), _COUNT),
    **dict.fromkeys(("strcmp", "stricmp", "versioncmp"), _WHOLE),
    **dict.fromkeys(
        (
            *("strcat", "toupper", "tolower", "substr", "string", "join", "replace", "replaceall"),
            *("regexps", "formattime"),
        ),
        _TEXT,
    ),
    **dict.fromkeys(("pow", "real", "stringlistsum", "stringlistavg", "random"), _MEASURE),
    "time": CLOCK,
}
#: What tells the kind of its argument, and which kind it is.
_KINDS: Final[Mapping[str, Callable[[Abstract], bool]]] = {
    "isundefined": lambda a: a.undefined,
    "iserror": lambda a: a.error,
    "isstring": lambda a: a.has_text,
    "isinteger": lambda a: a.whole is not None,
    "isreal": lambda a: a.real is not None or a.nan,
    "isboolean": lambda a: bool(a.truths),
}
_ROUNDED: Final = frozenset(("int", "floor", "ceil", "ceiling", "round"))
#: Functions that may make the evaluation fail as a whole.
FAILING: Final = frozenset(("random", "abstime", "userhome", "eval", "evalineachcontext"))


def call(function: Builtin, node: Call, arguments: Sequence[Abstract]) -> Abstract:
    """The value of a call whose arguments are evaluated in the ad of the call."""
    name = function.name.casefold()
    if name in _KINDS and len(arguments) == 1:
        return _is_kind(_KINDS[name], arguments[0])
    known = [single_value(argument) for argument in arguments]
    if arguments and all(value is not None for value in known) and _is_plain(function):
        return _evaluated(node, [_literal(value) for value in known])
    if name in _ROUNDED and len(arguments) == 1:
        return _rounded(arguments[0])
    return _RESULTS.get(name, ANYTHING)


def goes_in(function: Builtin) -> bool:
    """Are all arguments evaluated, if at all, in the ad of the call?"""
    here = all(where is Where.HERE for where in function.where)
    return here and function.laziness is not Laziness.RAW


def is_choice(function: Builtin) -> bool:
    """Is it ``ifThenElse``?"""
    return function.form is Form.CHOICE


def _is_plain(function: Builtin) -> bool:
    return function.deterministic and goes_in(function) and function.laziness is Laziness.EAGER


def _literal(value: object) -> Node:
    assert isinstance(value, bool | int | float | str | Value)
    return Literal(value)


def _evaluated(node: Call, arguments: list[Node]) -> Abstract:
    value = evaluate(Call(node.name, tuple(arguments)))
    if isinstance(value, bool | int | float | str) or value is UNDEFINED or value is ERROR:
        return constant(value)
    return Abstract(other=True)


def _is_kind(test: Callable[[Abstract], bool], argument: Abstract) -> Abstract:
    if argument.empty:
        return argument
    kinds = (
        Abstract(undefined=argument.undefined),
        Abstract(error=argument.error),
        Abstract(truths=argument.truths),
        Abstract(whole=argument.whole),
        Abstract(real=argument.real, nan=argument.nan),
        Abstract(texts=argument.texts),
        Abstract(other=argument.other),
    )
    return truths([test(kind) for kind in kinds if not kind.empty])


def _rounded(argument: Abstract) -> Abstract:
    """An integer beside the argument; what is no number may convert or not."""
    hull = argument.hull()
    found = Abstract(argument.undefined, argument.error or argument.undefined)
    if argument.has_text or argument.other or argument.nan:
        found = join(found, _WHOLE)
    elif hull is not None:
        safe = all(abs(end) < 2.0**62 for end in hull)
        whole = (floor(hull[0]), ceil(hull[1])) if safe else ALL_WHOLE
        found = evolve(found, whole=whole, error=found.error or not safe)
    return evolve(found, unit=argument.unit, single=argument.single)
