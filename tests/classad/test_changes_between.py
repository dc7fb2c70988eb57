"""The places where an expression is another by the rules of another version."""

from __future__ import annotations

import pytest

from classad.analysis.changes import Change, What, changes_between
from classad.evaluate import EvalContext, evaluate
from classad.language.rules import BEFORE_25_13_2, NEWEST
from classad.syntax.parser import parse_expression, regrouped


def upgrade(text: str, *names: str) -> list[tuple[str, What, int]]:
    """What changes with 25.13.2, with the text of each place."""
    node = parse_expression(text)
    return [
        (text[place.start : place.end], what, levels)
        for place, what, levels in changes_between(node, BEFORE_25_13_2, NEWEST, names=names)
    ]


@pytest.mark.parametrize("sign", ["||", "+", "&&"])
def test_rows_of_more_than_400_operators(sign: str) -> None:
    """Each of them, and the reference at the end, uses up a level."""
    assert upgrade(f" {sign} ".join(f"M{number}" for number in range(400))) == []
    longer = f" {sign} ".join(f"M{number}" for number in range(401))
    assert upgrade(longer) == [(longer, What.TOO_DEEP, 401)]
    node = parse_expression(longer)
    assert changes_between(node, NEWEST, BEFORE_25_13_2) == []
    assert changes_between(node, NEWEST, NEWEST) == []


def test_rows_in_lists_are_counted_by_themselves() -> None:
    short = " + ".join(["X"] * 300)
    long = " + ".join(["X"] * 500)
    assert upgrade(f"{short} + size({{{short}}})") == []
    assert upgrade(f"size({{1, {long}, [a = {short}]}})") == [(long, What.TOO_DEEP, 500)]


def test_what_is_nested_too_deeply_to_be_read() -> None:
    for depth, found in ((165, []), (166, [What.UNREADABLE])):
        node = parse_expression("(" * depth + "X" + ")" * depth, language=BEFORE_25_13_2)
        assert [it.what for it in changes_between(node, BEFORE_25_13_2, NEWEST)] == found
        assert changes_between(node, NEWEST, BEFORE_25_13_2) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("false || U ? : 7", "U ? : 7"), ("1 + U ? : 7", "U ? : 7"), ("!U ?\t: V", "U ?\t: V"),
        ("U ? : 7 + 1", "U ? : 7"), ("U ? : 7 ? 1 : 2", "U ? : 7"), ("f(x * U ? : 7)", "U ? : 7"),
    ],
)  # fmt: skip
def test_elvis_with_a_blank_among_operators(text: str, place: str) -> None:
    assert upgrade(text) == [(place, What.REGROUPED, 0)]
    assert upgrade(text.replace("? :", "?:").replace("?\t:", "?:")) == []
    back = changes_between(parse_expression(text), NEWEST, BEFORE_25_13_2)
    assert [it.what for it in back] == [What.REGROUPED]


@pytest.mark.parametrize(
    "text",
    ["U ? : 7", "(U ? : 7) + 1", "{U ? : 7}[0]", "1 + f(U ? : 7)", "c ? U ? : 1 : V ? : 2",
     "U ? : V ? : 7", "[a = U ? : 7].a", "U ? : (7 + 1)"],
)  # fmt: skip
def test_elvis_with_a_blank_that_has_the_same_operands(text: str) -> None:
    assert upgrade(text) == []
    older = regrouped(parse_expression(text), BEFORE_25_13_2)
    assert evaluate(older) == evaluate(text)


def test_functions_of_versions_in_another_case() -> None:
    text = 'versionLE("1", x) && VERSIONLE("1", x) && versioncmp("1", x) == 0'
    assert upgrade(text) == [('VERSIONLE("1", x)', What.KNOWN_FUNCTION, 0)]
    back = changes_between(parse_expression(text), NEWEST, BEFORE_25_13_2)
    assert [it.what for it in back] == [What.UNKNOWN_FUNCTION]


def test_references_to_names_that_lead_back() -> None:
    text = "start && MY.Start || TARGET.Start || x.Start || Other"
    assert upgrade(text) == []
    assert upgrade(text, "START", "OTHER") == [
        (place, What.CIRCLE_UNDEFINED, 0) for place in ("start", "MY.Start", "Other")
    ]
    back = changes_between(parse_expression(text), NEWEST, BEFORE_25_13_2, names=["other"])
    assert back == [Change(back[0].place, What.CIRCLE_FAILS)]


def test_what_is_found_changes_the_value() -> None:
    old, new = EvalContext(language=BEFORE_25_13_2), EvalContext()
    for text in ("false || U ? : 7", 'isError(VERSIONLE("1", "2"))', " + ".join(["1"] * 402)):
        assert upgrade(text)
        assert evaluate(text, context=old) != evaluate(text, context=new)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Cpus ?: 1", ["Cpus ?: 1"]),
        ("(MY.Cpus + 1 ?: 1) > x", ["1 ?: 1"]),
        ("((MY.Cpus + 1) ?: 1) > x", ["(MY.Cpus + 1) ?: 1"]),
        ('"a" ?: x', ['"a" ?: x']),
        ("TARGET.Cpus ?: 1", []),
        ("RequestCpus ?: Cpus", []),
        ("(Cpus + RequestCpus) ?: 1", []),
        ("undefined ?: Cpus", []),
    ],
)
def test_what_an_ad_knows_before_elvis_when_requirements_are_flattened(
    text: str, places: list[str]
) -> None:
    node, known = parse_expression(text), {"cpus"}.__contains__
    for old, new, what in (
        (BEFORE_25_13_2, NEWEST, What.KNOWN_COUNTS),
        (NEWEST, BEFORE_25_13_2, What.KNOWN_FAILS),
    ):
        found = changes_between(node, old, new, known=known)
        assert [text[it.place.start : it.place.end] for it in found] == places
        assert all(it.what is what for it in found)
        assert changes_between(node, old, new) == []
