"""The parser in C and the one in Python: the same texts taken, the same trees, the same places.

The grammar decides; the C parser may decline any text (then Python reads it), but what it takes it
has to take as Python does, and ordinary texts it must not decline.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from classad import ExprTree, kernels
from classad.ads.ad import Ad, ListValue, stored_form
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError
from classad.formats.unparse import unparse, unparse_value
from classad.language.rules import OLD, PREFIX, STRICT, WHOLE
from classad.source import Source
from classad.syntax import native as arena
from classad.syntax import parser
from classad.syntax.grammar import Parse, scanner, vocabulary
from classad.syntax.lazy import LazyExpression, parse_lazily
from classad.syntax.nodes import AdExpr, Binary, Node, walk

pytestmark = pytest.mark.skipif(kernels.native is None, reason="the C parser is not built here")

VECTORS = Path(__file__).parent.parent / "vectors" / "classad"


def by_grammar(text: str, how: int = 0) -> Node | None:
    """What the parser in Python makes of a text; None if it refuses it."""
    try:
        return parser._by_grammar(
            text, bool(how & OLD), bool(how & STRICT), Source(text), bool(how & PREFIX), None
        )
    except ClassAdParseError:
        return None


def spans(node: Node) -> list[tuple[str, int, int]]:
    return [(type(part).__name__, part.start, part.end) for part in walk(node)]


def kept(expression: Node | LazyExpression) -> str:
    """What an ad keeps for an expression, in words."""
    ad = Ad()
    value = stored_form(Expression.from_node(expression), ad)
    home = (
        value.scope
        if isinstance(value, ListValue)
        else value._parent
        if isinstance(value, Ad)
        else ad
    )
    assert home is ad
    return f"{type(value).__name__} {unparse_value(value)}"


def agree(text: str, how: int = 0) -> bool:
    """Compare the two on one text; whether the C parser took it."""
    mine = arena.parse(text, how)
    later = parse_lazily(text, how)
    assert (mine is None) == (later is None) or len(text) > 2000, (text, how)
    if mine is None:
        return False
    theirs = by_grammar(text, how)
    assert theirs is not None, (text, how)
    assert mine == theirs, (text, how)
    assert spans(mine) == spans(theirs), (text, how)
    if later is not None:
        assert kept(later) == kept(mine), (text, how)
    assert unparse(mine) == unparse(theirs)
    return True


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)


def recorded(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return list(dict.fromkeys(text for line in lines for text in strings(json.loads(line))))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lex", "strict", "unparse", "formats", "limits", "real_format"])
def test_on_the_recorded_cases_about_parsing(name: str) -> None:
    for text in recorded(VECTORS / f"{name}.jsonl"):
        for how in (0, OLD | PREFIX, STRICT):
            agree(text, how)


@pytest.mark.slow
@pytest.mark.parametrize(
    "every", [pytest.param(1, marks=[pytest.mark.slow, pytest.mark.long]), 120], ids=["all", "some"]
)
@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.jsonl")), ids=lambda path: str(path.stem))
def test_on_the_texts_of_the_recorded_cases(path: Path, every: int) -> None:
    for text in recorded(path)[::every]:
        for how in range(8):
            agree(text, how)


@pytest.mark.parametrize("text", ["a ? : b", "[x = 1 + a ?\t: b]"])
def test_what_differs_by_version_is_left_to_the_grammar(text: str) -> None:
    assert not agree(text)
    assert agree(re.sub(r"\?\s:", "?:", text))


def test_no_recorded_expression_is_declined_but_for_time_literals() -> None:
    for text in recorded(VECTORS / "op_ternary.jsonl"):
        assert agree(text) or "Time(" in text or by_grammar(text) is None


@pytest.mark.parametrize("text", ["[]", "[ ]", "[a = []]", "[;a = 1;;b = 2;]", "{}", "{[], {}}"])
def test_what_is_empty_is_not_declined(text: str) -> None:
    assert agree(text)


_WORDS = (
    "a Foo MY TARGET true FALSE undefined error is isnt IS abstime relTime f "
    "1 0 -1 7.5 .5 1e5 1.5E-3 9223372036854775807 9223372036854775808 010 0x1F 1. 1.e 1e .. ..5 "
    '"s" "" "a\\"b" "a\\\\" "\\101" "\\n" "\\0" \'n\' \'a b\' \'\' "open \'open '
    "+ - * / % ! ~ || && | ^ & == != =?= =!= < <= > >= << >> >>> ?: ? : . , ; = ( ) [ ] { } "
    "//c\n /*c*/ /* \\ $ @ # é \0"
)
WORDS = _WORDS.split(" ")
TEXTS = st.lists(st.sampled_from(WORDS) | st.sampled_from([" ", "\n", "\t"])).map("".join)
SPACED = st.lists(st.sampled_from(WORDS)).map(" ".join)


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, st.sampled_from(arena.OPERATORS[1:22]), inner).map(" ".join)
    return (
        two
        | st.tuples(inner, inner, inner).map(lambda p: f"{p[0]} ? {p[1]} : {p[2]}")
        | st.tuples(inner, inner).map(lambda p: f"{p[0]} ?: {p[1]}")
        | st.tuples(st.sampled_from("-+!~"), inner).map("".join)
        | inner.map("({})".format)
        | st.lists(inner, max_size=3).map(lambda p: "f(" + ",".join(p) + ")")
        | st.lists(inner, max_size=3).map(lambda p: "{" + ", ".join(p) + "}")
        | st.lists(inner, max_size=3).map(lambda p: "[" + "; ".join(f"a = {x}" for x in p) + "]")
        | st.tuples(inner, inner).map("{0[0]}[{0[1]}]".format)
        | inner.map("{}.b".format)
    )


SENTENCES = st.recursive(st.sampled_from(WORDS[:45]), _wider, max_leaves=12)
HOW = st.integers(0, 7)


@given(text=TEXTS | SPACED | SENTENCES, how=HOW)
@example(text="a ? b : c \0", how=0)
@example(text="a ? b : c /*", how=0)
@example(text='"a" "b"', how=0)
@example(text='"a\\" b', how=OLD)
@example(text='"a\\"\n', how=OLD)
@example(text="f(a;b)", how=STRICT)
@settings(max_examples=400, deadline=None)
def test_on_any_text(text: str, how: int) -> None:
    agree(text, how)


@given(text=SENTENCES, data=st.data(), how=HOW)
@settings(max_examples=300, deadline=None)
def test_on_damaged_sentences(text: str, data: st.DataObject, how: int) -> None:
    place = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(place, min(place + 3, len(text))))
    agree(text[:place] + data.draw(st.sampled_from(["", *WORDS])) + text[stop:], how)


def test_the_operators_bind_as_in_the_grammar() -> None:
    binary = arena.OPERATORS[1:22]
    for left, right in product(binary, binary):
        assert agree(f"a {left} b {right} c")
        assert agree(f"a {left} b ? c : d {right} e")
    for operator in binary:
        assert agree(f"a {operator} b ?: c ?: d {operator} -e")
        for sign in "-+!~":
            assert agree(f"{sign} a {operator} {sign}b.c")
            assert agree(f"a {operator} {sign} 5")


def test_it_knows_exactly_the_operators_of_the_grammar() -> None:
    signs = set(vocabulary().signs)
    known = {text for text in arena.OPERATORS if text} - {"?:"}
    assert known == signs - set("?:,;=()[]{}")
    for operator in arena.OPERATORS[1:22]:
        tree = arena.parse(f"a {operator} b")
        assert isinstance(tree, Binary)
        assert tree.operator == operator


def test_ways_of_reading_are_numbered_alike() -> None:
    assert kernels.native is not None
    _, lib = kernels.native
    assert (lib.CA_OLD, lib.CA_STRICT, lib.CA_PREFIX) == (OLD, STRICT, PREFIX)
    assert lib.CA_FULL == arena._FULL


@pytest.mark.parametrize("depth", [10, 60, 70, 160, 170])
@pytest.mark.parametrize("pair", ["()", "[]", "{}", "f()", "-", "?", "?:"])
def test_depth_is_left_to_python(depth: int, pair: str) -> None:
    opening, closing = {"[]": ("a[", "]"), "-": ("- ", ""), "?": ("a ? ", " : b"),
                        "?:": ("a ?: ", ""), "f()": ("f(", ")")}.get(pair, tuple(pair))  # fmt: skip
    taken = agree(opening * depth + "1" + closing * depth)
    assert taken or depth > 60


@pytest.mark.slow
def test_long_chains_and_large_trees() -> None:
    assert agree("+".join(["a"] * 6000))
    assert agree("{" + ",".join(["1"] * 10_000) + "}")


def test_ads_one_after_the_other() -> None:
    text = " ".join(f"[a = {i}; b = {{{i}, a.b}}]" for i in range(2000)) + " // end"
    ads, end = [], 0
    while text.find("[", end) >= 0:
        ad, end = parser.parse_ad_prefix(text, text.index("[", end))
        ads.append(ad)
    assert [ad.attributes[0][1].value for ad in ads] == list(range(2000))  # type: ignore[attr-defined]
    assert all(text[ad.start] == "[" and text[ad.end - 1] == "]" for ad in ads)


@pytest.mark.parametrize(
    "text", ["[]", "[a = 1]", '[a = "x"; b = [c = a + {1, 2}[0]]; ]', "[ 'a b' = f(x) ]"]
)
def test_an_ordinary_ad_is_not_left_to_python(text: str) -> None:
    for before, after in (("", ""), ("x ", " [b = 2] and more"), ("[", "]")):
        found = arena.parse_ad(f"{before}{text}{after}", len(before))
        assert isinstance(found, AdExpr)
        assert (found.start, found.end) == (len(before), len(before) + len(text))
    assert arena.parse_ad(f"x{text}", 0) is None


@given(text=SENTENCES, before=st.sampled_from(["", " ", "x"]), after=TEXTS)
@settings(max_examples=200, deadline=None)
def test_an_ad_within_a_text(text: str, before: str, after: str) -> None:
    whole = f"{before}[a = {text}; A = 2; 'b c' = {{}}]{after}"
    mine = arena.parse_ad(whole, len(before))
    if mine is None:
        return
    theirs = Parse("ad", scanner(whole, len(before), one_ad=True), Source(whole), None).tree()
    assert isinstance(theirs, AdExpr)
    assert mine == theirs
    assert spans(mine) == spans(theirs)


def test_an_expression_makes_its_tree_when_it_is_wanted_and_keeps_its_text() -> None:
    tree = ExprTree("a + 1 > 2")
    assert tree._node.__class__ is LazyExpression
    twin = ExprTree(tree)
    assert str(tree) == "a + 1 > 2"
    assert tree.node.__class__ is Binary
    assert tree._node.__class__ is LazyExpression
    assert twin == tree
    assert twin.node is tree.node
    assert tree.span == (0, 9)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{ 1, "x", GPU_1 }', True),
        ('[ Id = "GPU-1"; A = GPU_1; id = 2 ]', True),
        ("{}", True),
        ("[]", True),
        ("{ A.B }", False),
        ("{ { 1 } }", False),
        ("[ A = { 1 } ]", False),
        ("[ A = 1 + 1 ]", False),
    ],
)
def test_lists_and_ads_of_literals_and_names_need_no_tree(text: str, plain: bool) -> None:
    assert agree(text)
    later = parse_lazily(text)
    assert later is not None
    assert (later.leaves() is not None) is plain
    stored_form(Expression.from_node(later), Ad())
    assert (later._node is None) is plain


def test_threads_do_not_share_their_records() -> None:
    texts = [f"a{i} + b{i} * f({i}, x{i})" for i in range(300)]
    wrong: list[str] = []

    def work() -> None:
        for text in texts * 5:
            if str(ExprTree(text)).replace(",", ", ") != text:
                wrong.append(text)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_list_is_read_once_for_all_ads_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    later = parse_lazily('{ "cms", 2, Cpus }', OLD | WHOLE)
    assert later is not None
    found = later.leaves()
    monkeypatch.setattr("classad.syntax.lazy.read_leaves", None)
    assert later.leaves() is found is not None
