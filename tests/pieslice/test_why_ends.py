"""What is said of a session that ended before all of its requests were answered."""

from __future__ import annotations

import pytest

from negotiator.model.result import Reason, Rejection
from pieslice.why.requests.record import End, RequestCourse, SessionCourse
from pieslice.why.requests.text import how_it_ended


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
