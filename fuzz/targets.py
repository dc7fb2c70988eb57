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
from classad import arena, kernels
from classad.deferred import OLD, PREFIX, STRICT
from classad.errors import ClassAdParseError, Diagnostic
from classad.evaluate import evaluate, evaluate_exactly, evaluate_full
from classad.expr import ExprTree
from classad.formats.long import read_long
from classad.loading import Loader
from classad.nodes import walk
from classad.parser import _by_grammar, parse_expression
from classad.source import Source
from classad.state import NO_CONTEXT
from classad.unparse import unparse, unparse_value
from fuzz.expressions import LITERALS, random_case
from fuzz.peer import NAME as PEER_NAME
from fuzz.peer import Crashed, Peer, answer, printed


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


#: What a mutation writes into an expression.
PIECES: Final = [
    *"+-*/%!~^|&<>=?:.,;()[]{}\"'\\ \n\té",
    *(" is ", "isnt", "=?=", "=!=", "?:", ">>>", "..", "//", "/*", "*/", "0x1", "010", "1e", ".5"),
    *('"a" "b"', "\\101", "\\0", "'n'", "true", "Undefined", "absTime("),
]


def parsers_agree(rng: Random) -> None:
    """What the C parser takes the grammar takes too, with the same tree; so does the real one."""
    if kernels.native is None:
        raise Unavailable("the C parser is not built, or not wanted here")
    text = random_case(rng).expression
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(PIECES) + text[place + rng.randrange(3) :]
    how = rng.randrange(8)
    mine = arena.parse(text, how)
    if mine is None:
        return
    try:
        old, strict, prefix = bool(how & OLD), bool(how & STRICT), bool(how & PREFIX)
        theirs = _by_grammar(text, old, strict, Source(text), prefix, None)
    except ClassAdParseError as problem:
        raise AssertionError(f"only C takes {text!r} read as {how}: {problem}") from None
    places = [[(node.start, node.end) for node in walk(tree)] for tree in (mine, theirs)]
    assert mine == theirs, f"{mine} instead of {theirs} of {text!r} read as {how}"
    assert places[0] == places[1], f"places in {text!r} read as {how}"
    # Not compared: text behind a conditional, and a `//` comment, which the real one wants a line
    # end behind, while here the end of the text does as well.
    whole = mine.end == len(text.rstrip()) and "//" not in text
    if how == 0 and whole and find_spec(PEER_NAME) is not None:
        _compare_printed(text)


def _compare_printed(text: str) -> None:
    try:
        theirs = _peer.printed(text)
    except Crashed:
        return
    ours = printed(classad, text)
    assert ours == theirs, f"{ours!r} instead of {theirs!r} of {text!r}"


def loaders_agree(rng: Random) -> None:
    """Loading a text of ads into columns gives the ads that the reader of lines gives."""
    names, values = ["a", "A", "b", "Cpus", "x.y", "\u00e9", "a b", ""], [*LITERALS, *PIECES]
    lines = [
        rng.choice(names) + rng.choice([" = ", "=", " =", "\t="]) + rng.choice(values)
        if rng.random() < 0.9
        else rng.choice(["", "# c", " \t", "\0", "junk"])
        for _ in range(rng.randrange(25))
    ]
    text = "\n".join(lines) + rng.choice(["", "\n", "\r\n"])
    data = text.encode("utf-8", "surrogateescape")
    problems: list[Diagnostic] = []
    read = list(read_long(data.decode("utf-8", "surrogateescape"), "<text>", problems))
    loader = Loader()
    cut = rng.randrange(len(data) + 1)
    loader.feed(data[:cut])
    loaded = loader.finish(data[cut:])
    ads = [[(*pair, repr(pair[1])) for pair in ad._attrs.items()] for ad in loaded.to_ads()]
    expected = [[(*pair, repr(pair[1])) for pair in ad._attrs.items()] for ad in read]
    assert str(ads) == str(expected), f"{ads} instead of {expected} of {data!r} cut at {cut}"
    rendered = [problem.render() for problem in loaded.diagnostics]
    assert rendered == [problem.render() for problem in problems], f"problems of {data!r}"


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
    "parsers": parsers_agree,
    "loaders": loaders_agree,
    "peer": peer_agrees,
}
