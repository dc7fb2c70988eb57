"""Describes one job and one slot.

Inputs: a ``SlotCase``.  Outputs: blocks for ``pieslice.reports.layout``.  Follows: ``condor_q
-better-analyze`` with a machine, for what is of interest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from negotiator.matching.candidate import Refusal
from negotiator.model.snapshot import machine_of
from pieslice.reports.layout import Block, Column, Line, Table
from pieslice.reports.text import plural
from pieslice.why.clauses.findingtext import near_lines
from pieslice.why.clauses.table import Whose
from pieslice.why.clauses.text import mentioned, tidy, values_of
from pieslice.why.slots.case import ClauseValue, SlotCase
from pieslice.why.slots.holdtext import test_blocks
from pieslice.why.slots.ranking import RankedSlot
from pieslice.why.slots.ranktext import against, side_by_side, told_apart

_CLAUSES: Final = (Column(""), Column("clause", prose=True), Column("values", prose=True))
#: Clauses that the head of an answer shows.
MAX_CLAUSES: Final = 3


def slot_head(case: SlotCase) -> list[Block]:
    """The verdict on the slot, and what decided it."""
    held = "" if case.user is None else f", claimed by {case.user}"
    good = case.place is not None
    verdict = f"{case.verdict} not true" if case.verdict.startswith("Req") else case.verdict
    blocks: list[Block] = [Line(f"  {case.slot}{held}: {verdict}", level="good" if good else "bad")]
    if case.ranks is not None and case.winner is not None and case.place is not None:
        blocks.append(Line(f"    {_place(case.ranks, case.winner, case.place)}"))
    elif case.verdict.startswith("Req"):
        failing = [clause for clause in case.clauses if not clause.true]
        blocks += [Line(f"    {_failing(clause)}") for clause in failing[:MAX_CLAUSES]]
    elif case.verdict == Refusal.PREEMPTION_REQUIREMENTS:
        for test in case.preemption:
            if test.name == "PREEMPTION_REQUIREMENTS":
                blocks += near_lines(test.finding)
    return blocks


def _failing(clause: ClauseValue) -> str:
    """A clause that is not true, with the values in it."""
    values = ", ".join(f"{item.name} is {values_of(item)}" for item in clause.operands)
    text = f"of the {clause.whose.value}: {tidy(clause.text)} is {clause.value}"
    return f"{text}: {values}" if values else text


def _place(mine: RankedSlot, winner: RankedSlot, place: int) -> str:
    if place == 1:
        return "the best of all candidates"
    name = told_apart(winner, mine)
    if name is None:
        return f"number {place}, after {winner.slot} by a tie"
    return f"number {place}, after {winner.slot}: {against(name, winner, mine)}"


def slot_blocks(case: SlotCase, job: str) -> list[Block]:
    """The clauses of both sides, the tests for preemption, the keys."""
    blocks: list[Block] = []
    for whose, title in ((Whose.JOB, f"job {job}"), (Whose.SLOT, case.slot)):
        blocks += [Line()] if blocks else []
        blocks.append(Line(f"Requirements of {title}", heading=True))
        rows = tuple(_clause_row(clause) for clause in case.clauses if clause.whose is whose)
        blocks.append(Table(_CLAUSES, rows))
    for test in case.preemption:
        blocks += [Line(), *test_blocks(test)]
    if case.ranks is not None and case.winner is not None and case.place is not None:
        blocks += [Line(), *_keys(case.ranks, case.winner, case.place)]
    return blocks


def _clause_row(clause: ClauseValue) -> tuple[str, ...]:
    """Whether a clause is true, and what stands in it."""
    values = [mentioned(item) for item in clause.operands if item.owner is not None]
    if clause.true:
        return "ok", tidy(clause.text), "; ".join(values)
    missing = [item for item in clause.operands if item.owner is None]
    hints = [f"did you mean `{item.suggestion}`?" for item in missing if item.suggestion]
    facts = [] if clause.value == "false" else [clause.value]
    return "NO", tidy(clause.text), "; ".join([*facts, *values, *map(mentioned, missing), *hints])


def machine_blocks(cases: Sequence[SlotCase], job: str) -> list[Block]:
    """A line for each slot of a machine, candidates first."""
    ranked = sorted(cases, key=lambda case: (case.place is None, case.place, case.slot))
    columns = (
        Column("slot", name=True),
        Column("user", name=True, drop=1),
        Column("candidate", right=True, brief="cand."),
        Column("verdict", prose=True),
    )
    rows = tuple(
        (case.slot, case.user or "", "" if case.place is None else str(case.place), _verdict(case))
        for case in ranked
    )
    fine = sum(case.place is not None for case in cases)
    title = f"{machine_of(cases[0].slot)}: {fine} of {plural(len(cases), 'slot')} are candidates"
    return [
        Line(title, heading=True),
        Table(columns, rows),
        Line(f"  `pieslice why POOL {job} {ranked[0].slot}` shows one of them in full"),
    ]


def _verdict(case: SlotCase) -> str:
    """What the cycle says of a slot, and the clauses that are not true."""
    refusing = [
        f"{tidy(clause.text)} is {clause.value}" for clause in case.clauses if not clause.true
    ]
    if case.place is not None or not refusing or not case.verdict.startswith("Req"):
        return case.verdict
    return f"{case.verdict}: {', '.join(refusing)}"


def _keys(mine: RankedSlot, winner: RankedSlot, place: int) -> list[Block]:
    """The keys of the slot beside those of the best one."""
    if place == 1:
        return [Line("the best of all candidates")]
    decided_by = told_apart(winner, mine)
    title = f"candidate {place}, after {winner.slot}{': a tie' if decided_by is None else ''}"
    return [Line(title, heading=True), side_by_side(winner, mine, decided_by)]
