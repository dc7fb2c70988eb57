"""Chooses the slot for a request, from the match list of the request before if that serves it.

The order of equal candidates is that of the C++ library's sort.  Follows the negotiator's match
list as the vectors show it.
"""

from __future__ import annotations

from classad import ClassAd
from classad.ads.ad import as_bool
from negotiator.jobs.requests import NO_AUTOCLUSTER, Request
from negotiator.matching.board import Board, Key, MatchList
from negotiator.matching.candidate import (
    NOTHING_REFUSED,
    Allowance,
    Candidate,
    Refusal,
    Requester,
    Tally,
)
from negotiator.matching.candidates import per_slot_limits_have_room, rank_keys, still_fitting
from negotiator.matching.engine import find
from negotiator.matching.preemption import requirements_allow
from negotiator.matching.rank import policy_rank
from negotiator.model.result import MatchKind
from negotiator.pool.consumption import consumed, cost_of


def find_match(
    board: Board, request: Request, asker: Requester, allowance: Allowance
) -> tuple[Candidate | None, Tally]:
    """The slot for a request, from the list of the request before if it fits.

    The tally may be that of the list, which goes on counting.
    """
    tally = Tally()
    if not _limits_have_room(board, request.ad, tally):
        full = tally.number(Refusal.CONCURRENCY_LIMIT) > 0
        return None, tally if full else board.refusals.without(Refusal.CONCURRENCY_LIMIT)
    board.concurrency.full.clear()
    kept = list_for(board, request, asker)
    if kept is not None:
        chosen = _from_list(board, kept, request.ad, allowance)
        if chosen is None:
            board.refusals = kept.tally
            board.limit_refusals = kept.tally.number(Refusal.SUBMITTER_LIMIT)
        return chosen, kept.tally
    board.drop_match_list()
    if not board.slots:
        return None, tally
    board.refusals = tally
    found = find(board, request, asker, allowance, tally)
    board.limit_refusals = tally.number(Refusal.SUBMITTER_LIMIT)
    if not board.policy.matchlist_caching or request.autocluster == NO_AUTOCLUSTER:
        return found.first_best(), tally
    made = MatchList(_key(request, asker), found.entries(), tally)
    board.match_list = made
    return made.pop(), tally


def list_for(board: Board, request: Request, asker: Requester) -> MatchList | None:
    """The kept list, if it serves the request."""
    kept = board.match_list
    if kept is None or kept.key != _key(request, asker):
        return None
    return kept if _still_valid(board, kept, request.ad) else None


def _key(request: Request, asker: Requester) -> Key:
    return (request.autocluster, asker.submitter, asker.schedd, asker.priority, asker.rank_only)


def _limits_have_room(board: Board, request: ClassAd, tally: Tally) -> bool:
    """The concurrency limits of a request whose limits do not depend on the slot.

    An empty text is taken for the one that was refused last, without a count of its own: the reason
    is that of the slots that were looked at before in the session.
    """
    if request.raw("ConcurrencyLimits") is None:
        return True
    text = request.get_string("ConcurrencyLimits", context=board.context)
    if text == NOTHING_REFUSED:
        return False
    if text is None or board.concurrency.has_room(text):
        return True
    tally.refused[Refusal.CONCURRENCY_LIMIT] += 1
    return False


def _from_list(
    board: Board, kept: MatchList, request: ClassAd, allowance: Allowance
) -> Candidate | None:
    """The next entry within the limits; entries that are not are lost to the list.

    Those that the submitter limit refuses go on counting for as long as the list lives; whom a
    concurrency limit of the slot refuses is not asked for the other.
    """
    while (candidate := kept.pop()) is not None:
        if not per_slot_limits_have_room(board, candidate.slot, request, Tally()):
            continue
        candidate = with_cost(board, candidate, request)
        if allowance.permits_cached(candidate.limited_as, candidate.cost):
            return candidate
        kept.tally.refused[Refusal.SUBMITTER_LIMIT] += 1
    return None


def with_cost(board: Board, candidate: Candidate, request: ClassAd) -> Candidate:
    """The candidate with what it would cost now, if its slot has a consumption policy."""
    slot = candidate.slot
    context = board.context
    amounts = consumed(slot.ad, slot.resources, request, context) if slot.resources else None
    if amounts is None:  # without a policy, or with one that draws random numbers
        return candidate
    return candidate._replace(amounts=amounts, cost=cost_of(slot.ad, amounts, context))


def put_back(board: Board, request: ClassAd, asker: Requester, candidate: Candidate) -> None:
    """Give a slot that was matched, but stays, its place in the list, if it still matches."""
    if board.match_list is None:
        return
    again = still_fitting(board, candidate, request, asker)
    if again is not None:
        keys = rank_keys(board, candidate.slot, request, MatchKind.NONE)
        found = candidate.limited_as
        board.match_list.put_back(again._replace(keys=keys, first_kind=found))


def _still_valid(board: Board, kept: MatchList, request: ClassAd) -> bool:
    """Whether a list may be used again under policies that are declared to be unstable."""
    policy, entry = board.policy, kept.peek()
    if not policy.preemption_requirements_stable:
        if entry is None:
            return False
        if entry.kind is MatchKind.PRIORITY and not requirements_allow(
            policy.preemption_requirements, entry.slot.ad, request, board.context
        ):
            return False
    if policy.preemption_rank_stable or entry is None or entry.kind is MatchKind.NONE:
        return True
    rank = policy_rank(policy.preemption_rank, entry.slot.ad, request, board.context)
    return rank == entry.keys.preemption


def has_claim(board: Board, candidate: Candidate) -> bool:
    """Whether the slot can be handed out: it has a claim id or needs none."""
    slot = candidate.slot
    if slot.claims > 0:
        return True
    if as_bool(slot.value("Offline", board.context)) is True:
        return True
    return as_bool(slot.value("WantClaiming", board.context)) is False
