"""``why`` says who starts on what the matches of a cycle leave of slots, and who may not."""

from __future__ import annotations

from typing import Any

import pytest

from negotiator.scenario.read import NOW
from pieslice.why.answer import Explained, explain_job
from pieslice.why.asked import JobScope, all_jobs, find_job
from pieslice.why.autoclusters import Surveyed, survey_jobs
from pieslice.why.moments import AskedCycle
from tests.conform.negotiation.course import first_snapshot, policy_of
from tests.pieslice.test_between import Play, jobs, whole


def cycle(slots: list[dict[str, Any]], queue: list[dict[str, Any]], **knobs: str) -> AskedCycle:
    scenario = {"slots": slots, "jobs": queue, "config": knobs}
    case = {"scenario": scenario, "observed": {"cycles": [{}]}}
    return AskedCycle(first_snapshot(case), policy_of(scenario), NOW)


def why(asked: AskedCycle, job: str) -> Explained:
    return explain_job(asked, find_job(asked.snapshot, job))


def survey(asked: AskedCycle) -> Surveyed:
    return survey_jobs(asked, JobScope("all", tuple(all_jobs(asked.snapshot))))


def text(answer: Explained) -> str:
    return "\n".join(str(getattr(block, "text", "")) for block in answer.blocks())


def test_a_rejected_job_that_starts_on_a_leftover_is_said_to_start() -> None:
    asked = cycle([whole(3)], [jobs(1, 5)])
    answer = why(asked, "1.2")
    assert answer.summary() == (
        "job 1.2 of ann@test: starts at once on what the match of 1.0 leaves of slot1@m"
    )
    assert "in the cycle itself: rejected, " in text(answer)
    assert answer.data()["left"] == {"slot": "slot1@m", "job": "1.0"}
    # The fourth core is nobody's.
    assert why(asked, "1.3").summary().startswith("job 1.3 of ann@test: rejected, no match found")
    assert why(asked, "1.0").summary().startswith("job 1.0 of ann@test: matched, slot1@m")


def test_a_survey_counts_those_that_start_on_leftovers() -> None:
    found = survey(cycle([whole(3)], [jobs(1, 5)]))
    assert (found.waiting, found.matched, found.starting) == (5, 1, 2)
    assert found.summary() == (
        "all: 5 jobs in 1 autocluster waited: 1 matched, 2 start on what that leaves, 2 not"
    )
    (row,) = found.autoclusters
    assert (row.matched, row.starting, [cause.jobs for cause in row.causes]) == (1, 2, [2])
    assert row.verdict.startswith(
        "2 start at once on what the match of 1.0 leaves of slot1@m; 2 rejected: no match found"
    )
    one = survey(cycle([whole(2)], [jobs(1), jobs(2, RequestMemory="9")]))
    assert [row.verdict for row in one.autoclusters if row.starting] == [
        "starts at once on what the match of 1.0 leaves of slot1@m"
    ]


@pytest.mark.parametrize(
    ("slots", "knobs"),
    [
        ([{"name": "slot1@m", "ad": {"Cpus": "8"}}], {}),
        ([whole(8)], {"CLAIM_PARTITIONABLE_LEFTOVERS": "False"}),
    ],
)
def test_without_leftovers_nobody_starts_on_any(
    slots: list[dict[str, Any]], knobs: dict[str, str]
) -> None:
    found = survey(cycle(slots, [jobs(1, 3)], **knobs))
    assert (found.matched, found.starting) == (1, 0)


def test_a_job_with_limits_is_told_that_it_may_not_use_what_is_left() -> None:
    asked = cycle([whole(8)], [jobs(1, 3, ConcurrencyLimits='"x"'), jobs(2, 1, RequestMemory="9")])
    answer = why(asked, "1.1")
    assert answer.summary().startswith("job 1.1 of ann@test: rejected, ")
    assert answer.barred == "slot1@m"
    assert "it may not use what is left of slot1@m: it has concurrency limits" in text(answer)
    assert why(asked, "2.0").barred is None
    # Where the limit is full it is that which keeps the job from slots.
    full = cycle([whole(8)], [jobs(1, 3, ConcurrencyLimits='"x"')], X_LIMIT="1")
    assert (why(full, "1.1").barred, why(full, "1.0").barred) == (None, None)
    free = cycle([whole(8)], [jobs(1, 3, ConcurrencyLimits='"x"')], X_LIMIT="1",
                 CLAIM_RECYCLING_CONSIDER_LIMITS="False")  # fmt: skip
    assert why(free, "1.1").summary().startswith("job 1.1 of ann@test: starts at once")


def test_who_is_said_to_start_does_start() -> None:
    slots = [whole(5, "slot1@m"), whole(4, "slot1@n"), {"name": "slot1@s", "ad": {"Cpus": "2"}}]
    queue = [
        jobs(1, 3), jobs(2, 4, "bob", RequestCpus="2"), jobs(3, 9, ConcurrencyLimits='"x"'),
        jobs(4, 9, "bob"), jobs(5, 2, "cid"),
    ]  # fmt: skip
    play = Play(slots, queue)
    started = {job for job, how, _ in play.cycle() if how == "leftover"}
    asked = AskedCycle(play.turn.snapshot, play.course.policy, NOW)
    told = {
        job.id for job in all_jobs(asked.snapshot) if ": starts" in why(asked, job.id).summary()
    }
    assert told == started
    assert started
