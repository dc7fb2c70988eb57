"""What is known of expressions is the same, taken apart at ``&&`` or read as a whole."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from classad import ExprTree, kernels
from classad.analysis.mentions import references_of
from classad.formats.unparse import unparse
from classad.language.rules import OLD, PREFIX
from classad.syntax.lazy import parse_lazily
from classad.syntax.native import parse
from negotiator.expressions import known, memo, regrouping
from negotiator.expressions.known import _Forms, look_at
from negotiator.expressions.regrouping import Level

VECTORS = Path(__file__).parents[1] / "vectors" / "classad"


def _agree(text: str, how: int) -> None:
    later = parse_lazily(text, how)
    if later is None:
        return
    found = look_at(ExprTree.from_node(later))
    whole = later.node()
    assert found.text == unparse(whole), text
    mentioned = references_of(whole)
    assert found.own == mentioned.bare | mentioned.mine, text


@pytest.mark.parametrize(
    "text",
    [
        "TARGET.Cpus >= RequestCpus && (MY.Own is 1) && other.Disk>2.50",
        "a && b || c && d",
        "a ? b && c : d && e",
        "a ?: b && -1 < -x",
        "(a && b) && {c && d}[0] && [e = f && g].e",
        'a == "x && y" && member("(", b)',
        '"(" == a && ")" != b && c',
        "a&&b &&c && !d",
        "a && 'b && c' && d // && e",
        "time() > 5 && random(3) && (b",
        "(a) b && c",
        "a && (b) c && d",
        "a && b junk",
    ],
)
def test_texts(text: str) -> None:
    for how in (0, OLD, PREFIX, OLD | PREFIX):
        _agree(text, how)


@pytest.mark.parametrize(
    "pattern",
    [
        "TARGET.A > {0} && B == {1}",
        "(A > -{0}) && !(B is {1}) && C",
        "{0} && {1} && A",
        "f({0}, {{ {1} }}) && A ? {0} : {1} && B",
        "A && ({0}) junk {1}",
        "A && splitUserName({0})[{1}] =!= B",
        "ifThenElse(A, {0}, - {1}) && A && {0} < {0}",
        "A && [ b = {0}; a = {1} ].a > -{0} && f({0} - {1})",
    ],
)
def test_texts_that_differ_in_constants(pattern: str) -> None:
    constants = [
        "5",
        "0",
        "12.50",
        '"a\tb"',
        '"a b"',
        '""',
        '"x && {1}"',
        "0.0",
        "77",
        "true",
        "1e3",
    ]
    for left in constants:
        for right in constants:
            for how in (0, OLD | PREFIX):
                _agree(pattern.format(left, right), how)


def test_recorded_expressions() -> None:
    lines = (VECTORS / "unparse.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [case["expr"] for case in map(json.loads, lines) if isinstance(case.get("expr"), str)]
    for left, right in pairwise(texts):
        _agree(f"{left} && {right}", 0)


def test_the_same_object_is_looked_at_once() -> None:
    tree = ExprTree("A > B && TARGET.C")
    assert look_at(tree) is look_at(tree)


@pytest.mark.skipif(
    kernels.native is None, reason="only the C parser leaves expressions to be read later"
)
def test_texts_that_differ_in_constants_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool has thousands of them; one is parsed for each form of a conjunct."""
    texts = []

    def noted(text: str, how: int) -> object:
        texts.append(text)
        return parse(text, how)

    monkeypatch.setattr(known, "parse", noted)
    for number in range(1, 40):
        _agree(f'TARGET.Seldom == "m{number}" && MY.Rare + {number} > {number} && Unusual', OLD)
    assert texts == ['TARGET.Seldom == "m1"', "MY.Rare + 1 > 1", "Unusual"]


@pytest.mark.skipif(
    kernels.native is None, reason="only the C parser leaves expressions to be read later"
)
def test_what_is_known_of_few_forms_only_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each form makes those before it forgotten, and comes again."""
    memo.forget()
    monkeypatch.setattr(memo, "MANY", 1)
    monkeypatch.setattr(known, "_part", known._Forms().look)
    for number in (1, 2, 3):
        for text, read in (
            (f"TARGET.Cpus > {number} && Seen", {"seen"}),
            (f'Owner == "u{number}" && Disk > {number}', {"owner", "disk"}),
            (f"MY.Start < {number} + Rank && Seen", {"start", "rank", "seen"}),
        ):
            _agree(text, OLD)
            later = parse_lazily(text, OLD)
            assert later is not None
            found = regrouping.regrouping_of(ExprTree.from_node(later), Level.WHOLE)
            assert set(found.read) == read
            assert len(known._part.__self__._known) == 1  # type: ignore[attr-defined]
            assert len(regrouping._FORMS) == 1


@pytest.mark.skipif(
    kernels.native is None, reason="only the C parser leaves expressions to be read later"
)
def test_texts_that_differ_in_constants_are_printed_as_if_each_were_read() -> None:
    """A zero loses the minus before it, also where another text of the form had a number there."""
    texts = (
        "{-4, 0}", "{-0, 4}", "{-5, 6}", "{4, -0}", "A > -4 || B > 0", "A > -0 || B > 4",
        "A > -0.0 || B > 4.0", "A > -4.0 || B > 0.0", "f(-1, 0)", "f(-0, 1)", "C - 0 > -1",
    )  # fmt: skip
    for order in (texts, texts[::-1]):
        forms = _Forms()
        for text in order:
            look, alone = forms.look(text, 0), _Forms().look(text, 0)
            assert look is not None
            assert alone is not None
            assert (look.text, look.own) == (alone.text, alone.own), text
