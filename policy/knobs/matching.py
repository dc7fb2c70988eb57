"""Declares the knobs of the negotiator that decide which slot a request gets.

Follows: the negotiator macros of the manual, read in 25.14.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policy.knobs.declaration import knob_row
from policy.knobs.fields import expression, flag, integer, tagged_macros, text

if TYPE_CHECKING:
    from classad.ads.expression import Expression


PREEMPTION_REQUIREMENTS: Final = knob_row("PREEMPTION_REQUIREMENTS")
PREEMPTION_REQUIREMENTS_STABLE: Final = knob_row("PREEMPTION_REQUIREMENTS_STABLE")
PREEMPTION_RANK: Final = knob_row("PREEMPTION_RANK")
PREEMPTION_RANK_STABLE: Final = knob_row("PREEMPTION_RANK_STABLE")
NEGOTIATOR_PRE_JOB_RANK: Final = knob_row("NEGOTIATOR_PRE_JOB_RANK")
NEGOTIATOR_POST_JOB_RANK: Final = knob_row("NEGOTIATOR_POST_JOB_RANK")
NEGOTIATOR_IGNORE_JOB_RANKS: Final = knob_row("NEGOTIATOR_IGNORE_JOB_RANKS")
NEGOTIATOR_MATCHLIST_CACHING: Final = knob_row("NEGOTIATOR_MATCHLIST_CACHING")
NEGOTIATOR_CONSIDER_PREEMPTION: Final = knob_row("NEGOTIATOR_CONSIDER_PREEMPTION")
NEGOTIATOR_CONSIDER_EARLY_PREEMPTION: Final = knob_row("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION")
ALLOW_PSLOT_PREEMPTION: Final = knob_row("ALLOW_PSLOT_PREEMPTION")
NEGOTIATOR_SLOT_CONSTRAINT: Final = knob_row("NEGOTIATOR_SLOT_CONSTRAINT")
NEGOTIATOR_SUBMITTER_CONSTRAINT: Final = knob_row("NEGOTIATOR_SUBMITTER_CONSTRAINT")
NEGOTIATOR_JOB_CONSTRAINT: Final = knob_row("NEGOTIATOR_JOB_CONSTRAINT")
NEGOTIATOR_USE_SLOT_WEIGHTS: Final = knob_row("NEGOTIATOR_USE_SLOT_WEIGHTS")
SLOT_WEIGHT: Final = knob_row("SLOT_WEIGHT")
FORCE_NEGOTIATOR_SLOT_WEIGHT: Final = knob_row("FORCE_NEGOTIATOR_SLOT_WEIGHT")
NEGOTIATOR_DEPTH_FIRST: Final = knob_row("NEGOTIATOR_DEPTH_FIRST")
NEGOTIATOR_MATCH_EXPRS: Final = knob_row("NEGOTIATOR_MATCH_EXPRS")
NEGOTIATOR_CROSS_SLOT_PRIOS: Final = knob_row("NEGOTIATOR_CROSS_SLOT_PRIOS")
STARTD_RESOURCE_PREFIX: Final = knob_row("STARTD_RESOURCE_PREFIX")
NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD: Final = knob_row("NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD")
MATCH_WORKING_CM_SLOTS: Final = knob_row("MATCH_WORKING_CM_SLOTS")
NEGOTIATOR_NUM_THREADS: Final = knob_row("NEGOTIATOR_NUM_THREADS")
STARTD_AD_REEVAL_EXPR: Final = knob_row("STARTD_AD_REEVAL_EXPR")
CONSUMPTION_POLICY: Final = knob_row("CONSUMPTION_POLICY")
CONSUMPTION_CPUS: Final = knob_row("CONSUMPTION_CPUS")
CONSUMPTION_MEMORY: Final = knob_row("CONSUMPTION_MEMORY")
CONSUMPTION_DISK: Final = knob_row("CONSUMPTION_DISK")
CLAIM_PARTITIONABLE_LEFTOVERS: Final = knob_row("CLAIM_PARTITIONABLE_LEFTOVERS")
ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS: Final = knob_row("ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS")


class MatchingPolicy:
    """What a slot or a request is measured by.  An expression is None if it is set to nothing."""

    # Preemption.
    preemption_requirements: Expression | None = expression(PREEMPTION_REQUIREMENTS)
    preemption_requirements_stable: bool = flag(PREEMPTION_REQUIREMENTS_STABLE)
    preemption_rank: Expression | None = expression(PREEMPTION_RANK)
    preemption_rank_stable: bool = flag(PREEMPTION_RANK_STABLE)
    consider_preemption: bool = flag(NEGOTIATOR_CONSIDER_PREEMPTION)
    consider_early_preemption: bool = flag(NEGOTIATOR_CONSIDER_EARLY_PREEMPTION)
    allow_pslot_preemption: bool = flag(ALLOW_PSLOT_PREEMPTION)

    # Ranks and the match list.
    pre_job_rank: Expression | None = expression(NEGOTIATOR_PRE_JOB_RANK)
    post_job_rank: Expression | None = expression(NEGOTIATOR_POST_JOB_RANK)
    ignore_job_ranks: bool = flag(NEGOTIATOR_IGNORE_JOB_RANKS)
    matchlist_caching: bool = flag(NEGOTIATOR_MATCHLIST_CACHING)

    # What takes part.
    slot_constraint: Expression | None = expression(NEGOTIATOR_SLOT_CONSTRAINT)
    submitter_constraint: Expression | None = expression(NEGOTIATOR_SUBMITTER_CONSTRAINT)
    job_constraint: Expression | None = expression(NEGOTIATOR_JOB_CONSTRAINT)
    trim_shutdown_threshold_seconds: int = integer(NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD)
    match_working_cm_slots: bool = flag(MATCH_WORKING_CM_SLOTS)

    # Weights.
    use_slot_weights: bool = flag(NEGOTIATOR_USE_SLOT_WEIGHTS)
    slot_weight: Expression | None = expression(SLOT_WEIGHT)
    force_slot_weight: bool = flag(FORCE_NEGOTIATOR_SLOT_WEIGHT)

    # Slot ads.
    match_exprs: tuple[tuple[str, Expression], ...] = tagged_macros(
        NEGOTIATOR_MATCH_EXPRS, "NegotiatorMatchExpr"
    )
    cross_slot_prios: bool = flag(NEGOTIATOR_CROSS_SLOT_PRIOS)
    startd_resource_prefix: str = text(STARTD_RESOURCE_PREFIX)

    # Requests.
    depth_first: bool = flag(NEGOTIATOR_DEPTH_FIRST)
