"""What ``lastError`` says of the latest evaluation, and which ads registered functions see."""

from __future__ import annotations

import pytest

import classad
from classad import ClassAd, EvalContext, ExprTree
from classad.binding import expr
from classad.binding.ambient import declare

SAID = "strings can only be compared to strings"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('7 == "7"', SAID), ('"a" < 1', SAID), ('"a" != true', SAID), ('1.5 >= "x"', SAID),
        ('s == 1', SAID), ("TARGET.t < s", SAID), ("indirect", SAID), ("deep + 1", SAID),
        ('(7 == "7") && true', SAID), ("1 / 0", ""), ('"a" + 1', ""), ('undefined == "a"', ""),
        ('"a" == "b"', ""), ("1 == 1", ""), ('"a" =?= 1', ""), ('error == "a"', ""),
        ('(1 / 0) == "a"', ""), ('nosuch < "a"', ""), ("loop", ""), ('int("x") + s2', ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("context", [None, EvalContext()])
def test_what_the_latest_evaluation_compared(
    text: str, said: str, context: EvalContext | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expr, "_text", "")
    monkeypatch.setattr(expr, "_pending", [])
    my = ClassAd('[s = "x"; indirect = S > 2; deep = indirect; loop = loop + 1; s2 = "y"]')
    target = ClassAd("[t = 5]")
    ExprTree(text).eval(my, target, context=context)
    assert classad.lastError() == said
    ExprTree("1 / 0").eval(my, context=context)
    assert classad.lastError() == said  # what has no sentence leaves the one before


@pytest.mark.parametrize(
    "text",
    ["kind()", "n.k", "n.m.k", "l[0].k", "evalInEachContext(kind(), {n})[0]",
     'evalInEachContext(kind(), {self["n"]})[0]', "[k = kind()].k", "TARGET.k", "TARGET.n.k"],
)  # fmt: skip
def test_registered_functions_see_ads_of_python_programs(text: str) -> None:
    def kind(state: object) -> str:
        assert isinstance(state, ClassAd)
        return f"{type(state).__name__} {state.get('here')}"

    context = EvalContext(functions={"kind": declare(kind, "kind")})
    my = ClassAd("[here = 1; n = [here = 1; k = kind(); m = [here = 1; k = kind()]]; l = {n}]")
    target = ClassAd("[here = 1; k = kind(); n = [here = 1; k = kind()]]")
    wanted = "ClassAd None" if text.startswith("[") else "ClassAd 1"
    assert ExprTree(text).eval(my, target, context=context) == wanted
