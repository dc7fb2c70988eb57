"""Says what JSON has of a cycle.

Field names are those of the negotiation vectors (``seq pie spin submitter schedd job count of
autocluster slot kind preempted cost``); usage, limits and costs are in slot weights.

Inputs: a ``CycleReport`` and the diagnostics of reading.  Outputs: ``CycleData``.
Follows: the ``observed`` part of the negotiation vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from attr import field, frozen

from classad.errors import Diagnostic
from negotiator.capture.agreement import AdAge, Agreement, DecisionDifference
from negotiator.capture.group_maps import Assignments
from negotiator.model.departures import Departure
from negotiator.model.result import (
    GroupSummary,
    Match,
    MatchKind,
    Rejection,
    SubmitterSummary,
)
from negotiator.model.snapshot import UnsupportedKnob
from pieslice.negotiate.overlap import Overlap
from pieslice.negotiate.tables import SUBMITTER, Tables
from pieslice.negotiate.text import CycleReport, iso_time, sort_keys, timed_turns
from pieslice.negotiate.vacating import Vacating
from pieslice.reports.document import INLINE, SPARSE, Document, shape, view

if TYPE_CHECKING:
    from pieslice.reports.whatif import WhatIfData


@view(
    "name=pool.name machines=pool.machines slots=pool.slots users=pool.users jobs=pool.jobs"
    " idle_jobs=pool.idle_jobs not_requested=pool.not_requested now_from=pool.now_from"
    " now_iso=.now_iso dialect=pool.dialect.name"
    " =pool.version slot_weight_total=result.pool.pool_weight"
    " min_slot_weight=result.pool.min_slot_weight pie=result.pool.pie trimmed=result.trimmed"
)
class CyclePool:
    """The pool in numbers, whose rules are followed, and the slots that were left out."""

    outcome: CycleReport

    def now_iso(self) -> str:
        """The time of the cycle."""
        return iso_time(self.outcome.pool.now)


@frozen
class GroupRound:
    """What one allocation round gave a group; ``sort_key``: by which number it took its turn."""

    round: int
    sort_key: float | None
    requested: float
    allocated: float
    unallocated: float


@view(
    "group=name config_quota static accept_surplus autoregroup quota subtree_quota rounds=.rounds"
    " usage usage_after submitters"
)
class CycleGroup:
    """An accounting group; usage before and after the cycle, in slot weights."""

    group: GroupSummary
    rounds: Sequence[GroupRound]


@view("preempted_prio old_startd_rank new_prio new_startd_rank dynamic_slots?")
class PreemptionTerms:
    """The effective priorities and the startd's ranks of the two jobs of a preemption."""

    match: Match


@view("seq pie spin submitter schedd job count of autocluster slot kind preempted cost =.terms")
class CycleMatch:
    """The ``count``-th match of a request for ``of`` jobs, of which ``job`` is the first."""

    match: Match

    def terms(self) -> PreemptionTerms | None:
        """What the match goes by that takes the slot from somebody."""
        return None if self.match.kind is MatchKind.NONE else PreemptionTerms(self.match)


@view("pie spin submitter schedd job autocluster reason=text")
class CycleRejection:
    """A request that found no slot; ``reason`` is HTCondor's text."""

    rejection: Rejection


@frozen
class EndedTurn:
    """A turn that a time limit prevented or ended."""

    submitter: str
    reason: str
    pie: int
    spin: int


@frozen
class CycleTime:
    """The simulated seconds of the requests, and whom a time limit concerned."""

    seconds: float
    ended: Sequence[EndedTurn]


@frozen
class CycleAgreement:
    """How many decisions of the real negotiator were made alike, and those that were not."""

    file: str
    agreement: Agreement


@frozen
class CycleData:
    """One negotiation cycle."""

    pool: CyclePool
    now: float
    assignments: Assignments
    submitters: Sequence[SubmitterSummary]
    groups: Sequence[CycleGroup]
    matches: Sequence[CycleMatch]
    vacating: Sequence[Vacating]
    rejections: Sequence[CycleRejection]
    time: CycleTime
    departures: Sequence[Departure]
    agreement: CycleAgreement | None
    unsupported: Sequence[UnsupportedKnob]
    diagnostics: Sequence[Diagnostic]
    tables: Tables
    what_if: WhatIfData | None = field(default=None, metadata=SPARSE)

    @classmethod
    def of(
        cls,
        outcome: CycleReport,
        diagnostics: Sequence[Diagnostic] = (),
        tables: Tables | None = None,
    ) -> CycleData:
        """Everything the report says, and every number it was made of."""
        result, agreement = outcome.result, outcome.agreement
        ended = [EndedTurn(name, it.value, *when) for name, it, *when in timed_turns(result)]
        return cls(
            CyclePool(outcome),
            result.now,
            outcome.assignments,
            result.submitters,
            _groups(outcome),
            [*map(CycleMatch, result.matches)],
            outcome.vacating,
            [*map(CycleRejection, result.rejections)],
            CycleTime(result.seconds, ended),
            result.departures,
            None if agreement is None else CycleAgreement(outcome.expected_name, agreement),
            outcome.unsupported,
            diagnostics,
            tables or {},
            outcome.what_if_data,
        )


def _groups(outcome: CycleReport) -> list[CycleGroup]:
    rounds: dict[str, list[GroupRound]] = {}
    for done in outcome.result.rounds:
        keys = sort_keys(done)
        for item in done.groups:
            found = rounds.setdefault(item.group, [])
            numbers = item.requested, item.allocated, item.unallocated
            found.append(GroupRound(done.round, keys.get(item.group), *numbers))
    return [CycleGroup(group, rounds.get(group.name, [])) for group in outcome.result.groups]


@frozen
class Cycles(Document):
    """Several negotiation cycles, ``interval`` seconds apart."""

    schema: ClassVar[str] = "pieslice/cycles/1"
    cycles: Sequence[CycleData]
    interval: float


@frozen
class NamedCycle:
    """The cycle of the negotiator of a local name."""

    local_name: str
    cycle: CycleData = field(metadata=INLINE)


@frozen
class Negotiators(Document):
    """One cycle of each of several negotiators, and what they have in common."""

    schema: ClassVar[str] = "pieslice/negotiators/1"
    negotiators: Sequence[NamedCycle]
    overlap: Overlap


shape(SubmitterSummary, f"name {SUBMITTER}")
shape(Departure, "id=kind.number times about text=kind.text")
shape(
    CycleAgreement,
    "file=.file negotiator decisions=expected agree=agreeing extra differences",
    through="agreement",
)
shape(DecisionDifference, "decision=kind side position =fields from_age ads")
shape(AdAge, "ad=what name in_capture=there older_seconds=older")
shape(UnsupportedKnob, "knob=name value place effect")
shape(Diagnostic, "severity file=source.name line column message help id?")
