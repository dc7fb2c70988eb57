"""The negotiator's policy as one checked value.

What is decided here: the names and units of its fields.  Inputs: none; ``policy.load`` fills it.
Outputs: ``NegotiatorPolicy``, immutable, expressions compiled, nothing left to look up by name
but concurrency limits.
Never here: texts, defaults, files.
Follows: the knobs that 25.14.1's negotiator reads for a cycle; each field's comment in
docs/knobs.md is the knob of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attr import field, frozen

from policy.dialects import Dialect
from policy.groups import GroupSpec
from policy.limits import ConcurrencyLimits

if TYPE_CHECKING:
    from classad.ads.expression import Expression as ExprTree


@frozen(kw_only=True, eq=False)
class NegotiatorPolicy:
    """What the configuration says about a negotiation cycle.

    An expression that is None is set to nothing (or has no default).  ``groups`` is empty when no
    group is configured, else the root comes first.
    """

    #: Whose rules are followed where they differ.
    dialect: Dialect

    # Preemption.
    preemption_requirements: ExprTree | None
    preemption_requirements_stable: bool
    preemption_rank: ExprTree | None
    preemption_rank_stable: bool
    consider_preemption: bool
    consider_early_preemption: bool
    allow_pslot_preemption: bool

    # Ranks and the match list.
    pre_job_rank: ExprTree | None
    post_job_rank: ExprTree | None
    ignore_job_ranks: bool
    matchlist_caching: bool

    # What takes part.
    slot_constraint: ExprTree | None
    submitter_constraint: ExprTree | None
    job_constraint: ExprTree | None
    slot_poolsize_constraint: ExprTree | None
    trim_shutdown_threshold_seconds: int
    match_working_cm_slots: bool

    # Weights.
    use_slot_weights: bool
    slot_weight: ExprTree | None
    force_slot_weight: bool

    # Slot ads.
    match_exprs: tuple[tuple[str, ExprTree], ...]
    cross_slot_prios: bool
    startd_resource_prefix: str

    # Requests.
    use_resource_request_counts: bool
    resource_request_list_size: int
    prefetch_requests: bool
    depth_first: bool
    use_global_job_prios: bool
    max_global_job_prios: int
    negotiate_all_jobs_in_cluster: bool
    #: Jobs of a schedd that may run at once; None unless it is set.
    max_jobs_running: int | None
    #: Jobs that a schedd asks for at a time per submitter; 0 is no limit.
    max_concurrent_uploads_per_user: int

    # Autoclusters; ``significant_attributes`` None: the negotiator's own list.
    significant_attributes: tuple[str, ...] | None
    add_significant_attributes: tuple[str, ...]
    remove_significant_attributes: tuple[str, ...]
    remove_significant_attributes_regex: str
    start_vanilla_universe: ExprTree | None

    # Priorities; factors multiply a real priority, greater is worse.
    priority_halflife_seconds: float
    default_prio_factor: float
    nice_user_prio_factor: float
    remote_prio_factor: float
    accountant_local_domain: str
    discount_suspended_resources: bool
    ignore_user_priorities: bool

    # Group quotas, in weighted slots.
    groups: tuple[GroupSpec, ...]
    #: GROUP_ACCEPT_SURPLUS itself; what it means for each group is in ``groups``.
    group_accept_surplus: bool
    group_sort_expr: ExprTree | None
    group_quota_max_allocation_rounds: int
    group_quota_round_robin_rate: float
    allow_quota_oversubscription: bool
    strict_enforce_quota: bool
    use_weighted_demand: bool

    # Concurrency limits.
    concurrency_limits: ConcurrencyLimits = field(factory=ConcurrencyLimits)

    #: The user maps the negotiator reads, by name: for ``userMap``, and ``GROUP_PREFIX`` for names.
    user_maps: Mapping[str, Mapping[str, str]] = field(factory=dict)

    # Time between cycles.
    interval_seconds: int
    min_interval_seconds: int
    cycle_delay_seconds: int

    # Time within a cycle; each is an upper limit.
    max_time_per_cycle_seconds: int
    max_time_per_submitter_seconds: int
    max_time_per_schedd_seconds: int
    max_time_per_pie_spin_seconds: int
