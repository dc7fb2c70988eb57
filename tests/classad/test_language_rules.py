"""What expressions are by the rules of older versions, in every form of evaluation."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from classad import (
    ClassAd,
    EvalContext,
    ExprTree,
    Value,
    evaluate_many,
    evaluating,
    match_many,
    parseOld,
)
from classad.ads.ad import node_of_value
from classad.ads.expression import Expression, parsed
from classad.analysis.explain import explain
from classad.analysis.flatten import flatten
from classad.errors import ClassAdEvaluationError, ClassAdParseError
from classad.evaluate import evaluate, evaluate_attribute, evaluate_exactly, evaluate_full
from classad.formats.unparse import unparse
from classad.language.rules import BEFORE_24_0, BEFORE_25_13_2, NEWEST, LanguageRules, language_of
from classad.language.values import ERROR, UNDEFINED
from classad.match import half_match, symmetric_match
from classad.syntax.parser import parse_ad_prefix, parse_expression, regrouped
from classad.table import Table
from tests.cases import every_case

VERSIONS = Path(__file__).parents[1] / "vectors" / "versions" / "classad.json"
RECORD = json.loads(VERSIONS.read_text())
RECORDED = ("25.14.1", "25.0.13", "24.0.23", "23.9.6")
OLD, NEW = EvalContext(now=0, language=BEFORE_25_13_2), EvalContext(now=0)


def rules(version: str) -> LanguageRules:
    major, minor, patch = map(int, version.split("."))
    return language_of((major, minor, patch))


def shown(value: Any, ok: bool) -> str | None:
    """What the tool prints."""
    if not ok:
        return None
    return value if isinstance(value, str) else unparse(node_of_value(value))


@pytest.mark.slow
@pytest.mark.parametrize("version", RECORDED)
@every_case("case", RECORD["cases"], name=lambda case: case["expr"])
def test_recorded_expressions(case: dict[str, Any], version: str) -> None:
    """Of a name alone the tool evaluates the attribute, of all else the expression."""
    ad, text, language = parseOld(RECORD["ad"]), case["expr"], rules(version)
    context = EvalContext(now=0, language=language)
    wanted = case["results"][version]
    if ad.raw(text) is not None:
        assert shown(*evaluate_attribute(ad, text, context=context)) == wanted
        tree = ad.raw(text)
    else:
        tree = Expression.from_node(parsed(text, language=language))
        assert shown(*evaluate_full(tree, ad, context=context)) == wanted
    if tree.__class__ is Expression:
        assert shown(*evaluate_exactly(tree, ad, None, None, context)) == wanted


@pytest.mark.parametrize(
    ("version", "language"),
    [
        ((25, 14, 1), NEWEST), ((25, 13, 2), NEWEST), ((26, 0, 0), NEWEST),
        ((25, 13, 1), BEFORE_25_13_2), ((25, 0, 13), BEFORE_25_13_2),
        ((24, 0, 0), BEFORE_25_13_2), ((23, 10, 1), BEFORE_24_0), ((23, 9, 6), BEFORE_24_0),
    ],
)  # fmt: skip
def test_rules_of_a_version(version: tuple[int, int, int], language: LanguageRules) -> None:
    assert language_of(version) is language


def test_a_context_follows_the_newest_rules_unless_told() -> None:
    assert EvalContext().language is NEWEST


# --- references that lead to themselves ----------------------------------------------------------

CIRCLE = ClassAd("[A = A; B = C; C = B + 1; W = A || true; L = {1, A}; N = [x = A]]")
FAILING = [
    "A", "A || true", "isUndefined(A)", "isError(A)", "A ?: 1", "B", "W || true", "MY.A is error",
    "eval(\"A\")", "member(1, L)", "sum({A})", "N.x", "ifThenElse(isUndefined(A), 1, 2)",
]  # fmt: skip


@pytest.mark.parametrize("text", FAILING)
def test_following_a_circle_fails_as_a_whole_before_25_13_2(text: str) -> None:
    tree = ExprTree(text)
    assert evaluate_full(tree, CIRCLE, context=OLD) == (ERROR, False)
    assert evaluate_exactly(tree, CIRCLE, None, None, OLD) == (ERROR, False)
    assert evaluate_full(tree, CIRCLE, context=NEW)[1]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true || A", True), ("ifThenElse(true, 1, A)", 1), ("size({A})", 1), ("size(L)", 2),
        ("L[0]", 1), ("false && A", False), ("true ? 2 : A", 2), ("1 ?: A", 1),
    ],
)  # fmt: skip
def test_a_circle_that_is_not_followed_does_no_harm(text: str, value: Any) -> None:
    assert evaluate_full(text, CIRCLE, context=OLD) == (value, True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{A}[0]", "error"), ("isError({A}[0])", "true"), ('[x = A]["x"]', "error"),
        ("evalInEachContext(A, {[y = 1]})", "{ error }"), ("countMatches(A, {[y = 1]})", "0"),
        ("countMatches(true, A)", "error"),
    ],
)  # fmt: skip
def test_what_contains_a_failure_contains_that_of_a_circle(text: str, value: str) -> None:
    """As 23.9.6 answers."""
    for found in (
        evaluate_full(text, CIRCLE, context=OLD),
        evaluate_exactly(ExprTree(text), CIRCLE, None, None, OLD),
    ):
        assert shown(*found) == value


def test_a_circle_of_many_references_fails_at_once() -> None:
    """HTCondor would need twice the time for each level."""
    texts = {f"a{i}": f"a{(i + 1) % 60} + a{(i + 1) % 60}" for i in range(60)}
    forked = ClassAd({name: ExprTree(text) for name, text in texts.items()})
    contained = ClassAd({"a": ExprTree("size({a, {a}[0], {a}[0]}) + ({a}[0] ?: {a}[0])")})
    began = process_time()
    assert evaluate_full("a0", forked, context=OLD) == (ERROR, False)
    assert evaluate_exactly(ExprTree("a0"), forked, None, None, OLD) == (ERROR, False)
    assert evaluate("a", contained, context=OLD) is ERROR
    assert process_time() - began < 20


def test_a_match_fails_with_requirements_that_do() -> None:
    """Also where the circle leads through both ads."""
    slot = ClassAd("[X = TARGET.Y; Requirements = isUndefined(X) || true]")
    job = ClassAd("[Y = TARGET.X; Requirements = true]")
    assert symmetric_match(slot, job, NEW)
    assert not half_match(slot, job, OLD)
    assert half_match(job, slot, OLD)
    assert not symmetric_match(slot, job, OLD)
    assert match_many(job, [slot], context=OLD).matches() == []
    assert match_many(job, [slot], context=NEW).matches() == [0]


def test_a_rank_that_fails_counts_zero() -> None:
    slots = [ClassAd("[M = M; Requirements = true]"), ClassAd("[M = 2; Requirements = true]")]
    job = ClassAd("[Requirements = true; Rank = 5 + (TARGET.M ?: 1)]")
    for context, ranks in ((NEW, [6.0, 7.0]), (OLD, [0.0, 7.0])):
        assert list(match_many(job, slots, rank="Rank", context=context).ranks) == ranks
        assert Table(slots).rank(job, context=context).tolist() == ranks


def test_a_circle_through_a_chained_parent() -> None:
    parent, child = ClassAd({"A": ExprTree("B || true")}), ClassAd({"B": ExprTree("A")})
    child.chain(parent)
    assert evaluate_full("A", child, context=NEW) == (True, True)
    assert evaluate_full("A", child, context=OLD) == (ERROR, False)


FORMS = ["B", "C", "A", "A =?= undefined", "C ?: 3", "TARGET.X", "isUndefined(B) && C", "5"]
QUESTIONS = ["A =!= 5", "TARGET.A =?= undefined", "X =!= TARGET.C", "TARGET.B ?: TARGET.A"]
JOBS = [
    "[Requirements = TARGET.A =?= undefined]",
    '[X = 4; Requirements = TARGET.B =!= TARGET.C || versionle("1", "2")]',
    "[X = TARGET.A; Requirements = X =!= 5 && (TARGET.N is 1 || TARGET.A =!= 5)]",
    "[X = TARGET.B =?= undefined; Requirements = isUndefined(TARGET.A) || TARGET.C > 2]",
]


@pytest.mark.slow
def test_tables_follow_the_rules_of_each_question() -> None:
    """Also if questions by one version's rules come after those by another's."""
    rows = [
        ClassAd({"A": ExprTree(a), "B": ExprTree(b), "C": ExprTree(c), "N": number % 3,
                 "Requirements": ExprTree("A =!= N || N == 1")})
        for number, (a, b, c) in enumerate(itertools.product(FORMS, FORMS, FORMS[::3]))
    ]  # fmt: skip
    table = Table(rows)
    answers = []
    for context in (OLD, NEW, OLD):
        for text in JOBS:
            job = ClassAd(text)
            found = list(table.match(job, context=context))
            assert found == [
                row for row, ad in enumerate(rows) if symmetric_match(job, ad, context)
            ]
            answers.append(found)
            for question in QUESTIONS:
                codes, values = table.evaluate(question, job, row_is="target", context=context)
                assert [repr(values[code]) for code in codes] == [
                    repr(evaluate(question, job, ad, context=context)) for ad in rows
                ]
    first, second, third = (answers[at : at + len(JOBS)] for at in range(0, len(answers), 4))
    assert first == third != second


def test_an_explanation_says_that_a_circle_ends_the_evaluation() -> None:
    found = explain("A || true", CIRCLE, context=OLD)
    assert not found.ok
    assert "an attribute refers to itself" in str(found)


def test_python_evaluates_by_the_rules_of_its_context() -> None:
    assert evaluate_many("isUndefined(A)", [CIRCLE, ClassAd()], context=NEW) == [True, True]
    assert evaluate_many("isUndefined(A)", [CIRCLE, ClassAd()], context=OLD) == [Value.Error, True]
    with pytest.raises(ClassAdEvaluationError):
        ExprTree("A || true").eval(CIRCLE, context=OLD)
    assert ExprTree("A || true").eval(CIRCLE, context=NEW) is True
    assert ExprTree("A").eval(CIRCLE, context=NEW) is Value.Undefined


# --- names of functions --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["versionLT", "versionLE", "versionGT", "versionGE", "versionEQ"])
def test_older_versions_know_functions_of_versions_as_documented_only(name: str) -> None:
    for spelled in (name, name.lower(), name.upper()):
        tree = ExprTree(f'isError({spelled}("1", "1"))')
        assert evaluate(tree, context=NEW) is False
        for found in (
            evaluate(tree, context=OLD),
            evaluate_exactly(tree, ClassAd(), None, None, OLD)[0],
        ):
            assert found is (spelled != name)


def test_other_functions_are_known_in_any_case() -> None:
    assert evaluate('VERSIONCMP("1", "2")', context=OLD) == -1
    assert evaluate('Version_In_Range("1.2", "1.0", "2.0")', context=OLD) is True
    assert evaluate("ISUNDEFINED(x)", context=OLD) is True
    assert evaluate("x", context=OLD) is UNDEFINED


# --- limits --------------------------------------------------------------------------------------

#: What is recorded of each limit -> an expression of that many, and the ad it is evaluated in.
NESTED: dict[str, Callable[[int], str]] = {
    "terms in 1 + 1 + ...": lambda n: " + ".join("1" * n),
    "true behind n signs !": lambda n: "!" * n + "true",
    "false || ... || true, n false": lambda n: "false || " * n + "true",
    "undefined ?: ... ?: 7, n times": lambda n: "undefined ?: " * n + "7",
    "false ? 0 : ... 7, n times": lambda n: "false ? 0 : " * n + "7",
    "parentheses around 1": lambda n: "(" * n + "1" + ")" * n,
    "braces around 1": lambda n: "{" * n + "1" + "}" * n,
    'strcat("a", ... nested': lambda n: 'strcat("a", ' * n + '"b"' + ")" * n,
    "A1 = A0, A2 = A1, ...": lambda n: f"A{n - 1}",
}
CHAIN = ClassAd({"A0": 1, **{f"A{i}": ExprTree(f"A{i - 1}") for i in range(1, 500)}})


def has_value(text: str, language: LanguageRules) -> bool:
    """Whether a text can be read and evaluated by some rules."""
    try:
        tree = Expression.from_node(parse_expression(text, language=language))
    except ClassAdParseError:
        return False
    return evaluate_full(tree, CHAIN, context=EvalContext(language=language))[1]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["25.14.1", "25.0.13", "23.9.6"])
@pytest.mark.parametrize("limit", RECORD["limits"][:9], ids=lambda limit: limit["what"])
def test_recorded_limits(limit: dict[str, Any], version: str) -> None:
    text, most = NESTED[limit["what"]], limit[version]
    if most == ">=4000":
        assert has_value(text(4000), rules(version))
    else:
        assert has_value(text(most), rules(version))
        assert not has_value(text(most + 1), rules(version))


def test_a_text_that_is_nested_too_deeply_is_told_the_limit_of_its_rules() -> None:
    with pytest.raises(ClassAdParseError) as problem:
        parse_expression("(" * 1000 + "1" + ")" * 1000, language=BEFORE_25_13_2)
    assert problem.value.diagnostic is not None
    assert "HTCondor reads 1000 levels" in str(problem.value.diagnostic.help)


def test_rows_beyond_any_stack_fail() -> None:
    tree = Expression.from_node(parse_expression("true && " * 10_000 + "true"))
    assert evaluate_full(tree, context=OLD) == (ERROR, False)


def test_the_bound_on_work_is_that_of_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("evaluation", "compiled"):
        monkeypatch.setattr(f"classad.{module}.state.MAX_WORK", 1000)
    texts = {f"A{i}": ExprTree(f"A{i - 1} + A{i - 1}") for i in range(1, 30)}
    doubling = ClassAd({"A0": 1, **texts})
    for most, deepest in ((1000, 8), (4000, 10)):
        context = EvalContext(language=BEFORE_25_13_2._replace(most_work=most))
        assert evaluate_full(f"A{deepest}", doubling, context=context) == (2**deepest, True)
        assert evaluate_full(f"A{deepest + 1}", doubling, context=context) == (ERROR, False)
    assert BEFORE_25_13_2.most_work > NEWEST.most_work


# --- `? :` ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "older"),
    [
        ("false || U ? : 7", "(false || U) ?: 7"),
        ("1 + U ? : 7 + 1", "(1 + U) ?: (7 + 1)"),
        ("f({-a ? : b, c ? d : e ? : g})", "f({ ( -a) ?: b,c ? d : e ?: g })"),
        ("a ?\t: b ? : c", "a ?: (b ?: c)"),
        ("a ?: b", "a ?: b"),
        ("a ? b : c", "a ? b : c"),
    ],
)
def test_a_conditional_without_a_middle_binds_weakest(text: str, older: str) -> None:
    """What it is read to means the same by all rules; it can also be made of the newest tree."""
    tree = parse_expression(text, language=BEFORE_25_13_2)
    assert unparse(tree) == older
    assert unparse(regrouped(parse_expression(text), BEFORE_25_13_2)) == older
    assert regrouped(tree, BEFORE_25_13_2) is tree
    newest = parse_expression(text)
    assert regrouped(newest, NEWEST) is newest


def test_whole_ads_and_texts_given_to_python_are_read_by_the_rules() -> None:
    text = "[U = undefined; x = 1 + U ? : 7]"
    assert parse_ad_prefix(text)[0] != parse_ad_prefix(text, language=BEFORE_25_13_2)[0]
    with evaluating(language=BEFORE_25_13_2):
        assert ClassAd(text).eval("x") == 7
        assert ExprTree("1 + U ? : 7").eval() == 7
    assert ClassAd(text).eval("x") == 8
    assert evaluate("1 + U ? : 7", context=OLD) == 7
    assert flatten(ClassAd(), "1 + U ? : 7", context=OLD).tree == parse_expression("(1 + U) ?: 7")


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("Site ?: 1", "error", '"north"'),
        ("Zero ?: 7", "7", "0"),
        ("No ?: X", "X", "false ?: X"),
        ("Nothing ?: Site", 'Nothing ?: "north"', '"north"'),
        ("X ?: Zero", "X ?: 0", "X ?: 0"),
        ("X && (Eight ?: 0) > 4", None, "X"),
        ("X ?: (Eight ?: 0)", None, "X ?: 8"),
    ],
)
def test_elvis_was_flattened_as_a_conditional_without_a_middle(
    text: str, old: str | None, new: str
) -> None:
    """The middle would be chosen where the left operand is true: there flattening fails."""
    ad = ClassAd('[Site = "north"; Zero = 0; No = false; Nothing = undefined; Eight = 8]')
    for context, left in ((OLD, old), (NEW, new)):
        flat = flatten(ad, text, inline=True, context=context)
        assert flat.ok == (left is not None)
        if left is not None:
            assert unparse(flat.tree or node_of_value(flat.value)) == left
