"""Makes resource requests of a submitter's waiting jobs, and gives matched slots to jobs.

This is the schedd's side of a session: which runs of equal jobs become one request, and which job
gets a slot.  The negotiator sees only significant attributes of a job and a few more.  Follows the
schedd's rules as seen in the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby, islice
from operator import attrgetter
from typing import Final

from attr import define, field

from classad import ClassAd
from classad.ads.ad import as_bool
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.language.operators import truth
from negotiator.expressions.flattening import Flattener
from negotiator.expressions.known import conjuncts_of
from negotiator.expressions.projection import Projections
from negotiator.jobs.autoclusters import AutoclusterTable
from negotiator.jobs.start_vanilla import VanillaStart
from negotiator.pool.slots import Slot, holds, meets

NO_AUTOCLUSTER: Final = -1
#: What a request carries besides the significant attributes.
_CARRIED: Final = frozenset({"owner", "clusterid", "procid", "globaljobid"})
#: What the schedd adds to it.
_ADDED: Final[Mapping[str, tuple[str, object]]] = {
    "wantmatchdiagnostics": ("WantMatchDiagnostics", 3),
    "wantpslotpreemption": ("WantPslotPreemption", True),
}
_ADDED_NAMES: Final = {key: name for key, (name, _) in _ADDED.items()}
#: What a schedd looks at, in the job or the slot, that has a slot to give away.
_SEEN_BY_SCHEDD: Final = frozenset({"requirements", "concurrencylimits", "currentrank", "rank"})


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


_autocluster_of: Final = attrgetter("autocluster")
_cluster_of: Final = attrgetter("cluster")


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


class ShownAttributes:
    """What requests show of jobs: the attributes that tell a job from others, and a few more."""

    def __init__(self, table: AutoclusterTable, asked: frozenset[str] = frozenset()) -> None:
        """``asked``: what the schedd asks of the request itself, lower-cased."""
        self._table = table
        self._more = asked | _CARRIED
        self._known: dict[tuple[str, ...], Projections] = {}

    def of(self, autocluster: int) -> Projections:
        """What requests show of the jobs of an autocluster."""
        names = self._table.attributes_of(autocluster)
        found = self._known.get(names)
        if found is None:
            added = {"autoclusterid": "AutoClusterId", **_ADDED_NAMES}
            found = self._known[names] = Projections(self._more.union(names), added)
        return found


@define(eq=False)
class JobList:
    """The jobs of one submitter at one schedd that still wait, best first.

    ``waiting`` is a dictionary for the sake of cheap removal; its values mean nothing.
    ``shown``: what requests show of jobs; None if there are no autoclusters.
    """

    waiting: dict[QueuedJob, None]
    shown: ShownAttributes | None
    constraint: Expression | None = None
    #: Whether a run is one request, how many requests are sent at a time, and whether the first
    #: ones are fetched ahead of the spin.
    counts: bool = True
    batch_size: int = 200
    ahead: bool = True
    #: For how many jobs at most the schedd asks at a time; None: any number.
    most_jobs: int | None = None
    #: Settles the requirements of requests; None if the cycle leaves them alone.
    flattener: Flattener | None = None
    #: Whether requests are sent one by one, which then are whole job ads.
    whole: bool = False
    #: On which slots the schedd starts vanilla jobs; None: on any.
    start: VanillaStart | None = None
    _ads: dict[QueuedJob, ClassAd] = field(factory=dict)

    def requests(
        self, rejected: set[int], context: EvalContext, prios: tuple[int, int] | None = None
    ) -> Iterator[Request]:
        """The requests of one session, fetched batch by batch from the jobs that then wait.

        ``rejected``: the autoclusters refused so far; they are not sent again.  ``prios``: the
        range of ``JobPrio`` that is asked for.

        A first batch that is fetched ahead of the spin belongs to a session of its own.  The next
        one opens another, for which the schedd lists its jobs from the start: what is left of the
        first batch's runs is offered once more.  Later batches go on where the last one ended.
        """
        waiting = list(self.waiting)
        if prios is not None:
            waiting = [job for job in waiting if prios[0] <= job.prio <= prios[1]]
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
        """The jobs in runs of successive ones with the same key (``_alike``)."""
        if not joined:
            return [[job] for job in waiting]
        return [list(run) for _, run in groupby(waiting, key=self._alike)]

    @property
    def _alike(self) -> Callable[[QueuedJob], int]:
        """The key of jobs that become one request: the autocluster, or else the cluster."""
        return _cluster_of if self.shown is None else _autocluster_of

    def place(
        self, request: Request, slot: Slot, context: EvalContext, limits: str
    ) -> QueuedJob | None:
        """Give the slot of a match to a job, which then waits no longer; returns the job.

        The schedd takes the request's first job or, if that has a slot already, its best waiting
        job that suits the slot and has the concurrency limits that the match was counted for
        (``limits``); if there is none the match comes to nothing.
        """
        if as_bool(slot.value("Offline", context)) is True:
            return None
        head = request.jobs[0]
        starts = self.start is None or self.start.allows(head.ad, slot.ad)
        first = starts and head in self.waiting
        job = head if first else self._suitable(slot, context, limits)
        if job is not None:
            del self.waiting[job]
        return job

    def _suitable(self, slot: Slot, context: EvalContext, limits: str) -> QueuedJob | None:
        """The first job that matches the slot and that the startd does not rank too low."""
        unsuitable, wanted, alike = set(), limits.lower(), self._alike
        visible = slot.visible()
        for job in self.waiting:
            if alike(job) in unsuitable:
                continue
            ad = visible.meeting(job.ad, _SEEN_BY_SCHEDD)
            accepted = _accepts if visible.separable else meets
            starts = self.start is None or self.start.allows(job.ad, slot.ad)
            if not (starts and meets(ad, job.ad, context) and accepted(job.ad, ad, context)):
                unsuitable.add(alike(job))
            elif matched_limits(job.ad, ad, context).lower() != wanted:
                continue
            elif not _ranked_lower(ad, job.ad, context):
                return job
        return None

    def request_for(self, job: QueuedJob, *others: QueuedJob) -> Request:
        """The request for one job, or for a run of jobs."""
        return Request([job, *others], self._request_ad(job), job.autocluster)

    def _request_ad(self, job: QueuedJob) -> ClassAd:
        ad = self._ads.get(job)
        if ad is None:
            ad = self._ads[job] = _visible(job, self.shown, self.whole)
            if self.start is not None:
                self.start.constrain(ad, job.ad)
            if self.flattener is not None:
                self.flattener.flatten(ad)
        return ad


@define
class _Walk:
    """Iterates over the runs of jobs of a schedd within one session."""

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
            constraint = self.jobs.constraint
            if constraint is not None and not holds(constraint, run[0].ad, context):
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


def _accepts(job: ClassAd, slot: ClassAd, context: EvalContext) -> bool:
    """Whether the requirements of a job are true of a slot, found conjunct by conjunct.

    Jobs have conjuncts in common, which are then made ready to be evaluated only once.
    """
    wanted = job.raw("Requirements")
    parts = conjuncts_of(wanted) if wanted.__class__ is Expression else None
    if parts is None:
        return meets(job, slot, context)
    return all(truth(evaluate(part, job, slot, context=context)) is True for part in parts)


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


def _visible(job: QueuedJob, shown: ShownAttributes | None, whole: bool) -> ClassAd:
    """The part of a job ad that reaches the negotiator."""
    own = job.ad if job.ad._chained is None else job.ad.unchained()
    if shown is None or whole:
        ad = own.duplicate()
        for name, value in _ADDED.values():
            ad.insert(name, value)
        if shown is not None:
            ad.insert("AutoClusterId", job.autocluster)
        return ad
    keys, pick, names = shown.of(job.autocluster).of(own._names)
    attrs = dict(zip(keys, pick(own._attrs), strict=True))
    attrs["autoclusterid"] = job.autocluster
    for key, (_, value) in _ADDED.items():
        attrs[key] = value
    return ClassAd.holding(names, attrs)
