"""Parts of matching by themselves: ranks, concurrency limits, counts, engines, numbers in C."""

from __future__ import annotations

import math
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from negotiator.columns.engines import ColumnEngines
from negotiator.engines import make_engines
from negotiator.matching.candidate import Refusal, Tally, permits
from negotiator.matching.concurrency_limits import ConcurrencyCounts, parse_limits
from negotiator.matching.engine import Engines
from negotiator.matching.rank import Ranker, RankKeys, better, policy_rank, presort
from negotiator.model.arithmetic import (
    DBL_MAX,
    FLT_MAX,
    INT_MAX,
    INT_MIN,
    add_up,
    ascending,
    best_first,
    c_difference,
    c_int,
    float32,
    whole,
)
from negotiator.model.departures import Departure, DepartureKind, DepartureLog
from negotiator.model.result import Counters, MatchKind
from negotiator.pool.slots import Slot, Slots
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from tests.cases import every_case

CONTEXT = EvalContext(now=1000.0)
INF, NAN = math.inf, math.nan


def test_engines_by_their_names() -> None:
    assert type(make_engines("reference")) is Engines
    assert isinstance(make_engines("columns", lasting=True), ColumnEngines)
    with pytest.raises(ValueError, match="no engine `x`; there are columns, reference"):
        make_engines("x")


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.0, 0), (1.9, 1), (-1.9, -1), (2147483647.0, INT_MAX), (2147483647.9, INT_MAX),
        (2147483648.0, INT_MIN), (-2147483648.0, INT_MIN), (-2147483648.9, INT_MIN),
        (-2147483649.0, INT_MIN), (-2147483647.5, -2147483647), (1e300, INT_MIN), (INF, INT_MIN),
        (-INF, INT_MIN), (NAN, INT_MIN),
    ],
)  # fmt: skip
def test_a_double_made_an_int(number: float, expected: int) -> None:
    assert c_int(number) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (5, 3, 2), (3, 5, -2), (INT_MAX, 0, INT_MAX), (INT_MIN, 0, INT_MIN), (INT_MAX, -1, INT_MIN),
        (INT_MIN, 1, INT_MAX), (0, INT_MIN, INT_MIN), (-1, INT_MIN, INT_MAX),
    ],
)  # fmt: skip
def test_the_difference_of_two_ints(one: int, other: int, expected: int) -> None:
    assert c_difference(one, other) == expected


def test_other_numbers() -> None:
    assert [whole(it) for it in (None, 2.9, -2.9, INF, -INF, NAN, 0.0)] == [0, 2, -2, 0, 0, 0, 0]
    assert (float32(0.1), float32(1e39), float32(-1e39)) == (0.10000000149011612, INF, -INF)
    # The builtin gives 1.0: it makes good what rounding loses.
    assert add_up([0.1] * 10) == 0.9999999999999999
    assert (add_up([]), add_up([1, 2])) == (0.0, 3.0)
    assert ascending([[3.0, 1.0, 2.0]]) == [1, 2, 0]
    assert ascending([[1.0, 1.0, 0.0], [5.0, 4.0, 9.0]]) == [2, 1, 0]
    assert list(best_first([[1.0, 1.0, 0.0], [5.0, 4.0, 9.0]])) == [0, 1, 2]


@pytest.mark.parametrize(
    ("used", "cost", "allowed", "answer"),
    [
        (0.0, 5.0, 5.0, True), (0.0, 5.1, 5.0, True), (-1.0, 9.0, 5.0, True),
        (0.5, 5.0, 5.0, False), (0.0, 0.0, 0.0, True), (0.0, 0.1, 0.0, False),
        (0.0, 0.1, 0.5, True), (3.0, 0.0, 2.0, False), (3.0, 2.0, 5.0, True),
        # Sums of doubles as they are.
        (0.1, 0.2, 0.3, False), (0.1, 0.2, 0.1 + 0.2, True), (4.0, 1.0 + 1e-12, 5.0, False),
        (1e-300, 5.0, 5.0, True), (1.0, 0.5, 1.0, False), (1.0, -0.5, 0.5, True),
    ],
)  # fmt: skip
def test_the_limit_of_a_submitter(used: float, cost: float, allowed: float, answer: bool) -> None:
    assert permits(used, cost, allowed) is answer


# --- concurrency limits ---------------------------------------------------------------------------


@every_case("text, limits", [
        ("", []), ("a", [("a", 1.0)]), ("A, b", [("a", 1.0), ("b", 1.0)]), ("a  b", "ab"),
        (",a,,", "a"), ("a:2", [("a", 2.0)]), ("a:0.5", [("a", 0.5)]), ("a:.5", [("a", 0.5)]),
        ("a:1e1", [("a", 10.0)]), ("a:2x", [("a", 2.0)]), ("a:x", [("a", 1.0)]),
        ("a:0.0005", [("a", 0.0005)]), ("a:1e-9", [("a", 1e-9)]), ("a:5.e-1", [("a", 0.5)]),
        ("a:.5e1", [("a", 5.0)]), ("a:-.5", [("a", 1.0)]), ("a:.", [("a", 1.0)]),
        ("a:0", [("a", 1.0)]), ("a:-3", [("a", 1.0)]), ("a:+3", [("a", 3.0)]),
        ("a.b:2", [("a.b", 2.0)]), ("a.b.c", []), ("1a", []), ("_a1.b2", [("_a1.b2", 1.0)]),
        ("a-b, c", "c"), (".a", []), ("a.", []), ("a:2:3", [("a", 2.0)]), ("a a:2", None),
    ])  # fmt: skip
def test_a_text_of_limits(text: str, limits: Any) -> None:
    if limits is None:
        limits = [("a", 1.0), ("a", 2.0)]
    if isinstance(limits, str):
        limits = [(name, 1.0) for name in limits]
    assert list(parse_limits(text)) == limits


def test_limits_are_counted_and_have_room_up_to_their_maximum() -> None:
    counts = ConcurrencyCounts({"a": 3.0, "b": 1.0, "c": 0.0}.__getitem__, ["a:2", "b:0.5, b:0.25"])
    assert counts.state_of("A, b:2 1x") == [("a", 2.0, 1.0, 3.0), ("b", 0.75, 2.0, 1.0)]
    asked = {
        "a": True, "a:1.5": False, "b:0.25": True, "b:0.26": False, "c": False, "c:0.1": False,
        "": True, "1x": True,
        # Tokens of one name are not added up.
        "a a": True,
        "a, c": False, "c, a:9": False,
    }  # fmt: skip
    assert {text: counts.has_room(text) for text in asked} == asked
    assert counts.full == {"a", "b", "c"}
    counts.full.clear()
    assert not counts.has_room("c, a:9")
    assert counts.full == {"c"}
    counts.take("a")
    assert not counts.has_room("a")
    assert counts.full == {"a", "c"}


def test_what_refused_slots_is_counted_by_cause() -> None:
    tally = Tally()
    for cause in (Refusal.REQUIREMENTS, Refusal.CONSUMPTION, Refusal.CONSUMPTION, Refusal.PRIORITY):
        tally.refused[cause] += 1
    requirements, limit = Refusal.REQUIREMENTS, Refusal.SUBMITTER_LIMIT
    tally.refuse([(requirements, 0b1111, 0b0101), (limit, 0b0101, 0b0100)])
    assert [tally.number(it) for it in (Refusal.REQUIREMENTS, Refusal.SAME_USER)] == [3, 0]
    tally.refuse([(requirements, 0b0100, 0)])
    assert tally.number(Refusal.REQUIREMENTS) == 4
    expected = Counters(submitter_limit=1, requirements=6, priority=1)
    assert tally.counters() == expected == tally.counters()
    assert tally.number(Refusal.REQUIREMENTS) == 4


def test_departures_are_told_by_kind_and_once_for_each_that_is_concerned() -> None:
    log = DepartureLog()
    for kind, about in (
        (DepartureKind.NO_PROGRESS, "slot b"), (DepartureKind.DEPTH_FIRST, "slot b"),
        (DepartureKind.DEPTH_FIRST, "slot a"), (DepartureKind.DEPTH_FIRST, "slot b"),
    ):  # fmt: skip
        log.note(kind, about)
    assert log.departures() == (
        Departure(DepartureKind.DEPTH_FIRST, 3, ("slot b", "slot a")),
        Departure(DepartureKind.NO_PROGRESS, 1, ("slot b",)),
    )
    numbers = [kind.number for kind in DepartureKind]
    assert numbers == [f"D-50{number}" for number in (1, 2, 3, 4, 5, 6, 8)]


# --- ranks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ((1, 0, 0, 0, 0), (0, 9, 9, 9, 9), True),
        ((0, 9, 9, 9, 9), (1, 0, 0, 0, 0), False),
        ((0, 0, 0, 0, 1), (0, 0, 0, 0, 0), True),
        ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0), False),
        ((NAN, 1, 0, 0, 0), (5, 0, 0, 0, 0), True),
        ((NAN, 0, 0, 0, 0), (5, 1, 0, 0, 0), False),
        ((0, 0, 0, 2, 0), (0, 0, 0, 1, 9), True),
    ],
)
def test_which_candidate_is_better(one: Any, other: Any, answer: bool) -> None:
    assert better(RankKeys(*one), RankKeys(*other)) is answer


def policy(**knobs: str) -> NegotiatorPolicy:
    none = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0", "PREEMPTION_RANK": "0"}
    return policy_from_knobs({**none, **knobs}).policy


def slot(text: str) -> Slot:
    return Slot(ClassAd(f"[{text}]"), "s", 1.0, 1, False, None, None)


@pytest.mark.parametrize(
    ("knobs", "job", "kind", "keys"),
    [
        ({}, "Rank = 5", MatchKind.NONE, (0, 5, 0, 2, -FLT_MAX)),
        ({}, "Rank = 0.1", MatchKind.RANK, (0, 0.1, 0, 1, 0)),  # a double
        ({}, "Rank = true", MatchKind.PRIORITY, (0, 1, 0, 0, 0)),
        ({}, 'Rank = "x"', MatchKind.NONE, (0, 0, 0, 2, -FLT_MAX)),
        ({}, "Rank = undefined", MatchKind.NONE, (0, 0, 0, 2, -FLT_MAX)),
        ({}, "", MatchKind.NONE, (0, 7, 0, 2, -FLT_MAX)),  # that of the slot
        ({}, "Rank = TARGET.K + MY.K; K = 1", MatchKind.NONE, (0, 4, 0, 2, -FLT_MAX)),
        (
            {"NEGOTIATOR_PRE_JOB_RANK": "MY.K + TARGET.K / 10.0", "PREEMPTION_RANK": "K"},
            "Rank = 0; K = 1",
            MatchKind.PRIORITY,
            (float32(3.1), 0, 0, 0, 3),
        ),
        (
            {"NEGOTIATOR_PRE_JOB_RANK": '"x"', "NEGOTIATOR_POST_JOB_RANK": "nosuch"},
            "Rank = 0",
            MatchKind.RANK,
            (-DBL_MAX, 0, -DBL_MAX, 1, 0),
        ),
        ({"PREEMPTION_RANK": '"x"'}, "Rank = 0", MatchKind.NONE, (0, 0, 0, 2, -FLT_MAX)),
        ({"PREEMPTION_RANK": '"x"'}, "Rank = 0", MatchKind.RANK, (0, 0, 0, 1, -DBL_MAX)),
    ],
)
def test_the_keys_of_a_candidate(
    knobs: dict[str, str], job: str, kind: MatchKind, keys: tuple[float, ...]
) -> None:
    request = ClassAd(f"[{job}]")
    ranker = Ranker(policy(**knobs), request, CONTEXT)
    assert ranker.keys(slot("K = 3; Rank = 7"), kind) == keys


def test_ranks_that_are_fixed_for_the_cycle() -> None:
    """The rank of the job is 1 for all, and that of preemption is left out."""
    fixed = slot("K = 3")
    fixed.fixed_ranks = (4.0, 5.0)
    ranker = Ranker(policy(PREEMPTION_RANK="9"), ClassAd("[Rank = 8]"), CONTEXT)
    assert ranker.keys(fixed, MatchKind.PRIORITY) == (4.0, 1.0, 5.0, 0.0, -FLT_MAX)


def test_slots_are_sorted_once_by_the_ranks_of_the_policy() -> None:
    texts = ("A = 1", "A = 2; B = 1", "A = 2; B = 3", "B = 9", "A = 1; C = 5")
    slots = Slots(map(slot, texts))
    knobs = {"NEGOTIATOR_PRE_JOB_RANK": "A", "NEGOTIATOR_POST_JOB_RANK": "B"}
    found = presort(slots, policy(**knobs), CONTEXT)
    assert [slots.index(it) for it in found] == [2, 1, 0, 4, 3]
    assert [it.fixed_ranks for it in slots] == [
        (1.0, -DBL_MAX), (2.0, 1.0), (2.0, 3.0), (-DBL_MAX, 9.0), (1.0, -DBL_MAX),
    ]  # fmt: skip
    assert policy_rank(None, ClassAd(), ClassAd(), CONTEXT) == -DBL_MAX
    assert policy_rank(ExprTree("0.1"), ClassAd(), ClassAd(), CONTEXT) == float32(0.1)
