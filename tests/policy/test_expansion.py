"""Values of macros that are kept for others: they are what expanding all anew gives."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from fuzz.sharing import expansion_ends
from policy.config import Library, load_config
from policy.language.macros import ExpansionError
from policy.language.sources import MemorySources
from policy.strategies import configurations

#: A macro that leads to another one, and so on.
MANY = "".join(f"N{number} = $(N{number + 1})\n" for number in range(12))


@pytest.mark.parametrize(
    "text",
    [
        "A = $(B) $(C)\nB = x\nC =\nD = [$(A)]\n",
        "A = $(C)$(B)\nB = x\nC =\nD = $(A)$(A)\nE = $(D)$(A)\n",
        "A = $INT(x)\nB = $(A)\nC = $(B)$(A)\n",
        "A = x$INT(x)\nB = $(A)\n",
        "A = $(B)y)\nB = $(C:\nC = z\nD = [$(A)]\nE = $(A)$(B)y)\n",
        "A = $(B)\nB = $(D\nC = $(A)E)$(A)E)\nDE = 5\n",
        "A = $$(B)$(C)\nC = $(DOLLAR)\nD = $(A)$(A)\n",
        f"{MANY}N12 = $(N0)\n",
        f"{MANY}N12 = end\nM = $(N0)$(N3)\n",
    ],
)
def test_what_is_kept_of_values_is_what_expanding_them_anew_gives(text: str) -> None:
    """As parts of others, with what functions say, and where it never ends."""
    expansion_ends(text)


def test_a_circle_is_told_from_its_first_name_to_its_last() -> None:
    sources = MemorySources({"a": f"{MANY}N12 = $(N3)\n"})
    config = load_config("a", sources, Library())
    names = " -> ".join(f"N{number}" for number in (*range(3, 13), 3))
    with pytest.raises(ExpansionError, match=re.escape(f"`N3` never ends: {names}")):
        config.text("N0")


@pytest.mark.slow
@pytest.mark.parametrize("more", [3616, 3617])
def test_kept_values_count_with_the_replacements_that_they_take(more: int) -> None:
    """20,000 are too many; the value that is kept of D13 takes 16,382."""
    doubled = "".join(f"D{at} = $(D{at - 1})$(D{at - 1})\n" for at in range(1, 15))
    text = f"D0 = x\n{doubled}E = $(D13){'$(D0)' * more}\n"
    expansion_ends(text)
    config = load_config("a", MemorySources({"a": text}), Library())
    assert len(config.text("D13") or "") == 2**13
    if more == 3616:
        assert len(config.text("E") or "") == 2**13 + more
        return
    with pytest.raises(ExpansionError, match="more than 20000 replacements"):
        config.text("E")


def test_a_dollar_that_was_written_as_a_name_may_begin_another_one() -> None:
    config = load_config("a", MemorySources({"a": "A = $(DOLLAR)(DOLLAR)x\n"}), Library())
    assert config.text("A") == "$x"


@settings(max_examples=60)
@given(configurations())
def test_any_configuration(text: str) -> None:
    expansion_ends(text)
