"""What commands say of small pools, word for word, as it is kept in ``answered``."""

from __future__ import annotations

import pytest

from tests.pieslice.answers import COMMANDS, Question, answer, heading, kept, questions


@pytest.mark.parametrize(
    ("command", "question"),
    [(command, question) for command in COMMANDS for question in questions(command)],
    ids=lambda it: heading(it)[4:-1] if isinstance(it, Question) else "",
)
def test_an_answer_is_the_one_that_is_kept(command: str, question: Question) -> None:
    assert answer(question) == kept(command)[heading(question)], (
        "if it is meant: python -m tests.pieslice.answers"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_each_answer_that_is_kept_is_asked_for(command: str) -> None:
    assert [heading(question) for question in questions(command)] == list(kept(command))
