"""Whether a request may have a slot that somebody holds.

Decision here: rank preemption, priority preemption or none.  Inputs: slot and request with their
ephemeral attributes, the submitter, the policy.  Outputs: a ``MatchKind`` or the ``Refusal``.
The two users' priorities are not compared here: only PREEMPTION_REQUIREMENTS can do that, and the
caller in a dialect that does.

Never here: limits, the order of candidates.
Follows: "Preemption" in HTCondor's manual, corrected by the vectors.
"""

from __future__ import annotations

from enum import Enum
from functools import cache

from classad import ClassAd
from classad.ads.expression import Expression as ExprTree
from classad.evaluate import EvalContext, evaluate
from classad.syntax.nodes import Binary, Reference
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot


class Refusal(Enum):
    """Why a slot is no candidate for a request."""

    # They are counted for every slot and request; the usual hash of a member is Python code.
    __hash__ = object.__hash__

    ADDRESS = "no kind of address in common with the schedd"
    REQUIREMENTS = "requirements"
    DYNAMIC = "a dynamic slot that its partitionable slot speaks for"
    OTHER_SCHEDD = "a claimed partitionable slot of another schedd"
    NOT_OCCUPIED = "unclaimed, but only startd rank counts now"
    RANK_NOT_HIGHER = "the startd does not rank the request higher"
    SAME_USER = "held by the same user"
    PRIORITY = "held by a user of better or equal priority"
    PREEMPTION_REQUIREMENTS = "PREEMPTION_REQUIREMENTS is not true"
    STARTD_RANK = "the startd ranks the request lower"
    SUBMITTER_LIMIT = "submitter limit"
    CONCURRENCY_LIMIT = "concurrency limit"


@cache
def rank_compared(operator: str) -> ExprTree:
    """The startd's rank of the request compared with its rank of the job it runs."""
    rank, current = (Reference(name, base=Reference("MY")) for name in ("Rank", "CurrentRank"))
    return ExprTree.from_node(Binary(operator, rank, current))


def startd_prefers(slot: ClassAd, request: ClassAd, context: EvalContext) -> bool:
    """Whether the startd ranks the request above its job; undefined ranks prefer nothing."""
    return evaluate(rank_compared(">"), slot, request, context=context) is True


def startd_accepts(slot: ClassAd, request: ClassAd, context: EvalContext) -> bool:
    """Whether the startd ranks the request at least as high as its job."""
    return evaluate(rank_compared(">="), slot, request, context=context) is True


def requirements_allow(
    expr: ExprTree | None, slot: ClassAd, request: ClassAd, context: EvalContext
) -> bool:
    """PREEMPTION_REQUIREMENTS: exactly true counts; without an expression all is allowed."""
    return expr is None or evaluate(expr, slot, request, context=context) is True


def preemption_kind(
    slot: Slot,
    request: ClassAd,
    submitter: str,
    rank_only: bool,
    requirements: ExprTree | None,
    context: EvalContext,
    *,
    outranked: bool = False,
) -> MatchKind | Refusal:
    """How the submitter can get the slot, given that preemption is considered.

    ``outranked``: the holder's priority forbids it, which only a dialect ever says.
    """
    if slot.user is None:
        return Refusal.NOT_OCCUPIED if rank_only else MatchKind.NONE
    if startd_prefers(slot.ad, request, context):
        return MatchKind.RANK
    if rank_only:
        return Refusal.RANK_NOT_HIGHER
    if slot.user == submitter:
        return Refusal.SAME_USER
    if outranked:
        return Refusal.PRIORITY
    if not requirements_allow(requirements, slot.ad, request, context):
        return Refusal.PREEMPTION_REQUIREMENTS
    if not startd_accepts(slot.ad, request, context):
        return Refusal.STARTD_RANK
    return MatchKind.PRIORITY
