"""Recorded cases give the recorded values in both evaluators."""

from __future__ import annotations

from typing import Any

import pytest

from classad import ExprTree
from classad.compiled.compiler import compile_tree, specialise
from classad.errors import ClassAdParseError
from classad.evaluate import evaluate_exactly, evaluate_full
from tests.classad import golden

#: Topics with how many cases are passed over: each is evaluated in full elsewhere.
TOPICS = {
    "op_arith": 4, "op_comp": 4, "op_equal": 4, "op_logic": 4, "op_ternary": 1, "op_unary": 1,
    "op_logic3": 1, "scope": 8, "chained": 1, "fn_good": 2, "random": 3,
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


@pytest.mark.parametrize("topic", ["scope", "random"])
def test_reference_evaluator_gives_the_recorded_values(topic: str) -> None:
    def run(case: dict[str, Any]) -> Any:
        inputs = _inputs(case)
        if inputs is None:
            return golden.PARSE_ERROR, True
        tree, my, target = inputs
        left = None if target is None else my
        value, ok = evaluate_exactly(tree, my, left, target, golden.context_of(case))
        return golden.encode(value), ok

    golden.check(topic, run, lambda case: (case["value"], case.get("eval_ok", True)), 4)


def test_an_expression_becomes_generated_when_hot() -> None:
    tree = ExprTree("1 + a * 2 - b")
    ad = golden.ad_of({"a": "3", "b": "x", "x": "4"}, {})
    values = {tree.eval(ad) for _ in range(1200)}
    assert values == {3}
    assert tree.run is not tree.mark
