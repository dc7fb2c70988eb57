"""Hands out whole slots to groups in turn: those that fractions of their quotas add up to.

This is for pools whose slots have no weights.  Follows the vectors; HTCondor's manual only mentions
the effect.
"""

from __future__ import annotations

import math
from sys import float_info

from negotiator.groups.steps import CutToWhole, InTurn, Note, nobody
from negotiator.groups.tree import Group
from negotiator.model.std_sort import ascending

_NEVER = float_info.max


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
    wants = [
        max(child.subtree_requested, 0.0) if child.settings.accept_surplus else 0.0
        for child in group.children
    ]
    wants.append(max(group.requested, 0.0))
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
    for child, share in zip(group.children, shares, strict=False):
        if share > 0:
            _round_robin(child, share, note)
    group.allocated += shares[-1]
    group.requested -= shares[-1]
    group.subtree_requested = requested
    return surplus


def _turns(group: Group) -> list[int]:
    """Longest unserved first, then the bigger quota, then the bigger want."""
    times = [child.subtree_rr_time for child in group.children] + [group.rr_time]
    quotas = [child.subtree_quota for child in group.children] + [group.quota]
    wants = [child.subtree_requested for child in group.children] + [group.requested]
    return ascending([times, [-quota for quota in quotas], [-want for want in wants]])
