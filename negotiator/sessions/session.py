"""Holds one session with one submitter: request after request until limit, jobs or slots end.

Limits are in slot weights.  Follows "Negotiation" in HTCondor's manual and the vectors.
"""

from __future__ import annotations

import math
from typing import Final

from attr import define, field

from classad import ClassAd
from classad.ads.ad import as_number
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.language.bounds import checkpoint
from negotiator.jobs.offers import Offers
from negotiator.jobs.requests import NO_AUTOCLUSTER, JobList, Request
from negotiator.matching.board import (
    Answered,
    Board,
    Offer,
    SessionEnd,
    SessionEnded,
    SessionTerms,
    Taken,
)
from negotiator.matching.candidate import Allowance, Candidate, Refusal, Requester, Tally
from negotiator.matching.choice import find_match, has_claim, put_back
from negotiator.model.arithmetic import INT_MAX, c_cut, whole
from negotiator.model.departures import DepartureKind
from negotiator.model.result import Match, MatchKind, Reason, Rejection, TurnEvent, TurnOutcome
from negotiator.pool.claims import match_record
from negotiator.pool.consumption import Amounts, deduct
from negotiator.pool.ephemeral import carry_match, decorate_request
from negotiator.pool.slots import Slot
from negotiator.versions.negotiator import USAGE_OF_SLOTS
from negotiator.versions.schedd import matched_limits

#: Refusals of one request that are recorded at most.
_MANY: Final = 1000
#: What is looked at where a match is recorded.
_LIMITS: Final = frozenset({"concurrencylimits"})
_RANK: Final = frozenset({"rank"})
#: What is divided by what to tell how many jobs a match serves.
_SERVING: Final = frozenset({"cpus", "memory", "requestcpus", "requestmemory"})


@define(eq=False)
class _Session:
    board: Board
    terms: SessionTerms
    jobs: JobList
    allowance: Allowance
    offers: Offers
    rank_only: bool = False
    limit_refused: bool = False
    rejected: set[int] = field(factory=set)
    events: list[TurnEvent] = field(factory=list)


def hold_session(board: Board, terms: SessionTerms) -> SessionEnd:
    """Match the requests of one submitter."""
    jobs = board.jobs.get((terms.submitter, terms.schedd)) or JobList({}, None)
    board.concurrency.full.clear()
    board.limit_refusals, board.refusals = 0, Tally()
    offers = board.offers_ahead.pop((terms.submitter, terms.schedd, terms.job_prios), None)
    if offers is None:
        context = board.context.in_language(jobs.language)
        offers = Offers(jobs, context, terms.job_prios)
    session = _Session(board, terms, jobs, Allowance(terms.limit, terms.limit_unclaimed), offers)
    outcome = _negotiate(session)
    end = SessionEnd(outcome, session.allowance.used, tuple(session.events))
    board.sessions += 1
    if board.watch is not None:
        ended = SessionEnded(board.sessions, board, terms, session.allowance, offers, end)
        board.watch(ended)
    return end


def _negotiate(session: _Session) -> TurnOutcome:
    board, terms = session.board, session.terms
    for request in session.offers.requests():
        served, goes_on = _serve(session, request)
        if board.watch is not None:
            board.watch(Answered(terms, request, served, not goes_on))
        if not goes_on:
            return TurnOutcome.RESUME
    if _over(session):
        return TurnOutcome.RESUME
    if session.allowance.used >= session.terms.limit or session.limit_refused:
        if not session.rank_only:
            session.events.append(TurnEvent.HIT_LIMIT)
        return TurnOutcome.RESUME
    return TurnOutcome.DONE


def _serve(session: _Session, request: Request) -> tuple[int, bool]:
    """Offer a request: for how many of its jobs there were slots, and if the session goes on.

    A request for many jobs is offered job by job, each time anew.
    """
    served = 0
    while served < len(request.jobs):
        if _over(session):
            return served, False
        if request.autocluster in session.rejected:
            break
        if request.endless:
            about = _about(session, request)
            session.board.departures.note(DepartureKind.GPU_CIRCLE, about)
        step = _offer(session, request, served)
        if step is None:
            _refuse_again(session, -1 - served)
            return served, not _gives_up(session)
        # Depth first repeats a request only as long as it has a count.
        served = c_cut(served + step) if session.jobs.counts else served + 1
    return served, True


def _over(session: _Session) -> bool:
    """Whether the session is over; past the limit it may go on with startd rank only."""
    used, terms = session.allowance.used, session.terms
    if session.board.stopwatch.now >= terms.deadline:
        session.events.append(TurnEvent.DEADLINE)
        return True
    if used >= terms.limit:
        if not terms.ignore_limit:
            session.events.append(TurnEvent.LIMIT)
            return True
        if not session.rank_only:
            session.events.append(TurnEvent.RANK_ONLY)
        session.rank_only = True
    if used >= terms.ceiling_left:
        session.events.append(TurnEvent.HIT_CEILING)
        return True
    return False


def _gives_up(session: _Session) -> bool:
    """Without preemption and weights nothing else can fit once the limit refused a request."""
    policy = session.board.policy
    return session.limit_refused and not policy.consider_preemption and not policy.use_slot_weights


def _offer(session: _Session, request: Request, served: int) -> int | None:
    """Find a slot for the next job of a request: how many jobs it serves, None if there is none."""
    checkpoint("negotiating")
    board, terms = session.board, session.terms
    decorate_request(
        request.ad, terms.submitter, terms.priority, terms.group, board.accountant, board.tree
    )
    asker = Requester(
        terms.submitter, terms.schedd, terms.priority, session.rank_only, terms.families
    )
    board.offers += 1
    if board.watch is not None:
        board.watch(Offer(board.offers, board, terms, request, asker, session.allowance))
    board.stopwatch.spend(terms.schedd)
    while True:
        candidate, tally = find_match(board, request, asker, session.allowance)
        if candidate is None:
            _reject(session, request, tally)
            return None
        if has_claim(board, candidate):
            _take(session, request, served, candidate)
            if candidate.amounts is not None:
                put_back(board, request.ad, asker, candidate)
            return _jobs_served(board, request.ad, candidate)
        del board.slots[candidate.position]


def _refuse_again(session: _Session, times: int) -> None:
    """Refuse a request that serves less than no jobs as often as it is below zero."""
    board = session.board
    last = board.rejections[-1]
    if times > _MANY:
        board.departures.note(DepartureKind.DEPTH_FIRST, f"job {last.job} of {last.submitter}")
    for _ in range(min(times, _MANY)):
        board.rejections.append(last)
        board.tell(last)


def _reject(session: _Session, request: Request, tally: Tally) -> None:
    board, terms = session.board, session.terms
    if request.autocluster != NO_AUTOCLUSTER:
        session.rejected.add(request.autocluster)
    session.offers.reject(request)
    session.limit_refused |= board.limit_refusals > 0
    reason = _reason(tally)
    _note_departures(session, request, reason)
    full = tuple(sorted(board.concurrency.full)) if reason is Reason.CONCURRENCY_LIMIT else ()
    rejection = Rejection(
        len(board.pies),
        board.spin,
        terms.submitter,
        terms.schedd,
        request.job,
        request.autocluster,
        reason,
        full,
        tally.counters(),
    )
    board.rejections.append(rejection)
    board.tell(rejection)


def _note_departures(session: _Session, request: Request, reason: Reason) -> None:
    """Note rejections at which condor_negotiator would abort or never come to an end."""
    board, policy = session.board, session.board.policy
    one_by_one = not policy.use_resource_request_counts or policy.resource_request_list_size == 1
    if policy.negotiate_all_jobs_in_cluster and one_by_one:
        board.departures.note(DepartureKind.ONE_AT_A_TIME, _about(session, request))
    # The list has answered, and what it remembers of its first scan is the reason.
    by_list = board.match_list is not None and board.match_list.taken > 0
    if (
        reason is Reason.CONCURRENCY_LIMIT
        and by_list
        and request.ad.get_string("ConcurrencyLimits", context=board.context) is None
    ):
        board.departures.note(DepartureKind.LIMIT_AND_LIST, _about(session, request))


def _about(session: _Session, request: Request) -> str:
    return f"job {request.job} of {session.terms.submitter}"


#: What refused a slot and the reason that this gives, in the negotiator's order.
_REASONS: Final = (
    (Refusal.CONCURRENCY_LIMIT, Reason.CONCURRENCY_LIMIT),
    (Refusal.PREEMPTION_REQUIREMENTS, Reason.PREEMPTION_REQUIREMENTS),
    (Refusal.PRIORITY, Reason.PRIORITY),
    (Refusal.SUBMITTER_LIMIT, Reason.SUBMITTER_LIMIT),
)


def _reason(tally: Tally) -> Reason:
    """The first cause, in the negotiator's order, that refused any slot at all."""
    counts = tally.refused
    return next((reason for cause, reason in _REASONS if counts.get(cause)), Reason.NO_MATCH)


def _take(session: _Session, request: Request, served: int, candidate: Candidate) -> None:
    """Record a match, charge it and take the slot out of the pool."""
    board, terms, slot = session.board, session.terms, candidate.slot
    limits = ""
    if request.ad.raw("ConcurrencyLimits") or slot.cell("concurrencylimits"):
        ad = slot.seen_with(request.ad, _LIMITS)
        limits = matched_limits(request.ad, ad, board.context)
    board.matches.append(_match(session, request, served, candidate))
    board.limits.append(limits)
    if _charge(board, slot, terms.submitter, candidate.cost, limits) and limits:
        board.concurrency.take(limits)
    session.allowance.used += candidate.cost
    if slot.user is None:
        session.allowance.used_unclaimed += candidate.cost
    if slot.requirements is not None and slot.requirements is not slot.raw("Requirements"):
        slot.insert("Requirements", slot.requirements)
    context = board.schedd_context.in_language(session.jobs.language)
    placed = session.jobs.place(request, slot, context, limits)
    session.offers.matched()
    if board.watch is not None:
        board.watch(Taken(candidate, placed))
    slot.claims -= 1
    if candidate.amounts is not None or slot.reevaluated:
        carry_match(slot, request.ad, limits)
    if candidate.amounts is not None:
        deduct(slot.own_ad(), candidate.amounts, board.context)
        return
    del board.slots[candidate.position]
    if slot.reevaluated:
        matches = whole(slot.ad.get_number("CurMatches", context=board.context))
        slot.insert("CurMatches", matches + 1)
        # Behind all others, so that equal slots of this sort take turns.
        board.slots[candidate.position] = slot


def _charge(board: Board, slot: Slot, submitter: str, cost: float, limits: str) -> bool:
    """Charge a match; whether its concurrency limits count: not if the submitter had the slot."""
    if not USAGE_OF_SLOTS.of(board.policy.version):
        board.accountant.charge(submitter, cost)
        return True
    record = match_record(slot, submitter, cost, limits, board.context)
    return board.accountant.hand_over(record, shared=bool(slot.resources))


def _jobs_served(board: Board, request: ClassAd, candidate: Candidate) -> int:
    """How many jobs of its request a match serves: one, or with depth first all that fit."""
    if not board.policy.depth_first:
        return 1
    slot, context = candidate.slot.seen_with(request, _SERVING), board.context
    about = f"slot {candidate.slot.name}"
    fits = []
    for resource in ("Cpus", "Memory"):
        there = slot.get_number(resource, context=context)
        wanted = request.get_number(f"Request{resource}", slot, context)
        fits.append(_times(1 if there is None else there, wanted or 1))
    served = min(fits)
    if served < 0 and candidate.slot.reevaluated:
        board.departures.note(DepartureKind.DEPTH_FIRST, about)
        return 1
    amounts = candidate.amounts
    if served <= 0 and amounts and _unchanged(candidate.slot.ad, amounts, context):
        board.departures.note(DepartureKind.NO_PROGRESS, about)
        return 1
    return served


def _times(there: float, wanted: float) -> int:
    """How many times an amount is in another, both cut to 32 bits; at least one is wanted."""
    if not (math.isfinite(there) and math.isfinite(wanted)):
        return INT_MAX if there == math.inf and math.isfinite(wanted) else 0
    # As C divides: towards zero.
    return int(c_cut(there) / max(c_cut(wanted), 1))


def _unchanged(slot: ClassAd, amounts: Amounts, context: EvalContext) -> bool:
    """Whether what was taken is too little to make a difference."""
    left = ((slot.get_number(name, context=context) or 0, amounts[name]) for name in amounts)
    return all(there - amount == there for there, amount in left)


def _match(session: _Session, request: Request, served: int, candidate: Candidate) -> Match:
    board, terms, slot, kind = session.board, session.terms, candidate.slot, candidate.kind
    holder = slot.user
    prio = old = new = None
    if holder is not None:
        # The accountant's number: what the slot ad says of it is in single precision.
        prio = board.accountant.effective_priority(holder)
        old = as_number(slot.value("CurrentRank", board.context)) or 0.0
        rank = slot.cell("rank")
        if rank is None or rank.__class__ is Expression:  # it may be the request's
            ad = slot.seen_with(request.ad, _RANK)
            rank = ad.evaluate_attr("Rank", request.ad, board.context)
        new = as_number(rank) or 0.0
    return Match(
        seq=len(board.matches),
        pie=len(board.pies),
        spin=board.spin,
        submitter=terms.submitter,
        schedd=terms.schedd,
        job=request.job,
        count=served + 1,
        of=len(request.jobs),
        autocluster=request.autocluster,
        slot=slot.name,
        kind=kind,
        preempted=None if kind is MatchKind.NONE else holder,
        cost=candidate.cost,
        holder=holder,
        preempted_prio=prio,
        new_prio=None if holder is None else terms.priority,
        old_startd_rank=old,
        new_startd_rank=new,
        dynamic_slots=_dynamic_slots(board, slot) if board.enlarged else (),
    )


def _dynamic_slots(board: Board, slot: Slot) -> tuple[str, ...]:
    """The dynamic slots whose resources have been put into a partitionable one."""
    return next((change.children for change in board.enlarged if change.slot is slot), ())
