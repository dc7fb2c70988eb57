"""What is declared of macros and how texts are read, as ``corpus/declared.txt`` has it."""

from __future__ import annotations

import pytest

from tests.policy.declared import SECTIONS, kept


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_known_of_macros(section: str) -> None:
    assert "\n".join(SECTIONS[section]()) == "\n".join(kept()[section]), (
        "if that is meant, run: python -m tests.policy.declared"
    )


def test_no_section_is_left_behind() -> None:
    assert list(kept()) == list(SECTIONS)
