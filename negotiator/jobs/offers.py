"""Decides which jobs a schedd offers in a session, one request after another.

A session opens for one submitter: the schedd groups its table of jobs into runs of successive ones
of one autocluster.  Requests go over in lists, each for a run, or one at a time.  Follows the
schedd's rules as seen in the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from attr import define, field, frozen

from classad.evaluate import EvalContext
from negotiator.jobs.requests import NO_AUTOCLUSTER, JobList, QueuedJob, Request
from negotiator.versions.schedd import (
    EACH_LOOK_TAKES_A_JOB,
    ONE_AT_A_TIME,
    ROOM_OF_LIST,
    RoomOfList,
)


class Unasked(Enum):
    """Why a schedd sends no request for a job that waits."""

    JOB_PRIO = "its JobPrio is not in the range of the session"
    REJECTED = "a request of its autocluster was rejected in the session"
    ROOM = "its schedd has no room: MAX_JOBS_RUNNING"
    CONSTRAINT = "NEGOTIATOR_JOB_CONSTRAINT is not true"
    UPLOADS = "MAX_CONCURRENT_UPLOADS_PER_USER bounds what is asked in a session"
    ENDED = "the session ended before it"


@define(eq=False)
class _Run:
    """Successive jobs of one autocluster, of which the first may have been matched since.

    ``number``: their autocluster, or what stands for it where every job is a run of its own;
    ``begin``: those before it wait no longer.
    """

    number: int
    jobs: list[QueuedJob]
    begin: int = 0

    def find(self, jobs: JobList) -> bool:
        """Whether a job still waits; ``begin`` is its place then."""
        waiting = jobs.waiting
        for place in range(self.begin, len(self.jobs)):
            if self.jobs[place] in waiting:
                self.begin = place
                return True
        self.begin = len(self.jobs)
        return False

    def rest(self, jobs: JobList) -> list[QueuedJob]:
        """From the first job on that still waits; matched ones behind it count."""
        return self.jobs[self.begin :] if self.find(jobs) else []


@frozen(eq=False)
class _Found:
    """The job that a list goes on with: a place in a run, and for how many jobs it asks."""

    run: _Run
    place: int
    count: int

    @property
    def jobs(self) -> list[QueuedJob]:
        """The jobs of its request."""
        return self.run.jobs[self.place : self.place + self.count]


@define(eq=False)
class Offers:
    """What a schedd offers for a submitter in one turn.

    Requests that are fetched ahead of the spin belong to a session of their own.  The next ones
    open another, for which the schedd lists its jobs from the start; only what was refused is not
    offered again.  ``prios``: the range of ``JobPrio`` that is asked for, None for all.
    """

    jobs: JobList
    context: EvalContext
    prios: tuple[int, int] | None = None
    _runs: list[_Run] = field(init=False)
    _next: int = 0
    #: For how many more jobs the schedd may ask in this session; None: any number.
    _may_offer: int | None = field(init=False)
    #: The autoclusters that were refused in this session.
    _rejected: set[int] = field(factory=set)
    #: What tells the jobs of refused requests apart, see ``JobList.alike``.
    _refused: set[int] = field(factory=set)
    #: Requests fetched ahead that have not been handed out yet.
    _ahead: list[Request] | None = None
    #: How many matches and refusals have come since they were last counted.
    _results: int = 0
    #: Lists: the job to go on with, and whether results have the schedd look for the next one.
    _current: _Found | None = None
    _looks_on: bool = False
    #: One at a time: the second request, found anew after each result of the first; None: later.
    _second: list[Request] | None = None
    #: What the lists so far asked for.
    _sent: list[_Found] = field(factory=list)
    #: The rules of the schedd's version: how its room bounds a list, and how many jobs the search
    #: for the next one takes off its run.
    _room: RoomOfList = field(init=False)
    _takes_off: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._open()

    def _open(self) -> None:
        """Begin a session: list the jobs, unless the schedd has no room for another one."""
        self._may_offer = self.jobs.uploads
        self._room = ROOM_OF_LIST.of(self.jobs.version)
        self._takes_off = int(EACH_LOOK_TAKES_A_JOB.of(self.jobs.version))
        self._runs = [] if self.jobs.room.left == 0 else self._grouped()
        self._next = 0
        self._current = None

    def fetch_ahead(self) -> Offers:
        """Compute the first requests now."""
        self._ahead = self._one() if self.jobs.one_by_one else self._batch()
        return self

    def requests(self) -> Iterator[Request]:
        """The requests, each list as the jobs stand when it is fetched."""
        if self.jobs.ahead and self._ahead is None:
            self.fetch_ahead()
        return self._in_turn() if self.jobs.one_by_one else self._in_lists()

    def matched(self) -> None:
        """A match for a request has come to the schedd."""
        self._results += 1
        self._find_next()

    def _find_next(self) -> None:
        """After a result the schedd looks for its next job."""
        if self._looks_on:
            self._look_on()
        if self._second is not None:
            self._second = self._one(grouped=True)

    def reject(self, request: Request) -> None:
        """Nothing was found for a request: its autocluster is not offered again."""
        self._results += 1
        self._refused.add(self.jobs.alike(request.jobs[0]))
        if request.autocluster != NO_AUTOCLUSTER:
            self._rejected.add(self.jobs.real_id(request.autocluster))
        self._find_next()

    def unasked(self) -> dict[QueuedJob, Unasked]:
        """Why the session, which is over, had no more requests for the jobs that still wait.

        Of several causes it is the first that would be in the way without the others.
        """
        run_of = {job: run for run in self._runs for job in run.jobs}
        sent = {job for found in self._sent for job in found.jobs}
        return {job: self._why_not(job, run_of.get(job), job in sent) for job in self.jobs.waiting}

    def _why_not(self, job: QueuedJob, run: _Run | None, sent: bool) -> Unasked:
        if self.prios is not None and not self.prios[0] <= job.prio <= self.prios[1]:
            return Unasked.JOB_PRIO
        rejected = run is not None and run.number in self._rejected
        if rejected or (self.jobs.one_by_one and self.jobs.alike(job) in self._refused):
            return Unasked.REJECTED
        if sent:
            return Unasked.ENDED
        if self.jobs.room.left == 0:
            return Unasked.ROOM
        if run is None:
            return Unasked.CONSTRAINT
        return Unasked.UPLOADS if self._may_offer == 0 else Unasked.ENDED

    # --- lists --------------------------------------------------------------------------------

    def _in_lists(self) -> Iterator[Request]:
        """Lists of requests until one is not full; each goes on where the last one ended.

        The results of the list that was fetched ahead come to the session that opens now, before
        it has sent one: after each of them the schedd looks for the next job.
        """
        full = self.jobs.batch_size
        goes_on = False
        if self._ahead is None:
            batch, goes_on = self._batch(), self._room.asked_again
        else:
            batch = self._ahead
            if len(batch) == full:
                self._open()
                self._looks_on = True
        yield from batch
        while len(batch) == full or (goes_on and batch):
            self._looks_on = False
            batch = self._batch()
            yield from batch

    def _batch(self) -> list[Request]:
        """The next list; it begins with the job that was found after the last result.

        MAX_CONCURRENT_UPLOADS_PER_USER bounds what a session may offer; the start of a list takes
        the smaller of what is left of it and of the schedd's room.
        """
        jobs = self.jobs
        self._may_offer = self._room.begins(self._may_offer, jobs.room.left)
        batch: list[Request] = []
        while len(batch) < jobs.batch_size:
            found = self._current or self._look_on()
            if found is None:
                break
            batch.append(jobs.request_for(*found.jobs))
            self._sent.append(found)
            self._current = None
            self._next += 1
        return batch

    def _look_on(self) -> _Found | None:
        """Find the current job, and take the count of its request from what may still be offered.

        Without room every job is passed over.
        """
        jobs, may = self.jobs, self._may_offer
        self._current = None
        while self._next < len(self._runs) and may != 0:
            run = self._runs[self._next]
            if run.number not in self._rejected and jobs.room.left != 0 and run.find(jobs):
                count = len(run.jobs) - run.begin
                count = count if may is None else min(count, may)
                self._may_offer = None if may is None else may - count
                self._current = _Found(run, run.begin, count)
                run.begin += self._takes_off
                break
            self._next += 1
        return self._current

    # --- one request at a time ----------------------------------------------------------------

    def _in_turn(self) -> Iterator[Request]:
        """One request at a time: the schedd's current job again and again.

        It is the first of its list that still waits and whose autocluster has not been refused in
        this session: one whose match came to nothing is offered once more.
        """
        ahead = found = self._ahead
        if ahead is not None:
            self._open()
            # The results come to this session, which sends what it finds after the last of them.
            self._second = ahead
            yield from ahead
            if ahead and not self._results:
                self._find_next()
            found, self._second = self._second, None
            yield from self._and_skip(found)
        while found is None or found:
            found = self._one()
            yield from self._and_skip(found)

    def _and_skip(self, requests: list[Request]) -> Iterator[Request]:
        """A request, behind which the jobs found between its results are skipped."""
        self._results = 0
        yield from requests
        self._skip_found()

    def _one(self, *, grouped: bool = False) -> list[Request]:
        """The request for the current job; none if there is no such job.

        The first one, fetched ahead, is for one job.  The second was computed while the list was
        still ``grouped``: it is for the rest of its run.  From then on runs are single jobs.
        """
        jobs = self.jobs
        if jobs.room.left == 0 or self._may_offer == 0:
            return []
        while self._next < len(self._runs):
            run = self._runs[self._next]
            rest = [] if run.number in self._rejected else run.rest(jobs)
            # D-503: where the schedd does not know what was refused it would be sent for ever.
            if rest and jobs.alike(rest[0]) not in self._refused:
                grouped = ONE_AT_A_TIME.of(jobs.version)(grouped)
                rest = rest[: self._may_offer] if grouped else rest[:1]
                run.begin += self._takes_off
                if self._may_offer is not None:
                    self._may_offer -= len(rest)
                return [jobs.request_for(*(rest if jobs.counts else rest[:1]))]
            self._next += 1
        return []

    def _skip_found(self) -> None:
        """Take from the uploads for the jobs found between the results of one request.

        After each result the next job is found, though only the one after the last is offered.
        """
        if self._may_offer is not None:
            self._may_offer = max(self._may_offer - max(self._results - 1, 0), 0)

    # --- grouping -----------------------------------------------------------------------------

    def _grouped(self) -> list[_Run]:
        """The table of jobs in runs; a matched job keeps runs apart unless its record says so.

        NEGOTIATOR_JOB_CONSTRAINT is tested on the first job of a run.  If it is false, later jobs
        of that autocluster are passed over, until another one is refused in the same way.
        """
        jobs, prios, alike = self.jobs, self.prios, self.jobs.alike
        runs: list[_Run] = []
        last: int | None = None
        refused: int | None = None
        for number, job in enumerate(self._listed(prios), 1):
            key = number if jobs.all_in_cluster else alike(job)
            if key == last:
                runs[-1].jobs.append(job)
                continue
            if key == refused:
                continue
            if jobs.constraint is not None and not jobs.passes(job, self.context):
                refused = key
                continue
            last = key
            # Jobs without autoclusters are told apart by cluster, but refused by none.
            known = key if jobs.all_in_cluster else job.autocluster
            runs.append(_Run(known, [job]))
        return runs

    def _listed(self, prios: tuple[int, int] | None) -> Iterable[QueuedJob]:
        listed = self.jobs.listed
        if prios is None:
            return listed
        return [job for job in listed if prios[0] <= job.prio <= prios[1]]
