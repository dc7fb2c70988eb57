"""Says the answer itself: the first lines of ``pieslice why``.

Decides what the reader needs before any table: the verdict, how the request went, how many slots
each cause took, what the nearest one lacks, what would help.

Inputs: an ``Answer``.  Outputs: the verdict; blocks for ``pieslice.reports.layout``.  Follows:
HTCondor's reasons for rejections.
"""

from __future__ import annotations

from negotiator.matching.candidate import Refusal
from negotiator.model.result import MatchKind, Reason
from pieslice.reports.layout import Block, Line, short
from pieslice.reports.text import KINDS, plural
from pieslice.why.answer import Answer, Seen
from pieslice.why.clauses.findingtext import near_lines
from pieslice.why.clauses.funnel import LIMITS, MATCHED, PREEMPTING
from pieslice.why.clauses.text import change_blocks
from pieslice.why.requests.absence import status_of
from pieslice.why.requests.fates import Fate, JobFate
from pieslice.why.requests.limits import Limits
from pieslice.why.requests.moments import JobHistory, When
from pieslice.why.requests.text import amount, limit_of, request_blocks, sentence
from pieslice.why.slots.casetext import slot_head
from pieslice.why.slots.holdtext import holding_text
from pieslice.why.slots.ranking import RankedSlot
from pieslice.why.slots.ranktext import against


def headline(answer: Answer) -> str:
    """The verdict in one line."""
    history, fate = answer.history, answer.fate
    job = f"job {history.job.id}{history.job.of}"
    if fate is None or answer.seen is None:
        if answer.not_ready is not None:
            return f"{job}: idle, but not offered: {answer.not_ready}"
        what = "" if answer.holding is None else holding_text(answer.holding)
        return f"{job}: {status_of(history.job)}{what}"
    return f"{job}: {_verdict(answer, answer.seen, fate)}"


def _verdict(answer: Answer, seen: Seen, fate: JobFate) -> str:
    history = answer.history
    if fate.fate is Fate.MATCHED:
        best = next((s for s in seen.ranking.slots if s.slot == history.slot), None)
        how = "" if best is None else f" ({_how(best)})"
        return f"matched, {history.slot}{how}"
    return sentence(fate, "" if answer.absence is None else answer.absence.text)


def _how(slot: RankedSlot) -> str:
    whom = "" if slot.preempts is None else f" of {slot.preempts}"
    return f"{KINDS[slot.kind]}{whom}"


def head_blocks(answer: Answer) -> list[Block]:
    """What follows the verdict of a job that waits, or would."""
    seen, fate = answer.seen, answer.fate
    if seen is None or fate is None:
        return []
    if answer.trimmed is not None:
        name, cause = answer.trimmed
        blocks = [Line(f"  {name} was not considered: {cause}"), *request_blocks(fate)]
    elif seen.case is not None:
        blocks = [*slot_head(seen.case), *_over_limit(seen), *request_blocks(fate)]
    elif seen.machine:
        blocks = request_blocks(fate)
    elif answer.history.when is When.MATCHED:
        blocks = [*request_blocks(fate), *_choice(seen)]
    else:
        blocks = [*request_blocks(fate), *_losses(answer, seen)]
    return _departed(answer, fate) + blocks + _moment(answer, seen)


def _departed(answer: Answer, fate: JobFate) -> list[Block]:
    """Where the real negotiator would not come to an end for the request that the job is in."""
    if fate.request is None:
        return []
    about = f"job {fate.request.jobs[0]} of {fate.submitter}"
    return [
        Line(f"  {item.kind.number}: {item.kind.text}", level="bad")
        for item in answer.history.result.departures
        if about in item.about
    ]


# --- why this slot --------------------------------------------------------------------------------


def _choice(seen: Seen) -> list[Block]:
    """By which key the slot was chosen, and what let it be preempted."""
    slots = seen.ranking.slots
    blocks: list[Block] = []
    if len(slots) == 1:
        blocks.append(Line("  it was the only candidate"))
    else:
        blocks.append(Line(f"  chosen of {len(slots)} candidates: {_decided(slots[0], slots[1])}"))
    if seen.near is not None:
        by_rank = slots[0].kind is MatchKind.RANK
        name = "the startd's RANK" if by_rank else "PREEMPTION_REQUIREMENTS"
        blocks += [Line(f"  {name} of {seen.near.user}'s slot:"), *near_lines(seen.near.finding)]
    return blocks


def _decided(best: RankedSlot, second: RankedSlot) -> str:
    name = second.decided_by
    if name is None:
        return f"a tie with {second.slot}, the next one"
    return f"{against(name, best, second)} of {second.slot}, the next one"


# --- why none -------------------------------------------------------------------------------------


def _losses(answer: Answer, seen: Seen) -> list[Block]:
    """Where the slots went, what the nearest lacks, what would help."""
    lead = "if it were requested then: " if seen.hypothetical else ""
    blocks: list[Block] = [Line(f"  {lead}{tally(answer, seen)}")]
    if seen.funnel.candidates:
        return blocks
    blocks += _over_limit(seen)
    if seen.near is not None:
        blocks.append(
            Line(f"  nearest preemption: {seen.near.slot} of {seen.near.user}", level="bad")
        )
        blocks += near_lines(seen.near.finding)
    if not seen.limits.refuse:
        blocks += _slips(seen)
        blocks += _help(seen)
    return blocks


def _help(seen: Seen) -> list[Block]:
    """The smallest change that helps; what does not help only where nothing does."""
    best = seen.funnel.changes[:1]
    told = change_blocks(best, () if best else seen.funnel.no_help[:1])
    lead = "would help: " if best else ""
    return [Line(f"  {lead}{line.text.strip()}") for line in told[1:] if isinstance(line, Line)]


def _slips(seen: Seen) -> list[Block]:
    """Names that neither ad has, with what was probably meant."""
    found = {
        operand.name: operand.suggestion
        for clause in seen.funnel.clauses
        for operand in clause.operands
        if operand.owner is None and operand.suggestion is not None
    }
    return [
        Line(f"  {name} is in neither ad: did you mean `{meant}`?", level="bad")
        for name, meant in found.items()
    ]


def _over_limit(seen: Seen) -> list[Block]:
    """What the slot costs that comes nearest to the submitter limit."""
    over = seen.over_limit
    if over is None:
        return []
    used, limit, cost = amount(over.used), amount(over.limit), amount(over.cost)
    return [Line(f"  over the limit: {over.slot} costs {cost}, {used} of {limit} is used")]


def tally(answer: Answer, seen: Seen) -> str:
    """``of 56 slots: 20 matched earlier in this cycle, 17 do not match, ...``."""
    result, sieved = answer.history.result, seen.funnel
    unseen = answer.slots - result.pool.slots
    parts = [f"{unseen} not seen by the negotiator"] if unseen else []
    if result.trimmed:
        parts.append(f"{len(result.trimmed)} not considered")
    for step in sieved.steps:
        if step.name in (PREEMPTING, LIMITS):
            parts += [f"{part.slots} {_as_clause(part.cause)}" for part in step.parts]
        elif step.removed:
            fit = [part.slots for part in step.parts if part.would_match]
            of = f" ({sum(fit) or 'none'} would match)" if step.name == MATCHED else ""
            parts.append(f"{step.removed} {step.name}{of}")
    if sieved.candidates:
        limited = " but for the concurrency limit" if seen.limits.full else ""
        parts.append(f"{plural(sieved.candidates, 'candidate')}{limited}")
    return f"of {plural(answer.slots, 'slot')}: {', '.join(parts) or 'none'}"


def _as_clause(cause: str) -> str:
    """A cause behind the number of its slots."""
    if cause in (Refusal.SUBMITTER_LIMIT, Refusal.CONCURRENCY_LIMIT):
        return f"over the {cause}"
    is_sentence = cause.startswith(("PREEMPTION", "startd"))
    return f"where {cause}" if is_sentence else cause


# --- when, and under which limits -----------------------------------------------------------------


def _moment(answer: Answer, seen: Seen) -> list[Block]:
    """When the cycle was looked at, and under which limits the job was."""
    history, found = answer.history, seen.limits
    blocks: list[Block] = [Line(f"  {history.when.value}{_turn(found, seen.spin)}")]
    if history.asked_by is not None:
        blocks.append(
            Line(
                f"  its schedd requested a match for job {history.asked_by}"
                " and ran this job instead"
            )
        )
    blocks += _limits(found, told=_is_about_limits(answer.fate))
    past = _last_vacate(history)
    if past:
        blocks.append(Line(f"  reason of its last vacate: {past}"))
    return blocks


def _last_vacate(history: JobHistory) -> str | None:
    return history.job.ad.get_string("VacateReason")


def _turn(found: Limits, spin: int | None) -> str:
    where = "" if found.group is None else f", negotiating for group {found.group}"
    return where if spin is None else f"{where}, spin {spin} of the pie"


def _is_about_limits(fate: JobFate | None) -> bool:
    """Whether the verdict names the concurrency limits that are full."""
    rejection = None if fate is None or fate.request is None else fate.request.rejection
    return rejection is not None and rejection.reason is Reason.CONCURRENCY_LIMIT


def _limits(found: Limits, *, told: bool) -> list[Block]:
    blocks: list[Block] = []
    if found.share is not None and found.pie is not None:
        limit = limit_of(found.limit, found.limit_unclaimed)
        used, pie, usage = (amount(value) for value in (found.used, found.pie, found.usage))
        text = f"  submitter limit {limit}, {used} used in this session"
        share = f"{found.share * 100:.1f}% of slot weight {pie}, {usage} in use"
        blocks.append(Line(f"{text}: {found.bound_by} ({share})"))
    if found.rank_only:
        blocks.append(
            Line("  limit reached: only slots whose startd RANK prefers the job are considered")
        )
    for state in found.concurrency:
        if told and state.full:
            continue
        full = "full" if state.full else "has room"
        text = f"{short(state.in_use)} of {short(state.maximum)} in use, needs {short(state.wants)}"
        level = "bad" if state.full else ""
        blocks.append(Line(f"  concurrency limit {state.name}: {full} ({text})", level=level))
    return blocks
