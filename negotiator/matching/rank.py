"""The five keys that choose among candidates: bigger is better, the first that differs decides.

Decision here: the values of pre-job rank, job rank, post-job rank and preemption rank.  Inputs: a
slot and a request, the expressions of the policy.  Outputs: numbers, the negotiator's own ranks in
single precision.

Never here: the order of equal candidates (see ``matchlist``), whether a slot is a candidate.
Follows: "Matchmaking Expressions" in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from classad import ClassAd
from classad.ads.expression import Expression as ExprTree
from classad.evaluate import EvalContext, evaluate
from negotiator.columns.slots import ColumnSlots, each, mentioned
from negotiator.model.arithmetic import DBL_MAX, FLT_MAX, float32
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot
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


def policy_rank(
    expr: ExprTree | None, slot: ClassAd, request: ClassAd, context: EvalContext
) -> float:
    """A rank of the negotiator's own: single precision; no number is worse than any number."""
    if expr is None:
        return -DBL_MAX
    number = _number(evaluate(expr, slot, request, context=context))
    return -DBL_MAX if number is None else float32(number)


def presort(
    slots: Sequence[Slot], policy: NegotiatorPolicy, context: EvalContext
) -> Sequence[Slot]:
    """Rank all slots once, against an empty request, and sort them best first.

    This is NEGOTIATOR_IGNORE_JOB_RANKS.  The negotiator sorts ties by memory address; here they
    keep pool order.
    """
    empty = ClassAd()

    def ranks(slot: Slot, context: EvalContext) -> tuple[float, float]:
        return (
            policy_rank(policy.pre_job_rank, slot.ad, empty, context),
            policy_rank(policy.post_job_rank, slot.ad, empty, context),
        )

    names = mentioned(policy.pre_job_rank, policy.post_job_rank)
    for slot, found in zip(slots, each(slots, names, ranks, context), strict=True):
        slot.fixed_ranks = found
    ordered = sorted(slots, key=lambda slot: slot.fixed_ranks or (0.0, 0.0), reverse=True)
    return slots.some(ordered) if isinstance(slots, ColumnSlots) else ordered


def job_rank(slot: ClassAd, request: ClassAd, context: EvalContext) -> float:
    """The request's ``Rank``; the slot's if the request has none at all; no number counts 0."""
    if request.raw("Rank") is None:
        value = slot.evaluate_attr("Rank", request, context)
    else:
        value = request.evaluate_attr("Rank", slot, context)
    number = _number(value)
    return 0.0 if number is None else number


def preemption_rank(
    expr: ExprTree | None,
    kind: MatchKind,
    slot: ClassAd,
    request: ClassAd,
    context: EvalContext,
) -> float:
    """Which claim rather to preempt; the same for all slots that nobody holds."""
    if kind is MatchKind.NONE:
        return -FLT_MAX
    return policy_rank(expr, slot, request, context)


def _number(value: Any) -> float | None:
    return float(value) if value.__class__ in (float, int, bool) else None
