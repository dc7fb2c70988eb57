"""Makes resource requests of a submitter's waiting jobs, and gives matched slots to jobs.

The negotiator sees only significant attributes of a job and a few more.  Follows the
schedd's rules as seen in the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Final

from attr import define, field

from classad import ClassAd
from classad.ads.ad import as_bool, as_number
from classad.ads.expression import Expression
from classad.analysis.mentions import references_of
from classad.evaluate import EvalContext, evaluate
from classad.language.operators import truth
from classad.language.rules import LanguageRules, language_of
from negotiator.claims.suiting import Granted, unsuited
from negotiator.expressions.flattening import Flattener
from negotiator.expressions.known import conjuncts_of
from negotiator.jobs.autoclusters import Autocluster, AutoclusterTable, Projections
from negotiator.jobs.start_vanilla import VanillaStart
from negotiator.pool.slots import Slot, holds, meets
from policy.versions import NEWEST, Version

NO_AUTOCLUSTER: Final = -1
#: What a request carries besides the significant attributes.
CARRIED: Final = frozenset({"owner", "clusterid", "procid", "globaljobid"})
#: What the schedd adds to it.
_ADDED: Final[Mapping[str, tuple[str, object]]] = {
    "wantmatchdiagnostics": ("WantMatchDiagnostics", 3),
    "wantpslotpreemption": ("WantPslotPreemption", True),
}
_ADDED_NAMES: Final = {key: name for key, (name, _) in _ADDED.items()}
#: What it writes into the jobs of its queue.
_WRITTEN: Final = frozenset({"autoclusterid", "autoclusterattrs"})
#: What a schedd looks at, in the job or the slot, that has a slot to give away.
_SEEN_BY_SCHEDD: Final = frozenset({"requirements", "concurrencylimits", "rank"})


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
    """A run of jobs of one autocluster; ``ad`` is what the negotiator sees of the first one.

    ``endless``: the real one may not come back from it (D-508).  ``kind``: the autocluster, where
    that and what requests carry besides is all that is shown.
    """

    jobs: list[QueuedJob]
    ad: ClassAd
    autocluster: int
    endless: bool = False
    kind: Autocluster | None = None

    @property
    def job(self) -> str:
        """The id of the first job."""
        return self.jobs[0].id


class ShownAttributes:
    """What requests show of jobs: the attributes that tell a job from others, and a few more."""

    def __init__(self, table: AutoclusterTable, asked: frozenset[str] = frozenset()) -> None:
        """``asked``: what the schedd asks of the request itself, lower-cased."""
        self._table = table
        self._more = asked | CARRIED
        self._known: dict[tuple[str, ...], Projections] = {}

    def autocluster_of(self, job: ClassAd) -> int:
        """The autocluster of a job with this ad."""
        return self._table.id_of(job)

    def kind(self, autocluster: int) -> Autocluster | None:
        """What is the same of all jobs of an autocluster; None if the schedd does not see to it."""
        found = self._table.autocluster(autocluster)
        return None if found.circular else found

    def written(self, autocluster: int) -> Iterator[tuple[str, object]]:
        """What the schedd writes into the jobs of an autocluster."""
        yield "AutoClusterId", autocluster
        yield "AutoClusterAttrs", ",".join(self._table.attributes_of(autocluster))

    def of(self, autocluster: int) -> Projections:
        """What requests show of the jobs of an autocluster."""
        names = self._table.attributes_of(autocluster)
        found = self._known.get(names)
        if found is None:
            added = {"autoclusterid": "AutoClusterId", **_ADDED_NAMES}
            found = self._known[names] = Projections(self._more.union(names), added)
        return found


@define(eq=False)
class ScheddRoom:
    """How many jobs more a schedd may run: MAX_JOBS_RUNNING belongs to it, not to a submitter.

    Every match that it has accepted in the cycle is a claim about to be used.
    """

    limit: int | None = None
    running: int = 0
    accepted: int = 0

    @property
    def left(self) -> int | None:
        """The number of jobs, None for any."""
        if self.limit is None:
            return None
        return max(self.limit - self.running - self.accepted, 0)


@define(eq=False)
class JobList:
    """The jobs of one submitter at one schedd, best first.

    Dictionaries are for the sake of cheap removal; their values mean nothing.  ``waiting``: those
    that still wait; ``listed``: those in the schedd's table that are not noted there as matched.
    ``shown``: what requests show of jobs; None if there are no autoclusters.
    """

    waiting: dict[QueuedJob, None]
    shown: ShownAttributes | None
    listed: dict[QueuedJob, None] = field(factory=dict)
    constraint: Expression | None = None
    #: Whether requests count jobs, how many are sent at a time, and whether the first ones are
    #: fetched ahead of the spin.
    counts: bool = True
    batch_size: int = 200
    ahead: bool = True
    #: Whether every job is a request of its own.
    all_in_cluster: bool = False
    #: For how many jobs at most the schedd asks in a session; None: any number.
    uploads: int | None = None
    room: ScheddRoom = field(factory=ScheddRoom)
    #: Settles the requirements of requests; None if the cycle leaves them alone.
    flattener: Flattener | None = None
    #: On which slots the schedd starts vanilla jobs; None: on any.
    start: VanillaStart | None = None
    #: The ids that the schedd itself has for autoclusters, where they are known.
    real_ids: Mapping[int, int] = field(factory=dict)
    #: The version of the schedd.
    version: Version = NEWEST
    _ads: dict[QueuedJob, ClassAd] = field(factory=dict)
    _endless: set[QueuedJob] = field(factory=set)

    @property
    def language(self) -> LanguageRules:
        """The rules by which the schedd evaluates."""
        return language_of(self.version)

    @property
    def one_by_one(self) -> bool:
        """Whether requests are sent one at a time, which then are whole job ads."""
        return not self.counts or self.batch_size == 1

    @property
    def alike(self) -> Callable[[QueuedJob], int]:
        """The key of jobs that become one request: the autocluster, or else the cluster."""
        return _cluster_of if self.shown is None else _autocluster_of

    def real_id(self, autocluster: int) -> int:
        """The schedd's own id of an autocluster."""
        return self.real_ids.get(autocluster, autocluster)

    def passes(self, job: QueuedJob, context: EvalContext) -> bool:
        """Whether NEGOTIATOR_JOB_CONSTRAINT is true of a job, or there is none.

        It sees what the schedd writes into the jobs of its queue, and nothing of a request.
        """
        if self.constraint is None:
            return True
        ad = job.ad
        if self.shown is not None and _names_written(self.constraint):
            ad = ad.duplicate()
            for name, value in self.shown.written(job.autocluster):
                if ad.raw(name) is None:
                    ad.insert(name, value)
        return holds(self.constraint, ad, context)

    def hold(self, jobs: Iterable[QueuedJob]) -> None:
        """Put the jobs into the list, the best first."""
        self.waiting = dict.fromkeys(jobs)
        self.listed = self.waiting.copy()

    def place(
        self, request: Request, slot: Slot, context: EvalContext, limits: str
    ) -> QueuedJob | None:
        """Give the slot of a match to a job, which then waits no longer; returns the job.

        The schedd takes the request's first job or, if that has a slot already, its best waiting
        job that suits the slot and has the concurrency limits that the match was counted for
        (``limits``); if there is none the match comes to nothing.  So it does without room for
        another running job, and without a claim id that could be used.
        """
        offline = as_bool(slot.value("Offline", context)) is True
        if offline or slot.claims <= 0 or self.room.left == 0:
            return None
        head = request.jobs[0]
        starts = self.start is None or self.start.allows(head.ad, slot.ad)
        first = starts and head in self.waiting
        job = head if first else self._suitable(slot, context, limits)
        if job is not None:
            del self.waiting[job]
            self.room.accepted += 1
        return job

    def _suitable(self, slot: Slot, context: EvalContext, limits: str) -> QueuedJob | None:
        """The first job that matches the slot and that the startd does not rank too low.

        A job that has a slot already is noted as matched when the search walks past it: from then
        on it keeps no runs apart.
        """
        passed: list[QueuedJob] = []
        found = self._search(slot, context, limits.lower(), passed)
        for job in passed:
            del self.listed[job]
        return found

    def _search(
        self, slot: Slot, context: EvalContext, wanted: str, passed: list[QueuedJob]
    ) -> QueuedJob | None:
        unsuitable, alike = set(), self.alike
        visible = slot.visible()
        rank = as_number(slot.value("CurrentRank", context))
        granted = Granted(wanted, rank, version=self.version)
        for job in self.listed:
            if alike(job) in unsuitable:
                continue
            if job not in self.waiting:
                passed.append(job)
                continue
            if self.start is not None and not self.start.allows(job.ad, slot.ad):
                unsuitable.add(alike(job))
                continue
            ad = visible.meeting(job.ad, _SEEN_BY_SCHEDD)
            accepts = _accepts if visible.separable else meets
            refused = unsuited(job.ad, ad, granted, context, accepts)
            if refused is None:
                return job
            if refused.of_autocluster:
                unsuitable.add(alike(job))
        return None

    def request_for(self, job: QueuedJob, *others: QueuedJob) -> Request:
        """The request for one job, or for a run of jobs."""
        kind = None
        if self.shown is not None and self.start is None and not self.one_by_one:
            kind = self.shown.kind(job.autocluster)
        ad = self._request_ad(job, kind)
        return Request([job, *others], ad, job.autocluster, job in self._endless, kind)

    def _request_ad(self, job: QueuedJob, kind: Autocluster | None) -> ClassAd:
        ad = self._ads.get(job)
        if ad is None:
            ad = self._ads[job] = _visible(job, self.shown, self.one_by_one)
            if self.start is not None:
                self.start.constrain(ad, job.ad)
            if self._flatten(ad, kind):
                self._endless.add(job)
        return ad

    def _flatten(self, ad: ClassAd, kind: Autocluster | None) -> bool:
        """Settle the requirements of a request; whether the real one may not come back from it."""
        flattener = self.flattener
        if flattener is None or (kind is not None and kind.settled == flattener.by):
            return False
        endless = flattener.flatten(ad)
        if endless is None and kind is not None:
            kind.settled = flattener.by
        return endless or False


def _names_written(constraint: Expression) -> bool:
    found = references_of(constraint.node)
    return not _WRITTEN.isdisjoint(found.bare | found.mine)


def _accepts(job: ClassAd, slot: ClassAd, context: EvalContext) -> bool:
    """Whether the requirements of a job are true of a slot, found conjunct by conjunct.

    Jobs have conjuncts in common, which are then made ready to be evaluated only once.
    """
    wanted = job.raw("Requirements")
    parts = conjuncts_of(wanted) if wanted.__class__ is Expression else None
    if parts is None:
        return meets(job, slot, context)
    return all(truth(evaluate(part, job, slot, context=context)) is True for part in parts)


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
