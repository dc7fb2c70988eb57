"""What a table does for an answer, and how much it keeps of it, is what ``worked.txt`` says.

No answer depends on it, but the time does: what is asked again costs nothing, a change costs what
it concerns, and what is kept is counted.  ``python -m tests.classad.worked`` writes the file anew.
"""

from __future__ import annotations

import difflib

import pytest

from classad import kernels
from tests.classad.worked import WORKED, worked

CHAPTERS = ("\n" + WORKED.read_text(encoding="utf-8")).split("\n== ")[1:]


@pytest.mark.skipif(kernels.native is None, reason="only the C parser leaves texts unparsed")
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda text: text.partition("\n")[0])
def test_what_answers_take(chapter: str) -> None:
    wanted = f"== {chapter}".splitlines()
    found = list(worked(wanted))
    if found != wanted:
        changes = difflib.unified_diff(wanted, found, "kept", "now", lineterm="")
        pytest.fail("\n".join(changes))
