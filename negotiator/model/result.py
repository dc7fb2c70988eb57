"""Holds what a cycle decided, as values.

Lists are in the order of the decisions.  Usage, limits, shares of the pie and costs are in slot
weights.  Follows the negotiator's log and its match and rejection messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from attr import Factory, field, frozen

from negotiator.model.departures import Departure
from negotiator.model.snapshot import AccountantState

__all__ = [
    "AllocationRound",
    "Counters",
    "CycleResult",
    "GroupAllocation",
    "GroupEvent",
    "GroupSummary",
    "Match",
    "MatchKind",
    "Pie",
    "PoolNumbers",
    "Reason",
    "Rejection",
    "Spin",
    "SubmitterSummary",
    "SubmitterTurn",
    "TrimCause",
    "TrimmedSlot",
    "TurnEvent",
    "TurnOutcome",
]

#: Name of the root group.
ROOT_GROUP: Final = "<none>"


class MatchKind(Enum):
    """Whom a match takes the slot from: nobody, or a user by startd rank or by priority."""

    __hash__ = object.__hash__

    NONE = "none"
    RANK = "rank"
    PRIORITY = "priority"


class Reason(Enum):
    """Why a request was not matched; the value is HTCondor's text."""

    CONCURRENCY_LIMIT = "concurrency limit reached"
    PREEMPTION_REQUIREMENTS = "PREEMPTION_REQUIREMENTS == False"
    #: Only in a dialect: condor_negotiator still has the text, but never comes to use it.
    PRIORITY = "insufficient priority"
    SUBMITTER_LIMIT = "submitter limit exceeded"
    NO_MATCH = "no match found"


class TurnOutcome(Enum):
    """How a submitter's turn in one spin ended: removed from the round, or kept for the next."""

    DONE = "done"
    RESUME = "resume"


class TurnEvent(Enum):
    """What happened in a submitter's turn besides matching."""

    NO_IDLE_JOBS = "no idle jobs"
    PIE_LEFT = "pie left or limit is below the smallest slot weight"
    CEILING = "the ceiling is reached"
    RANK_ONLY = "limit reached: startd rank only"
    LIMIT = "limit reached"
    HIT_CEILING = "ceiling reached while negotiating"
    HIT_LIMIT = "requests ended, some refused for the limit"
    SUBMITTER_TIME = "NEGOTIATOR_MAX_TIME_PER_SUBMITTER is used up"
    SCHEDD_TIME = "NEGOTIATOR_MAX_TIME_PER_SCHEDD is used up"
    CYCLE_TIME = "NEGOTIATOR_MAX_TIME_PER_CYCLE is used up"
    DEADLINE = "the time for this turn is used up"


@frozen
class Match:
    """``count``-th match of a request for ``of`` jobs; ``job`` is the first job of the request.

    ``holder``: whom the slot's ad names, who does not have to leave where preemption is off.
    """

    seq: int
    pie: int
    spin: int
    submitter: str
    schedd: str
    job: str
    count: int
    of: int
    autocluster: int
    slot: str
    kind: MatchKind
    preempted: str | None
    cost: float
    holder: str | None = None
    #: Effective priority of the holder and of the submitter, and the startd's ranks of their jobs.
    preempted_prio: float | None = None
    new_prio: float | None = None
    old_startd_rank: float | None = None
    new_startd_rank: float | None = None
    #: The dynamic slots that go for a match of a partitionable slot.
    dynamic_slots: tuple[str, ...] = ()


@frozen
class Counters:
    """How many candidate slots of a scan were refused, by cause."""

    concurrency_limit: int = 0
    preemption_requirements: int = 0
    startd_rank: int = 0
    submitter_limit: int = 0
    same_user: int = 0
    requirements: int = 0
    priority: int = 0


@frozen
class Rejection:
    """A request that found no slot; every later job of its autocluster is skipped in the spin."""

    pie: int
    spin: int
    submitter: str
    schedd: str
    job: str
    autocluster: int
    reason: Reason
    concurrency_limits: tuple[str, ...] = ()
    counters: Counters = Factory(Counters)

    @property
    def text(self) -> str:
        """HTCondor's wording."""
        if self.reason is Reason.CONCURRENCY_LIMIT and self.concurrency_limits:
            return f"concurrency limit {', '.join(self.concurrency_limits)} reached"
        return self.reason.value


@frozen
class SubmitterTurn:
    """One submitter in one spin.  ``limit`` is what it may use; ``starvation`` its sort key.

    ``used`` is what its matches of this turn cost.
    """

    name: str
    schedd: str
    effective_priority: float
    share: float
    limit: float
    limit_unclaimed: float
    ceiling_left: int
    usage: float
    starvation: float
    used: float
    events: tuple[TurnEvent, ...]
    outcome: TurnOutcome


@frozen
class Spin:
    """One turn of the pie."""

    spin: int
    ignore_limit: bool
    candidate_slots: int
    total: float
    pie_left: float
    normal_factor: float
    max_priority: float
    turns: tuple[SubmitterTurn, ...]


@frozen
class Pie:
    """One round of negotiation: all submitters or those of a group, floor round or full round.

    ``stopped``: the round ended because the group used its ``quota``, or (second flag) because
    nothing of the pie was left.
    """

    group: str | None
    quota: int | None
    floor_round: bool
    spins: tuple[Spin, ...]
    stopped_by_quota: bool = False
    stopped_by_pie: bool = False


@frozen
class SubmitterSummary:
    """A submitter as the cycle saw it; bigger priorities are worse.

    ``share``, ``limit``: of its first spin, None if it never had one.  ``usage``: before the
    cycle's matches, ``usage_after`` with them.
    """

    name: str
    group: str
    real_priority: float
    priority_factor: float
    effective_priority: float
    usage: float
    usage_after: float
    floor: int
    ceiling: int
    idle_jobs: int
    running_jobs: int
    share: float | None = None
    limit: float | None = None


@frozen
class GroupEvent:
    """One step of the group loop: a group that negotiated, with its limit, or why it did not.

    ``n`` of the round's ``max_delta`` is handed out in this pass.  ``skipped`` is one of ``zero
    slots allocated``, ``at or over quota``, ``no submitters``; None if it negotiated.
    ``pie`` is the index of its last round.
    """

    round: int
    group: str
    sort_key: float
    n: float
    limit: float | None = None
    limit_int: int | None = None
    skipped: str | None = None
    pie: int | None = None


@frozen
class GroupAllocation:
    """What one allocation round gave a group: ``requested`` = ``allocated`` + ``unallocated``."""

    group: str
    quota: float
    requested: float
    allocated: float
    unallocated: float


@frozen
class AllocationRound:
    """One allocation round.  ``max_delta``: the most that any group lacks of its target.

    ``order``: the groups in the order of their turns; ``used``: what they used of it in the end.
    """

    round: int
    groups: tuple[GroupAllocation, ...]
    served: int
    unserved: int
    requested: float
    allocated: float
    surplus: float
    max_delta: float
    order: tuple[str, ...]
    events: tuple[GroupEvent, ...]
    used: float


@frozen
class GroupSummary:
    """An accounting group after quota assignment and the allocation of the last round."""

    name: str
    config_quota: float
    static: bool
    accept_surplus: bool
    autoregroup: bool
    quota: float
    subtree_quota: float
    requested: float
    allocated: float
    usage: float
    usage_after: float
    sort_key: float | None
    submitters: tuple[str, ...] = ()

    @property
    def surplus(self) -> str:
        """What it does beyond its quota, as the accountant's records say it."""
        return "regroup" if self.autoregroup else "byquota" if self.accept_surplus else "no"


@frozen
class PoolNumbers:
    """The size of the pool, before trimming.  ``pie`` is what is shared out."""

    slots: int
    pool_weight: float
    min_slot_weight: float
    pie: float
    counted_slots: int
    effective_size: float


class TrimCause(Enum):
    """Why a slot was not considered at all."""

    RETIREMENT = "retirement time remains"
    CLAIMED = "claimed while preemption is not considered"
    SHUTDOWN = "the daemon is about to shut down"
    CLAIMED_PARTITIONABLE = "claimed partitionable slot that wants no matching"
    #: Only in a dialect.
    IDLE_CLAIM = "claimed, but no job runs on it"


@frozen
class TrimmedSlot:
    """A slot taken out before matching."""

    name: str = field(metadata={"json": "slot"})
    cause: TrimCause


@frozen
class CycleResult:
    """Everything a cycle decided and the numbers it decided by."""

    now: float
    pool: PoolNumbers
    submitters: tuple[SubmitterSummary, ...]
    groups: tuple[GroupSummary, ...]
    rounds: tuple[AllocationRound, ...]
    pies: tuple[Pie, ...]
    matches: tuple[Match, ...]
    rejections: tuple[Rejection, ...]
    trimmed: tuple[TrimmedSlot, ...]
    #: The accountant after the cycle, matches charged; input of a next cycle.
    accountant: AccountantState
    #: The quota of each group, for the next cycle's ``RemoteGroupQuota``; None without groups.
    quotas: Mapping[str, float] | None = None
    #: How long the cycle takes by the costs it was given.
    seconds: float = 0.0
    departures: tuple[Departure, ...] = ()
    #: When each group was last served in turn; input of a next cycle, None without groups.
    group_turns: Mapping[str, float] | None = None
