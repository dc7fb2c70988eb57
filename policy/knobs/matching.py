"""Declares the knobs of the negotiator that decide which slot a request gets.

Follows: the negotiator macros of the manual, read in 25.14.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attr import frozen

from policy.knobs.declaration import Kind, Knob, Need, Use, Wanted
from policy.knobs.fields import expression, flag, integer, tagged_macros, text

if TYPE_CHECKING:
    from classad.ads.expression import Expression

_RANK_DEFAULT = (
    "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory"
)
_POST_DEFAULT = (
    "(RemoteOwner =?= UNDEFINED) * (ifthenElse(isUndefined(KFlops), 1000, Kflops)"
    " - SlotID - 1.0e10*(Offline=?=True))"
)
_PREEMPTION_RANK_DEFAULT = (
    "(RemoteUserPrio * 1000000) - ifThenElse(isUndefined(TotalJobRuntime), 0, TotalJobRuntime)"
)

PREEMPTION_REQUIREMENTS: Final = Knob(
    "PREEMPTION_REQUIREMENTS",
    Kind.EXPR,
    "False",
    "Allows preempting a claim for better user priority where it is exactly true;"
    " set to nothing, it allows every such preemption",
    differs="the manual says a better user priority is required as well; nothing else is",
    use=Use("slot", "request", Wanted.TRUTH, True, "PREEMPTION_REQUIREMENTS_STABLE"),
)
PREEMPTION_REQUIREMENTS_STABLE: Final = Knob(
    "PREEMPTION_REQUIREMENTS_STABLE",
    Kind.BOOL,
    "true",
    "Promises that PREEMPTION_REQUIREMENTS keeps its value while a match list is used",
    in_table=False,
)
PREEMPTION_RANK: Final = Knob(
    "PREEMPTION_RANK",
    Kind.EXPR,
    _PREEMPTION_RANK_DEFAULT,
    "Ranks claims that may be preempted, greatest first, after all other ranks",
    use=Use("slot", "request", Wanted.NUMBER, True, "PREEMPTION_RANK_STABLE"),
)
PREEMPTION_RANK_STABLE: Final = Knob(
    "PREEMPTION_RANK_STABLE",
    Kind.BOOL,
    "true",
    "Promises that PREEMPTION_RANK keeps its value while a match list is used",
    in_table=False,
)
NEGOTIATOR_PRE_JOB_RANK: Final = Knob(
    "NEGOTIATOR_PRE_JOB_RANK",
    Kind.EXPR,
    _RANK_DEFAULT,
    "Ranks slots before the job's own Rank is looked at, greatest first",
    use=Use("slot", "request", Wanted.NUMBER),
)
NEGOTIATOR_POST_JOB_RANK: Final = Knob(
    "NEGOTIATOR_POST_JOB_RANK",
    Kind.EXPR,
    _POST_DEFAULT,
    "Ranks slots that tie in the job's own Rank, greatest first",
    use=Use("slot", "request", Wanted.NUMBER),
)
NEGOTIATOR_IGNORE_JOB_RANKS: Final = Knob(
    "NEGOTIATOR_IGNORE_JOB_RANKS",
    Kind.BOOL,
    "false",
    "Sorts the slots once per cycle and ignores the Rank of jobs",
    need=Need.OPTIONAL,
    in_table=False,
)
NEGOTIATOR_MATCHLIST_CACHING: Final = Knob(
    "NEGOTIATOR_MATCHLIST_CACHING",
    Kind.BOOL,
    "true",
    "Keeps the sorted candidates for the next request of the same autocluster",
)
NEGOTIATOR_CONSIDER_PREEMPTION: Final = Knob(
    "NEGOTIATOR_CONSIDER_PREEMPTION",
    Kind.BOOL,
    "true",
    "Looks at claimed slots at all",
)
NEGOTIATOR_CONSIDER_EARLY_PREEMPTION: Final = Knob(
    "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION",
    Kind.BOOL,
    "false",
    "Looks at claimed slots whose job may still retire",
)
ALLOW_PSLOT_PREEMPTION: Final = Knob(
    "ALLOW_PSLOT_PREEMPTION",
    Kind.BOOL,
    "false",
    "Gathers dynamic slots of a partitionable slot for one bigger request",
    need=Need.OPTIONAL,
    in_table=False,
)
NEGOTIATOR_SLOT_CONSTRAINT: Final = Knob(
    "NEGOTIATOR_SLOT_CONSTRAINT",
    Kind.EXPR,
    "",
    "Selects the slots that exist for this negotiator",
    use=Use("slot", "", Wanted.CONDITION),
)
NEGOTIATOR_SUBMITTER_CONSTRAINT: Final = Knob(
    "NEGOTIATOR_SUBMITTER_CONSTRAINT",
    Kind.EXPR,
    None,
    "Selects the submitters that exist for this negotiator",
    in_table=False,
    use=Use("submitter", "", Wanted.CONDITION),
)
NEGOTIATOR_JOB_CONSTRAINT: Final = Knob(
    "NEGOTIATOR_JOB_CONSTRAINT",
    Kind.EXPR,
    "",
    "Selects the jobs that a schedd offers to this negotiator",
    fatal=False,
    use=Use("job", "", Wanted.CONDITION),
)
NEGOTIATOR_USE_SLOT_WEIGHTS: Final = Knob(
    "NEGOTIATOR_USE_SLOT_WEIGHTS",
    Kind.BOOL,
    "true",
    "Counts slots by their SlotWeight instead of one each",
)
SLOT_WEIGHT: Final = Knob(
    "SLOT_WEIGHT",
    Kind.EXPR,
    "Cpus",
    "Weighs slots whose ad has no SlotWeight",
    unit="weighted slots",
    use=Use("slot", "", Wanted.NUMBER),
)
FORCE_NEGOTIATOR_SLOT_WEIGHT: Final = Knob(
    "FORCE_NEGOTIATOR_SLOT_WEIGHT",
    Kind.BOOL,
    "false",
    "Weighs every slot by the negotiator's SLOT_WEIGHT, whatever its ad says",
)
NEGOTIATOR_DEPTH_FIRST: Final = Knob(
    "NEGOTIATOR_DEPTH_FIRST",
    Kind.BOOL,
    "false",
    "Fills a partitionable slot with jobs of one match before going to the next slot",
    need=Need.OPTIONAL,
)
NEGOTIATOR_MATCH_EXPRS: Final = Knob(
    "NEGOTIATOR_MATCH_EXPRS",
    Kind.LIST,
    "",
    "Names macros that are put into every matched slot ad as attributes",
    need=Need.OPTIONAL,
)
NEGOTIATOR_CROSS_SLOT_PRIOS: Final = Knob(
    "NEGOTIATOR_CROSS_SLOT_PRIOS",
    Kind.BOOL,
    "false",
    "Adds the priorities of a machine's other slots to every slot ad",
    need=Need.OPTIONAL,
)
STARTD_RESOURCE_PREFIX: Final = Knob(
    "STARTD_RESOURCE_PREFIX",
    Kind.STRING,
    "",
    "Begins the attribute names that NEGOTIATOR_CROSS_SLOT_PRIOS adds; empty means `slot`",
    need=Need.OPTIONAL,
)
NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD: Final = Knob(
    "NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD",
    Kind.INT,
    "0",
    "Leaves out slots of a startd that will shut down sooner than this",
    unit="s",
    need=Need.OPTIONAL,
)
MATCH_WORKING_CM_SLOTS: Final = Knob(
    "MATCH_WORKING_CM_SLOTS",
    Kind.BOOL,
    "false",
    "Offers slots that are working on behalf of another central manager",
    need=Need.OPTIONAL,
    in_table=False,
)
NEGOTIATOR_NUM_THREADS: Final = Knob(
    "NEGOTIATOR_NUM_THREADS",
    Kind.INT,
    "1",
    "Tests Requirements on this many threads; the outcome is the same",
    need=Need.IRRELEVANT,
)
STARTD_AD_REEVAL_EXPR: Final = Knob(
    "STARTD_AD_REEVAL_EXPR",
    Kind.EXPR,
    "",
    "Decides whether a changed slot ad loses the matches of its predecessor",
    need=Need.OPTIONAL,
    honoured=False,
    reason="a saved pool has one ad per slot, so no ad follows another",
)
CONSUMPTION_POLICY: Final = Knob(
    "CONSUMPTION_POLICY",
    Kind.BOOL,
    "false",
    "Lets the negotiator divide partitionable slots itself",
    need=Need.IRRELEVANT,
    read_by="STARTD",
)
CONSUMPTION_CPUS: Final = Knob(
    "CONSUMPTION_CPUS",
    Kind.EXPR,
    "quantize(target.RequestCpus,{1})",
    "Says how many cores a request takes from a slot with a consumption policy",
    unit="cores",
    need=Need.IRRELEVANT,
    read_by="STARTD",
)
CONSUMPTION_MEMORY: Final = Knob(
    "CONSUMPTION_MEMORY",
    Kind.EXPR,
    "quantize(target.RequestMemory,{128})",
    "Says how much memory a request takes from a slot with a consumption policy",
    unit="MiB",
    need=Need.IRRELEVANT,
    read_by="STARTD",
)
CONSUMPTION_DISK: Final = Knob(
    "CONSUMPTION_DISK",
    Kind.EXPR,
    "quantize(target.RequestDisk,{1024})",
    "Says how much disk a request takes from a slot with a consumption policy",
    unit="KiB",
    need=Need.IRRELEVANT,
    read_by="STARTD",
)
CLAIM_PARTITIONABLE_LEFTOVERS: Final = Knob(
    "CLAIM_PARTITIONABLE_LEFTOVERS",
    Kind.BOOL,
    "$(NEGOTIATOR_USE_SLOT_WEIGHTS)",
    "Lets a schedd claim what a match left of a partitionable slot, after the cycle",
    need=Need.IRRELEVANT,
    read_by="SCHEDD",
)
ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS: Final = Knob(
    "ENABLE_CLAIMABLE_PARTITIONABLE_SLOTS",
    Kind.BOOL,
    "false",
    "Lets a schedd claim whole partitionable slots",
    need=Need.IRRELEVANT,
    read_by="STARTD",
)


@frozen(kw_only=True, eq=False, slots=False)
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
