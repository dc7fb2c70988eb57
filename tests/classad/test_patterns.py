"""Regular expressions mean the same in every Python that is supported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classad.syntax.nodes import Literal
from classad.syntax.parser import parse_expression

ROOT = Path(__file__).parents[2]
#: A group that is repeated possessively.
POSSESSIVE_GROUP = re.compile(r"\)[*+?]\+")


def test_no_group_is_repeated_possessively() -> None:
    # Up to Python 3.11.4 such a group keeps the characters of a repetition that did not match:
    # `(?:ab?c)++` takes all of `aca`.  An atomic group around a greedy one is right in all.
    files = [ROOT / "grammar" / "classad.lark"]
    for package in ("classad", "policy", "negotiator"):
        files += (ROOT / package).rglob("*.py")
    assert len(files) > 100
    found = [file.name for file in files if POSSESSIVE_GROUP.search(file.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    ("text", "value"),
    [(r'"\\"', r"\\"), (r'"\"', "\\"), ('"a\\"\n', "a\\"), (r'"a\"b"', 'a"b')],
)
def test_a_backslash_before_the_last_quote(text: str, value: str) -> None:
    assert parse_expression(text, old=True) == Literal(value)
