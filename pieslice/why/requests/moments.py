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

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from random import Random
from typing import TypeVar

from attr import define, evolve, field, frozen

from negotiator.cycle import negotiate
from negotiator.jobs.offers import Unasked
from negotiator.jobs.requests import NO_AUTOCLUSTER, QueuedJob, Request
from negotiator.jobs.submitters import negotiated_name
from negotiator.matching.board import (
    Board,
    CycleBegan,
    CycleEnded,
    Event,
    Offer,
    SessionEnded,
    SessionTerms,
    Taken,
    Watch,
)
from negotiator.matching.candidate import Allowance, Asker
from negotiator.model.arithmetic import DBL_MAX, INT_MAX
from negotiator.model.result import CycleResult, Rejection
from negotiator.model.snapshot import Snapshot
from negotiator.pool.ephemeral import decorate_request
from pieslice.why.jobs import AskedJob
from pieslice.why.requests.fates import Fate, fate_of
from pieslice.why.requests.record import CycleRecord, RequestLog
from policy.model import NegotiatorPolicy

T = TypeVar("T")


class When(Enum):
    """The kind of moment that is looked at."""

    MATCHED = "at its match"
    REFUSED = "at its rejection"
    EQUAL_REFUSED = "at the rejection of a job of its autocluster"
    PASSED_OVER = "at the end of its submitter's last negotiation session"
    NOT_ASKED = "at the end of the cycle"

    @property
    def at_offer(self) -> bool:
        """Whether it is the moment of an offer."""
        return self not in (When.PASSED_OVER, When.NOT_ASKED)


@frozen
class Attempt:
    """A slot was looked for, for the job or for one of its autocluster.

    ``limit`` and ``used`` are in slot weights; ``slot`` is None if there was none, ``placed`` is
    the job that the schedd gave it to.
    """

    pie: int
    spin: int
    request: str
    limit: float
    limit_unclaimed: float
    used: float
    rank_only: bool
    slot: str | None = None
    placed: str | None = None
    reason: str | None = None


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


@define(eq=False)
class _Recorder:
    """Records what becomes of a job."""

    job: AskedJob
    log: RequestLog
    queued: QueuedJob | None = None
    #: The number of the offer under way.
    offers: int = 0
    #: That offer, if it is for a job of the same submitter.
    current: Attempt | None = None
    #: Attempts by the number of their offer.
    attempts: dict[int, Attempt] = field(factory=dict)
    #: Offers whose request contained the job itself.
    own: set[int] = field(factory=set)
    matched: int | None = None
    last_session: int | None = None

    def __call__(self, event: Event) -> None:
        """See ``Watch``."""
        self.log(event)
        match event:
            case CycleBegan():
                self.queued = _queued(event.board, self.job)
            case Offer():
                self._offered(event)
            case Taken():
                self._taken(event)
            case Rejection():
                made = self.attempts.get(self.offers)
                if made is not None:
                    self.attempts[self.offers] = evolve(made, reason=event.text)
            case SessionEnded() if self._own(event.terms):
                self.last_session = event.number

    def _own(self, terms: SessionTerms) -> bool:
        return (terms.submitter, terms.schedd) == (self.job.submitter, self.job.schedd)

    def _offered(self, offer: Offer) -> None:
        request, allowance = offer.request, offer.allowance
        job, self.current, self.offers = self.queued, None, offer.number
        if job is None or not self._own(offer.terms):
            return
        self.current = Attempt(
            len(offer.board.pies),
            offer.board.spin,
            request.job,
            allowance.limit,
            allowance.limit_unclaimed,
            allowance.used,
            offer.asker.rank_only,
        )
        equal = request.autocluster != NO_AUTOCLUSTER and request.autocluster == job.autocluster
        if job in request.jobs:
            self.own.add(self.offers)
        elif not equal:
            return
        self.attempts[self.offers] = self.current

    def _taken(self, taken: Taken) -> None:
        job = taken.job
        if job is not None and job is self.queued:
            self.matched = self.offers
            assert self.current is not None, "a job is served in sessions of its submitter"
            self.attempts.setdefault(self.offers, self.current)
        made = self.attempts.get(self.offers)
        if made is not None:
            placed = None if job is None else job.id
            self.attempts[self.offers] = evolve(made, slot=taken.candidate.slot.name, placed=placed)

    def moment(self) -> tuple[When, int]:
        """What is looked at: the kind, and the number of the offer or session."""
        if self.matched is not None:
            return When.MATCHED, self.matched
        fate = fate_of(self.log.record, self.job.id)
        refused = [n for n, made in self.attempts.items() if made.reason is not None]
        offers: list[int] = []
        when = When.EQUAL_REFUSED
        if fate is not None and fate.fate is Fate.REJECTED:
            own = [n for n in refused if n in self.own]
            when, offers = (When.REFUSED, own) if own else (when, refused)
        elif fate is not None and fate.unasked is Unasked.REJECTED:
            offers = refused
        if offers:
            # In a session that went past its limit only the startd's rank counts: the others say
            # more.
            full = [n for n in offers if not self.attempts[n].rank_only]
            return when, (full or offers)[-1]
        if self.last_session is not None:
            return When.PASSED_OVER, self.last_session
        return When.NOT_ASKED, 0


class _StopError(Exception):
    """The moment has come and gone."""


@frozen(eq=False)
class _Cycle:
    """What ``negotiate`` takes."""

    snapshot: Snapshot
    policy: NegotiatorPolicy
    now: float
    seed: int

    def run(self, watch: Watch) -> CycleResult:
        rng = Random(self.seed)
        return negotiate(self.snapshot, self.policy, now=self.now, rng=rng, watch=watch)

    def run_until(
        self,
        chosen: Callable[[Event], bool],
        look: Callable[[Event, QueuedJob | None], T],
        job: AskedJob | None = None,
    ) -> T:
        """Run it up to the event that is chosen, and return what ``look`` says then.

        ``look`` may change what it likes, which is gone afterwards.  It also gets the job as the
        negotiator's queues have it.
        """
        seen: list[T] = []
        queued: QueuedJob | None = None

        def watch(event: Event) -> None:
            nonlocal queued
            if isinstance(event, CycleBegan) and job is not None:
                queued = _queued(event.board, job)
            if chosen(event):
                seen.append(look(event, queued))
                raise _StopError

        with suppress(_StopError):
            self.run(watch)
        assert seen, "the second run did not come to the moment of the first"
        return seen[0]


def _is_at(when: When, number: int) -> Callable[[Event], bool]:
    """Tells the event of a moment, by the number of its offer or session."""

    def chosen(event: Event) -> bool:
        match event:
            case Offer():
                return when.at_offer and event.number == number
            case SessionEnded():
                return when is When.PASSED_OVER and event.number == number
        return when is When.NOT_ASKED and isinstance(event, CycleEnded)

    return chosen


def _supposed(event: Event, asked: AskedJob, job: QueuedJob) -> Offer:
    """The offer of the event, or what would be if the job were offered then."""
    match event:
        case Offer():
            return event
        case SessionEnded():
            board, terms, allowance = event.board, event.terms, event.allowance
        case CycleEnded():
            board, allowance = event.board, Allowance(DBL_MAX, DBL_MAX)
            terms = _endless(board, asked)
        case _:
            raise AssertionError(event)
    board.drop_match_list()
    request = request_for(board, terms, job)
    asker = Asker(terms.submitter, terms.schedd, terms.priority, False, terms.families)
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


def _queued(board: Board, asked: AskedJob) -> QueuedJob | None:
    """The job as the negotiator's queues have it; None if it does not wait for a slot."""
    jobs = board.jobs.get((asked.submitter or "", asked.schedd))
    for job in () if jobs is None else jobs.waiting:
        if (job.cluster, job.proc) == (asked.cluster, asked.proc):
            return job
    return None


def look_at(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    job: AskedJob,
    examine: Callable[[Offer], T],
    *,
    now: float,
    seed: int,
) -> tuple[JobHistory, T | None]:
    """The history of a job and what ``examine`` says of its moment; None if it does not wait."""
    if job.submitter is not None:
        job = evolve(job, submitter=negotiated_name(job.submitter, policy))
    mine = (job.submitter, job.schedd)
    recorder = _Recorder(job, RequestLog(lambda name, schedd: (name, schedd) == mine))
    cycle = _Cycle(snapshot, policy, now, seed)
    result = cycle.run(recorder)
    when, number = recorder.moment()
    made = recorder.attempts.get(recorder.matched or 0)
    history = JobHistory(
        job,
        result,
        tuple(recorder.attempts.values()),
        recorder.queued is not None,
        when,
        recorder.log.record,
        None if made is None else made.slot,
        None if made is None or recorder.matched in recorder.own else made.request,
    )
    if recorder.queued is None:
        return history, None

    def look(event: Event, queued: QueuedJob | None) -> T:
        assert queued is not None
        return examine(_supposed(event, job, queued))

    return history, cycle.run_until(_is_at(when, number), look, job)


def look_at_match(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    slot: str,
    examine: Callable[[Offer], T],
    *,
    now: float,
    seed: int,
) -> T:
    """What ``examine`` says of the moment before a slot is matched, which it is in this cycle."""
    offers, first = 0, 0

    def watch(event: Event) -> None:
        nonlocal offers, first
        if isinstance(event, Offer):
            offers = event.number
        elif isinstance(event, Taken) and event.candidate.slot.name == slot:
            first = first or offers

    def look(event: Event, _: QueuedJob | None) -> T:
        assert isinstance(event, Offer)
        return examine(event)

    cycle = _Cycle(snapshot, policy, now, seed)
    cycle.run(watch)
    assert first, "the slot is matched in this cycle"
    return cycle.run_until(_is_at(When.MATCHED, first), look)
