"""Records what every request of a cycle asked for and got, session by session.

Decides how a request ended: all its jobs served, rejected, cut off by the end of the session.

Inputs: a cycle that is watched.  Outputs: a ``CycleRecord`` of ``SessionCourse`` and
``RequestCourse`` values.  Follows: the negotiator's log, request by request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, NamedTuple

from attr import define, field, frozen

from negotiator.jobs.offers import Unasked
from negotiator.jobs.requests import QueuedJob, Request, ScheddRoom
from negotiator.matching.board import Answered, CycleBegan, Event, Offer, SessionEnded, Taken
from negotiator.model import result
from negotiator.model.result import Match, Rejection
from pieslice.why.requests.concurrency import ConcurrencyState, concurrency_states

#: Events of a session that end it with requests in hand.
_ENDING: Final = frozenset(
    (result.TurnEvent.LIMIT, result.TurnEvent.HIT_CEILING, result.TurnEvent.DEADLINE)
)


class End(Enum):
    """How a request came to its end."""

    SERVED = "all matched"
    REJECTED = "rejected"
    KNOWN = "not offered: a request of its autocluster was rejected before in the session"
    CUT_OFF = "the session ended"


@frozen(eq=False)
class Got:
    """A match of a request, and the job that the schedd gave the slot to, if it had one."""

    match: Match
    job: str | None


@frozen(eq=False)
class RequestCourse:
    """One request: it asked for ``jobs``, ``served`` of them got slots by the matches ``got``.

    ``concurrency``: the limits that the request names, as they were when it was rejected.
    ``rank_only``: the submitter limit was used up, only startd rank counted.
    """

    jobs: tuple[str, ...]
    autocluster: int
    served: int
    got: tuple[Got, ...]
    end: End
    rejection: Rejection | None
    concurrency: tuple[ConcurrencyState, ...]
    rank_only: bool

    @property
    def left(self) -> int:
        """For how many jobs it got nothing."""
        return len(self.jobs) - self.served


@frozen(eq=False)
class SessionCourse:
    """One session with a submitter at a schedd; ``limit`` and ``used`` in slot weights.

    ``unasked``: jobs that no request of the session was answered for and that still wait after
    it, and why.  ``ended_by``: what ended it before the requests ended.
    """

    pie: int
    spin: int
    submitter: str
    schedd: str
    group: str | None
    limit: float
    limit_unclaimed: float
    used: float
    requests: tuple[RequestCourse, ...]
    unasked: Mapping[str, Unasked]
    ended_by: result.TurnEvent | None
    #: What the schedd may ask for: in a session, and (most, running, matched) of MAX_JOBS_RUNNING.
    uploads: int | None
    room: tuple[int, int, int] | None


class WaitingJob(NamedTuple):
    """A job that waits when the cycle begins."""

    id: str
    autocluster: int


@frozen(eq=False)
class CycleRecord:
    """The sessions in the order of the cycle, and the jobs that waited before them.

    ``waiting``: by submitter and schedd, in the schedd's order.
    """

    sessions: tuple[SessionCourse, ...]
    waiting: Mapping[tuple[str, str], tuple[WaitingJob, ...]]


@define(eq=False)
class RequestLog:
    """Records the sessions of those submitters that ``wanted`` says, by name and schedd."""

    wanted: Callable[[str, str], bool]
    sessions: list[SessionCourse] = field(factory=list)
    waiting: dict[tuple[str, str], tuple[WaitingJob, ...]] = field(factory=dict)
    _requests: list[RequestCourse] = field(factory=list)
    _answered: set[QueuedJob] = field(factory=set)
    _got: list[Got] = field(factory=list)
    _rejection: Rejection | None = None
    _limits: tuple[ConcurrencyState, ...] = ()
    _offer: Offer | None = None

    @property
    def record(self) -> CycleRecord:
        """What has been recorded."""
        return CycleRecord(tuple(self.sessions), self.waiting)

    def __call__(self, event: Event) -> None:
        """See ``Watch``."""
        match event:
            case CycleBegan():
                self.waiting = {
                    key: tuple(WaitingJob(job.id, job.autocluster) for job in jobs.waiting)
                    for key, jobs in event.board.jobs.items()
                    if self.wanted(*key)
                }
            case Offer():
                self._offer = event
            case Taken():
                assert self._offer is not None
                job = None if event.job is None else event.job.id
                self._got.append(Got(self._offer.board.matches[-1], job))
            case Rejection():
                assert self._offer is not None
                self._rejection = event
                self._limits = concurrency_states(self._offer.board, self._offer.request)
            case Answered():
                self._answer(event)
            case SessionEnded():
                if self.wanted(event.terms.submitter, event.terms.schedd):
                    self._end(event)

    def _answer(self, answered: Answered) -> None:
        terms, request = answered.terms, answered.request
        if self.wanted(terms.submitter, terms.schedd):
            served = min(answered.served, len(request.jobs))
            self._requests.append(self._course(request, served, answered.last))
            self._answered.update(request.jobs)
        self._got, self._rejection, self._limits = [], None, ()

    def _course(self, request: Request, served: int, last: bool) -> RequestCourse:
        end = End.CUT_OFF if last else End.KNOWN
        if self._rejection is not None:
            end = End.REJECTED
        elif served == len(request.jobs):
            end = End.SERVED
        return RequestCourse(
            tuple(job.id for job in request.jobs),
            request.autocluster,
            served,
            tuple(self._got),
            end,
            self._rejection,
            self._limits,
            self._offer is not None
            and self._offer.request is request
            and self._offer.asker.rank_only,
        )

    def _end(self, ended: SessionEnded) -> None:
        board, terms, allowance, offers = ended.board, ended.terms, ended.allowance, ended.offers
        unasked = offers.unasked()
        self.sessions.append(
            SessionCourse(
                len(board.pies),
                board.spin,
                terms.submitter,
                terms.schedd,
                terms.group,
                allowance.limit,
                allowance.limit_unclaimed,
                allowance.used,
                tuple(self._requests),
                {job.id: why for job, why in unasked.items() if job not in self._answered},
                next((event for event in ended.end.events if event in _ENDING), None),
                offers.jobs.uploads,
                _room(offers.jobs.room),
            )
        )
        self._requests, self._answered = [], set()


def _room(room: ScheddRoom) -> tuple[int, int, int] | None:
    return None if room.limit is None else (room.limit, room.running, room.accepted)
