"""What the functions of reports print of many inputs, as it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.pieslice.kept import same_text
from tests.pieslice.told import SECTIONS, kept, section


@pytest.mark.parametrize("make", SECTIONS, ids=lambda it: it.__name__)
def test_a_section_is_the_one_that_is_kept(make: Callable[[], Iterator[str]]) -> None:
    same_text(section(make), kept()[make.__name__], "tests.pieslice.told")
