"""Finds what lets a slot be taken from its user, or keeps it from being taken, and says so.

Decides which of the claimed slots came nearest to being preempted, and why a running job loses its
slot, from what the cycle does and what the slot ad says.  The causes are: a user with a better
claim under PREEMPTION_REQUIREMENTS, a job that the machine ranks higher, the startd's own policy,
and an administrator or daemon ending the claim.

Inputs: a halted cycle, what it says of each slot; the snapshot, a running job.  Outputs:
``PreemptionTest``, ``NearSlot``, ``Holding``; blocks for ``pieslice.reports.layout``.  Follows:
HTCondor's manual on preemption; ``State`` and ``Activity`` as the startd advertises them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.explain import explain
from classad.analysis.explanation import Explanation
from classad.evaluate import EvalContext
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Reference
from classad.table import Rows
from negotiator.matching.board import Offer
from negotiator.matching.candidate import Refusal
from negotiator.matching.preemption import rank_compared
from negotiator.model.result import CycleResult, Match, MatchKind
from negotiator.model.snapshot import Snapshot
from negotiator.pool.slots import Slot
from pieslice.negotiate.vacating import Vacating, running, vacating
from pieslice.reports.layout import Block, Line, short
from pieslice.why.asked import AskedJob
from pieslice.why.clauses import Pairs
from pieslice.why.conditions import ConditionValue, condition_value, condition_values, near_lines
from pieslice.why.moments import AskedCycle, look_at_match

#: How deep the definitions of attributes are followed.
DEPTH: Final = 3
_RANK: Final = "startd rank"
_REQUIREMENTS: Final = "PREEMPTION_REQUIREMENTS"
#: How wide a tree is that stands further in.
_WIDTH: Final = 78
#: A real that is a value, not a part of an expression.
_VALUE: Final = late_regex(r"(?<=  )-?\d\.\d{15}E[+-]\d{2,3}(?=  |$)")


# --- the tests ------------------------------------------------------------------------------------


@frozen(eq=False)
class PreemptionTest:
    """One test of those by which a slot can be taken from its user, with its arithmetic."""

    name: str
    passed: bool
    explanation: Explanation
    finding: ConditionValue


def preemption_tests(halted: Offer, slot: Slot) -> tuple[PreemptionTest, ...]:
    """How the tests for preemption come out; none for a slot that nobody holds."""
    policy, request, context = halted.board.policy, halted.request.ad, halted.board.context
    if slot.user is None or not policy.consider_preemption:
        return ()
    tests: dict[str, Expression | None] = {_RANK: rank_compared(">")}
    if policy.dialect.better_priority_preempts:
        remote = Reference("RemoteUserPrio", base=Reference("MY"))
        own = Reference("SubmitterUserPrio", base=Reference("TARGET"))
        tests["better priority"] = Expression.from_node(Binary(">", remote, own))
    tests[_REQUIREMENTS] = policy.preemption_requirements
    found = []
    for name, expr in tests.items():
        if expr is not None:
            why = explain(expr, slot.ad, request, context=context, depth=DEPTH)
            value = condition_value(expr, slot.ad, request, context)
            found.append(PreemptionTest(name, why.value is True, why, value))
    return tuple(found)


def test_blocks(test: PreemptionTest) -> list[Block]:
    """An expression of preemption with the value of every part."""
    said = "true" if test.passed else "not true"
    lines = [_tidy(line) for line in test.explanation.render(width=_WIDTH).split("\n")]
    return [
        Line(f"{test.name}: {said}", heading=True),
        *(Line(f"  {line}", heading=True) for line in lines),
    ]


def _tidy(line: str) -> str:
    """Values as people write them; what stands behind keeps its column."""
    return _VALUE.sub(lambda found: short(float(found[0])).ljust(len(found[0])), line).rstrip()


# --- slots of others that a job could get ---------------------------------------------------------


@frozen
class NearSlot:
    """A claimed slot, its user, and what of PREEMPTION_REQUIREMENTS (or the rank) is lacking."""

    slot: str
    user: str | None
    finding: ConditionValue


def nearest(halted: Offer, pairs: Pairs, verdicts: Mapping[str, str]) -> NearSlot | None:
    """Of the slots that PREEMPTION_REQUIREMENTS keeps, the one where least is lacking."""
    expr = halted.board.policy.preemption_requirements
    if expr is None:
        return None
    kept = [
        slot
        for slot in halted.board.slots.values()
        if verdicts.get(slot.name) == Refusal.PREEMPTION_REQUIREMENTS
    ]
    if not kept:
        return None
    rows = {id(slot): row for row, slot in enumerate(pairs.slots)}
    wanted = Rows.of(len(rows), [rows[id(slot)] for slot in kept])
    values = condition_values(expr, pairs, wanted)
    slot = min(kept, key=lambda slot: values[rows[id(slot)]].distance)
    return NearSlot(slot.name, slot.user, values[rows[id(slot)]])


def reason_to_preempt(halted: Offer, name: str, kind: MatchKind) -> NearSlot | None:
    """What makes the preemption of a slot possible that is matched."""
    expr = halted.board.policy.preemption_requirements
    if kind is MatchKind.RANK:
        expr = rank_compared(">")
    if kind is MatchKind.NONE or expr is None:
        return None
    found = _near(halted, halted.board.by_name[name], expr)
    # A partitionable slot is only preempted with the resources of its dynamic slots put back.
    return found if found.finding.true else None


def _near(halted: Offer, slot: Slot, expr: Expression) -> NearSlot:
    value = condition_value(expr, slot.ad, halted.request.ad, halted.board.context)
    return NearSlot(slot.name, slot.user, value)


# --- the slot of a running job --------------------------------------------------------------------


class PreemptionCause(Enum):
    """Why a job loses its slot."""

    PRIORITY = "user priority, under PREEMPTION_REQUIREMENTS"
    RANK = "the startd's RANK prefers the other job"
    STARTD = "the startd's own policy, or an administrator"
    DRAINED = "the machine is draining"


@frozen(eq=False)
class Holding:
    """A running job and its slot.  ``cause``: None if nothing takes the slot from it.

    ``match``: the one of this cycle that preempts it; ``tests``: what PREEMPTION_REQUIREMENTS and
    the startd's rank said then.
    """

    slot: str | None
    state: str | None
    activity: str | None
    cause: PreemptionCause | None
    match: Match | None
    tests: tuple[PreemptionTest, ...]
    taker: str | None
    #: How the job leaves; None if nothing takes the slot from it.
    vacating: Vacating | None

    @property
    def text(self) -> str:
        """What goes on with the slot, behind the status of the job."""
        if self.slot is None:
            return ", though no slot ad of the pool names it"
        if self.cause is None:
            return f" on {self.slot}, not preempted in this cycle"
        when = "preempted in this cycle" if self.match is not None else "preemption is under way"
        whom = "" if self.taker is None else f" for {self.taker}"
        return f" on {self.slot}, {when}{whom}"

    def blocks(self, *, every: bool = False) -> list[Block]:
        """The cause and its arithmetic, ``every`` clause of it; how the job leaves."""
        if self.slot is None:
            return []
        state = f"  the slot is {self.state}, {self.activity}"
        if self.cause is None or self.vacating is None:
            return [Line(state)]
        wanted = _RANK if self.cause is PreemptionCause.RANK else _REQUIREMENTS
        deciding = [test for test in self.tests if test.name == wanted]
        blocks: list[Block] = [Line(f"  cause: {self.cause.value}", level="bad")]
        for test in deciding:
            blocks += near_lines(test.finding, every=every)
        match = self.match
        if match is not None:
            prios = f"{short(match.new_prio)} against {short(match.preempted_prio)}"
            blocks.append(Line(f"  effective priorities: {prios} (bigger is worse)"))
            ranks = f"{short(match.new_startd_rank)} against {short(match.old_startd_rank)}"
            blocks.append(Line(f"  startd RANK: {ranks} (bigger is better)"))
        blocks += [*_leaving(self.vacating), Line(state)]
        for test in deciding:
            blocks += [Line(), *test_blocks(test)]
        return blocks


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


def holding(cycle: AskedCycle, job: AskedJob, result: CycleResult) -> Holding:
    """What becomes of the slot of a running job."""
    context = cycle.context
    ad = slot_of(cycle.snapshot, job, context)
    if ad is None:
        return Holding(None, None, None, None, None, (), None, None)
    name = ad.get_string("Name", context=context) or ""
    preempting = (m for m in result.matches if m.kind is not MatchKind.NONE)
    match = next((m for m in preempting if name in (m.slot, *m.dynamic_slots)), None)
    tests: tuple[PreemptionTest, ...] = ()
    if match is not None:
        tests = look_at_match(
            cycle, match.slot, lambda at: preemption_tests(at, at.board.by_name[name])
        )
    names = (
        ad.get_string(f"Preempting{kind}", context=context) for kind in ("AccountingGroup", "User")
    )
    named = next((name for name in names if name), None)
    cause = _cause(ad, match, named, context)
    return Holding(
        name,
        ad.get_string("State", context=context),
        ad.get_string("Activity", context=context),
        cause,
        match,
        tests,
        named if match is None else match.submitter,
        None if cause is None else vacating(name, ad, running(cycle.snapshot), context),
    )


def slot_of(snapshot: Snapshot, job: AskedJob, context: EvalContext) -> ClassAd | None:
    """The slot that a job runs on, by what the slots say, else by what the job says."""
    host = job.ad.get_string("RemoteHost", context=context)
    by_name: ClassAd | None = None
    ad: ClassAd
    global_id = job.ad.get_string("GlobalJobId", context=context)
    for ad in snapshot.slots:
        said = ad.get_string("GlobalJobId", context=context)
        if said is not None and said == global_id:
            return ad
        if said is None and ad.get_string("JobId", context=context) == job.id:
            return ad
        if host is not None and ad.get_string("Name", context=context) == host:
            by_name = ad
    return by_name


def _cause(
    ad: ClassAd, match: Match | None, taker: str | None, context: EvalContext
) -> PreemptionCause | None:
    """Why a slot is taken; ``taker``: who waits for it, by its ad."""
    if match is not None:
        is_rank = match.kind is MatchKind.RANK
        return PreemptionCause.RANK if is_rank else PreemptionCause.PRIORITY
    leaving = ad.get_string("State", context=context) == "Preempting"
    if not leaving and ad.get_string("Activity", context=context) != "Retiring":
        return None
    if ad.get_bool("Draining", context=context) is True:
        return PreemptionCause.DRAINED
    if taker is None:
        return PreemptionCause.STARTD
    new = ad.get_number("PreemptingRank", context=context)
    old = ad.get_number("CurrentRank", context=context)
    ranked = new is not None and old is not None and new > old
    return PreemptionCause.RANK if ranked else PreemptionCause.PRIORITY
