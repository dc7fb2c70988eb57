"""Examines one job and one slot: every clause, the tests for preemption, the rank keys.

Inputs: a halted cycle, the name of a slot.  Outputs: a ``SlotCase``; blocks for
``pieslice.reports.layout``; of the slots over the submitter limit the cheapest.  Follows:
``condor_q -better-analyze`` with a machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attr import frozen

from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Refusal
from negotiator.matching.conditions import Ask
from negotiator.model.result import MatchKind
from negotiator.model.snapshot import machine_of
from negotiator.pool.slots import Slot, Slots
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, number, plural
from pieslice.why.clause_tables import mentioned, values_of
from pieslice.why.clauses import (
    CONSUMES,
    ClauseOperand,
    ClauseTable,
    Pairs,
    Whose,
)
from pieslice.why.conditions import near_lines
from pieslice.why.funnel import Verdicts
from pieslice.why.limits import amount
from pieslice.why.lists import tidy, value_text
from pieslice.why.preemption import PreemptionTest, preemption_tests, test_blocks
from pieslice.why.ranking import RankedSlot, Ranking, against, first_difference, side_by_side

_CLAUSES: Final = (
    TextColumn(""),
    TextColumn("clause", prose=True),
    TextColumn("values", prose=True),
)
#: Clauses that the head of an answer shows.
MAX_CLAUSES: Final = 3


@frozen
class ClauseValue:
    """A clause, what it says of this pair, and what stands in it."""

    whose: Whose
    text: str
    value: str
    true: bool
    operands: tuple[ClauseOperand, ...]


@frozen(eq=False)
class SlotCase:
    """What the cycle said of a job and a slot.

    ``place``: among the candidates, from 1; ``ranks``: its keys, ``winner``: of the best one; None
    for a slot that is no candidate.
    """

    slot: str
    verdict: str
    user: str | None
    clauses: tuple[ClauseValue, ...]
    preemption: tuple[PreemptionTest, ...]
    place: int | None = None
    ranks: RankedSlot | None = None
    winner: RankedSlot | None = None
    #: What primary slots have of the machine of a backfill slot.
    shares: str | None = None

    @property
    def failing(self) -> tuple[ClauseValue, ...]:
        """The clauses that are not true."""
        return tuple(clause for clause in self.clauses if not clause.true)


def slot_case(
    halted: Offer,
    name: str,
    verdict: str,
    ranking: Ranking,
    known: frozenset[str] = frozenset(),
) -> SlotCase:
    """The case of one slot; ``verdict`` is the funnel's."""
    board = halted.board
    slot = board.by_name[name]
    ask = Ask(board, halted.request.ad, halted.asker, board.context)
    table = ClauseTable(Pairs.of(ask, Slots([slot])), known)
    clauses = []
    for clause in table.requirements():
        codes, values = table.pairs.values(clause.tree, clause.whose, clause.having)
        operands = table.operands(clause.tree.node, clause.whose, clause.having)
        shown = value_text(bool(clause.true) if clause.text == CONSUMES else values[codes[0]])
        clauses.append(ClauseValue(clause.whose, clause.text, shown, bool(clause.true), operands))
    place = next((i for i, item in enumerate(ranking.slots) if item.slot == name), None)
    return SlotCase(
        name,
        verdict,
        slot.user,
        tuple(clauses),
        preemption_tests(halted, slot),
        None if place is None else place + 1,
        None if place is None else ranking.slots[place],
        ranking.slots[0] if ranking.slots else None,
        _shares(board.pool, slot),
    )


def _shares(pool: Iterable[Slot], slot: Slot) -> str | None:
    """What the primary slots of its machine leave a backfill slot."""
    if slot.ad.get_bool("BackfillSlot") is not True:
        return None
    machine = machine_of(slot.name)
    mates = [
        other.ad
        for other in pool
        if machine_of(other.name) == machine
        and other.ad.get_bool("BackfillSlot") is not True
        and other.ad.get_bool("PartitionableSlot") is not True
        and other.state in ("Claimed", "Preempting")
    ]
    taken = []
    for name, unit in (("Cpus", " cores"), ("Memory", " MB memory"), ("GPUs", " GPUs")):
        used = sum(ad.get_number(name) or 0 for ad in mates)
        whole = slot.ad.get_number(f"TotalSlot{name}") or slot.ad.get_number(name) or 0
        if whole:
            taken.append(f"{number(used, 0)} of {number(whole, 0)}{unit}")
    return f"a backfill slot: primary slots of {machine} have {', '.join(taken)}"


@frozen
class OverLimit:
    """The slot that costs least of those that the submitter limit refused, in slot weights."""

    slot: str
    cost: float
    used: float
    limit: float

    @property
    def text(self) -> str:
        """What it costs, and what is left."""
        used, limit, cost = amount(self.used), amount(self.limit), amount(self.cost)
        return f"over the limit: {self.slot} costs {cost}, {used} of {limit} is used"


def cheapest(halted: Offer, said: Mapping[str, str], verdicts: Verdicts) -> OverLimit | None:
    """Of the slots that the submitter limit refused, the one that costs least.

    ``said``: what the cycle says of each slot.
    """
    allowance, unlimited = halted.allowance, verdicts.without_limit()
    best: OverLimit | None = None
    for slot in halted.board.slots.values():
        if said.get(slot.name) != Refusal.SUBMITTER_LIMIT:
            continue
        found = unlimited.by_tests(slot.name)
        if not isinstance(found, Candidate) or (best is not None and best.cost <= found.cost):
            continue
        used, limit = allowance.used, allowance.limit
        if found.kind is MatchKind.NONE:
            used, limit = allowance.used_unclaimed, allowance.limit_unclaimed
        best = OverLimit(slot.name, found.cost, used, limit)
    return best


# --- words ----------------------------------------------------------------------------------------


def slot_head(case: SlotCase, *, every: bool = False) -> list[Block]:
    """The verdict on the slot, and what decided it; ``every``: all clauses that did."""
    held = "" if case.user is None else f", claimed by {case.user}"
    refused = case.verdict.startswith("Req")
    verdict = f"{case.verdict} not true" if refused else case.verdict
    level = "bad" if case.place is None else "good"
    blocks: list[Block] = [Line(f"  {case.slot}{held}: {verdict}", level=level)]
    if case.shares is not None:
        blocks.append(Line(f"    {case.shares}"))
    if case.ranks is not None and case.winner is not None and case.place is not None:
        blocks.append(Line(f"    {_place(case.ranks, case.winner, case.place)}"))
    elif refused:
        failing = case.failing if every else case.failing[:MAX_CLAUSES]
        blocks += [Line(f"    {_failing(clause)}") for clause in failing]
    elif case.verdict == Refusal.PREEMPTION_REQUIREMENTS:
        for test in case.preemption:
            if test.name == "PREEMPTION_REQUIREMENTS":
                blocks += near_lines(test.finding, every=every)
    return blocks


def _failing(clause: ClauseValue) -> str:
    """A clause that is not true, with the values in it."""
    values = ", ".join(f"{item.name} is {values_of(item)}" for item in clause.operands)
    text = f"of the {clause.whose.value}: {tidy(clause.text)} is {clause.value}"
    return f"{text}: {values}" if values else text


def _place(mine: RankedSlot, winner: RankedSlot, place: int) -> str:
    if place == 1:
        return "the best of all candidates"
    name = first_difference(winner.keys, mine.keys)
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
        blocks.append(TextTable(_CLAUSES, rows))
    for test in case.preemption:
        blocks += [Line(), *test_blocks(test)]
    mine, winner, place = case.ranks, case.winner, case.place
    if mine is None or winner is None or place is None:
        return blocks
    if place == 1:
        return [*blocks, Line(), Line("the best of all candidates")]
    decided_by = first_difference(winner.keys, mine.keys)
    title = f"candidate {place}, after {winner.slot}{': a tie' if decided_by is None else ''}"
    keys = side_by_side(winner, mine, decided_by)
    return [*blocks, Line(), Line(title, heading=True), keys]


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
        TextColumn("slot", name=True),
        TextColumn("user", name=True, drop=1),
        TextColumn("candidate", right=True, brief="cand."),
        TextColumn("verdict", prose=True),
    )
    rows = tuple(
        (case.slot, case.user or "", "" if case.place is None else str(case.place), _verdict(case))
        for case in ranked
    )
    fine = sum(case.place is not None for case in cases)
    title = f"{machine_of(cases[0].slot)}: {fine} of {plural(len(cases), 'slot')} are candidates"
    return [
        Line(title, heading=True),
        TextTable(columns, rows),
        Line(f"  `pieslice why POOL {job} {ranked[0].slot}` shows one of them in full"),
    ]


def _verdict(case: SlotCase) -> str:
    """What the cycle says of a slot, and the clauses that are not true."""
    if case.place is not None or not case.failing or not case.verdict.startswith("Req"):
        return case.verdict
    refusing = (f"{tidy(clause.text)} is {clause.value}" for clause in case.failing)
    return f"{case.verdict}: {', '.join(refusing)}"
