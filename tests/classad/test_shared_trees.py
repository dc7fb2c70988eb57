"""Ads that hold the same expression objects, as ads of one file do: each use is of its own ad."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext, evaluate_exactly, evaluate_full
from classad.strategies import ads, expressions
from fuzz.language import same_value, written_whole
from tests.cases import every_case

CONTEXT = EvalContext(now=1_700_000_000.0, seed=1)
#: What the attributes of both ads are; each leads to the other ad and back.
SHARED = (
    "ifThenElse(isUndefined(TARGET.{0}), MY.{0}, 1)",
    "TARGET.{0} =?= undefined ? {0} : TARGET.{1}",
    "(TARGET.{1} ?: 2) + (MY.{1} ?: 3) + (TARGET.{0} ?: 5)",
    "[ {0} = TARGET.{1}; z = {0} ].z ?: MY.{1}",
    "{{ TARGET.{0}, MY.{0}, {1} }}[1] ?: TARGET.{1}",
)


def check(text: str, my: ClassAd, target: ClassAd | None) -> None:
    """Both grains of the compiled form, asked twice, and the reference evaluator."""
    left = None if target is None else my
    wanted = evaluate_exactly(ExprTree(text), my, left, target, CONTEXT)
    for whole in (False, True):
        tree = ExprTree(text)
        if whole and not written_whole(tree):
            continue
        for _ in range(2):
            found = evaluate_full(tree, my, target, context=CONTEXT)
            same_value(wanted, found, (text, str(my), str(target), whole))


def chained(child: ClassAd, parent: ClassAd) -> ClassAd:
    child.chain(parent)
    return child


@every_case("first, second", list(product(SHARED, repeat=2)))
def test_an_expression_under_way_in_one_ad_is_evaluated_in_another_one(
    first: str, second: str
) -> None:
    one = ClassAd()
    one["a"], one["b"] = ExprTree(first.format("a", "b")), ExprTree(second.format("b", "a"))
    other, third = one.duplicate(), one.duplicate()
    assert other.raw("a") is one.raw("a")
    del third["b"]
    for text in ("a", "b", "TARGET.a", "a + TARGET.b", "{ a, b, a }[2]", "MY.b ?: TARGET.b"):
        check(text, one, other)
        check(text, one, third)
        check(text, one, None)
        check(text, chained(third.duplicate(), one), other)
        check(text, chained(third.duplicate(), other), one)


@settings(max_examples=60)
@given(ads(), expressions())
def test_any_ad_and_its_copy(text: str, expression: str) -> None:
    ad = ClassAd(text)
    check(expression, ad, ad.duplicate())
    check(expression, chained(ClassAd({"Other": 1}), ad), ad.duplicate())
