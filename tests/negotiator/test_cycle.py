"""The cycle against recordings of the real negotiator: matches and rejections, in their order.

``not_yet.json`` beside the vectors names the scenarios that do not agree yet, each with a reason;
one that begins to agree must leave the list.
"""

from __future__ import annotations

import json

import pytest

from tests.negotiator import scenarios

NOT_YET: dict[str, str] = json.loads((scenarios.VECTORS / "not_yet.json").read_text())
NAMES = scenarios.names()
BIG = {"random-20", "random-21"}


def mark(name: str) -> object:
    return pytest.param(name, marks=pytest.mark.slow if name in BIG else ())


@pytest.mark.parametrize("name", [mark(name) for name in NAMES if name not in NOT_YET])
def test_decisions(name: str) -> None:
    case = scenarios.load(name)
    result = scenarios.run(case)
    matches, rejections = scenarios.decided(result)
    expected_matches, expected_rejections = scenarios.recorded(case["observed"]["cycles"][0])
    assert matches == expected_matches
    assert rejections == expected_rejections
    pies = case["observed"]["cycles"][0]["pies"]
    assert len(result.pies) == len(pies)
    for pie, expected in zip(result.pies, pies, strict=True):
        assert pie.group == expected["group"]
        assert pie.floor_round == expected["floor_round"]
        for spin, seen in zip(pie.spins, expected["spins"], strict=True):
            assert spin.pie_left == pytest.approx(seen["pie_left"], abs=1e-3)
            for turn, was in zip(spin.turns, seen["submitters"], strict=True):
                assert turn.name == was["name"]
                assert turn.effective_priority == pytest.approx(was["prio"], abs=1e-6)
                assert turn.limit == pytest.approx(was["limit"], abs=1e-6)
                # What rounding leaves of a pie depends on the collector's order of the submitter
                # ads, which is not recorded; it may or may not be a limit.
                if turn.limit == 0 or turn.limit > 1e-9:
                    assert turn.outcome.value == was["outcome"]
                assert turn.usage == pytest.approx(was["usage"], abs=1e-6)


def test_nothing_on_the_list_agrees() -> None:
    agreed = []
    for name in NOT_YET:
        case = scenarios.load(name)
        found = scenarios.decided(scenarios.run(case))
        if found == scenarios.recorded(case["observed"]["cycles"][0]):
            agreed.append(name)
    assert agreed == []


def test_same_inputs_same_result() -> None:
    case = scenarios.load("preempt-kinds-order")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    first = scenarios.negotiate(snapshot, policy, now=scenarios.NOW)
    assert first == scenarios.negotiate(snapshot, policy, now=scenarios.NOW)
