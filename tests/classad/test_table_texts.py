"""Texts taken apart before they are read have the conjuncts that reading them finds."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad import ExprTree, kernels
from classad.formats.unparse import unparse
from classad.language.rules import OLD, PREFIX
from classad.strategies import expressions
from classad.syntax import native as arena
from classad.syntax.lazy import parse_lazily
from classad.table.expressions.conjuncts import Splits, _conjuncts_of, conjuncts_in
from classad.table.shapes import Shapes, name_in

needs_c = pytest.mark.skipif(
    kernels.native is None, reason="only the C parser leaves expressions to be read later"
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A", ["A"]),
        ("A && B > 1  &&(C)", ["A", "B > 1", "(C)"]),
        ("(A && B) && { C && D }[0 && 1] && [ E = F && G ].E", None),
        ('A == "x && y" && B == ")" && C', ['A == "x && y" && B == ")" && C']),
        ('A == "x || y" && B == ")" && C', ['A == "x || y"', 'B == ")"', "C"]),
        ("A && (B || C ? D : E) && F", ["A", "(B || C ? D : E)", "F"]),
        ("A && B || C", ["A && B || C"]),
        ("(A && B) || (C && D)", ["(A && B) || (C && D)"]),
        ("((A && B) || (C && D)) && E", ["((A && B) || (C && D))", "E"]),
        ("(A && B", ["(A && B"]),
        ("A && B ? C : D && E", ["A && B ? C : D && E"]),
        ("A && B ?: C", ["A && B ?: C"]),
        (r'A && B == "\"" && C', [r'A && B == "\"" && C']),
        ("A && 'B && C' && D", ["A && 'B && C' && D"]),
        ("A && B // && C\n && D", ["A && B // && C\n && D"]),
        ("A && B /* && */ && D", ["A && B /* && */ && D"]),
        ('A && B == "unfinished', ['A && B == "unfinished']),
    ],
)
def test_parts_of_texts(text: str, parts: list[str] | None) -> None:
    enclosing = ["(A && B)", "{ C && D }[0 && 1]", "[ E = F && G ].E"]
    assert list(conjuncts_in(text)) == (enclosing if parts is None else parts)


def conjuncts(splits: Splits, tree: ExprTree) -> list[tuple[str, int, str]]:
    return [(part.name, part.level, unparse(splits.shape(part).node)) for part in splits.of(tree)]


def as_read(tree: ExprTree) -> list[tuple[str, int, str]]:
    return [
        (name_in(node, "", "my"), level, unparse(node)) for node, level in _conjuncts_of(tree.node)
    ]


PIECES = [
    "A", "my.B", "TARGET.C", "(D)", "(A && (B && C))", "((A))", "A > 5", "A > 6", "A > 5.5", "-A",
    "!B", 'C == "a && b"', 'C == "("', 'C =!= "x"', "A || B", "(A || B)", "A ? B : C", "(A ?: B)",
    "{ 1, A && B }", "[ X = A && B; Y = 2 ]", "L[1 && 0]", "f(A, B && C)", "countMatches(A > 5, B)",
    "A is undefined", "A isnt B", "a.b && c.d", ".A", "parent.B", "A & B", "A | B", "A == B == C",
    r'C == "\""', "'odd && name'", "A /* && */", "A // x", "6 > -(5)", "", "&", "B C", "A)",
]  # fmt: skip
JOINTS = ["&&", " && ", "  &&\t", "||", " ? ", " : ", " ?: ", "& &", " "]
TEXTS = st.lists(
    st.tuples(st.sampled_from(PIECES), st.just(" && ") | st.sampled_from(JOINTS)), max_size=6
).map(lambda pairs: "".join(map("".join, pairs)))


@needs_c
@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from(PIECES) | expressions(), st.sampled_from([0, OLD, PREFIX]))
def test_what_is_found_in_a_text_is_what_reading_finds(text: str, last: str, how: int) -> None:
    later = parse_lazily(text + last, how)
    if later is not None:
        tree = ExprTree.from_node(later)
        expected = as_read(ExprTree.from_node(tree.node))
        assert conjuncts(Splits(Shapes()), tree) == expected
        assert conjuncts(SHARED, tree) == expected


SHARED = Splits(Shapes())


@needs_c
def test_a_conjunct_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(text: str, how: int) -> Any:
        parsed.append(text)
        return arena.parse(text, how)

    monkeypatch.setattr("classad.table.expressions.conjuncts.parse", parse)
    splits = Splits(Shapes())
    for number in range(9):
        text = f'A > {number} && (B < C) && D == "x{number}"' + " && E" * (number % 3)
        tree = ExprTree.from_node(parse_lazily(text, OLD | PREFIX))  # type: ignore[arg-type]
        assert [part.values for part in splits.of(tree)][:3] == [(number,), (), (f"x{number}",)]
    assert parsed == ["A > 0", "(B < C)", 'D == "x0"', "E"]
