"""Finds who is entitled to how much of the pool, and by which step of the arithmetic.

Decides which steps add up to which column.

Inputs: what ``negotiate`` takes.  Outputs: a ``QuotaTrace``: the groups with their quotas, each
allocation round step by step; slot weights.  Follows: ``condor_userprio -quotas`` for the columns.
"""

from __future__ import annotations

from random import Random

from attr import frozen

from negotiator.cycle import negotiate
from negotiator.groups.quotas import (
    Assigned,
    CutToWhole,
    InTurn,
    QuotaStep,
    RoundBegan,
    SurplusSpread,
    TookOwn,
)
from negotiator.matching.board import Event
from negotiator.model.result import AllocationRound, CycleResult, GroupEvent, GroupSummary
from negotiator.model.snapshot import Snapshot
from policy.model import NegotiatorPolicy


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


@frozen
class QuotaTrace:
    """All of it; without groups everything but ``pool`` is empty."""

    pool: float
    groups: tuple[GroupLine, ...]
    assigned: tuple[Assigned, ...]
    rounds: tuple[RoundTrace, ...]


def trace_quotas(
    snapshot: Snapshot, policy: NegotiatorPolicy, *, now: float, seed: int
) -> QuotaTrace:
    """Run the cycle and put together what it said about quotas."""
    steps: list[QuotaStep] = []

    def watch(event: Event) -> None:
        if isinstance(event, QuotaStep):
            steps.append(event)

    result = negotiate(snapshot, policy, now=now, rng=Random(seed), watch=watch)
    assigned = tuple(step for step in steps if isinstance(step, Assigned))
    parents = {step.group: step.parent for step in assigned}
    depths = {name: _depth(name, parents) for name in parents}
    rounds: list[list[QuotaStep]] = []
    for step in steps:
        if isinstance(step, RoundBegan):
            rounds.append([])
        elif rounds:
            rounds[-1].append(step)
    names = _in_tree_order(parents)
    return QuotaTrace(
        policy_pie(result, policy),
        tuple(_line(result, name, depths) for name in names),
        assigned,
        tuple(
            _round(done, of_round, names, depths)
            for done, of_round in zip(result.rounds, rounds, strict=True)
        ),
    )


def policy_pie(result: CycleResult, policy: NegotiatorPolicy) -> float:
    """The size of the pool that quotas are parts of."""
    return result.pool.pie if policy.use_slot_weights else result.pool.effective_size


def _depth(name: str, parents: dict[str, str | None]) -> int:
    above = parents.get(name)
    return 0 if above is None else 1 + _depth(above, parents)


def _in_tree_order(parents: dict[str, str | None]) -> list[str]:
    """Every group right behind its parent or a sibling's last descendant."""
    found: list[str] = []

    def visit(name: str) -> None:
        found.append(name)
        for child, parent in parents.items():
            if parent == name:
                visit(child)

    for name, parent in parents.items():
        if parent is None:
            visit(name)
    return found


def _line(result: CycleResult, name: str, depths: dict[str, int]) -> GroupLine:
    group = next(item for item in result.groups if item.name == name)
    return GroupLine(
        name,
        depths[name],
        group.config_quota,
        group.static,
        surplus_word(group),
        group.subtree_quota,
        group.quota,
        group.usage,
        group.usage_after,
    )


def surplus_word(group: GroupSummary) -> str:
    """``condor_userprio``'s words for what a group does beyond its quota."""
    if group.autoregroup:
        return "regroup"
    return "byquota" if group.accept_surplus else "no"


def _round(
    done: AllocationRound, steps: list[QuotaStep], names: list[str], depths: dict[str, int]
) -> RoundTrace:
    return RoundTrace(
        done.round,
        tuple(_round_line(done, steps, name, depths[name]) for name in names),
        tuple(steps),
        done.surplus,
        done.order,
        done.events,
        done.used,
    )


def _round_line(done: AllocationRound, steps: list[QuotaStep], name: str, depth: int) -> RoundLine:
    share = next(item for item in done.groups if item.group == name)
    own = next(step for step in steps if isinstance(step, TookOwn) and step.group == name)
    mine = [
        part
        for step in steps
        if isinstance(step, SurplusSpread) and step.group == name
        for part in step.shares
        if part.group == name
    ]
    cut = [-step.fraction for step in steps if isinstance(step, CutToWhole) and step.group == name]
    turns = [
        amount
        for step in steps
        if isinstance(step, InTurn) and step.group == name
        for member, amount in step.shares
        if member == name
    ]
    events = [event for event in done.events if event.group == name]
    limits = [event.limit for event in events if event.limit is not None]
    skipped = [event.skipped for event in events if event.skipped is not None]
    return RoundLine(
        name=name,
        depth=depth,
        requested=own.requested,
        own=own.allocated,
        given=own.given,
        taken=sum(part.by_quota for part in mine),
        taken_equally=sum(part.equally for part in mine),
        whole=sum(cut) + sum(turns),
        allocated=share.allocated,
        unallocated=share.unallocated,
        limit=limits[-1] if limits else None,
        skipped=skipped[0] if skipped and not limits else None,
    )
