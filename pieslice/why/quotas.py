"""Finds who is entitled to how much of the pool, and by which step of the arithmetic: ``pieslice
quotas``.

Decides which steps add up to which column.

Inputs: a cycle.  Outputs: ``Quotas``, the answer: the groups with their quotas, each allocation
round step by step; slot weights.  Follows: ``condor_userprio -quotas`` for the columns and words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from attr import frozen

from negotiator.groups.quotas import (
    Assigned,
    CutToWhole,
    InTurn,
    QuotaStep,
    RoundBegan,
    SurplusSpread,
    TookOwn,
)
from negotiator.model.result import AllocationRound, GroupEvent, GroupSummary
from pieslice.negotiate.verdict import few
from pieslice.reports.document import shape
from pieslice.reports.layout import (
    Block,
    CellsOf,
    Line,
    TextColumn,
    TextTable,
    number,
    plural,
    rounded,
    short,
    table_of,
)
from pieslice.reports.result import DataTable, Result
from pieslice.why.moments import AskedCycle
from policy.versions import Followed


@frozen
class GroupLine:
    """A group in the tree; ``depth`` 0 is the root."""

    name: str
    depth: int
    configured: float
    static: bool
    surplus: str
    subtree_quota: float
    quota: float
    usage: float
    usage_after: float


@frozen
class RoundLine:
    """A group in one allocation round.

    ``own``: allocated of its own quota, ``given``: what it left of that quota to others; ``taken``:
    what it got of the surplus in proportion to quotas, ``taken_equally``: in equal parts;
    ``whole``: what cutting to whole slots and handing them out in turn changed.  ``limit``: the
    last it negotiated under; ``skipped``: why it did not.
    """

    name: str
    depth: int
    requested: float
    own: float
    given: float
    taken: float
    taken_equally: float
    whole: float
    allocated: float
    unallocated: float
    limit: float | None
    skipped: str | None


@frozen
class RoundTrace:
    """One round: its lines, its steps in their order, what nobody wanted."""

    round: int
    lines: tuple[RoundLine, ...]
    steps: tuple[QuotaStep, ...]
    surplus: float
    order: tuple[str, ...]
    events: tuple[GroupEvent, ...]
    used: float


@frozen(eq=False, repr=False)
class Quotas(Result):
    """The quotas of accounting groups, and how each allocation round divided them.

    Without groups everything but ``pool``, the size of what quotas are parts of, is empty.
    ``trace``: with every step of the arithmetic in the text.
    """

    schema: ClassVar[str] = "pieslice/quotas/1"
    pool: float
    tree: tuple[GroupLine, ...]
    assigned: tuple[Assigned, ...]
    rounds: tuple[RoundTrace, ...]
    trace: bool = False
    followed: Followed | None = None

    @property
    def groups(self) -> DataTable:
        """The tree of groups as a table."""
        return DataTable.of("groups", GroupLine, self.tree)

    def summary(self) -> str:
        groups, rounds = len(self.tree), len(self.rounds)
        return f"{plural(groups, 'group')}, {plural(rounds, 'allocation round')}"

    def _verdict(self) -> Iterator[str]:
        """What of their requests groups get in the first round, the worst off first."""
        lines = [line for line in (self.rounds[0].lines if self.rounds else ()) if line.requested]
        lacking = [line for line in lines if line.allocated < line.requested]
        lacking.sort(key=lambda line: line.allocated / line.requested)
        whole = [line.name for line in lines if line.allocated >= line.requested]
        pairs = ((it.name, round(it.allocated, 2), round(it.requested, 2)) for it in lacking)
        parts = few(f"{name} {rounded(some)} of {rounded(all_)}" for name, some, all_ in pairs)
        if lacking:
            rest = f"; all that they request: {few(whole)}" if whole else ""
            yield f"allocated of what is requested: {parts}{rest}"
        elif whole:
            yield f"allocated: all that is requested by {few(whole)}"
        else:
            yield "no group requests anything"

    def blocks(self) -> Sequence[Block]:
        """What groups lack, the tree, a table a round; with ``trace`` every step in a sentence."""
        if not self.tree:
            text = "no accounting group is configured: all submitters negotiate in one round"
            return [Line(text, heading=True)]
        title = f"quotas in a pool of slot weight {rounded(self.pool)}"
        blocks: list[Block] = [
            *(Line(text, heading=True) for text in self._verdict()),
            Line(title, heading=True),
            table_of(_TREE, self.tree),
        ]
        if self.trace:
            blocks += [Line(), Line("how the quotas were made", heading=True)]
            blocks += [Line(f"  {text}") for step in self.assigned for text in _sentences(step)]
        for item in self.rounds:
            left = f"surplus left {rounded(item.surplus)}, used {rounded(item.used)}"
            title = f"allocation round {item.round}: {left}"
            blocks += [Line(), Line(title, heading=True), _round_table(item.lines)]
            if self.trace:
                blocks += [Line(f"  {text}") for step in item.steps for text in _sentences(step)]
                blocks.append(Line(f"  negotiates in the order {', '.join(item.order)}"))
                blocks += [Line(f"  {_event(event)}") for event in item.events]
        return blocks


shape(Quotas, "pool groups=tree assigned rounds")
shape(Assigned, "step:Assigned *")
shape(TookOwn, "step:TookOwn *")
shape(SurplusSpread, "step:Spread *")
shape(CutToWhole, "step:CutToWhole *")
shape(InTurn, "step:InTurn *")


# --- the arithmetic -------------------------------------------------------------------------------


def divide_quotas(cycle: AskedCycle, *, trace: bool = False) -> Quotas:
    """Run the cycle and put together what it said about quotas."""
    assigned: list[Assigned] = []
    rounds: list[list[QuotaStep]] = []

    result, events = cycle.steps()
    for event in events:
        match event:
            case RoundBegan():
                rounds.append([])
            case Assigned():
                assigned.append(event)
            case TookOwn() | SurplusSpread() | CutToWhole() | InTurn():
                rounds[-1].append(event)

    weighted = cycle.policy.use_slot_weights
    depths = _depths({step.group: step.parent for step in assigned})
    groups = {group.name: group for group in result.groups}
    return Quotas(
        result.pool.pie if weighted else result.pool.effective_size,
        tuple(_group_line(groups[name], depth) for name, depth in depths.items()),
        tuple(assigned),
        tuple(
            RoundTrace(
                done.round,
                tuple(_round_line(done, steps, name, depth) for name, depth in depths.items()),
                tuple(steps),
                done.surplus,
                done.order,
                done.events,
                done.used,
            )
            for done, steps in zip(result.rounds, rounds, strict=True)
        ),
        trace,
        cycle.version,
    )


def _depths(parents: Mapping[str, str | None]) -> dict[str, int]:
    """How deep every group is, right behind its parent or a sibling's last descendant."""
    found: dict[str, int] = {}

    def visit(above: str | None, depth: int) -> None:
        for name, parent in parents.items():
            if parent == above:
                found[name] = depth
                visit(name, depth + 1)

    visit(None, 0)
    return found


def _group_line(group: GroupSummary, depth: int) -> GroupLine:
    return GroupLine(
        group.name,
        depth,
        group.config_quota,
        group.static,
        group.surplus,
        group.subtree_quota,
        group.quota,
        group.usage,
        group.usage_after,
    )


def _round_line(
    done: AllocationRound, steps: Sequence[QuotaStep], name: str, depth: int
) -> RoundLine:
    share = next(item for item in done.groups if item.group == name)
    counted = ("requested", "own", "given", "taken", "taken_equally", "whole")
    sums: dict[str, float] = dict.fromkeys(counted, 0)
    for step in steps:
        match step:
            case TookOwn(group=group) if group == name:
                sums |= {
                    "requested": step.requested, "own": step.allocated, "given": step.given,
                }  # fmt: skip
            case SurplusSpread(group=group) if group == name:
                for part in step.shares:
                    if part.group == name:
                        sums["taken"] += part.by_quota
                        sums["taken_equally"] += part.equally
            case CutToWhole(group=group) if group == name:
                sums["whole"] -= step.fraction
            case InTurn(group=group) if group == name:
                sums["whole"] += sum(part for member, part in step.shares if member == name)
    events = [event for event in done.events if event.group == name]
    limits = [event.limit for event in events if event.limit is not None]
    skipped = [event.skipped for event in events if event.skipped is not None]
    return RoundLine(
        name=name,
        depth=depth,
        **sums,
        allocated=share.allocated,
        unallocated=share.unallocated,
        limit=limits[-1] if limits else None,
        skipped=skipped[0] if skipped and not limits else None,
    )


# --- words ----------------------------------------------------------------------------------------


_TREE: Final[CellsOf[GroupLine]] = (
    (TextColumn("group", name=True), lambda it: "  " * it.depth + it.name),
    (
        TextColumn("configured", "quota", right=True, brief="config"),
        lambda it: short(it.configured) if it.depth else "",
    ),
    (
        TextColumn("kind", drop=2),
        lambda it: ("static" if it.static else "dynamic") if it.depth else "root",
    ),
    (TextColumn("surplus", drop=1), lambda it: it.surplus),
    (TextColumn("subtree", "quota", right=True, drop=3), lambda it: number(it.subtree_quota)),
    (TextColumn("own", "quota", right=True), lambda it: number(it.quota)),
    (TextColumn("usage", "weight", right=True), lambda it: number(it.usage, 1)),
    (TextColumn("after", "weight", right=True), lambda it: number(it.usage_after, 1)),
)
_WHOLE: Final = TextColumn("whole", "slots", right=True, drop=2)
_SKIPPED: Final = TextColumn("skipped", prose=True)
_ROUND: Final[CellsOf[RoundLine]] = (
    (TextColumn("group", name=True), lambda it: "  " * it.depth + it.name),
    (TextColumn("requested", right=True, brief="asked"), lambda it: number(it.requested)),
    (TextColumn("of its own", "quota", right=True, brief="own"), lambda it: number(it.own)),
    (TextColumn("surplus", "given", right=True, drop=4), lambda it: number(it.given)),
    (TextColumn("surplus", "taken", right=True), lambda it: number(it.taken)),
    (
        TextColumn("surplus", "equal parts", right=True, drop=3, brief_unit="equal"),
        lambda it: number(it.taken_equally),
    ),
    (_WHOLE, lambda it: number(it.whole)),
    (TextColumn("allocated", right=True, brief="given"), lambda it: number(it.allocated)),
    (
        TextColumn("not", "allocated", right=True, brief_unit="given"),
        lambda it: number(it.unallocated),
    ),
    (TextColumn("limit", right=True, drop=1), lambda it: number(it.limit)),
    (_SKIPPED, lambda it: it.skipped or ""),
)


def _round_table(lines: Sequence[RoundLine]) -> TextTable:
    """The groups of a round, without columns in which nothing stands."""
    used = {_WHOLE: any(line.whole for line in lines), _SKIPPED: any(it.skipped for it in lines)}
    return table_of([cell for cell in _ROUND if used.get(cell[0], True)], lines)


def _sentences(step: QuotaStep) -> Iterator[str]:
    """A step in words."""
    match step:
        case Assigned(parent=None):
            own = f"{rounded(step.quota)} of it for the group itself"
            yield f"{step.group}: the whole pool, {rounded(step.subtree_quota)}; {own}"
        case Assigned():
            own = f"{rounded(step.quota)} of it for the group itself"
            kind = "slots, static" if step.static else f"of {step.parent}, dynamic"
            product = f"{short(step.configured)} x {rounded(step.unit)}"
            yield (
                f"{step.group}: {short(step.configured)} {kind}: "
                f"{product} = {rounded(step.subtree_quota)}; {own}"
            )
        case TookOwn():
            wants, takes = rounded(step.requested), rounded(step.allocated)
            of = f"takes {takes} of its quota {rounded(step.quota)}"
            yield f"{step.group}: requests {wants}, {of}, gives up {rounded(step.given)}"
        case SurplusSpread():
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
        case CutToWhole() if step.fraction:
            yield (
                f"{step.group}: cut to {plural(int(step.allocated), 'whole slot')}, "
                f"{rounded(step.fraction)} given back"
            )
        case InTurn():
            given = ", ".join(f"{rounded(part)} to {name}" for name, part in step.shares if part)
            divides = f"divides {rounded(step.surplus)} by round robin"
            yield f"{step.group}: {divides}: {given or 'nothing'}; {rounded(step.left)} left"


def _event(event: GroupEvent) -> str:
    if event.skipped is not None:
        return f"{event.group}: skipped, {event.skipped}"
    limit, key = rounded(event.limit), rounded(event.sort_key)
    return f"{event.group}: negotiates with limit {limit}, sort key {key}"
