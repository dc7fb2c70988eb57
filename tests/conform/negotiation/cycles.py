"""Checks the recorded scenarios of one or more cycles.

Decides how such a file is recognised.

Inputs: parsed files.  Outputs: the kinds.  Follows: the README beside the recordings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pieslice.data import Content
from tests.conform.negotiation.course import Played, play
from tests.conform.negotiation.scenarios import differences
from tests.conform.runner import Case, Kind, Mismatch

#: What hangs on the order in which jobs are offered.
_OFFERED: Final = ("matches", "rejections", "requests", "pies", "customers_after")


def check_scenario(case: Case) -> list[Mismatch]:
    """Every cycle of a scenario; fields are prefixed by the cycle's number where it has several."""
    found: list[Mismatch] = []
    several = len(case["observed"]["cycles"]) > 1
    for number, played in enumerate(play(case), 1):
        prefix = f"cycle {number}: " if several else ""
        reason = _without_ids(played)
        for item in differences(played):
            field = item.field.removeprefix("number of ")
            explained = reason if field.startswith(_OFFERED) else None
            found.append(Mismatch(prefix + item.field, item.expected, item.actual, explained))
    return found


def _without_ids(played: Played) -> str | None:
    """Why it cannot be told which jobs a schedd offers, if a record lacks what tells it."""
    policy = played.policy
    in_lists = policy.use_resource_request_counts and policy.resource_request_list_size != 1
    if not (policy.negotiate_all_jobs_in_cluster and in_lists):
        return None
    requests = played.seen.get("requests", ())
    if requests and all("autocluster" in request for request in requests):
        return None
    return (
        "the record lacks the schedd's autocluster ids (`autocluster` of each request), by which it"
        " passes over jobs with NEGOTIATE_ALL_JOBS_IN_CLUSTER"
    )


def _scenarios(content: Content) -> Iterable[Case] | None:
    if not isinstance(content, dict) or not {"scenario", "observed"} <= set(content):
        return None
    return [{"id": content["scenario"].get("name", "scenario"), **content}]


CYCLE_KINDS: Final = (
    Kind(
        "negotiation",
        lambda case: {"scenario", "observed"} <= set(case),
        check_scenario,
        frozenset(("id", "scenario", "observed", "reproducible", "unstable")),
        _scenarios,
    ),
)
