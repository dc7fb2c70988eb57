"""When a list of candidates serves the next request, and how the text of a limit is read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from negotiator.matching.board import MatchList
from negotiator.matching.candidate import Candidate, Tally
from negotiator.matching.choice import _still_valid
from negotiator.matching.concurrency import parse_limits
from negotiator.matching.rank import RankKeys, policy_rank
from negotiator.model.result import MatchKind
from negotiator.pool.fetch import new_slot

CONTEXT = EvalContext(now=0.0)


def valid(memory: int, kind: MatchKind, entries: int = 1, **policy: Any) -> bool:
    """Whether a list is still good whose first entry had 5 as its PREEMPTION_RANK."""
    slot = new_slot(ClassAd({"Memory": memory}), "s", 1, {})
    entry = Candidate(0, slot, RankKeys(0.0, 0.0, 0.0, 0.0, 5.0), kind, 1.0)
    knobs: dict[str, Any] = {
        "preemption_requirements_stable": True,
        "preemption_rank_stable": True,
        "preemption_requirements": ExprTree("Memory < 6"),
        "preemption_rank": ExprTree("Memory"),
    }
    board: Any = SimpleNamespace(policy=SimpleNamespace(**(knobs | policy)), context=CONTEXT)
    kept = MatchList((1, "u", "s", 1.0, False), [entry] * entries, Tally())
    return _still_valid(board, kept, ClassAd())


@pytest.mark.parametrize(("memory", "same"), [(4, False), (5, True), (6, False)])
def test_an_unstable_rank_must_not_have_changed(memory: int, same: bool) -> None:
    unstable = {"preemption_rank_stable": False}
    assert valid(memory, MatchKind.PRIORITY, **unstable) is same
    assert valid(memory, MatchKind.RANK, **unstable) is same
    assert valid(memory, MatchKind.NONE, **unstable)
    assert valid(memory, MatchKind.PRIORITY)
    assert valid(memory, MatchKind.PRIORITY, 0, **unstable)


@pytest.mark.parametrize(("memory", "true"), [(5, True), (6, False)])
def test_unstable_requirements_must_still_be_true(memory: int, true: bool) -> None:
    unstable = {"preemption_requirements_stable": False}
    assert valid(memory, MatchKind.PRIORITY, **unstable) is true
    assert valid(memory, MatchKind.RANK, **unstable)
    assert valid(memory, MatchKind.NONE, **unstable)
    assert not valid(memory, MatchKind.PRIORITY, 0, **unstable)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("Lic", [("lic", 1.0)]),
        ("lic:2.5, b", [("lic", 2.5), ("b", 1.0)]),
        ("lic:2x", [("lic", 2.0)]),
        ("lic:1e1:3", [("lic", 10.0)]),
        ("a:-3 b:0 c:x d:", [("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]),
        ("1a, a-b, a.b:.5, a.b.c, _x", [("a.b", 0.5), ("_x", 1.0)]),
        ("", []),
    ],
)
def test_limits_are_read_as_far_as_they_are_ones(
    text: str, limits: list[tuple[str, float]]
) -> None:
    assert list(parse_limits(text)) == limits


def test_no_rank_at_all_is_worse_than_the_least_number() -> None:
    least = policy_rank(ExprTree("-3.4028234663852886e38"), ClassAd(), ClassAd(), CONTEXT)
    for none in (None, ExprTree('"high"'), ExprTree("Missing"), ExprTree("{1}")):
        assert policy_rank(none, ClassAd(), ClassAd(), CONTEXT) < least
