"""When a list of candidates serves the next request, and how the text of a limit is read."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES
from negotiator.matching.board import Board, CycleBegan, Event, MatchList, Taken
from negotiator.matching.candidate import Candidate, Tally
from negotiator.matching.choice import _still_valid
from negotiator.matching.rank import RankKeys, policy_rank
from negotiator.model.result import MatchKind
from negotiator.pool.fetch import new_slot
from tests.negotiator import scenarios

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


def test_no_rank_at_all_is_worse_than_the_least_number() -> None:
    least = policy_rank(ExprTree("-3.4028234663852886e38"), ClassAd(), ClassAd(), CONTEXT)
    for none in (None, ExprTree('"high"'), ExprTree("Missing"), ExprTree("{1}")):
        assert policy_rank(none, ClassAd(), ClassAd(), CONTEXT) < least


class _Lists:
    """Notes how many candidates the match list of each first match has."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self._board: Board

    def __call__(self, event: Event) -> None:
        if isinstance(event, CycleBegan):
            self._board = event.board
        if not isinstance(event, Taken):
            return
        kept = self._board.match_list
        if kept is not None and kept.taken == 1:
            self.sizes.append(len(kept.entries))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("weights", "sizes"),
    [
        # The limit of the first user is half of all; what is heavier ends the search.
        ([1, 1, 1, 0.75, 0.5], 3),
        ([1, 1, 1, 0.75, 0.25], 3),
        ([1, 1, 0.5, 0.5, 1], 3),
        ([1, 1, 0.5, 1, 1], 3),
        ([1, 1, 0.25, 0.5, 0.5], 2),
        ([2, 1, 0.5, 0, 0.5], 2),
        ([2, 1, 0.5, 0, 0.75], 2),
        ([0, 0, 0.5, 2, 1.5], 4),
    ],
)
def test_candidates_are_looked_for_until_they_weigh_more_than_the_limit(
    weights: list[float], sizes: int, engine: str
) -> None:
    slots = [
        {"name": f"slot{n}@m", "ad": {"SlotID": str(n), "SlotWeight": str(weight)}}
        for n, weight in enumerate(weights, 1)
    ]
    knobs = {
        "NEGOTIATOR_IGNORE_JOB_RANKS": "True",
        "NEGOTIATOR_PRE_JOB_RANK": "-SlotID",
        "NEGOTIATOR_CONSIDER_PREEMPTION": "False",
    }
    jobs = [{"submitter": user, "count": 5} for user in ("a", "b")]
    order = [slot["name"] for slot in slots]
    scenario = {"config": knobs, "slots": slots, "jobs": jobs}
    case = {"scenario": scenario, "observed": {"cycles": [{"slot_order": order}]}}
    watch, policy = _Lists(), scenarios.policy_of(scenario)
    snapshot = scenarios.snapshot_of(case)
    negotiate(snapshot, policy, now=scenarios.NOW, watch=watch, engine=engine)
    assert watch.sizes[0] == sizes
