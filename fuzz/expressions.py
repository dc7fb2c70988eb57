"""Seeded random expressions and ads as text, at the rate that long comparisons need.

Inputs: a ``Random``.  Outputs: ``Case`` and the texts it is made of.  Literals, operators and
functions come from the declared tables, as those of ``classad.strategies`` do; no list of functions
is kept here.  References go only from an attribute to ones that stand before it, on either side of
the match, so that no evaluation is circular.
Never here: evaluation.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from classad.boundaries import ATTRIBUTES, KINDS, LITERALS, OPERAND_KINDS, Shape, shapes
from classad.operators import BINARY, UNARY, Operator

NAMES: Final = tuple(ATTRIBUTES)
KIND_OF: Final = tuple(ATTRIBUTES.values())
#: Read a literal text while parsing: an ill-formed one is no expression at all.
READ_WHILE_PARSING: Final = frozenset({"abstime", "reltime"})
ELVIS: Final = "?:"
#: Before an attribute's name; the unusual ones are rare, as they take the slow way.
SCOPES: Final = (
    *("", "MY.", "TARGET.", "TARGET.", "my.") * 5,
    *(".", "OTHER.", "RIGHT.", "self.", "parent."),
)


class Case(NamedTuple):
    """An expression in MY, matched with TARGET; both ads in new syntax."""

    expression: str
    my: str
    target: str


class Writer:
    """Writes expressions with one source of chance."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        known = shapes().values()
        self.functions: tuple[Shape, ...] = tuple(known)
        self.binary: tuple[Operator, ...] = tuple(BINARY.values())
        self.unary: tuple[str, ...] = tuple(UNARY)

    def expression(self, depth: int, kind: str = "", before: int = len(NAMES)) -> str:
        """An expression, mostly of ``kind``, that refers to the first ``before`` attributes."""
        rng = self.rng
        if not kind or rng.random() < 0.12:
            kind = rng.choice(KINDS)
        if depth <= 0 or rng.random() < 0.08:
            return self.leaf(kind, before)
        dice = rng.random()
        if dice < 0.36:
            return self.call(depth, before)
        if dice < 0.76:
            return self.operation(depth, before)
        if dice < 0.82:
            sign = rng.choice(self.unary)
            return f"{sign}({self.expression(depth - 1, 'integer', before)})"
        if dice < 0.90:
            condition = self.expression(depth - 1, "boolean", before)
            arms = (self.expression(depth - 1, kind, before) for _ in range(2))
            return f"({condition} ? {' : '.join(arms)})"
        return self.composite(depth, kind, before)

    def leaf(self, kind: str, before: int) -> str:
        """A literal, or a reference to an attribute that mostly is of this kind."""
        rng = self.rng
        if before and rng.random() < 0.45:
            wanted = [number for number in range(before) if KIND_OF[number] == kind]
            number = rng.choice(wanted) if wanted else rng.randrange(before)
            return rng.choice(SCOPES) + NAMES[number]
        return rng.choice(LITERALS[kind])

    def operation(self, depth: int, before: int) -> str:
        """A binary operator and operands that it has a meaning for."""
        rng = self.rng
        operator = rng.choice(self.binary)
        kinds = OPERAND_KINDS[operator.precedence]
        kind = rng.choice(kinds)
        left = self.expression(depth - 1, kind, before)
        if rng.random() < 0.3:
            kind = rng.choice(kinds)
        right = self.expression(depth - 1, kind, before)
        if operator.symbol == ELVIS:  # the grammar wants an operand without sign
            return f"(({left}) ?: ({right}))"
        return f"({left} {operator.symbol} {right})"

    def call(self, depth: int, before: int) -> str:
        """A call like one of the declaration's examples, or with any arguments."""
        rng = self.rng
        shape = rng.choice(self.functions)
        if shape.calls and rng.random() < 0.75:
            number = rng.randrange(len(shape.calls))
            parts = list(shape.calls[number])
            for place, kind in enumerate(shape.kinds[number]):
                if rng.random() < 0.6:
                    parts[place] = self.expression(depth - 1, kind, before)
        else:
            count = rng.randint(shape.least, shape.most)
            parts = [self.expression(depth - 1, "", before) for _ in range(count)]
        if shape.name.lower() in READ_WHILE_PARSING and len(parts) == 1:
            parts[0] = f"({parts[0]})"
        return f"{shape.name}({', '.join(parts)})"

    def composite(self, depth: int, kind: str, before: int) -> str:
        """A list, an ad, or a part of one."""
        rng = self.rng
        part = self.expression(depth - 1, kind, before)
        match rng.randrange(6):
            case 0:
                return f"{{{part}, {self.expression(depth - 1, kind, before)}}}"
            case 1:
                return f"[x = {part}; y = x]"
            case 2:
                return f"({self.expression(depth - 1, 'list', before)})[{part}]"
            case 3:
                return f"({self.expression(depth - 1, 'ad', before)}).{rng.choice('xyz')}"
            case 4:
                return f"({self.expression(depth - 1, 'ad', before)})[{part}]"
            case _:
                return f"[x = {part}; y = {{x, {part}}}].{rng.choice('xy')}"

    def ad(self) -> str:
        """An ad: literals mostly, some expressions over what stands before, some missing."""
        rng = self.rng
        attributes = [
            f"{name} = {self.expression(rng.choice((0, 0, 0, 1, 2)), kind, number)}"
            for number, (name, kind) in enumerate(ATTRIBUTES.items())
            if rng.random() < 0.85
        ]
        return f"[{'; '.join(attributes)}]"


def random_case(rng: Random) -> Case:
    """One expression with its two ads."""
    writer = Writer(rng)
    return Case(writer.expression(rng.randrange(1, 5)), writer.ad(), writer.ad())
