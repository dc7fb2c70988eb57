"""The rows of the operators agree with the grammar and with the scalar functions."""

from __future__ import annotations

import inspect
import math
from itertools import pairwise, product
from typing import Any, Final

import pytest

from classad.ads.ad import ListValue
from classad.language.operators import (
    BINARY,
    CONDITIONAL,
    EXACT,
    MIRRORED,
    UNARY,
    Operator,
    OperatorKind,
)
from classad.language.values import (
    ERROR,
    INT_MAX,
    INT_MIN,
    UNDEFINED,
    AbsTime,
    RelTime,
    closeness,
)
from classad.syntax.grammar import scanner
from classad.syntax.nodes import Binary, Node, Unary
from classad.syntax.parser import _by_grammar, parse_expression
from tests.cases import every_case

ROWS: Final = [*BINARY.values(), *UNARY.values(), CONDITIONAL]
NUMBERS: Final[list[int | float]] = [
    INT_MIN, -(2**53) - 1, -7, -1, -0.5, -0.0, 0, 0.0, 5e-324, 0.5, 1, 1.0, 2, 2.5, 3, 7, 63, 64,
    2**53, 2**53 + 1, INT_MAX, 1e308,
]  # fmt: skip
VALUES: Final[list[Any]] = [
    *NUMBERS, math.inf, -math.inf, math.nan, True, False, UNDEFINED, ERROR, "", "a", "A", "b", "1",
    "true", AbsTime(5, 0), AbsTime(5, 3600), RelTime(1.5), RelTime(-2.0), ListValue(["a"]),
]  # fmt: skip
STRICT: Final = {
    OperatorKind.BITS,
    OperatorKind.EQUALITY,
    OperatorKind.ORDER,
    OperatorKind.SHIFT,
    OperatorKind.ARITHMETIC,
}


@every_case("row", ROWS, name=lambda row: f"{row.arity}{row.symbol}")
def test_an_operator_says_how_many_operands_its_function_takes(row: Operator) -> None:
    assert row.arity == len(inspect.signature(row.implementation).parameters)


def rows(*kinds: OperatorKind) -> list[Any]:
    return [pytest.param(row, id=row.symbol) for row in BINARY.values() if row.kind in kinds]


def same(one: object, other: object) -> bool:
    return (one.__class__, repr(one)) == (other.__class__, repr(other))


def by_grammar(text: str) -> Node:
    from classad.source import Source

    return _by_grammar(text, False, False, Source(text), False, None)


@every_case("row", [*BINARY.values(), *UNARY.values()], name=lambda row: row.symbol)
def test_the_grammar_knows_the_token(row: Operator) -> None:
    kinds = [token.kind for token in scanner(f"a {row.symbol} b").tokens()]
    assert kinds == ["NAME", row.token, "NAME"]
    if row.word is not None:
        assert parse_expression(f"a {row.word} b") == Binary(row.symbol, *_names("a", "b"))


def _names(*names: str) -> list[Node]:
    return [parse_expression(name) for name in names]


@pytest.mark.slow
@every_case("one, other", [*product(BINARY.values(), repeat=2)])
def test_the_grammar_binds_as_the_rows_say(one: Operator, other: Operator) -> None:
    a, b, c = _names("a", "b", "c")
    found = by_grammar(f"a {one.symbol} b {other.symbol} c")
    to_the_right = one.kind is OperatorKind.CHOICE and other is one
    if one.precedence < other.precedence or to_the_right:
        assert found == Binary(one.symbol, a, Binary(other.symbol, b, c))
    else:
        assert found == Binary(other.symbol, Binary(one.symbol, a, b), c)


@every_case("prefix, row", [*product(UNARY.values(), BINARY.values())])
def test_the_grammar_binds_prefixes_as_the_rows_say(prefix: Operator, row: Operator) -> None:
    a, b = _names("a", "b")
    found = by_grammar(f"{prefix.symbol}a {row.symbol} b")
    if prefix.precedence < row.precedence:
        assert found == Unary(prefix.symbol, Binary(row.symbol, a, b))
    else:
        assert found == Binary(row.symbol, Unary(prefix.symbol, a), b)


@pytest.mark.parametrize("row", rows(OperatorKind.LOGIC, OperatorKind.CHOICE))
def test_a_left_operand_that_settles_decides_alone(row: Operator) -> None:
    assert row.settles is not None
    settling = [left for left in VALUES if row.settles(left)]
    assert settling
    for left in settling:
        results = [row.implementation(left, right) for right in VALUES]
        assert all(same(result, results[0]) for result in results), left


@pytest.mark.parametrize("row", rows(*STRICT))
def test_strict_operators_give_an_error_for_an_error(row: Operator) -> None:
    assert not row.lazy
    for value in VALUES:
        assert row.implementation(value, ERROR) is ERROR
        assert row.implementation(ERROR, value) is ERROR


@pytest.mark.parametrize(
    "row", rows(OperatorKind.BITS, OperatorKind.SHIFT, OperatorKind.ARITHMETIC)
)
def test_what_commutes_is_declared(row: Operator) -> None:
    """Flattening gathers the constants of these on one side."""
    results = [
        same(row.implementation(a, b), row.implementation(b, a)) for a, b in product(VALUES, VALUES)
    ]
    assert all(results) == row.commutes


@pytest.mark.parametrize("row", rows(OperatorKind.IDENTITY))
def test_identity_is_never_undefined(row: Operator) -> None:
    assert all(row.implementation(a, b) is not UNDEFINED for a, b in product(VALUES, repeat=2))


@pytest.mark.parametrize(
    "row", rows(OperatorKind.ORDER, OperatorKind.EQUALITY, OperatorKind.IDENTITY)
)
def test_exchanged_operands(row: Operator) -> None:
    mirror = BINARY[MIRRORED.get(row.symbol, row.symbol)]
    for a, b in product(VALUES, repeat=2):
        assert same(row.implementation(a, b), mirror.implementation(b, a)), (a, b)


@pytest.mark.parametrize("row", rows(OperatorKind.ORDER))
def test_as_a_number_rises_an_order_changes_once_at_most(row: Operator) -> None:
    rising = sorted(NUMBERS)
    for bound in NUMBERS:
        told = [row.implementation(number, bound) for number in rising]
        assert sum(one is not other for one, other in pairwise(told)) <= 1, bound


@pytest.mark.parametrize("row", rows(OperatorKind.EQUALITY, OperatorKind.IDENTITY))
def test_all_values_of_a_type_that_are_not_close_are_alike(row: Operator) -> None:
    for wanted in VALUES:
        for kind in (int, float, str):
            apart = [v for v in VALUES if v.__class__ is kind and closeness(v) != closeness(wanted)]
            told = {repr(row.implementation(value, wanted)) for value in apart}
            assert len(told) <= 1, (wanted, kind)


@pytest.mark.parametrize("symbol", EXACT)
def test_python_does_the_same_to_numbers_that_are_not_too_large(symbol: str) -> None:
    rule, plain = BINARY[symbol].implementation, EXACT[symbol]
    for a, b in product(NUMBERS, repeat=2):
        result = plain(a, b)
        wraps = result.__class__ is int and not INT_MIN <= result <= INT_MAX
        if not wraps and result != math.inf:
            assert same(rule(a, b), result), (a, b)
        if all(x.__class__ is int and abs(x) < 2**53 for x in (a, b, result)):
            assert plain(float(a), float(b)) == result


@pytest.mark.parametrize(
    "row", [row for row in BINARY.values() if row.commutes], ids=lambda r: r.symbol
)
def test_operators_whose_constants_are_gathered_commute(row: Operator) -> None:
    for a, b in product(VALUES, repeat=2):
        assert same(row.implementation(a, b), row.implementation(b, a)), (a, b)


def test_the_number_of_operands_is_declared() -> None:
    assert {row.arity for row in BINARY.values()} == {2}
    assert {row.arity for row in UNARY.values()} == {1}
    assert CONDITIONAL.arity == 3
    for row in UNARY.values():
        row.implementation(1)
    for row in BINARY.values():
        row.implementation(1, 2)
