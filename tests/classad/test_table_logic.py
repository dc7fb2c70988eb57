"""Logic over whole tables: every outcome of every operand, in rows of several groups.

The rows have all combinations of what three attributes can count as in logic, some of them as
expressions that differ from row to row.  An error on the left of an operator is not undefined, and
shows in what is built on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import product
from random import Random
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree, Rows, Table, Value
from classad.match import half_match, symmetric_match
from fuzz.one_by_one import CONTEXT, accepts, holds
from fuzz.thresholds import few_are_many

#: True, false, undefined, error and what counts as one of these.
OUTCOMES: tuple[Any, ...] = (True, False, Value.Undefined, Value.Error, 1, 0, 2.5, "no", None)
#: The same as expressions.
EXPRESSIONS = ("A >= 0", "A < 0", "Nothing", "A / 0", "TARGET.X > A", "Q", "unparse(A) is error")


def rows() -> list[ClassAd]:
    """All combinations; A and B tell rows apart that are alike otherwise."""
    found = []
    for number, (p, q) in enumerate(product(OUTCOMES, OUTCOMES)):
        for other in range(2):
            ad = ClassAd({"A": number % 17, "B": number % 13 + other / 2})
            o = OUTCOMES[(number * 5 + other * 2) % len(OUTCOMES)]
            e = EXPRESSIONS[(number + other * 3) % 6]
            for name, value in (("P", p), ("Q", q), ("O", o), ("E", ExprTree(e))):
                if value is not None:
                    ad[name] = value
            found.append(ad)
    return found


ROWS = rows()
#: With rows that have to be asked one by one.
MORE = [*rows(), *(ClassAd({"A": n, "B": 1, "E": ExprTree(EXPRESSIONS[6])}) for n in range(6))]
JOB = ClassAd("[X = 8; Y = true]")


def basic() -> Iterator[str]:
    """Each operator, and what can be seen of its outcome."""
    pairs = [f"({x} {op} {y})" for op in ("&&", "||") for x, y in ("PQ", "QE", "EO", "EP")]
    threes = ["(P ? Q : O)", "(E ? P : Q)", "(P ? E : O)", "ifThenElse(P, Q, E)", "(Q ? O : E)"]
    for text in (*pairs, *threes, "!P", "!E", "(P ?: Q)"):
        yield text
        yield f"!{text}"
        yield f"({text} || (A * B >= 0))"
        yield f"((A * B < 0) || {text}) || (B + A >= 0)"
        yield f"({text} ? A * B >= 0 : A + B >= 0)"
        yield f"(A * B >= 0 ? {text} : P) || (A * B >= 0)"
        yield f"(A * B < 0 ? P : {text}) || (A * B >= 0)"
        yield f"({text} ? A * B < 0 : P && Q) || (A * B >= 0)"


def test_what_each_operator_tells() -> None:
    table = Table(ROWS)
    for text in basic():
        tree = ExprTree(text)
        wanted = [row for row, ad in enumerate(ROWS) if holds(tree, ad, JOB)]
        assert list(table.select(tree, JOB, context=CONTEXT)) == wanted, text


@pytest.fixture
def sizes(seed: int) -> Iterator[None]:
    """For every other seed few rows and combinations count as many."""
    with few_are_many() if seed % 2 else nullcontext():
        yield


def _random(rng: Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(("P", "Q", "O", "E", "A * B > X", "TARGET.Y", 'strcat(A, B) > "7"'))
    parts = [_random(rng, depth - 1) for _ in range(3)]
    form = rng.choice(("({} && {})", "({} || {})", "!({})", "({} ? {} : {})", "({} && {})"))
    return form.format(*parts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("sizes")
def test_random_logic(seed: int) -> None:
    rng = Random(seed)
    ads = MORE if seed % 3 == 2 else ROWS
    table = Table(ads)
    for _ in range(12):
        tree = ExprTree(_random(rng, 3))
        right = {row for row, ad in enumerate(ads) if holds(tree, ad, JOB)}
        some = sorted(rng.sample(range(len(ads)), 50))
        found = table.select(tree, JOB, within=Rows.of(len(ads), some), context=CONTEXT)
        assert list(found) == [row for row in some if row in right], str(tree)
        assert set(table.select(tree, JOB, context=CONTEXT)) == right, str(tree)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 24))
@pytest.mark.usefixtures("sizes")
def test_random_requirements(seed: int) -> None:
    """Conjuncts that leave ever fewer rows to those that cost more, for jobs that share some."""
    rng = Random(seed)
    ads = MORE if seed % 3 == 2 else ROWS
    parts = [_random(rng, 2) for _ in range(4)]
    parts += ['strcat(TARGET.A, "-", TARGET.B) != "3-4"', "TARGET.A > N", "TARGET.B < N || P"]
    parts += ["size(strcat(TARGET.A, TARGET.P)) < 6", "TARGET.A * TARGET.B > N * 3"]
    table = Table(ads)
    for _ in range(14):
        chosen = rng.sample(parts, rng.choice((1, 2, 3)))
        job = ClassAd({"X": 8, "Y": True, "N": rng.randrange(9)})
        job["Requirements"] = ExprTree(" && ".join(f"({part})" for part in chosen))
        right = {row for row, ad in enumerate(ads) if accepts(job, ad)}
        some = sorted(rng.sample(range(len(ads)), rng.choice((3, 30, 120))))
        within = Rows.of(len(ads), some)
        found = table.accepted_by(job, within=within, context=CONTEXT)
        assert list(found) == [row for row in some if row in right], str(job)
        assert set(table.accepted_by(job, context=CONTEXT)) == right, str(job)


@pytest.mark.parametrize("make", [lambda n: {"p": n}, lambda n: [n], lambda n: [n, {"p": n}]])
@pytest.mark.parametrize("count", [3, 9, 12, 20])
def test_lists_and_ads_that_some_rows_lack(make: Callable[[int], Any], count: int) -> None:
    ads = [
        ClassAd({"N": make(number % count)} if number % 3 else {}) for number in range(3 * count)
    ]
    ads += [ClassAd({"N": value}) for value in (Value.Undefined, Value.Error, "x", 5, 5.0)]
    table, job = Table(ads), ClassAd({"L": [1], "X": 5})
    for text in ("N is {}", "N isnt {}", "N == {}", "{} is N", "!(N isnt {})", "N != {}"):
        for other in ("undefined", "error", '"X"', "5", "TARGET.No", "TARGET.L", "TARGET.X"):
            tree = ExprTree(text.format(other))
            wanted = [row for row, ad in enumerate(ads) if holds(tree, ad, job)]
            assert list(table.select(tree, job, context=CONTEXT)) == wanted, str(tree)
    job = ClassAd({"Requirements": ExprTree("TARGET.N is undefined")})
    wanted = [row for row, ad in enumerate(ads) if accepts(job, ad)]
    assert list(table.accepted_by(job, context=CONTEXT)) == wanted


# ---- chance --------------------------------------------------------------------------------------

CHANCE = (
    "random() < 0.5 && TARGET.X > A", "TARGET.X > A && random(10) > 4", "true", "TARGET.Y",
    "debug(TARGET.Y) && TARGET.X > A", "A > 6 || random() < 0.3", "Start && TARGET.X > A",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_random_numbers_are_drawn_row_by_row(seed: int) -> None:
    rng = Random(seed)
    texts = rng.sample(CHANCE, 4) if seed else CHANCE[2:5]
    ads = [ClassAd({"A": n % 9, "B": n % 5}) for n in range(40)]
    for ad in ads:
        ad["Requirements"] = ExprTree(rng.choice(texts))
        ad["Start"] = ExprTree(rng.choice(("random(3) > 0", "A < 5", "TARGET.Y")))
    table = Table(ads)
    for wanted in ("true", "TARGET.A > 2 && random() > 0.2", "TARGET.B > 1", "TARGET.Start"):
        job = ClassAd({"X": 6, "Y": True, "Requirements": ExprTree(wanted)})
        context, other = EvalContext(now=5, seed=seed), EvalContext(now=5, seed=seed)
        for _ in range(3):
            right = [row for row, ad in enumerate(ads) if symmetric_match(job, ad, other)]
            assert list(table.match(job, context=context)) == right
            right = [row for row, ad in enumerate(ads) if half_match(ad, job, other)]
            assert list(table.accepting(job, context=context)) == right
            right = [row for row, ad in enumerate(ads) if half_match(job, ad, other)]
            assert list(table.accepted_by(job, context=context)) == right
