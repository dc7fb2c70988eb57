"""What ``pieslice fuzz`` tries, draws and finds in small policies, as it is kept."""

from __future__ import annotations

import pytest

from tests.pieslice.kept import same_text
from tests.pieslice.searched import Question, answer, kept, questions, usual


@pytest.mark.parametrize("question", questions(), ids=lambda it: it.name)
def test_a_search_takes_the_course_that_is_kept(question: Question) -> None:
    same_text(answer(question), kept()[question.name], "tests.pieslice.searched")


def test_what_is_tried_without_a_pool_is_what_is_kept() -> None:
    same_text(usual(), kept()["built in"], "tests.pieslice.searched")
