"""Every number of every turn of small pools; condor_negotiator 25.14.1 holds the same turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from negotiator.cycle import negotiate
from negotiator.model.result import CycleResult, Pie, Spin, SubmitterTurn
from tests.negotiator import scenarios

QUIET = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
#: Users whose effective priorities are equal.
ALIKE = {name: {"priority": 1.0, "factor": 1000.0} for name in ("alice", "bob", "a.u", "b.u")}
BIG = 2147483647


def number(value: float) -> str:
    return "big" if value >= BIG else f"{value:.6g}"


def turn_text(turn: SubmitterTurn) -> str:
    """Name, share, both limits, what the ceiling leaves, usage, starvation, what was used."""
    numbers = (turn.share, turn.limit, turn.limit_unclaimed, turn.ceiling_left, turn.usage)
    more = (turn.starvation, turn.used)
    events = ", ".join(event.name for event in turn.events)
    return " ".join(
        [turn.name.partition("@")[0], *map(number, numbers), *map(number, more), turn.outcome.name]
        + ([events] if events else [])
    )


def spin_text(spin: Spin) -> str:
    head = (spin.candidate_slots, spin.total, spin.pie_left, spin.normal_factor, spin.max_priority)
    free = " ignoring the limit" if spin.ignore_limit else ""
    return f"spin {spin.spin}: {' '.join(map(number, head))}{free}"


def told(pies: tuple[Pie, ...]) -> list[str]:
    """What the rounds of a cycle were, a line for each round, spin and turn."""
    lines = []
    for pie in pies:
        stopped = " by quota" * pie.stopped_by_quota + " by pie" * pie.stopped_by_pie
        quota = None if pie.quota is None else number(pie.quota)
        lines.append(f"{pie.group} {quota}{' floors' * pie.floor_round}{stopped}")
        for spin in pie.spins:
            lines.append(spin_text(spin))
            lines += map(turn_text, spin.turns)
    return lines


def slots(*weights: str, **ad: str) -> list[Any]:
    return [
        {"name": f"s{number}", "ad": {"SlotWeight": weight, **ad}}
        for number, weight in enumerate(weights)
    ]


def held(name: str, user: str, weight: str = "1") -> dict[str, Any]:
    claim = {"State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": f'"{user}"'}
    return {"name": name, "ad": {"SlotWeight": weight, "CurrentRank": "1.0", **claim}}


def job(submitter: str, count: int = 1, **ad: str) -> dict[str, Any]:
    return {"submitter": submitter, "count": count, "ad": ad}


def cycle(
    pool: list[Any],
    jobs: list[Any],
    customers: Mapping[str, Mapping[str, float]] | None = None,
    ads: Mapping[str, Any] | None = None,
    **config: str,
) -> CycleResult:
    own = customers or {}
    records = {name: {**record, **own.get(name, {})} for name, record in ALIKE.items()}
    scenario = {
        "slots": pool,
        "jobs": jobs,
        "config": {**QUIET, **config},
        "accountant": {"customers": records},
        "submitter_ads": ads or {},
    }
    seen = {"slot_order": [each["name"] for each in pool]}
    case = {"scenario": scenario, "observed": {"cycles": [seen]}}
    policy = scenarios.policy_of(scenario)
    return negotiate(scenarios.snapshot_of(case), policy, now=scenarios.NOW)


NEVER = {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}
TEN = slots(*["1"] * 10)
CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "shares": (
        {
            "pool": TEN,
            "jobs": [job("alice", 20), job("bob", 20)],
            "customers": {"bob": {"factor": 2000.0}},
        },
        [
            "None None",
            "spin 1: 10 10 10 3 2000 ignoring the limit",
            "alice 0.666667 6.66667 6.66667 big 0 0 6 RESUME HIT_LIMIT",
            "bob 0.333333 3.33333 3.33333 big 0 0 3 RESUME HIT_LIMIT",
            "spin 2: 1 10 1 3 2000",
            "alice 0.666667 0.666667 0.666667 big 6 0.9 0 RESUME PIE_LEFT",
            "bob 0.333333 0.333333 0.333333 big 3 0.9 0 RESUME PIE_LEFT",
        ],
    ),
    "done": (
        {
            "pool": TEN,
            "jobs": [job("alice", 2), job("bob", 20)],
            "customers": {"bob": {"factor": 2000.0}},
        },
        [
            "None None",
            "spin 1: 10 10 10 3 2000 ignoring the limit",
            "alice 0.666667 6.66667 6.66667 big 0 0 2 DONE",
            "bob 0.333333 3.33333 3.33333 big 0 0 3 RESUME HIT_LIMIT",
            "spin 2: 5 10 7 1 2000",
            "bob 1 7 7 big 3 0.3 5 DONE",
        ],
    ),
    "nobody idle": (
        {
            "pool": [*slots("1", "1"), held("h", "bob@test", "2")],
            "jobs": [job("alice", 1), job("bob", 1)],
            "ads": {"bob@test": {"IdleJobs": "0", "RunningJobs": "1"}},
        },
        [
            "None None",
            "spin 1: 3 4 2 2 1000 ignoring the limit",
            "alice 0.5 2 2 big 0 0 1 DONE",
            "bob 0.5 0 0 big 2 1 0 DONE NO_IDLE_JOBS",
        ],
    ),
    "nobody idle, no preemption": (
        {
            "pool": [*slots("1", "1"), held("h", "bob@test", "2")],
            "jobs": [job("alice", 1), job("bob", 1)],
            "ads": {"bob@test": {"IdleJobs": "0", "RunningJobs": "1"}},
            **NEVER,
        },
        [
            "None None",
            "spin 1: 2 4 4 1 1000",
            "alice 1 4 4 big 0 0 1 DONE",
        ],
    ),
    "no pie": (
        {"pool": [held("h", "alice@test", "2")], "jobs": [job("alice", 1)], **NEVER},
        [
            "None None by pie",
        ],
    ),
    "nothing left with preemption": (
        {"pool": [held("h", "alice@test", "2")], "jobs": [job("alice", 1)]},
        [
            "None None",
            "spin 1: 1 2 0 1 1000 ignoring the limit",
            "alice 1 0 0 big 2 1 0 RESUME RANK_ONLY",
        ],
    ),
    "ceiling": (
        {
            "pool": [held("h", "alice@test", "2"), *slots("1", "1")],
            "jobs": [job("alice", 1), job("bob", 1)],
            "customers": {"alice": {"ceiling": 2}},
        },
        [
            "None None",
            "spin 1: 3 4 2 2 1000 ignoring the limit",
            "bob 0.5 2 2 big 0 0 1 DONE",
            "alice 0.5 0 0 0 2 1 0 DONE CEILING",
        ],
    ),
    "ceiling below": (
        {
            "pool": slots("3", "3", "3"),
            "jobs": [job("alice", 1), job("bob", 1)],
            "customers": {"alice": {"ceiling": 2}},
        },
        [
            "None None",
            "spin 1: 3 9 9 2 1000 ignoring the limit",
            "alice 0.5 4.5 4.5 2 0 0 0 DONE CEILING",
            "bob 0.5 4.5 4.5 big 0 0 3 DONE",
        ],
    ),
    "ceiling just": (
        {
            "pool": slots("2", "2", "2"),
            "jobs": [job("alice", 2), job("bob", 1)],
            "customers": {"alice": {"ceiling": 2}},
        },
        [
            "None None",
            "spin 1: 3 6 6 2 1000 ignoring the limit",
            "alice 0.5 3 3 2 0 0 2 RESUME HIT_CEILING",
            "bob 0.5 3 3 big 0 0 2 DONE",
            "spin 2: 1 6 4 1 1000",
            "alice 1 4 4 0 2 0.333333 0 DONE CEILING",
        ],
    ),
    "crumbs": (
        {"pool": slots("4", "4", "4"), "jobs": [job("alice", 4), job("bob", 4)]},
        [
            "None None",
            "spin 1: 3 12 12 2 1000 ignoring the limit",
            "alice 0.5 6 6 big 0 0 4 RESUME HIT_LIMIT",
            "bob 0.5 6 6 big 0 0 4 RESUME HIT_LIMIT",
            "spin 2: 1 12 4 2 1000",
            "alice 0.5 2 2 big 4 0.666667 0 RESUME PIE_LEFT",
            "bob 0.5 2 2 big 4 0.666667 0 RESUME PIE_LEFT",
        ],
    ),
    "floor": (
        {
            "pool": slots("1", "1", "1", "1"),
            "jobs": [job("alice", 4), job("bob", 4)],
            "customers": {"bob": {"floor": 3}},
        },
        [
            "None None floors",
            "spin 1: 4 4 4 1 1000 ignoring the limit",
            "bob 1 3 4 big 0 0 3 RESUME RANK_ONLY",
            "None None",
            "spin 1: 1 4 2 2 1000 ignoring the limit",
            "alice 0.5 2 2 big 0 0 1 DONE",
            "bob 0.5 0 0 big 3 1 0 RESUME RANK_ONLY",
        ],
    ),
    "usage": (
        {
            "pool": [held("h", "alice@test", "2"), *slots("1", "1")],
            "jobs": [job("alice", 2), job("bob", 2)],
        },
        [
            "None None",
            "spin 1: 3 4 2 2 1000 ignoring the limit",
            "bob 0.5 2 2 big 0 0 2 RESUME RANK_ONLY",
            "alice 0.5 0 0 big 2 1 0 RESUME RANK_ONLY",
            "spin 2: 1 4 0 2 1000",
            "bob 0.5 0 0 big 2 1 0 RESUME PIE_LEFT",
            "alice 0.5 0 0 big 2 1 0 RESUME PIE_LEFT",
        ],
    ),
    "group": (
        {
            "pool": [held("h", "a.u@test", "3"), *slots("1", "1", "1")],
            "jobs": [job("a.u", 3), job("b.u", 3)],
            "GROUP_NAMES": "a, b",
            "GROUP_QUOTA_a": "4",
            "GROUP_QUOTA_b": "2",
        },
        [
            "b 2 by quota",
            "spin 1: 4 2 2 1 1000 ignoring the limit",
            "b.u 1 2 2 big 0 0 2 RESUME RANK_ONLY",
            "a 4 by quota",
            "spin 1: 2 4 1 1 1000 ignoring the limit",
            "a.u 1 1 1 big 3 0.75 1 RESUME RANK_ONLY",
        ],
    ),
    "group, no preemption": (
        {
            "pool": [held("h", "a.u@test", "3"), *slots("1", "1", "1")],
            "jobs": [job("a.u", 3), job("b.u", 3)],
            "GROUP_NAMES": "a, b",
            "GROUP_QUOTA_a": "4",
            "GROUP_QUOTA_b": "2",
            **NEVER,
        },
        [
            "b 2 by quota",
            "spin 1: 3 2 2 1 1000",
            "b.u 1 2 2 big 0 0 2 RESUME LIMIT",
        ],
    ),
    "priorities ignored": (
        {
            "pool": slots("1", "1"),
            "jobs": [job("alice", 2), job("bob", 2)],
            "NEGOTIATOR_IGNORE_USER_PRIORITIES": "True",
        },
        [
            "None None",
            "spin 1: 2 2 big 2 1000 ignoring the limit",
            "alice 0.5 big big big 0 0 2 DONE",
            "bob 0.5 big big big 0 0 0 DONE",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_turns(name: str) -> None:
    given, expected = CASES[name]
    assert told(cycle(**given).pies) == expected


def test_a_result_tells_when_the_cycle_was_and_when_groups_were_served() -> None:
    config: dict[str, Any] = {"GROUP_NAMES": "a, b", "GROUP_QUOTA_a": "1", "GROUP_QUOTA_b": "1"}
    result = cycle(slots("1"), [job("a.u", 1)], **config)
    assert result.now == scenarios.NOW
    assert set(result.group_turns or ()) == {"<none>", "a", "b"}
    plain = cycle(slots("1"), [job("alice", 1)])
    assert (plain.group_turns, plain.quotas, plain.rounds) == (None, None, ())
