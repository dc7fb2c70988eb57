"""What ``policy``, ``config`` and ``map`` say of small files, word for word."""

from __future__ import annotations

import pytest

from tests.pieslice.answers import answer, heading, kept
from tests.pieslice.policy_answers import NAME, questions

QUESTIONS = list(questions())
#: So many questions are one test.
TOGETHER = 10


@pytest.mark.parametrize("first", range(0, len(QUESTIONS), TOGETHER))
def test_what_is_said_of_small_policies(first: int) -> None:
    asked = QUESTIONS[first : first + TOGETHER]
    found = [f"{heading(it)}{answer(it)}" for it in asked]
    assert "\n".join(found) == "\n".join(
        f"{heading(it)}{kept(NAME)[heading(it)]}" for it in asked
    ), "if that is meant, run: python -m tests.pieslice.policy_answers"


def test_every_answer_is_asked_for() -> None:
    assert list(kept(NAME)) == [heading(it) for it in QUESTIONS]
