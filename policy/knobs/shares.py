"""Declares the knobs that decide who may have how much: priorities, quotas, limits.

Follows: the accounting, group and limit macros of the manual, read in 25.14.1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from attr import frozen

from policy.knobs.declaration import Kind, Knob, Need, Use, Wanted
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

PRIORITY_HALFLIFE: Final = Knob(
    "PRIORITY_HALFLIFE",
    Kind.DOUBLE,
    "86400",
    "Halves the memory of past usage in this time",
    unit="s",
    differs="the table's range is not enforced: 0 is accepted",
    plausible=(300, math.inf),
)
DEFAULT_PRIO_FACTOR: Final = Knob(
    "DEFAULT_PRIO_FACTOR",
    Kind.LEADING,
    "1000",
    "Multiplies the real priority of submitters without a factor of their own",
    unit="ratio",
    fatal=False,
    differs="factors below 1 count as 1",
)
NICE_USER_PRIO_FACTOR: Final = Knob(
    "NICE_USER_PRIO_FACTOR",
    Kind.LEADING,
    "1e10",
    "Multiplies the real priority of submitters whose name begins with `nice-user`",
    unit="ratio",
    fatal=False,
    differs="factors below 1 count as 1",
)
REMOTE_PRIO_FACTOR: Final = Knob(
    "REMOTE_PRIO_FACTOR",
    Kind.LEADING,
    "1e7",
    "Multiplies the real priority of submitters outside ACCOUNTANT_LOCAL_DOMAIN",
    unit="ratio",
    fatal=False,
    differs="factors below 1 count as 1",
)
ACCOUNTANT_LOCAL_DOMAIN: Final = Knob(
    "ACCOUNTANT_LOCAL_DOMAIN",
    Kind.STRING,
    "",
    "Names the domain whose submitters are local; empty makes everybody local",
)
GROUP_PRIO_FACTOR: Final = Knob(
    "GROUP_PRIO_FACTOR_<group>",
    Kind.DOUBLE,
    None,
    "Multiplies the real priority of submitters assigned to exactly this group",
    unit="ratio",
    in_table=False,
)
GROUP_NAMES: Final = Knob(
    "GROUP_NAMES",
    Kind.LIST,
    "",
    "Names the accounting groups, dots making subgroups; empty switches quotas off",
    unordered=True,
)
GROUP_QUOTA: Final = Knob(
    "GROUP_QUOTA_<group>",
    Kind.DOUBLE,
    None,
    "Sets the static quota of a group",
    "weighted slots",
    minimum=0.0,
    maximum=2147483647.0,
    in_table=False,
)
GROUP_QUOTA_DYNAMIC: Final = Knob(
    "GROUP_QUOTA_DYNAMIC_<group>",
    Kind.DOUBLE,
    None,
    "Sets the quota of a group as a fraction of its parent's, if it has no static one",
    "ratio",
    minimum=0.0,
    maximum=1.0,
    in_table=False,
)
GROUP_ACCEPT_SURPLUS: Final = Knob(
    "GROUP_ACCEPT_SURPLUS",
    Kind.BOOL,
    "false",
    "Lets groups use what other groups leave of their quota",
)
GROUP_ACCEPT_SURPLUS_OF: Final = Knob(
    "GROUP_ACCEPT_SURPLUS_<group>",
    Kind.BOOL,
    None,
    "Replaces GROUP_ACCEPT_SURPLUS for one group; subgroups do not inherit it",
    in_table=False,
)
GROUP_AUTOREGROUP: Final = Knob(
    "GROUP_AUTOREGROUP",
    Kind.BOOL,
    "false",
    "Lets submitters of groups negotiate once more, without a group, at the end",
)
GROUP_AUTOREGROUP_OF: Final = Knob(
    "GROUP_AUTOREGROUP_<group>",
    Kind.BOOL,
    None,
    "Replaces GROUP_AUTOREGROUP for one group; subgroups do not inherit it",
    in_table=False,
)
GROUP_SORT_EXPR: Final = Knob(
    "GROUP_SORT_EXPR",
    Kind.EXPR,
    'ifThenElse(AccountingGroup=?="<none>",3.4e+38,'
    "ifThenElse(GroupQuota>0,GroupResourcesInUse/GroupQuota,3.3e+38))",
    "Orders the groups, smallest first",
    differs="set to nothing, it stops the daemon",
    use=Use("group", "", Wanted.NUMBER),
)
GROUP_QUOTA_MAX_ALLOCATION_ROUNDS: Final = Knob(
    "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
    Kind.INT,
    "3",
    "Repeats the allocation of quotas at most this often in a cycle",
    minimum=1.0,
    maximum=1000000000.0,
    groups_only=True,
)
GROUP_QUOTA_ROUND_ROBIN_RATE: Final = Knob(
    "GROUP_QUOTA_ROUND_ROBIN_RATE",
    Kind.DOUBLE,
    "1.0e100",
    "Limits what one pass gives to a group, so that groups take turns",
    "weighted slots",
    minimum=1.0,
    groups_only=True,
)
NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION: Final = Knob(
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION",
    Kind.BOOL,
    "true",
    "Leaves static quotas as they are when they exceed what there is",
    differs="the program's own fallback is false, but the parameter table says true",
)
NEGOTIATOR_STRICT_ENFORCE_QUOTA: Final = Knob(
    "NEGOTIATOR_STRICT_ENFORCE_QUOTA",
    Kind.BOOL,
    "true",
    "Takes from a group what its ancestors' quotas do not cover",
    in_table=False,
)
NEGOTIATOR_USE_WEIGHTED_DEMAND: Final = Knob(
    "NEGOTIATOR_USE_WEIGHTED_DEMAND",
    Kind.BOOL,
    "true",
    "Measures a group's demand by weighted jobs instead of numbers of jobs",
)
NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT: Final = Knob(
    "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT",
    Kind.EXPR,
    "",
    "Selects the slots that count for the size of the pool",
    fatal=False,
    use=Use("slot", "", Wanted.CONDITION),
)
GROUP_DYNAMIC_MACH_CONSTRAINT: Final = Knob(
    "GROUP_DYNAMIC_MACH_CONSTRAINT",
    Kind.EXPR,
    None,
    "Stands in for NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT where that is not set (old name)",
    in_table=False,
    fatal=False,
    use=Use("slot", "", Wanted.CONDITION),
    replaced_by="NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT",
)
NEGOTIATOR_IGNORE_USER_PRIORITIES: Final = Knob(
    "NEGOTIATOR_IGNORE_USER_PRIORITIES",
    Kind.BOOL,
    "false",
    "Gives every submitter an unlimited share; they still take turns by priority",
    need=Need.OPTIONAL,
)
NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES: Final = Knob(
    "NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES",
    Kind.BOOL,
    "false",
    "Stops charging submitters for suspended claims",
    need=Need.OPTIONAL,
)
NEGOTIATOR_CLASSAD_USER_MAP_NAMES: Final = Knob(
    "NEGOTIATOR_CLASSAD_USER_MAP_NAMES",
    Kind.LIST,
    None,
    "Names user maps; one called GROUP_PREFIX puts a group before submitter names",
    need=Need.OPTIONAL,
    in_table=False,
)
NAME_LIMIT: Final = Knob(
    "<name>_LIMIT",
    Kind.DOUBLE,
    None,
    "Sets how much of a concurrency limit the pool has",
    in_table=False,
    fatal=False,
)
CONCURRENCY_LIMIT_DEFAULT: Final = Knob(
    "CONCURRENCY_LIMIT_DEFAULT",
    Kind.DOUBLE,
    "2308032",
    "Sets how much there is of a concurrency limit that has no value of its own",
    fatal=False,
)
CONCURRENCY_LIMIT_DEFAULT_OF: Final = Knob(
    "CONCURRENCY_LIMIT_DEFAULT_<set>",
    Kind.DOUBLE,
    None,
    "Sets the same for the limits of one set, those named `<set>.<name>`",
    in_table=False,
    fatal=False,
)


@frozen(kw_only=True, eq=False, slots=False)
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
