"""Sums up submitters and groups after a cycle, usage and quotas in slot weights.

Follows the columns of the negotiator's own log and of condor_userprio.
"""

from __future__ import annotations

from negotiator.jobs.submitters import Submitter
from negotiator.matching.board import Board
from negotiator.model.result import AllocationRound, GroupSummary, SubmitterSummary, SubmitterTurn


def submitter_summaries(board: Board) -> tuple[SubmitterSummary, ...]:
    """One summary for each name, by name."""
    turns, before = _first_turns(board), board.usage_before
    accountant = board.accountant
    by_name: dict[str, list[Submitter]] = {}
    for submitter in board.taking_part:
        by_name.setdefault(submitter.name, []).append(submitter)
    found: dict[str, SubmitterSummary] = {}
    for name, ads in sorted(by_name.items()):
        turn = turns.get(name)
        found[name] = SubmitterSummary(
            name=name,
            group=board.tree.assigned(name).name,
            real_priority=accountant.real_priority(name),
            priority_factor=accountant.factor(name),
            effective_priority=accountant.effective_priority(name),
            usage=before.get(name, 0.0),
            usage_after=accountant.usage(name),
            floor=accountant.floor(name),
            ceiling=accountant.ceiling(name),
            idle_jobs=sum(ad.idle_jobs for ad in ads),
            running_jobs=sum(ad.running_jobs for ad in ads),
            share=None if turn is None else turn.share,
            limit=None if turn is None else turn.limit,
        )
    return tuple(found.values())


def _first_turns(board: Board) -> dict[str, SubmitterTurn]:
    """The first turn that each submitter had."""
    found: dict[str, SubmitterTurn] = {}
    for pie in board.pies:
        for spin in pie.spins:
            for turn in spin.turns:
                found.setdefault(turn.name, turn)
    return found


def group_summaries(board: Board, rounds: tuple[AllocationRound, ...]) -> tuple[GroupSummary, ...]:
    """One summary for each group, breadth-first; nothing without groups."""
    if not board.tree.configured:
        return ()
    last = {item.group: item for item in rounds[-1].groups} if rounds else {}
    names: dict[str, dict[str, None]] = {}
    for submitter in board.taking_part:
        names.setdefault(board.tree.assigned(submitter.name).name, {})[submitter.name] = None
    found = []
    for group in board.tree.groups:
        allocated = last.get(group.name)
        found.append(
            GroupSummary(
                name=group.name,
                config_quota=group.settings.quota,
                static=group.settings.static,
                accept_surplus=group.settings.accept_surplus,
                autoregroup=group.settings.autoregroup,
                quota=group.quota,
                subtree_quota=group.subtree_quota,
                requested=group.demand,
                allocated=0.0 if allocated is None else allocated.allocated,
                usage=board.usage_before.get(group.name, 0.0),
                usage_after=board.accountant.usage(group.name),
                sort_key=group.sort_key,
                submitters=tuple(names.get(group.name, ())),
            )
        )
    return tuple(found)
