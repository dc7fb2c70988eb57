"""Finds out whether what matches in one cycle of a simulation matches in the next one, too.

It does unless an expression of the pool, the workload or the policy reads something that changes
from cycle to cycle.  Then what was found out about a free slot and a kind of job holds for as long
as the slot stays as it is.  When in doubt the answer is no.

Inputs: slots as a cycle prepares them, the kinds of job, the policy.  Outputs: yes or no.  Follows:
the scoping rules of the ClassAd language; what the negotiator adds to ads in a cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.mentions import references_of
from classad.evaluation.functions import ZONE, lookup_function
from classad.language.names import SIDES
from classad.syntax.nodes import AdExpr, Call, Node, Reference, walk
from negotiator.jobs.autoclusters import never_significant
from negotiator.jobs.submitters import OWNERSHIP
from negotiator.pool.slots import Slot
from pieslice.between.pool import OF_CLAIMS
from pieslice.simulation.workload import JobKind
from policy.model import NegotiatorPolicy

#: What differs between two cycles in which a slot is free, and between two jobs of a kind.
_PASSING: Final = frozenset(
    name.lower()
    for name in (
        "CurrentTime", "MyCurrentTime", "EnteredCurrentState", "EnteredCurrentActivity",
        "ClusterId", "ProcId", "GlobalJobId", "QDate", "AutoClusterId", "SubmitterUserPrio",
        "SubmittorPrio", "SubmitterUserResourcesInUse", "SubmitterNegotiatingGroup",
        "SubmitterAutoregroup", "SubmitterGroup", "SubmitterGroupResourcesInUse",
        "SubmitterGroupQuota",
    )
)  # fmt: skip
_CLAIMS: Final = frozenset(name.lower() for name in OF_CLAIMS)
_STATES: Final = _CLAIMS | {"state", "activity", "currentrank"}
#: What decides whether a job is offered, and for whom.
_OFFER: Final = (
    "JobStatus", "JobUniverse", "IsNoopJob", "Managed", "CurrentHosts", "MaxHosts", *OWNERSHIP,
    "PreJobPrio1", "PreJobPrio2", "JobPrio", "PostJobPrio1", "PostJobPrio2",
)  # fmt: skip


def is_steady(slots: Sequence[Slot], shapes: Iterable[JobKind], policy: NegotiatorPolicy) -> bool:
    """Whether matches and ranks of free slots hold from cycle to cycle."""
    machines = [slot.ad for slot in slots]
    jobs = [shape.ad for shape in shapes]
    ranks = [policy.pre_job_rank, policy.post_job_rank]
    matching = _Reach([*machines, *jobs])
    matching.add_attributes(machines, ("Requirements", "Rank"))
    matching.add_attributes(jobs, ("Requirements", "Rank", *_OFFER))
    matching.add(ranks)
    sizes = _Reach(machines)
    sizes.add_attributes(machines, ("SlotWeight",))
    sizes.add([policy.slot_poolsize_constraint])
    return (
        _policy_is_plain(policy)
        and not any(slot.resources or slot.reevaluated for slot in slots)
        and not any(ad.raw("JobCoolDownExpiration") is not None for ad in jobs)
        and not any(_shuts_down(ad) for ad in machines)
        and matching.steady
        and not matching.names & _PASSING
        and sizes.steady
        and not sizes.names & (_PASSING | _STATES)
        and not _significance_passes(machines, policy)
    )


def _policy_is_plain(policy: NegotiatorPolicy) -> bool:
    """Without the knobs by which slots that are claimed have a say in what others get."""
    return (
        policy.slot_constraint is None
        and policy.start_vanilla_universe is None
        and policy.submitter_constraint is None
        and not policy.match_exprs
        and not policy.cross_slot_prios
        and not policy.allow_pslot_preemption
        and not policy.ignore_job_ranks
        and not policy.user_maps
        and not policy.dialect.older_jobs_first
        and _has_time(policy)
    )


def _has_time(policy: NegotiatorPolicy) -> bool:
    """Whether the limits on time leave any, which is all that matters to a simulated cycle."""
    limits = (
        policy.max_time_per_cycle_seconds,
        policy.max_time_per_submitter_seconds,
        policy.max_time_per_schedd_seconds,
        policy.max_time_per_pie_spin_seconds,
    )
    return min(limits) > 0


def _shuts_down(ad: ClassAd) -> bool:
    return ad.raw("DaemonShutdown") is not None or ad.raw("DaemonShutdownFast") is not None


def _significance_passes(machines: list[ClassAd], policy: NegotiatorPolicy) -> bool:
    """Whether claims make a difference to which attributes of jobs are significant."""
    trees = [
        policy.preemption_requirements,
        policy.preemption_rank,
        policy.pre_job_rank,
        policy.post_job_rank,
        policy.job_constraint,
    ]
    changing = _CLAIMS - never_significant(policy.version)
    seen: set[int] = set()
    for tree in (*trees, *(value for ad in machines for value in ad._attrs.values())):
        if tree.__class__ is Expression and id(tree) not in seen:
            seen.add(id(tree))
            if references_of(tree.node).bare & changing:
                return True
    return False


class _Reach:
    """All names that some expressions read, also by way of other attributes."""

    def __init__(self, ads: list[ClassAd]) -> None:
        self._ads = ads
        self._seen: dict[int, Expression] = {}
        self.names: set[str] = set()
        self.steady = True

    def add_attributes(self, ads: Iterable[ClassAd], names: Iterable[str]) -> None:
        """Start from attributes of some ads."""
        wanted = tuple(names)
        self.add(ad.raw(name) for ad in ads for name in wanted)

    def add(self, values: Iterable[object]) -> None:
        """Start from expressions; other values read nothing."""
        todo = [value for value in values if self._is_new(value)]
        while todo:
            node = todo.pop().node  # type: ignore[attr-defined]
            self.steady = self.steady and all(map(_is_plain, walk(node)))
            refs = references_of(node)
            for name in (refs.target | refs.bare | refs.mine) - self.names:
                self.names.add(name)
                todo += [v for ad in self._ads if self._is_new(v := ad.raw(name))]

    def _is_new(self, value: object) -> bool:
        if not isinstance(value, Expression) or id(value) in self._seen:
            return False
        self._seen[id(value)] = value
        return True


def _is_plain(node: Node) -> bool:
    """Whether a part of an expression gives the same for the same values of what it mentions."""
    if isinstance(node, AdExpr):
        return False
    if isinstance(node, Call):
        function = lookup_function(node.name)
        return function is not None and (function.deterministic or function.ever_reads is ZONE)
    if isinstance(node, Reference) and node.base is not None:
        return node.scope in SIDES
    return True
