"""What is told of expressions before they are evaluated; see ``phrases``."""

from __future__ import annotations

from difflib import unified_diff

import pytest

from tests.negotiator import phrases


def test_what_is_told_of_expressions() -> None:
    kept, found = phrases.KEPT.read_text().splitlines(), list(phrases.lines())
    if kept != found:
        pytest.fail("\n".join(unified_diff(kept, found, "kept", "now", lineterm="", n=1)))
