"""Regular expressions: HTCondor's reading of PCRE2, bounded time, and no other engine."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classad import ClassAd, Table
from classad.builtins.pcre import compile_pattern, regex_backend
from classad.evaluate import evaluate
from classad.language.values import ERROR
from fuzz.thresholds import few_are_many
from tests.cases import every_case


@pytest.fixture
def no_patterns_known() -> Iterator[None]:
    """Patterns are compiled anew."""
    compile_pattern.cache_clear()
    yield
    compile_pattern.cache_clear()


def test_the_engine_can_be_told() -> None:
    assert regex_backend().startswith("pcre2 10.")


@pytest.mark.usefixtures("no_patterns_known")
def test_without_the_engine_there_is_no_other_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pcre2", None)
    with pytest.raises(ImportError, match=r"need the package pcre2: pip install 'pcre2>=0\.6'"):
        evaluate('regexp("a", "a")')
    assert evaluate("1 + 1") == 2
    assert regex_backend().startswith("none (regular expressions need the package pcre2")


@pytest.mark.usefixtures("no_patterns_known")
def test_an_engine_that_reads_patterns_otherwise_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = ModuleType("pcre2")
    old.__dict__["__libpcre2_version__"] = "10.43"
    monkeypatch.setitem(sys.modules, "pcre2", old)
    with pytest.raises(ImportError, match=r"pcre2 is too old .* pip install 'pcre2>=0\.6'"):
        evaluate('regexp("a", "a")')


@every_case(
    "call, value",
    [
        (r'regexp("[[:alpha:]]+[[:digit:]]$", "slot1")', True),
        (r'regexp("[[:upper:]]", "slot1")', False),
        (r'replaceAll("\\Qa.", "a.xa.", "-")', "-x-"),
        (r'replaceAll("a*\\Q", "baac", "-")', ERROR),
        (f'[a = {"x" * 60}; b = unresolved(a, "(x+x+)+[yz]")].b', False),  # it gives up
        (r'regexp("LINUX", "linux", "i")', True),
        (r'regexp("LINUX", "linux", "I")', False),
        (r'regexp("a b", "ab", "x")', True),
        (r'regexp("^b", "a\nb")', False),
        (r'regexp("^b", "a\nb", "m")', True),
        (r'regexp("a.b", "a\nb")', False),
        (r'regexp("a.b", "a\nb", "s")', True),
        (r'regexp("^..$", "é")', True),
        (r'regexp("\\w", "é")', False),
        (r'regexp("(?<n>a)\\k<n>", "aa")', True),
        (r'regexp("(?P<n>a)(?P=n)", "aa")', True),
        (r'regexp("\\x41\\Q+\\E", "A+")', True),
        (r'regexp("^a\\Cb$", "a\nb")', True),
        (r'regexp("a{,3}", "a{,3}")', True),
        (r'regexp("a\\z", "a\n")', False),
        (r'regexp("a\\Z", "a\n")', True),
        (r'regexp("(", "a")', ERROR),
        (r'regexpMember("(", {"a"})', False),
        (r'regexps("(a)|(b)", "b", "\\1-\\2")', "-b"),
        (r'regexps("(a)|(b)", "a", "\\2")', ERROR),
        (r'replaceAll("\\bab*", "abb b ab", "<\\0>")', "<abb> b <ab>"),
        (r'replaceAll("a*", "baac", "X")', ERROR),
        (r'stringList_regexpMember("^B$", "a, b", ",", "I")', True),
    ],
)
def test_matching(call: str, value: Any) -> None:
    result = evaluate(call)
    assert result is value if value is ERROR else result == value


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (r'replaceAll("^|c", "cdc", "-")', "--d-"),
        (r'replaceAll("(?=c)|cx", "xcxcxy", "-")', "x---y"),
        (r'replaceAll("^|c", "cc", "-")', ERROR),
    ],
)
def test_matches_after_an_empty_one(call: str, value: Any) -> None:
    result = evaluate(call)
    assert result is value if value is ERROR else result == value


@pytest.mark.parametrize("pattern", [r"\\u0041", r"\\U"])
def test_escapes_that_htcondor_refuses(pattern: str) -> None:
    assert evaluate(f'regexp("{pattern}", "A")') is ERROR


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ('regexp("(a+)+$", subject)', ERROR),
        ('replaceAll("(a+)+$", subject, "x")', ERROR),
        ('regexpMember("(a+)+$", {subject, "aa"})', True),
        ('stringList_regexpMember("(a+)+$", subject)', False),
    ],
)
def test_an_explosive_pattern_ends(call: str, value: Any) -> None:
    begin = time.monotonic()
    result = evaluate(call.replace("subject", '"' + "a" * 60 + 'b"'))
    assert result is value
    assert time.monotonic() - begin < 20


def test_the_cache_of_patterns_is_bounded() -> None:
    assert compile_pattern.cache_info().maxsize == 512


@given(
    st.text("ab1-.[]^$*+?x_ ", min_size=1, max_size=9),
    st.lists(st.text("ab1-x_ \n.é", max_size=9), min_size=1, max_size=5),
)
def test_what_both_engines_read_alike_matches_alike(pattern: str, subjects: list[str]) -> None:
    compiled = compile_pattern(pattern, "")
    if compiled is not None and compiled.quick is not None:
        for subject in subjects:
            raw = subject.encode()
            assert (compiled.quick(raw) is None) == (compiled.engine.search(raw) is None)


def test_patterns_that_could_reach_the_match_limit_are_left_to_pcre() -> None:
    for pattern in ("a*b*c*", "(a)", "a{2}", "\\d", "[[:alpha:]]", "a**", "(?i)a"):
        compiled = compile_pattern(pattern, "")
        assert compiled is None or compiled.quick is None
    assert compile_pattern("^node[0-9]+.*", "").quick is not None  # type: ignore[union-attr]


@pytest.mark.parametrize("length", [128, 129, 5000])
def test_a_pattern_is_looked_for_in_long_texts_of_many_ads(length: int) -> None:
    texts = ["a", "x" * (length - 1) + "y", "xy", "y", ""]
    table = Table(ClassAd({"Text": text}) for text in texts)
    with few_are_many():
        assert list(table.select('regexp("^x+y$", Text)')) == [1, 2]
        assert list(table.select('regexp("^x*$", Text)')) == [4]


@pytest.mark.parametrize(
    ("code", "is_one"),
    [("7f", True), ("80", True), ("d7ff", True), ("d800", False), ("dfff", False), ("e000", True),
     ("10ffff", True), ("110000", False)],
)  # fmt: skip
def test_which_numbers_are_characters_of_a_utf_pattern(code: str, is_one: bool) -> None:
    found = evaluate(f'regexp("(*UTF)\\\\x{{{code}}}", "a")')
    assert found is (False if is_one else ERROR)


@pytest.mark.parametrize(
    ("code", "is_one"), [("7f", True), ("80", True), ("ff", True), ("100", False)]
)
def test_which_numbers_are_bytes_of_a_pattern(code: str, is_one: bool) -> None:
    found = evaluate(f'regexp("\\\\x{{{code}}}", "a")')
    assert found is (False if is_one else ERROR)
