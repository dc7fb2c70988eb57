"""Small functions of the negotiator on both sides of their bounds; see ``numbers``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import unified_diff

import pytest

from tests.negotiator import numbers

KEPT = numbers.kept()


@pytest.mark.parametrize("chapter", numbers.CHAPTERS, ids=lambda chapter: chapter.__name__)
def test_what_functions_come_to(chapter: Callable[[], Iterator[str]]) -> None:
    kept, found = KEPT[chapter.__name__], list(chapter())
    if kept != found:
        pytest.fail("\n".join(unified_diff(kept, found, "kept", "now", lineterm="", n=0)))
