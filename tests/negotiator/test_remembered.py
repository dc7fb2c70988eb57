"""What is remembered stays within its bounds, however many different expressions there are."""

from __future__ import annotations

from array import array

import pytest

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.table import Table
from negotiator.columns import conditions, rank_keys
from negotiator.columns.conditions import Conditions, SetAsk
from negotiator.columns.rank_keys import KeyMaker, Passed
from negotiator.expressions import flattening, memo
from negotiator.expressions.flattening import Flattener
from negotiator.expressions.visible import Mentions
from negotiator.matching.conditions import OfSlot
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot
from policy.load import policy_from_knobs

CONTEXT = EvalContext(now=1000.0)
#: Sizes that a memory of three has while five different things are met.
THREE = [1, 2, 3, 1, 2]


def slot(user: str | None = None) -> Slot:
    return Slot(ClassAd({"Name": "s"}), "s", 1.0, 1, False, None, user)


def asking(table: Table, request: ClassAd) -> SetAsk:
    return SetAsk(None, request, None, CONTEXT, table=table)  # type: ignore[arg-type]


def test_of_expressions_that_slots_and_requests_have(monkeypatch: pytest.MonkeyPatch) -> None:
    memo.forget()
    monkeypatch.setattr(memo, "MANY", 3)
    flattener, mentions = Flattener(CONTEXT), Mentions()
    monkeypatch.setattr(mentions._known, "_times", 1)
    trees = [ClassAd(f"[A = {'-' * n}B > TARGET.C{n}]").raw("A") for n in range(5)]
    sizes: dict[str, list[int]] = {"settled": [], "mentions": []}
    for tree in trees:
        ad = ClassAd({"Requirements": tree, "B": 1})
        assert not flattener.matters(ad)
        sizes["settled"].append(len(flattening._SETTLED))
        assert mentions.of(tree).own >= {"b"}
        sizes["mentions"].append(len(mentions._known))
    assert sizes["settled"] == sizes["mentions"] == THREE


def test_of_an_expression_until_all_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is found once for each object and argument, among so many of them."""
    monkeypatch.setattr(memo, "MANY", 2)
    asked: list[tuple[str, int]] = []

    @memo.by_tree
    def find(tree: Expression, much: int) -> int:
        asked.append((str(tree), much))
        return much

    one, other = ClassAd("[A = B; C = D]").raw("A"), ClassAd("[A = B; C = D]").raw("C")
    assert [find(one, 1), find(one, 1), find(one, 2), find(one, 1)] == [1, 1, 2, 1]
    assert asked == [("B", 1), ("B", 2)]
    # A third makes the others forgotten.
    assert [find(other, 1), find(other, 1), find(one, 2)] == [1, 1, 2]
    assert asked[2:] == [("D", 1), ("B", 2)]
    memo.forget()
    assert find(one, 2) == 2
    assert asked[4:] == [("B", 2)]


def test_of_slots_by_what_matters_of_the_asker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "_MANY", 3)
    asked = []

    def goes_with(value: float, by: int) -> bool:
        asked.append(by)
        return value != by

    condition = OfSlot("weight", goes_with, by=lambda ask: len(ask.request))
    slots = {0: slot(), 1: slot()}
    table = Table([each.ad for each in slots.values()])
    policy = policy_from_knobs({}).policy
    way = Conditions(slots, table, policy).way(condition)

    def left(by: int) -> int:
        request = ClassAd({f"A{number}": 1 for number in range(by)})
        ask = asking(table, request)
        return way(ask, MatchKind.NONE, 0b11)

    assert [left(by) for by in (0, 1, 2, 0, 1, 2)] == [3, 0, 3] * 2
    assert asked == [0, 1, 2]
    # The fourth makes the others forgotten.
    assert [left(by) for by in (3, 3, 0, 3)] == [3] * 4
    assert asked == [0, 1, 2, 3, 0]


def test_of_rows_that_prefer_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_keys, "_MANY", 2)
    slots = {row: slot("u" if row else None) for row in range(4)}
    table = Table([each.ad for each in slots.values()])
    policy = policy_from_knobs({}).policy
    maker = KeyMaker(slots, table, policy)
    ask = asking(table, ClassAd({"Rank": 0}))
    # Row 0 prefers the request as well, but nobody holds it.
    sets = [0b0011, 0b0101, 0b1001]
    kinds = []
    for preferring in (*sets, sets[1], sets[2], sets[0]):
        passed = Passed(0b1110, preferring & 0b1110, 0b1110 & ~preferring, preferring)
        keys = maker.keys(ask, passed)
        kinds.append([keys.kind(row) for row in (1, 2, 3)])
        assert keys.kind(0) is MatchKind.NONE
    rank, prio = MatchKind.RANK, MatchKind.PRIORITY
    first, second, third = [rank, prio, prio], [prio, rank, prio], [prio, prio, rank]
    assert kinds == [first, second, third, second, third, first]
    assert len(maker._by_rank) == 2
    assert [kept for kept, _ in maker._by_rank.values()] == [sets[2], sets[0]]
    # What is not known for all is not remembered.
    keys = maker.keys(ask, Passed(0b0110, 0b0010, 0b0100))
    assert [keys.kind(row) for row in (1, 2)] == [rank, prio]
    assert len(maker._by_rank) == 2
    for passed, kinds_of in (
        (Passed(0b0110, 0, 0b0110), [prio, prio]),
        (Passed(0b0110), [MatchKind.NONE] * 2),
    ):
        keys = maker.keys(ask, passed)
        assert [keys.kind(row) for row in (1, 2)] == kinds_of
    assert list(maker.keys(ask, Passed(0)).rows) == []
    assert maker.keys(ask, Passed(0b101)).rows == array("i", [0, 2])
