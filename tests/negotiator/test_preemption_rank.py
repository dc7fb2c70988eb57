"""PREEMPTION_RANK orders slots that somebody has to leave, and no others; both engines."""

from __future__ import annotations

from typing import Any

import pytest

from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from tests.negotiator import scenarios
from tests.negotiator.test_corners import QUIET, claimed, job, slot

ALWAYS = {"NEGOTIATOR_CONSIDER_PREEMPTION": "True", "PREEMPTION_REQUIREMENTS": "True"}
WORSE = {"bob": {"priority": 9.0, "factor": 1000.0}, "alice": {"priority": 1.0, "factor": 1000.0}}
#: The second cannot be found for all slots at once.
RANKS = ("SlotID", 'eval("SlotID")')


def order(slots: list[dict[str, Any]], rank: str, engine: str) -> list[tuple[str, str]]:
    """The slots that alice is given, and how, in the order of the matches."""
    scenario = {
        "slots": slots,
        "jobs": [job("alice", 3)],
        "config": {**QUIET, **ALWAYS, "PREEMPTION_RANK": rank},
        "accountant": {"customers": WORSE},
    }
    seen: dict[str, Any] = {"slot_order": [slot["name"] for slot in slots]}
    snapshot = scenarios.snapshot_of({"scenario": scenario, "observed": {"cycles": [seen]}})
    policy = scenarios.policy_of(scenario)
    result = negotiate(snapshot, policy, now=scenarios.NOW, engine=engine)
    return [(match.slot, match.kind.value) for match in result.matches]


def numbered(made: dict[str, Any], number: int, **ad: str) -> dict[str, Any]:
    made["ad"] |= {"SlotID": str(number), **ad}
    return made


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rank", RANKS)
def test_slots_that_nobody_holds_stay_in_pool_order(rank: str, engine: str) -> None:
    held = numbered(claimed("z", "bob@test"), 9, Rank="0.0", CurrentRank="0.0")
    free = [numbered(slot(name), number) for number, name in enumerate("abc", 1)]
    found = order([held, *free], rank, engine)
    assert found == [("a", "none"), ("b", "none"), ("c", "none")]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize(("preferring", "kind"), [("0.0", "priority"), ("2.0", "rank")])
def test_slots_that_are_held_go_by_it(preferring: str, kind: str, rank: str, engine: str) -> None:
    """Whether their startds prefer the request or its submitter has the better priority."""
    held = [
        numbered(claimed(name, "bob@test"), number, Rank=preferring, CurrentRank="0.0")
        for name, number in (("a", 2), ("b", 5), ("c", 3))
    ]
    found = order(held, rank, engine)
    assert found == [("b", kind), ("c", kind), ("a", kind)]
