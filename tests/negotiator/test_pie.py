"""Shares and limits against the vectors, and the limit test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negotiator.matching.candidate import permits
from negotiator.model.arithmetic import FLT_MAX
from negotiator.sessions.pie import GroupRoom, PieSettings, Slice, cut_slice, shares_of

SHARES = Path(__file__).parents[1] / "vectors" / "accounting" / "shares.json"
PREEMPTION = PieSettings(consider_preemption=True, ignore_user_priorities=False)
NO_PREEMPTION = PieSettings(consider_preemption=False, ignore_user_priorities=False)


@pytest.mark.parametrize("case", json.loads(SHARES.read_text())["cases"], ids=lambda c: c["id"])
def test_shares(case: dict[str, Any]) -> None:
    people = case["submitters"]
    shares = shares_of((p["name"], p["prio"]) for p in people)
    for person, expect in zip(people, case["expect"], strict=True):
        part = cut_slice(
            shares.share(person["prio"]), case["slot_weight_total"], person["usage"], PREEMPTION
        )
        assert part.share == expect["share"]
        assert part.limit == expect["limit"]


def test_group_room_bounds_unclaimed_slots_only() -> None:
    room = GroupRoom(limit=5, usage=3.0)
    part = cut_slice(1.0, 10.0, 3.0, PREEMPTION, room)
    assert (part.limit, part.limit_unclaimed) == (7.0, 2.0)
    part = cut_slice(1.0, 10.0, 3.0, NO_PREEMPTION, room)
    assert (part.limit, part.limit_unclaimed) == (2.0, 2.0)


def test_floor_round_leaves_the_unclaimed_limit() -> None:
    part = cut_slice(1.0, 10.0, 1.0, PREEMPTION, floor=4)
    assert (part.limit, part.limit_unclaimed) == (4.0, 9.0)


def test_starvation() -> None:
    assert Slice(0.5, 0.0, 0.0, 0.0).starvation == FLT_MAX
    assert Slice(0.5, 6.0, 6.0, 2.0).starvation == 0.25


@pytest.mark.parametrize(
    ("used", "cost", "allowed", "answer"),
    [
        (0.0, 8.0, 5.0, True),  # the first match of a session may be of any size
        (0.0, 8.0, 0.0, False),
        (4.0, 1.0, 5.0, True),
        (4.0, 2.0, 5.0, False),
    ],
)
def test_permits(used: float, cost: float, allowed: float, answer: bool) -> None:
    assert permits(used, cost, allowed) is answer


def test_the_room_of_a_group_is_in_single_precision() -> None:
    """Limit and usage are rounded before they are subtracted, and so is what is left."""
    assert GroupRoom(limit=1, usage=0.9).left == 0.10000002384185791
    assert GroupRoom(limit=2**24 + 1, usage=0.0).left == 2.0**24
    assert GroupRoom(limit=2**24 + 1, usage=1.0).left == 2.0**24 - 1
    assert GroupRoom(limit=2**24, usage=0.3).left == 2.0**24
    assert GroupRoom(limit=2, usage=2.5).left == 0.0
