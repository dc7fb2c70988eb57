"""Rounds of negotiation among groups: what each may take in a pass, and who stands in its way."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from attr import define, evolve, field

from negotiator.groups import rounds
from negotiator.groups.quotas import recover_remainders
from negotiator.groups.rounds import run_group_rounds
from negotiator.groups.tree import Group, GroupSettings, GroupTree
from negotiator.model.result import AllocationRound
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from tests.cases import every_case


@define(eq=False)
class _Pool:
    """Groups of which those with submitters take nothing, or all that they may."""

    used: dict[str, float]
    takes: bool = False
    keys: Mapping[str, float] = field(factory=dict)
    limits: dict[str, list[int]] = field(factory=dict)

    def usage(self, group: Group) -> float:
        return self.used.get(group.name, 0.0)

    def subtree_usage(self, group: Group) -> float:
        return self.usage(group) + sum(map(self.subtree_usage, group.children))

    def has_submitters(self, group: Group) -> bool:
        return group.demand > 0

    def sort_key(self, group: Group) -> float:
        return self.keys.get(group.name, 0.0)

    def negotiate(self, group: Group, limit: int) -> int | None:
        self.limits.setdefault(group.name, []).append(limit)
        if self.takes:
            wanted = min(float(limit), group.demand)
            self.used[group.name] = max(self.usage(group), wanted)
        return None


def _policy(**changes: Any) -> NegotiatorPolicy:
    values: dict[str, Any] = {
        "group_quota_max_allocation_rounds": 1,
        "group_quota_round_robin_rate": 1e9,
        "use_slot_weights": True,
        "consider_preemption": True,
        "allow_quota_oversubscription": False,
        "strict_enforce_quota": False,
    }
    return evolve(policy_from_knobs({}).policy, **(values | changes))


def _rounds(
    groups: list[GroupSettings],
    pool: float,
    used: Mapping[str, float],
    wanted: Mapping[str, float],
    **changes: Any,
) -> list[AllocationRound]:
    """The rounds of a pool whose groups use and want so much."""
    tree = GroupTree(groups)
    for name, amount in wanted.items():
        tree[name].demand = amount
    return list(run_group_rounds(tree, pool, _policy(**changes), _Pool(dict(used))))


def _limits(*given: Any, **changes: Any) -> dict[str, float | None]:
    """The limits of the only pass of the only round; None for groups that are skipped."""
    (done,) = _rounds(*given, **changes)
    return {event.group: event.limit for event in done.events}


# --- strict enforcement ---------------------------------------------------------------------------

STRICT = {"strict_enforce_quota": True}


def test_what_is_configured_as_a_number_of_slots_bounds_though_the_pool_is_smaller() -> None:
    """``a`` is to have 10 of a pool of 4; a group below it uses 3, and another wants 4."""
    groups = [
        GroupSettings("a", 10.0, True),
        GroupSettings("a.b", 4.0, True, True),
        GroupSettings("a.c", 1e-9, True, True),
    ]
    found = _limits(groups, 4.0, {"a.c": 3.0}, {"a.b": 4.0}, **STRICT)
    assert found["a.b"] == pytest.approx(4.0)
    within = [GroupSettings("a", 5.0, True), *groups[1:]]
    assert _limits(within, 4.0, {"a.c": 3.0}, {"a.b": 4.0}, **STRICT)["a.b"] == 2.0


def test_a_share_bounds_by_what_it_comes_to_with_all_below() -> None:
    groups = [GroupSettings("a", 0.5), GroupSettings("a.b", 0.75, False, True)]
    used = {"a": 2.0}
    assert _limits(groups, 16.0, used, {"a.b": 9.0}, **STRICT)["a.b"] == 6.0
    used = {"a": 3.0}
    assert _limits(groups, 16.0, used, {"a.b": 9.0}, **STRICT)["a.b"] == 5.0


def test_a_group_above_that_is_over_its_quota_takes_nothing_back() -> None:
    groups = [GroupSettings("a", 4.0, True), GroupSettings("a.b", 3.0, True, True)]
    found = _limits(groups, 20.0, {"a": 5.0, "a.b": 1.0}, {"a.b": 3.0}, **STRICT)
    assert found["a.b"] == 1.0


def test_a_group_that_is_over_its_quota_keeps_its_limit() -> None:
    groups = [GroupSettings("a", 3.0, True)]
    assert _limits(groups, 20.0, {"a": 5.0}, {"a": 9.0}, **STRICT)["a"] == 3.0


def test_groups_that_accept_surplus_bound_nobody_below() -> None:
    groups = [GroupSettings("a", 4.0, True, True), GroupSettings("a.b", 3.0, True, True)]
    used = {"a": 4.0}
    assert _limits(groups, 20.0, used, {"a.b": 9.0}, **STRICT)["a.b"] == 9.0
    assert _limits(groups, 20.0, used, {"a.b": 9.0})["a.b"] == 9.0


@every_case("seed", range(60))
def test_strictly_nobody_gets_what_a_group_above_may_not_have(seed: int) -> None:
    """Any tree: the limit without enforcement, or the least of what the groups above leave."""
    rng = Random(seed)
    names = ["a", "a.b", "a.b.c", "a.d", "e", "e.f"]
    groups = [
        GroupSettings(
            name,
            *rng.choice([(rng.choice([2.0, 5.0, 40.0]), True), (rng.choice([0.3, 0.7]), False)]),
            rng.random() < 0.5,
        )
        for name in names
    ]
    used = {name: float(rng.randrange(5)) for name in names}
    wanted = {name: float(rng.choice([1, 4, 30])) for name in names}
    shared = {
        "allow_quota_oversubscription": rng.random() < 0.5,
        "use_slot_weights": rng.random() < 0.7,
    }
    free, strict = (
        _limits(groups, 24.0, used, wanted, strict_enforce_quota=strictly, **shared)
        for strictly in (False, True)
    )
    tree = GroupTree(groups)
    # Quotas are assigned in any case; the tree of a round has them.
    list(run_group_rounds(tree, 24.0, _policy(**shared), _Pool(dict(used))))
    for name, limit in free.items():
        if limit is None:
            continue
        bounds = [limit - used.get(name, 0.0)]
        for above in tree.groups[1:]:
            prefix = f"{above.name}."
            if above.settings.accept_surplus or not f"{name}.".startswith(prefix):
                continue
            cap = above.settings.quota if above.settings.static else above.subtree_quota
            below = sum(used[other] for other in names if f"{other}.".startswith(prefix))
            bounds.append(max(0.0, cap - below))
        # Where nobody lacks anything the limit is no number, enforced or not.
        expected = used.get(name, 0.0) + min(bounds)
        assert strict[name] == pytest.approx(expected, nan_ok=True), name


# --- turns ----------------------------------------------------------------------------------------


def test_after_the_last_pass_that_is_allowed_a_group_gets_all_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rounds, "MANY_PASSES", 3)
    tree = GroupTree([GroupSettings("a", 10.0, True)])
    tree["a"].demand = 10.0
    pool = _Pool({})
    few = _policy(group_quota_round_robin_rate=1.0)
    list(run_group_rounds(tree, 10.0, few, pool))
    assert pool.limits["a"] == [1, 2, 10]


@pytest.mark.parametrize(("mine", "below", "first"), [(0.0, 100.0, "b"), (0.0, 20.0, "a.x")])
def test_who_wants_nothing_makes_nobody_below_wait_less(
    mine: float, below: float, first: str
) -> None:
    """``a`` was served long ago, but it is ``a.x`` that wants a slot; ``b`` was served at 50."""
    tree = GroupTree([GroupSettings(name, 1.0, True, True) for name in ("a", "a.x", "b")])
    tree.remember_turns({"a": mine, "a.x": below, "b": 50.0})
    for name in ("a.x", "b"):
        tree[name].allocated = tree[name].requested = 0.5
    assert recover_remainders(tree.root) == 0.0
    assert {name for name in ("a.x", "b") if tree[name].allocated == 1.0} == {first}
    assert [tree[name].served_round_robin for name in ("a.x", "b")] == [
        first == "a.x",
        first == "b",
    ]


def test_who_gets_less_than_its_turn_allows_has_been_served() -> None:
    tree = GroupTree([GroupSettings(name, 1.0, True, True) for name in "abcdefgh"])
    for group in tree.groups[1:]:
        group.allocated, group.requested = 0.5, -0.5
    tree["a"].requested, tree["b"].requested = 0.5, 5.5
    assert recover_remainders(tree.root) == 0.0
    # Four slots for two groups, of which ``a`` wants one.
    assert (tree["a"].allocated, tree["b"].allocated) == (1.0, 3.0)
    served = {group.name for group in tree.groups if group.served_round_robin}
    assert served == {"a", "b"}
    assert tree.turns(9.0)["a"] == 9.0
