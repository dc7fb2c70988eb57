"""Describes the answer of ``pieslice why``.

Decides which facts of an ``Answer`` are shown, in which order and words.

Inputs: an ``Answer``.  Outputs: blocks for ``pieslice.reports.layout``; JSON.  Follows: HTCondor's
names of attributes and knobs, its reasons for rejections.
"""

from __future__ import annotations

from pieslice.data import JsonObject
from pieslice.reports.layout import Block, Column, Line, Table
from pieslice.reports.text import match_blocks, plural
from pieslice.why.answer import Answer, Seen
from pieslice.why.clauses.funnel import Funnel
from pieslice.why.clauses.text import change_blocks, clause_blocks, requirement_blocks
from pieslice.why.headtext import head_blocks, headline
from pieslice.why.requests.fates import Fate
from pieslice.why.requests.moments import When
from pieslice.why.requests.text import reason_of
from pieslice.why.slots.casetext import machine_blocks, slot_blocks
from pieslice.why.slots.holdtext import holding_blocks
from pieslice.why.slots.ranktext import side_by_side


def why_blocks(answer: Answer) -> list[Block]:
    """The whole answer, the verdict first."""
    parts: list[list[Block]] = [[Line(headline(answer), heading=True)]]
    if answer.holding is not None:
        parts[0] += holding_blocks(answer.holding)
    seen = answer.seen
    if seen is not None and seen.machine:
        parts += [machine_blocks(seen.machine, answer.history.job.id), []]
    parts[-1] += head_blocks(answer)
    if seen is not None:
        if seen.case is not None:
            parts.append(slot_blocks(seen.case, answer.history.job.id))
        elif answer.trimmed is None and not seen.machine:
            parts.append(_mates(answer))
            parts += _over_the_pool(answer, seen)
    return [block for part in parts if part for block in (*part, Line())][:-1]


def _mates(answer: Answer) -> list[Block]:
    """The slots of the whole request, where it asked for several jobs."""
    request = None if answer.fate is None else answer.fate.request
    if request is None or len(request.got) < 2:
        return []
    slots = match_blocks([got.match for got in request.got])
    return [Line("slots of the request, in the order of the matches", heading=True), *slots]


def _over_the_pool(answer: Answer, seen: Seen) -> list[list[Block]]:
    sieved = seen.funnel
    if answer.history.when is When.MATCHED:
        return [_funnel(answer, sieved), _runner_up(seen)]
    return [
        _funnel(answer, sieved),
        requirement_blocks(sieved, answer.slots),
        clause_blocks(
            "PREEMPTION_REQUIREMENTS, over the slots that it keeps", sieved.preemption_clauses
        ),
        [] if seen.limits.refuse else change_blocks(sieved.changes, sieved.no_help),
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
    full = () if answer.seen is None else answer.seen.limits.full
    if full:
        after += f"; all of them excluded by concurrency limit {', '.join(full)}"
    end = Line(f"  {plural(sieved.candidates, 'candidate')} left{after}")
    return [Line("slots", heading=True), Table(columns, tuple(rows)), end]


def _runner_up(seen: Seen) -> list[Block]:
    """The five keys of the slot that was chosen against the next one."""
    slots = seen.ranking.slots
    if len(slots) < 2:
        return []
    best, second = slots[:2]
    tie = second.decided_by is None
    title = f"chosen over {second.slot}, the runner-up{': a tie' if tie else ''}"
    return [Line(title, heading=True), side_by_side(best, second, second.decided_by)]


def why_data(answer: Answer) -> JsonObject:
    """The same for programs."""
    history, seen, fate = answer.history, answer.seen, answer.fate
    found: JsonObject = {
        "job": history.job.id,
        "submitter": history.job.submitter,
        "status": history.job.status_text,
        "verdict": headline(answer),
        "matched": history.slot,
        "when": history.when if history.waiting else None,
        "asked_by": history.asked_by,
        "fate": None if fate is None else fate.fate,
        "place": None if fate is None else fate.place,
        "request": None if fate is None else fate.request,
        "unasked": None if fate is None else fate.unasked,
        "reason": _reason(answer),
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
        "near": seen.near,
        "over_limit": seen.over_limit,
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


def _reason(answer: Answer) -> str | None:
    """Why the job has no slot, in words."""
    fate = answer.fate
    if fate is None:
        return answer.not_ready
    if fate.fate is Fate.MATCHED:
        return None
    return reason_of(fate) if answer.absence is None else answer.absence.text
