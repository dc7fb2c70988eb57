"""Lists the values at which the language has its traps, and operands for operators and functions.

How a function is called comes from the examples of its declaration, so a new function is tried as
soon as it is declared.

Inputs: none.  Outputs: tables of expression text, used by ``classad.strategies`` and by the seeded
generators of ``fuzz/``.
Follows: the traps of the language notes: limits of 32, 53 and 64 bits, shift counts, infinities and
NaN, strings that look like numbers, booleans or versions, lists that are not values.

>>> "9223372036854775807" in LITERALS["integer"]
True
>>> shapes()["substr"].calls[0]
('"abcdef"', '1', '2')
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from classad.syntax.nodes import Node

#: Kind of value -> literals.  A text may be a call where the language has no literal.
LITERALS: Final[Mapping[str, tuple[str, ...]]] = {
    "exceptional": ("undefined", "error"),
    "boolean": ("true", "false"),
    "integer": (
        "0", "1", "-1", "2", "3", "7", "10", "63", "64", "65", "-64", "2147483647", "2147483648",
        "-2147483649", "4294967296", "4294967297", "9007199254740993", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "1700000000",
    ),
    "real": (
        "0.0", "-0.0", "0.5", "1.0", "1.5", "2.5", "-2.5", "-0.5", ".5", "0.1", "1e10", "3.4e38",
        "9007199254740992.0", "9.3e18", "-9.3e18", "1e-300", "1e308", "-1e308", "1e-400", "1e400",
        'real("INF")', 'real("-INF")', 'real("NaN")',
    ),
    "string": (
        '""', '"a"', '"A"', '"b"', '"_"', '" "', '"true"', '"12"', '"1.5x"', '"1e3"', '"-3"',
        '"INF"', '"0x10"', '"a,b , c"', '"abc,d e"', '"1, 2.5,-7"', '","', '"a*"', '"[b"', '"(b)?"',
        '"i"', '"8.9.10"', '"1.10"', '"ann@uni.edu"', '"slot1_2@host"', '"A=1 B=2"', '"x y\'z"',
        '"\\t\\"\\\\"', '"A1 + 1"', '"A0"', '"%Y %d"', '"<="', '"h\\303\\244"', '"undefined"',
    ),
    "list": (
        "{}", "{1, 2.5}", "{1, 4, 8}", '{"a", "B", "c"}', "{undefined, 1}", "{error}", '{"a", {1}}',
        "{[x = 1], [x = 2; y = x]}", "{true, 0}", "{A0, A1}", "{[A0 = 1], undefined}",
    ),
    "ad": (
        "[]", "[x = 1; y = x + 1]", "[A0 = 5; z = A0]", "[x = [x = 2]; y = parent.x]",
        "[Year = 2020; Month = 2; Day = 29]", "[x = A1; y = MY.A1; z = TARGET.A1]",
    ),
    "time": (
        "absTime(0, 0)", 'absTime("2024-02-29T12:00:00+01:00")', 'absTime("1999-12-31T23:59:59Z")',
        "relTime(0)", "relTime(5)", "relTime(90061)", "relTime(-1.5)", 'relTime("1:02:03")',
    ),
}  # fmt: skip

KINDS: Final = tuple(LITERALS)
NUMBERS: Final = ("integer", "real", "boolean")

#: Attribute names, with the kind that a made ad mostly gives them.
ATTRIBUTES: Final[Mapping[str, str]] = {
    "A0": "integer",
    "A1": "real",
    "A2": "string",
    "A3": "boolean",
    "A4": "list",
    "A5": "ad",
    "A6": "time",
}


class Shape(NamedTuple):
    """How a declared function is called: name, bounds of the arguments, calls seen in examples."""

    name: str
    least: int
    most: int
    calls: tuple[tuple[str, ...], ...]
    #: The kind of each argument of ``calls``.
    kinds: tuple[tuple[str, ...], ...]


@cache
def shapes(*, steady: bool = True) -> dict[str, Shape]:
    """Folded name -> shape of every declared function.

    ``steady``: only calls whose value is fixed once the time zone is.
    """
    from classad.evaluation.functions import CHANCE, CLOCK, ENVIRONMENT, USAGE, load

    found = {}
    for key, declared in sorted(load().items()):
        least = declared.min_args
        if steady and declared.reads & (CLOCK | CHANCE | ENVIRONMENT | USAGE):
            continue
        if steady and declared.reads_alone:
            least = max(least, 1)
        most = min(max(least, declared.max_args if declared.max_args is not None else 3), 5)
        calls = _calls(declared.examples, declared.name, least)
        kinds = tuple(tuple(_kind(text) for text in call) for call in calls)
        found[key] = Shape(declared.name, least, most, calls, kinds)
    return found


def _calls(examples: tuple[str, ...], name: str, least: int) -> tuple[tuple[str, ...], ...]:
    from classad.formats.unparse import unparse
    from classad.syntax.nodes import Call, walk
    from classad.syntax.parser import parse_expression

    found = []
    for example in examples:
        text = example.rpartition(" -> ")[0]
        for node in walk(parse_expression(text)):
            if isinstance(node, Call) and node.name.lower() == name.lower():
                found.append(tuple(unparse(part).strip() for part in node.args))
    return tuple(call for call in found if len(call) >= least)


def _kind(text: str) -> str:
    """The kind of an argument in an example, by what is written."""
    from classad.syntax import nodes
    from classad.syntax.parser import parse_expression

    node: Node = parse_expression(text)
    if isinstance(node, nodes.ListExpr):
        return "list"
    if isinstance(node, nodes.AdExpr):
        return "ad"
    if isinstance(node, nodes.Call):
        return "time" if node.name.lower().endswith("time") else "integer"
    while isinstance(node, nodes.Unary | nodes.Parens):
        node = node.children()[0]
    value = getattr(node, "value", None)
    by_class = {bool: "boolean", int: "integer", float: "real", str: "string"}
    return by_class.get(value.__class__, "exceptional" if value is not None else "integer")
