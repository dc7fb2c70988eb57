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
from typing import Generic, TypeVar

from attr import define, evolve, field, frozen

from negotiator.cycle import negotiate
from negotiator.jobs.offers import Offers, Unasked
from negotiator.jobs.requests import NO_AUTOCLUSTER, QueuedJob, Request
from negotiator.jobs.submitters import negotiated_name
from negotiator.matching.board import Board, Watch
from negotiator.matching.candidate import Allowance, Asker, Candidate
from negotiator.matching.terms import SessionEnd, SessionTerms
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
class HaltedCycle:
    """A halted cycle.  ``hypothetical``: the request was not really offered then."""

    board: Board
    terms: SessionTerms
    request: Request
    asker: Asker
    allowance: Allowance
    hypothetical: bool = False


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
class _Counter(Watch):
    """Numbers the offers and the sessions of a cycle from 1, as two runs of it do alike."""

    offers: int = field(default=0, init=False)
    sessions: int = field(default=0, init=False)

    def offered(
        self,
        board: Board,
        terms: SessionTerms,
        request: Request,
        asker: Asker,
        allowance: Allowance,
    ) -> None:
        self.offers += 1
        self.at_offer(HaltedCycle(board, terms, request, asker, allowance))

    def ended(
        self,
        board: Board,
        terms: SessionTerms,
        allowance: Allowance,
        offers: Offers,
        end: SessionEnd,
    ) -> None:
        self.sessions += 1
        self.at_end(board, terms, allowance)

    def at_offer(self, halted: HaltedCycle) -> None:
        """A slot is about to be looked for."""

    def at_end(self, board: Board, terms: SessionTerms, allowance: Allowance) -> None:
        """A session is over."""


@define(eq=False)
class _Recorder(_Counter):
    """Records what becomes of a job."""

    job: AskedJob
    log: RequestLog
    queued: QueuedJob | None = None
    #: The offer under way, if it is for a job of the same submitter.
    current: Attempt | None = None
    #: Attempts by the number of their offer.
    attempts: dict[int, Attempt] = field(factory=dict)
    #: Offers whose request contained the job itself.
    own: set[int] = field(factory=set)
    matched: int | None = None
    last_session: int | None = None

    def started(self, board: Board) -> None:
        self.log.started(board)
        self.queued = _queued(board, self.job)

    def offered(
        self,
        board: Board,
        terms: SessionTerms,
        request: Request,
        asker: Asker,
        allowance: Allowance,
    ) -> None:
        self.log.offered(board, terms, request, asker, allowance)
        super().offered(board, terms, request, asker, allowance)

    def answered(
        self, board: Board, terms: SessionTerms, request: Request, served: int, *, last: bool
    ) -> None:
        self.log.answered(board, terms, request, served, last=last)

    def ended(
        self,
        board: Board,
        terms: SessionTerms,
        allowance: Allowance,
        offers: Offers,
        end: SessionEnd,
    ) -> None:
        self.log.ended(board, terms, allowance, offers, end)
        super().ended(board, terms, allowance, offers, end)

    def at_offer(self, halted: HaltedCycle) -> None:
        terms, request, allowance = halted.terms, halted.request, halted.allowance
        job, self.current = self.queued, None
        if job is None or (terms.submitter, terms.schedd) != (self.job.submitter, self.job.schedd):
            return
        self.current = Attempt(
            len(halted.board.pies),
            halted.board.spin,
            request.job,
            allowance.limit,
            allowance.limit_unclaimed,
            allowance.used,
            halted.asker.rank_only,
        )
        equal = request.autocluster != NO_AUTOCLUSTER and request.autocluster == job.autocluster
        if job in request.jobs:
            self.own.add(self.offers)
        elif not equal:
            return
        self.attempts[self.offers] = self.current

    def taken(self, candidate: Candidate, job: QueuedJob | None) -> None:
        self.log.taken(candidate, job)
        if job is not None and job is self.queued:
            self.matched = self.offers
            assert self.current is not None, "a job is served in sessions of its submitter"
            self.attempts.setdefault(self.offers, self.current)
        made = self.attempts.get(self.offers)
        if made is not None:
            placed = None if job is None else job.id
            self.attempts[self.offers] = evolve(made, slot=candidate.slot.name, placed=placed)

    def refused(self, rejection: Rejection) -> None:
        self.log.refused(rejection)
        made = self.attempts.get(self.offers)
        if made is not None:
            self.attempts[self.offers] = evolve(made, reason=rejection.text)

    def at_end(self, board: Board, terms: SessionTerms, allowance: Allowance) -> None:
        if (terms.submitter, terms.schedd) == (self.job.submitter, self.job.schedd):
            self.last_session = self.sessions

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


@define(eq=False)
class _Prober(_Counter, Generic[T]):
    """Examines the cycle at the moment, which a first run has found, and ends it there."""

    job: AskedJob | None
    when: When
    number: int
    examine: Callable[[HaltedCycle], T]
    queued: QueuedJob | None = None
    found: list[T] = field(factory=list)

    def started(self, board: Board) -> None:
        self.queued = None if self.job is None else _queued(board, self.job)

    def at_offer(self, halted: HaltedCycle) -> None:
        at_offer = self.when in (When.MATCHED, When.REFUSED, When.EQUAL_REFUSED)
        if at_offer and self.offers == self.number:
            self.look(halted)

    def at_end(self, board: Board, terms: SessionTerms, allowance: Allowance) -> None:
        if self.when is When.PASSED_OVER and self.sessions == self.number:
            self.look(self.supposed(board, terms, allowance))

    def finished(self, board: Board) -> None:
        assert self.when is When.NOT_ASKED, "the moment is in this cycle"
        assert self.job is not None
        assert self.job.submitter is not None
        name, schedd, tree = self.job.submitter, self.job.schedd, board.tree
        terms = SessionTerms(
            submitter=name,
            schedd=schedd,
            priority=board.accountant.effective_priority(name),
            group=tree.assigned(name).name if tree.configured else None,
            limit=DBL_MAX,
            limit_unclaimed=DBL_MAX,
            ceiling_left=INT_MAX,
            ignore_limit=False,
        )
        self.look(self.supposed(board, terms, Allowance(DBL_MAX, DBL_MAX)))

    def supposed(self, board: Board, terms: SessionTerms, allowance: Allowance) -> HaltedCycle:
        """What would be if the job were offered now."""
        assert self.queued is not None
        board.drop_match_list()
        request = request_for(board, terms, self.queued)
        asker = Asker(terms.submitter, terms.schedd, terms.priority, False, terms.families)
        return HaltedCycle(board, terms, request, asker, allowance, hypothetical=True)

    def look(self, halted: HaltedCycle) -> None:
        self.found.append(self.examine(halted))
        raise _StopError


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
    examine: Callable[[HaltedCycle], T],
    *,
    now: float,
    seed: int,
) -> tuple[JobHistory, T | None]:
    """The history of a job and what ``examine`` says of its moment; None if it does not wait."""
    if job.submitter is not None:
        job = evolve(job, submitter=negotiated_name(job.submitter, policy))
    mine = (job.submitter, job.schedd)
    recorder = _Recorder(job, RequestLog(lambda name, schedd: (name, schedd) == mine))
    result = negotiate(snapshot, policy, now=now, rng=Random(seed), watch=recorder)
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
    prober = _Prober(job, when, number, examine)
    try:
        negotiate(snapshot, policy, now=now, rng=Random(seed), watch=prober)
    except _StopError:
        return history, prober.found[0]
    raise AssertionError("the second run did not come to the moment of the first")


@define(eq=False)
class _SlotRecorder(_Counter):
    """Records at which offer a slot is matched."""

    slot: str
    found: int | None = None

    def taken(self, candidate: Candidate, job: QueuedJob | None) -> None:
        if self.found is None and candidate.slot.name == self.slot:
            self.found = self.offers


def look_at_match(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    slot: str,
    examine: Callable[[HaltedCycle], T],
    *,
    now: float,
    seed: int,
) -> T:
    """What ``examine`` says of the moment before a slot is matched, which it is in this cycle."""
    recorder = _SlotRecorder(slot)
    negotiate(snapshot, policy, now=now, rng=Random(seed), watch=recorder)
    assert recorder.found is not None, "the slot is matched in this cycle"
    prober = _Prober(None, When.MATCHED, recorder.found, examine)
    with suppress(_StopError):
        negotiate(snapshot, policy, now=now, rng=Random(seed), watch=prober)
    return prober.found[0]
