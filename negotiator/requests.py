"""Resource requests: what the schedds ask for on behalf of each submitter.

Decision here: which jobs can run, in which order, and which runs of equal jobs become one request.
Inputs: job queues, significant attributes.  Outputs: the ``JobList`` of a submitter, from which
each session draws its requests anew.

Never here: matching; the negotiator sees only significant attributes of a job and a few more.
Follows: the schedd's rules for runnable jobs and their order as seen in the vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby, islice
from typing import Final

from attr import define, field

from classad.ad import ClassAd, as_bool, as_number, as_string
from classad.evaluate import EvalContext
from classad.expr import ExprTree
from negotiator.arithmetic import whole
from negotiator.autoclusters import (
    AutoclusterTable,
    KnownExpressions,
    SignificanceSettings,
    job_attributes,
)
from negotiator.frozen import Freezer
from negotiator.slots import Slot, holds, meets
from negotiator.snapshot import ScheddQueue
from negotiator.submitters import negotiated_name
from policy.model import NegotiatorPolicy

IDLE: Final = 1
_RUNNING: Final = 2
#: Universes whose jobs run without a slot of the pool.
_LOCAL_UNIVERSES: Final = frozenset({7, 12})
_GRID_UNIVERSE: Final = 9
NO_AUTOCLUSTER: Final = -1
#: What a request carries besides the significant attributes.
_CARRIED: Final = frozenset({"owner", "clusterid", "procid", "globaljobid"})
#: What decides about the place of a job in its queue.
_PRIORITIES: Final = ("prejobprio1", "prejobprio2", "jobprio", "postjobprio1", "postjobprio2")
_ORDER: Final = (*_PRIORITIES, "clusterid", "procid", "qdate")
#: What decides whether a job is offered.
_READINESS: Final = (
    *("jobstatus", "jobuniverse", "wantmatching", "isnoopjob", "jobcooldownexpiration"),
    *("currenthosts", "maxhosts"),
)
_OWNERSHIP: Final = ("user", "accountinggroup")


@define(eq=False)
class QueuedJob:
    """A runnable job."""

    ad: ClassAd
    cluster: int
    proc: int
    autocluster: int
    order: tuple[float, ...]
    prio: float

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return f"{self.cluster}.{self.proc}"


@define(eq=False)
class Request:
    """A run of jobs of one autocluster; ``ad`` is what the negotiator sees of the first one."""

    jobs: list[QueuedJob]
    ad: ClassAd
    autocluster: int

    @property
    def job(self) -> str:
        """The id of the first job."""
        return self.jobs[0].id


@define(eq=False)
class JobList:
    """The jobs of one submitter at one schedd that still wait, best first.

    ``waiting`` is a dictionary for the sake of cheap removal; its values mean nothing.
    """

    waiting: dict[QueuedJob, None]
    attributes: frozenset[str] | None
    constraint: ExprTree | None = None
    #: Whether a run is one request, how many requests are sent at a time, and whether the first
    #: ones are fetched ahead of the spin.
    counts: bool = True
    batch_size: int = 200
    ahead: bool = True
    #: For how many jobs at most the schedd asks at a time; None: any number.
    most_jobs: int | None = None
    #: Settles the requirements of requests; None if the cycle leaves them alone.
    freezer: Freezer | None = None
    _ads: dict[QueuedJob, ClassAd] = field(factory=dict)

    def requests(
        self, rejected: set[int], context: EvalContext, prios: tuple[int, int] | None = None
    ) -> Iterator[Request]:
        """The requests of one turn of the submitter, fetched batch by batch as the jobs then stand.

        ``rejected``: the autoclusters refused so far; they are not sent again.  ``prios``: the
        range of ``JobPrio`` that is asked for.

        A first batch that is fetched ahead of the spin belongs to a session of its own.  The next
        one opens another, for which the schedd lists its jobs from the start: what is left of the
        first batch's runs is offered once more.  Later batches go on where the last one ended.
        """
        waiting = [job for job in self.waiting if prios is None or prios[0] <= job.prio <= prios[1]]
        one_by_one = self.batch_size == 1
        runs = self._runs(waiting, self.counts and not one_by_one)
        walk = _Walk(self, runs, self.most_jobs)
        batch = list(islice(walk.requests(rejected, context), self.batch_size))
        yield from batch
        if self.ahead and len(batch) == self.batch_size:
            if one_by_one and self.counts:
                runs = _rest_in_one(self._runs(waiting, True), self.waiting)
            walk = _Walk(self, runs, walk.room)
        while len(batch) == self.batch_size:
            batch = list(islice(walk.requests(rejected, context), self.batch_size))
            yield from batch

    def _runs(self, waiting: list[QueuedJob], joined: bool) -> list[list[QueuedJob]]:
        """The jobs, with those of one autocluster that follow each other together."""
        if not joined:
            return [[job] for job in waiting]
        return [list(run) for _, run in groupby(waiting, key=lambda job: job.autocluster)]

    def place(
        self, request: Request, slot: Slot, context: EvalContext, limits: str
    ) -> QueuedJob | None:
        """Give the slot of a match to a job, which then waits no longer; returns the job.

        The schedd takes the request's first job or, if that has a slot already, its best waiting
        job that suits the slot and has the concurrency limits that the match was counted for
        (``limits``); if there is none the match comes to nothing.
        """
        if slot.showing("Offline").get_bool("Offline", context=context) is True:
            return None
        head = request.jobs[0]
        job = head if head in self.waiting else self._suitable(slot.ad, context, limits)
        if job is not None:
            del self.waiting[job]
        return job

    def _suitable(self, slot: ClassAd, context: EvalContext, limits: str) -> QueuedJob | None:
        """The first job that matches the slot and that the startd does not rank too low."""
        unsuitable, wanted = set(), limits.lower()
        for job in self.waiting:
            if job.autocluster in unsuitable:
                continue
            if not (meets(slot, job.ad, context) and meets(job.ad, slot, context)):
                unsuitable.add(job.autocluster)
            elif matched_limits(job.ad, slot, context).lower() != wanted:
                continue
            elif not _ranked_lower(slot, job.ad, context):
                return job
        return None

    def request_for(self, job: QueuedJob, *others: QueuedJob) -> Request:
        """What would be asked for one job, or for a run of jobs."""
        return Request([job, *others], self._request_ad(job), job.autocluster)

    def _request_ad(self, job: QueuedJob) -> ClassAd:
        ad = self._ads.get(job)
        if ad is None:
            ad = self._ads[job] = _visible(job, self.attributes)
            if self.freezer is not None:
                self.freezer.freeze(ad)
        return ad


@define
class _Walk:
    """A schedd's way through its runs of jobs within one session."""

    jobs: JobList
    runs: list[list[QueuedJob]]
    #: For how many more jobs the schedd may ask; None: any number.
    room: int | None
    _next: int = 0

    def requests(self, rejected: set[int], context: EvalContext) -> Iterator[Request]:
        """The requests from here on, each as its jobs stand when it is drawn."""
        while self._next < len(self.runs) and self.room != 0:
            run = [job for job in self.runs[self._next] if job in self.jobs.waiting][: self.room]
            self._next += 1
            if not run or run[0].autocluster in rejected:
                continue
            if not holds(self.jobs.constraint, run[0].ad, context):
                continue
            if self.room is not None:
                self.room -= len(run)
            yield self.jobs.request_for(*run)


def _rest_in_one(
    runs: list[list[QueuedJob]], waiting: Mapping[QueuedJob, None]
) -> list[list[QueuedJob]]:
    """The runs as fetched one at a time: whole where the first job is gone, else in pieces."""
    pieces = ([run] if run[0] not in waiting else [[job] for job in run] for run in runs)
    return [piece for found in pieces for piece in found]


def _ranked_lower(slot: ClassAd, job: ClassAd, context: EvalContext) -> bool:
    """Whether the startd ranks a job below its current rank; an unclaimed slot has one, too."""
    current = slot.get_number("CurrentRank", context=context)
    rank = slot.get_number("Rank", job, context)
    return current is not None and rank is not None and rank < current


def matched_limits(job: ClassAd, slot: ClassAd, context: EvalContext) -> str:
    """The concurrency limits that a match of a job (or request) with a slot is counted for.

    For a job without the attribute those of the slot are: HTCondor looks the name up in either
    ad, so preempting a claim with limits counts them once more.
    """
    mine, other = (job, slot) if job.raw("ConcurrencyLimits") is not None else (slot, job)
    if mine.raw("ConcurrencyLimits") is None:
        return ""
    return mine.get_string("ConcurrencyLimits", other, context) or ""


def _visible(job: QueuedJob, attributes: frozenset[str] | None) -> ClassAd:
    """The part of a job ad that reaches the negotiator."""
    if attributes is None:
        ad = job.ad.duplicate()
    else:
        names = job.ad._names
        ad = job.ad.extract([key for key in _carried(attributes) if key in names])
        ad.insert("AutoClusterId", job.autocluster)
    ad.insert("WantMatchDiagnostics", 3)
    ad.insert("WantPslotPreemption", True)
    return ad


@lru_cache(maxsize=64)
def _carried(attributes: frozenset[str]) -> tuple[str, ...]:
    """What a request carries, in an order that depends on the names only."""
    return tuple(sorted(attributes | _CARRIED))


def submitter_of(job: ClassAd, context: EvalContext) -> str | None:
    """The submitter name of a job: its accounting group or user, with the domain."""
    user, group = map(as_string, job.evaluate_all(_OWNERSHIP, context))
    if not group:
        return user
    domain = (user or "").partition("@")[2]
    return f"{group}@{domain}" if domain else group


def runnable(job: ClassAd, context: EvalContext) -> bool:
    """Whether the schedd offers a job at all."""
    values = job.evaluate_all(_READINESS, context)
    status, universe, matching, noop, cool, current, most = values
    if as_number(status) != IDLE or as_number(universe) in _LOCAL_UNIVERSES:
        return False
    if as_number(universe) == _GRID_UNIVERSE and as_bool(matching) is not True:
        return False
    if as_bool(noop) is True:
        return False
    end = as_number(cool)
    if end is not None and end >= (context.now or 0):
        return False
    allowed = as_number(most)
    return (as_number(current) or 0) < (1 if allowed is None else allowed)


def job_lists(
    queues: tuple[ScheddQueue, ...],
    significant: frozenset[str],
    settings: SignificanceSettings,
    policy: NegotiatorPolicy,
    context: EvalContext,
    *,
    freeze: bool,
) -> Mapping[tuple[str, str], JobList]:
    """The waiting jobs by submitter name and schedd name.

    ``freeze``: whether the requirements of requests are settled against the job alone.
    """
    lists: dict[tuple[str, str], JobList] = {}
    expressions = KnownExpressions()
    freezer = Freezer(context, expressions) if freeze else None
    known_as: dict[str, str] = {}
    for queue in queues:
        names = _names_for(queue, significant, settings)
        table = None
        if names is not None:
            table = AutoclusterTable(names, expressions)
            table.learn(queue.jobs)
        running = _running(queue, context)
        for job in queue.jobs:
            submitter = submitter_of(job, context) if runnable(job, context) else None
            if submitter is None:
                continue
            name = known_as.get(submitter)
            if name is None:
                name = known_as[submitter] = negotiated_name(submitter, policy)
            key = (name, queue.name)
            if key not in lists:
                lists[key] = job_list(table, policy, running, freezer)
            queued = queued_job(job, table, context, oldest_first=policy.dialect.older_jobs_first)
            lists[key].waiting[queued] = None
    for found in lists.values():
        found.waiting = dict.fromkeys(sorted(found.waiting, key=lambda job: job.order))
    return lists


def job_list(
    table: AutoclusterTable | None,
    policy: NegotiatorPolicy,
    running: int,
    freezer: Freezer | None = None,
) -> JobList:
    """An empty list for jobs of a schedd of which so many are running."""
    return JobList(
        {},
        None if table is None else table.attributes,
        policy.job_constraint,
        counts=policy.use_resource_request_counts and not policy.negotiate_all_jobs_in_cluster,
        batch_size=policy.resource_request_list_size,
        ahead=policy.prefetch_requests,
        most_jobs=_most_jobs(policy, running),
        freezer=freezer,
    )


def _running(queue: ScheddQueue, context: EvalContext) -> int:
    return sum(job.get_number("JobStatus", context=context) == _RUNNING for job in queue.jobs)


def _most_jobs(policy: NegotiatorPolicy, running: int) -> int | None:
    """For how many jobs a schedd asks at a time and submitter: two of its limits say so."""
    limits = []
    if policy.max_concurrent_uploads_per_user > 0:
        limits.append(policy.max_concurrent_uploads_per_user)
    if policy.max_jobs_running is not None:
        limits.append(max(policy.max_jobs_running - running, 0))
    return min(limits, default=None)


def _names_for(
    queue: ScheddQueue, significant: frozenset[str], settings: SignificanceSettings
) -> frozenset[str] | None:
    """The significant attributes a schedd goes by; what it wrote into its jobs comes first."""
    for job in queue.jobs:
        written = job.raw("AutoClusterAttrs")
        if written.__class__ is str:
            return frozenset(name.strip().lower() for name in written.split(","))
    if not significant and settings.fixed is None:
        return None
    return job_attributes(significant, settings)


def queued_job(
    job: ClassAd,
    table: AutoclusterTable | None,
    context: EvalContext,
    *,
    oldest_first: bool = False,
) -> QueuedJob:
    """A job with what its schedd knows of it.

    ``oldest_first``: among jobs of equal priority, which HTCondor leaves to their numbers.
    """
    numbers = [as_number(value) or 0 for value in job.evaluate_all(_ORDER, context)]
    *prios, cluster, proc, submitted = numbers
    numbered = whole(cluster), whole(proc)
    return QueuedJob(
        job,
        *numbered,
        NO_AUTOCLUSTER if table is None else table.id_of(job),
        (*(-float(prio) for prio in prios), float(submitted) if oldest_first else 0.0, *numbered),
        float(prios[2]),
    )
