"""Finds which slots are candidates for a request, and why the others are not.

``CANDIDATE_TESTS`` is what a slot has to pass, in the negotiator's order as the vectors show it.
``Tester`` walks it for one slot after another; ``negotiator.columns.engine`` for sets of slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.matching.board import Board
from negotiator.matching.candidate import (
    NO_KEYS,
    NOTHING_REFUSED,
    Allowance,
    Candidate,
    Refusal,
    Requester,
    Tally,
)
from negotiator.matching.conditions import (
    Ask,
    BothRequirements,
    CandidateTest,
    EnoughToConsume,
    OfSlot,
    Pair,
    WithinLimit,
    nothing,
)
from negotiator.matching.preemption import PREEMPTION_TESTS, match_kinds, requirements_allow
from negotiator.matching.rank import Ranker, RankKeys
from negotiator.model.result import MatchKind
from negotiator.pool.fetch import children_can_go
from negotiator.pool.partitionable import enlarge
from negotiator.pool.slots import Slot, meets
from negotiator.pool.weights import current_weight, slot_weight
from negotiator.versions.negotiator import SCANNED_SLOTS


def advertised_by_parent(slot: Slot, context: EvalContext) -> bool:
    """Whether this is a dynamic slot that its partitionable slot advertises."""
    return (
        slot.raw("DynamicSlot") is not None
        and slot.ad.get_bool("DynamicSlot", context=context) is True
        and slot.ad.get_bool("PslotRollupInformation", context=context) is True
    )


#: The test of which may be known beforehand which slots pass it: that of both requirements.
MATCHING: Final = Refusal.REQUIREMENTS

#: What a slot has to pass to be a candidate, in order: the cause of a refusal, what has to be true.
CANDIDATE_TESTS: Final = (
    CandidateTest(
        Refusal.ADDRESS,
        OfSlot(
            "families",
            lambda slots, schedds: bool(slots & schedds),
            by=lambda ask: ask.asker.families,
        ),
    ),
    CandidateTest(
        Refusal.OTHER_SCHEDD,
        OfSlot(
            "schedd",
            lambda schedd, asking: schedd is None or schedd == asking,
            by=lambda ask: ask.asker.schedd,
        ),
    ),
    CandidateTest(
        Refusal.DYNAMIC,
        OfSlot(advertised_by_parent, lambda advertised, _: not advertised, by=nothing),
        made=lambda policy: policy.allow_pslot_preemption,
    ),
    CandidateTest(Refusal.CONSUMPTION, EnoughToConsume()),
    CandidateTest(Refusal.REQUIREMENTS, BothRequirements()),
    *PREEMPTION_TESTS,
    CandidateTest(Refusal.SUBMITTER_LIMIT, WithinLimit(), frozenset(MatchKind)),
)


class Tester:
    """The tests, made ready for one request."""

    def __init__(self, ask: Ask, *, matched: Callable[[Pair], bool] | None = None) -> None:
        """``matched``: whether the requirements are true, where that is known already."""
        policy = ask.board.policy
        self._ask = ask
        self._first: list[tuple[Refusal, Callable[[Pair], bool]]] = []
        self._then: dict[MatchKind, list[tuple[Refusal, Callable[[Pair], bool]]]] = {}
        self._kinds = [(kind, true.ready(ask)) for kind, true in match_kinds(policy)]
        for kind, _ in self._kinds:
            self._then[kind] = []
        for cause, condition, kinds, made in CANDIDATE_TESTS:
            if not made(policy):
                continue
            known = matched if cause is MATCHING else None
            passes = known or condition.ready(ask)
            if passes is None:
                continue
            if kinds is None:
                self._first.append((cause, passes))
            for kind in kinds or ():
                self._then.setdefault(kind, []).append((cause, passes))

    def verdict(self, position: int, slot: Slot) -> Candidate | Refusal:
        """One slot against the request; ranks are left out."""
        pair = Pair(slot, self._ask.request, slot.weight)
        for cause, passes in self._first:
            if not passes(pair):
                found = self._by_children(position, slot) if cause is MATCHING else None
                return cause if found is None else found
        for kind, true in self._kinds:  # pragma: no branch - the last kind has no condition
            if true is None or true(pair):
                pair.kind = kind
                break
        for cause, passes in self._then[pair.kind]:
            if not passes(pair):
                return cause
        return Candidate(position, slot, NO_KEYS, pair.kind, pair.cost, pair.amounts)

    def _by_children(self, position: int, slot: Slot) -> Candidate | Refusal | None:
        """A partitionable slot that would match if some of its dynamic slots were preempted.

        Every request has ``WantPslotPreemption``: the schedd says so, whatever the job does.
        """
        ask = self._ask
        board, request, asker, context = ask.board, ask.request, ask.asker, ask.context
        if not (slot.partitionable and children_can_go(board.policy)):
            return None
        claims = board.child_claims.of(slot)
        if claims is None:
            return None
        policy, ad = board.policy, slot.own_ad()

        def matches() -> bool:
            return meets(ad, request, context) and meets(request, ad, context)

        def preemptible(name: str) -> bool:
            child, wanted = board.by_name.get(name), policy.preemption_requirements
            if child is None or child.user == asker.submitter or wanted is None:
                return False
            return requirements_allow(wanted, child.ad, request, context)

        rank = ad.get_number("Rank", request, context) or 0.0
        found = enlarge(slot, rank, matches, preemptible, asker.rank_only, claims, context)
        if found is None:
            return None
        kind, change = found
        board.enlarged.append(change)
        cost = slot_weight(ad, policy, context)
        if ask.permits is not None and not ask.permits(kind, cost):
            return Refusal.SUBMITTER_LIMIT
        return Candidate(position, slot, NO_KEYS, kind, cost)


def scan(
    board: Board, request: ClassAd, asker: Requester, allowance: Allowance, tally: Tally
) -> Iterator[Candidate]:
    """All candidates among the slots left, in pool order; fewer when jobs' ranks are ignored."""
    tester = Tester(Ask(board, request, asker, board.context, allowance.permits))
    ranker = Ranker(board.policy, request, board.context)

    slots = list(board.slots.items())
    if not board.policy.consider_preemption:
        slots = list(SCANNED_SLOTS.of(board.policy.version)(slots))

    def passed() -> Iterator[Candidate]:
        for position, slot in slots:
            found = tester.verdict(position, slot)
            if isinstance(found, Refusal):
                tally.refused[found] += 1
            else:
                yield found

    return gathered(board, request, allowance, tally, passed(), ranker)


def gathered(
    board: Board,
    request: ClassAd,
    allowance: Allowance,
    tally: Tally,
    passed: Iterable[Candidate],
    ranker: Ranker,
) -> Iterator[Candidate]:
    """The candidates with their ranks, by tests whose outcome depends on the slots before.

    These are concurrency limits that depend on the slot, and NEGOTIATOR_IGNORE_JOB_RANKS: no more
    slots are looked at once the candidates weigh more than the limit, by what their ads say now.
    """
    weight = 0.0
    for candidate in passed:
        slot = candidate.slot
        if not per_slot_limits_have_room(board, slot, request, tally):
            continue
        yield candidate._replace(keys=ranker.keys(slot, candidate.kind))
        if board.policy.ignore_job_ranks:
            weight += current_weight(slot.ad, board.context)
            if weight > allowance.limit:
                return


def consider(
    board: Board,
    position: int,
    slot: Slot,
    request: ClassAd,
    asker: Requester,
) -> Candidate | Refusal:
    """One slot against one request; limits and ranks are left out."""
    return Tester(Ask(board, request, asker, board.context)).verdict(position, slot)


def still_fitting(
    board: Board, candidate: Candidate, request: ClassAd, asker: Requester
) -> Candidate | None:
    """A slot that stays after a match, if it has enough left and both sides still match.

    Nobody asks again whether its holder may be preempted.
    """
    slot, ask = candidate.slot, Ask(board, request, asker, board.context)
    pair = Pair(slot, request, slot.weight)
    for condition in (EnoughToConsume(), BothRequirements()):
        passes = condition.ready(ask)
        if passes is not None and not passes(pair):
            return None
    cost, amounts = pair.cost, pair.amounts
    return Candidate(candidate.position, slot, NO_KEYS, MatchKind.NONE, cost, amounts)


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
    """The five rank keys of a candidate."""
    return Ranker(board.policy, request, board.context).keys(slot, kind)
