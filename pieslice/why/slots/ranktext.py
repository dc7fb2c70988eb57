"""Describes the candidates of a job: ``pieslice rank``.

Inputs: a ``JobHistory`` and a ``Ranking``.  Outputs: blocks for ``pieslice.reports.layout``; JSON.
Follows: the names of the knobs for the five keys.
"""

from __future__ import annotations

from typing import Final

from pieslice.data import JsonObject
from pieslice.reports.layout import Block, Column, Line, Table, number, short
from pieslice.reports.text import KINDS, plural
from pieslice.why.requests.moments import JobHistory, When
from pieslice.why.slots.ranking import KEY_NAMES, RankedSlot, Ranking

_SHORT_KEYS: Final = dict(
    zip(KEY_NAMES, ("pre job", "job", "post job", "state", "preemption"), strict=True)
)
_COLUMNS: Final = (
    Column("", right=True),
    Column("slot", name=True),
    Column("pre job", "rank", right=True, brief="pre"),
    Column("job", "rank", right=True),
    Column("post job", "rank", right=True, brief="post"),
    Column("preemption", "state", brief="preempt.", prose=True),
    Column("preemption", "rank", right=True, drop=1, brief="preempt."),
    Column("cost", "weight", right=True, drop=2),
    Column("key that", "decided", prose=True),
)


def rank_blocks(history: JobHistory, found: Ranking | None, limit: int | None) -> list[Block]:
    """The candidates as a table, after what the keys are."""
    job = history.job
    if found is None:
        said = f"job {job.id}{job.of} is {job.status_text}"
        return [Line(f"{said}: it is not waiting for a slot", heading=True)]
    shown = found.slots if limit is None else found.slots[:limit]
    count = plural(len(found.slots), "candidate")
    title = f"job {job.id}{job.of}: {count} {history.when.value}"
    blocks: list[Block] = [Line(title, heading=True)]
    if found.kept_list:
        blocks.append(Line("  from the match list of its autocluster"))
    if not found.slots:
        return [*blocks, Line(f"`pieslice why POOL {job.id}` tells where the slots went")]
    for i, (name, text) in enumerate(found.expressions, 1):
        blocks.append(Line(f"  {i}. {name}: {'not set' if text is None else text}"))
    rows = tuple(_row(place, item) for place, item in enumerate(shown, 1))
    blocks += [Line(), Table(_COLUMNS, rows)]
    left = len(found.slots) - len(shown)
    if left:
        blocks.append(Line(f"  and {left} more; --limit 0 shows all"))
    return [*blocks, Line(), Line(_outcome(history))]


def _row(place: int, item: RankedSlot) -> tuple[str, ...]:
    state = KINDS[item.kind]
    if item.preempts is not None:
        state += f" of {item.preempts}"
    decided = "" if place == 1 else "tie" if item.decided_by is None else item.decided_by
    return (
        str(place),
        item.slot,
        short(item.pre_job_rank),
        short(item.job_rank),
        short(item.post_job_rank),
        state,
        short(item.preemption_rank),
        number(item.cost, 1),
        _SHORT_KEYS.get(decided, decided),
    )


def _outcome(history: JobHistory) -> str:
    if history.slot is not None:
        return f"matched: {history.slot}"
    if history.when in (When.REFUSED, When.EQUAL_REFUSED):
        return f"rejected: `pieslice why POOL {history.job.id}` tells why"
    return f"not requested: `pieslice why POOL {history.job.id}` tells why"


def keys_of(slot: RankedSlot) -> tuple[str, ...]:
    """The five keys as text."""
    return (
        short(slot.pre_job_rank),
        short(slot.job_rank),
        short(slot.post_job_rank),
        KINDS[slot.kind],
        short(slot.preemption_rank),
    )


def told_apart(one: RankedSlot, other: RankedSlot) -> str | None:
    """The first key whose text differs; None if all are the same."""
    pairs = zip(KEY_NAMES, keys_of(one), keys_of(other), strict=True)
    return next((name for name, a, b in pairs if a != b), None)


def against(name: str, mine: RankedSlot, other: RankedSlot) -> str:
    """One key of two slots: ``job rank 5 against 3``."""
    place = KEY_NAMES.index(name)
    return f"{name} {keys_of(mine)[place]} against {keys_of(other)[place]}"


def side_by_side(one: RankedSlot, other: RankedSlot, decided_by: str | None) -> Table:
    """All keys of two slots."""
    columns = (
        Column("key"),
        Column(one.slot, right=True, name=True),
        Column(other.slot, right=True, name=True),
        Column(""),
    )
    rows = tuple(
        (name, a, b, "decided" if name == decided_by else "")
        for name, a, b in zip(KEY_NAMES, keys_of(one), keys_of(other), strict=True)
    )
    return Table(columns, rows)


def rank_data(history: JobHistory, found: Ranking | None, limit: int | None) -> JsonObject:
    """The same for programs."""
    slots = () if found is None else found.slots
    return {
        "job": history.job.id,
        "submitter": history.job.submitter,
        "status": history.job.status_text,
        "when": history.when,
        "matched": history.slot,
        "expressions": {} if found is None else dict(found.expressions),
        "kept_list": found is not None and found.kept_list,
        "candidates": len(slots),
        "slots": slots if limit is None else slots[:limit],
    }
