"""A pattern that is compiled when it is first used is one of ``re`` from then on."""

from __future__ import annotations

import re

import pytest

from classad.patterns import any_of, late_regex


def test_a_late_pattern_finds_what_one_of_re_finds() -> None:
    late, now = (
        late_regex(r"(?P<name>[a-z]+)=(\d+)", re.IGNORECASE),
        re.compile(r"([A-Za-z]+)=(\d+)"),
    )
    text = "Cpus=4, memory=20"
    assert [found.groups() for found in late.finditer(text)] == now.findall(text)
    assert late.sub(r"\2", text) == now.sub(r"\2", text) == "4, 20"
    assert (late.groupindex, late.flags & re.IGNORECASE) == ({"name": 1}, re.IGNORECASE)
    assert late_regex(rb"\d").search(b"a1").start() == 1  # type: ignore[union-attr]


def test_a_pattern_that_nobody_uses_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    monkeypatch.setattr(
        "classad.patterns.compile_regex",
        lambda *what: compiled.append(what) or re._compiler.compile(*what),
    )
    late = late_regex("a+")
    assert compiled == []
    assert late.fullmatch("aa")
    assert late.fullmatch("b") is None
    assert compiled == [("a+", 0)]


@pytest.mark.parametrize("text", ["ab", "AB", "c1", "d"])
def test_any_of_several_patterns_matches_what_one_of_them_does(text: str) -> None:
    several = [late_regex("ab|b"), late_regex(r"c(\d)")]
    one = any(pattern.fullmatch(text) for pattern in several)
    assert (any_of(several).fullmatch(text) is not None) is one
    assert any_of(several, re.IGNORECASE).fullmatch("AB")
