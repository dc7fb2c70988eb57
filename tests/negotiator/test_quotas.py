"""Group quotas against the vectors: every printed number of every round of the real negotiator."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from negotiator.grouploop import GroupLoopSettings, run_group_rounds
from negotiator.groups import Group, GroupSettings, GroupTree
from negotiator.result import ROOT_GROUP, AllocationRound, GroupEvent

VECTORS = Path(__file__).parents[1] / "vectors" / "quotas"
FILES = ("seed_examples", "systematic", "random", "knobs", "greedy")
SKIP_NAMES = {"zero slots allocated": "zero", "no submitters": "no-submitters"}


def cases() -> list[Any]:
    found = []
    for name in FILES:
        for case in json.loads((VECTORS / f"{name}.json").read_text())["cases"]:
            found.append(pytest.param(case, id=case["id"]))
    return found


class Config:
    """The knobs of a case, without case, in the case's dialect."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.knobs = {key.lower(): text for key, text in case["config"].items()}
        self.mrg = case["dialect"] == "mrg"

    def flag(self, name: str, default: bool) -> bool:
        text = self.knobs.get(name.lower())
        return default if text is None else text.lower() == "true"

    def number(self, name: str, default: float) -> float:
        return float(self.knobs.get(name.lower(), default))

    def group(self, name: str) -> GroupSettings:
        static = self.knobs.get(f"group_quota_{name}".lower())
        dynamic = self.number(f"GROUP_QUOTA_DYNAMIC_{name}", 0.0)
        share, regroup = (
            self.flag(f"{knob}_{name}", self.flag(knob, False))
            for knob in ("GROUP_ACCEPT_SURPLUS", "GROUP_AUTOREGROUP")
        )
        return GroupSettings(
            name,
            float(static) if static is not None else dynamic,
            static is not None,
            share or (self.mrg and regroup),
            regroup and not self.mrg,
        )

    def tree(self) -> GroupTree:
        names = self.knobs.get("group_names", "").replace(",", " ").split()
        share = self.flag("GROUP_ACCEPT_SURPLUS", False)
        regroup = self.flag("GROUP_AUTOREGROUP", False)
        return GroupTree(
            map(self.group, names),
            accept_surplus=share or (self.mrg and regroup),
            autoregroup=regroup and not self.mrg,
        )

    def settings(self) -> GroupLoopSettings:
        on = not self.mrg
        return GroupLoopSettings(
            max_rounds=int(self.number("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", 3)),
            round_robin_rate=self.number("GROUP_QUOTA_ROUND_ROBIN_RATE", 1e100),
            use_slot_weights=self.flag("NEGOTIATOR_USE_SLOT_WEIGHTS", on),
            consider_preemption=self.flag("NEGOTIATOR_CONSIDER_PREEMPTION", True),
            oversubscription=self.flag("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", on),
            strict_enforcement=self.flag("NEGOTIATOR_STRICT_ENFORCE_QUOTA", on),
        )


class Pool:
    """The rest of the cycle as the vectors play it: nothing matches, or everything does."""

    def __init__(self, case: dict[str, Any], tree: GroupTree, config: Config) -> None:
        self.tree = tree
        self.greedy = case["matcher"] == "greedy"
        self.used = {g.name: float(case["usage"].get(g.name, 0.0)) for g in tree.groups}
        self.waiting: dict[str, list[str]] = {g.name: [] for g in tree.groups}
        weighted = config.flag("NEGOTIATOR_USE_WEIGHTED_DEMAND", not config.mrg)
        for ad in case["submitters"]:
            group = tree.assigned(ad["Name"])
            self.waiting[group.name].append(ad["Name"])
            for kind in ("RunningJobs", "IdleJobs"):
                plain = ad.get(kind, 0)
                group.demand += ad.get(f"Weighted{kind}", plain) if weighted else plain
        self.demand = {g.name: g.demand for g in tree.groups}
        if tree.autoregroup:
            self.waiting[ROOT_GROUP] += [
                name
                for g in tree.groups[1:]
                if g.settings.autoregroup
                for name in self.waiting[g.name]
            ]

    def usage(self, group: Group) -> float:
        return self.used[group.name]

    def subtree_usage(self, group: Group) -> float:
        return self.used[group.name] + sum(map(self.subtree_usage, group.children))

    def has_submitters(self, group: Group) -> bool:
        return bool(self.waiting[group.name])

    def sort_key(self, group: Group) -> float:
        if group.name == ROOT_GROUP:
            return 3.4e38
        return group.usage / group.quota if group.quota > 0 else 3.3e38

    def negotiate(self, group: Group, limit: int) -> None:
        if self.greedy:
            wanted = min(self.demand[group.name], limit)
            self.used[group.name] = max(self.used[group.name], wanted)
        else:
            self.waiting[group.name] = []


def number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value


def near(value: Any) -> Any:
    wanted = number(value)
    return pytest.approx(wanted, rel=1e-9, abs=1e-9, nan_ok=math.isnan(wanted))


def negotiation(event: GroupEvent) -> dict[str, Any]:
    if event.skipped is not None:
        return {"group": event.group, "skip": SKIP_NAMES.get(event.skipped, event.skipped)}
    return {"group": event.group, "limit": event.limit, "limit_int": event.limit_int}


def check_round(got: AllocationRound, expect: dict[str, Any]) -> None:
    for allocation in got.groups:
        wanted = expect["groups"][allocation.group]
        for key, value in wanted.items():
            assert getattr(allocation, key) == near(value), (allocation.group, key)
    assert list(got.order) == expect["order"]
    for key in ("served", "unserved", "requested", "allocated", "surplus"):
        assert getattr(got, key) == near(expect[key]), key
    assert got.max_delta == near(expect["maxdelta"])
    assert got.used == near(expect["usage_total"])
    done = iter(got.events)
    for wanted_pass in expect["passes"]:
        for wanted in wanted_pass["negotiations"]:
            event = next(done)
            assert event.n == near(wanted_pass["n"])
            assert event.sort_key == near(expect["sort_keys"][event.group])
            found = negotiation(event)
            assert found.keys() == wanted.keys()
            for key, value in wanted.items():
                plain = key in ("group", "skip")
                assert found[key] == (value if plain else near(value)), (event.group, key)
    assert next(done, None) is None


@pytest.mark.parametrize("case", cases())
def test_rounds(case: dict[str, Any]) -> None:
    config = Config(case)
    tree = config.tree()
    pool = Pool(case, tree, config)
    expect = case["expect"]
    assert [group.name for group in tree.groups] == expect["groups"]
    rounds = run_group_rounds(tree, float(case["pool"]), config.settings(), pool)
    for i, (got, wanted) in enumerate(zip(rounds, expect["rounds"], strict=True)):
        if i == 0:
            check_assigned(case, tree)
        check_round(got, wanted)
        for name, used in wanted["usage_after"].items():
            assert pool.used[name] == near(used)


def check_assigned(case: dict[str, Any], tree: GroupTree) -> None:
    for name, wanted in case["expect"]["assigned"].items():
        group = tree[name]
        assert group.settings.quota == near(wanted["config_quota"])
        assert group.settings.static == wanted["static"]
        assert group.settings.accept_surplus == wanted["accept_surplus"]
        assert group.settings.autoregroup == wanted["autoregroup"]
        if not (tree.autoregroup and group is tree.root):
            assert group.quota == near(wanted["quota"])
        assert group.subtree_quota == near(wanted["subtree_quota"])
        assert group.demand == near(wanted["requested"])


@pytest.mark.parametrize(
    ("submitter", "group"),
    [
        ("group_a.x.u@d", "group_a.x"),
        ("GROUP_A.X.u@d", "group_a.x"),
        ("group_a.other.w@d", "group_a"),
        ("group_a@d", ROOT_GROUP),
        ("nobody.x@d", ROOT_GROUP),
        ("nice-user.bob@d", ROOT_GROUP),
        ("group_a", "group_a"),
        ("unknown", ROOT_GROUP),
        ("first.last@d", "first"),
    ],
)
def test_assigned_group(submitter: str, group: str) -> None:
    names = ("group_a.x", "first", "group_a", "lost.child")
    tree = GroupTree(GroupSettings(name) for name in names)
    assert tree.assigned(submitter).name == group
