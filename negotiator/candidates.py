"""Which slots are candidates for a request, and why the others are not.

Decision here: one slot against one request, test by test in the negotiator's order.  Inputs: the
slots left, the request, who asks and what is still allowed (slot weights).  Outputs: candidates
with their five rank keys, and how many slots each test refused.

Never here: which candidate is taken.
Follows: the order of tests in the negotiator as the vectors show it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from attr import define, field

from classad.ad import ClassAd
from classad.evaluate import EvalContext
from negotiator.addresses import ANY
from negotiator.arithmetic import FLT_MAX
from negotiator.board import Board
from negotiator.consumption import Amounts, consumed, cost_of, request_for
from negotiator.pie import permits
from negotiator.preemption import Refusal, preemption_kind, requirements_allow
from negotiator.pslots import enlarge
from negotiator.rank import KIND_ORDER, RankKeys, job_rank, policy_rank, preemption_rank
from negotiator.result import Counters, MatchKind
from negotiator.slots import Slot, meets, slot_weight


@define
class Allowance:
    """What a session may still take.  ``unclaimed`` parts concern slots that nobody holds."""

    limit: float
    limit_unclaimed: float
    used: float = 0.0
    used_unclaimed: float = 0.0

    def permits(self, kind: MatchKind, cost: float) -> bool:
        """The limit test for a candidate that was just found."""
        if kind is MatchKind.RANK:
            return True
        if kind is MatchKind.PRIORITY:
            return permits(self.used, cost, self.limit)
        return permits(self.used_unclaimed, cost, self.limit_unclaimed)

    def permits_cached(self, kind: MatchKind, cost: float) -> bool:
        """The limit test for a candidate from a match list."""
        unclaimed = permits(self.used_unclaimed, cost, self.limit_unclaimed)
        if kind is MatchKind.NONE:
            return unclaimed
        return unclaimed or permits(self.used, cost, self.limit)


class Asker(NamedTuple):
    """Who asks: the submitter, its schedd, its effective priority, and in which mode.

    ``families``: the kinds of address the schedd has.
    """

    submitter: str
    schedd: str
    priority: float
    rank_only: bool
    families: frozenset[int] = ANY


class Candidate(NamedTuple):
    """A slot that a request can have.  ``position`` is the slot's place in the pool.

    ``amounts``: what the match takes of a slot with a consumption policy, which stays in the pool.
    """

    position: int
    slot: Slot
    keys: RankKeys
    kind: MatchKind
    cost: float
    amounts: Amounts | None = None

    def with_keys(self, keys: RankKeys) -> Candidate:
        """The candidate with its rank."""
        return self._replace(keys=keys)


#: Of a candidate that is not ranked yet.
#: Concurrency limits that are refused in any case, as they were before anything else was.
NOTHING_REFUSED: Final = ""
NO_KEYS: Final = RankKeys(0.0, 0.0, 0.0, 0.0, 0.0)


def _none_yet() -> defaultdict[Refusal, int]:
    return defaultdict(int)


@define(eq=False)
class Tally:
    """How many slots each test refused; ``concurrency_text`` was refused last.

    Sets of slots are counted when somebody wants to know, which is when a request is rejected.
    """

    _counts: defaultdict[Refusal, int] = field(factory=_none_yet)
    concurrency_text: str = NOTHING_REFUSED
    #: The slots before a test and behind it, by cause.
    _sets: list[tuple[Refusal, int, int]] = field(factory=list)

    @property
    def refused(self) -> defaultdict[Refusal, int]:
        """The number of slots by cause."""
        for cause, before, behind in self._sets:
            self._counts[cause] += (before ^ behind).bit_count()
        self._sets.clear()
        return self._counts

    def number(self, cause: Refusal) -> int:
        """The number of slots that were refused for one cause."""
        sets = [(b ^ behind).bit_count() for other, b, behind in self._sets if other is cause]
        return self._counts.get(cause, 0) + sum(sets)

    def refuse(self, cause: Refusal, before: int, behind: int) -> None:
        """Take in the sets of slots before a test and of those that passed it."""
        self._sets.append((cause, before, behind))

    def counters(self) -> Counters:
        """The counts as part of a result."""
        got = self.refused.get
        return Counters(
            concurrency_limit=got(Refusal.CONCURRENCY_LIMIT, 0),
            preemption_requirements=got(Refusal.PREEMPTION_REQUIREMENTS, 0),
            startd_rank=got(Refusal.STARTD_RANK, 0),
            submitter_limit=got(Refusal.SUBMITTER_LIMIT, 0),
            same_user=got(Refusal.SAME_USER, 0),
            requirements=got(Refusal.REQUIREMENTS, 0),
            priority=got(Refusal.PRIORITY, 0),
        )


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
