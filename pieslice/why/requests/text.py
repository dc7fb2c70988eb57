"""Says in words what became of a job, and how its request went.

Inputs: ``JobFate`` and ``RequestCourse`` values.  Outputs: sentences without their ends; blocks for
``pieslice.reports.layout``.  Follows: HTCondor's reasons for rejections.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from negotiator.jobs.offers import Unasked
from negotiator.jobs.requests import NO_AUTOCLUSTER
from negotiator.model.arithmetic import DBL_MAX
from negotiator.model.result import MatchKind, Reason, TurnEvent
from pieslice.reports.layout import Block, Line, short
from pieslice.reports.text import plural
from pieslice.why.requests.concurrency import ConcurrencyState
from pieslice.why.requests.fates import Fate, JobFate
from pieslice.why.requests.record import End, RequestCourse, SessionCourse

#: Users that are named as those whose slots are taken.
MAX_USERS: Final = 3


def reason_of(fate: JobFate) -> str:
    """Why a job that had a session has no slot."""
    session, request = fate.session, fate.request
    assert session is not None, "without a session there is an Absence"
    if fate.fate is Fate.NOT_ASKED or request is None:
        return why_unasked(fate.unasked or Unasked.ENDED, session, fate)
    if fate.fate is Fate.UNUSED:
        return _unused(session)
    if request.end is End.KNOWN:
        return _rejected_before(session, request)
    if request.end is End.REJECTED:
        return refusal(session, request)
    return how_it_ended(session)


def sentence(fate: JobFate, absence: str) -> str:
    """Why a job that waits has no slot; ``absence``: why its submitter had no session."""
    if fate.fate is Fate.NO_SESSION:
        return f"not requested: {absence}"
    reason = reason_of(fate)
    if fate.fate is Fate.NOT_ASKED:
        return f"not requested: {reason}"
    if fate.fate is Fate.UNUSED:
        return f"matched, but not started: {reason}"
    if fate.fate is Fate.CUT_OFF:
        return f"requested, but not offered: {reason}"
    if fate.request is not None and fate.request.end is End.KNOWN:
        return f"requested, but not offered: {reason}"
    return f"rejected, {reason}"


def refusal(session: SessionCourse, request: RequestCourse) -> str:
    """Why a request was rejected, with the numbers of the limits."""
    rejection = request.rejection
    assert rejection is not None, "only what was rejected is asked for its reason"
    if rejection.reason is Reason.CONCURRENCY_LIMIT:
        full = [limit_text(state) for state in request.concurrency if state.full]
        return " and ".join(full) or rejection.text
    if rejection.reason is Reason.SUBMITTER_LIMIT:
        return f"{rejection.text} ({_used(session)})"
    if request.rank_only:
        return f"{rejection.text}; its submitter limit is used up ({_used(session)})"
    return rejection.text


def limit_text(state: ConcurrencyState) -> str:
    """A concurrency limit that has no room."""
    use = f"{short(state.in_use)} of {short(state.maximum)} in use, wants {short(state.wants)}"
    return f"concurrency limit {state.name} is full ({use})"


def _used(session: SessionCourse) -> str:
    limit, unclaimed = session.limit, session.limit_unclaimed
    free = f", {amount(unclaimed)} for free slots" if unclaimed < limit else ""
    if round(limit, 2) < 0:
        return f"{amount(session.used)} used, the limit is {amount(limit)}"
    return f"{amount(session.used)} of {amount(limit)} used{free}"


def amount(weight: float) -> str:
    """A slot weight."""
    # A zero of its own sign is none.
    return "unlimited" if weight >= DBL_MAX else short(round(weight, 2) + 0.0)


def limit_of(limit: float, unclaimed: float) -> str:
    """A submitter limit, and what of it may be free slots if that is less."""
    text = amount(limit)
    return text if unclaimed >= limit else f"{text} ({amount(unclaimed)} in free slots)"


def how_it_ended(session: SessionCourse) -> str:
    """What ended a session before its requests were all answered."""
    if session.ended_by is None:
        refused = [r for r in session.requests if r.rejection is not None]
        if refused:
            return f"the session ended when job {refused[-1].jobs[0]} was rejected"
        return "the session ended before"
    if session.ended_by is TurnEvent.LIMIT:
        return f"the submitter limit was reached ({_used(session)})"
    if session.ended_by is TurnEvent.HIT_CEILING:
        return f"the ceiling was reached ({amount(session.used)} used in the session)"
    return str(session.ended_by.value)


def why_unasked(cause: Unasked, session: SessionCourse, fate: JobFate) -> str:
    """Why no request for a job came to be answered."""
    if cause is Unasked.ENDED:
        return how_it_ended(session)
    if cause is Unasked.REJECTED:
        return _rejected_of(session, fate.autocluster, fate.job)
    if cause is Unasked.UPLOADS:
        return (
            f"its schedd asks for {session.uploads} jobs in a session at most "
            "(MAX_CONCURRENT_UPLOADS_PER_USER)"
        )
    if cause is Unasked.ROOM and session.room is not None:
        return f"no room at its schedd: {_room_text(*session.room)}"
    return str(cause.value)


def _unused(session: SessionCourse) -> str:
    """Why a schedd starts a job on none of the slots that were matched for its request."""
    if session.room is not None and sum(session.room[1:]) >= session.room[0]:
        return f"no room at its schedd: {_room_text(*session.room)}"
    return "its schedd gave the slots of the request to other jobs, or could not use them"


def _room_text(most: int, running: int, matched: int) -> str:
    return f"MAX_JOBS_RUNNING is {most}, {running} run, {matched} were matched in this cycle"


def _rejected_before(session: SessionCourse, request: RequestCourse) -> str:
    return _rejected_of(session, request.autocluster, request.jobs[0])


def _rejected_of(session: SessionCourse, autocluster: int, job: str) -> str:
    """The rejection of a job like this one, which keeps it from being offered."""
    # Without autoclusters the jobs of a cluster are alike.
    kind, mates = "autocluster", ""
    if autocluster == NO_AUTOCLUSTER:
        kind, mates = "cluster", f"{job.partition('.')[0]}."
    mine = (
        request
        for request in session.requests
        if request.rejection is not None
        and request.autocluster == autocluster
        and request.jobs[0].startswith(mates)
    )
    found = next(mine, None)
    if found is None:
        return Unasked.REJECTED.value
    return f"job {found.jobs[0]} of its {kind} was rejected: {refusal(session, found)}"


# --- the request ----------------------------------------------------------------------------------


def _request_line(fate: JobFate, session: SessionCourse, request: RequestCourse) -> str:
    """How the request went that a job was in, and where in it the job stands."""
    number, many = request.autocluster, len(request.jobs)
    of = "" if number == NO_AUTOCLUSTER else f"autocluster {number}, "
    place = "" if fate.place is None else f"number {fate.place} of "
    text = f"{place}{plural(many, 'job')} in one request ({of}first {request.jobs[0]})"
    if many == 1 and fate.place is not None:
        return f"asked for alone{f' ({of[:-2]})' if of else ''}"
    told = fate.fate is not Fate.MATCHED
    return f"{text}: {outcome(session, request, told=told)}"


def outcome(session: SessionCourse, request: RequestCourse, *, told: bool) -> str:
    """``3 matched (2 free, 1 by preemption of bob), then 4 rejected: ...``.

    ``told``: why it ended has been said.
    """
    got = f"{request.served} matched ({ways(request)})" if request.served else ""
    if not request.left:
        return got
    word, why = {
        End.REJECTED: ("rejected", refusal),
        End.KNOWN: ("not offered", _rejected_before),
        End.CUT_OFF: ("not offered", lambda session, _: how_it_ended(session)),
    }[request.end]
    reason = "" if told else f": {why(session, request)}"
    if got:
        return f"{got}, then {request.left} {word}{reason}"
    return f"{word if len(request.jobs) == 1 else f'all {word}'}{reason}"


def ways(request: RequestCourse) -> str:
    """How the slots of a request were got: free ones, and whose."""
    return ways_of((got.match.kind, got.match.preempted) for got in request.got)


def ways_of(kinds: Iterable[tuple[MatchKind, str | None]]) -> str:
    """``5 free, 15 by preemption of bob``."""
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


def request_blocks(fate: JobFate) -> list[Block]:
    """The request as lines."""
    session, request = fate.session, fate.request
    if session is not None and request is not None:
        return [Line(f"  {_request_line(fate, session, request)}")]
    if session is not None and session.requests:
        return [Line(f"  {session_line(session)}")]
    return []
