"""Random calls of the builtin functions, as text.

Inputs: a ``Random``.  Outputs: calls whose value does not depend on clock, chance or the machine.
Half of the arguments are of the kind that a function expects, by its family or name; the others
are anything.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from classad.evaluation.functions import (
    CHANCE,
    CLOCK,
    ENVIRONMENT,
    EXPRESSIONS,
    Builtin,
    load,
)

SCALARS: Final = [
    "undefined", "error", "true", "false", "0", "1", "2", "-1", "3", "-7", "255", "0.0", "-0.0",
    "9223372036854775807", "-9223372036854775807-1", "4294967297", "-2147483649", "1.0", "0.5",
    "2.5", "-2.5", "3.7", "1e10", "-1e19", "1e300", "1e-5", 'real("INF")', 'real("-INF")',
    'real("NaN")', "1e15", "0.1",
]  # fmt: skip
TEXTS: Final = [
    '""', '"a"', '"A"', '"abc"', '"a,b"', '"a, b"', '" a "', '"12"', '"-3.7e1xyz"', '"0x1F"',
    '"inf"', '"1.5"', '"1,2,3"', '"-1.5,-2"', '"a@b@c"', '"true"', '"A=1 B=2"', '"A=1;B=2"',
    '"it\'s"', '"\'a b\'"', '"a\\tb"', '"\\n"', '"\\303\\251"', '"\\377a"', '"i"', '"g"', '"<"',
    '"=="', '"is"', '","', '";"', '" "', '"(a)"', '"a*"', '"("', '"(a)(b)?"', '"\\\\1"',
    '"[[:alpha:]]+"', '"."', '"1.2.10"', '"1.02"', '"001"', '"8.9.10-rc1"', '"1+2"', '"{1,2}"',
    '"%Y-%m-%d"', '"2020"', '"1:02"', '"a,,b"', '"$$(X)"',
]  # fmt: skip
TIMES: Final = [
    "absTime(0,0)", "absTime(1600000000,3600)", 'absTime("2020-02-29T12:34:56Z")', "absTime(-1)",
    "absTime(1583652600)", "relTime(5)", "relTime(-90061)", "relTime(1.5)",
]  # fmt: skip
ADS: Final = ["[a=1]", "[a=2;b=3]", "[]", '[a="x"]', "[Year=2020;Month=2;Day=3]", "[a=undefined]"]
#: What a text argument of a family is made of.
LETTERS: Final = {
    "regex": ["a", "b", "c", "(a)", "(b)?", ".", "*", "+", "^", "$", "|", "[ab]", "(?:a|b)"],
    "stringlists": ["a", "b", "A", ",", " ", ";", "1", "2.5", "-", "\\t", "\\n"],
    "lists": ["a", "b", ",", " ", ":", ";", "@", "\\t"],
    "environment": ["A", "B", "=", "1", " ", "'", ";", "x", "|", "\\t"],
    "strings": ["a", "B", "0", "1", "2", "9", ".", "-", "\\303\\251", " ", "_"],
    "time": ["%Y", "%m", "%d", "%H:%M", "%j", "%U", "%5e", "%-y", "x", "%c", "1", ":", "+", "-"],
    "numbers": ["1", "2", ".", "-", "e", "x", "inf", " "],
}
#: What no call may depend on, the ad around it included (vectors ``fn_ad`` have those).
LEFT_OUT: Final = CLOCK | CHANCE | ENVIRONMENT | EXPRESSIONS


def functions() -> list[Builtin]:
    """What is called."""
    return [function for _, function in sorted(load().items()) if not function.reads & LEFT_OUT]


def anything(rng: Random, depth: int = 0) -> str:
    """An argument of any type."""
    kind = rng.randrange(100)
    if kind < 35:
        return rng.choice(SCALARS)
    if kind < 75:
        return rng.choice(TEXTS)
    if kind < 83:
        return rng.choice(TIMES)
    return rng.choice(ADS) if kind < 88 or depth > 1 else a_list(rng, depth + 1)


def a_list(rng: Random, depth: int = 0) -> str:
    """A list of one kind or of anything."""
    item: Callable[[], str] = rng.choice(
        [
            lambda: rng.choice(TEXTS),
            lambda: rng.choice(SCALARS),
            lambda: rng.choice(ADS),
            lambda: anything(rng, depth + 1),
        ]
    )
    return "{" + ",".join(item() for _ in range(rng.randrange(5))) + "}"


def expected(rng: Random, family: str) -> str:
    """An argument of the kind that functions of the family take."""
    if family == "lists" and rng.random() < 0.5:
        return a_list(rng)
    if family == "numbers" and rng.random() < 0.6:
        return rng.choice(SCALARS)
    if family == "time" and rng.random() < 0.6:
        return rng.choice(TIMES)
    letters = LETTERS.get(family)
    if letters is None:
        return anything(rng)
    return '"' + "".join(rng.choice(letters) for _ in range(rng.randrange(8))) + '"'


def call(rng: Random, function: Builtin) -> str:
    """A call, now and then with a wrong number of arguments."""
    most = function.min_args + 3 if function.max_args is None else function.max_args
    count = max(1, rng.randint(function.min_args, most) + (rng.random() < 0.02))
    arguments = [
        expected(rng, function.family) if rng.random() < 0.5 else anything(rng)
        for _ in range(count)
    ]
    if function.elsewhere and count > 1:
        arguments[1] = a_list(rng)
    if function.name in ("anyCompare", "allCompare"):
        arguments[0] = rng.choice(['"<"', '"<="', '"=="', '"!="', '">="', '">"', '"is"', '"isnt"'])
    return f"{function.name}({','.join(arguments)})"
