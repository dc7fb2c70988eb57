"""Time limits, with requests that take a simulated time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from negotiator.cycle import negotiate
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.result import CycleResult, TurnEvent
from pieslice.cli import main
from tests.negotiator import scenarios

SLOTS = [{"name": "slot{i}@f", "count": 20}]


def run(jobs: list[Any], seconds: float, costs: dict[str, float], **config: str) -> CycleResult:
    scenario = {"slots": SLOTS, "jobs": jobs, "config": config}
    case = {
        "scenario": scenario,
        "observed": {"cycles": [{"slot_order": [], "submitter_order": []}]},
    }
    policy, snapshot = scenarios.policy_of(scenario), scenarios.snapshot_of(case)
    made = RequestCosts(seconds, costs)
    return negotiate(snapshot, policy, now=scenarios.NOW, costs=made)


def turns(result: CycleResult) -> list[tuple[int, str, tuple[TurnEvent, ...]]]:
    return [
        (spin.spin, turn.name.partition("@")[0], turn.events)
        for pie in result.pies
        for spin in pie.spins
        for turn in spin.turns
    ]


def matched(result: CycleResult) -> list[str]:
    return [match.submitter.partition("@")[0] for match in result.matches]


JOBS = [{"submitter": "alice", "count": 8}, {"submitter": "bob", "count": 8}]


def test_nothing_takes_time_unless_told() -> None:
    config = {"NEGOTIATOR_MAX_TIME_PER_CYCLE": "1", "NEGOTIATOR_MAX_TIME_PER_PIESPIN": "1"}
    result = run(JOBS, 0.0, {}, **config)
    assert len(result.matches) == 16
    assert result.seconds == 0.0


def test_a_turn_ends_and_goes_on_in_the_next_spin() -> None:
    result = run(JOBS, 1.0, {}, NEGOTIATOR_MAX_TIME_PER_PIESPIN="3")
    assert matched(result)[:9] == [*["alice"] * 3, *["bob"] * 3, *["alice"] * 3]
    assert turns(result)[0] == (1, "alice", (TurnEvent.DEADLINE,))
    assert len(result.matches) == 16
    assert result.seconds == 16.0


def test_a_submitter_has_only_so_much() -> None:
    limits = {"NEGOTIATOR_MAX_TIME_PER_PIESPIN": "3", "NEGOTIATOR_MAX_TIME_PER_SUBMITTER": "5"}
    result = run(JOBS, 1.0, {}, **limits)
    # Three in the first spin, two in the second, and the third ends before it begins.
    assert matched(result).count("alice") == matched(result).count("bob") == 5
    assert (3, "alice", (TurnEvent.SUBMITTER_TIME,)) in turns(result)


def test_a_slow_schedd_is_left_after_its_time() -> None:
    jobs = [
        {"submitter": "alice", "count": 4, "schedd": "s1"},
        {"submitter": "bob", "count": 4, "schedd": "s1"},
        {"submitter": "carol", "count": 4, "schedd": "s2"},
    ]
    slow = {"s1@oracle.test": 2.0}
    result = run(jobs, 0.0, slow, NEGOTIATOR_MAX_TIME_PER_SCHEDD="4")
    assert matched(result) == ["alice", "alice", "carol", "carol", "carol", "carol"]
    assert (1, "bob", (TurnEvent.SCHEDD_TIME,)) in turns(result)


def test_the_cycle_ends() -> None:
    result = run(JOBS, 1.0, {}, NEGOTIATOR_MAX_TIME_PER_CYCLE="6")
    assert matched(result) == ["alice"] * 6
    assert (1, "bob", (TurnEvent.CYCLE_TIME,)) in turns(result)


def test_whole_seconds_count() -> None:
    """The limit of 1 s is reached at the fourth request of 0.3 s, not between."""
    result = run(JOBS, 0.3, {}, NEGOTIATOR_MAX_TIME_PER_CYCLE="1")
    assert matched(result) == ["alice"] * 4


def test_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pool.json"
    config = {"NEGOTIATOR_MAX_TIME_PER_CYCLE": "6"}
    path.write_text(json.dumps({"slots": SLOTS, "jobs": JOBS, "config": config}))
    arguments = ["negotiate", str(path), "--seconds-per-request"]
    assert main([*arguments, "1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["time"] == {
        "seconds": 6.0,
        "ended": [
            {"submitter": "alice@test", "reason": TurnEvent.DEADLINE.value, "pie": 0, "spin": 1},
            {"submitter": "bob@test", "reason": TurnEvent.CYCLE_TIME.value, "pie": 0, "spin": 1},
            {"submitter": "alice@test", "reason": TurnEvent.CYCLE_TIME.value, "pie": 0, "spin": 2},
        ],
    }
    assert main([*arguments, "s1@oracle.test=0.5"]) == 0
    assert "simulated time of the requests: 6 s" in capsys.readouterr().out
    assert main([*arguments, "soon"]) == 2
