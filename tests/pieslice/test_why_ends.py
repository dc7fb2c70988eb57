"""What is said of a session that ended before all of its requests were answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attr import evolve

from negotiator.jobs.offers import Unasked
from negotiator.model.arithmetic import DBL_MAX
from negotiator.model.result import Reason, Rejection
from pieslice.cli import main
from pieslice.why.fates import Fate, JobFate, reason_of
from pieslice.why.limits import amount, limit_of
from pieslice.why.sessions import End, RequestCourse, SessionCourse, how_it_ended, refusal


def request(job: str, *, rejected: bool) -> RequestCourse:
    reason = Rejection(0, 1, "ann@test", "s", job, 1, Reason.NO_MATCH) if rejected else None
    end = End.REJECTED if rejected else End.SERVED
    return RequestCourse((job,), 1, 0, (), end, reason, (), False)


@pytest.mark.parametrize(
    ("rejected", "said"),
    [
        ((), "the session ended before"),
        ((False, False), "the session ended before"),
        ((True, False), "the session ended when job 1.0 was rejected"),
        ((True, True, False), "the session ended when job 1.1 was rejected"),
    ],
)
def test_a_session_that_no_limit_ended(rejected: tuple[bool, ...], said: str) -> None:
    requests = tuple(request(f"1.{n}", rejected=each) for n, each in enumerate(rejected))
    session = SessionCourse(
        0, 1, "ann@test", "s", None, 5.0, 5.0, 2.0, requests, {}, None, None, None
    )
    assert how_it_ended(session) == said


@pytest.mark.parametrize(
    ("limit", "unclaimed", "used", "said"),
    [
        (5.0, 5.0, 2.0, "2 of 5 used"),
        (5.0, 4.0, 2.004, "2 of 5 used, 4 for free slots"),
        (5.0, 6.0, 2.006, "2.01 of 5 used"),
        (0.0, 0.0, 0.0, "0 of 0 used"),
        # Less than nothing only where it is to be seen.
        (-0.004, -0.004, 0.0, "0 of 0 used"),
        (-0.006, -0.006, 0.0, "0 used, the limit is -0.01"),
        (-2.0, -3.0, 1.5, "1.5 used, the limit is -2"),
        (DBL_MAX, DBL_MAX, 7.0, "7 of unlimited used"),
        (DBL_MAX, 3.0, 7.0, "7 of unlimited used, 3 for free slots"),
    ],
)
def test_what_is_used_of_a_limit(limit: float, unclaimed: float, used: float, said: str) -> None:
    session = SessionCourse(
        0, 1, "ann@test", "s", None, limit, unclaimed, used, (), {}, None, None, None
    )
    over = Rejection(0, 1, "ann@test", "s", "1.0", 1, Reason.SUBMITTER_LIMIT)
    asked = RequestCourse(("1.0",), 1, 0, (), End.REJECTED, over, (), False)
    assert refusal(session, asked) == f"{over.text} ({said})"
    none = evolve(over, reason=Reason.NO_MATCH)
    assert refusal(session, evolve(asked, rejection=none)) == none.text
    assert refusal(session, evolve(asked, rejection=none, rank_only=True)) == (
        f"{none.text}; its submitter limit is used up ({said})"
    )


@pytest.mark.parametrize(
    ("limit", "unclaimed", "said"),
    [
        (5.0, 5.0, "5"),
        (5.0, 7.0, "5"),
        (5.0, 4.0, "5 (4 in free slots)"),
        (DBL_MAX, DBL_MAX, "unlimited"),
        (DBL_MAX, 1.005, "unlimited (1 in free slots)"),
    ],
)
def test_what_of_a_limit_may_be_free_slots(limit: float, unclaimed: float, said: str) -> None:
    assert limit_of(limit, unclaimed) == said


OTHERS = "its schedd gave the slots of the request to other jobs, or could not use them"


@pytest.mark.parametrize(
    ("room", "said"),
    [
        (None, OTHERS),
        ((6, 2, 3), OTHERS),
        ((5, 5, 0), "MAX_JOBS_RUNNING is 5, 5 run, 0 were matched in this cycle"),
        ((5, 2, 3), "MAX_JOBS_RUNNING is 5, 2 run, 3 were matched in this cycle"),
        ((5, 0, 7), "MAX_JOBS_RUNNING is 5, 0 run, 7 were matched in this cycle"),
    ],
)
def test_why_a_job_was_not_started(room: tuple[int, int, int] | None, said: str) -> None:
    """The schedd has no room only where as many jobs run and were matched as may run."""
    asked = request("1.0", rejected=False)
    session = SessionCourse(0, 1, "ann@test", "s", None, 5.0, 5.0, 2.0, (asked,), {}, None, 9, room)
    fate = JobFate("ann@test", "s", "1.0", 1, Fate.UNUSED, session, asked, 1)
    told = said if said is OTHERS else f"no room at its schedd: {said}"
    assert reason_of(fate) == told


@pytest.mark.parametrize(
    ("cause", "room", "said"),
    [
        (Unasked.ROOM, (6, 2, 3), "MAX_JOBS_RUNNING is 6, 2 run, 3 were matched in this cycle"),
        (Unasked.ROOM, None, None),
        (Unasked.UPLOADS, None, "its schedd asks for 9 jobs in a session at most"),
        (Unasked.CONSTRAINT, (6, 2, 3), None),
        (Unasked.JOB_PRIO, None, None),
        (Unasked.ENDED, None, "the session ended before"),
        (None, None, "the session ended before"),
    ],
)
def test_why_a_job_was_not_requested(
    cause: Unasked | None, room: tuple[int, int, int] | None, said: str | None
) -> None:
    session = SessionCourse(0, 1, "ann@test", "s", None, 5.0, 5.0, 2.0, (), {}, None, 9, room)
    fate = JobFate("ann@test", "s", "1.0", 1, Fate.NOT_ASKED, session, unasked=cause)
    text = reason_of(fate)
    if said is not None:
        assert said in text
    else:
        assert cause is not None
        assert text == cause.value


def test_weights_have_two_decimals_and_a_zero_no_sign() -> None:
    weights = (-0.001, 0.001, -0.0, 1.5, 2.0, 1.005, -1.239, 1e16, 1.7976931348623157e308)
    assert [amount(weight) for weight in weights] == [
        "0", "0", "0", "1.5", "2", "1", "-1.24", "1e+16", "unlimited",
    ]  # fmt: skip


def test_where_the_real_negotiator_would_end_is_said_of_the_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """D-504: the limit of a slot refuses the request, and its other candidates are used up."""
    slots = [{"name": f"slot1@{it}", "ad": {"Lic": f'"{it}"'}} for it in ("full", "free")]
    job = {"id": "1", "submitter": "alice", "count": 2, "ad": {"ConcurrencyLimits": "TARGET.Lic"}}
    config = {"FULL_LIMIT": "0", "FREE_LIMIT": "9"}
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps({"name": "s", "config": config, "slots": slots, "jobs": [job]}))
    assert main(["why", str(path), "1.1"]) == 0
    assert "D-504: refused for a concurrency limit" in capsys.readouterr().out
    job["count"] = 1
    path.write_text(json.dumps({"name": "s", "config": config, "slots": slots, "jobs": [job]}))
    assert main(["why", str(path), "1.0"]) == 0
    assert "D-504" not in capsys.readouterr().out
