"""The texts HTCondor gives for a rejection."""

from __future__ import annotations

import pytest

from negotiator.model.result import Reason, Rejection


@pytest.mark.parametrize(
    ("reason", "limits", "text"),
    [
        (Reason.NO_MATCH, (), "no match found"),
        (Reason.SUBMITTER_LIMIT, (), "submitter limit exceeded"),
        (Reason.PREEMPTION_REQUIREMENTS, (), "PREEMPTION_REQUIREMENTS == False"),
        (Reason.CONCURRENCY_LIMIT, ("blue", "red"), "concurrency limit blue, red reached"),
    ],
)
def test_rejection_text(reason: Reason, limits: tuple[str, ...], text: str) -> None:
    rejection = Rejection(0, 1, "a@test", "s1", "1.0", 1, reason, concurrency_limits=limits)
    assert rejection.text == text
