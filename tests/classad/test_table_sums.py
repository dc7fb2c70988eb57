"""Sums and products as doubles, and the best rows: as one row after the other has them."""

from __future__ import annotations

from math import inf, nan
from random import Random
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree, kernels
from classad.evaluate import evaluate
from classad.language.values import ERROR, UNDEFINED
from classad.table import Rows, Table
from classad.table import arrays as moving
from classad.table.vectors import Vector

CONTEXT = EvalContext(now=1_700_000_000)


@pytest.fixture(params=["c", "python"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setattr(kernels, "native", None)
    elif kernels.native is None:
        pytest.skip("there is no C here")
    return str(request.param)


class Number:
    """Values as numbers; what is none counts -7."""

    number = (False, -7.0)

    def __call__(self, value: Any) -> float:
        return float(value) if value.__class__ in (int, float, bool) else -7.0


def test_values_as_numbers() -> None:
    if kernels.native is None:
        pytest.skip("without the C kernels each value is converted by itself")
    values = [0.1, UNDEFINED, 1e39, -2, True, "7", ERROR]
    vector = Vector.of(values)
    assert list(vector.numbers(False, 5.0) or ()) == [0.1, 5.0, 1e39, -2.0, 1.0, 5.0, 5.0]
    single = list(vector.numbers(True, -1e308) or ())
    assert single == [0.10000000149011612, -1e308, inf, -2.0, 1.0, -1e308, -1e308]
    assert list(Vector.of(["a", "b"]).numbers(False, 3.0) or ()) == [3.0, 3.0]
    assert Vector.of([1, nan]).numbers(False, 0.0) is None


@pytest.mark.parametrize("size", [1, 7, 64, 65, 200, 1000])
def test_rows_of_a_set_and_their_marks(backend: str, size: int) -> None:
    rng = Random(size)
    for sparse in (0, 3, 9):
        bits = rng.getrandbits(size) | 1 << rng.randrange(size)
        for _ in range(sparse):
            bits &= rng.getrandbits(size)
        wanted = [row for row in range(size) if bits >> row & 1]
        assert list(moving.rows_of(bits)) == wanted
        marked = bytearray(b"\x07") * size
        moving.mark(marked, moving.rows_of(bits), 255)
        assert list(marked) == [255 if bits >> row & 1 else 7 for row in range(size)]


CELLS = {
    "whole": ["1", "2", "-3", "0", "true", "400"],
    "mixed": ["1", "2.5", "-3", "0", "0.0", "false"],
    "no numbers": ["1", "undefined", '"x"', "2.5", "error", "{1}"],
    "large": ["1", "9223372036854775807", "1e300", "9007199254740993", "-4.5", "0"],
    "times": ['relTime("1")', 'absTime("2020-01-01T00:00:00Z")', "5", "2.5", "-0.0", "0"],
}
RANKS = ("TARGET.J", "A + 1", "2.5", "TARGET.K == 1", "B", "0")
TEXTS = (
    "A * B - C",
    "10000000 * Rank + 3 - A * B - C",
    "(A + TARGET.J) * 2 - (B / C)",
    "A * Rank * B - TARGET.J",
)


def wanted_of(text: str, rows: list[ClassAd], partner: ClassAd) -> list[str]:
    """What the evaluator gives, row by row."""
    convert, tree = Number(), ExprTree(text)
    return [repr(convert(evaluate(tree, row, partner, context=CONTEXT))) for row in rows]


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("text", TEXTS)
def test_numbers_are_those_of_the_evaluator(backend: str, kind: str, text: str) -> None:
    cells = CELLS[kind]
    rows = [
        ClassAd(f"[A = {a}; B = {b}; C = {c}; Rank = {rank}]")
        for a in cells
        for b in cells
        for c, rank in zip(cells, RANKS, strict=True)
    ]
    table, convert = Table(rows), Number()
    for job in ("[J = 2; K = 1]", "[J = 2.5]", "[J = 2; K = 7]", "[J = -1; K = 2]", '[J = "x"]'):
        partner = ClassAd(job)
        found = table.numbers(text, partner, convert=convert, context=CONTEXT).tolist()
        assert list(map(repr, found)) == wanted_of(text, rows, partner)


@pytest.mark.slow
@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("text", TEXTS)
def test_numbers_of_some_rows(backend: str, kind: str, text: str) -> None:
    cells = CELLS[kind]
    rows = [
        ClassAd(f"[A = {a}; B = {b}; C = {c}; Rank = {rank}]")
        for rank in RANKS
        for a in cells
        for b in cells
        for c in cells
    ]
    table, convert = Table(rows), Number()
    some = Rows.of(len(rows), range(7, len(rows), 9))
    for job in ("[J = 2; K = 1]", "[J = 2.5]", "[J = 2; K = 1]", '[J = "x"]', "[J = 2; K = 1]"):
        partner = ClassAd(job)
        asked = table.partner(partner, CONTEXT)
        found = table.numbers(text, asked, convert=convert, within=some)
        chosen = [repr(found[row]) for row in some]
        assert chosen == wanted_of(text, [rows[row] for row in some], partner)
