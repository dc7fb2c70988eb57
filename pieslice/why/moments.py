"""Runs a cycle up to the moment that a question is about.

Decides which moment that is, by the fate of the job: when it got its slot; when it, or a job of the
same autocluster, was refused; else the end of its submitter's last session; else the end of the
cycle.

The cycle runs twice: once to the end, once to the moment.  All that the function changes dies with
the second run.

Inputs: what ``negotiate`` takes, the job, a function that looks at the halted cycle.  Outputs: the
``JobHistory`` of the job in the whole cycle, and what that function returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from random import Random
from typing import TypeVar

from attr import evolve, field, frozen

from classad.evaluate import EvalContext
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES, make_engines
from negotiator.groups.quotas import QuotaStep
from negotiator.io import Capture
from negotiator.jobs.offers import Unasked
from negotiator.jobs.requests import NO_AUTOCLUSTER, QueuedJob, Request
from negotiator.jobs.submitters import negotiated_name
from negotiator.matching.board import (
    Board,
    CycleEnded,
    CycleWatch,
    Event,
    Offer,
    SessionEnded,
    SessionTerms,
    Taken,
    Watch,
)
from negotiator.matching.candidate import Allowance, Requester
from negotiator.matching.engine import Engines
from negotiator.matching.replay import NotedSearches, RepeatingEngines
from negotiator.model.arithmetic import DBL_MAX, INT_MAX
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from negotiator.pool.ephemeral import decorate_request
from pieslice.between.course import Party
from pieslice.between.leftovers import Leftovers, leftovers
from pieslice.negotiate.waiting import IdleUse
from pieslice.why.asked import AskedJob
from pieslice.why.fates import Fate, JobFate, fate_of
from pieslice.why.sessions import Attempt, CycleRecord, JobInQueue, RequestLog
from policy.model import NegotiatorPolicy
from policy.versions import Followed

T = TypeVar("T")


class When(Enum):
    """The kind of moment that is looked at."""

    MATCHED = "at its match"
    REFUSED = "at its rejection"
    EQUAL_REFUSED = "at the rejection of a job of its autocluster"
    PASSED_OVER = "at the end of its submitter's last negotiation session"
    NOT_ASKED = "at the end of the cycle"


@frozen(eq=False)
class JobHistory:
    """What became of a job, and when it is looked at.

    ``waiting``: its schedd offered it to the negotiator at all.  ``record``: all requests of
    its submitter at its schedd.
    """

    job: AskedJob
    result: CycleResult
    attempts: tuple[Attempt, ...]
    waiting: bool
    when: When
    record: CycleRecord
    slot: str | None = None
    #: The job for which the schedd asked for the slot that it then gave to this one.
    asked_by: str | None = None
    #: The jobs of its submitter that start on what the matches of the cycle leave of slots.
    left: Leftovers = field(factory=dict)


def moment_of(
    job: str, fate: JobFate | None, tried: Sequence[tuple[Attempt, bool]], last_session: int | None
) -> tuple[When, int]:
    """The moment at which a job is looked at, and the number of its offer or session.

    ``tried``: the attempts for jobs like it, and whether the job itself was in their request;
    ``last_session``: the number of the last one of its submitter.
    """
    for made, _ in tried:
        if made.placed == job:
            return When.MATCHED, made.number
    refused = [(made, own) for made, own in tried if made.reason is not None]
    when, offers = When.EQUAL_REFUSED, [made for made, _ in refused]
    if fate is not None and fate.fate is Fate.REJECTED:
        mine = [made for made, own in refused if own]
        when, offers = (When.REFUSED, mine) if mine else (when, offers)
    elif fate is None or fate.unasked is not Unasked.REJECTED:
        offers = []
    if offers:
        # In a session that went past its limit only the startd's rank counts: the others say more.
        full = [made for made in offers if not made.rank_only]
        return when, (full or offers)[-1].number
    return (When.NOT_ASKED, 0) if last_session is None else (When.PASSED_OVER, last_session)


def _tried(record: CycleRecord, job: JobInQueue) -> Iterator[tuple[Attempt, bool]]:
    """The attempts for a job, for those of its autocluster, and the one that it got its slot by."""
    for session in record.sessions:
        for request in session.requests:
            own = job.id in request.jobs
            alike = job.autocluster != NO_AUTOCLUSTER and request.autocluster == job.autocluster
            for made in request.attempts:
                if own or alike or made.placed == job.id:
                    yield made, own


def is_step(event: Event) -> bool:
    """Whether an event is one of those that divide quotas."""
    return isinstance(event, QuotaStep)


# --- the moment -----------------------------------------------------------------------------------


class _StopError(Exception):
    """The moment has come and gone."""


@frozen(eq=False)
class RecordedCycle:
    """A whole cycle that was watched, with all requests of all submitters; ``steps``: of quotas.

    ``board``: as it was in the end; ``placed``: who got the slot of each match; ``use``: what jobs
    can use of the idle slots; ``searches``: what was found for each request.
    """

    result: CycleResult
    record: CycleRecord
    steps: tuple[Event, ...]
    board: Board
    placed: Sequence[QueuedJob | None]
    use: IdleUse
    searches: NotedSearches


@frozen(eq=False)
class AskedCycle:
    """The cycle that questions are about, which ``run`` runs anew, always to the same end.

    ``version``: the one that the pool follows.  ``engine``: as ``negotiate`` takes it; engines that
    have served other cycles of the pool know its slots already.  ``known``: it was run already.
    """

    snapshot: Snapshot
    policy: NegotiatorPolicy
    now: float
    seed: int = 0
    version: Followed | None = None
    engine: str | Engines = ENGINES[0]
    known: RecordedCycle | None = None

    @classmethod
    def of(cls, pool: Capture, seed: int, engine: str | Engines = ENGINES[0]) -> AskedCycle:
        """The next cycle of a pool."""
        facts = pool.facts
        return cls(pool.snapshot, pool.policy, facts.now, seed, facts.version, engine)

    @property
    def context(self) -> EvalContext:
        """In which ads of the pool are evaluated before and after the cycle."""
        return EvalContext(now=self.now, language=self.policy.language)

    def run(self, watch: Watch, engines: Engines | None = None) -> CycleResult:
        """The whole cycle, watched; ``engines``: others than its own."""
        return negotiate(
            self.snapshot,
            self.policy,
            now=self.now,
            rng=Random(self.seed),
            watch=watch,
            engine=self.engine if engines is None else engines,
        )

    def _engines(self) -> Engines:
        return make_engines(self.engine) if isinstance(self.engine, str) else self.engine

    def recorded(
        self, log: RequestLog, parties: Collection[Party]
    ) -> tuple[CycleResult, Leftovers]:
        """The whole cycle, recorded, and which jobs of submitters start on what it leaves."""
        known = self.known
        if known is not None:
            log.take(known.record)
            return known.result, leftovers(
                self.snapshot, known.result, known.board, known.placed, parties
            )
        watch = CycleWatch()

        def both(event: Event) -> None:
            log(event)
            watch(event)

        result = self.run(both)
        assert watch.board is not None
        placed = watch.placements.jobs
        return result, leftovers(self.snapshot, result, watch.board, placed, parties)

    def steps(self) -> tuple[CycleResult, tuple[Event, ...]]:
        """The whole cycle, and how it divided quotas, step by step."""
        if self.known is not None:
            return self.known.result, self.known.steps
        steps: list[Event] = []
        result = self.run(lambda event: steps.append(event) if is_step(event) else None)
        return result, tuple(steps)

    def run_for_all(self, also: Watch | None = None) -> AskedCycle:
        """The cycle with all that is known of it when it has been run once.

        ``also``: watches it, too.
        """
        log, watch, steps = RequestLog(lambda name, schedd: True), CycleWatch(), list[Event]()
        searches = NotedSearches()

        def every(event: Event) -> None:
            log(event)
            watch(event)
            if is_step(event):
                steps.append(event)
            if also is not None:
                also(event)

        result = self.run(every, RepeatingEngines(self._engines(), searches))
        searches.end()
        assert watch.board is not None
        known = RecordedCycle(
            result,
            log.record,
            tuple(steps),
            watch.board,
            watch.placements.jobs,
            IdleUse(self.snapshot, self.policy, result),
            searches,
        )
        return evolve(self, known=known)

    def idle_use(self, result: CycleResult) -> IdleUse:
        """What jobs can use of the idle slots; ``result``: of the cycle."""
        known = self.known
        return IdleUse(self.snapshot, self.policy, result) if known is None else known.use

    def run_until(
        self, look: Callable[[Event], tuple[T] | None], whose: tuple[str, str] | None = None
    ) -> T:
        """Run it until ``look`` finds something, and return that.

        ``look`` may change what it likes, which is gone afterwards.  ``whose``: the submitter and
        the schedd that it is about, whose requests alone need to be looked at again.
        """
        engines = None
        if self.known is not None and whose is not None:
            engines = RepeatingEngines(self._engines(), self.known.searches, whose)
        seen: list[T] = []

        def watch(event: Event) -> None:
            found = look(event)
            if found is not None:
                seen.extend(found)
                raise _StopError

        with suppress(_StopError):
            self.run(watch, engines)
        assert seen, "the second run did not come to the moment of the first"
        return seen[0]


def look_at(
    cycle: AskedCycle, job: AskedJob, examine: Callable[[Offer, JobHistory], T]
) -> tuple[JobHistory, T | None]:
    """The history of a job and what ``examine`` says of its moment; None if it does not wait."""
    if job.submitter is not None:
        job = evolve(job, submitter=negotiated_name(job.submitter, cycle.policy))
    mine = (job.submitter, job.schedd)
    log = RequestLog(lambda name, schedd: (name, schedd) == mine)
    result, left = cycle.recorded(log, {(job.submitter or "", job.schedd)})
    record = log.record
    queue = record.waiting.get((job.submitter or "", job.schedd), ())
    queued = next((item for item in queue if item.id == job.id), None)
    tried = [] if queued is None else list(_tried(record, queued))
    last_session = record.sessions[-1].number if record.sessions else None
    when, number = moment_of(job.id, fate_of(record, job.id), tried, last_session)
    placed = next(((made, own) for made, own in tried if made.placed == job.id), None)
    history = JobHistory(
        job,
        result,
        tuple(made for made, _ in tried),
        queued is not None,
        when,
        record,
        None if placed is None else placed[0].slot,
        None if placed is None or placed[1] else placed[0].request,
        left,
    )
    if queued is None:
        return history, None

    def look(event: Event) -> tuple[T] | None:
        """What is there at the moment, or would be if the job were offered then."""
        match event:
            case Offer() if when not in (When.PASSED_OVER, When.NOT_ASKED):
                return (examine(event, history),) if event.number == number else None
            case SessionEnded() if when is When.PASSED_OVER and event.number == number:
                offer = _supposed(event.board, event.terms, event.allowance, job)
                return (examine(offer, history),)
            case CycleEnded(board=board) if when is When.NOT_ASKED:
                offer = _supposed(board, _endless(board, job), Allowance(DBL_MAX, DBL_MAX), job)
                return (examine(offer, history),)
        return None

    return history, cycle.run_until(look, (job.submitter or "", job.schedd))


def look_at_match(cycle: AskedCycle, slot: str, examine: Callable[[Offer], T]) -> T:
    """What ``examine`` says of the moment before a slot is matched, which it is in this cycle."""
    offers: list[int] = []
    first: list[int] = []

    def watch(event: Event) -> None:
        match event:
            case Offer(number=number):
                offers.append(number)
            case Taken(candidate=candidate) if candidate.slot.name == slot:
                first.append(offers[-1])

    def look(event: Event) -> tuple[T] | None:
        if isinstance(event, Offer) and event.number == first[0]:
            return (examine(event),)
        return None

    cycle.run(watch)
    assert first, "the slot is matched in this cycle"
    return cycle.run_until(look)


# --- requests that are supposed -------------------------------------------------------------------


def _supposed(
    board: Board, terms: SessionTerms, allowance: Allowance, asked_job: AskedJob
) -> Offer:
    """The offer that there would be if the job were offered now."""
    jobs = board.jobs[terms.submitter, terms.schedd].waiting
    # A job that got no slot goes on waiting.
    job = next(it for it in jobs if (it.cluster, it.proc) == (asked_job.cluster, asked_job.proc))
    board.drop_match_list()
    request = request_for(board, terms, job)
    asker = Requester(terms.submitter, terms.schedd, terms.priority, False, terms.families)
    return Offer(0, board, terms, request, asker, allowance, hypothetical=True)


def _endless(board: Board, job: AskedJob) -> SessionTerms:
    """The terms of a session with a job's submitter that nothing limits."""
    assert job.submitter is not None
    return SessionTerms(
        submitter=job.submitter,
        schedd=job.schedd,
        priority=board.accountant.effective_priority(job.submitter),
        group=board.tree.assigned(job.submitter).name if board.tree.configured else None,
        limit=DBL_MAX,
        limit_unclaimed=DBL_MAX,
        ceiling_left=INT_MAX,
        ignore_limit=False,
    )


def request_for(board: Board, terms: SessionTerms, job: QueuedJob) -> Request:
    """The request that the schedd would make for a job, as the negotiator sees it."""
    request = board.jobs[terms.submitter, terms.schedd].request_for(job)
    decorate_request(
        request.ad, terms.submitter, terms.priority, terms.group, board.accountant, board.tree
    )
    return request
