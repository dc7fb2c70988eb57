"""Puts the answer to ``pieslice why JOB [SLOT]`` together, and says it.

Decides which questions are asked of which job: a waiting one of the cycle, a running one of its
slot, any other of its status; and what the reader needs before any table: the verdict, how the
request went, how many slots each cause took, what the nearest one lacks, what would help.

Inputs: a cycle, the job.  Outputs: ``Explained``, the answer; raises ``UnknownSlotError``.
Follows: HTCondor's names of attributes and knobs, its reasons for rejections.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attr import field, frozen

from negotiator.jobs.readiness import IDLE, RUNNING
from negotiator.jobs.requests import NO_AUTOCLUSTER
from negotiator.matching.board import Offer
from negotiator.model.loaded_slots import slot_names, slots_named
from negotiator.model.result import CycleResult, MatchKind, Reason
from negotiator.model.snapshot import Snapshot
from pieslice.between.leftovers import barred_by_limits, makes_no_part, may_have_limits
from pieslice.negotiate.text import match_blocks
from pieslice.negotiate.waiting import UsableIdle
from pieslice.reports.document import INLINE, NOT_SHOWN, json_name, shape
from pieslice.reports.layout import Block, Line
from pieslice.reports.result import Result
from pieslice.why.asked import AskedJob, find_slots, no_such_slot, slots_of_machine
from pieslice.why.clause_tables import clause_blocks
from pieslice.why.conditions import near_lines
from pieslice.why.fates import (
    Absence,
    Fate,
    JobFate,
    fate_of,
    reason_of,
    request_blocks,
    sentence,
    where_it_runs,
    why_no_session,
    why_not_ready,
)
from pieslice.why.funnel import (
    Funnel,
    Verdicts,
    funnel,
    funnel_blocks,
    match_pool,
    requirement_blocks,
    tally,
)
from pieslice.why.limits import Limits, SubmitterCourse, limit_blocks, limits, submitter_course
from pieslice.why.moments import AskedCycle, JobHistory, When, look_at
from pieslice.why.own_machine import OwnMachine, on_own_machine
from pieslice.why.preemption import Holding, NearSlot, holding, nearest, reason_to_preempt
from pieslice.why.ranking import RankedSlot, Ranking, against, ranking, side_by_side
from pieslice.why.slots import (
    OverLimit,
    SlotCase,
    cheapest,
    machine_blocks,
    slot_blocks,
    slot_case,
    slot_head,
)
from pieslice.why.suggestions import SuggestedChanges, change_blocks, smallest_changes
from policy.data.tables import attribute_names
from policy.versions import Followed


@frozen(eq=False)
class Seen:
    """What the moment shows.

    ``near``: what keeps the job from the slot nearest to being preempted, or lets it preempt.
    """

    limits: Limits
    near: NearSlot | None
    over_limit: OverLimit | None
    hypothetical: bool
    funnel: Funnel = field(metadata=INLINE)
    changes: SuggestedChanges = field(metadata=INLINE)
    best: RankedSlot | None
    runner_up: RankedSlot | None
    case: SlotCase | None = field(metadata=json_name("slot"))
    #: The slots of the machine, if a machine was named.
    machine: tuple[SlotCase, ...]
    ranking: Ranking = field(metadata=NOT_SHOWN)
    #: The turn of the pie; None outside of one.
    spin: int | None = field(metadata=NOT_SHOWN)


@frozen(eq=False, repr=False)
class Explained(Result):
    """What the cycle did with a job, and why; ``slots`` of the pool.

    ``seen`` for a job that waits, ``holding`` for one that runs.  ``fate``: what became of a job
    that waits, with the request that it was in; ``absence``: why its submitter had no session;
    ``not_ready``: why an idle job is not offered.
    """

    schema: ClassVar[str] = "pieslice/why/1"
    history: JobHistory
    standing: SubmitterCourse
    slots: int
    seen: Seen | None
    holding: Holding | None
    fate: JobFate | None
    absence: Absence | None
    not_ready: str | None
    #: Why a slot that was asked about was not considered in the cycle at all.
    trimmed: tuple[str, str] | None
    #: A slot that was matched and whose rest the job may not use, since it has limits.
    barred: str | None
    #: Whether the startd of its slot asks START of the dynamic slot, too, and makes none.
    refused: bool
    #: The tests of a schedd that runs the job on its own machine, while it waits.
    own_machine: OwnMachine | None = None
    #: What the jobs of its autocluster can use of the idle slots.
    usable: UsableIdle | None = None
    followed: Followed | None = None
    #: Whether text has every clause, each in full.
    every_clause: bool = field(default=False, metadata=NOT_SHOWN)

    def summary(self) -> str:
        """The verdict in one line."""
        history, fate = self.history, self.fate
        job = f"job {history.job.id}{history.job.of}"
        if fate is None or self.seen is None:
            if self.own_machine is not None:
                own = self.own_machine
                return f"{job}: idle, {own.universe} universe: {own.waits}"
            if self.not_ready is not None:
                return f"{job}: idle, but not offered: {self.not_ready}"
            what = where_it_runs(history.job) or ("" if self.holding is None else self.holding.text)
            return f"{job}: {history.job.status_and_reason}{what}"
        if fate.fate is not Fate.MATCHED:
            cause = sentence(fate, "" if self.absence is None else self.absence.text)
            return f"{job}: {cause}" if fate.left is None else f"{job}: starts {fate.left.text}"
        ranked = self.seen.ranking.slots
        best = next((item for item in ranked if item.slot == history.slot), None)
        matched = f"{job}: matched, {history.slot}{'' if best is None else f' ({best.how})'}"
        return f"{matched}, but its startd refuses it" if self.refused else matched

    @property
    def reason(self) -> str | None:
        """Why it is not matched, or not offered."""
        fate = self.fate
        if fate is None or fate.fate is Fate.MATCHED:
            return self.not_ready if self.own_machine is None else self.own_machine.waits
        return reason_of(fate) if self.absence is None else self.absence.text

    @property
    def when(self) -> When | None:
        """When in the cycle it is looked at, if it waits."""
        return self.history.when if self.history.waiting else None

    def blocks(self) -> Sequence[Block]:
        """The whole answer, the verdict first."""
        seen, fate, job = self.seen, self.fate, self.history.job.id
        parts: list[list[Block]] = [[Line(self.summary(), heading=True)]]
        if self.own_machine is not None:
            parts[0] += self.own_machine.blocks(every=self.every_clause)
        if self.holding is not None:
            parts[0] += self.holding.blocks(every=self.every_clause)
        if seen is not None and seen.machine:
            parts += [machine_blocks(seen.machine, job), []]
        if seen is not None and fate is not None:
            parts[-1] += [*self._departures(fate), *self._head(seen, fate), *self._moment(seen)]
        if seen is not None and seen.case is not None:
            parts.append(slot_blocks(seen.case, job))
        elif seen is not None and self.trimmed is None and not seen.machine:
            parts += self._over_the_pool(seen)
        return [block for part in parts if part for block in (*part, Line())][:-1]

    # --- the head -----------------------------------------------------------------------------

    def _departures(self, fate: JobFate) -> list[Block]:
        """Where the real negotiator would not come to an end for the request of the job."""
        if fate.request is None:
            return []
        about = f"job {fate.request.jobs[0]} of {fate.submitter}"
        return [
            Line(f"  {item.kind.number}: {item.kind.text}", level="bad")
            for item in self.history.result.departures
            if about in item.about
        ]

    def _head(self, seen: Seen, fate: JobFate) -> list[Block]:
        """What follows the verdict of a job that waits, or would."""
        request = [*self._after(fate), *request_blocks(fate)]
        if self.trimmed is not None:
            name, cause = self.trimmed
            return [Line(f"  {name} was not considered: {cause}"), *request]
        if seen.case is not None:
            return [*slot_head(seen.case, every=self.every_clause), *_over_limit(seen), *request]
        if seen.machine:
            return request
        if self.history.when is When.MATCHED:
            return [*request, *_choice(seen, every=self.every_clause)]
        full = bool(seen.limits.full)
        went = tally(seen.funnel, self.history.result, self.slots, full=full)
        lead = "if it were requested then: " if seen.hypothetical else ""
        blocks = [*request, Line(f"  {lead}{went}")]
        if not seen.funnel.candidates:
            blocks += _losses(seen, every=self.every_clause, fits_nowhere=self._fits_nowhere)
        if self.usable is not None:
            level = "bad" if self.usable.lacking else ""
            blocks.append(Line(f"  {self.usable.text}", level=level))
        return blocks

    def _after(self, fate: JobFate) -> list[Block]:
        """What the cycle itself made of a job that starts on a leftover, or why it may use none."""
        if self.refused:
            text = "START or another requirement of it is not true of the dynamic slot, which has"
            return [
                Line(
                    f"  {text} what the job asks for: the job is matched and never starts",
                    level="bad",
                )
            ]
        if fate.left is not None:
            return [Line(f"  in the cycle itself: {sentence(fate, '')}")]
        if self.barred is None:
            return []
        text = f"it may not use what is left of {self.barred}: it has concurrency limits"
        return [Line(f"  {text} (one start for each partitionable slot and cycle)", level="bad")]

    @property
    def _fits_nowhere(self) -> bool:
        """Whether no slot would take the job, whatever its limits are."""
        return self.usable is not None and self.usable.never

    def _moment(self, seen: Seen) -> list[Block]:
        """When the cycle was looked at, and under which limits the job was."""
        history, found = self.history, seen.limits
        group = "" if found.group is None else f", negotiating for group {found.group}"
        spin = "" if seen.spin is None else f", spin {seen.spin} of the pie"
        blocks: list[Block] = [Line(f"  {history.when.value}{group}{spin}")]
        if history.asked_by is not None:
            asked = f"  its schedd requested a match for job {history.asked_by}"
            blocks.append(Line(f"{asked} and ran this job instead"))
        told = self.fate is not None and _limits_are_full(self.fate)
        blocks += limit_blocks(found, full_told=told)
        past = history.job.ad.get_string("VacateReason")
        if past:
            blocks.append(Line(f"  reason of its last vacate: {past}"))
        return blocks

    # --- the tables ---------------------------------------------------------------------------

    def _over_the_pool(self, seen: Seen) -> list[list[Block]]:
        found, limited = seen.funnel, seen.limits
        parts: list[list[Block]] = []
        request = None if self.fate is None else self.fate.request
        if request is not None and len(request.got) > 1:
            title = Line("slots of the request, in the order of the matches", heading=True)
            parts.append([title, *match_blocks([got.match for got in request.got])])
        parts.append(funnel_blocks(found, self.history.result, self.slots, limited.full))
        if self.history.when is When.MATCHED:
            if seen.best is not None and seen.runner_up is not None:
                decided_by = seen.runner_up.decided_by
                tie = ": a tie" if decided_by is None else ""
                title = Line(f"chosen over {seen.runner_up.slot}, the runner-up{tie}", heading=True)
                parts.append([title, side_by_side(seen.best, seen.runner_up, decided_by)])
            return parts
        kept = "PREEMPTION_REQUIREMENTS, over the slots that it keeps"
        every = self.every_clause
        clauses = found.preemption_clauses
        clauses = clauses if every else tuple(one for one in clauses if one.refuses)
        tables = [
            requirement_blocks(found, self.slots, every=every),
            clause_blocks(kept, clauses, every=every),
        ]
        parts += reversed(tables) if every else tables
        if not limited.refuse or self._fits_nowhere:
            parts.append(change_blocks(seen.changes.best, seen.changes.no_help))
        return parts


shape(
    Explained,
    "job=history.job.id submitter=history.job.submitter status=history.job.status_text"
    " verdict=summary matched=history.slot when asked_by=history.asked_by fate=fate.fate"
    " left=fate.left barred refused place=fate.place request=fate.request"
    " unasked=fate.unasked reason"
    " attempts=history.attempts standing holding own_machine slots usable"
    " trimmed=history.result.trimmed =seen",
)


def _choice(seen: Seen, *, every: bool) -> list[Block]:
    """By which key the slot was chosen, and what let it be preempted."""
    best, second, near = seen.best, seen.runner_up, seen.near
    assert best is not None, "a slot that was matched is a candidate"
    blocks: list[Block] = [Line("  it was the only candidate")]
    if second is not None:
        key = second.decided_by
        over = "a tie with" if key is None else f"{against(key, best, second)} of"
        count = f"chosen of {len(seen.ranking.slots)} candidates"
        blocks = [Line(f"  {count}: {over} {second.slot}, the next one")]
    if near is not None:
        by_rank = best.kind is MatchKind.RANK
        name = "the startd's RANK" if by_rank else "PREEMPTION_REQUIREMENTS"
        blocks += [Line(f"  {name} of {near.user}'s slot:"), *near_lines(near.finding, every=every)]
    return blocks


def _losses(seen: Seen, *, every: bool, fits_nowhere: bool) -> list[Block]:
    """What the nearest slot lacks where no candidate is left, and what would help.

    ``fits_nowhere``: without its limits no slot would take the job either.
    """
    blocks, near = _over_limit(seen), seen.near
    if near is not None:
        blocks.append(Line(f"  nearest preemption: {near.slot} of {near.user}", level="bad"))
        blocks += near_lines(near.finding, every=every)
    if seen.limits.refuse and not fits_nowhere:
        return blocks
    # Names that neither ad has, with what was probably meant.
    slips = {
        operand.name: operand.suggestion
        for clause in seen.funnel.clauses
        for operand in clause.operands
        if operand.owner is None and operand.suggestion is not None
    }
    for name, meant in slips.items():
        text = f"  {name} is in neither ad: did you mean `{meant}`?"
        blocks.append(Line(text, level="bad"))
    # What does not help is told only where nothing does.
    best = seen.changes.best[:1]
    told = change_blocks(best, () if best else seen.changes.no_help[:1])
    lead = "would help: " if best else ""
    return blocks + [
        Line(f"  {lead}{line.text.strip()}") for line in told[1:] if isinstance(line, Line)
    ]


def _over_limit(seen: Seen) -> list[Block]:
    """What the slot costs that comes nearest to the submitter limit."""
    return [] if seen.over_limit is None else [Line(f"  {seen.over_limit.text}")]


# --- the questions --------------------------------------------------------------------------------


def explain_job(
    cycle: AskedCycle, job: AskedJob, slot: str | None = None, *, every_clause: bool = False
) -> Explained:
    """Why a job is matched, rejected or preempted; with ``slot`` on that slot.

    ``every_clause``: texts show every clause in full.
    Raises ``UnknownSlotError``.
    """
    snapshot, policy = cycle.snapshot, cycle.policy
    history, seen = look_at(cycle, job, lambda at, history: _look(at, history, slot))
    result, trimmed = history.result, None
    if slot is not None and seen is not None and seen.case is None and not seen.machine:
        trimmed = not_considered(snapshot, result, slot)
    held = None
    if job.status == RUNNING and where_it_runs(job) is None:
        held = holding(cycle, job, result)
    fate = fate_of(history.record, job.id, history.left)
    absence, barred, refused = None, None, False
    if fate is not None and fate.fate is Fate.MATCHED and history.slot is not None:
        there = slots_named(snapshot.slots, {history.slot}).get(history.slot)
        refused = makes_no_part(there, job.ad, policy, result.now)
    limited = fate is not None and fate.fate is not Fate.MATCHED and not _limits_are_full(fate)
    if limited and may_have_limits(snapshot.slots, job.ad):
        matched = slots_named(snapshot.slots, {match.slot for match in result.matches})
        barred = barred_by_limits(matched, job.ad, policy, result.now)
    if fate is not None and fate.fate is Fate.NO_SESSION:
        absence = why_no_session(snapshot, policy, result, fate.submitter, fate.schedd)
    not_ready = own = None
    if fate is None and job.status == IDLE:
        not_ready = why_not_ready(job, cycle.now, snapshot.slots, policy.language)
        waiting = on_own_machine(snapshot, policy, cycle.now)
        own = waiting.get((job.schedd, (job.cluster, job.proc)))
    return Explained(
        history,
        submitter_course(result, history.job.submitter, job.schedd),
        len(snapshot.slots),
        seen,
        held,
        fate,
        absence,
        not_ready,
        trimmed,
        barred,
        refused,
        own,
        _usable(cycle, history, fate),
        cycle.version,
        every_clause,
    )


def _usable(cycle: AskedCycle, history: JobHistory, fate: JobFate | None) -> UsableIdle | None:
    """What jobs like one that waits can use of the idle slots."""
    if fate is None:
        return None
    waiting = history.record.waiting[fate.submitter, fate.schedd]
    cluster = fate.job.partition(".")[0]
    alike = sum(
        other.id.partition(".")[0] == cluster
        if fate.autocluster == NO_AUTOCLUSTER
        else other.autocluster == fate.autocluster
        for other in waiting
    )
    return cycle.idle_use(history.result).of(history.job.ad, alike)


def _limits_are_full(fate: JobFate) -> bool:
    """Whether its concurrency limits kept the job from being matched at all."""
    rejection = None if fate.request is None else fate.request.rejection
    return rejection is not None and rejection.reason is Reason.CONCURRENCY_LIMIT


def _look(halted: Offer, history: JobHistory, slot: str | None) -> Seen:
    """What the moment shows; ``slot``: of which slots in particular."""
    known = frozenset(name.lower() for name in attribute_names())
    board, found = halted.board, ranking(halted)
    match = match_pool(halted, known)
    verdicts = Verdicts.at(halted, match)
    sieved = funnel(halted, match, verdicts)
    changes = smallest_changes(halted, match, verdicts)
    names = [] if slot is None else slots_of_machine([item.name for item in board.pool], slot)
    cases = tuple(
        slot_case(halted, name, sieved.verdicts.get(name, ""), found, known) for name in names
    )
    case = cases[0] if len(cases) == 1 else None
    said = sieved.verdicts if case is None else {case.slot: case.verdict}
    near = nearest(halted, match.pairs, said)
    if history.when is When.MATCHED:
        best = next((item for item in found.slots if item.slot == history.slot), None)
        near = None if best is None else reason_to_preempt(halted, best.slot, best.kind)
    bounds = limits(halted, history.result)
    first, second, *_ = (*found.slots[:2], None, None)
    return Seen(
        bounds,
        near,
        cheapest(halted, said, verdicts),
        halted.hypothetical,
        sieved,
        changes,
        first,
        second,
        case,
        cases if case is None else (),
        found,
        None if bounds.pie is None else board.spin,
    )


def not_considered(snapshot: Snapshot, result: CycleResult, text: str) -> tuple[str, str]:
    """A slot that was taken out before the cycle, or that the negotiator never saw, and why."""
    causes = {item.name: item.cause.value for item in result.trimmed}
    for name in find_slots(list(causes), text):
        return name, causes[name]
    names = slot_names(snapshot.slots)
    for name in find_slots(names, text):
        absent = slots_named(snapshot.slots, (name,))[name].get_bool("Absent") is True
        cause = "its ad has Absent = true" if absent else "NEGOTIATOR_SLOT_CONSTRAINT is not true"
        return name, cause
    raise no_such_slot(names, text)
