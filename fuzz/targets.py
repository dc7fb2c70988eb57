"""What is fuzzed: one function a target, which makes a case from a seeded generator and judges it.

Inputs: a ``Random``.  Outputs: none; ``AssertionError`` with the whole case in its text when a
property does not hold, ``Unavailable`` when something the target compares with is not installed.
Never here: time, files, the loop.
"""

from __future__ import annotations

import atexit
import math
import re
from collections.abc import Callable
from importlib.util import find_spec
from random import Random
from typing import Final

import classad
from classad import kernels
from classad.evaluate import evaluate, evaluate_exactly, evaluate_full
from classad.expr import ExprTree
from classad.parser import parse_expression
from classad.state import NO_CONTEXT
from classad.unparse import unparse, unparse_value
from fuzz.expressions import random_case
from fuzz.peer import NAME as PEER_NAME
from fuzz.peer import Crashed, Peer, answer


class Unavailable(Exception):  # noqa: N818 - not a failure
    """The target cannot run here; the text says what is missing."""


SPECIAL: Final = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, 1.7e308]


def kernels_agree(rng: Random) -> None:
    """The C kernels and their Python twins give the same order."""
    try:
        _, top_c, sort_c = kernels._choose("c")
    except ImportError as missing:
        raise Unavailable(str(missing)) from missing
    _, top_python, sort_python = kernels._choose("python")
    rows = rng.choice([rng.randrange(20), rng.randrange(100), rng.randrange(3000)])
    columns = [_column(rng, rows) for _ in range(rng.randrange(1, 6))]
    keys, _ = kernels._pack(columns)
    k = rng.randrange(rows + 1)
    assert sort_c(keys, rows) == sort_python(keys, rows), f"sort_order of {columns}"
    assert top_c(keys, rows, k) == top_python(keys, rows, k), f"top_k, k = {k}, of {columns}"


def _column(rng: Random, rows: int) -> list[float]:
    match rng.randrange(5):
        case 0:
            return [rng.uniform(-10, 10) for _ in range(rows)]
        case 1:
            return [float(rng.randrange(4)) for _ in range(rows)]
        case 2:
            return [rng.choice(SPECIAL) for _ in range(rows)]
        case 3:
            slope = rng.choice([-1.0, 1.0, 0.0])
            return [slope * (row // rng.randrange(1, 4)) for row in range(rows)]
        case _:
            return [-0.0] * rows


def evaluators_agree(rng: Random) -> None:
    """The compiled evaluator and the exact one give the same value, and neither raises."""
    case = random_case(rng)
    my, target = evaluate(case.my), evaluate(case.target)
    compiled, _ = evaluate_full(case.expression, my, target)
    exact, _ = evaluate_exactly(ExprTree(case.expression), my, my, target, NO_CONTEXT)
    assert compiled.__class__ is exact.__class__, f"{compiled!r} and {exact!r} of {case}"
    texts = unparse_value(compiled), unparse_value(exact)
    assert texts[0] == texts[1], f"{texts} of {case}"


def text_comes_back(rng: Random) -> None:
    """Printing an expression and reading it again gives the same text."""
    node = parse_expression(random_case(rng).expression)
    text = unparse(node)
    again = unparse(parse_expression(text))
    assert again == text, f"{text} comes back as {again}"


_peer = Peer()
atexit.register(_peer.close)


def peer_agrees(rng: Random) -> None:
    """The real library gives the same value, of the same type."""
    if find_spec(PEER_NAME) is None:
        raise Unavailable("the real ClassAd library is not installed (htcondor on PyPI)")
    case = random_case(rng)
    ours = answer(classad, *case)
    try:
        theirs = _peer.answer(*case)
    except Crashed:
        return  # nothing to compare with
    if re.search(r"'Year', \['int', '-?\d{10,}'\]", str(ours)):
        return  # the real library prints uninitialised memory there (D-301)
    assert ours == theirs, f"{ours} instead of {theirs} of {case}"


TARGETS: Final[dict[str, Callable[[Random], None]]] = {
    "kernels": kernels_agree,
    "evaluators": evaluators_agree,
    "text": text_comes_back,
    "peer": peer_agrees,
}
