"""``examples/tour`` is the pool of the recorded cases of that name: the same decisions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negotiator.capture.agreement import parse_expected
from negotiator.cycle import negotiate
from negotiator.io import CapturePaths, read_capture
from tests.negotiator import scenarios

TOUR = Path(__file__).parents[2] / "examples" / "tour"


@pytest.mark.parametrize(
    ("config", "case"),
    [
        ("condor_config", "tour"),
        ("breadth_first", "tour-breadth-first"),
        ("no_preemption", "tour-no-preemption"),
    ],
)
def test_the_real_negotiator_decides_the_same(config: str, case: str) -> None:
    pool = read_capture(CapturePaths(TOUR, {"config": TOUR / config}))
    result = negotiate(pool.snapshot, pool.policy, now=pool.facts.now)
    cycle = scenarios.load(case)["observed"]["cycles"][0]
    matches, rejections = scenarios.decided(result)
    for ours, theirs in ((matches, cycle["matches"]), (rejections, cycle["rejections"])):
        assert [*map(plain, ours)] == [*map(plain, theirs)]


def plain(decision: dict[str, Any]) -> dict[str, Any]:
    """A decision without the name of the schedd, which is another one in the recordings."""
    wanted = ("seq", "pie", "spin", "submitter", "job", "count", "slot", "preempted", "reason")
    return {key: decision[key] for key in wanted if key in decision}


def test_expected_is_the_recorded_case() -> None:
    expected = parse_expected(json.loads((TOUR / "expected.json").read_text()))
    cycle = scenarios.load("tour")["observed"]["cycles"][0]
    assert [match[2] for match in expected.matches] == [m["slot"] for m in cycle["matches"]]
    assert len(expected.rejections) == len(cycle["rejections"])
