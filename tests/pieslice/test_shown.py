"""What further commands show, word for word, and what histories hold, as it is kept."""

from __future__ import annotations

import pytest

from tests.pieslice.answers import answer, heading
from tests.pieslice.kept import same_text
from tests.pieslice.questions import Question
from tests.pieslice.shown import ASKED, histories, kept


@pytest.mark.parametrize(
    ("name", "question"),
    [(name, question) for name, made in ASKED.items() for question in made()],
    ids=lambda it: heading(it)[4:-1] if isinstance(it, Question) else "",
)
def test_an_answer_is_the_one_that_is_kept(name: str, question: Question) -> None:
    same_text(answer(question), kept(name)[heading(question)[4:-1]], "tests.pieslice.shown")


def test_histories_hold_what_is_kept_and_tell_it() -> None:
    known = kept("histories")
    found = dict(histories())
    assert list(found) == list(known)
    for name, text in found.items():
        same_text(f"{text}\n", known[name], "tests.pieslice.shown")
