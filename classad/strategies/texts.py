"""Invents expressions and ads as text, from a source of numbers and the language's traps.

All chance comes in as ``below``, a function that gives a number from 0 up to, not including, its
argument, and 0 always leads to the simplest text: a seeded generator makes millions of cases that
way, and Hypothesis finds the smallest one (``classad.strategies``).  References go only from an
attribute to ones that stand before it, on either side of a match: no evaluation is circular.  How a
function is called comes from the examples of its declaration.

Inputs: ``below``.  Outputs: text in new syntax; tables of the literals and operands.
Follows: the traps of the language notes: limits of 32, 53 and 64 bits, shift counts, infinities and
NaN, strings that look like numbers, booleans or versions, lists that are not values; the operator
table; the declarations of the functions.

>>> "9223372036854775807" in LITERALS["integer"]
True
>>> shapes()["substr"].calls[0]
('"abcdef"', '1', '2')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from classad.language.names import TIME_LITERALS
from classad.language.operators import BINARY, UNARY, Operator, OperatorKind

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


class CallShape(NamedTuple):
    """How a declared function is called: name, bounds of the arguments, calls seen in examples."""

    name: str
    least: int
    most: int
    calls: tuple[tuple[str, ...], ...]
    #: The kind of each argument of ``calls``.
    kinds: tuple[tuple[str, ...], ...]


@cache
def shapes(*, steady: bool = True) -> dict[str, CallShape]:
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
        found[key] = CallShape(declared.name, least, most, calls, kinds)
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


Below = Callable[[int], int]
T = TypeVar("T")

NAMES: Final = tuple(ATTRIBUTES)
KIND_OF: Final = tuple(ATTRIBUTES.values())
#: Before an attribute's name; the unusual ones are rare, as they take the slow way.
SCOPES: Final = (
    *("", "MY.", "TARGET.", "TARGET.", "my.") * 5,
    *(".", "OTHER.", "RIGHT.", "self.", "parent."),
)


class Case(NamedTuple):
    """An expression in MY, matched with TARGET; without TARGET in MY alone.  All in new syntax."""

    expression: str
    my: str
    target: str = ""


def seeded(rng: Random) -> Below:
    """``below`` from a generator of random numbers."""
    random = rng.random
    return lambda count: int(random() * count)


class Inventor:
    """Writes expressions and ads with one source of numbers."""

    def __init__(self, below: Below) -> None:
        self.below = below
        self.functions: tuple[CallShape, ...] = tuple(shapes().values())
        self.binary: tuple[Operator, ...] = tuple(BINARY.values())
        self.unary: tuple[str, ...] = tuple(UNARY)

    def pick(self, values: Sequence[T]) -> T:
        """One of the values; the first is the simplest."""
        return values[self.below(len(values))]

    def expression(self, depth: int, kind: str = "", before: int = len(NAMES)) -> str:
        """An expression, mostly of ``kind``, that refers to the first ``before`` attributes."""
        if not kind or self.below(8) == 7:
            kind = self.pick(KINDS)
        dice = self.below(100) if depth > 0 else 0
        if dice < 8:
            return self.leaf(kind, before)
        if dice < 14:
            return f"{self.pick(self.unary)}({self.expression(depth - 1, 'integer', before)})"
        if dice < 54:
            return self.operation(depth, before)
        if dice < 62:
            condition = self.expression(depth - 1, "boolean", before)
            arms = (self.expression(depth - 1, kind, before) for _ in range(2))
            return f"({condition} ? {' : '.join(arms)})"
        if dice < 72:
            return self.composite(depth, kind, before)
        return self.call(depth, before)

    def leaf(self, kind: str, before: int) -> str:
        """A literal, or a reference to an attribute that mostly is of this kind."""
        if before and self.below(20) > 10:
            wanted = [number for number in range(before) if KIND_OF[number] == kind]
            number = self.pick(wanted) if wanted else self.below(before)
            return self.pick(SCOPES) + NAMES[number]
        return self.pick(LITERALS[kind])

    def operation(self, depth: int, before: int) -> str:
        """A binary operator and operands that it has a meaning for."""
        operator = self.pick(self.binary)
        kinds = operator.takes or KINDS
        kind = self.pick(kinds)
        left = self.expression(depth - 1, kind, before)
        if self.below(10) > 6:
            kind = self.pick(kinds)
        right = self.expression(depth - 1, kind, before)
        if operator.kind is OperatorKind.CHOICE:  # the grammar wants an operand without sign
            return f"(({left}) ?: ({right}))"
        return f"({left} {operator.symbol} {right})"

    def call(self, depth: int, before: int) -> str:
        """A call like one of the declaration's examples, or with any arguments."""
        shape = self.pick(self.functions)
        if shape.calls and self.below(4) < 3:
            number = self.below(len(shape.calls))
            parts = list(shape.calls[number])
            for place, kind in enumerate(shape.kinds[number]):
                if self.below(10) > 3:
                    parts[place] = self.expression(depth - 1, kind, before)
        else:
            count = shape.least + self.below(shape.most - shape.least + 1)
            parts = [self.expression(depth - 1, "", before) for _ in range(count)]
        if shape.name.lower() in TIME_LITERALS and len(parts) == 1:
            parts[0] = f"({parts[0]})"
        return f"{shape.name}({', '.join(parts)})"

    def composite(self, depth: int, kind: str, before: int) -> str:
        """A list, an ad, or a part of one."""
        part = self.expression(depth - 1, kind, before)
        match self.below(6):
            case 0:
                return f"{{{part}, {self.expression(depth - 1, kind, before)}}}"
            case 1:
                return f"[x = {part}; y = x]"
            case 2:
                return f"({self.expression(depth - 1, 'list', before)})[{part}]"
            case 3:
                return f"({self.expression(depth - 1, 'ad', before)}).{self.pick('xyz')}"
            case 4:
                return f"({self.expression(depth - 1, 'ad', before)})[{part}]"
            case _:
                return f"[x = {part}; y = {{x, {part}}}].{self.pick('xy')}"

    def attributes(self) -> dict[str, str]:
        """The attributes of an ad: mostly literals, some expressions over those before them."""
        return {
            name: self.expression(self.pick((0, 0, 0, 1, 2)), kind, number)
            for number, (name, kind) in enumerate(ATTRIBUTES.items())
            if self.below(8) < 7
        }

    def ad(self) -> str:
        """An ad in new syntax."""
        return f"[{'; '.join(f'{name} = {text}' for name, text in self.attributes().items())}]"
