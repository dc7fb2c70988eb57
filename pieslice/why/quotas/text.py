"""Describes the quotas of groups and how they were allocated: ``pieslice quotas``.

Inputs: a ``QuotaTrace``.  Outputs: blocks for ``pieslice.reports.layout``.  Follows:
``condor_userprio -quotas`` for the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from negotiator.groups.quotas import Assigned, CutToWhole, InTurn, QuotaStep, SurplusSpread, TookOwn
from negotiator.model.result import GroupEvent
from pieslice.reports.layout import Block, Column, Line, Table, number, rounded, short
from pieslice.reports.text import plural
from pieslice.why.quotas.trace import GroupLine, QuotaTrace, RoundLine, RoundTrace


def quota_blocks(found: QuotaTrace, *, trace: bool) -> list[Block]:
    """The tree, then a table a round; with ``trace`` every step in a sentence."""
    if not found.groups:
        text = "no accounting group is configured: all submitters negotiate in one round"
        return [Line(text, heading=True)]
    title = f"quotas in a pool of slot weight {rounded(found.pool)}"
    blocks: list[Block] = [Line(title, heading=True), _tree(found.groups)]
    if trace:
        blocks += [Line(), Line("how the quotas were made", heading=True)]
        blocks += [Line(f"  {text}") for text in map(_assigned, found.assigned)]
    for item in found.rounds:
        blocks += [Line(), *_round(item)]
        if trace:
            blocks += [Line(f"  {text}") for text in _steps(item)]
    return blocks


def _tree(groups: Iterable[GroupLine]) -> Table:
    columns = (
        Column("group", name=True),
        Column("configured", "quota", right=True, brief="config"),
        Column("kind", drop=2),
        Column("surplus", drop=1),
        Column("subtree", "quota", right=True, drop=3),
        Column("own", "quota", right=True),
        Column("usage", "weight", right=True),
        Column("after", "weight", right=True),
    )
    rows = tuple(
        (
            _name(item.name, item.depth),
            "" if item.depth == 0 else short(item.configured),
            "root" if item.depth == 0 else "static" if item.static else "dynamic",
            item.surplus,
            number(item.subtree_quota),
            number(item.quota),
            number(item.usage, 1),
            number(item.usage_after, 1),
        )
        for item in groups
    )
    return Table(columns, rows)


def _round(item: RoundTrace) -> list[Block]:
    left = f"surplus left {rounded(item.surplus)}, used {rounded(item.used)}"
    whole = any(line.whole for line in item.lines)
    skipped = any(line.skipped for line in item.lines)
    columns = (
        Column("group", name=True),
        Column("requested", right=True, brief="asked"),
        Column("of its own", "quota", right=True, brief="own"),
        Column("surplus", "given", right=True, drop=4),
        Column("surplus", "taken", right=True),
        Column("surplus", "equal parts", right=True, drop=3, brief_unit="equal"),
        *((Column("whole", "slots", right=True, drop=2),) if whole else ()),
        Column("allocated", right=True, brief="given"),
        Column("not", "allocated", right=True, brief_unit="given"),
        Column("limit", right=True, drop=1),
        *((Column("skipped", prose=True),) if skipped else ()),
    )
    rows = tuple(_row(line, whole=whole, skipped=skipped) for line in item.lines)
    return [Line(f"allocation round {item.round}: {left}", heading=True), Table(columns, rows)]


def _row(line: RoundLine, *, whole: bool, skipped: bool) -> tuple[str, ...]:
    return (
        _name(line.name, line.depth),
        number(line.requested),
        number(line.own),
        number(line.given),
        number(line.taken),
        number(line.taken_equally),
        *((number(line.whole),) if whole else ()),
        number(line.allocated),
        number(line.unallocated),
        number(line.limit),
        *((line.skipped or "",) if skipped else ()),
    )


def _name(name: str, depth: int) -> str:
    return "  " * depth + name


def _assigned(step: Assigned) -> str:
    own = f"{rounded(step.quota)} of it for the group itself"
    if step.parent is None:
        return f"{step.group}: the whole pool, {rounded(step.subtree_quota)}; {own}"
    kind = "slots, static" if step.static else f"of {step.parent}, dynamic"
    product = f"{short(step.configured)} x {rounded(step.unit)} = {rounded(step.subtree_quota)}"
    return f"{step.group}: {short(step.configured)} {kind}: {product}; {own}"


def _steps(item: RoundTrace) -> Iterator[str]:
    for step in item.steps:
        yield from _step(step)
    yield f"negotiates in the order {', '.join(item.order)}"
    yield from map(_event, item.events)


def _step(step: QuotaStep) -> Iterator[str]:
    if isinstance(step, TookOwn):
        wants, takes = rounded(step.requested), rounded(step.allocated)
        of = f"takes {takes} of its quota {rounded(step.quota)}"
        yield f"{step.group}: requests {wants}, {of}, gives up {rounded(step.given)}"
    elif isinstance(step, SurplusSpread):
        yield (
            f"{step.group}: divides a surplus of {rounded(step.surplus)}, "
            f"{rounded(step.requested)} requested; {rounded(step.left)} left"
        )
        for part in step.shares:
            if part.wanted > 0:
                extra = f" and {rounded(part.equally)} in equal parts" if part.equally else ""
                yield (
                    f"  to {part.group}: {rounded(part.by_quota)} by its quota of "
                    f"{rounded(part.weight)}{extra}; it requests {rounded(part.wanted)}"
                )
    elif isinstance(step, CutToWhole) and step.fraction:
        yield (
            f"{step.group}: cut to {plural(int(step.allocated), 'whole slot')}, "
            f"{rounded(step.fraction)} given back"
        )
    elif isinstance(step, InTurn):
        given = ", ".join(f"{rounded(part)} to {name}" for name, part in step.shares if part)
        yield (
            f"{step.group}: divides {rounded(step.surplus)} by round robin: {given or 'nothing'}; "
            f"{rounded(step.left)} left"
        )


def _event(event: GroupEvent) -> str:
    if event.skipped is not None:
        return f"{event.group}: skipped, {event.skipped}"
    limit, key = rounded(event.limit), rounded(event.sort_key)
    return f"{event.group}: negotiates with limit {limit}, sort key {key}"
