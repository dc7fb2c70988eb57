"""How candidates are found on the board of a cycle: at once, one by one, from a list."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from classad import ClassAd
from negotiator.columns.rank_keys import ColumnFound
from negotiator.cycle import negotiate
from negotiator.jobs.requests import Request
from negotiator.matching import candidates
from negotiator.matching.board import Board, CycleBegan, Event, MatchList
from negotiator.matching.candidate import Allowance, Candidate, Refusal, Requester, Tally
from negotiator.matching.choice import find_match
from negotiator.matching.conditions import Ask
from negotiator.matching.engine import RankedList
from negotiator.matching.rank import RankKeys
from negotiator.model.result import MatchKind
from negotiator.model.snapshot import AccountantState, Snapshot
from policy.load import policy_from_knobs

ASKER = Requester("u@d", "schedd", 0.5, False)
#: What a slot with a consumption policy has.
CONSUMING = "PartitionableSlot = true; ConsumptionCpus = TARGET.RequestCpus; SlotWeight = Cpus"


def board_of(*slots: str, **knobs: str) -> Board:
    """The board of a cycle in which nobody asks for anything."""
    found: list[Board] = []

    def watch(event: Event) -> None:
        if isinstance(event, CycleBegan):
            found.append(event.board)

    ads = tuple(
        ClassAd(f'[Name = "s{n}"; Requirements = true; {text}]') for n, text in enumerate(slots)
    )
    pool = Snapshot(ads, (), (), AccountantState({}, {}, None))
    negotiate(pool, policy_from_knobs(knobs).policy, now=1000.0, watch=watch, engine="columns")
    return found[0]


def request_of(text: str = "") -> Request:
    return Request([], ClassAd(f"[Requirements = true; {text}]"), 1)


def endless() -> Allowance:
    return Allowance(inf, inf)


def find(board: Board) -> Any:
    assert board.engine is not None
    return board.engine.find(board, request_of(), ASKER, endless(), Tally())


def test_slots_are_asked_one_by_one_only_while_one_is_left_that_may_change() -> None:
    board = board_of("Cpus = 1", "Cpus = 2; WantAdRevaluate = true", "Cpus = 3")
    found = find(board)
    assert isinstance(found, RankedList)
    assert [it.position for it in found.candidates] == [0, 1, 2]
    del board.slots[1]
    found = find(board)
    assert isinstance(found, ColumnFound)
    assert sorted(found[place].position for place in range(len(found))) == [0, 2]
    assert isinstance(find(board_of("Cpus = 1", "Cpus = 2")), ColumnFound)


@pytest.mark.parametrize(
    ("slot", "cost", "amounts"),
    [
        # The weight falls from 8 by the 3 that this request takes.
        (f'Cpus = 8; MachineResources = "Cpus"; {CONSUMING}', 3.0, {"Cpus": 3}),
        ("Cpus = 8; SlotWeight = Cpus", 5.0, None),
    ],
    ids=["policy", "none"],
)
def test_what_an_entry_of_a_list_costs_is_asked_anew_where_requests_consume(
    slot: str, cost: float, amounts: dict[str, int] | None
) -> None:
    """The list was made for another request, when the entry cost 5."""
    board, request = board_of(slot), request_of("RequestCpus = 3")
    keys = RankKeys(0.0, 0.0, 0.0, 2.0, 0.0)
    entry = Candidate(0, board.slots[0], keys, MatchKind.NONE, 5.0)
    key = (1, ASKER.submitter, ASKER.schedd, ASKER.priority, ASKER.rank_only)
    board.match_list = MatchList(key, [entry], Tally())
    found, _ = find_match(board, request, ASKER, endless())
    assert found is not None
    assert (found.position, found.cost, found.amounts) == (0, cost, amounts)


@pytest.mark.parametrize(
    ("slot", "refused", "matched"),
    [
        ("Requirements = false", Refusal.REQUIREMENTS, None),
        # Another schedd has claimed it as a whole.
        ('PartitionableSlot = true; RemoteScheddName = "x"', Refusal.OTHER_SCHEDD,
         Refusal.OTHER_SCHEDD),
        ("Cpus = 1", None, None),
    ],
)  # fmt: skip
def test_requirements_that_are_taken_to_be_true_leave_the_other_tests(
    slot: str, refused: Refusal | None, matched: Refusal | None
) -> None:
    board = board_of(slot)
    ask = Ask(board, request_of().ad, ASKER, board.context)
    for tester, expected in (
        (candidates.Tester(ask), refused),
        (candidates.Tester(ask, matched=lambda pair: True), matched),
    ):
        verdict = tester.verdict(0, board.slots[0])
        assert (verdict if isinstance(verdict, Refusal) else None) == expected
