"""What expressions, attributes and units can come to, as ``corpus/sets.txt`` has it."""

from __future__ import annotations

import pytest

from tests.policy.sets import SECTIONS, kept


@pytest.mark.parametrize("section", SECTIONS)
def test_what_can_come_out(section: str) -> None:
    assert "\n".join(SECTIONS[section]()) == "\n".join(kept()[section]), (
        "if that is meant, run: python -m tests.policy.sets"
    )


def test_no_section_is_left_behind() -> None:
    assert list(kept()) == list(SECTIONS)
