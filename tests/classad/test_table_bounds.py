"""Comparisons that a search decides agree row by row where integers wrap and doubles round.

A comparison of one attribute with something constant is decided by a few evaluations, as its result
changes at most once while the attribute rises.  That is so only as long as no step wraps around or
leaves the numbers that a double tells apart.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from classad import ClassAd, ExprTree, Table
from fuzz.one_by_one import CONTEXT, holds

W = 2**62
#: Values of an attribute in so many rows; those with a text have to be asked one by one, too.
COLUMNS: tuple[tuple[Any, ...], ...] = (
    tuple(W + step * 2**58 for step in range(11)),
    tuple(-W - step * 2**58 for step in range(11)),
    tuple((step - 5) * 2**60 for step in range(11)),
    tuple(2**61 + step * 2**57 for step in range(10)),
    (0, 1, 2**31, 2**53 - 1, 2**53, 2**53 + 1, 2**61, W - 1, W, W + 1, 2**63 - 1),
    (-(2**63), -W - 1, -W, -(2**53) - 1, -(2**53), -1, 0, 5, W, 2**63 - 1),
    (*(2**53 + step for step in range(-5, 6)),),
    (*(2.0**53 + step for step in range(-5, 6)),),
    (-1e308, -(2.0**64), -(2.0**63), -0.5, 0.0, 0.5, 2.0**53, 2.0**62, 2.0**63, 2.0**64, 1e308),
    (-7, -6, -5, -3, -2, -1, 1, 2, 3, 5, 7),
    (1, 2, 2.5, 3, 4.0, 5, 6.5, 7, 8.0, 9, 11),
    (-(2**63), -(2**62) - 5, -(2**62) - 1, -(2**61), -5, -3, -1, 0, 1, 2),
    (2**62 + 1, 2.0**53, 2**53 + 1, 2.5, 3, -3.5, 1, 0, 1e300, 7),
    (*((step - 8) * 2**59 for step in range(16)), "text", True, None),
    (*(2**53 + step for step in range(-8, 8)), "text", 2.0**53, 2.0**53 + 2),
    (*(W + step * 2**57 for step in range(18)), ExprTree("1 + 1"), "no"),
)
SMALL = ("0", "1", "2", "3", "-1", "-2", "0.5", "1.5", "7", "2.0", "-0.25", "true", "K", "1e-3")
#: What is no constant, or no number.
OTHER = ("V", "MY.V", "TARGET.M", "Double", "TARGET.V", '"x"', "undefined", "error", "Text")
LARGE = (
    "4611686018427387904", "-4611686018427387904", "4611686018427387903", "9223372036854775807",
    "2305843009213693952", "9223372036854775804", "-9223372036854775805", "TARGET.L", "1e300",
    "1e-300", "9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740992.0",
    "9223372036854775808.0", "4611686018427387904.0", "1152921504606846976", "1e18",
)  # fmt: skip
JOB = ClassAd({"L": 2**61, "K": 5, "M": ExprTree("3 - V"), "Requirements": True})


def _number(rng: Random) -> str:
    return rng.choice(rng.choice((SMALL, SMALL, SMALL, LARGE, LARGE, LARGE, OTHER)))


def _expression(rng: Random) -> str:
    value = rng.choice(("V", "V", "MY.V"))
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        number, operator = _number(rng), rng.choice("+-*/")
        left, right = (value, number) if rng.random() < 0.7 else (number, value)
        value = f"({left} {operator} {right})"
    comparison = rng.choice(("<", "<=", ">", ">=", "<", ">", "==", "!=", "=?=", "=!="))
    other = _number(rng)
    left, right = (value, other) if rng.random() < 0.7 else (other, value)
    return f"{left} {comparison} {right}"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(COLUMNS)))
def test_comparisons_of_sums(number: int) -> None:
    rng = Random(number)
    rows = []
    for value in COLUMNS[number]:
        ad = ClassAd({"K": 2**60 - 1, "Double": ExprTree("V * 2 - 3"), "Text": "t"})
        if value is not None:
            ad["V"] = value
        rows.append(ad)
    rng.shuffle(rows)
    table = Table(rows)
    for turn in range(220):
        text = _expression(rng)
        tree = ExprTree(f"!({text})" if turn % 3 == 2 else text)
        wanted = [row for row, ad in enumerate(rows) if holds(tree, ad, JOB)]
        assert list(table.select(tree, JOB, context=CONTEXT)) == wanted, str(tree)


def test_zeros_of_a_partner_are_told_apart_by_their_sign() -> None:
    """Also where the partner's attribute is an expression, and the table has seen the other one."""
    table = Table([ClassAd("[A = 1]"), ClassAd("[A = 2]")])
    asked = ExprTree('strcat(A, ":", TARGET.X)')
    plus, minus = ("0.0 * 1", "0.0"), ("-0.0 * 1", "-0.0")
    for text, zero in (plus, minus, ("0.0", "0.0"), ("-0.0", "-0.0"), plus, ("0 * 1", "0"), minus):
        codes, values = table.evaluate(asked, ClassAd(f"[X = {text}]"))
        assert [values[code] for code in codes] == [f"1:{zero}", f"2:{zero}"]
