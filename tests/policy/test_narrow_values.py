"""Abstract operators claim no more than what can come out.

That what comes out is among what can is the subject of ``test_values.py``; an operator that always
said "anything" would pass there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import inf, nan

import pytest

from classad.language.operators import BINARY, UNARY
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, ClassAdValue, fold
from policy.values.domain import (
    ALL_REAL,
    ALL_WHOLE,
    ANYTHING,
    BOTH,
    NOTHING,
    Abstract,
    constant,
    join,
    meet,
    of_its_kinds,
    single_number,
    single_value,
    truths,
)
from policy.values.evaluation import compared
from policy.values.operators import binary, unary
from tests.cases import every_case


def of(*values: ClassAdValue) -> Abstract:
    """No more than these values, and the numbers between them."""
    return reduce(join, map(constant, values))


#: Sets of which an ``Abstract`` claims nothing else.
SETS: Sequence[tuple[ClassAdValue, ...]] = (
    (UNDEFINED,), (ERROR,), (True,), (False,), (True, False), (0,), (1,), (-1,), (0, 1), (-1, 0, 1),
    (-3, -2), (1, 2, 3), (0.0,), (2.0,), (-7.5,), (nan,), ("a",), ("A",), ("a", "b"), ("B",),
    (UNDEFINED, 1), (ERROR, 2), (UNDEFINED, "a"), (True, 2), (1, "a"), (False, -7.5), (nan, 1),
    (1, 7.5), (UNDEFINED, ERROR), (2**53, 2**53 + 1), (2.0**53,), (UNDEFINED, True, False),
    (ERROR, True, False),
)  # fmt: skip
ENDS: Sequence[tuple[ClassAdValue, ...]] = ((inf,), (-inf,), (INT_MAX,), (INT_MIN,))


def all_of(symbol: str, a: Sequence[ClassAdValue], b: Sequence[ClassAdValue]) -> Abstract:
    """What really comes out, one by one."""
    rule = BINARY[symbol].implementation
    return of(*(rule(x, y) for x in a for y in b))


@pytest.mark.parametrize("symbol", ["||", "&&", "==", "!=", "=?=", "=!=", "<", "<=", ">", ">="])
def test_a_condition_is_no_more_than_what_comes_out(symbol: str) -> None:
    for a, b in product((*SETS, *ENDS), repeat=2):
        assert binary(symbol, of(*a), of(*b)) == all_of(symbol, a, b), (a, b)


@pytest.mark.parametrize("symbol", ["+", "-", "*"])
def test_a_number_is_no_further_than_what_comes_out(symbol: str) -> None:
    for a, b in product(SETS, repeat=2):
        if symbol == "*" and a == b == (2**53, 2**53 + 1):
            continue  # more than 64 bits: below
        assert binary(symbol, of(*a), of(*b)) == all_of(symbol, a, b), (a, b)


@pytest.mark.parametrize("symbol", ["+", "-", "!", "~"])
def test_one_operand(symbol: str) -> None:
    rule = UNARY[symbol].implementation
    for a in (*SETS, *ENDS, (UNDEFINED, 3, 4), (ERROR, 2.5, 4.5), (INT_MIN + 1, 0, 5)):
        assert unary(symbol, of(*a)) == of(*map(rule, a)), a


@pytest.mark.parametrize(
    ("symbol", "operand", "expected"),
    [
        ("-", of(INT_MIN, 0), of(INT_MIN, INT_MAX)),  # the least has no opposite
        ("-", of(INT_MIN), of(INT_MIN)),
        ("~", of(1, nan), of(~1, ERROR)),
        ("~", Abstract(other=True), of(ERROR)),
        ("~", Abstract(other=True, whole=(1, 2)), of(~1, ~2, ERROR)),
        ("-", Abstract(other=True), Abstract(other=True, error=True)),
        (
            "+",
            Abstract(other=True, real=(1.0, 2.0)),
            Abstract(error=True, real=(1.0, 2.0), other=True),
        ),
        ("!", Abstract(other=True), of(ERROR)),
        ("-", NOTHING, NOTHING),
        ("!", NOTHING, NOTHING),
    ],
)
def test_one_operand_that_is_no_set_of_scalars(
    symbol: str, operand: Abstract, expected: Abstract
) -> None:
    assert unary(symbol, operand) == expected


@pytest.mark.parametrize("symbol", ["+", "-", "~"])
def test_one_operand_keeps_its_unit(symbol: str) -> None:
    one = unary(symbol, Abstract(whole=(3, 3), unit="s", single=True))
    assert (one.unit, one.single) == ("s", True)
    if symbol != "~":
        assert unary(symbol, Abstract(whole=(3, 4), unit="s")).unit == "s"


REAL = Abstract(real=ALL_REAL, nan=True, error=True)
WHOLE = Abstract(whole=ALL_WHOLE)


@every_case(
    "left, symbol, right, expected",
    [
        # Beyond 64 bits integers begin at the other end: any can come out.
        (of(INT_MAX), "+", of(0), of(INT_MAX)),
        (of(INT_MAX), "+", of(1), WHOLE),
        (of(INT_MAX - 1), "+", of(0, 1), of(INT_MAX - 1, INT_MAX)),
        (of(INT_MIN), "-", of(0), of(INT_MIN)),
        (of(INT_MIN), "-", of(1), WHOLE),
        (of(2**62), "*", of(2), WHOLE),
        (of(2**62 - 1), "*", of(2), of(2**63 - 2)),
        (of(-(2**62)), "*", of(2), of(INT_MIN)),
        (of(2**62 + 1), "*", of(-2), WHOLE),
        (of(2**53, 2**53 + 1), "*", of(2**53, 2**53 + 1), WHOLE),
        # Zero among the divisors is an error; the others are asked for themselves.
        (of(7), "/", of(0), of(ERROR)),
        (of(7), "%", of(0), of(ERROR)),
        (of(7), "/", of(0, 2), of(3, 7, ERROR)),
        (of(7), "/", of(-2, 0), of(-3, -7, ERROR)),
        (of(7), "/", of(-1, 1), of(-7, 7, ERROR)),
        (of(6, 7), "/", of(2, 3), of(2, 3)),
        (of(-7, 7), "/", of(2, 3), of(-3, 3)),
        (of(-7, -6), "/", of(2), of(-3)),
        (of(0, 5), "/", of(7), of(0)),
        (of(True, False), "/", of(2), of(0)),
        (of(1.0), "/", of(0), REAL),
        (of(1.0), "/", of(-1, 1), REAL),
        (of(1), "/", of(0.0, 2.0), REAL),
        (of(1), "/", of(-2.0, 0.0), REAL),
        (of(1), "/", of(-2.0, -0.5), of(-2.0, -0.5)),
        (of(1), "/", of(0.5, 2.0), of(0.5, 2.0)),
        (of(1.0), "/", of(inf), REAL),
        (of(inf), "/", of(2), REAL),
        # The remainder has the sign of the dividend, and is nearer to zero than the divisor.
        (of(7), "%", of(3), of(0, 2)),
        (of(1), "%", of(3), of(0, 1)),
        (of(-7), "%", of(3), of(-2, 0)),
        (of(-1), "%", of(3), of(-1, 0)),
        (of(-9, 9), "%", of(5), of(-4, 4)),
        (of(-2, 3), "%", of(5), of(-2, 3)),
        (of(9), "%", of(-5), of(0, 4)),
        (of(9), "%", of(-5, -3), of(0, 4)),
        (of(9), "%", of(-2, 5), of(0, 4, ERROR)),
        (of(9), "%", of(0, 5), of(0, 4, ERROR)),
        (of(9), "%", of(1), of(0)),
        (of(9.0), "%", of(5), of(ERROR)),
        (of(9), "%", of(5.0), of(ERROR)),
        (of(nan), "%", of(5), of(ERROR)),
        (of(9, UNDEFINED), "%", of(1), of(0, UNDEFINED)),
        # Infinite reals.
        (of(inf), "+", of(1), Abstract(real=(inf, inf), nan=True, error=True)),
        (of(-inf), "+", of(1), Abstract(real=(-inf, -inf), nan=True)),
        (of(inf), "+", of(-inf), Abstract(real=(-inf, inf), nan=True, error=True)),
        (of(inf), "-", of(inf), Abstract(real=(-inf, inf), nan=True, error=True)),
        (of(1), "-", of(inf), Abstract(real=(-inf, -inf), nan=True)),
        (of(0.0, inf), "*", of(0), Abstract(real=(0.0, 0.0), nan=True)),
        (of(inf), "*", of(0.0), Abstract(real=(0.0, 0.0), nan=True)),
        (of(2.0, inf), "*", of(-3), Abstract(real=(-inf, -6.0), nan=True)),
        (of(1e308), "*", of(10), Abstract(real=(inf, inf), error=True)),
        (of(-1e308), "*", of(10), Abstract(real=(-inf, -inf))),
        (of(1e308), "+", of(1e308), Abstract(real=(inf, inf), error=True)),
        (of(1.5, 2), "+", of(1), of(2.5, 3)),
        (of(1.5, 4), "*", of(2, 0.5), of(0.75, 3.0, 2.0, 8)),
        (of(nan), "+", of(1), of(nan)),
        (of(1), "-", of(nan), of(nan)),
        (of(nan), "+", of("a"), of(ERROR)),
        # Lists, ads and times: nothing is known of a sum with them.
        (Abstract(other=True), "+", of(1), Abstract(other=True, error=True)),
        (of(1), "-", Abstract(other=True), Abstract(other=True, error=True)),
        (Abstract(other=True), "-", Abstract(other=True), Abstract(other=True, error=True)),
        (Abstract(other=True), "*", of("a"), of(ERROR)),
        (of("a"), "*", Abstract(other=True), of(ERROR)),
        (Abstract(other=True), "+", of(UNDEFINED), of(UNDEFINED)),
        (of(UNDEFINED), "+", Abstract(other=True), of(UNDEFINED)),
        (Abstract(other=True), "+", of(ERROR), of(ERROR)),
        (Abstract(other=True), "<", of(1), of(ERROR)),
        (of(1), "<", Abstract(other=True), of(ERROR)),
        (of("a"), "==", Abstract(other=True), of(ERROR)),
        (Abstract(other=True), "<", Abstract(other=True), of(True, False, ERROR)),
        (Abstract(other=True), "=?=", Abstract(other=True), of(True, False, ERROR)),
        (Abstract(other=True), "=!=", Abstract(other=True), of(True, False, ERROR)),
        (Abstract(other=True), "=?=", of(1), of(False)),
        # Bits.
        (of(6), "&", of(3), of(2)),
        (of(6), "|", of(3), of(7)),
        (of(6), "^", of(3), of(5)),
        (of(3), "<<", of(2), of(12)),
        (of(-8), ">>", of(1), of(-4)),
        (of(-1), ">>>", of(63), of(1)),
        (of(6, 9), "&", of(3), of(0, 3)),
        (of(6, 9), "&", of(0, 30), of(0, 9)),
        (of(0, 9), "&", of(0, 30), of(0, 9)),
        (of(-1, 9), "&", of(0, 30), WHOLE),
        (of(0, 9), "&", of(-1, 30), WHOLE),
        (of(6, 9), "|", of(3), WHOLE),
        (of(6, UNDEFINED), "&", of(3, 4), of(0, 4, UNDEFINED)),
        (of(6.0), "&", of(3), of(ERROR)),
        (of(6), "|", of("a"), of(ERROR)),
        (of(True), "|", of(3), of(ERROR)),
        (of(nan), "^", of(3), of(ERROR)),
        (Abstract(other=True), "^", of(3), of(ERROR)),
        (of(6.0), "&", of(UNDEFINED), of(UNDEFINED)),
        (of(UNDEFINED), "&", of(3), of(UNDEFINED)),
        (of(ERROR), "&", of(3), of(ERROR)),
        (of(ERROR), "&", NOTHING, NOTHING),
        (NOTHING, "+", of(ERROR), NOTHING),
        (NOTHING, "+", of(UNDEFINED), NOTHING),
        (NOTHING, "==", of(1), NOTHING),
    ],
)
def test_what_can_come_out(
    left: Abstract, symbol: str, right: Abstract, expected: Abstract
) -> None:
    assert binary(symbol, left, right) == expected


def test_integers_and_fractions_between_them() -> None:
    """Which integers are meant is not known: 0 and 1 are, and 0.5 is between them."""
    assert binary("==", of(0, 1), of(0.5)) == of(True, False)
    assert binary("!=", of(0.5), of(True, False)) == of(True, False)
    assert binary("==", of(0, 1), of(1.5)) == of(False)
    assert binary("==", of(0, 1), of(1)) == of(True, False)
    assert binary("!=", of(0, 1), of(2)) == of(True)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "&", "=="])
@pytest.mark.parametrize(("left", "right"), [(True, False), (False, True), (False, False)])
def test_single_precision_stays(symbol: str, left: bool, right: bool) -> None:
    found = binary(
        symbol, Abstract(whole=(1, 2), single=left), Abstract(whole=(1, 2), single=right)
    )
    assert found.single is (symbol in "+-*" and (left or right))


# --- strings ---------------------------------------------------------------------------------


def folded(*texts: str) -> Abstract:
    """Any string that is one of these but for case."""
    return Abstract(texts=None, folded=frozenset(map(fold, texts)))


def many(count: int, first: int = 0) -> Abstract:
    """So many strings."""
    return Abstract(texts=frozenset(f"t{number:03}" for number in range(first, first + count)))


TEXT = Abstract(texts=None)


@every_case(
    "left, symbol, right, expected",
    [
        (folded("a", "b"), "==", of("A"), of(True, False)),
        (folded("a"), "==", of("A"), of(True)),
        (of("A"), "==", folded("a"), of(True)),
        (folded("a"), "!=", of("A"), of(False)),
        (folded("a"), "==", of("c"), of(False)),
        (of("c"), "!=", folded("a", "b"), of(True)),
        (folded("a"), "<", of("c"), of(True, False)),
        (of("c"), ">", folded("a"), of(True, False)),
        (folded("a"), "==", folded("b"), of(True, False)),
        (TEXT, "==", of("a"), of(True, False)),
        (of("a"), "==", TEXT, of(True, False)),
        (TEXT, "==", of(1), of(ERROR)),
        (of(1), "==", TEXT, of(ERROR)),
        (of(1), "==", of(1), of(True)),
        (folded("a"), "=?=", of("A"), of(True, False)),
        (folded("a"), "=?=", of("b"), of(False)),
        (of("b"), "=?=", folded("a"), of(False)),
        (of("A"), "=!=", folded("a"), of(True, False)),
        (TEXT, "=?=", TEXT, of(True, False)),
        (TEXT, "=?=", of(1), of(False)),
        (many(64), "==", many(64), of(True, False)),
        (many(64), "==", many(64, 64), of(False)),
        (many(65), "==", many(64, 65), of(True, False)),
    ],
)
def test_strings(left: Abstract, symbol: str, right: Abstract, expected: Abstract) -> None:
    assert binary(symbol, left, right) == expected


@pytest.mark.parametrize(
    ("left", "right", "either", "both"),
    [
        (of("a"), of("A"), of("a", "A"), NOTHING),
        (of("a", "b"), of("b", "c"), of("a", "b", "c"), of("b")),
        (many(63), many(1, 63), many(64), NOTHING),
        (many(64), many(1, 64), TEXT, NOTHING),
        (TEXT, of("a"), TEXT, of("a")),
        (of("a"), TEXT, TEXT, of("a")),
        (folded("a"), of("A"), folded("a"), of("A")),
        (folded("a"), of("b"), folded("a", "b"), NOTHING),
        (of("b", "A"), folded("a"), folded("a", "b"), of("A")),
        (folded("a"), TEXT, TEXT, folded("a")),
        (TEXT, folded("a"), TEXT, folded("a")),
        (folded("a", "b"), folded("b", "c"), folded("a", "b", "c"), folded("b")),
        (folded("a"), folded("b"), folded("a", "b"), NOTHING),
        (
            folded("a"),
            of(1),
            Abstract(texts=None, folded=frozenset({fold("a")}), whole=(1, 1)),
            NOTHING,
        ),
        (TEXT, TEXT, TEXT, TEXT),
        (folded(*(f"t{n}" for n in range(64))), of("x"), TEXT, NOTHING),
        (
            folded(*(f"t{n}" for n in range(63))),
            of("x"),
            folded("x", *(f"t{n}" for n in range(63))),
            NOTHING,
        ),
    ],
)
def test_sets_of_strings(left: Abstract, right: Abstract, either: Abstract, both: Abstract) -> None:
    assert join(left, right) == either
    assert meet(left, right) == both


# --- sets as such ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        ((1, 3), (3, 5), (3, 3)),
        ((1, 3), (4, 5), None),
        ((1, 9), (4, 5), (4, 5)),
        ((4, 5), (1, 9), (4, 5)),
        (None, (1, 9), None),
        ((1, 9), None, None),
    ],
)
def test_common_numbers(
    left: tuple[int, int] | None, right: tuple[int, int] | None, both: tuple[int, int] | None
) -> None:
    assert meet(Abstract(whole=left), Abstract(whole=right)).whole == both


def test_what_only_one_has_is_not_common() -> None:
    everything = (
        of(UNDEFINED),
        of(ERROR),
        of(True),
        of(1),
        of(1.0),
        of(nan),
        of("a"),
        Abstract(other=True),
    )
    for number, one in enumerate(everything):
        assert meet(one, one) == one == meet(ANYTHING, one) == meet(one, ANYTHING)
        assert not one.empty
        for other in everything[:number]:
            assert meet(one, other) == NOTHING == meet(other, one)
            assert meet(one, other).empty
            assert single_value(join(one, other)) is None


@every_case(
    "given, condition",
    [
        (of(0), of(False)),
        (of(1), of(True)),
        (of(-1), of(True)),
        (of(0, 1), of(True, False)),
        (of(-1, 0), of(True, False)),
        (of(-5, 5), of(True, False)),
        (of(2, 9), of(True)),
        (of(-9, -2), of(True)),
        (of(0.0), of(False)),
        (of(0.5), of(True)),
        (of(-0.5, 0.5), of(True, False)),
        (of(0.0, 0.5), of(True, False)),
        (of(-0.5, 0.0), of(True, False)),
        (of(nan), of(True)),
        (of("true"), of(ERROR)),
        (TEXT, of(ERROR)),
        (Abstract(other=True), of(ERROR)),
        (of(True, UNDEFINED), of(True, UNDEFINED)),
        (of(False, ERROR, 3), of(True, False, ERROR)),
        (NOTHING, NOTHING),
    ],
)
def test_conditions(given: Abstract, condition: Abstract) -> None:
    assert given.condition() == condition
    assert truths(given.outcomes()) == condition
    assert len(given.outcomes()) == len(set(map(repr, given.outcomes())))


@pytest.mark.parametrize(
    "value",
    [UNDEFINED, ERROR, True, False, 0, 1, -1, INT_MAX, INT_MIN, 0.5, -3.0, inf, -inf, "", "a"],
)
def test_a_single_value(value: ClassAdValue) -> None:
    found = single_value(constant(value))
    assert found == value
    assert type(found) is type(value)
    if type(value) in (int, float):
        assert single_number(constant(value)) == float(value)
    else:
        assert single_number(constant(value)) is None


@pytest.mark.parametrize(
    "given",
    [
        NOTHING, of(True, False), of(1, 2), of(0, 1), of(-1, 0), of(1.0, 2.0), of(0.0), of(nan),
        of("a", "b"), TEXT, folded("a"), Abstract(other=True), of(0.0, 1.0),
    ],
)  # fmt: skip
def test_no_single_value(given: Abstract) -> None:
    """Zero as a real is two values, with either sign."""
    assert single_value(given) is None
    assert single_number(given) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (of(True), Abstract(True, truths=BOTH)),
        (of(ERROR), of(UNDEFINED, ERROR)),
        (of(UNDEFINED), of(UNDEFINED)),
        (of("a"), Abstract(True, texts=None)),
        (of(3), Abstract(True, whole=ALL_WHOLE, real=ALL_REAL, nan=True)),
        (of(3.0), Abstract(True, whole=ALL_WHOLE, real=ALL_REAL, nan=True)),
        (of(nan), Abstract(True, whole=ALL_WHOLE, real=ALL_REAL, nan=True)),
        (Abstract(other=True), Abstract(True, other=True)),
    ],
)
def test_all_of_the_same_kinds(given: Abstract, expected: Abstract) -> None:
    assert of_its_kinds(given) == expected


@pytest.mark.parametrize(
    ("given", "hull", "numbers"),
    [
        (NOTHING, None, []),
        (of("a", nan), None, []),
        (of(3), (3.0, 3.0), [(3, 3)]),
        (of(True), (1.0, 1.0), [(1, 1)]),
        (of(True, False), (0.0, 1.0), [(0, 1)]),
        (of(False, 2, 7.5), (0.0, 7.5), [(0, 0), (2, 2), (7.5, 7.5)]),
        (of(True, -2, 0.5), (-2.0, 1.0), [(1, 1), (-2, -2), (0.5, 0.5)]),
    ],
)
def test_numbers(given: Abstract, hull: tuple[float, float] | None, numbers: list[object]) -> None:
    assert given.hull() == hull
    assert given.numbers() == numbers


@pytest.mark.parametrize(
    ("left", "right", "unit"),
    [
        (Abstract(whole=(1, 1), unit="s"), Abstract(whole=(1, 1), unit="s"), "s"),
        (Abstract(whole=(1, 1), unit="s"), Abstract(whole=(1, 1), unit="1"), "s"),
        (Abstract(whole=(1, 1), unit="1"), Abstract(real=(1.0, 1.0), unit="s"), "s"),
        (Abstract(whole=(1, 1), unit="s"), Abstract(whole=(1, 1), unit="MiB"), ""),
        (Abstract(whole=(1, 1), unit="s"), of("a"), "s"),
        (of(True), Abstract(nan=True, unit="s"), "s"),
        (of(True), of(UNDEFINED), ""),
    ],
)
def test_units_of_either(left: Abstract, right: Abstract, unit: str) -> None:
    assert join(left, right).unit == unit
    assert meet(left, right).unit == left.unit


@pytest.mark.parametrize(("left", "right"), [(True, False), (False, True), (False, False)])
def test_precision_of_either(left: bool, right: bool) -> None:
    one, other = Abstract(whole=(1, 1), single=left), Abstract(whole=(1, 1), single=right)
    assert join(one, other).single is (left or right)
    assert meet(one, other).single is left


@pytest.mark.parametrize(
    ("symbol", "outcome", "expected"),
    [
        ("==", True, of(3)), ("==", False, of(1, 5, nan)), ("!=", True, of(1, 5, nan)),
        ("!=", False, of(3)), ("<", True, of(1, 2)), ("<", False, of(3, 5, nan)),
        ("<=", True, of(1, 3)), ("<=", False, of(4, 5, nan)), (">", True, of(4, 5)),
        (">", False, of(1, 3, nan)), (">=", True, of(3, 5)), (">=", False, of(1, 2, nan)),
    ],
)  # fmt: skip
def test_what_a_number_is_where_it_was_compared(
    symbol: str, outcome: bool, expected: Abstract
) -> None:
    """What is not a number is unlike all, and neither less nor more."""
    assert compared(of(1, 5, nan), symbol, of(3), outcome) == expected


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">=", "==", "!="])
def test_no_integer_is_lost_where_a_comparison_rounds_it(symbol: str, sign: int) -> None:
    """Beyond 2**53 an integer may be equal to a real that it is not."""
    numbers = sorted(sign * (2**53 + near) for near in range(-4, 5))
    value = Abstract(whole=(numbers[0], numbers[-1]))
    for number, other in product(numbers, (*numbers, *map(float, numbers))):
        known = (
            Abstract(whole=(other, other))
            if isinstance(other, int)
            else Abstract(real=(other, other))
        )
        outcome = BINARY[symbol].implementation(number, other)
        kept = compared(value, symbol, known, outcome).whole
        assert kept is not None
        assert kept[0] <= number <= kept[1], (number, other)
