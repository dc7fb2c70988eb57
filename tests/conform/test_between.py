"""What schedds and startds did between cycles, with real daemons: 113 recorded small pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conform.kinds import KINDS
from tests.conform.runner import outcomes, run

ROOM = Path(__file__).parents[1] / "vectors" / "between"
FAMILIES = sorted(ROOM.glob("*.jsonl.gz"))
#: Records that nothing plays yet: why, and how many.
UNPLAYED = {
    "PREEMPT of startds": 1,
    "expressions that hold, remove or requeue jobs": 4,
}


@pytest.mark.parametrize("path", FAMILIES, ids=lambda path: path.name.partition(".")[0])
def test_matches_and_starts_are_those_of_the_real_daemons(path: Path) -> None:
    found = [outcome for outcome in outcomes([path], KINDS) if outcome.unplayed is None]
    assert [(outcome.id, outcome.mismatches) for outcome in found if outcome.mismatches] == []


def test_what_is_not_played_is_counted() -> None:
    summary = run([ROOM], KINDS)
    assert {name: count for name, (count, _) in summary.not_played.items()} == UNPLAYED
    assert summary.by_kind["what-if of startds and schedds"] == (22, 0)
    assert summary.passed + sum(UNPLAYED.values()) == 113 + 22
