"""Texts with a cursor, for the tests of what an editor asks."""

from __future__ import annotations

from pathlib import Path

from classad.source import Source
from policy.config import Config
from tests.policy.test_lint import read

ROOT = Path(__file__).parents[2]
#: Where the cursor stands in a text.
CURSOR = "¦"
#: The configurations of the examples.
EXAMPLES = sorted(
    path
    for pattern in ("*/condor_config", "policies/*/*", "reload/*/condor_config")
    for path in (ROOT / "examples").glob(pattern)
)


def cursor(text: str, files: dict[str, str] | None = None) -> tuple[Config, Source, int]:
    """A configuration that was read, its text, and the offset of the cursor in it."""
    assert text.count(CURSOR) == 1
    plain = text.replace(CURSOR, "")
    return read(plain, files), Source(plain, "pool.conf"), text.index(CURSOR)
