"""Examines one job and one slot: every clause, the tests for preemption, the rank keys.

Inputs: a halted cycle, the name of a slot.  Outputs: a ``SlotCase``.  Follows: ``condor_q
-better-analyze`` with a machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.explain import explain
from classad.analysis.explanation import Explanation
from classad.syntax.nodes import Binary, Reference
from negotiator.matching.board import Offer
from negotiator.matching.conditions import Ask
from negotiator.matching.preemption import rank_compared
from negotiator.model.snapshot import machine_of
from negotiator.pool.slots import Slot
from pieslice.reports.names import did_you_mean, listed
from pieslice.why.clauses.findings import Finding, find
from pieslice.why.clauses.table import CONSUMES, ClauseTable, Operand, Pairs, Whose, value_text
from pieslice.why.slots.ranking import RankedSlot, Ranking

#: How deep the definitions of attributes are followed.
DEPTH: Final = 3
#: What comes after the host in a name: its domain, or the machine of a startd with another name.
_HOST: Final = re.compile(r"[.@]")
_SUBMITTER_PRIO: Final = Reference("SubmitterUserPrio", base=Reference("TARGET"))


@frozen
class ClauseValue:
    """A clause, what it says of this pair, and what stands in it."""

    whose: Whose
    text: str
    value: str
    true: bool
    operands: tuple[Operand, ...]


@frozen(eq=False)
class PreemptionTest:
    """One test of those by which a slot can be taken from its user, with its arithmetic."""

    name: str
    passed: bool
    explanation: Explanation
    finding: Finding


@frozen(eq=False)
class SlotCase:
    """What the cycle said of a job and a slot.

    ``place``: among the candidates, from 1; ``ranks``: its keys; ``before``: those of the candidate
    before it, ``winner``: of the best one.
    """

    slot: str
    verdict: str
    user: str | None
    clauses: tuple[ClauseValue, ...]
    preemption: tuple[PreemptionTest, ...]
    place: int | None = None
    ranks: RankedSlot | None = None
    winner: RankedSlot | None = None


class UnknownSlotError(Exception):
    """There is no such slot, or there are several."""


def slot_names(halted: Offer, text: str) -> list[str]:
    """The slots that a text means; several only if they are all of one machine."""
    found = find_slots([slot.name for slot in halted.board.pool], text)
    machines = {machine_of(name).lower() for name in found}
    if len(machines) > 1:
        raise UnknownSlotError(f"`{text}` matches {len(found)} slots: {listed(sorted(found))}")
    return found


def find_slots(names: Sequence[str], text: str) -> list[str]:
    """The names that a text can mean: the slot, without its domain, all slots of a machine."""
    wanted = text.casefold()
    ways: tuple[Callable[[str], bool], ...] = (
        lambda name: name == text,
        lambda name: name.casefold() == wanted,
        lambda name: "@".join(_HOST.split(name.casefold())[:2]) == wanted,
        lambda name: machine_of(name).casefold() == wanted,
        lambda name: _HOST.split(machine_of(name).casefold())[0] == wanted,
        lambda name: name.casefold().startswith(wanted),
    )
    for means in ways:
        found = [name for name in names if means(name)]
        if found:
            return found
    return []


def no_such_slot(names: Sequence[str], text: str) -> UnknownSlotError:
    """The error for a slot that there is not."""
    siblings = find_slots(names, machine_of(text)) if "@" in text else []
    if siblings:
        end = f"; {machine_of(text)} has {listed(sorted(siblings))}"
    else:
        machines = {machine_of(name) for name in names}
        hosts = {_HOST.split(name)[0] for name in machines}
        end = did_you_mean(text, {*names, *machines, *hosts})
    return UnknownSlotError(f"there is no slot `{text}` in the pool{end}")


def slot_case(
    halted: Offer,
    name: str,
    verdict: str,
    found: Ranking,
    known: frozenset[str] = frozenset(),
) -> SlotCase:
    """The case of one slot; ``verdict`` is the funnel's."""
    slot = halted.board.by_name[name]
    place = next((i for i, item in enumerate(found.slots) if item.slot == name), None)
    return SlotCase(
        name,
        verdict,
        slot.user,
        _clauses(halted, slot, known),
        preemption_tests(halted, slot),
        None if place is None else place + 1,
        None if place is None else found.slots[place],
        found.slots[0] if found.slots else None,
    )


def _clauses(halted: Offer, slot: Slot, known: frozenset[str]) -> tuple[ClauseValue, ...]:
    board = halted.board
    ask = Ask(board, halted.request.ad, halted.asker, board.context)
    table = ClauseTable(Pairs.of(ask, [slot]), known)
    found = []
    for clause in table.requirements():
        codes, values = table.pairs.values(clause.tree, clause.whose, clause.having)
        mentioned = table.operands(clause.tree.node, clause.whose, clause.having)
        shown = value_text(bool(clause.true) if clause.text == CONSUMES else values[codes[0]])
        found.append(ClauseValue(clause.whose, clause.text, shown, bool(clause.true), mentioned))
    return tuple(found)


def preemption_tests(halted: Offer, slot: Slot) -> tuple[PreemptionTest, ...]:
    """How the two tests for preemption come out; none for a slot that nobody holds."""
    policy, request = halted.board.policy, halted.request.ad
    if slot.user is None or not policy.consider_preemption:
        return ()
    tests = [_test(halted, "startd rank", rank_compared(">"), slot.ad, request)]
    if policy.dialect.better_priority_preempts:
        prios = (Reference("RemoteUserPrio", base=Reference("MY")), _SUBMITTER_PRIO)
        expr = Expression.from_node(Binary(">", *prios))
        tests.append(_test(halted, "better priority", expr, slot.ad, request))
    if policy.preemption_requirements is not None:
        expr = policy.preemption_requirements
        tests.append(_test(halted, "PREEMPTION_REQUIREMENTS", expr, slot.ad, request))
    return tuple(tests)


def _test(
    halted: Offer, name: str, expr: Expression, slot: ClassAd, request: ClassAd
) -> PreemptionTest:
    context = halted.board.context
    found = explain(expr, slot, request, context=context, depth=DEPTH)
    return PreemptionTest(name, found.value is True, found, find(expr, slot, request, context))
