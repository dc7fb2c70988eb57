"""Depth, work and Python's stack: what an evaluation may use up, and that it never crashes."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.errors import ClassAdEvaluationError
from classad.evaluate import EvalContext, evaluate, evaluate_full
from classad.language.rules import NEWEST
from classad.language.values import ERROR, UNDEFINED
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference
from tests.classad import golden


def ad(**attributes: str) -> ClassAd:
    made = golden.ad_of(attributes, {})
    assert made is not None
    return made


def chain(symbol: str, count: int) -> Node:
    node: Node = Literal(1)
    for _ in range(count):
        node = Binary(symbol, node, Literal(1))
    return node


@pytest.mark.slow
@pytest.mark.parametrize("symbol", ["+", "&&"])
def test_chains_of_a_hundred_thousand_terms_fail_without_recursion(symbol: str) -> None:
    tree = ExprTree.from_node(chain(symbol, 100_000))
    assert evaluate_full(tree) == (ERROR, False)
    with pytest.raises(ClassAdEvaluationError):
        tree.eval()


def test_depth_of_400_works_and_401_fails() -> None:
    assert evaluate_full(chain("+", 400)) == (401, True)
    assert evaluate_full(chain("+", 401)) == (ERROR, False)


def test_an_unused_deep_branch_does_no_harm() -> None:
    deep = Binary("||", Literal(True), chain("+", 500))
    assert evaluate_full(deep) == (True, True)


def reference_chain(count: int, form: str = "a{}") -> ClassAd:
    attributes = {f"a{i}": form.format(i + 1) for i in range(count - 1)}
    return ad(**attributes, **{f"a{count - 1}": "1"})


def test_long_chains_of_references() -> None:
    assert evaluate_full("a0", reference_chain(400)) == (1, True)
    assert evaluate_full("a0", reference_chain(401)) == (ERROR, False)


def test_failure_is_not_caught_by_is_error() -> None:
    assert evaluate_full("isError(a0)", reference_chain(500)) == (ERROR, False)
    assert evaluate_full("isError({a0}[0])", reference_chain(500)) == (True, True)


def test_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("evaluation", "compiled"):
        monkeypatch.setattr(f"classad.{module}.state.MAX_WORK", 100_000)
    doubling = ad(a0="1", **{f"a{i}": f"a{i - 1} + a{i - 1}" for i in range(1, 27)})
    for strict in (False, True):
        context = EvalContext(strict=strict, language=NEWEST._replace(most_work=100_000))
        assert evaluate_full("a26", doubling, context=context) == (ERROR, False)
        assert evaluate_full("a12", doubling, context=context) == (4096, True)


@pytest.mark.parametrize(
    ("text", "attributes", "value"),
    [
        ("l[0]", {"l": "{l[0]}"}, ERROR),
        ('MY["a"]', {"a": 'MY["a"]'}, ERROR),
        ('isUndefined(MY["b"])', {"b": 'isUndefined(MY["b"])'}, False),
        ("a", {"a": "a"}, UNDEFINED),
        ("a", {"a": "b + 1", "b": "a ?: 7"}, 8),
    ],
)
def test_cycles_end(text: str, attributes: dict[str, str], value: Any) -> None:
    assert evaluate(text, ad(**attributes)) == value


@pytest.mark.parametrize(
    ("mine", "other", "value"),
    [
        ({"x": "TARGET.x"}, {"x": "TARGET.x"}, UNDEFINED),
        ({"x": "TARGET.z", "z": "TARGET.x"}, {"x": "TARGET.z", "z": "x"}, UNDEFINED),
        ({"x": "TARGET.z", "z": "7"}, {"x": "TARGET.z", "z": "x"}, 7),
    ],
)
def test_an_expression_of_two_ads_may_be_under_way_in_each(
    mine: dict[str, str], other: dict[str, str], value: Any
) -> None:
    """The values are those of HTCondor's library."""
    shared = {text: ExprTree(text) for text in (*mine.values(), *other.values())}
    ads = [ClassAd({name: shared[text] for name, text in ad.items()}) for ad in (mine, other)]
    assert evaluate("x", *ads) == value


def test_members_of_a_list_from_a_subscript() -> None:
    outer = ad(x="[l = {[q = 4], 1}]")
    assert golden.encode(evaluate('x["l"].q', outer))["value"] == "{ 4,error }"
    assert golden.encode(evaluate('x["l"][0]', outer))["value"] == "[ q = 4 ]"


def test_evaluation_from_a_deep_stack() -> None:
    inside = reference_chain(150, "int(a{} + 0)")

    def deeper(levels: int) -> Any:
        return deeper(levels - 1) if levels else evaluate_full("a0", inside)

    limit = sys.getrecursionlimit()
    assert deeper(limit - 200) == (1, True)
    assert sys.getrecursionlimit() == limit


def test_nested_calls_beyond_any_stack_fail() -> None:
    node: Node = Literal(1)
    for _ in range(20_000):
        node = Call("int", (node,))
    value, ok = evaluate_full(ExprTree.from_node(node))
    assert (value, ok) in ((1, True), (ERROR, False))


def test_threads_share_ads() -> None:
    shared = reference_chain(390)
    failures: list[Any] = []

    def work() -> None:
        for _ in range(20):
            result = evaluate_full("a0", shared)
            if result != (1, True):
                failures.append(result)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_time_needs_a_clock() -> None:
    assert evaluate_full("time()") == (ERROR, False)
    assert evaluate("time()", context=EvalContext(now=12.5)) == 12
    assert evaluate("CurrentTime", context=EvalContext(now=12.5)) == 12


def test_random_numbers_come_from_the_seed() -> None:
    first, second = EvalContext(seed=7), EvalContext(seed=7)
    assert evaluate("random()", context=first) == evaluate("random()", context=second)


def test_an_ad_matched_with_itself_has_no_target() -> None:
    alone = ad(a="1", b="TARGET.a")
    assert evaluate("b", alone, alone) is UNDEFINED
    assert evaluate(Reference("b"), alone, ad(a="2")) == 2
