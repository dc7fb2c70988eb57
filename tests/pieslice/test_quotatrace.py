"""``pieslice quotas``: the steps that are told add up to what was allocated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main
from pieslice.why.quotas.trace import trace_quotas
from tests.negotiator import scenarios

CAMPUS = str(Path(__file__).parents[2] / "examples" / "campus")
NAMES = [name for name in scenarios.names() if name.startswith("groups-")]


@pytest.mark.parametrize("name", NAMES)
def test_the_steps_add_up(name: str) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    found = trace_quotas(snapshot, policy, now=scenarios.NOW)
    assert {line.name for line in found.groups} == {step.group for step in found.assigned}
    regrouped = any(line.surplus == "regroup" for line in found.groups)
    for item in found.rounds:
        for line in item.lines:
            if regrouped and line.depth == 0:
                continue  # with autoregroup the root is given the whole pool on top
            got = line.own + line.taken + line.taken_equally + line.whole
            assert got == pytest.approx(line.allocated)
            assert line.requested == pytest.approx(line.allocated + line.unallocated)
        given = sum(line.given for line in item.lines)
        taken = sum(line.taken + line.taken_equally + line.whole for line in item.lines)
        assert given == pytest.approx(taken + item.surplus)


def test_what_is_handed_to_a_child_is_spread_by_the_child(capsys: Any) -> None:
    assert main(["quotas", CAMPUS, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    spreads = {s["group"]: s for s in data["rounds"][0]["steps"] if s["step"] == "Spread"}
    (part,) = [p for p in spreads["<none>"]["shares"] if p["group"] == "group_physics"]
    assert part["by_quota"] == spreads["group_physics"]["surplus"] == pytest.approx(16 / 3)


def test_trace_has_a_sentence_for_every_step(capsys: Any) -> None:
    assert main(["quotas", CAMPUS, "--trace"]) == 0
    text = capsys.readouterr().out
    assert "  group_chemistry: requests 40, takes 40 of its quota 48, gives up 8\n" in text
    assert "  <none>: divides a surplus of 8, 481 requested; 0 left\n" in text
    assert "  group_physics: skipped, zero slots allocated\n" in text


def test_a_pool_without_groups(pool: Path, capsys: Any) -> None:
    assert main(["quotas", str(pool)]) == 0
    assert capsys.readouterr().out.startswith("no accounting group is configured")
