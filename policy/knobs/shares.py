"""Declares the knobs that decide who may have how much: priorities, quotas, limits.

Follows: the accounting, group and limit macros of the manual, read in 25.14.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policy.knobs.declaration import knob_row
from policy.knobs.fields import (
    flag,
    integer,
    number,
    priority_factor,
    renamed_expression,
    required_expression,
    text,
)

if TYPE_CHECKING:
    from classad.ads.expression import Expression

PRIORITY_HALFLIFE: Final = knob_row("PRIORITY_HALFLIFE")
DEFAULT_PRIO_FACTOR: Final = knob_row("DEFAULT_PRIO_FACTOR")
NICE_USER_PRIO_FACTOR: Final = knob_row("NICE_USER_PRIO_FACTOR")
REMOTE_PRIO_FACTOR: Final = knob_row("REMOTE_PRIO_FACTOR")
ACCOUNTANT_LOCAL_DOMAIN: Final = knob_row("ACCOUNTANT_LOCAL_DOMAIN")
GROUP_PRIO_FACTOR: Final = knob_row("GROUP_PRIO_FACTOR_<group>")
GROUP_NAMES: Final = knob_row("GROUP_NAMES")
GROUP_QUOTA: Final = knob_row("GROUP_QUOTA_<group>")
GROUP_QUOTA_DYNAMIC: Final = knob_row("GROUP_QUOTA_DYNAMIC_<group>")
GROUP_ACCEPT_SURPLUS: Final = knob_row("GROUP_ACCEPT_SURPLUS")
GROUP_ACCEPT_SURPLUS_OF: Final = knob_row("GROUP_ACCEPT_SURPLUS_<group>")
GROUP_AUTOREGROUP: Final = knob_row("GROUP_AUTOREGROUP")
GROUP_AUTOREGROUP_OF: Final = knob_row("GROUP_AUTOREGROUP_<group>")
GROUP_SORT_EXPR: Final = knob_row("GROUP_SORT_EXPR")
GROUP_QUOTA_MAX_ALLOCATION_ROUNDS: Final = knob_row("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS")
GROUP_QUOTA_ROUND_ROBIN_RATE: Final = knob_row("GROUP_QUOTA_ROUND_ROBIN_RATE")
NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION: Final = knob_row("NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION")
NEGOTIATOR_STRICT_ENFORCE_QUOTA: Final = knob_row("NEGOTIATOR_STRICT_ENFORCE_QUOTA")
NEGOTIATOR_USE_WEIGHTED_DEMAND: Final = knob_row("NEGOTIATOR_USE_WEIGHTED_DEMAND")
NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT: Final = knob_row("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT")
GROUP_DYNAMIC_MACH_CONSTRAINT: Final = knob_row("GROUP_DYNAMIC_MACH_CONSTRAINT")
NEGOTIATOR_IGNORE_USER_PRIORITIES: Final = knob_row("NEGOTIATOR_IGNORE_USER_PRIORITIES")
NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES: Final = knob_row("NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES")
NEGOTIATOR_CLASSAD_USER_MAP_NAMES: Final = knob_row("NEGOTIATOR_CLASSAD_USER_MAP_NAMES")
NAME_LIMIT: Final = knob_row("<name>_LIMIT")
CONCURRENCY_LIMIT_DEFAULT: Final = knob_row("CONCURRENCY_LIMIT_DEFAULT")
CONCURRENCY_LIMIT_DEFAULT_OF: Final = knob_row("CONCURRENCY_LIMIT_DEFAULT_<set>")


class SharePolicy:
    """Priorities and quotas."""

    slot_poolsize_constraint: Expression | None = renamed_expression(
        NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT, GROUP_DYNAMIC_MACH_CONSTRAINT
    )

    # Priorities; factors multiply a real priority, greater is worse.
    priority_halflife_seconds: float = number(PRIORITY_HALFLIFE)
    default_prio_factor: float = priority_factor(DEFAULT_PRIO_FACTOR)
    nice_user_prio_factor: float = priority_factor(NICE_USER_PRIO_FACTOR)
    remote_prio_factor: float = priority_factor(REMOTE_PRIO_FACTOR)
    accountant_local_domain: str = text(ACCOUNTANT_LOCAL_DOMAIN)
    discount_suspended_resources: bool = flag(NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES)
    ignore_user_priorities: bool = flag(NEGOTIATOR_IGNORE_USER_PRIORITIES)

    # Group quotas, in weighted slots.
    group_sort_expr: Expression = required_expression(GROUP_SORT_EXPR)
    group_quota_max_allocation_rounds: int = integer(GROUP_QUOTA_MAX_ALLOCATION_ROUNDS)
    group_quota_round_robin_rate: float = number(GROUP_QUOTA_ROUND_ROBIN_RATE)
    allow_quota_oversubscription: bool = flag(NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION)
    strict_enforce_quota: bool = flag(NEGOTIATOR_STRICT_ENFORCE_QUOTA)
    use_weighted_demand: bool = flag(NEGOTIATOR_USE_WEIGHTED_DEMAND)
