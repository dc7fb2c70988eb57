"""Rules of evaluation, printing and trees that are needed at their corners only."""

from __future__ import annotations

from typing import Any

import pytest

import classad.analysis.explain as observer
from classad import ClassAd, ExprTree
from classad.analysis.explain import explain
from classad.errors import ClassAdValueError
from classad.evaluate import evaluate, evaluate_full
from classad.formats.autoformat import attribute_of
from classad.formats.long import format_long
from classad.language.bounds import MAX_RESTARTS
from classad.language.values import ERROR, UNDEFINED
from classad.syntax.parser import parse_expression


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (".a", 1),
        ("root.a", 1),
        ("toplevel.a", 1),
        ("parent.a", 2),
        ("a", 3),
        ("parent.parent.a", 1),
    ],
)
def test_what_is_outermost_around_a_nested_ad(text: str, value: int) -> None:
    ad: Any = ClassAd("[a = 1; n = [a = 2; m = [a = 3]]]")
    inner = ad.raw("n").raw("m")
    assert evaluate(text, inner) == value
    assert ExprTree(text).eval(inner) == value


@pytest.mark.parametrize(
    ("selector", "value", "ok"),
    [
        ('"s"', ERROR, False), ("{1}", ERROR, False), ("[a = 1]", ERROR, False),
        ("error", True, True), ("1 / 0", True, True), ("undefined", False, True),
        ("true", ERROR, False), ("false", False, True), ("0", False, True), ("2.5", ERROR, False),
    ],
)  # fmt: skip
def test_no_condition_evaluates_both_branches(selector: str, value: object, ok: bool) -> None:
    """One of which may fail the evaluation as a whole."""
    for text in (f"isError({selector} ? random(0) : 1)", "isError(c ? random(0) : 1)"):
        assert evaluate_full(text, ClassAd(f"[c = {selector}]")) == (value, ok)


def test_attributes_asked_for_by_subscript_end_somewhere() -> None:
    """Each has a depth of its own, so that their number is limited."""
    for count, value in ((MAX_RESTARTS + 1, 7), (MAX_RESTARTS + 2, ERROR)):
        ad = ClassAd({f"a{number}": ExprTree(f'self["a{number + 1}"]') for number in range(count)})
        ad[f"a{count}"] = 7
        ad[f"a{count - 1}"] = ExprTree(f'(self["a{count}"] + 0)')
        assert evaluate("a0", ad) == value, count


def test_what_is_recorded_for_an_explanation_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    ad = ClassAd("[a = 1]")
    monkeypatch.setattr(observer, "MAX_RECORDS", 10)
    wide = "{" + ", ".join(["a + 1"] * 9) + "}[8] + " + " + ".join(["a"] * 9)
    told = [it.outcome for it in explain(wide, ad).walk()]
    assert (told.count("evaluated"), "not shown" in told) == (10, True)
    monkeypatch.setattr(observer, "MAX_RECORDS", 1000)
    monkeypatch.setattr(observer, "MAX_NESTING", 4)
    told = [it.outcome for it in explain("((((((a))))))", ad).walk()]
    assert (told.count("evaluated"), told.count("not shown")) == (4, 1)


@pytest.mark.parametrize(
    ("text", "name"),
    [("a", "a"), ("'x y'", "x y"), (".a", None), ("a.b", None), ("MY.a", None), ("1", None),
     ("a + 1", None), ("(a)", None), ("f()", None), ("{a}", None)],
)  # fmt: skip
def test_which_expression_is_nothing_but_a_name(text: str, name: str | None) -> None:
    assert attribute_of(ExprTree(text)) == name


@pytest.mark.parametrize("name", ["a=b", "a\nb", " a", "a ", "\ta", "a\v", "#a", "\na"])
def test_names_that_the_long_form_cannot_hold_are_refused(name: str) -> None:
    ad = ClassAd()
    ad.insert(name, 1)
    with pytest.raises(ClassAdValueError, match="cannot be written in the long form"):
        format_long(ad, quoted=False)
    assert "= 1\n" in format_long(ad)


@pytest.mark.parametrize("name", ["a", "a b", "a#", "'a'", "1", "\u00e9", "a.b", "a\tb"])
def test_names_that_the_long_form_holds_are_written_as_they_are(name: str) -> None:
    ad = ClassAd()
    ad.insert(name, 1)
    assert format_long(ad, quoted=False) == f"{name} = 1\n"


def test_trees_are_equal_to_the_bit_and_ads_but_for_tiny_reals() -> None:
    assert parse_expression("1e-300") != parse_expression("2e-300")
    assert parse_expression("a + 1e-300") != parse_expression("a + 2e-300")
    assert ClassAd("[a = 1e-300]") == ClassAd("[a = 2e-300]")
    assert ClassAd("[a = 1e-15]") != ClassAd("[a = 2e-15]")
    assert ClassAd("[a = 1.0]") != ClassAd("[a = 1]")


def test_what_is_not_there_has_no_outermost_ad() -> None:
    assert evaluate(".nosuch", ClassAd("[n = [nosuch = 1]]")) is UNDEFINED


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{relTime("5"), 3}[0] =?= 5.0', True),
        ('{relTime("5")}[0] is relTime("5")', True),
        ('sum({relTime("5"), 3})', 8.0),
        ('member(5.0, {relTime("5"), 2})', True),
    ],
)
def test_a_span_in_a_list_is_worth_its_seconds(text: str, value: object) -> None:
    assert ExprTree(text).eval() == value
    assert evaluate(text) == value
