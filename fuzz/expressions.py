"""Random expressions and pairs of ads as text.

Inputs: a ``Random``.  Outputs: ``Case``.  Functions come from the registry with its arities, those
left out are not deterministic.  References go only from an attribute to ones with a smaller number,
on either side of the match, so that no evaluation is circular.
Never here: evaluation.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

LITERALS: Final = [
    "0", "1", "-1", "2", "7", "63", "64", "9223372036854775807", "0.0", "-0.0", "0.5",
    "1.5", "1e10", "1e-300", "1e308", "true", "false", "undefined", "error", '""', '"a"', '"A"',
    '"abc,d e"', '"12"', '"1.5x"', '"\\t\\"\\\\"', '"true"', 'relTime("1:02:03")', "{}", "{1, 2.5}",
    'absTime("2024-02-29T12:00:00+01:00")', "[x = 1; y = x + 1]", '{"a", {1}}', "real(\"inf\")",
    "real(\"nan\")",
]  # fmt: skip
BINARY: Final = [
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "&&", "||", "==", "!=", "<", "<=",
    ">", ">=", "=?=", "=!=", "is", "isnt",
]  # fmt: skip
UNARY: Final = ["-", "+", "!", "~"]
ATTRIBUTES: Final = 6
#: Read a literal text while parsing: an ill-formed one is no expression at all.
READ_WHILE_PARSING: Final = {"absTime", "relTime"}


class Case(NamedTuple):
    """An expression in MY, matched with TARGET; both ads in new syntax."""

    expression: str
    my: str
    target: str


def functions() -> list[tuple[str, int, int]]:
    """Name, least and most arguments of what may be called."""
    from classad.builtins import load

    return [
        (declared.name, declared.min_args, min(declared.max_args or 3, 5))
        for _, declared in sorted(load().items())
        if declared.deterministic and declared.name not in READ_WHILE_PARSING
    ]


def random_case(rng: Random) -> Case:
    known = functions()
    return Case(
        expression(rng, ATTRIBUTES, rng.randrange(1, 5), known),
        random_ad(rng, known),
        random_ad(rng, known),
    )


def random_ad(rng: Random, known: list[tuple[str, int, int]]) -> str:
    attributes = [
        f"A{number} = {expression(rng, number, rng.randrange(3), known)}"
        for number in range(ATTRIBUTES)
        if rng.random() < 0.7
    ]
    return f"[{'; '.join(attributes)}]"


def expression(rng: Random, attributes: int, depth: int, known: list[tuple[str, int, int]]) -> str:
    """An expression that refers to attributes with numbers below ``attributes`` only."""

    def part() -> str:
        return expression(rng, attributes, depth - 1, known)

    if depth <= 0:
        return leaf(rng, attributes)
    match rng.randrange(12):
        case 0 | 1 | 2 | 3:
            return f"({part()} {rng.choice(BINARY)} {part()})"
        case 4:
            return f"{rng.choice(UNARY)}({part()})"
        case 5:
            return f"({part()} ? {part()} : {part()})"
        case 6:
            return f"({part()} ?: ({part()}))"  # the grammar wants an operand without sign
        case 7:
            return rng.choice([f"{{{part()}, {part()}}}", f"[x = {part()}]"])
        case 8:
            return rng.choice([f"({part()})[{part()}]", f"({part()}).x"])
        case _ if known:
            name, low, high = rng.choice(known)
            arguments = (part() for _ in range(rng.randint(low, max(low, high))))
            return f"{name}({', '.join(arguments)})"
        case _:
            return leaf(rng, attributes)


def leaf(rng: Random, attributes: int) -> str:
    if attributes and rng.random() < 0.4:
        scope = rng.choice(["", "", "MY.", "TARGET."])
        return f"{scope}A{rng.randrange(attributes)}"
    return rng.choice(LITERALS)
