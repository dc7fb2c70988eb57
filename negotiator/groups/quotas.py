"""Computes group quotas: who is entitled to how much of the pool, and who gets what others leave.

Quotas are assigned top down, once a cycle, allocations bottom up, once a round, in slot weights.
The order of the operations is HTCondor's, so that the last digits agree.  What is done is told step
by step, as values in slot weights.  Follows the description of hierarchical group quotas in
HTCondor's manual and the vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from sys import float_info
from typing import TypeAlias

from attr import frozen

from negotiator.groups.tree import Group, GroupTree, group_tree
from negotiator.model.arithmetic import add_up, ascending
from policy.model import EffectiveQuotas, NegotiatorPolicy

_NEVER = float_info.max


# --- what is done, step by step -------------------------------------------------------------------


@frozen
class Assigned:
    """A group got its quota from its parent.

    ``configured`` is a number of slots (``static``) or a fraction; times ``unit`` it is what the
    group and all below it get; ``quota`` is what is left of that for the group itself.
    """

    group: str
    parent: str | None
    static: bool
    configured: float
    unit: float
    subtree_quota: float
    quota: float


@frozen
class RoundBegan:
    """An allocation round begins."""

    round: int


@frozen
class TookOwn:
    """A group took what it wants of its own quota and gave up the rest."""

    group: str
    quota: float
    requested: float
    allocated: float
    given: float


@frozen
class Share:
    """What a member of a group was handed of a surplus, for itself and all below it.

    ``by_quota`` of it in proportion to quotas (``weight``), ``equally`` in equal parts because
    those with a quota had enough.  The group itself is a member, too.
    """

    group: str
    wanted: float
    weight: float
    by_quota: float
    equally: float


@frozen
class SurplusSpread:
    """The surplus at a group was spread over its accepting children and itself."""

    group: str
    surplus: float
    requested: float
    shares: tuple[Share, ...]
    left: float


@frozen
class CutToWhole:
    """Slot weights are off: a group's allocation was cut to whole slots."""

    group: str
    fraction: float
    allocated: float


@frozen
class InTurn:
    """The fractions that were cut off were handed out as whole slots, one group after another."""

    group: str
    surplus: float
    shares: tuple[tuple[str, float], ...]
    left: float


QuotaStep: TypeAlias = Assigned | RoundBegan | TookOwn | SurplusSpread | CutToWhole | InTurn
Note: TypeAlias = Callable[[QuotaStep], None]


def nobody(step: QuotaStep) -> None:
    """Ignore the steps."""


# --- quotas and surplus ---------------------------------------------------------------------------


def assign_quotas(
    tree: GroupTree, pool: float, *, oversubscription: bool, note: Note = nobody
) -> None:
    """Give every group its quota.  ``pool`` is the weighted size of the pool."""
    for group in tree.groups:
        group.quota = group.subtree_quota = 0.0
    units: dict[str, float] = {}
    _assign(tree.root, pool, oversubscription, units)
    for group in tree.groups:
        settings, parent = group.settings, group.parent
        note(
            Assigned(
                group.name,
                None if parent is None else parent.name,
                settings.static,
                settings.quota,
                units.get(group.name, 0.0),
                group.subtree_quota,
                group.quota,
            )
        )


def _assign(group: Group, quota: float, oversubscription: bool, units: dict[str, float]) -> None:
    """``units`` is filled with what the configured number of each group was multiplied by."""
    if quota <= 0:
        return
    group.subtree_quota = quota
    statics = add_up(child.settings.quota for child in group.children if child.settings.static)
    dynamics = add_up(child.settings.quota for child in group.children if not child.settings.static)
    static_part = statics if oversubscription else min(statics, quota)
    dynamic_part = max(0.0, quota - static_part)
    static_unit = static_part / (statics if statics > 0 else 1.0)
    dynamic_unit = dynamic_part / max(dynamics, 1.0)
    handed_down = 0.0
    for child in group.children:
        unit = static_unit if child.settings.static else dynamic_unit
        child_quota = child.settings.quota * unit
        units[child.name] = unit
        _assign(child, child_quota, oversubscription, units)
        handed_down += child_quota
    keeps_all = oversubscription and group.parent is not None
    group.quota = max(0.0, quota if keeps_all else quota - handed_down)


def allocate(tree: GroupTree, *, whole_slots: bool, note: Note = nobody) -> float:
    """Hand out the pool for one round and return the surplus that nobody wants.

    ``whole_slots``: fractions are collected and handed out as whole slots in turn, as the
    negotiator does when slot weights are off.
    """
    for group in tree.groups:
        group.allocated = group.subtree_requested = 0.0
        group.served_round_robin = False
    surplus = _fair_share(tree.root, note)
    if whole_slots:
        surplus += recover_remainders(tree.root, note)
    return surplus


def _fair_share(group: Group, note: Note) -> float:
    """Every group takes its quota or what it wants; the rest is spread.  Returns what is left."""
    wanted = group.requested
    group.allocated = min(wanted, group.quota)
    group.requested -= group.allocated
    group.subtree_requested = group.requested
    surplus = group.quota - group.allocated
    note(TookOwn(group.name, group.quota, wanted, group.allocated, surplus))
    if not group.children:
        return surplus
    for child in group.children:
        surplus += _fair_share(child, note)
        if child.settings.accept_surplus:
            group.subtree_requested += child.subtree_requested
    return _spread(group, surplus, note)


def _spread(group: Group, surplus: float, note: Note) -> float:
    """Spread a surplus over a group and its accepting children; returns what is left."""
    if surplus <= 0:
        return 0.0
    if group.subtree_requested <= 0:
        return surplus
    wants = _wants(group)
    weights = [child.subtree_quota for child in group.children] + [group.quota]
    wanted, before = list(wants), surplus
    requested = group.subtree_requested
    if surplus >= requested:
        shares = list(wants)
        by_quota = list(shares)
        surplus -= requested
        requested = 0.0
    else:
        shares = [0.0] * len(wants)
        surplus, requested = _loop(wants, weights, shares, surplus, requested)
        by_quota = list(shares)
        surplus, requested = _loop(wants, [1.0] * len(weights), shares, surplus, requested)
    names = [member.name for member in (*group.children, group)]
    parts = tuple(
        Share(name, want, weight, first, share - first)
        for name, want, weight, first, share in zip(
            names, wanted, weights, by_quota, shares, strict=True
        )
    )
    note(SurplusSpread(group.name, before, group.subtree_requested, parts, surplus))
    _hand_down(group, shares, requested, _spread, note)
    return surplus


def _hand_down(
    group: Group,
    shares: Sequence[float],
    requested: float,
    spread: Callable[[Group, float, Note], float],
    note: Note,
) -> None:
    """Give children and the group itself their shares; ``requested``: what is wanted still."""
    for child, share in zip(group.children, shares, strict=False):
        if share > 0:
            spread(child, share, note)
    group.allocated += shares[-1]
    group.requested -= shares[-1]
    group.subtree_requested = requested


def _wants(group: Group) -> list[float]:
    """What each child wants, then what the group itself wants; the group always takes part."""
    wants = [
        max(child.subtree_requested, 0.0) if child.settings.accept_surplus else 0.0
        for child in group.children
    ]
    wants.append(max(group.requested, 0.0))
    return wants


def _loop(
    wants: list[float],
    weights: Sequence[float],
    shares: list[float],
    surplus: float,
    requested: float,
) -> tuple[float, float]:
    """Divide a surplus by weight until it is gone; fills ``shares``, uses up ``wants``."""
    while surplus > 0:
        norm = add_up(weight for weight, want in zip(weights, wants, strict=True) if want > 0)
        if norm <= 0:
            break
        nobody_capped = True
        given = 0.0
        for i, weight in enumerate(weights):
            if wants[i] <= 0:
                continue
            amount = surplus * (weight / norm)
            if amount > wants[i]:
                amount = wants[i]
                nobody_capped = False
            shares[i] += amount
            wants[i] -= amount
            given += amount
        surplus -= given
        requested -= given
        if nobody_capped or surplus < 0:
            surplus = 0.0
    return surplus, requested


def effective_quotas(policy: NegotiatorPolicy, pool: float) -> EffectiveQuotas:
    """The quota of every group, the root's included."""
    tree = group_tree(policy)
    assign_quotas(tree, pool, oversubscription=policy.allow_quota_oversubscription)
    return EffectiveQuotas(
        pool,
        {group.name: group.quota for group in tree.groups},
        {group.name: group.subtree_quota for group in tree.groups},
    )


# --- whole slots in turn, in pools whose slots have no weights ------------------------------------


def recover_remainders(group: Group, note: Note = nobody) -> float:
    """Cut allocations to whole slots, bottom up, and hand the remainders out again."""
    surplus = group.allocated - math.floor(group.allocated)
    group.allocated = _nearest(group.allocated - surplus)
    group.requested = _nearest(group.requested + surplus)
    note(CutToWhole(group.name, surplus, group.allocated))
    group.subtree_requested = group.requested
    group.subtree_rr_time = group.rr_time if group.requested > 0 else _NEVER
    if not group.children:
        return surplus
    for child in group.children:
        surplus += recover_remainders(child, note)
        if child.settings.accept_surplus:
            group.subtree_requested += child.subtree_requested
            if child.subtree_requested > 0:
                group.subtree_rr_time = min(group.subtree_rr_time, child.subtree_rr_time)
    return _round_robin(group, surplus, note)


def _nearest(number: float) -> float:
    """Round half away from zero, as C's ``round`` does."""
    return math.copysign(math.floor(abs(number) + 0.5), number)


def _round_robin(group: Group, surplus: float, note: Note) -> float:
    """Hand whole slots to a group and its accepting children in turn; returns what is left."""
    if surplus < 1 or group.subtree_requested <= 0:
        return surplus
    wants = _wants(group)
    members = [*group.children, group]
    shares = [0.0] * len(members)
    order = _turns(group)
    before = surplus
    requested = group.subtree_requested
    while surplus >= 1 and requested > 0 and (wanting := sum(want > 0 for want in wants)):
        each = max(1.0, math.floor(surplus / wanting))
        for i in order:
            if wants[i] <= 0:
                continue
            amount = min(wants[i], each)
            shares[i] += amount
            wants[i] -= amount
            surplus -= amount
            requested -= amount
            members[i].served_round_robin = True
            if surplus < each:
                break
    given = tuple((member.name, share) for member, share in zip(members, shares, strict=True))
    note(InTurn(group.name, before, given, surplus))
    _hand_down(group, shares, requested, _round_robin, note)
    return surplus


def _turns(group: Group) -> list[int]:
    """Longest unserved first, then the bigger quota, then the bigger want."""
    times = [child.subtree_rr_time for child in group.children] + [group.rr_time]
    quotas = [child.subtree_quota for child in group.children] + [group.quota]
    wants = [child.subtree_requested for child in group.children] + [group.requested]
    return ascending([times, [-quota for quota in quotas], [-want for want in wants]])
