"""What ``pieslice fuzz`` tries, draws and finds in small policies, as it is kept."""

from __future__ import annotations

import pytest

from tests.pieslice.kept import same_text
from tests.pieslice.searched import Question, answer, kept, questions


@pytest.mark.parametrize("question", questions(), ids=lambda it: it.name)
def test_a_search_takes_the_course_that_is_kept(question: Question) -> None:
    same_text(answer(question), kept()[question.name], "tests.pieslice.searched")
