"""Ranks candidates by five keys: bigger is better, the first that differs decides.

Each key is a row of ``RANKS``.  The negotiator's own ranks are in single precision.  Follows
"Matchmaking Expressions" in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.syntax.nodes import Reference
from negotiator.model.arithmetic import DBL_MAX, FLT_MAX, float32
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy

#: The fourth key: a slot nobody holds is better than one taken by rank, that than one by priority.
KIND_ORDER: Final = {MatchKind.NONE: 2.0, MatchKind.RANK: 1.0, MatchKind.PRIORITY: 0.0}


class RankKeys(NamedTuple):
    """The keys of a candidate in the order in which they decide."""

    pre_job: float
    job: float
    post_job: float
    kind: float
    preemption: float


def better(one: RankKeys, other: RankKeys) -> bool:
    """Whether a candidate is better than another one.

    A key that is not a number is neither bigger nor smaller: the next one decides.
    """
    for mine, its in zip(one, other, strict=True):
        if mine > its:
            return True
        if mine < its:
            return False
    return False


class RankNumber(NamedTuple):
    """How a value becomes a key: in ``single`` precision or not; ``missing``: for no number."""

    single: bool
    missing: float

    def of(self, value: object) -> float:
        """The key that a value is."""
        if type(value) is float or type(value) is int or type(value) is bool:
            return float32(float(value)) if self.single else float(value)
        return self.missing


class Scored(NamedTuple):
    """An expression that ranks slots for requests; ``of_slot``: MY is the slot, not the request."""

    expr: Expression
    of_slot: bool = True


#: What ranks a slot: an expression, or the same number for all.
Scale: TypeAlias = "Scored | float"
POLICY_NUMBER: Final = RankNumber(single=True, missing=-DBL_MAX)
JOB_NUMBER: Final = RankNumber(single=False, missing=0.0)
#: The key of a slot that nobody has to leave.
NOT_PREEMPTED: Final = -FLT_MAX
#: The second key when the ranks of jobs are ignored.
JOB_RANK_IGNORED: Final = 1.0


@cache
def _rank_of_slot() -> Expression:
    return Expression.from_node(Reference("Rank", base=Reference("MY")))


def _by_policy(expr: Expression | None) -> Scale:
    return POLICY_NUMBER.missing if expr is None else Scored(expr)


def _by_job(policy: NegotiatorPolicy, request: ClassAd) -> Scale:
    """The request's ``Rank``; the slot's if the request has none at all."""
    rank = request.raw("Rank")
    if rank is None:
        return Scored(_rank_of_slot())
    return Scored(rank, of_slot=False) if isinstance(rank, Expression) else JOB_NUMBER.of(rank)


class RankRule(NamedTuple):
    """A key: the name of what users rank by, and the rule for a request.

    ``preempted_only``: it concerns slots that somebody has to leave.
    """

    name: str
    scale: Callable[[NegotiatorPolicy, ClassAd], Scale]
    number: RankNumber
    preempted_only: bool = False


PRE_JOB: Final = RankRule(
    "NEGOTIATOR_PRE_JOB_RANK", lambda policy, _: _by_policy(policy.pre_job_rank), POLICY_NUMBER
)
JOB: Final = RankRule("Rank", _by_job, JOB_NUMBER)
POST_JOB: Final = RankRule(
    "NEGOTIATOR_POST_JOB_RANK", lambda policy, _: _by_policy(policy.post_job_rank), POLICY_NUMBER
)
PREEMPTION: Final = RankRule(
    "PREEMPTION_RANK",
    lambda policy, _: _by_policy(policy.preemption_rank),
    POLICY_NUMBER,
    preempted_only=True,
)
#: The keys in the order in which they decide; between the last two stands the kind of match.
RANKS: Final = (PRE_JOB, JOB, POST_JOB, PREEMPTION)
KIND_NAME: Final = "preemption state"


class Ranker:
    """Ranks the candidates of one request."""

    def __init__(self, policy: NegotiatorPolicy, request: ClassAd, context: EvalContext) -> None:
        self._request = request
        self._context = context
        self._pre_job, self._job, self._post_job, self._preemption = (
            (rule.scale(policy, request), rule.number) for rule in RANKS
        )

    def keys(self, slot: Slot, kind: MatchKind) -> RankKeys:
        """The five keys of a candidate."""
        order = KIND_ORDER[kind]
        if slot.fixed_ranks is not None:
            pre_job, post_job = slot.fixed_ranks
            return RankKeys(pre_job, JOB_RANK_IGNORED, post_job, order, NOT_PREEMPTED)
        ad = slot.ad
        return RankKeys(
            self._key(self._pre_job, ad),
            self._key(self._job, ad),
            self._key(self._post_job, ad),
            order,
            NOT_PREEMPTED if kind is MatchKind.NONE else self._key(self._preemption, ad),
        )

    def _key(self, rule: tuple[Scale, RankNumber], slot: ClassAd) -> float:
        scale, number = rule
        if isinstance(scale, float):
            return scale
        sides = (slot, self._request) if scale.of_slot else (self._request, slot)
        return number.of(evaluate(scale.expr, *sides, context=self._context))


def policy_rank(
    expr: Expression | None, slot: ClassAd, request: ClassAd, context: EvalContext
) -> float:
    """A rank of the negotiator's own: single precision; no number is worse than any number."""
    if expr is None:
        return POLICY_NUMBER.missing
    return POLICY_NUMBER.of(evaluate(expr, slot, request, context=context))


def presort(slots: Slots, policy: NegotiatorPolicy, context: EvalContext) -> Slots:
    """Rank all slots once, against an empty request, and sort them best first.

    This is NEGOTIATOR_IGNORE_JOB_RANKS.  The negotiator sorts ties by memory address; here they
    keep pool order.
    """
    empty = ClassAd()
    expressions = (policy.pre_job_rank, policy.post_job_rank)

    def ranks(slot: Slot, context: EvalContext) -> tuple[float, float]:
        before, after = (policy_rank(expr, slot.ad, empty, context) for expr in expressions)
        return before, after

    found = slots.each(ranks, context, reads=(), expressions=expressions)
    for slot, fixed in zip(slots, found, strict=True):
        slot.fixed_ranks = fixed
    return slots.some(sorted(slots, key=lambda slot: slot.fixed_ranks or (0.0, 0.0), reverse=True))
