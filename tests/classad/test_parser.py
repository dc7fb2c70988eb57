"""The parser against the golden vectors, spans, nesting limits and hostile texts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad.errors import ClassAdParseError
from classad.evaluate import evaluate
from classad.language.values import ERROR, UNDEFINED, AbsTime, RelTime
from classad.source import Source
from classad.syntax.nodes import (
    AdExpr,
    Binary,
    Call,
    Conditional,
    Literal,
    Node,
    Parens,
    Reference,
    Subscript,
    Unary,
    walk,
)
from classad.syntax.parser import _by_grammar, parse_ad_prefix, parse_expression
from tests.cases import every_case

VECTORS = Path(__file__).parent.parent / "vectors" / "classad"


def vectors(name: str) -> Iterator[dict[str, Any]]:
    for line in (VECTORS / f"{name}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def parses(text: str, **options: Any) -> bool:
    """Whether the text parses; if not, also that the error has a place inside the text."""
    try:
        parse_expression(text, **options)
    except ClassAdParseError as problem:
        found = problem.diagnostic
    else:
        return True
    assert found is not None
    assert 0 <= found.start <= found.end <= len(text)
    assert found.render()
    return False


@pytest.mark.parametrize("name", ["lex", "unparse", "real_format"])
def test_vectors_parse_or_not(name: str) -> None:
    wrong = []
    for case in vectors(name):
        ill_formed = (
            case["value"]["type"] == "parse_error" if "value" in case else case["tree"] is None
        )
        if parses(case["expr"], old=case.get("syntax") == "old") == ill_formed:
            wrong.append(case["id"])
    assert wrong == []


@every_case(
    "text, value",
    [
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 0),
        ("-9223372036854775808", -(2**63)),
        ("-9223372036854775809", 0),
        ("9" * 5000, 0),
        ("-010", -10),
        ("-0x10", 0),
        ("0x1.5", 1.3125),
        ("0x1.5e-2", 1.3671875),
        ("-0x" + "f" * 300 + ".5", float("-inf")),
        ("..5", 0.0),
        ("1e400", float("inf")),
        ("True", True),
        ("UNDEFINED", UNDEFINED),
        ("error", ERROR),
        ('"a\\303\\251"', "a\u00e9"),
        ('"\\351"', "\udce9"),
        ('"\\400"', " 0"),
        ('"\\1" "2"', "\n"),
        ('absTime("2020-01-01T00:00:00+01:00")', AbsTime(1577833200, 3600)),
        ('relTime("1:00")', RelTime(60.0)),
    ],
)
def test_literal(text: str, value: object) -> None:
    node = parse_expression(text)
    assert isinstance(node, Literal)
    assert (type(node.value), node.value) == (type(value), value)
    assert (node.start, node.end) == (0, len(text))


def test_old_strings() -> None:
    assert parse_expression(r'"c:\dir\"', old=True) == Literal("c:\\dir\\")
    assert parse_expression('"c:\\dir\\"\n', old=True) == Literal("c:\\dir\\")
    assert parse_expression(r'"say \"x\""', old=True) == Literal('say "x"')
    assert not parses('"c:\\dir\\" ', old=True)
    assert not parses('"a" "b"', old=True)


def test_strict_semantics() -> None:
    assert parse_expression("010", strict=True) == Literal(10)
    assert parse_expression("0x10", strict=True) == Literal(0)
    assert not parses("08", strict=True)
    assert not parses("f(1;2)", strict=True)
    assert parse_expression("f(1;2)") == Call("f", (Literal(1), Literal(2)))


def test_local_zone_is_an_argument() -> None:
    node = parse_expression('absTime("2020-01-01T00:00:00")', tz="Asia/Kolkata")
    assert node == Literal(AbsTime(1577836800 - 19800, 19800))


def test_trees() -> None:
    a, b, x = Reference("a"), Reference("b"), Reference("x")
    one, two = Literal(1), Literal(2)
    cases: dict[str, Node] = {
        "1 + x ?: 2": Binary("+", one, Binary("?:", x, two)),
        "-x ?: 2": Unary("-", Binary("?:", x, two)),
        "a ?: b ?: x": Binary("?:", a, Binary("?:", b, x)),
        "a ?: b.x": Binary("?:", a, Reference("x", b)),
        "1 & 2 == 2": Binary("&", one, Binary("==", two, two)),
        "a is b isnt x": Binary("=!=", Binary("=?=", a, b), x),
        "1 -2": Binary("-", one, two),
        "- 1": Unary("-", one),
        "a ? b : x ? 1 : 2": Conditional(a, b, Conditional(x, one, two)),
        "(a).b[1]": Subscript(Reference("b", Parens(a)), one),
        ".a": Reference("a", absolute=True),
        "'a b'": Reference("a b"),
        "'f'()": Call("f", ()),
        "[A = 1; a = 2;; b = 1]": AdExpr((("A", two), ("b", one))),
    }
    for text, tree in cases.items():
        assert parse_expression(text) == tree, text


def test_spans_cover_the_text_of_each_node() -> None:
    text = '  a + f(x, {1, "s"}[0]).b ?: [p = 1; q = (2)].q && !c'
    tree = parse_expression(text)
    assert (tree.start, tree.end) == (2, len(text))
    for node in walk(tree):
        assert parse_expression(text[node.start : node.end]) == node


def test_text_after_a_top_level_conditional_is_ignored() -> None:
    expected = parse_expression("1 ? 2 : 3")
    for tail in (" junk", ")", " ((((", ' "open', " @", " : 4"):
        assert parse_expression("1 ? 2 : 3" + tail) == expected
    assert not parses("(1 ? 2 : 3) junk")
    assert not parses("1 ? 2 : 3 +")
    assert not parses("1 ? 2 : 3 ? 4")


def test_prefix_ignores_text_after_any_expression() -> None:
    for tail in (
        "K",
        " junk",
        "; b = 2",
        ' "open',
        " = 1",
        " /* open",
        " )",
        "\0!",
        " .5e",
        " 1.",
    ):
        assert parse_expression("a + 1" + tail, prefix=True) == parse_expression("a + 1")
    assert parse_expression("1e5else", prefix=True) == Literal(1e5)
    for text in ("= 1", "", "1 +", "f(1 junk", "1 ? 2 junk", "1e", "-08", "00"):
        assert not parses(text, prefix=True)


def test_an_open_comment_is_an_error_in_every_place() -> None:
    for text in ('f( relTime(x) /* "\\ a.b )', "f(b /* c", "{1 /*", "/*", "1 + /*/"):
        assert not parses(text, old=True, prefix=True)
    assert parse_expression("1 /* c", old=True, prefix=True) == Literal(1)


def test_nul_ends_the_text() -> None:
    assert parse_expression("1\0 junk") == Literal(1)
    assert parse_expression("a + 1 // c\0\n+ 2") == parse_expression("a + 1")
    assert parse_expression('"a\\"\0', old=True) == Literal("a\\")
    assert not parses('"a\0b"')
    assert not parses("\0")


def test_ads() -> None:
    ad, end = parse_ad_prefix("xx [a = 1; b = [c = a]] junk", 3)
    assert end == 23
    assert [name for name, _ in ad.attributes] == ["a", "b"]
    assert parse_ad_prefix("[a=1]\0[")[0] == AdExpr((("a", Literal(1)),))
    for text in ("", "[", "[b", "[''=1]", "[true=1]", "junk", "[;]"):
        with pytest.raises(ClassAdParseError):
            parse_ad_prefix(text)


SIMPLE = st.one_of(
    st.from_regex(r"[ \t]?-?[0-9]{1,20}(\.[0-9]{0,3})?([eE][+-]?[0-9]{0,3})?\n?", fullmatch=True),
    st.from_regex(r"[ \f]?[A-Za-z_][A-Za-z0-9_]{0,9} ?", fullmatch=True),
    st.sampled_from(["TRUE", "false", "Undefined", "eRRor", "is", "ISNT", "-0", "-9" * 9]),
    st.text("ab\"\\\n\0 '", max_size=6).map(lambda text: f'"{text}"'),
)


@pytest.mark.slow
@settings(max_examples=150)
@given(SIMPLE, st.booleans(), st.booleans())
def test_the_short_cut_for_simple_texts_agrees_with_the_grammar(
    text: str, old: bool, prefix: bool
) -> None:
    """Both in the tree, its span included, and in what is refused."""
    results: list[object] = []
    for parse in (
        lambda: parse_expression(text, old=old, prefix=prefix),
        lambda: _by_grammar(text, old, False, Source(text), prefix, None),
    ):
        try:
            node = parse()
        except ClassAdParseError as problem:
            results.append(str(problem))
        else:
            results.append((node, node.start, node.end))
    assert results[0] == results[1]


#: Text with n levels, and the largest n that HTCondor's parser accepts.
NESTING = {
    "parentheses": (lambda n: "(" * n + "1" + ")" * n, 165),
    "lists": (lambda n: "{" * n + "1" + "}" * n, 165),
    "lists around an empty one": (lambda n: "{" * n + "}" * n, 166),
    "ads": (lambda n: "[a=" * n + "1" + "]" * n, 165),
    "calls": (lambda n: "f(1," * n + "1" + ")" * n, 165),
    "subscripts": (lambda n: "a[" * n + "1" + "]" * n, 165),
    "prefix operators": (lambda n: "!" * n + "x", 497),
    "prefix operators in parentheses": (lambda n: "(" + "-" * n + "x)", 494),
    "prefix operators after a word": (lambda n: "1 is " + "-" * n + "x", 497),
    "prefix operators on both sides": (lambda n: "!" * n + "x isnt " + "!" * n + "x", 497),
    "elvis": (lambda n: "x?:" * n + "1", 497),
    "elvis below prefix operators": (lambda n: "!" * n + "x" + "?:x" * n, 248),
    "elvis and lists": (lambda n: "x?:{" * n + "1" + "}" * n, 124),
    "conditionals, right": (lambda n: "1?2:" * n + "1", 497),
    "conditionals, middle": (lambda n: "1?" * n + "1" + ":2" * n, 497),
    "conditionals in parentheses": (lambda n: "(1?2:" * n + "x" + ")" * n, 124),
    "a conditional of prefix operators": (lambda n: "1?" + "!" * n + "x:2", 496),
    "parentheses and prefix operators": (lambda n: "(--" * n + "x" + ")" * n, 99),
}


@pytest.mark.parametrize("kind", NESTING)
def test_nesting_limit(kind: str) -> None:
    make, limit = NESTING[kind]
    assert parses(make(limit))
    assert not parses(make(limit + 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "1+" * 20_000 + "1",
        "-" * 1_000_000,
        '"' + "(" * 1_000_000 + '"',
        "a" + ".b" * 20_000,
        "x?:" * 300_000,
        '"' + "\\a" * 500_000,
        "/*" + "*" * 1_000_000,
        "{" + "1," * 20_000 + "1}",
        "[" + ";" * 30_000 + "]",
        '"' * 1_000_001,
        "?" + " " * 1_000_000,
    ],
    ids=lambda text: text[:8],
)
def test_hostile_texts_take_bounded_time(text: str) -> None:
    began = time.perf_counter()
    parses(text)
    parses(text, old=True, prefix=True)
    assert time.perf_counter() - began < 20


@pytest.mark.parametrize("text", ["a//b", "a // b\n", "// b\na", "a //"])
def test_a_line_comment_ends_with_the_text(text: str) -> None:
    """D-002."""
    assert parse_expression(text) == parse_expression("a")
    assert _by_grammar(text, False, False, Source(text), False, None) == parse_expression("a")


def test_a_tree_is_shown_without_its_places() -> None:
    assert repr(parse_expression("a + .b.c")) == (
        "Binary(operator='+', left=Reference(name='a', base=None, absolute=False), "
        "right=Reference(name='c', base=Reference(name='b', base=None, absolute=True), "
        "absolute=False))"
    )


def test_a_surrogate_that_stands_for_no_byte_stays_in_its_string() -> None:
    assert evaluate(parse_expression('"a\\tb\ud800\\303\\251"')) == "a\tb\ud800\udcc3\udca9"
    assert evaluate(parse_expression('"\\303\\251"')) == "\u00e9"
