"""Which slots are candidates for a request, and why the others are not.

Decision here: one slot against one request, test by test in the negotiator's order.  Inputs: the
slots left, the request, who asks and what is still allowed (slot weights).  Outputs: candidates
with their five rank keys, and how many slots each test refused.

Never here: which candidate is taken.
Follows: the order of tests in the negotiator as the vectors show it.
"""

from __future__ import annotations

from collections.abc import Iterator

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.matching.board import Board
from negotiator.matching.candidate import (
    NO_KEYS,
    NOTHING_REFUSED,
    Allowance,
    Asker,
    Candidate,
    Tally,
)
from negotiator.matching.preemption import Refusal, preemption_kind, requirements_allow
from negotiator.matching.rank import KIND_ORDER, RankKeys, job_rank, policy_rank, preemption_rank
from negotiator.model.arithmetic import FLT_MAX
from negotiator.model.result import MatchKind
from negotiator.pool.consumption import consumed, cost_of, request_for
from negotiator.pool.partitionable import enlarge
from negotiator.pool.slots import Slot, meets, slot_weight


def scan(
    board: Board, request: ClassAd, asker: Asker, allowance: Allowance, tally: Tally
) -> Iterator[Candidate]:
    """All candidates among the slots left, in pool order; fewer when jobs' ranks are ignored."""
    weight = 0.0
    for position, slot in list(board.slots.items()):
        found = consider(board, position, slot, request, asker)
        if isinstance(found, Candidate) and not allowance.permits(found.kind, found.cost):
            found = Refusal.SUBMITTER_LIMIT
        if isinstance(found, Refusal):
            tally.refused[found] += 1
        elif per_slot_limits_have_room(board, slot, request, tally):
            yield found.with_keys(rank_keys(board, slot, request, found.kind))
            weight += slot.weight
            if board.policy.ignore_job_ranks and weight > allowance.limit:
                return


def consider(
    board: Board,
    position: int,
    slot: Slot,
    request: ClassAd,
    asker: Asker,
    *,
    matched: bool = False,
) -> Candidate | Refusal:
    """One slot against one request; ranks are left out.  ``matched``: as if they matched."""
    ad, context = slot.ad, board.context
    if not slot.families & asker.families:
        return Refusal.ADDRESS
    if slot.partitionable and ad.raw("RemoteScheddName") is not None:
        schedd = ad.get_string("RemoteScheddName", context=context)
        if schedd is not None and schedd != asker.schedd:
            return Refusal.OTHER_SCHEDD
    if board.policy.allow_pslot_preemption and spoken_for(slot, context):
        return Refusal.DYNAMIC
    amounts, asking, cost = None, request, slot.weight
    if slot.resources:
        amounts = consumed(ad, slot.resources, request, context)
        if amounts is None:
            return Refusal.REQUIREMENTS
        asking, cost = request_for(request, amounts), cost_of(ad, amounts, context)
    if not matched and not (meets(ad, asking, context) and meets(asking, ad, context)):
        return _by_children(board, position, slot, request, asker) or Refusal.REQUIREMENTS
    kind = _kind(board, slot, request, asker)
    if isinstance(kind, Refusal):
        return kind
    return Candidate(position, slot, NO_KEYS, kind, cost, amounts)


def _kind(board: Board, slot: Slot, request: ClassAd, asker: Asker) -> MatchKind | Refusal:
    """How the asker can get a slot that matches."""
    policy = board.policy
    if not policy.consider_preemption:
        return Refusal.NOT_OCCUPIED if asker.rank_only else MatchKind.NONE
    requirements, context = policy.preemption_requirements, board.context
    rank_only = asker.rank_only
    return preemption_kind(
        slot,
        request,
        asker.submitter,
        rank_only,
        requirements,
        context,
        outranked=slot.user is not None and outranks(board, slot.user, asker),
    )


def outranks(board: Board, holder: str, asker: Asker) -> bool:
    """Whether the dialect goes by priorities and the holder's is no worse than the asker's."""
    if not board.policy.dialect.better_priority_preempts:
        return False
    return board.accountant.effective_priority(holder) <= asker.priority


def spoken_for(slot: Slot, context: EvalContext) -> bool:
    """Whether this is a dynamic slot whose parent tells about it."""
    return (
        slot.raw("DynamicSlot") is not None
        and slot.ad.get_bool("DynamicSlot", context=context) is True
        and slot.ad.get_bool("PslotRollupInformation", context=context) is True
    )


def _by_children(
    board: Board, position: int, slot: Slot, request: ClassAd, asker: Asker
) -> Candidate | None:
    """A partitionable slot that would match if some of its dynamic slots were preempted."""
    policy, context = board.policy, board.context
    if not (policy.consider_preemption and policy.allow_pslot_preemption and slot.partitionable):
        return None
    if request.get_bool("WantPslotPreemption", context=context) is not True:
        return None
    ad = slot.own_ad()

    def matches() -> bool:
        return meets(ad, request, context) and meets(request, ad, context)

    def preemptible(name: str) -> bool:
        child = board.by_name.get(name)
        if child is None or child.user == asker.submitter or policy.preemption_requirements is None:
            return False
        return requirements_allow(policy.preemption_requirements, child.ad, request, context)

    rank = ad.get_number("Rank", request, context) or 0.0
    found = enlarge(slot, rank, matches, preemptible, asker.rank_only, context)
    if found is None:
        return None
    kind, change = found
    board.enlarged.append(change)
    return Candidate(position, slot, NO_KEYS, kind, slot_weight(ad, policy, context))


def limits_depend_on_slot(request: ClassAd, context: EvalContext) -> bool:
    """Whether the concurrency limits of a request are only known together with a slot."""
    if request.raw("ConcurrencyLimits") is None:
        return False
    return request.get_string("ConcurrencyLimits", context=context) is None


def per_slot_limits_have_room(board: Board, slot: Slot, request: ClassAd, tally: Tally) -> bool:
    """The concurrency limits of a request whose limits depend on the slot."""
    if not limits_depend_on_slot(request, board.context):
        return True
    text = request.get_string("ConcurrencyLimits", slot.ad, board.context)
    if text is None:
        return True
    if text.lower() == tally.concurrency_text:
        return False
    if board.concurrency.has_room(text):
        tally.concurrency_text = NOTHING_REFUSED
        return True
    tally.concurrency_text = text.lower()
    tally.refused[Refusal.CONCURRENCY_LIMIT] += 1
    return False


def rank_keys(board: Board, slot: Slot, request: ClassAd, kind: MatchKind) -> RankKeys:
    """The five keys of a candidate."""
    policy, context, ad = board.policy, board.context, slot.ad
    if slot.fixed_ranks is not None:
        pre_job, post_job = slot.fixed_ranks
        return RankKeys(pre_job, 1.0, post_job, KIND_ORDER[kind], -FLT_MAX)
    return RankKeys(
        policy_rank(policy.pre_job_rank, ad, request, context),
        job_rank(ad, request, context),
        policy_rank(policy.post_job_rank, ad, request, context),
        KIND_ORDER[kind],
        preemption_rank(policy.preemption_rank, kind, ad, request, context),
    )
