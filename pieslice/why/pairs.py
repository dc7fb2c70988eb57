"""Evaluates what a cycle asks of a job and a slot: each expression with the value of every part.

Decides which slot is looked at where none is named, and which expressions are asked of a pair.

Inputs: a cycle, a job, a slot.  Outputs: ``AskedPair``; raises ``UnknownSlotError``.  Follows: the
order in which the negotiator asks: requirements, what lets a slot be taken, ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import frozen

from classad.ads.expression import Expression
from classad.analysis.explain import explain
from classad.analysis.explanation import Explanation
from classad.syntax.nodes import Reference
from negotiator.matching.board import Offer
from negotiator.matching.rank import RANKS, Scored
from negotiator.pool.slots import Slot
from pieslice.why.answer import not_considered
from pieslice.why.asked import AskedJob, find_slots
from pieslice.why.moments import AskedCycle, JobHistory, look_at
from pieslice.why.preemption import preemption_tests
from pieslice.why.ranking import ranking

#: How deep the definitions of attributes are followed.
DEPTH: Final = 6


@frozen(eq=False)
class AskedExpression:
    """An expression, by its name, with the value of every part; ``test``: it has to be true."""

    name: str
    explanation: Explanation
    test: bool


@frozen(eq=False)
class AskedPair:
    """A job, a slot, and what is asked of them; ``none``: why there is nothing to ask."""

    job: str
    slot: str | None
    expressions: tuple[AskedExpression, ...] = ()
    none: str = ""


def pair_of(cycle: AskedCycle, job: AskedJob, slot: str | None = None) -> AskedPair:
    """What the cycle asks at the moment of a job; of the slot that it gets or comes next to."""
    history, found = look_at(cycle, job, lambda at, history: _pair(at, history, slot))
    if found is None:
        said = f"job {job.id} is {history.job.status_text}: it does not wait for a slot"
        return AskedPair(job.id, slot, none=said)
    if found.slot is not None or slot is None:
        return found
    name, cause = not_considered(cycle.snapshot, history.result, slot)
    return AskedPair(job.id, name, none=f"{name} is not considered: {cause}")


def _pair(halted: Offer, history: JobHistory, slot: str | None) -> AskedPair:
    board, job = halted.board, history.job.id
    if slot is not None:
        names = find_slots([item.name for item in board.pool], slot)
        if not names:
            return AskedPair(job, None)
    else:
        first = history.slot or next((it.slot for it in ranking(halted).slots), None)
        if first is None:
            return AskedPair(job, None, none="no slot is a candidate: choose one in the map")
        names = [first]
    return AskedPair(job, names[0], tuple(_asked(halted, board.by_name[names[0]])))


def _asked(halted: Offer, slot: Slot) -> Iterator[AskedExpression]:
    policy, request, context = halted.board.policy, halted.request.ad, halted.board.context
    own = Expression.from_node(Reference("Requirements", base=Reference("MY")))
    job = explain(own, request, slot.ad, context=context, depth=DEPTH)
    yield AskedExpression("Requirements of the job", job, True)
    there = explain(own, slot.ad, request, context=context, depth=DEPTH)
    yield AskedExpression("Requirements of the slot (its START)", there, True)
    for test in preemption_tests(halted, slot):
        yield AskedExpression(test.name, test.explanation, True)
    for rule in RANKS:
        scale = rule.scale(policy, request)
        if not isinstance(scale, Scored) or (rule.preempted_only and slot.user is None):
            continue
        sides = (slot.ad, request) if scale.of_slot else (request, slot.ad)
        value = explain(scale.expr, *sides, context=context, depth=DEPTH)
        yield AskedExpression(rule.name, value, False)
