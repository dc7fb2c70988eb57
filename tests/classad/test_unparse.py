"""Printing of values, and printing followed by parsing; golden cases are in test_conform.py."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad import ClassAd, ExprTree
from classad.ads.ad import ListValue
from classad.formats.unparse import pretty, unparse, unparse_value
from classad.language.spelling import RESERVED, format_real, quote_name, quote_string
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, AbsTime, RelTime
from classad.syntax.nodes import (
    AdExpr,
    Binary,
    Call,
    Conditional,
    ListExpr,
    Literal,
    Node,
    Parens,
    Reference,
    Subscript,
    Unary,
)
from classad.syntax.parser import parse_expression


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (UNDEFINED, "undefined"),
        (ERROR, "error"),
        (True, "true"),
        (-5, "-5"),
        (0.1, "1.000000000000000E-01"),
        ("a\u00e9\udcff\n'\"", r'"a\303\251\377\n' + "'" + r'\""'),
        (AbsTime(0, 0), 'absTime("1970-01-01T00:00:00-00:00")'),
        (RelTime(90.0), 'relTime("01:30")'),
        (ListValue(["s", 1, ListValue([True])]), '{ "s",1,{ true } }'),
        (ListValue(), "{  }"),
    ],
)
def test_values(value: object, text: str) -> None:
    assert unparse_value(value) == text


def test_ads_print_sorted_with_unevaluated_members() -> None:
    inner = ClassAd()
    inner.insert("x", "text")
    ad = ClassAd()
    ad.insert("Long", ExprTree("a + 'b c'"))
    ad.insert("b", inner)
    ad.insert("A", ListValue([1.5, ExprTree("x =?= y")]))
    ad.insert("true", False)
    assert unparse_value(ad) == (
        "[ A = { 1.500000000000000E+00,x is y }; b = [ x = \"text\" ]; Long = a + 'b c'; "
        "'true' = false ]"
    )
    assert unparse_value(ad, old=True) == (
        "[ A = { 1.5,x =?= y }; b = [ x = \"text\" ]; Long = a + 'b c'; 'true' = false ]"
    )


def test_indented_form() -> None:
    tree = parse_expression('[a={1,"x",{2},[b=3]}; c={}; d=[]]')
    assert pretty(tree) == (
        '\n    [\n        a = \n           {\n              1,\n              "x",\n'
        "              \n                 {\n                    2\n                 },\n"
        "              \n                  [\n                      b = 3\n"
        "                  ]\n           }; \n        c = \n           {\n           }; \n"
        "        d = \n            [\n            ]\n    ]"
    )
    assert pretty("a string") == '"a string"'


def test_text_of_long_chains_is_linear() -> None:
    text = " + ".join(["a"] * 30_000)
    assert unparse(parse_expression(text)) == text
    selection = "a" + ".b" * 20_000
    assert unparse(parse_expression(selection)) == selection


# ---- printing, then parsing ----

#: Reals that survive 16 significant digits.
REALS = st.one_of(
    st.integers(-(10**9), 10**9).map(lambda n: n / 64),
    st.sampled_from([0.0, -0.0, 1e300, -1e-300, 5e-324]),
)
#: What prints as one literal in both syntaxes and is read back as that literal.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
NAMES = st.one_of(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True),
    st.sampled_from(sorted(RESERVED)),
    TEXTS,
)
PLAIN_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name.lower() not in RESERVED and name.lower() not in ("abstime", "reltime")
)
LITERALS = st.one_of(
    st.integers(INT_MIN, INT_MAX), st.booleans(), REALS, TEXTS, st.sampled_from([UNDEFINED, ERROR])
).map(Literal)
LEAVES = st.one_of(
    LITERALS,
    NAMES.map(Reference),
    PLAIN_NAMES.map(lambda name: Reference(name, absolute=True)),
)
BINARY = st.sampled_from(
    "|| && | ^ & == != =?= =!= < <= > >= << >> >>> + - * / % ?:".split()  # noqa: SIM905
)


def _composed(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    # Operands in parentheses: the tree then is what its text says, whatever the operators.
    operand = st.one_of(LEAVES, inner.map(Parens))
    names = st.tuples(NAMES.filter(bool), inner)
    return st.one_of(
        st.builds(Binary, BINARY, operand, operand),
        st.builds(Unary, st.sampled_from(["-", "+", "!", "~"]), inner.map(Parens)),
        st.builds(Conditional, operand, operand, operand),
        st.builds(Subscript, operand, inner),
        st.builds(Reference, PLAIN_NAMES, inner.map(Parens)),
        st.builds(Call, PLAIN_NAMES, st.lists(inner, max_size=3).map(tuple)),
        st.lists(inner, max_size=3).map(tuple).map(ListExpr),
        st.lists(names, max_size=3, unique_by=lambda pair: pair[0].lower()).map(_ad),
    )


def _ad(fields: list[tuple[str, Node]]) -> AdExpr:
    return AdExpr(tuple(sorted(fields, key=lambda f: (len(f[0].encode()), _folded(f[0])))))


def _folded(name: str) -> str:
    return "".join(char.lower() if char < "\x80" else char for char in name)


TREES = st.recursive(LEAVES, _composed, max_leaves=8)


@given(TREES)
@settings(max_examples=100, deadline=None)
def test_printing_then_parsing_gives_the_tree(tree: Node) -> None:
    assert parse_expression(unparse(tree)) == tree


@given(TEXTS)
def test_strings_survive(text: str) -> None:
    assert parse_expression(quote_string(text)) == Literal(text)
    if not text.endswith("\\") and '\\"' not in text:
        assert parse_expression(quote_string(text, old=True), old=True) == Literal(text)


@given(NAMES)
def test_names_survive(name: str) -> None:
    assert parse_expression(quote_name(name, False)) == Reference(name)


@given(st.floats().filter(lambda number: not 1.79e308 < abs(number) < float("inf")))
def test_reals_keep_15_digits(number: float) -> None:
    for old in (False, True):
        text = format_real(number, old)
        if text.startswith("real("):
            assert number - number != 0
        else:
            again = parse_expression(text)
            assert isinstance(again, Literal)
            assert again.value == pytest.approx(number, rel=1e-14)
