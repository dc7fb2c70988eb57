"""Describes why and how a running job loses its slot.

Inputs: a ``Holding``.  Outputs: blocks for ``pieslice.reports.layout``.  Follows: the four causes
of preemption in HTCondor's documentation.
"""

from __future__ import annotations

import re
from typing import Final

from classad.analysis.explanation import render
from pieslice.reports.layout import Block, Line, short
from pieslice.reports.vacating import Vacating
from pieslice.why.clauses.findingtext import near_lines
from pieslice.why.slots.case import PreemptionTest
from pieslice.why.slots.holders import Cause, Holding

#: A real that is a value, not a part of an expression.
_VALUE: Final = re.compile(r"(?<=  )-?\d\.\d{15}E[+-]\d{2,3}(?=  |$)")


def holding_text(found: Holding) -> str:
    """What goes on with the slot, behind the status of the job."""
    if found.slot is None:
        return ", though no slot ad of the pool names it"
    if found.cause is None:
        return f" on {found.slot}, not preempted in this cycle"
    when = "preempted in this cycle" if found.match is not None else "preemption is under way"
    whom = "" if found.taker is None else f" for {found.taker}"
    return f" on {found.slot}, {when}{whom}"


def holding_blocks(found: Holding) -> list[Block]:
    """The cause and its arithmetic, how the job leaves."""
    if found.slot is None:
        return []
    state = f"  the slot is {found.state}, {found.activity}"
    if found.cause is None or found.vacating is None:
        return [Line(state)]
    blocks: list[Block] = [Line(f"  cause: {found.cause.value}", level="bad")]
    for test in _deciding(found):
        blocks += near_lines(test.finding)
    match = found.match
    if match is not None:
        prios = f"{short(match.new_prio)} against {short(match.preempted_prio)}"
        blocks.append(Line(f"  effective priorities: {prios} (bigger is worse)"))
        ranks = f"{short(match.new_startd_rank)} against {short(match.old_startd_rank)}"
        blocks.append(Line(f"  startd RANK: {ranks} (bigger is better)"))
    blocks += _leaving(found.vacating)
    blocks.append(Line(state))
    for test in _deciding(found):
        blocks += [Line(), *test_blocks(test)]
    return blocks


def _deciding(found: Holding) -> list[PreemptionTest]:
    """The test that let the slot be taken."""
    wanted = "startd rank" if found.cause is Cause.RANK else "PREEMPTION_REQUIREMENTS"
    return [test for test in found.tests if test.name == wanted]


def _leaving(job: Vacating) -> list[Block]:
    """The signal and the times."""
    if job.retirement:
        text = f"  retirement time left: {job.retirement} s (MaxJobRetirementTime)"
    else:
        text = "  no retirement time left (MaxJobRetirementTime)"
    when = "now" if not job.soft_after else f"after {job.soft_after} s"
    why = f"MachineMaxVacateTime {job.machine_vacate} s"
    if job.job_vacate is not None:
        why += f", JobMaxVacateTime {job.job_vacate} s"
    kind = "" if job.universe is None else f" ({job.universe} universe)"
    kill = f"  {job.signal}{kind} {when}, hard kill after {job.hard_after} s: {why}"
    return [Line(text), Line(kill)]


def test_blocks(test: PreemptionTest) -> list[Block]:
    """An expression of preemption with the value of every part."""
    said = "true" if test.passed else "not true"
    lines = [_tidy(line) for line in render(test.explanation).split("\n")]
    return [
        Line(f"{test.name}: {said}", heading=True),
        *(Line(f"  {line}", heading=True) for line in lines),
    ]


def _tidy(line: str) -> str:
    """Values as people write them; what stands behind keeps its column."""
    return _VALUE.sub(lambda found: short(float(found[0])).ljust(len(found[0])), line).rstrip()
