"""Decides who is preempted, and why not: the ways in which a slot that matches can be had.

``match_kinds`` are the ways, ``PREEMPTION_TESTS`` what stands in the way of each; both engines run
them.  The two users' priorities are not compared in HTCondor: only PREEMPTION_REQUIREMENTS can do
that.  Follows "Preemption" in HTCondor's manual, corrected by the vectors.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.syntax.nodes import Binary, Reference
from negotiator.matching.candidate import Refusal
from negotiator.matching.conditions import (
    ALWAYS,
    UNEQUAL,
    Ask,
    CandidateTest,
    Condition,
    ExactlyTrue,
    OfAsker,
    OfSlot,
    nothing,
)
from negotiator.model.result import MatchKind
from policy.model import NegotiatorPolicy


@cache
def rank_compared(operator: str) -> Expression:
    """The startd's rank of the request compared with its rank of the job it runs."""
    rank, current = (Reference(name, base=Reference("MY")) for name in ("Rank", "CurrentRank"))
    return Expression.from_node(Binary(operator, rank, current))


def _has_worse_priority(holder: str | None, ask: Ask) -> bool:
    """Whether the holder's effective priority is a bigger number than the asker's.

    The column engine asks this of all holders at once, and of nobody too.
    """
    return holder is None or ask.board.accountant.effective_priority(holder) > ask.asker.priority


UNCLAIMED: Final = OfSlot[str | None, None]("user", lambda user, _: user is None, by=nothing)
#: Undefined ranks prefer nothing.
STARTD_PREFERS: Final = ExactlyTrue(lambda policy: rank_compared(">"))
STARTD_ACCEPTS: Final = ExactlyTrue(lambda policy: rank_compared(">="))
REQUIREMENTS_ALLOW: Final = ExactlyTrue(lambda policy: policy.preemption_requirements)
#: Past its limit a submitter gets only what startds prefer to give it.
_NOT_RANK_ONLY: Final = OfAsker(lambda ask: not ask.asker.rank_only)


def match_kinds(policy: NegotiatorPolicy) -> tuple[tuple[MatchKind, Condition], ...]:
    """The kinds of match, each with its condition; the first whose condition is true applies."""
    if not policy.consider_preemption:
        return ((MatchKind.NONE, ALWAYS),)
    return (
        (MatchKind.NONE, UNCLAIMED),
        (MatchKind.RANK, STARTD_PREFERS),
        (MatchKind.PRIORITY, ALWAYS),
    )


_UNCLAIMED: Final = frozenset({MatchKind.NONE})
_BY_PRIORITY: Final = frozenset({MatchKind.PRIORITY})

#: Who is not preempted, and why: cause, who is concerned, what has to be true of slot and request.
PREEMPTION_TESTS: Final = (
    CandidateTest(Refusal.NOT_OCCUPIED, _NOT_RANK_ONLY, _UNCLAIMED),
    CandidateTest(Refusal.RANK_NOT_HIGHER, _NOT_RANK_ONLY, _BY_PRIORITY),
    CandidateTest(
        Refusal.SAME_USER,
        OfSlot("user", UNEQUAL, by=lambda ask: ask.asker.submitter),
        _BY_PRIORITY,
    ),
    CandidateTest(
        Refusal.PRIORITY,
        OfSlot("user", _has_worse_priority, by=lambda ask: ask),
        _BY_PRIORITY,
        made=lambda policy: policy.dialect.better_priority_preempts,
    ),
    CandidateTest(Refusal.PREEMPTION_REQUIREMENTS, REQUIREMENTS_ALLOW, _BY_PRIORITY),
    CandidateTest(Refusal.STARTD_RANK, STARTD_ACCEPTS, _BY_PRIORITY),
)


def requirements_allow(
    expr: Expression | None, slot: ClassAd, request: ClassAd, context: EvalContext
) -> bool:
    """PREEMPTION_REQUIREMENTS: exactly true counts; without an expression all is allowed."""
    return expr is None or evaluate(expr, slot, request, context=context) is True
