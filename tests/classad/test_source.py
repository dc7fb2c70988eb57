"""Excerpts: carets under the right place, whatever the line holds."""

from __future__ import annotations

import pytest

from classad.source import Source


def test_carets_stand_below_the_place() -> None:
    source = Source("first\nvalue = wrong + 1\nlast", first_line=41)
    assert source.position(14) == (42, 9)
    assert source.excerpt(14, 19) == "   42 | value = wrong + 1\n      |         ^~~~~"
    assert source.excerpt(32, 32) == "   43 | last\n      |     ^"


def test_wide_and_combining_characters_and_tabs() -> None:
    text = "\t\u4e2d\u6587 e\u0301 x"
    assert Source(text).excerpt(7, 8).split("\n")[1] == "     | \t       ^"
    assert Source(text).excerpt(1, 3).split("\n")[1] == "     | \t^~~~"


def test_a_long_line_is_cut_around_the_place() -> None:
    text = "a" * 1000 + "WRONG" + "b" * 1000
    shown, carets = Source(text).excerpt(1000, 1005).split("\n")
    assert shown == "   1 | ..." + "a" * 47 + "WRONG" + "b" * 12 + "..."
    assert shown[carets.index("^") :].startswith("WRONG")
    assert carets.endswith("^~~~~")
    shown, carets = Source(text).excerpt(0, 2005).split("\n")
    assert shown == "   1 | " + "a" * 37 + "..."
    assert len(shown) == len(carets)


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert Source("a\x1b[31m\r b").excerpt(0, 1) == "   1 | a\ufffd[31m\ufffd b\n     | ^"


@pytest.mark.parametrize("longest", [0, 1 << 20])
@pytest.mark.parametrize("text", ["", "\n", "one", "one\ntwo\n", "\n\na\u2028b\rc\n\nd"])
def test_a_place_is_counted_from_the_begin_of_its_line_whatever_was_asked_before(
    text: str, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("classad.source._LONG", longest)
    source = Source(text, "file", first_line=3, first_column=5)
    forth = range(-1, len(text) + 2)
    for offset in (*forth, *reversed(forth)):
        before = text[: max(0, offset)]
        row, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
        assert source.position(offset) == (3 + row, column + (1 if row else 5))
