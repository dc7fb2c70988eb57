"""Every kind of value with every operator: both grains of the compiled form are the reference.

The questions are those of ``crossed``, which are put to tables as well.
"""

from __future__ import annotations

import math

import pytest

from classad import ClassAd, ExprTree, evaluate_many, match_many
from classad.binding.python_values import to_python
from classad.compiled.compiler import specialise
from classad.evaluate import evaluate_full
from fuzz.one_by_one import CONTEXT, accepts, number_of, shown
from tests.classad.crossed import TESTS, Answers, expressions, partners, rows

TEXTS = expressions()
ADS = rows()
PARTNERS = partners()
ANSWERS = Answers(ADS)
#: Rows of operators and conditions within each other, which are written as one function.
NESTED = tuple(
    text
    for number, a in enumerate(TESTS)
    for b, c in [(TESTS[(number * 3 + 1) % len(TESTS)], TESTS[(number * 5 + 2) % len(TESTS)])]
    for text in (
        f"{a} && {b} && {c}",
        f"{a} || {b} || {c} || I",
        f"({a} ?: {b}) ?: {c}",
        f"({a} ? {b} : {c}) ? I : S",
        f"ifThenElse({a}, {b} && {c}, {c} || {a}) is true",
        f"(({a}) + I) * 2 - (({b}) ?: 3)",
        f"!({a}) =!= ({b})",
        f"-I + ~I * (({c}) == 1)",
        f"({a} && {b}) == ({b} || {c})",
        f"{{{a}, {b}}}[0] is {c}",
    )
)


def values(text: str, partner: ClassAd | None, *, whole: bool) -> list[str]:
    tree = ExprTree(text)
    evaluate_full(tree, ADS[0], partner, context=CONTEXT)
    if whole:
        specialise(tree)
    return [shown(evaluate_full(tree, ad, partner, context=CONTEXT)[0]) for ad in ADS]


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True], ids=["pieces", "whole"])
def test_values(whole: bool) -> None:
    texts = [*TEXTS[whole::3], *NESTED[whole::2]]
    for turn, text in enumerate(texts):
        partner = PARTNERS[turn * 7 % len(PARTNERS)] if turn % 4 else None
        assert values(text, partner, whole=whole) == ANSWERS.texts(text, partner), text


def test_many_evaluations_at_once() -> None:
    for turn, text in enumerate([*TEXTS[2::9], *NESTED[::5]]):
        partner = PARTNERS[turn * 7 % len(PARTNERS)] if turn % 4 else None
        alone = [repr(to_python(value)) for value in ANSWERS.values(text, partner)]
        found = evaluate_many(text, ADS, partner, context=CONTEXT)
        assert list(map(repr, found)) == alone, text


def test_many_matches_at_once() -> None:
    for turn, text in enumerate(TEXTS[5::40]):
        slots = rows([{"Requirements": ExprTree(TESTS[turn % len(TESTS)])}])
        job = PARTNERS[turn * 3 % len(PARTNERS)].duplicate()
        job["Requirements"] = ExprTree(TESTS[turn * 7 % len(TESTS)])
        answers = Answers(slots)
        rank = [number_of(value) for value in answers.values(text, job, False)]
        both = [accepts(slot, job) and accepts(job, slot) for slot in slots]
        found = match_many(job, slots, rank=ExprTree(text), context=CONTEXT)
        assert list(map(bool, found.mask)) == both, text
        wanted = [each if yes else -math.inf for each, yes in zip(rank, both, strict=True)]
        assert list(map(repr, found.ranks)) == list(map(repr, wanted)), text
        assert found.matches() == [row for row, yes in enumerate(both) if yes]
