"""What the negotiator makes of submitter ads."""

from __future__ import annotations

from typing import Any

import pytest

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.jobs.submitters import (
    Submitter,
    consolidate,
    fetch_submitters,
    job_prio_array,
    negotiated_name,
)
from policy.load import policy_from_knobs

CONTEXT = EvalContext(now=0.0)
ADDRESS = "<192.0.2.1:9618>"


def fetched(ad: dict[str, Any], **knobs: str) -> list[Submitter]:
    whole = {"Name": "u@x", "ScheddName": "s", "ScheddIpAddr": ADDRESS, "IdleJobs": 1, **ad}
    given = ClassAd({name: value for name, value in whole.items() if value is not None})
    return fetch_submitters([given], policy_from_knobs(knobs).policy, CONTEXT)


@pytest.mark.parametrize(
    ("ad", "there"),
    [
        ({}, True),
        ({"IdleJobs": 0, "RunningJobs": 2}, True),
        ({"IdleJobs": 0, "RunningJobs": 0}, False),
        ({"IdleJobs": None}, False),
        ({"IdleJobs": 3, "RunningJobs": -3}, False),
        ({"Name": "u v@x"}, False),
        ({"Name": " u@x"}, False),
        ({"Name": None}, False),
        ({"ScheddIpAddr": None}, False),
    ],
)
def test_who_has_jobs_a_name_and_an_address_takes_part(ad: dict[str, Any], there: bool) -> None:
    assert bool(fetched(ad)) is there


@pytest.mark.parametrize(
    ("ad", "weighted", "plain"),
    [
        ({"IdleJobs": 3, "RunningJobs": 2}, 5.0, 5.0),
        ({"IdleJobs": 3, "RunningJobs": 2, "WeightedIdleJobs": 7.5}, 9.5, 5.0),
        ({"IdleJobs": 3, "RunningJobs": 2, "WeightedIdleJobs": 0}, 2.0, 5.0),
        ({"IdleJobs": 3, "WeightedRunningJobs": 4, "WeightedIdleJobs": 0.5}, 4.5, 3.0),
    ],
)
def test_demand_is_what_jobs_weigh_or_their_number(
    ad: dict[str, Any], weighted: float, plain: float
) -> None:
    """A weight of 0 is one; without a weight jobs count."""
    for use, demand in (("True", weighted), ("False", plain)):
        (found,) = fetched(ad, NEGOTIATOR_USE_WEIGHTED_DEMAND=use)
        assert found.demand == demand


GLOBAL = {"USE_GLOBAL_JOB_PRIOS": "True"}


@pytest.mark.parametrize(
    ("text", "prios"),
    [
        ("9,-3", [9, -3]),
        ("7x, junk,+2  4.9", [7, 0, 2, 4]),
        (None, [None]),
    ],
)
def test_a_submitter_takes_part_once_for_each_priority(
    text: str | None, prios: list[int | None]
) -> None:
    """Words count as far as they are numbers, and those that are none count as 0."""
    assert [one.own_prio for one in fetched({"JobPrioArray": text}, **GLOBAL)] == prios
    assert [one.own_prio for one in fetched({"JobPrioArray": text})] == [None]


def test_a_submitter_without_a_priority_to_tell_is_only_known_by_name() -> None:
    for ad in ({"JobPrioArray": ""}, {"SkipMatchmaking": True}):
        assert [(one.name, one.skipped) for one in fetched(ad, **GLOBAL)] == [("u@x", True)]
    (found,) = fetched({"SkipMatchmaking": False}, **GLOBAL)
    assert not found.skipped


def test_neighbours_of_one_name_and_schedd_negotiate_for_all_their_priorities() -> None:
    def ad(name: str, schedd: str, prio: int | None) -> Submitter:
        return Submitter(name, schedd, 1, 0, 1.0, 0, own_prio=prio)

    given = [ad("u", "s", 5), ad("u", "s", -2), ad("u", "s", 9), ad("u", "t", 1), ad("v", "t", 1)]
    assert [(one.name, one.schedd, one.job_prios) for one in consolidate(given)] == [
        ("u", "s", (-2, 9)),
        ("u", "t", (1, 1)),
        ("v", "t", (1, 1)),
    ]
    # A range that was joined in a round before is forgotten.
    (joined, *_) = consolidate(given)
    assert consolidate([joined])[0].job_prios == (5, 5)
    alone = [ad("u", "s", None), ad("u", "s", None)]
    assert len(consolidate(alone)) == 2


def test_priorities_are_told_once_each_the_highest_first() -> None:
    policy = policy_from_knobs({}).policy
    assert job_prio_array([3, 10, 3.7, -1], policy) == "10,3,-1"
    many = job_prio_array(range(500), policy).split(",")
    assert (many[0], len(many)) == ("499", policy.max_global_job_prios)


def test_a_name_without_a_prefix_stays() -> None:
    assert negotiated_name("u@x", policy_from_knobs({}).policy) == "u@x"


def test_counts_beyond_64_bits_are_added_up() -> None:
    (one,) = fetched({"IdleJobs": 1e308, "RunningJobs": 1e308})
    assert (one.idle_jobs, one.running_jobs) == (2**63 - 1, 2**63 - 1)
    (one,) = fetched(
        {"IdleJobs": 1e308, "RunningJobs": 1e308}, NEGOTIATOR_USE_WEIGHTED_DEMAND="false"
    )
    assert one.demand == 2.0**64
