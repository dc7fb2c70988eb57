"""Lists the jobs that wait, by submitter and schedd: which can run, for whom, and in which order.

Follows the schedd's rules for runnable jobs and their order as seen in the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from attr import define, evolve

from classad import ClassAd
from classad.ads.ad import as_number, raw_in
from classad.evaluate import EvalContext
from classad.language.rules import language_of
from negotiator.expressions.flattening import Flattener, lead_to_requirements
from negotiator.jobs.autoclusters import Autocluster, AutoclusterTable, job_attributes
from negotiator.jobs.readiness import (
    IDLE,
    READINESS,
    RUNNING,
    runnable,
    takes_room,
    unready_by,
)
from negotiator.jobs.requests import NO_AUTOCLUSTER, JobList, QueuedJob, ScheddRoom, ShownAttributes
from negotiator.jobs.start_vanilla import VanillaStart
from negotiator.jobs.submitters import OWNERSHIP, negotiated_name, submitter_by, submitter_of
from negotiator.model.arithmetic import c_cut, whole
from negotiator.model.snapshot import ScheddQueue
from negotiator.model.watched import WatchedAd
from negotiator.versions.schedd import MATCHES_PER_SUBMITTER
from policy.model import NegotiatorPolicy
from policy.versions import Version

#: Different jobs that are remembered besides those that wait.
_MANY: Final = 10_000
#: What decides about the place of a job in its queue.
_PRIORITIES: Final = ("prejobprio1", "prejobprio2", "jobprio", "postjobprio1", "postjobprio2")
_ORDER: Final = (*_PRIORITIES, "clusterid", "procid", "qdate")
#: All that a schedd reads in a job to offer it, in lower case.
READ_BY_SCHEDD: Final = (*READINESS, *OWNERSHIP, *_ORDER)
_READY: Final = slice(len(READINESS))
_COOL_DOWN: Final = READINESS.index("jobcooldownexpiration")
_OWNED: Final = slice(len(READINESS), len(READINESS) + len(OWNERSHIP))
_ORDERED: Final = slice(len(READINESS) + len(OWNERSHIP), None)


@define(eq=False)
class _KnownJob:
    """A job that is offered as long as its ad is the same; ``name``: of its submitter."""

    ad: WatchedAd
    stamp: int
    name: str
    queued: QueuedJob
    autocluster: Autocluster | None

    def numbered(self, table: AutoclusterTable | None) -> QueuedJob:
        """The job as it is in a cycle, with the number that its autocluster has there."""
        if table is not None and self.autocluster is not None:
            number = table.number_of(self.autocluster)
            if number != self.queued.autocluster:
                self.queued = evolve(self.queued, autocluster=number)
        return self.queued


class _JobReader:
    """What a schedd knows of its jobs, found once for equal values.

    ``known``: the reader of the cycle before, if it would find the same of the same jobs.
    """

    def __init__(
        self,
        context: EvalContext,
        policy: NegotiatorPolicy,
        names: frozenset[str] | None,
        known: _JobReader | None = None,
    ) -> None:
        """``names``: those of the attributes that tell autoclusters apart, None for none."""
        self._context = context
        self._policy = policy
        self._oldest_first = policy.dialect.older_jobs_first
        self._ready: dict[tuple[object, ...], bool] = {}
        self._names: dict[object, str | None] = {}
        self._places: dict[tuple[object, ...], _Place] = {}
        #: All that its findings depend on besides the job.
        self._by = (self._oldest_first, policy.user_maps, context.language, names)
        if known is not None and (known._by != self._by or known._has_met_many()):
            known = None
        self.table = None
        if names is not None:
            self.table = AutoclusterTable(names, None if known is None else known.table)
        self._before: Mapping[int, _KnownJob] = {} if known is None else known._met
        #: The jobs that need not be read again, by the identities of their ads.
        self._met: dict[int, _KnownJob] = {}

    def _has_met_many(self) -> bool:
        """Whether it knows much of jobs that are no more."""
        return self.table is not None and self.table.known > _MANY + 2 * len(self._met)

    def read(self, job: ClassAd) -> tuple[str, QueuedJob] | None:
        """A job that is offered, and the name under which its submitter negotiates."""
        known = self._before.get(id(job))
        if known is not None and known.ad is job and known.stamp == known.ad.stamp:
            self._met[id(job)] = known
            return known.name, known.numbered(self.table)
        values = job.plain_values(READ_BY_SCHEDD)
        if values is None:
            return self._evaluate(job)
        key = tuple(values[_READY])
        ready = self._ready.get(key)
        if ready is None:
            ready = self._ready[key] = unready_by(key, self._context) is None
        name = self._name(*values[_OWNED]) if ready else None
        if name is None:
            return None
        queued = self._queued(job, values[_ORDERED])
        # Who is in cool-down today is not tomorrow, and the other way round.
        if job.__class__ is WatchedAd and values[_COOL_DOWN] is None:
            its = None if self.table is None else self.table.autocluster(queued.autocluster)
            self._met[id(job)] = _KnownJob(job, job.stamp, name, queued, its)
        return name, queued

    def _name(self, *ownership: object) -> str | None:
        if ownership not in self._names:
            submitter = submitter_by(*ownership)
            known = None if submitter is None else negotiated_name(submitter, self._policy)
            self._names[ownership] = known
        return self._names[ownership]

    def _evaluate(self, job: ClassAd) -> tuple[str, QueuedJob] | None:
        """The same of a job of which an attribute is an expression, or inherited."""
        context = self._context
        submitter = submitter_of(job, context) if runnable(job, context) else None
        if submitter is None:
            return None
        queued = queued_job(job, self.table, context, oldest_first=self._oldest_first)
        return negotiated_name(submitter, self._policy), queued

    def _queued(self, job: ClassAd, values: list[object]) -> QueuedJob:
        *prios, cluster, proc, submitted = values
        key = (*prios, submitted if self._oldest_first else 0)
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = _place(key)
        return _made(job, self.table, place, cluster, proc)


class KnownJobs:
    """What is known of jobs from cycle to cycle: of watched ads that stay as they are.

    One schedd knows its jobs by one name, the same from cycle to cycle.
    """

    def __init__(self) -> None:
        self._readers: dict[str, _JobReader] = {}
        #: The ads in which nothing leads to requirements, with their stamps.
        self._harmless: dict[int, tuple[WatchedAd, int]] = {}

    def reader(
        self,
        schedd: str,
        context: EvalContext,
        policy: NegotiatorPolicy,
        names: frozenset[str] | None,
    ) -> _JobReader:
        """What reads the jobs of a schedd in this cycle."""
        found = _JobReader(context, policy, names, self._readers.get(schedd))
        self._readers[schedd] = found
        return found

    def lead_to_requirements(self, jobs: Sequence[ClassAd]) -> bool:
        """``lead_to_requirements`` of the requirements and ranks of jobs."""
        known, kept = self._harmless, {}
        new = []
        for job in jobs:
            before = known.get(id(job))
            if before is not None and before[0] is job and before[1] == before[0].stamp:
                kept[id(job)] = before
            else:
                new.append(job)
        if lead_to_requirements(new, "requirements", "rank"):
            return True
        kept.update((id(job), (job, job.stamp)) for job in new if isinstance(job, WatchedAd))
        self._harmless = kept
        return False


#: What goes before the numbers of a job in its order, and its ``JobPrio``.
_Place = tuple[tuple[float, ...], float]


def _place(values: tuple[object, ...]) -> _Place:
    *prios, submitted = [as_number(value) or 0 for value in values]
    prios = [c_cut(prio) for prio in prios]
    return (*(-float(prio) for prio in prios), float(submitted)), float(prios[2])


def priority_order(job: ClassAd, context: EvalContext) -> tuple[float, ...]:
    """What goes before the number of a job in its schedd's queue: the smallest come first."""
    return _place((*job.evaluate_all(_PRIORITIES, context), 0))[0]


def _made(
    job: ClassAd, table: AutoclusterTable | None, place: _Place, cluster: object, proc: object
) -> QueuedJob:
    numbered = _numbered(cluster), _numbered(proc)
    autocluster = NO_AUTOCLUSTER if table is None else table.id_of(job)
    return QueuedJob(job, *numbered, autocluster, place[0] + numbered, place[1])


def _numbered(value: object) -> int:
    return value if value.__class__ is int else whole(as_number(value) or 0)


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
    *prios, cluster, proc, submitted = job.evaluate_all(_ORDER, context)
    return _made(job, table, _place((*prios, submitted if oldest_first else 0)), cluster, proc)


def job_lists(
    queues: tuple[ScheddQueue, ...],
    significant: frozenset[str],
    policy: NegotiatorPolicy,
    context: EvalContext,
    *,
    flatten: bool,
    refused: bool = False,
    known: KnownJobs | None = None,
) -> Mapping[tuple[str, str], JobList]:
    """The waiting jobs by submitter name and schedd name.

    ``flatten``: whether the requirements of requests are flattened against the job alone.
    ``refused``: also jobs that START_VANILLA_UNIVERSE refuses on every slot: a schedd does not ask
    for them, and does look at them when it has a slot.  ``known``: of the cycles before.
    """
    known = known or KnownJobs()
    lists: dict[tuple[str, str], JobList] = {}
    flattener = None
    if flatten:
        # What slots or the policy read is not only tested.
        flattener = Flattener(context, read="requirements" in significant)
    start = policy.start_vanilla_universe
    for queue in queues:
        version = queue.version or policy.version
        own = context.in_language(language_of(version))
        vanilla = None if start is None else VanillaStart(start, own)
        names = _names_for(queue, significant, policy)
        reader = known.reader(queue.name, own, policy, names)
        shown = None
        if reader.table is not None:
            asked = frozenset[str]() if vanilla is None else vanilla.shown
            shown = ShownAttributes(reader.table, asked)
        room = schedd_room(queue, policy, own)
        real_ids: dict[int, int] = {}
        for job in queue.jobs:
            read = reader.read(job)
            if read is None:
                continue
            if vanilla is not None and not refused and vanilla.condition(job) is False:
                continue
            name, queued = read
            if (queued.cluster, queued.proc) in queue.matched:
                continue
            if policy.negotiate_all_jobs_in_cluster:
                _learn_id(real_ids, queued)
            key = (name, queue.name)
            if key not in lists:
                lists[key] = job_list(shown, policy, room, flattener, vanilla, real_ids, version)
            lists[key].waiting[queued] = None
    for found in lists.values():
        found.hold(sorted(found.waiting, key=_order_of))
    return lists


def job_list(
    shown: ShownAttributes | None,
    policy: NegotiatorPolicy,
    room: ScheddRoom,
    flattener: Flattener | None = None,
    start: VanillaStart | None = None,
    real_ids: Mapping[int, int] | None = None,
    version: Version | None = None,
) -> JobList:
    """An empty list for jobs of a schedd with so much room.

    ``shown``: what requests show of the jobs, None without autoclusters.  ``version``: of the
    schedd, None for that of the negotiator.
    """
    followed = version or policy.version
    return JobList(
        {},
        shown,
        constraint=policy.job_constraint,
        counts=policy.use_resource_request_counts,
        batch_size=policy.resource_request_list_size,
        ahead=policy.prefetch_requests,
        all_in_cluster=policy.negotiate_all_jobs_in_cluster,
        uploads=MATCHES_PER_SUBMITTER.of(followed)(policy.max_concurrent_uploads_per_user),
        room=room,
        flattener=flattener,
        start=start,
        real_ids={} if real_ids is None else real_ids,
        version=followed,
    )


def _learn_id(real_ids: dict[int, int], job: QueuedJob) -> None:
    """Note the id that the schedd wrote into a job for its autocluster."""
    number = job.ad.get_number("AutoClusterId")
    if number is not None and number > 0:
        real_ids[job.autocluster] = whole(number)


def schedd_room(queue: ScheddQueue, policy: NegotiatorPolicy, context: EvalContext) -> ScheddRoom:
    """The room of a schedd when the cycle begins."""
    if policy.max_jobs_running is None:
        return ScheddRoom()
    running = sum(
        job.get_number("JobStatus", context=context) == RUNNING and takes_room(job, context)
        for job in queue.jobs
    )
    return ScheddRoom(policy.max_jobs_running, queue.running + running)


def _names_for(
    queue: ScheddQueue, significant: frozenset[str], policy: NegotiatorPolicy
) -> frozenset[str] | None:
    """The significant attributes a schedd goes by; what it wrote into its jobs comes first.

    Each job has the list expanded for itself; what those of all waiting jobs have in common is the
    schedd's own.
    """
    written = _written(queue.jobs)
    if len(written) > 1:
        idle = [job for job in queue.jobs if job.raw("JobStatus") == IDLE]
        written = _written(idle) or written
    if written:
        lists = [{name.strip().lower() for name in text.split(",")} for text in written]
        return frozenset(set.intersection(*lists))
    if not significant and policy.significant_attributes is None:
        return None
    return job_attributes(significant, policy)


def _written(jobs: Iterable[ClassAd]) -> set[str]:
    """The lists that the schedd wrote into jobs."""
    return {text for text in raw_in(jobs, "autoclusterattrs") if text.__class__ is str}


_order_of: Final = attrgetter("order")
