"""Records what every request of a cycle asked for and got, session by session, and says so.

Decides how a request ended: all its jobs served, rejected, cut off by the end of the session.

Inputs: a cycle that is watched.  Outputs: a ``CycleRecord`` of ``SessionCourse`` and
``RequestCourse`` values; sentences without their ends.  Follows: the negotiator's log, request by
request, and HTCondor's reasons for rejections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Final, NamedTuple

from attr import define, evolve, field, frozen

from negotiator.jobs.offers import Unasked
from negotiator.jobs.requests import NO_AUTOCLUSTER, QueuedJob
from negotiator.matching.board import Answered, CycleBegan, Event, Offer, SessionEnded, Taken
from negotiator.model import result
from negotiator.model.result import Match, MatchKind, Reason, Rejection
from pieslice.reports.document import NOT_SHOWN
from pieslice.reports.layout import plural, short
from pieslice.why.limits import ConcurrencyState, amount, concurrency_states

#: Events of a session that end it with requests in hand.
_ENDING: Final = frozenset(
    (result.TurnEvent.LIMIT, result.TurnEvent.HIT_CEILING, result.TurnEvent.DEADLINE)
)
#: Users that are named as those whose slots are taken.
MAX_USERS: Final = 3


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


@frozen
class Attempt:
    """A slot was looked for; ``number``: of the offers of the cycle, from 1.

    ``limit`` and ``used`` are in slot weights; ``slot`` is None if there was none, ``placed`` is
    the job that the schedd gave it to.
    """

    number: int = field(metadata=NOT_SHOWN)
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
    attempts: tuple[Attempt, ...] = field(default=(), metadata=NOT_SHOWN)

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
    #: The number of the session, from 1.
    number: int = 0


class JobInQueue(NamedTuple):
    """A job that waits when the cycle begins."""

    id: str
    autocluster: int


@frozen(eq=False)
class CycleRecord:
    """The sessions in the order of the cycle, and the jobs that waited before them.

    ``waiting``: by submitter and schedd, in the schedd's order.
    """

    sessions: tuple[SessionCourse, ...]
    waiting: Mapping[tuple[str, str], tuple[JobInQueue, ...]]


@define(eq=False)
class RequestLog:
    """Records the sessions of those submitters that ``wanted`` says, by name and schedd."""

    wanted: Callable[[str, str], bool]
    sessions: list[SessionCourse] = field(factory=list)
    waiting: dict[tuple[str, str], tuple[JobInQueue, ...]] = field(factory=dict)
    _requests: list[RequestCourse] = field(factory=list)
    _answered: set[QueuedJob] = field(factory=set)
    #: The offer under way, if it is of a submitter that is wanted, and all of its request so far.
    _offer: Offer | None = None
    _attempts: list[Attempt] = field(factory=list)
    _got: list[Got] = field(factory=list)
    _rejection: Rejection | None = None
    _limits: tuple[ConcurrencyState, ...] = ()

    @property
    def record(self) -> CycleRecord:
        """What has been recorded."""
        return CycleRecord(tuple(self.sessions), self.waiting)

    def take(self, record: CycleRecord) -> None:
        """Take over what another log has recorded of those submitters."""
        self.sessions += [one for one in record.sessions if self.wanted(one.submitter, one.schedd)]
        self.waiting |= {key: jobs for key, jobs in record.waiting.items() if self.wanted(*key)}

    def __call__(self, event: Event) -> None:
        """See ``Watch``."""
        match event:
            case CycleBegan(board=board):
                self.waiting = {
                    key: tuple(JobInQueue(job.id, job.autocluster) for job in jobs.waiting)
                    for key, jobs in board.jobs.items()
                    if self.wanted(*key)
                }
            case Offer(terms=terms):
                self._offer = event if self.wanted(terms.submitter, terms.schedd) else None
                if self._offer is not None:
                    self._attempts.append(_attempt(self._offer))
            case Taken() if self._offer is not None:
                job = None if event.job is None else event.job.id
                slot = event.candidate.slot.name
                self._got.append(Got(self._offer.board.matches[-1], job))
                self._attempts[-1] = evolve(self._attempts[-1], slot=slot, placed=job)
            case Rejection() if self._offer is not None:
                self._rejection = event
                self._limits = concurrency_states(self._offer.board, self._offer.request)
                self._attempts[-1] = evolve(self._attempts[-1], reason=event.text)
            case Answered(terms=terms) if self.wanted(terms.submitter, terms.schedd):
                self._answer(event)
            case SessionEnded(terms=terms) if self.wanted(terms.submitter, terms.schedd):
                self._end(event)

    def _answer(self, answered: Answered) -> None:
        request = answered.request
        served = min(answered.served, len(request.jobs))
        end = End.CUT_OFF if answered.last else End.KNOWN
        if self._rejection is not None:
            end = End.REJECTED
        elif served == len(request.jobs):
            end = End.SERVED
        self._answered.update(request.jobs)
        self._requests.append(
            RequestCourse(
                tuple(job.id for job in request.jobs),
                request.autocluster,
                served,
                tuple(self._got),
                end,
                self._rejection,
                self._limits,
                bool(self._attempts) and self._attempts[-1].rank_only,
                tuple(self._attempts),
            )
        )
        self._attempts, self._got, self._rejection, self._limits = [], [], None, ()

    def _end(self, ended: SessionEnded) -> None:
        board, terms, allowance, offers = ended.board, ended.terms, ended.allowance, ended.offers
        unasked, room = offers.unasked(), offers.jobs.room
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
                None if room.limit is None else (room.limit, room.running, room.accepted),
                ended.number,
            )
        )
        self._requests, self._answered = [], set()


def _attempt(offer: Offer) -> Attempt:
    board, allowance = offer.board, offer.allowance
    return Attempt(
        offer.number,
        len(board.pies),
        board.spin,
        offer.request.job,
        allowance.limit,
        allowance.limit_unclaimed,
        allowance.used,
        offer.asker.rank_only,
    )


# --- words ----------------------------------------------------------------------------------------


def how_it_ended(session: SessionCourse) -> str:
    """What ended a session before its requests were all answered."""
    if session.ended_by is None:
        refused = [r for r in session.requests if r.rejection is not None]
        if refused:
            return f"the session ended when job {refused[-1].jobs[0]} was rejected"
        return "the session ended before"
    if session.ended_by is result.TurnEvent.LIMIT:
        return f"the submitter limit was reached ({_used(session)})"
    if session.ended_by is result.TurnEvent.HIT_CEILING:
        return f"the ceiling was reached ({amount(session.used)} used in the session)"
    return str(session.ended_by.value)


def _used(session: SessionCourse) -> str:
    limit, unclaimed = session.limit, session.limit_unclaimed
    free = f", {amount(unclaimed)} for free slots" if unclaimed < limit else ""
    if round(limit, 2) < 0:
        return f"{amount(session.used)} used, the limit is {amount(limit)}"
    return f"{amount(session.used)} of {amount(limit)} used{free}"


def no_room(session: SessionCourse) -> str | None:
    """What says that MAX_JOBS_RUNNING of the schedd leaves no room; None without that limit."""
    if session.room is None:
        return None
    most, running, matched = session.room
    count = f"{running} run, {matched} were matched in this cycle"
    return f"no room at its schedd: MAX_JOBS_RUNNING is {most}, {count}"


def refusal(session: SessionCourse, request: RequestCourse) -> str:
    """Why a request was rejected, with the numbers of the limits."""
    rejection = request.rejection
    assert rejection is not None, "only what was rejected is asked for its reason"
    if rejection.reason is Reason.CONCURRENCY_LIMIT:
        return " and ".join(
            f"concurrency limit {state.name} is full ({short(state.in_use)} of"
            f" {short(state.maximum)} in use, wants {short(state.wants)})"
            for state in request.concurrency
            if state.full
        ) or str(rejection.text)
    if rejection.reason is Reason.SUBMITTER_LIMIT:
        return f"{rejection.text} ({_used(session)})"
    if request.rank_only:
        return f"{rejection.text}; its submitter limit is used up ({_used(session)})"
    return rejection.text


def rejection_of_alike(session: SessionCourse, autocluster: int, job: str) -> str:
    """The rejection of a job like this one, which keeps it from being offered."""
    # Without autoclusters the jobs of a cluster are alike.
    kind, mates = "autocluster", ""
    if autocluster == NO_AUTOCLUSTER:
        kind, mates = "cluster", f"{job.partition('.')[0]}."
    for request in session.requests:
        alike = request.autocluster == autocluster and request.jobs[0].startswith(mates)
        if alike and request.rejection is not None:
            return f"job {request.jobs[0]} of its {kind} was rejected: {refusal(session, request)}"
    return Unasked.REJECTED.value


def how_it_went(session: SessionCourse, request: RequestCourse, *, told: bool) -> str:
    """``3 matched (2 free, 1 by preemption of bob), then 4 rejected: ...``.

    ``told``: why it ended has been said.
    """
    ways = ways_of((got.match.kind, got.match.preempted) for got in request.got)
    got = f"{request.served} matched ({ways})" if request.served else ""
    if not request.left:
        return got
    word = "rejected" if request.end is End.REJECTED else "not offered"
    reason = "" if told else f": {why_it_ended(session, request)}"
    if got:
        return f"{got}, then {request.left} {word}{reason}"
    return f"{word if len(request.jobs) == 1 else f'all {word}'}{reason}"


def why_it_ended(session: SessionCourse, request: RequestCourse) -> str:
    """Why a request got no more slots, though it had jobs left."""
    if request.end is End.KNOWN:
        return rejection_of_alike(session, request.autocluster, request.jobs[0])
    if request.end is End.REJECTED:
        return refusal(session, request)
    return how_it_ended(session)


def ways_of(kinds: Iterable[tuple[MatchKind, str | None]]) -> str:
    """How slots were got, free ones and whose: ``5 free, 15 by preemption of bob``."""
    found = Counter(kinds)
    free = sum(count for (kind, _), count in found.items() if kind is MatchKind.NONE)
    parts = [f"{free} free"] if free else []
    for kind, word in ((MatchKind.PRIORITY, "preemption"), (MatchKind.RANK, "rank preemption")):
        users = Counter({user or "?": n for (k, user), n in found.items() if k is kind})
        if users:
            told = users.most_common(MAX_USERS)
            names = ", ".join(
                user if len(users) == 1 else f"{user} ({count})" for user, count in told
            )
            more = "" if len(users) == len(told) else f" and {len(users) - len(told)} more"
            parts.append(f"{sum(users.values())} by {word} of {names}{more}")
    return ", ".join(parts)


def session_line(session: SessionCourse) -> str:
    """What a session with other jobs came to."""
    jobs = sum(len(request.jobs) for request in session.requests)
    served = sum(request.served for request in session.requests)
    asked = plural(len(session.requests), "request")
    return f"its session had {asked} for {plural(jobs, 'job')}: {served} matched"
