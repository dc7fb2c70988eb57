"""Runs the rounds of negotiation among groups: their order, their limits, when it ends.

Limits are in slot weights.  Follows the description of hierarchical group quotas in HTCondor's
manual and the vectors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Final, Protocol

from negotiator.groups.quotas import Note, RoundBegan, allocate, assign_quotas, nobody
from negotiator.groups.tree import Group, GroupTree
from negotiator.model.arithmetic import add_up, ascending, c_int
from negotiator.model.result import AllocationRound, GroupAllocation, GroupEvent
from policy.model import NegotiatorPolicy

#: From this pass on a group loop would take hours in a real pool: it gives all that is left.
MANY_PASSES: Final = 100_000


class Negotiation(Protocol):
    """What the loop asks of the rest of the cycle."""

    def usage(self, group: Group) -> float:
        """The weight charged to exactly this group now."""

    def subtree_usage(self, group: Group) -> float:
        """The weight charged to this group and all below it now."""

    def has_submitters(self, group: Group) -> bool:
        """Whether the group still has a submitter that could negotiate in this cycle."""

    def sort_key(self, group: Group) -> float:
        """The value of ``GROUP_SORT_EXPR``: smaller goes first."""

    def negotiate(self, group: Group, limit: int) -> int | None:
        """Run one round for the group; returns the index of its last pie."""


def run_group_rounds(
    tree: GroupTree,
    pool: float,
    policy: NegotiatorPolicy,
    negotiation: Negotiation,
    note: Note = nobody,
) -> Iterator[AllocationRound]:
    """Assign quotas, then allocate and negotiate until everything allocated is used."""
    for group in tree.groups:
        group.usage = negotiation.usage(group)
        group.requested = group.demand
    assign_quotas(tree, pool, oversubscription=policy.allow_quota_oversubscription, note=note)
    for number in range(1, policy.group_quota_max_allocation_rounds + 1):
        note(RoundBegan(number))
        done = _one_round(tree, pool, number, policy, negotiation, note)
        yield done
        if done.used >= done.allocated:
            return


def _one_round(
    tree: GroupTree,
    pool: float,
    number: int,
    policy: NegotiatorPolicy,
    negotiation: Negotiation,
    note: Note,
) -> AllocationRound:
    surplus = allocate(tree, whole_slots=not policy.use_slot_weights, note=note)
    if tree.autoregroup:
        tree.root.quota = tree.root.allocated = pool
    groups = tuple(
        GroupAllocation(g.name, g.quota, g.requested + g.allocated, g.allocated, g.requested)
        for g in tree.groups
    )
    served = sum(1 for g in groups if g.allocated > 0)
    unserved = sum(1 for g in groups if g.allocated <= 0 < g.unallocated)
    max_delta = _max_delta(tree)
    order = _order(tree, negotiation)
    events = tuple(_passes(order, number, max_delta, policy, negotiation))
    return AllocationRound(
        number,
        groups,
        served,
        unserved,
        add_up([g.requested for g in groups]),
        add_up([g.allocated for g in groups]),
        surplus,
        max_delta,
        tuple(group.name for group in order),
        events,
        _settle(tree, negotiation),
    )


def _max_delta(tree: GroupTree) -> float:
    result = 0.0
    for group in tree.groups:
        target = group.allocated if tree.accept_surplus else group.quota
        result = max(result, max(0.0, target - group.usage))
    return result


def _order(tree: GroupTree, negotiation: Negotiation) -> list[Group]:
    """Smallest sort key first; the root is last while any group is regrouped into it."""
    for group in tree.groups:
        group.sort_key = negotiation.sort_key(group)
    last = [1.0 if tree.autoregroup and group is tree.root else 0.0 for group in tree.groups]
    keys = [group.sort_key or 0.0 for group in tree.groups]
    return [tree.groups[i] for i in ascending([last, keys])]


def _passes(
    order: list[Group],
    number: int,
    max_delta: float,
    policy: NegotiatorPolicy,
    negotiation: Negotiation,
) -> Iterator[GroupEvent]:
    """Let every group negotiate, with ``round_robin_rate`` more of its allocation in every pass."""
    # In a pool of infinite weight the passes would never end: then one gives everything.
    n = 0.0 if math.isfinite(max_delta) else max_delta
    for made in itertools.count(1):  # pragma: no branch - it counts without end
        n = min(n + policy.group_quota_round_robin_rate, max_delta)
        if made == MANY_PASSES:
            n = max_delta
        for group in order:
            key = group.sort_key or 0.0
            skipped = _skip_cause(group, policy, negotiation)
            if skipped is not None:
                yield GroupEvent(number, group.name, key, n, skipped=skipped)
                continue
            limit = _limit(group, n, max_delta, policy, negotiation)
            whole = c_int(limit)
            pie = negotiation.negotiate(group, whole)
            yield GroupEvent(number, group.name, key, n, limit, whole, pie=pie)
        if not n < max_delta:
            return


def too_many_passes(max_delta: float, policy: NegotiatorPolicy) -> bool:
    """Whether the passes of a round were cut short."""
    return not max_delta <= policy.group_quota_round_robin_rate * MANY_PASSES


def _skip_cause(group: Group, policy: NegotiatorPolicy, negotiation: Negotiation) -> str | None:
    if group.allocated <= 0:
        return "zero slots allocated"
    if group.usage >= group.allocated and not policy.consider_preemption:
        return "at or over quota"
    if not negotiation.has_submitters(group):
        return "no submitters"
    return None


def _limit(
    group: Group,
    n: float,
    max_delta: float,
    policy: NegotiatorPolicy,
    negotiation: Negotiation,
) -> float:
    """The group's limit for this pass; 0/0 is not-a-number, as in the negotiator."""
    target = max(group.allocated, group.quota)
    lacking = max(0.0, target - group.usage)
    limit = target
    if lacking > 0:
        limit = group.usage + lacking * (n / max_delta if max_delta else math.nan)
    limit = target if target < limit else limit
    if not policy.use_slot_weights:
        limit = float(math.floor(limit)) if math.isfinite(limit) else limit
    return _strict(group, limit, negotiation) if policy.strict_enforce_quota else limit


def _strict(group: Group, limit: float, negotiation: Negotiation) -> float:
    """Cut the limit so that no ancestor that accepts no surplus goes over its quota."""
    extra = limit - group.usage
    at: Group | None = group
    while at is not None:
        if not at.settings.accept_surplus:
            cap = at.settings.quota if at.settings.static else at.subtree_quota
            room = max(0.0, cap - negotiation.subtree_usage(at))
            extra = room if room < extra else extra
        at = at.parent
    return extra + group.usage


def _settle(tree: GroupTree, negotiation: Negotiation) -> float:
    """Read the usage again, correct what groups want by it; returns what was used in all."""
    used = 0.0
    for group in tree.groups:
        group.usage = negotiation.usage(group)
        used += min(group.usage, group.allocated)
        if group.usage < group.allocated:
            group.requested = group.usage
        else:
            group.requested += group.allocated
    return used
