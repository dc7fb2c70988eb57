"""Computes what groups are owed in pools of a few sizes.

Inputs: a policy, the size of a pool.  Outputs: quotas by group, both in slot weights.
"""

from __future__ import annotations

from typing import Final

from negotiator.model.result import ROOT_GROUP
from policy.model import NegotiatorPolicy

#: Sizes in slot weights, the usual one first.
POOLS: Final = (10.0, 100.0, 4.0)


def quotas_in(policy: NegotiatorPolicy, size: float) -> dict[str, float]:
    """The quota of each group; the root group has what is left.  Empty without groups."""
    quotas: dict[str, float] = {}
    for spec in policy.groups[1:]:
        quota = spec.static_quota if spec.is_static else (spec.dynamic_quota or 0.0) * size
        quotas[spec.name] = float(quota or 0.0)
    if quotas:
        quotas[ROOT_GROUP] = max(0.0, size - sum(quotas.values()))
    return quotas
