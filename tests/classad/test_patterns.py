"""Regular expressions mean the same in every Python that is supported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from classad.syntax.nodes import Literal
from classad.syntax.parser import parse_expression

ROOT = Path(__file__).parents[2]
#: A group that is repeated possessively, and does not end in the alternative that never matches.
POSSESSIVE_GROUP = re.compile(r"(?<!\|\(\?!\))\)[*+?]\+")


def test_groups_that_are_repeated_possessively_forget_what_did_not_match() -> None:
    # Up to Python 3.11.4 such a group keeps the characters of a repetition that did not match:
    # `(?:ab?c)++` takes all of `aca`.  An alternative that never matches sets the place back.
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
