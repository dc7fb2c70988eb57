"""What an evaluation keeps must not be seen by the next one."""

from __future__ import annotations

import pytest

from classad import ClassAd, ExprTree
from classad.binding.ambient import SHARED


@pytest.mark.parametrize(
    "text",
    [
        *("b + 1", "n.c", "[n = b].n", "MY.b", "TARGET.b", ".b", 'n["c"]', "{[a = b]}[0].a"),
        *("time()", "random(5)", 'eval("b")', "unparse(b)", "countMatches(b > 0, {n})"),
        *("evalInEachContext(b, {n, n})", 'regexp("a", "b")', "ifThenElse(b > 0, {n}[0].c, 1)"),
    ],
)
def test_evaluations_leave_nothing_in_the_state_that_they_share(text: str) -> None:
    expression = ExprTree(text)
    for ad in ("[b = 1; n = [c = b + 1]]", "[b = 7; n = [c = b + 3; b = 0]]", "[c = n; n = c]"):
        expression.eval(ClassAd(ad))
        assert vars(SHARED) == {}
