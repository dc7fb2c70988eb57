"""Lists the candidates of a job in the order in which it would get them.

Decides which of the five keys told a slot from the one before it.

Inputs: a halted cycle.  Outputs: ``Ranking``, best first; ranks as the negotiator computes
them, costs in slot weights.  Follows: "Matchmaking Expressions" in HTCondor's manual and the
vectors.
"""

from __future__ import annotations

from typing import Final

from attr import frozen

from classad.ads.expression import Expression
from negotiator.jobs.requests import NO_AUTOCLUSTER
from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Tally
from negotiator.matching.candidates import per_slot_limits_have_room
from negotiator.matching.choice import has_claim, list_for, with_cost
from negotiator.matching.engine import all_of, find
from negotiator.matching.rank import JOB, KIND_NAME, POST_JOB, PRE_JOB, PREEMPTION, RankKeys
from negotiator.model.arithmetic import FLT_MAX
from negotiator.model.result import MatchKind

#: The five keys under the names of what they are computed from.
KEY_NAMES: Final = (PRE_JOB.name, JOB.name, POST_JOB.name, KIND_NAME, PREEMPTION.name)


@frozen
class RankedSlot:
    """A candidate.  A rank that is None has no number: it is worse than any.

    ``decided_by``: the first key in which it is worse than the slot before; None for the first
    slot and for equal ones.
    """

    slot: str
    pre_job_rank: float | None
    job_rank: float
    post_job_rank: float | None
    kind: MatchKind
    preemption_rank: float | None
    preempts: str | None
    cost: float
    decided_by: str | None = None


@frozen
class Ranking:
    """All candidates, best first, and the text of what ranks them.

    ``kept_list``: they are what is left of the list made for a job of the same autocluster before.
    """

    slots: tuple[RankedSlot, ...]
    expressions: tuple[tuple[str, str | None], ...]
    kept_list: bool


def ranking(halted: Offer) -> Ranking:
    """The candidates of the offered request."""
    board, request = halted.board, halted.request
    kept = list_for(board, request, halted.asker)
    if kept is not None:
        entries = all_of(kept.entries, kept.taken)
        found = [
            candidate
            for candidate in (with_cost(board, entry, request.ad) for entry in entries)
            if halted.allowance.permits_cached(candidate.limited_as, candidate.cost)
            and per_slot_limits_have_room(board, candidate.slot, request.ad, Tally())
        ]
    else:
        board.drop_match_list()
        among = find(board, request, halted.asker, halted.allowance, Tally())
        found = list(all_of(among.entries()))
        if not board.policy.matchlist_caching or request.autocluster == NO_AUTOCLUSTER:
            places = {position: place for place, position in enumerate(board.slots)}
            found.sort(key=lambda candidate: places[candidate.position])
            found.sort(key=lambda candidate: candidate.keys, reverse=True)
            # Ranks that are not a number have no order: what is taken is what the cycle says.
            best = among.first_best()
            found.sort(key=lambda candidate: best is None or candidate.position != best.position)
    found = [candidate for candidate in found if has_claim(board, candidate)]
    return Ranking(ranked(found), _expressions(halted), kept is not None)


def ranked(candidates: list[Candidate]) -> tuple[RankedSlot, ...]:
    """Candidates that are in order, each with the key that decided."""
    return tuple(
        RankedSlot(
            slot=item.slot.name,
            pre_job_rank=_rank(item.keys.pre_job),
            job_rank=item.keys.job,
            post_job_rank=_rank(item.keys.post_job),
            kind=item.kind,
            preemption_rank=_rank(item.keys.preemption),
            preempts=None if item.kind is MatchKind.NONE else item.slot.user,
            cost=item.cost,
            decided_by=None if i == 0 else first_difference(candidates[i - 1].keys, item.keys),
        )
        for i, item in enumerate(candidates)
    )


def first_difference(one: RankKeys, other: RankKeys) -> str | None:
    """The first key in which two candidates differ; None if they are equal."""
    pairs = zip(KEY_NAMES, one, other, strict=True)
    return next((name for name, a, b in pairs if a != b), None)


def _rank(number: float) -> float | None:
    return None if number <= -FLT_MAX else number


def _expressions(halted: Offer) -> tuple[tuple[str, str | None], ...]:
    policy = halted.board.policy
    own = halted.request.ad.raw("Rank")
    return (
        (KEY_NAMES[0], _text(policy.pre_job_rank)),
        (KEY_NAMES[1], None if own is None else str(own).strip()),
        (KEY_NAMES[2], _text(policy.post_job_rank)),
        (KEY_NAMES[3], "free, then by the machine's rank, then by priority"),
        (KEY_NAMES[4], _text(policy.preemption_rank)),
    )


def _text(expr: Expression | None) -> str | None:
    return None if expr is None else str(expr).strip()
