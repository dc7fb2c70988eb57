"""Every kind of node gives back the levels that it has used, and no more.

What is evaluated beside a deep expression takes nothing of its depth: after any piece, evaluated
before it at any level, exactly as many levels are left as without the piece.
"""

from __future__ import annotations

from random import Random

import pytest

from classad import ClassAd, EvalContext, ExprTree
from classad.evaluate import evaluate, evaluate_full
from classad.language.bounds import MAX_DEPTH
from fuzz.one_by_one import value_of
from tests.cases import every_case

AD = ClassAd(
    "[a = 1; b = a; c = b + a; round = round + 1; inner = [x = 1; y = x + a; deep = [z = y]];"
    ' l = {1, b, time(), ---time()}; e = error; u = undefined; s = "t";'
    " ads = {[x = 1; w = x], [x = b; w = time()]}; fails = ----time()]"
)
PARENT = ClassAd(
    "[p = q + 1; q = a; n = [x = q]; m = {[y = q], ---time(), b}; o = [y = {time()}[0]]]"
)
TARGET = ClassAd("[t = TARGET.b; r = t + TARGET.c]")
#: Expressions of every kind, with every outcome that makes the evaluator take another way.
PIECES = (
    "1", "b", "c", "p", "nosuch", "MY.c", "TARGET.r", "TARGET.nosuch", "inner.y", "inner.deep.z",
    "inner.nosuch", "e.x", "u.x", "s.x", "{[x = b]}.x", "ads.x", "n.x", "parent", "(1)", "((b))",
    "-b", "!d", "~1", "+u", "1 + b", "b - c", "e + 1", "true && b", "false && b", "e && b",
    "u && b",
    "s && b", "true || b", "false || b", "e || b", "u || b", "s || b", "b ?: 1", "u ?: b", "e ?: 1",
    "b =?= c", "u is e", "b < c", "b ? c : 1", "0 ? 1 : c", "u ? 1 : 2", "e ? 1 : 2", "s ? b : c",
    "l[0]", "l[1]", "l[2]", "l[3]", "l[9]", "l[s]", "e[0]", "{b, c}[1]", "inner[\"y\"]",
    "inner[\"nosuch\"]", '[z = c]["z"]', '[z = ---time()]["z"]', '[z = [y = b]]["z"]["y"]',
    "[z = c].z", "{----time()}[0]", "{{---time()}[0]}[0]", "round", "ifThenElse(true, b, c)",
    "ifThenElse(e, b, c)", "ifThenElse(u, b, c)", "ifThenElse(s, b, c)", "strcat(b, c)",
    "strcat(e, c)", "sum({b, c})", "max({b, c})", "member(1, {b, c})",
    "identicalMember(2, {b, ---b})",
    'anyCompare("<", {b, e, c}, 2)', 'allCompare("<", {b, e, c}, 2)', 'join(",", {b, c})',
    "size({b})", 'split("a b")[1]', "isUndefined(u)", "isError(l[2])", "isError({---time()}[0])",
    'eval("b + c")', 'eval("nosuch")', 'eval("[[")', "evalInEachContext(x + 1, ads)",
    "evalInEachContext(w, ads)", "countMatches(x > 0, ads)", "countMatches(w > 0, ads)",
    "unparse(b)", "unresolved(a + nosuch)", "debug(b)", 'stringListMember("a", "a b")',
    "interval(b)", "round(2.5)", "nosuch(b)", "sum(1, 2)", "{fails}[0]",
    "{c + fails}[0]", "evalInEachContext(fails, ads)", "evalInEachContext(b + time(), ads)", "o.y",
    'evalInEachContext(deep["z"], {inner})', 'inner["bad"]', "m[0].y", "m[1]", "m[2]", "o.y + p",
    'evalInEachContext([y = x]["y"], ads)', "{m[1]}[0]", '[z = m[1] + c]["z"]', "ads[1].x is error",
    'lctx', "LEFT.a", "other.t", "toplevel",
)  # fmt: skip


def _ad() -> ClassAd:
    ad = AD.duplicate()
    ad.chain(PARENT)
    return ad


def _deep(levels: int) -> str:
    return _under("1", levels)


def _under(text: str, levels: int) -> str:
    """An operand below so many operators."""
    return text + " + 0" * levels


def _beside(piece: str, levels: int) -> str:
    """A piece at the seventh level, evaluated before what needs more levels."""
    return f"!!!!!!!isError(strcat(isError({piece}), {_deep(levels)}))"


def _works(text: str, *, strict: bool = False) -> bool:
    context = EvalContext(strict=strict)
    return bool(evaluate_full(text, _ad(), TARGET, context=context)[1])


@pytest.mark.slow
@every_case("piece", PIECES)
def test_a_piece_takes_nothing_from_what_comes_after_it(piece: str) -> None:
    tree = ExprTree(_beside(piece, MAX_DEPTH - 7))
    assert value_of(tree, _ad(), TARGET, EvalContext()) == value_of(
        ExprTree(_beside("1", 1)), _ad(), TARGET, EvalContext()
    )
    assert _works(_beside(piece, MAX_DEPTH - 7))
    assert not _works(_beside(piece, MAX_DEPTH - 6))


#: What depends on where an evaluation is: around what, in which chained ad, and in what it is.
AFTER = (
    ".LEFT.a", "toplevel.RIGHT.t", "n.x", "p", "m[0].y", "inner.y", "inner.deep.z", 'inner["y"]',
    "isError({fails}[0])", "isError({c + fails}[0])", "TARGET.r", "[z = .LEFT.a + c].z", "c",
    "evalInEachContext(x + a, ads)[0]", "evalInEachContext(b + .x, {inner})[0]", "isError(m[1])",
    "isUndefined(round)", "countMatches(x + a > 1, ads)", "isError(o.y)", '[z = c]["z"]', "LEFT.a",
)  # fmt: skip


def _text_of(expression: str) -> str:
    value = value_of(ExprTree(expression), _ad(), TARGET, EvalContext())
    assert isinstance(value, str), (expression, value)
    return value


#: Behind a search for an attribute that is not here the evaluation goes on elsewhere, by D-304.
MOVES = ("evalInEachContext(w, ads)",)


@pytest.mark.slow
@every_case("piece", [piece for piece in PIECES if piece not in MOVES])
def test_a_piece_leaves_the_evaluation_where_it_was(piece: str) -> None:
    alone = _text_of(f"strcat(isError({piece}))")
    assert _text_of(f"strcat(isError({piece}), isError({piece}))") == 2 * alone
    for after in AFTER:
        wanted = alone + _text_of(f"strcat(({after}) ?: 0)")
        assert _text_of(f"strcat(isError({piece}), ({after}) ?: 0)") == wanted, after
        text = f"strcat(isError({piece}), ({after}) ?: 0)"
        assert evaluate(text, _ad(), TARGET, context=EvalContext()) == wanted, after


@pytest.mark.parametrize("piece", ["l[2]", "inner.y", "b", "u ?: b", "s ? b : c", "l[3]", "e && b"])
def test_it_is_so_in_strict_evaluation(piece: str) -> None:
    assert _works(_beside(piece, MAX_DEPTH - 7), strict=True)
    assert not _works(_beside(piece, MAX_DEPTH - 6), strict=True)


@pytest.mark.parametrize(
    "piece", ["b", "c", "inner.y", "(b ?: 1)", "l[1]", "TARGET.r", "l[2]", "p"]
)
def test_wide_expressions_need_no_depth_and_are_evaluated_once(piece: str) -> None:
    """Whoever runs out of levels starts over, and draws other numbers."""
    draws = []

    class Counting(Random):
        def random(self) -> float:
            draws.append(1)
            return 0.25

    context = EvalContext(rng=Counting())
    text = f"strcat(random(), {', '.join([f'isError({piece})'] * 450)})"
    value = evaluate(text, _ad(), TARGET, context=context)
    assert value.startswith("2.5")
    assert len(draws) == 1


@pytest.mark.parametrize("levels", [100, 390, 399])
def test_each_subscript_of_an_ad_counts_from_zero(levels: int) -> None:
    ad = ClassAd(f"[in = [deep = {_deep(levels)}]; two = [x = {_deep(levels - 5)}]]")
    text = _under('in["deep"]', 390)
    assert evaluate_full(text, ad) == (1, True)
    assert evaluate_full(f'strcat({text}, -in["deep"], !!two["x"], {_deep(400)})', ad)[1]
    assert not evaluate_full(f"strcat({text}, {_deep(401)})", ad)[1]


def test_a_subscript_that_goes_too_deep_is_an_error_and_nothing_is_lost() -> None:
    ad = ClassAd(f"[in = [deep = {_deep(401)}]; list = {{{_deep(401)}, 2}}]")
    many = ", ".join(['isError(in["deep"]), isError(list[0]), list[1]'] * 150)
    assert evaluate(f"strcat({many}, {_deep(400)})", ad) == "truetrue2" * 150 + "1"
    assert evaluate_full(_under("isError(list[0])", 100), ad)[1]


def test_a_chain_of_subscripts_has_an_end() -> None:
    """So many evaluations of ``ad["name"]`` may be under way; ending one makes room for another."""
    ad = ClassAd("[one = 1; in = [y = one * 1]]")
    many = " + ".join(['in["y"]'] * 30)
    assert evaluate(f"strcat({', '.join([many] * 20)})", ad) == "30" * 20
