"""Comparisons of columns by a few calls of the operator are what comparing each row gives."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree
from classad.evaluate import evaluate
from classad.language.operators import COMPARISONS
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, AbsTime
from classad.match import is_true
from classad.table import Table, vectors
from fuzz.thresholds import few_are_many
from tests.cases import every_case

CONTEXT = EvalContext(now=50.0)
VALUES: list[Any] = [
    0, 1, -1, 7, INT_MAX, INT_MIN, 2**53, 2**53 + 1, 0.0, -0.0, 0.5, 7.0, 2.0**53, -1e308, math.inf,
    math.nan, True, False, UNDEFINED, ERROR, "", "abc", "ABC", "7", AbsTime(5, 0), None,
]  # fmt: skip
COLUMNS = {
    "mixed": VALUES,
    "whole": [*range(-5, 30), 2**53, 2**53 + 1, INT_MAX, INT_MIN, None],
    "reals": [number / 4 for number in range(-20, 40)] + [math.inf, -math.inf, 2.0**53, UNDEFINED],
    "reals and nan": [0.5, 7.0, math.nan, -0.0, 0.0, *[float(n) for n in range(10, 30)]],
    "both": [*range(20), *[number + 0.5 for number in range(20)], 2**53 + 1, 2.0**53],
    "texts": [f"n{number}" for number in range(30)] + ["abc", "ABC", "Abc", "", "7", None],
    "flags": [True, False, None, UNDEFINED],
    "lists": [7, "abc", None, ExprTree("{ 1 }"), ExprTree("Other + 1"), *range(40)],
}


def ad(value: Any) -> ClassAd:
    return ClassAd() if value is None else ClassAd({"A": value})


@pytest.mark.slow
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("column", COLUMNS)
@every_case("symbol", sorted(COMPARISONS))
def test_every_row_is_compared_alike(column: str, symbol: str, many: bool) -> None:
    with few_are_many() if many else nullcontext():
        compare(COLUMNS[column], symbol)


def compare(cells: list[Any], symbol: str) -> None:
    rows = [ad(cell) for cell in cells * 2]
    table = Table(rows)
    texts = [f"A {symbol} TARGET.B", f"TARGET.B {symbol} MY.A", f"A {symbol} B", f"A {symbol} 7"]
    for value in VALUES:
        job = ClassAd() if value is None else ClassAd({"B": value})
        for text in texts:
            expr = ExprTree(text)
            expected = [
                row
                for row, slot in enumerate(rows)
                if is_true(evaluate(expr, slot, job, context=CONTEXT))
            ]
            assert list(table.select(expr, job, context=CONTEXT)) == expected, (text, value)
        job["Requirements"] = ExprTree(f"TARGET.A {symbol} B || !(B {symbol} TARGET.A)")
        expected = [
            row
            for row, slot in enumerate(rows)
            if is_true(evaluate(job.raw("Requirements"), job, slot, context=CONTEXT))
        ]
        assert list(table.accepted_by(job, context=CONTEXT)) == expected, value


def test_values_that_come_into_a_column_later() -> None:
    rows = [ClassAd({"A": number}) for number in range(20)]
    table = Table(rows)
    for step, cell in enumerate([True, "x", 3.5, ExprTree("TARGET.B"), -1, math.nan]):
        for symbol in sorted(COMPARISONS):
            for value in (3, 3.0, "x", True):
                job = ClassAd({"B": value})
                expr = ExprTree(f"A {symbol} TARGET.B")
                expected = [
                    row
                    for row, slot in enumerate(rows)
                    if is_true(evaluate(expr, slot, job, context=CONTEXT))
                ]
                assert list(table.select(expr, job, context=CONTEXT)) == expected
        rows[step] = ad(cell)
        table.replace(step, rows[step])


def test_few_values_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def counting(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def call(left: Any, right: Any) -> Any:
            asked.append(left)
            return function(left, right)

        return call

    for symbol, row in vectors.BINARY.items():
        if symbol in COMPARISONS:
            counted = row._replace(implementation=counting(row.implementation))
            monkeypatch.setitem(vectors.BINARY, symbol, counted)
    table = Table([ClassAd({"A": number, "S": f"s{number}"}) for number in range(1000)])
    assert list(table.select("A >= TARGET.B", ClassAd({"B": 998}))) == [998, 999]
    assert 0 < len(asked) < 15
    asked.clear()
    assert list(table.select("S == TARGET.B", ClassAd({"B": "S7"}))) == [7]
    assert 0 < len(asked) < 4
