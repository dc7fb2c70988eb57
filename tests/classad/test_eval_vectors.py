"""The evaluator against the golden vectors: operators, scopes, limits, matching, coercions."""

from __future__ import annotations

from typing import Any

import pytest

from classad.evaluate import evaluate_attribute, evaluate_full
from classad.expr import ExprTree
from classad.flatten import flatten
from classad.match import half_match, symmetric_match
from classad.matchad import build_match_scopes
from classad.parser import parse_expression
from classad.references import external_references, internal_references
from classad.unparse import unparse
from tests.classad import golden

OPERATORS = [
    "op_arith", "op_comp", "op_equal", "op_logic", "op_bit", "op_subscript", "op_int", "op_real",
    "op_unary", "op_ternary", "op_select", "op_logic3",
]  # fmt: skip


@pytest.mark.parametrize("topic", OPERATORS)
def test_operators(topic: str) -> None:
    golden.check_values(topic)


@pytest.mark.parametrize("topic", ["scope", "chained", "strict"])
def test_scopes(topic: str) -> None:
    golden.check_values(topic)


def test_limits() -> None:
    golden.check_values("limits")


def test_random_expressions() -> None:
    golden.check_values("random")


def test_attributes_evaluated_directly() -> None:
    def run(case: dict[str, Any]) -> Any:
        ad = golden.ad_of(case["my"], case)
        assert ad is not None
        value, ok = evaluate_attribute(ad, case["attr"], None, golden.context_of(case))
        return golden.encode(value), ok

    golden.check("eval_attr", run, lambda case: (case["value"], case.get("eval_ok", True)))


def test_numbers_and_booleans_of_attributes() -> None:
    def run(case: dict[str, Any]) -> Any:
        ad = golden.ad_of(case["my"], case)
        assert ad is not None
        context = golden.context_of(case)
        number = ad.get_number(case["attr"], None, context)
        return (
            None if number is None else repr(float(number)),
            ad.get_bool(case["attr"], None, context),
        )

    golden.check("coerce", run, lambda case: (case["number"], case["bool"]))


def test_matching() -> None:
    def run(case: dict[str, Any]) -> Any:
        left, right = golden.ad_of(case["left"], case), golden.ad_of(case["right"], case)
        assert left is not None
        assert right is not None
        context = golden.context_of(case)
        return (
            symmetric_match(left, right, context),
            half_match(left, right, context),
            half_match(right, left, context),
        )

    golden.check(
        "match",
        run,
        lambda case: (
            case["symmetric"], case["right_matches_left"], case["left_matches_right"]
        ),
    )  # fmt: skip


def test_attributes_of_the_match_ad() -> None:
    def run(case: dict[str, Any]) -> Any:
        left, right = golden.ad_of(case["left"], case), golden.ad_of(case["right"], case)
        assert left is not None
        context = golden.context_of(case)
        found = {}
        for name in case["values"]:
            tree = ExprTree.from_node(parse_expression(f".{name}"))
            value, ok = evaluate_full(tree, left, right, context=context)
            found[name] = {**golden.encode(value), "ok": ok}
        return found

    golden.check("match", run, lambda case: case["values"])


def test_match_scopes_leave_the_ads_alone() -> None:
    left, right = golden.ad_of({"a": "1"}, {}), golden.ad_of({"b": "2"}, {})
    assert left is not None
    assert right is not None
    contexts = build_match_scopes(left, right)
    assert left._parent is None
    assert right._parent is None
    assert contexts[0]._parent is contexts[1]._parent


def _flattened(case: dict[str, Any], inline: bool) -> Any:
    ad = golden.ad_of(case["my"], case)
    assert ad is not None
    done = flatten(
        ad, golden.tree_of(case["expr"], case), inline=inline, context=golden.context_of(case)
    )
    if done.tree is not None:
        return {"ok": done.ok, "tree": unparse(done.tree)}
    return {"ok": done.ok, "value": golden.encode(done.value)}


def _without_print(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "unparsed"}


@pytest.mark.parametrize("form", ["flatten", "flatten_and_inline"])
def test_flattening(form: str) -> None:
    def run(case: dict[str, Any]) -> Any:
        return None if form not in case else _flattened(case, form != "flatten")

    golden.check(
        "flatten_refs", run, lambda case: None if form not in case else _without_print(case[form])
    )


@pytest.mark.parametrize("form", ["external", "external_full", "internal"])
def test_references(form: str) -> None:
    def run(case: dict[str, Any]) -> Any:
        ad = golden.ad_of(case["my"], case)
        assert ad is not None
        tree, context = golden.tree_of(case["expr"], case), golden.context_of(case)
        if form == "internal":
            found = internal_references(ad, tree, context=context)
        else:
            found = external_references(ad, tree, full_names=form != "external", context=context)
        return {"ok": found.ok, "names": sorted(found.names)}

    golden.check(
        "flatten_refs", run, lambda case: {**case[form], "names": sorted(case[form]["names"])}
    )
