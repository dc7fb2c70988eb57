"""What schedds and startds did between cycles, with real daemons: 113 recorded small pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conform.kinds import KINDS
from tests.conform.runner import outcomes, run

ROOM = Path(__file__).parents[1] / "vectors" / "between"
FAMILIES = sorted(ROOM.glob("*.jsonl.gz"))


@pytest.mark.parametrize("path", FAMILIES, ids=lambda path: path.name.partition(".")[0])
def test_matches_and_starts_are_those_of_the_real_daemons(path: Path) -> None:
    found = outcomes([path], KINDS)
    assert [(outcome.id, outcome.mismatches) for outcome in found if outcome.mismatches] == []


def test_all_records_are_played() -> None:
    summary = run([ROOM], KINDS)
    assert not summary.not_played
    assert summary.by_kind["what-if of startds and schedds"] == (22, 0)
    assert summary.passed == 113 + 22
