"""Finds the slot that came nearest to being a candidate: by preemption, or within the limit.

Inputs: a halted cycle, what it says of each slot.  Outputs: ``NearSlot``, ``OverLimit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attr import frozen

from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Refusal
from negotiator.matching.preemption import rank_compared
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot
from pieslice.why.clauses.findings import Finding, find
from pieslice.why.requests.verdict import Verdicts


@frozen
class NearSlot:
    """A claimed slot, its user, and what of PREEMPTION_REQUIREMENTS (or the rank) is lacking."""

    slot: str
    user: str | None
    finding: Finding


@frozen
class OverLimit:
    """The slot that costs least of those that the submitter limit refused, in slot weights."""

    slot: str
    cost: float
    used: float
    limit: float


def nearest(halted: Offer, verdicts: Mapping[str, str]) -> NearSlot | None:
    """Of the slots that PREEMPTION_REQUIREMENTS keeps, the one where least is lacking."""
    expr = halted.board.policy.preemption_requirements
    if expr is None:
        return None
    best: NearSlot | None = None
    for slot in _refused(halted, verdicts, Refusal.PREEMPTION_REQUIREMENTS):
        finding = find(expr, slot.ad, halted.request.ad, halted.board.context)
        if best is None or finding.distance < best.finding.distance:
            best = NearSlot(slot.name, slot.user, finding)
    return best


def cheapest(halted: Offer, verdicts: Mapping[str, str]) -> OverLimit | None:
    """Of the slots that the submitter limit refused, the one that costs least."""
    allowance = halted.allowance
    tests = Verdicts.at(halted, kept_list=False)
    best: OverLimit | None = None
    for slot in _refused(halted, verdicts, Refusal.SUBMITTER_LIMIT):
        found = tests.without_limits(slot.name)
        if not isinstance(found, Candidate) or (best is not None and best.cost <= found.cost):
            continue
        used, limit = allowance.used, allowance.limit
        if found.kind is MatchKind.NONE:
            used, limit = allowance.used_unclaimed, allowance.limit_unclaimed
        best = OverLimit(slot.name, found.cost, used, limit)
    return best


def reason_to_preempt(halted: Offer, name: str, kind: MatchKind) -> NearSlot | None:
    """What makes the preemption of a slot possible that is matched."""
    expr = halted.board.policy.preemption_requirements
    if kind is MatchKind.RANK:
        expr = rank_compared(">")
    if kind is MatchKind.NONE or expr is None:
        return None
    slot = halted.board.by_name[name]
    finding = find(expr, slot.ad, halted.request.ad, halted.board.context)
    # A partitionable slot is only preempted with the resources of its dynamic slots put back.
    return NearSlot(name, slot.user, finding) if finding.true else None


def _refused(halted: Offer, verdicts: Mapping[str, str], cause: Refusal) -> Iterator[Slot]:
    for slot in halted.board.slots.values():
        if verdicts.get(slot.name) == cause:
            yield slot
