"""``pieslice quotas``: the steps that are told add up to what was allocated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main
from pieslice.reports.layout import render_plain
from pieslice.why.moments import AskedCycle
from pieslice.why.quotas import divide_quotas
from tests.cases import every_case
from tests.negotiator import scenarios
from tests.pieslice.test_why_sentences import jobs, slots, told
from tests.pieslice.test_why_sentences import pool as pool_of

CAMPUS = str(Path(__file__).parents[2] / "examples" / "campus")
#: Those with groups: quotas of either kind, surplus, autoregroup, whole slots in turn.
NAMES = [
    name
    for name in scenarios.names()
    if '"GROUP_NAMES"' in (scenarios.VECTORS / f"{name}.json").read_text()
]


@pytest.mark.slow
@every_case("name", NAMES)
def test_the_steps_add_up(name: str) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    found = divide_quotas(AskedCycle(snapshot, policy, scenarios.NOW))
    assert {line.name for line in found.tree} == {step.group for step in found.assigned}
    regrouped = any(line.surplus == "regroup" for line in found.tree)
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


def test_a_group_that_negotiated_was_not_skipped(tmp_path: Path, capsys: Any) -> None:
    """Its job is rejected when the limit comes to 1, so that later passes find no submitters."""
    config = {"GROUP_NAMES": "g, h", "GROUP_QUOTA_g": "2", "GROUP_QUOTA_h": "4"}
    config |= {"GROUP_QUOTA_ROUND_ROBIN_RATE": "1", "NEGOTIATOR_CONSIDER_PREEMPTION": "False"}
    wanted = [jobs("g.ann", Requirements="false"), jobs("h.bob", 4)]
    assert told(tmp_path, pool_of(slots(6), *wanted, config=config), "quotas", "--json") == 0
    first = json.loads(capsys.readouterr().out)["rounds"][0]
    events = [event for event in first["events"] if event["group"] == "g"]
    assert [(event["limit"], event["skipped"]) for event in events] == [
        (0.5, None), (1.0, None), (None, "no submitters"), (None, "no submitters"),
    ]  # fmt: skip
    lines = {line["name"]: (line["limit"], line["skipped"]) for line in first["lines"]}
    assert lines["g"] == (1.0, None)
    assert lines["<none>"] == (None, "zero slots allocated")


@pytest.mark.parametrize(
    ("width", "dropped"),
    [(60, "subtree quota"), (50, "kind, subtree quota"), (40, "kind, surplus, subtree quota")],
)
def test_what_a_narrow_table_of_quotas_leaves_out(width: int, dropped: str) -> None:
    """First what the other columns tell, last whether a group takes surplus."""
    case = scenarios.load("groups-round-robin")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    blocks = divide_quotas(AskedCycle(snapshot, policy, scenarios.NOW)).blocks()
    text = " ".join(render_plain(blocks[:3], width).split())
    assert text.endswith(f" not shown (--wide): {dropped}")
