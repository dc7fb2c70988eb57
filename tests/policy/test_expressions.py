"""Texts as expressions of a configuration: which are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classad.errors import ClassAdParseError
from policy.language.expressions import _NO_BEGINNING, _NO_EXPRESSION, evaluator, parse


@given(
    st.from_regex(_NO_EXPRESSION.pattern, fullmatch=True)
    | st.from_regex(rf"\A{_NO_BEGINNING.pattern}")
    | st.sampled_from(
        ["20 # of each host", "5 minutes", " 1.5 GB", "1 is", "$(A)", "a@b", "/etc/condor"]
    )
)
def test_what_is_seen_to_be_no_expression_is_none_by_the_grammar(text: str) -> None:
    with pytest.raises(ClassAdParseError):
        parse(text)
    assert evaluator(0)(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[a = 1; b = 2].b", 2),
        ("/* one */ 1", 1),
        ("// one\n1", 1),
        ("1 /* # */ + 1", 2),
        ('size("5 #")', 3),
        ("true ? 1 : 2 # one", 1),
    ],
)
def test_what_only_looks_so_is_evaluated(text: str, value: object) -> None:
    assert evaluator(0)(text) == value
