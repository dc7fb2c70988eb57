"""Checks the recorded cases of group quotas.

Decides how a case is replayed: the rest of the cycle either matches nothing or all that a group
wants, as the recordings were made.

Inputs: cases.  Outputs: ``QUOTA_KINDS``.  Follows: the README beside the vectors; numbers agree to
1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

from negotiator.groups.rounds import run_group_rounds
from negotiator.groups.tree import Group, GroupTree, group_tree
from negotiator.model.arithmetic import ascending
from negotiator.model.result import ROOT_GROUP, AllocationRound, GroupEvent
from pieslice.data import Content, JsonData, Record
from policy.dialects import DIALECTS
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from tests.conform.runner import Case, Kind, Mismatch

_SKIP_NAMES: Final = {"zero slots allocated": "zero", "no submitters": "no-submitters"}
_ASSIGNED: Final[dict[str, Callable[[Group], object]]] = {
    "config_quota": lambda group: group.settings.quota,
    "static": lambda group: group.settings.static,
    "accept_surplus": lambda group: group.settings.accept_surplus,
    "autoregroup": lambda group: group.settings.autoregroup,
    "quota": lambda group: group.quota,
    "subtree_quota": lambda group: group.subtree_quota,
    "requested": lambda group: group.demand,
}
_ROUND_FIELDS: Final = {
    "served": "served",
    "unserved": "unserved",
    "requested": "requested",
    "allocated": "allocated",
    "surplus": "surplus",
    "maxdelta": "max_delta",
    "usage_total": "used",
}


class _Pool:
    """The rest of the cycle as the vectors play it."""

    def __init__(self, case: Case, tree: GroupTree, policy: NegotiatorPolicy) -> None:
        self.tree = tree
        self.greedy = case["matcher"] == "greedy"
        self.used = {g.name: float(case["usage"].get(g.name, 0.0)) for g in tree.groups}
        self.waiting: dict[str, list[str]] = {g.name: [] for g in tree.groups}
        for ad in case["submitters"]:
            group = tree.assigned(ad["Name"])
            self.waiting[group.name].append(ad["Name"])
            for kind in ("RunningJobs", "IdleJobs"):
                plain = ad.get(kind, 0)
                weighted = ad.get(f"Weighted{kind}", plain)
                group.demand += weighted if policy.use_weighted_demand else plain
        self.demand = {g.name: g.demand for g in tree.groups}
        if tree.autoregroup:
            regrouped = [g for g in tree.groups[1:] if g.settings.autoregroup]
            self.waiting[ROOT_GROUP] += [n for g in regrouped for n in self.waiting[g.name]]

    def usage(self, group: Group) -> float:
        """What the group uses, in slot weights."""
        return self.used[group.name]

    def subtree_usage(self, group: Group) -> float:
        """What the group and all below it use."""
        return self.used[group.name] + sum(map(self.subtree_usage, group.children))

    def has_submitters(self, group: Group) -> bool:
        """Whether anybody negotiates for the group."""
        return bool(self.waiting[group.name])

    def sort_key(self, group: Group) -> float:
        """The default of GROUP_SORT_EXPR."""
        if group.name == ROOT_GROUP:
            return 3.4e38
        return group.usage / group.quota if group.quota > 0 else 3.3e38

    def negotiate(self, group: Group, limit: int) -> None:
        """All that the group wants is matched, or nothing."""
        if self.greedy:
            wanted = min(self.demand[group.name], limit)
            self.used[group.name] = max(self.used[group.name], wanted)
        else:
            self.waiting[group.name] = []


def check_rounds(case: Case) -> list[Mismatch]:
    """Every printed number of every round."""
    policy = policy_from_knobs(case["config"], dialect=DIALECTS[case["dialect"]]).policy
    tree = group_tree(policy)
    pool = _Pool(case, tree, policy)
    expect = case["expect"]
    found = _differ("groups", expect["groups"], [group.name for group in tree.groups])
    if found:
        return found
    rounds = run_group_rounds(tree, float(case["pool"]), policy, pool)
    count = 0
    for count, got in enumerate(rounds, 1):
        if count == 1:
            found += _assigned(expect["assigned"], tree)
        if count <= len(expect["rounds"]):
            wanted = expect["rounds"][count - 1]
            found += _round(f"rounds[{count - 1}]", wanted, got)
            found += _all(f"rounds[{count - 1}].usage_after", wanted["usage_after"], pool.used)
    return found + _differ("number of rounds", len(expect["rounds"]), count)


def _assigned(expect: Record, tree: GroupTree) -> list[Mismatch]:
    found: list[Mismatch] = []
    for name, wanted in expect.items():
        group = tree[name]
        # The root's quota is set to the whole pool when it takes groups in.
        skipped = {"quota"} if tree.autoregroup and group is tree.root else set()
        for field, read in _ASSIGNED.items():
            if field in wanted and field not in skipped:
                found += _differ(f"assigned.{name}.{field}", wanted[field], read(group))
    return found


def _round(where: str, wanted: Record, got: AllocationRound) -> list[Mismatch]:
    found = _differ(f"{where}.order", wanted["order"], list(got.order))
    for allocation in got.groups:
        for key, value in wanted["groups"][allocation.group].items():
            name = f"{where}.groups.{allocation.group}.{key}"
            found += _differ(name, value, getattr(allocation, key))
    for name, field in _ROUND_FIELDS.items():
        found += _differ(f"{where}.{name}", wanted[name], getattr(got, field))
    expected = list(_turns(wanted))
    found += _differ(f"{where}: number of turns", len(expected), len(got.events))
    for i, (turn, event) in enumerate(zip(expected, got.events, strict=False)):
        found += _all(f"{where}.turns[{i}]", turn, _turn(event))
    return found


def _turns(wanted: Record) -> Iterator[JsonData]:
    for one in wanted["passes"]:
        for turn in one["negotiations"]:
            yield {**turn, "n": one["n"], "key": wanted["sort_keys"][turn["group"]]}


def _turn(event: GroupEvent) -> JsonData:
    head = {"group": event.group, "n": event.n, "key": event.sort_key}
    if event.skipped is not None:
        return {**head, "skip": _SKIP_NAMES.get(event.skipped, event.skipped)}
    return {**head, "limit": event.limit, "limit_int": event.limit_int}


def _all(where: str, wanted: Record, got: Record) -> list[Mismatch]:
    found: list[Mismatch] = []
    for name in sorted({*wanted, *got} if "group" in wanted else wanted):
        found += _differ(f"{where}.{name}", wanted.get(name), got.get(name))
    return found


def _differ(field: str, wanted: object, got: object) -> list[Mismatch]:
    return [] if _same(wanted, got) else [Mismatch(field, wanted, got)]


def _same(wanted: object, got: object) -> bool:
    if isinstance(wanted, bool) or not isinstance(got, int | float):
        return bool(wanted == got)
    if isinstance(wanted, str):  # "nan" and "inf", which JSON does not have
        wanted = float(wanted)
    if not isinstance(wanted, int | float):
        return False
    if math.isnan(wanted):
        return math.isnan(got)
    return math.isclose(wanted, got, rel_tol=1e-9, abs_tol=1e-9)


def check_order(case: Case) -> list[Mismatch]:
    """The order of groups by their keys."""
    return _differ("order", case["order"], ascending([case["keys"]]))


_RECORD: Final = frozenset(("id", "observed"))
QUOTA_KINDS: Final = (
    Kind(
        "group quotas",
        lambda case: {"dialect", "pool", "matcher", "expect"} <= set(case),
        check_rounds,
        _RECORD | {"dialect", "note", "config", "pool", "submitters", "usage", "matcher", "expect"},
        lambda content: _listed(content, "matcher"),
    ),
    Kind(
        "order of groups",
        lambda case: {"keys", "order"} <= set(case),
        check_order,
        _RECORD | {"keys", "order", "via"},
        lambda content: _listed(content, "keys"),
    ),
)


def _listed(content: Content, field: str) -> list[Case] | None:
    cases = content.get("cases") if isinstance(content, dict) else None
    if not isinstance(cases, list) or not cases:
        return None
    return cases if all(isinstance(case, dict) and field in case for case in cases) else None
