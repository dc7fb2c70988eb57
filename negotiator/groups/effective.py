"""Computes the quotas of a policy in a pool that is nothing but a size, in slot weights."""

from __future__ import annotations

from negotiator.groups.quotas import assign_quotas
from negotiator.groups.tree import group_tree
from policy.groups import EffectiveQuotas
from policy.model import NegotiatorPolicy


def effective_quotas(policy: NegotiatorPolicy, pool: float) -> EffectiveQuotas:
    """The quota of every group, the root's included."""
    tree = group_tree(policy)
    assign_quotas(tree, pool, oversubscription=policy.allow_quota_oversubscription)
    return EffectiveQuotas(
        pool,
        {group.name: group.quota for group in tree.groups},
        {group.name: group.subtree_quota for group in tree.groups},
    )
