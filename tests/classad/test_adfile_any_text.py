"""No text, however broken, ends a reader in another way than with ads and diagnostics."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classad import ClassAdParseError, ParserType, parseAds, parseNext, parseOne, read_ads
from classad.errors import Diagnostic

TEXTS = st.lists(
    st.sampled_from(
        [
            *("a = 1", "b = x + 1", "junk", "\n", "\n\n", "[", "]", "{", "}", ";", ",", "=", '"'),
            *("[a = 1]", "[b = {1, [c = 2]}]", '{"a": 1}', '"b": [1, null]', ":", "\\/Expr(", "#"),
            *("<c>", "</c>", '<a n="x">', "</a>", "<i>1</i>", "<l/>", "<s>", "<?xml?>", "<!--"),
            *("//", "/*", "*/", "\\", "\\u12", "'", "\0", "\r", "\t", " ", "é", "\udcff", "1e400"),
        ]
    )
    | st.text(max_size=3),
    max_size=12,
).map("".join)


@pytest.mark.slow
@given(TEXTS)
@pytest.mark.parametrize("form", ["auto", "long", "new", "json", "xml"])
def test_read_ads(form: Any, text: str) -> None:
    problems: list[Diagnostic] = []
    ads = list(read_ads(io.StringIO(text), form, diagnostics=problems))
    for problem in problems:
        assert problem.line
        assert problem.render()
    for ad in ads:
        assert repr(ad)
    try:
        strict = list(read_ads(io.StringIO(text), form))
    except ClassAdParseError:
        assert problems
    else:
        assert strict == ads
        assert not problems


@pytest.mark.slow
@given(TEXTS)
@pytest.mark.parametrize("parser", list(ParserType))
def test_parse_ads(parser: ParserType, text: str) -> None:
    for parse in (parseNext, parseOne):
        with suppress(ClassAdParseError):
            parse(text, parser)  # type: ignore[operator]
    list(parseAds(text, ParserType.Auto, errors="warn"))
