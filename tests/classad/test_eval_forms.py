"""Recorded cases give the recorded values in both evaluators."""

from __future__ import annotations

from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree
from classad.compiled.compiler import compile_tree, specialise
from classad.errors import ClassAdParseError
from classad.evaluate import evaluate_exactly, evaluate_full
from classad.formats.unparse import unparse_value
from fuzz.one_by_one import shown
from tests.classad import golden

#: Topics with how many cases are passed over: each is evaluated in full elsewhere.
TOPICS = {
    "op_arith": 4, "op_comp": 4, "op_equal": 4, "op_logic": 4, "op_ternary": 1, "op_unary": 1,
    "op_logic3": 1, "scope": 8, "chained": 1, "fn_good": 2, "random": 3,
    "in_each": 1, "nested": 3, "op_mixed": 10, "calls": 12,
}  # fmt: skip


def _inputs(case: dict[str, Any]) -> tuple[ExprTree, Any, Any] | None:
    try:
        tree = golden.tree_of(case["expr"], case)
    except ClassAdParseError:
        return None
    my = golden.ad_of(case.get("my") or {}, case)
    assert my is not None
    if case.get("chained_parent"):
        my.chain(golden.ad_of(case["chained_parent"], case))
    return tree, my, golden.ad_of(case.get("target"), case)


def _generated(tree: ExprTree, *ads: Any) -> None:
    """Have an expression and all attribute expressions of some ads in their generated form."""
    for ad in ads:
        for value in ad._attrs.values() if ad is not None else ():
            if isinstance(value, ExprTree):
                compile_tree(value)
                specialise(value)
    compile_tree(tree)
    specialise(tree)


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_generated_form_gives_the_recorded_values(topic: str) -> None:
    def run(case: dict[str, Any]) -> Any:
        inputs = _inputs(case)
        if inputs is None:
            return golden.PARSE_ERROR, True
        _generated(*inputs)
        tree, my, target = inputs
        value, ok = evaluate_full(tree, my, target, context=golden.context_of(case))
        return golden.encode(value), ok

    every = TOPICS[topic]
    golden.check(topic, run, lambda case: (case["value"], case.get("eval_ok", True)), every)


@pytest.mark.parametrize(
    ("topic", "every"),
    [("scope", 4), ("random", 4), ("in_each", 1), ("nested", 1), ("op_mixed", 4), ("calls", 4)],
)
def test_reference_evaluator_gives_the_recorded_values(topic: str, every: int) -> None:
    def run(case: dict[str, Any]) -> Any:
        inputs = _inputs(case)
        if inputs is None:
            return golden.PARSE_ERROR, True
        tree, my, target = inputs
        left = None if target is None else my
        value, ok = evaluate_exactly(tree, my, left, target, golden.context_of(case))
        return golden.encode(value), ok

    golden.check(topic, run, lambda case: (case["value"], case.get("eval_ok", True)), every)


def test_an_expression_becomes_generated_when_hot() -> None:
    tree = ExprTree("1 + a * 2 - b")
    ad = golden.ad_of({"a": "3", "b": "x", "x": "4"}, {})
    values = {tree.eval(ad) for _ in range(1200)}
    assert values == {3}
    assert tree.run is not tree.mark


@pytest.mark.parametrize(
    "text",
    [
        "{{A}, 1}[0][0]", "{{{A}}, {B}}[0][0][0]", "{{[x = A]}, 1}[0][0].x", "{{A}, {B}}[1][0]",
        "TARGET.CurrentTime", "MY.CurrentTime", "TARGET.self.A", "MY.self.A", "TARGET.MY.A",
        "TARGET.TARGET.A", "MY.TARGET.A", "TARGET.parent.A", "MY.parent.A", "TARGET.toplevel.A",
        "MY.root.A",
    ],
)  # fmt: skip
def test_names_that_lead_elsewhere_and_lists_in_lists_are_the_ads_own(text: str) -> None:
    """One expression evaluated in one ad after another, as operations and as a whole."""
    pairs = [
        (ClassAd(f"[A = {n}; B = {{A}}]"), ClassAd(f"[A = {n * 10}; C = A]")) for n in (1, 2, 3)
    ]
    context = EvalContext(now=1_700_000_000)
    for whole in (False, True):
        tree = ExprTree(text)
        if whole:
            _generated(tree)
        for my, target in pairs:
            for other in (target, None):
                left = None if other is None else my
                wanted, _ = evaluate_exactly(ExprTree(text), my, left, other, context)
                found, _ = evaluate_full(tree, my, other, context=context)
                assert shown(found) == shown(wanted)


@pytest.mark.parametrize(
    ("index", "value"),
    [(0, "7"), (2**32, "7"), (2**32 + 1, "8"), (-(2**32), "7"), (2, "error"), (-1, "error"),
     (2**31, "error"), (2**32 + 2, "error")],
)  # fmt: skip
def test_a_subscript_is_an_integer_of_32_bits(index: int, value: str) -> None:
    found = evaluate_full(ExprTree(f"{{7, 8}}[{index}]"))[0]
    assert unparse_value(found) == value
