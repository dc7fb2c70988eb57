"""Invents expressions and ads as text, from a source of numbers.

All chance comes in as ``below``, a function that gives a number from 0 up to, not including, its
argument, and 0 always leads to the simplest text: a seeded generator makes millions of cases that
way, and Hypothesis finds the smallest one (``classad.strategies``).  References go only from an
attribute to ones that stand before it, on either side of a match: no evaluation is circular.

Inputs: ``below``.  Outputs: text in new syntax.
Follows: ``classad.strategies.edge_values``, the operator table, the declarations of the functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple, TypeVar

from classad.language.names import TIME_LITERALS
from classad.language.operators import BINARY, UNARY, Kind, Operator
from classad.strategies.edge_values import ATTRIBUTES, KINDS, LITERALS, Shape, shapes

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
        self.functions: tuple[Shape, ...] = tuple(shapes().values())
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
        if operator.kind is Kind.CHOICE:  # the grammar wants an operand without sign
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
