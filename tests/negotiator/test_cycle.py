"""The cycle against recordings of the real negotiator."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from negotiator.cycle import negotiate
from negotiator.io import CapturePaths, read_capture
from negotiator.matching.board import CycleBegan, Event
from tests.conform.negotiation.cycles import CYCLE_KINDS
from tests.conform.runner import check_case
from tests.negotiator import scenarios

EXAMPLE = Path(__file__).parents[2] / "examples" / "tour"


@pytest.mark.slow
@pytest.mark.parametrize("name", scenarios.names())
def test_scenario(name: str) -> None:
    scenarios.played_by_both_engines(scenarios.load(name))


def test_a_wrong_recording_is_noticed() -> None:
    case = scenarios.load("preempt-kinds-order")
    cycle = case["observed"]["cycles"][0]
    cycle["matches"][0]["slot"] += "x"
    cycle["requests"][1]["limit"] += 0.1
    name = next(iter(cycle["customers_after"]))
    cycle["customers_after"][name]["PriorityFactor"] = 7.0
    fields = [item.field for item in check_case(case, CYCLE_KINDS).mismatches]
    wrong = f"customers_after.{name}.PriorityFactor"
    assert fields == ["matches[0].slot", "requests[1].limit", wrong]


def test_group_events_are_compared() -> None:
    case = scenarios.load("groups-seed-hfs")
    events = case["observed"]["cycles"][0]["groups"]["events"]
    at = next(i for i, event in enumerate(events) if event["event"] == "fairshare2")
    events[at]["allocated"] += 1
    (mismatch,) = check_case(case, CYCLE_KINDS).mismatches
    assert mismatch.field.endswith(".allocated")


def test_a_second_cycle_has_the_claims_of_the_first() -> None:
    case = scenarios.load("two-cycles")
    steps = list(scenarios.play(case))
    assert len(steps) == 2
    names = {match.slot for match in steps[0].result.matches}
    claimed = {ad["Name"] for ad in steps[1].snapshot.slots if ad["State"] == "Claimed"}
    assert names <= claimed


def test_same_inputs_same_result() -> None:
    case = scenarios.load("preempt-kinds-order")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    first = negotiate(snapshot, policy, now=scenarios.NOW)
    assert first == negotiate(snapshot, policy, now=scenarios.NOW)


@pytest.mark.parametrize("before", [True, False])
def test_python_looks_for_no_garbage_during_a_cycle(before: bool) -> None:
    capture = read_capture(CapturePaths(EXAMPLE))
    snapshot, policy, now = capture.snapshot, capture.policy, capture.facts.now
    seen, enabled = list[bool](), gc.isenabled()

    def watch(event: Event) -> None:
        if isinstance(event, CycleBegan):
            seen.append(gc.isenabled())

    try:
        (gc.enable if before else gc.disable)()
        negotiate(snapshot, policy, now=now, watch=watch)
        assert (seen, gc.isenabled()) == ([False], before)
        with pytest.raises(AttributeError):
            negotiate(None, policy, now=now)  # type: ignore[arg-type]
        assert gc.isenabled() is before
    finally:
        (gc.enable if enabled else gc.disable)()
