"""Describes the answer of ``pieslice why``.

Decides which facts of an ``Answer`` are shown, in which order and words.

Inputs: an ``Answer``.  Outputs: blocks for ``pieslice.reports.layout``; JSON.  Follows: HTCondor's
names of attributes and knobs, its reasons for rejections.
"""

from __future__ import annotations

from pieslice.data import JsonObject
from pieslice.reports.layout import Block, Column, Line, Table, short
from pieslice.reports.text import KINDS, plural
from pieslice.why.answer import Answer, Seen
from pieslice.why.clausetext import change_blocks, clause_blocks, requirement_blocks
from pieslice.why.funnel import Funnel
from pieslice.why.holdtext import holding_blocks
from pieslice.why.limits import Limits, Standing
from pieslice.why.moments import JobHistory, When
from pieslice.why.ranking import KEY_NAMES, RankedSlot
from pieslice.why.ranktext import keys_of
from pieslice.why.slottext import machine_blocks, slot_blocks


def why_blocks(answer: Answer) -> list[Block]:
    """The whole answer, the verdict first."""
    parts: list[list[Block]] = [[Line(headline(answer), heading=True)]]
    if answer.holding is not None:
        parts[0] += holding_blocks(answer.holding)
    seen = answer.seen
    if seen is None:
        parts[0] += _not_waiting(answer.history)
    else:
        parts[0] += _moment(answer, seen)
        if answer.trimmed is not None:
            name, cause = answer.trimmed
            parts.append([Line(f"{name} was not considered: {cause}")])
        elif seen.case is not None:
            parts.append(slot_blocks(seen.case, answer.history.job.id))
        elif seen.machine:
            parts.append(machine_blocks(seen.machine, answer.history.job.id))
        else:
            parts += _over_the_pool(answer, seen)
    return [block for part in parts if part for block in (*part, Line())][:-1]


def headline(answer: Answer) -> str:
    """The verdict in one line."""
    history = answer.history
    job = f"job {history.job.id} of {history.job.submitter}"
    if answer.seen is None:
        return f"{job}: {history.job.status_text}"
    if history.when is When.MATCHED:
        best = next((s for s in answer.seen.ranking.slots if s.slot == history.slot), None)
        how = "" if best is None else f" ({_how(best)})"
        return f"{job}: matched, {history.slot}{how}"
    if history.when in (When.REFUSED, When.EQUAL_REFUSED):
        spent = "; its submitter limit is reached" if answer.seen.limits.rank_only else ""
        return f"{job}: rejected, {_reason(history)}{spent}"
    if history.when is When.PASSED_OVER:
        return f"{job}: not requested, {_why_passed(answer.standing)}"
    return f"{job}: not requested, {_why_no_session(answer)}"


def _how(slot: RankedSlot) -> str:
    whom = "" if slot.preempts is None else f" of {slot.preempts}"
    return f"{KINDS[slot.kind]}{whom}"


def _reason(history: JobHistory) -> str:
    refused = [made for made in history.attempts if made.reason is not None]
    full = [made for made in refused if not made.rank_only]
    return (full or refused)[-1].reason or ""


def _why_passed(found: Standing) -> str:
    events = [event for turn in found.turns for event in turn.events]
    return events[-1] if events else "its submitter's session ended before it"


def _why_no_session(answer: Answer) -> str:
    found = answer.standing
    if not found.known:
        return f"{answer.history.job.submitter} does not take part: no submitter ad, or excluded"
    if found.turns:
        return _why_passed(found)
    if found.skipped:
        return f"its group {found.group} was skipped ({'; '.join(found.skipped)})"
    return "its submitter had no session"


def _not_waiting(history: JobHistory) -> list[Block]:
    status = history.job.status_text
    if status == "running":
        return []
    if status == "idle":
        return [Line("  its schedd requests no match: its JobUniverse, hosts or times forbid it")]
    held = history.job.ad.get_string("HoldReason") if status == "held" else None
    return [Line(f"  it is not waiting for a slot{'' if not held else f': {held}'}")]


def _moment(answer: Answer, seen: Seen) -> list[Block]:
    """When the cycle was looked at, and under which limits the job was."""
    history, found = answer.history, seen.limits
    blocks: list[Block] = [Line(f"  {history.when.value}{_turn(found, seen.spin)}")]
    equal = {made.request for made in history.attempts if made.reason is not None}
    if history.when is When.EQUAL_REFUSED and equal:
        blocks.append(Line(f"  rejected was job {sorted(equal)[-1]} of the same autocluster"))
    if history.asked_by is not None:
        blocks.append(
            Line(
                f"  its schedd requested a match for job {history.asked_by}"
                " and ran this job instead"
            )
        )
    blocks += _limits(found)
    past = history.job.ad.get_string("VacateReason")
    if past:
        blocks.append(Line(f"  reason of its last vacate: {past}"))
    return blocks


def _turn(found: Limits, spin: int) -> str:
    where = "" if found.group is None else f", negotiating for group {found.group}"
    return f"{where}, spin {spin} of the pie" if found.pie is not None else where


def _limits(found: Limits) -> list[Block]:
    blocks: list[Block] = []
    if found.share is not None and found.pie is not None:
        limit, used, pie, usage = (
            short(round(value, 2))
            for value in (
                min(found.limit, found.limit_unclaimed),
                found.used,
                found.pie,
                found.usage,
            )
        )
        text = f"  submitter limit {limit} (slot weight), {used} used in this session"
        share = f"{found.share * 100:.1f}% of {pie}, {usage} in use"
        blocks.append(Line(f"{text}: {found.bound_by} ({share})"))
    if found.rank_only:
        blocks.append(
            Line("  limit reached: only slots whose startd RANK prefers the job are considered")
        )
    for state in found.concurrency:
        full = "full" if state.full else "has room"
        text = f"{short(state.in_use)} of {short(state.maximum)} in use, needs {short(state.wants)}"
        level = "bad" if state.full else ""
        blocks.append(Line(f"  concurrency limit {state.name}: {full} ({text})", level=level))
    return blocks


def _over_the_pool(answer: Answer, seen: Seen) -> list[list[Block]]:
    sieved = seen.funnel
    if answer.history.when is When.MATCHED:
        return [_funnel(answer, sieved), _runner_up(seen)]
    found = seen.limits
    limited = found.rank_only or any(state.full for state in found.concurrency)
    return [
        _funnel(answer, sieved),
        requirement_blocks(sieved),
        clause_blocks(
            "PREEMPTION_REQUIREMENTS, over the slots that it keeps", sieved.preemption_clauses
        ),
        # Where a limit is the reason more slots that match are no help.
        [] if limited else change_blocks(sieved.changes, sieved.no_help),
    ]


def _funnel(answer: Answer, sieved: Funnel) -> list[Block]:
    result = answer.history.result
    trimmed: dict[str, list[str]] = {}
    for item in result.trimmed:
        trimmed.setdefault(item.cause.value, []).append(item.name)
    rows = [("", str(answer.slots), "in the pool", "")]
    unseen = answer.slots - result.pool.slots
    if unseen:
        rows.append(
            (
                str(unseen),
                str(result.pool.slots),
                "not seen",
                "NEGOTIATOR_SLOT_CONSTRAINT, or absent",
            )
        )
    left = result.pool.slots
    for cause, slots in trimmed.items():
        left -= len(slots)
        rows.append((str(len(slots)), str(left), "not considered", f"{cause}: {slots[0]}"))
    for step in sieved.steps:
        for part in step.parts:
            left -= part.slots
            more = ", ..." if part.slots > 1 else ""
            fit = "" if part.would_match is not False else ", would not match"
            cause = f"{part.cause}{fit}: {part.examples[0]}{more}"
            rows.append((str(part.slots), str(left), step.name, cause))
    columns = (
        Column("out", right=True),
        Column("left", right=True),
        Column("slots", prose=True),
        Column("cause and examples", prose=True),
    )
    after = "" if sieved.candidates == left else ", from the match list of its autocluster"
    full = [] if answer.seen is None else [s.name for s in answer.seen.limits.concurrency if s.full]
    if full:
        after += f"; all of them excluded by concurrency limit {', '.join(full)}"
    end = Line(f"  {plural(sieved.candidates, 'candidate')} left{after}")
    return [Line("slots", heading=True), Table(columns, tuple(rows)), end]


def _runner_up(seen: Seen) -> list[Block]:
    """The five keys of the slot that was chosen against the next one."""
    slots = seen.ranking.slots
    if len(slots) < 2:
        return [Line("it was the only candidate")] if slots else []
    best, second = slots[:2]
    columns = (
        Column("key"),
        Column(best.slot, right=True, name=True),
        Column(second.slot, right=True, name=True),
        Column(""),
    )
    rows = tuple(
        (name, a, b, "decided" if name == second.decided_by else "")
        for name, a, b in zip(KEY_NAMES, keys_of(best), keys_of(second), strict=True)
    )
    tie = second.decided_by is None
    title = f"chosen over {second.slot}, the runner-up{': a tie' if tie else ''}"
    return [Line(title, heading=True), Table(columns, rows)]


def why_data(answer: Answer) -> JsonObject:
    """The same for programs."""
    history, seen = answer.history, answer.seen
    found: JsonObject = {
        "job": history.job.id,
        "submitter": history.job.submitter,
        "status": history.job.status_text,
        "verdict": headline(answer),
        "matched": history.slot,
        "when": history.when if history.waiting else None,
        "asked_by": history.asked_by,
        "attempts": history.attempts,
        "standing": answer.standing,
        "holding": answer.holding,
        "slots": answer.slots,
        "trimmed": [{"slot": t.name, "cause": t.cause} for t in history.result.trimmed],
    }
    if seen is None:
        return found
    sieved, ranks = seen.funnel, seen.ranking.slots
    return found | {
        "limits": seen.limits,
        "hypothetical": seen.hypothetical,
        "in_view": sieved.in_view,
        "steps": sieved.steps,
        "candidates": sieved.candidates,
        "matching": sieved.matching,
        "matching_left": sieved.matching_left,
        "clauses": sieved.clauses,
        "preemption_clauses": sieved.preemption_clauses,
        "changes": sieved.changes,
        "no_help": sieved.no_help,
        "best": ranks[0] if ranks else None,
        "runner_up": ranks[1] if len(ranks) > 1 else None,
        "slot": seen.case,
        "machine": seen.machine,
    }
