"""The Python interface gives what the real one gave; ``api_asked.py`` tells how it is recorded."""

from __future__ import annotations

import pytest

from tests.classad.api_asked import agrees, recorded

pytestmark = pytest.mark.filterwarnings("ignore::classad.V1Warning")


def test_calls_have_the_recorded_outcomes() -> None:
    calls = recorded()
    assert len(calls) > 2000
    assert [(row, real) for row, real in calls if not agrees(row, real)] == []
