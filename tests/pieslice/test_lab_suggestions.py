"""What ``pieslice lab`` proposes to change first."""

from __future__ import annotations

from pathlib import Path

import pytest
from attr import evolve

import pieslice
from negotiator.model.result import GroupSummary, Reason, Rejection
from pieslice.lab.pool.suggestions import Suggestion, suggestions
from pieslice.lab.pool.trials import Trials

ROOT = Path(__file__).parents[2]
POOLS = [
    ROOT / "examples" / "campus",
    ROOT / "examples" / "tour",
    ROOT / "tests" / "vectors" / "pools" / "campus-evening",
]


def proposed(pool: pieslice.Pool, **changed: object) -> list[Suggestion]:
    """The suggestions for a pool whose cycle ended otherwise in some way."""
    result = evolve(pool.negotiate().result, **changed)  # type: ignore[arg-type]
    return list(suggestions(pool.capture.policy, result))


@pytest.fixture(scope="module")
def tour() -> pieslice.Pool:
    return pieslice.read(POOLS[1])


@pytest.mark.parametrize("folder", POOLS, ids=lambda one: one.name)
def test_three_edits_are_proposed_that_change_something(folder: Path) -> None:
    pool = pieslice.read(folder)
    found = Trials(pool.reading).suggest(cancelled=lambda: False)
    assert len(found) == 3
    for one in found:
        other = pool.with_config(f"{one['line']}\n")
        assert len(pool.diff(other).slots) == one["slots"] > 0
    assert len({str(one["line"]).split(" ")[0] for one in found}) == 3


def test_nothing_is_proposed_where_nobody_asks_for_a_slot(tour: pieslice.Pool) -> None:
    assert proposed(tour, matches=(), rejections=()) == []


def test_the_first_is_preemption_where_slots_are_taken_from_somebody(tour: pieslice.Pool) -> None:
    assert proposed(tour)[0].line == "NEGOTIATOR_CONSIDER_PREEMPTION = false"
    off = tour.with_config("NEGOTIATOR_CONSIDER_PREEMPTION = false")
    assert proposed(off)[0].line == "NEGOTIATOR_CONSIDER_PREEMPTION = true"


def rejection(reason: Reason, *limits: str) -> Rejection:
    return Rejection(0, 1, "a@x", "schedd", "1.0", 1, reason, limits)


def test_a_limit_that_is_reached_is_doubled(tour: pieslice.Pool) -> None:
    pool = tour.with_config("MATLAB_LIMIT = 6\nOTHER_LIMIT = 3\n")
    reached = proposed(pool, rejections=(rejection(Reason.CONCURRENCY_LIMIT, "Matlab"),))
    assert [one.line for one in reached if one.subject == "limit"] == ["MATLAB_LIMIT = 12"]
    other = proposed(pool, rejections=(rejection(Reason.NO_MATCH),))
    assert not [one for one in other if one.subject == "limit"]


def group(name: str, config: float, *, static: bool, requested: float, has: float) -> GroupSummary:
    return GroupSummary(
        name, config, static, True, False, 10.0, 10.0, requested, has, has, has, 0.0
    )  # fmt: skip


def test_groups_that_lack_most_get_a_greater_quota(tour: pieslice.Pool) -> None:
    root = group("<none>", 0.0, static=False, requested=50, has=0)
    groups = (
        root,
        group("content", 0.1, static=False, requested=5, has=5),
        group("some", 0.6, static=False, requested=9, has=5),
        group("most", 7.0, static=True, requested=30, has=5),
    )
    lines = [one.line for one in proposed(tour, groups=groups) if one.subject == "quota"]
    assert lines == ["GROUP_QUOTA_most = 14", "GROUP_QUOTA_DYNAMIC_some = 1"]
    alone = {one.subject for one in proposed(tour, groups=(root,))}
    assert not alone & {"quota", "surplus", "GROUP_AUTOREGROUP"}


def test_requirements_that_refuse_somebody_are_proposed_to_go(tour: pieslice.Pool) -> None:
    lines = [
        [one.line for one in proposed(tour, rejections=(rejection(reason),))]
        for reason in (Reason.PREEMPTION_REQUIREMENTS, Reason.NO_MATCH)
    ]
    assert ["PREEMPTION_REQUIREMENTS = true" in one for one in lines] == [True, False]
