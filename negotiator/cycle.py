"""Runs one negotiation cycle: from what the negotiator knows to what it decides, stage by stage.

The inputs are left untouched; the same inputs give the same result.  Follows the description of the
negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random

from classad.evaluate import EvalContext
from classad.language.rules import language_of
from negotiator.accounting.accountant import Accountant, accountant_settings
from negotiator.engines import ENGINES, make_engines
from negotiator.expressions.flattening import lead_to_requirements, may_read_requirements
from negotiator.groups.tree import GroupTree, group_tree
from negotiator.jobs.autoclusters import policy_expressions, significance, significant_attributes
from negotiator.jobs.lists import job_lists
from negotiator.jobs.requests import JobList
from negotiator.jobs.submitters import Submitter, fetch_submitters
from negotiator.matching.board import Board, CycleBegan, CycleEnded, Watch
from negotiator.matching.concurrency import ConcurrencyCounts
from negotiator.matching.engine import Engines
from negotiator.matching.rank import presort
from negotiator.matching.stopwatch import RequestCosts, Stopwatch, TimeLimits
from negotiator.model.departures import DepartureKind
from negotiator.model.garbage import without_collecting
from negotiator.model.result import AllocationRound, CycleResult, TrimmedSlot
from negotiator.model.snapshot import Resource, Snapshot
from negotiator.pool.claims import (
    SlotStock,
    charged_slots,
    held_limits,
    table_of_claims,
    waiting_matches,
)
from negotiator.pool.ephemeral import SlotDecorator, add_match_expressions, live_functions
from negotiator.pool.partitionable import ChildClaims
from negotiator.pool.size import pool_numbers
from negotiator.pool.slots import Slots
from negotiator.pool.trimming import trim_slots
from negotiator.sessions.rounds import all_rounds
from negotiator.sessions.summary import group_summaries, submitter_summaries
from negotiator.versions.slots import REMOTE_USER_FLOOR
from negotiator.versions.usage import USAGE_OF_SLOTS
from policy.model import NegotiatorPolicy

__all__ = ["negotiate"]


@without_collecting()
def negotiate(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    *,
    now: float,
    rng: Random | None = None,
    watch: Watch | None = None,
    costs: RequestCosts | None = None,
    engine: str | Engines = ENGINES[0],
) -> CycleResult:
    """Run one negotiation cycle; ``watch`` is called with each event.

    ``costs``: the seconds that requests take; by default none: only limits of 0 are reached.
    ``engine``: how candidates are found, one of ``engines.ENGINES``; the result is the same.
    ``Engines`` that serve several cycles keep what they learn.  Nobody collects garbage meanwhile.
    """
    tree = group_tree(policy)
    tree.remember_turns(snapshot.group_turns or {})
    accountant = Accountant(snapshot.accountant, accountant_settings(policy), tree, now)
    context = _context(policy, accountant, tree, now, rng)
    engines = make_engines(engine) if isinstance(engine, str) else engine
    slots = _fetch(engines, snapshot, policy, context)
    fetched = fetch_submitters(snapshot.submitters, policy, context)
    submitters = [submitter for submitter in fetched if not submitter.skipped]
    significant = significant_attributes(slots, policy_expressions(policy), policy.version)
    waiting = waiting_matches(slots, snapshot.accountant, context)
    charged = charged_slots(slots, policy, context)
    USAGE_OF_SLOTS.of(policy.version).begins(accountant, SlotStock(slots, charged, context))
    usage_before = accountant.usages()
    numbers = pool_numbers(slots, policy, context)
    kept, trimmed = trim_slots(slots, policy, context)
    kept = _prepare(kept, snapshot, accountant, tree, policy, context)
    left, finder = engines.prepare(kept, policy)
    board = Board(
        policy=policy,
        context=context,
        schedd_context=EvalContext(now=now, rng=rng, language=context.language),
        accountant=accountant,
        tree=tree,
        concurrency=ConcurrencyCounts(
            policy.concurrency_limits.maximum, held_limits(slots, waiting, context)
        ),
        numbers=numbers,
        jobs=_job_lists(snapshot, significant, slots, policy, context),
        slots=left,
        engine=finder,
        pool=kept,
        fetched=slots,
        child_claims=ChildClaims(snapshot.child_claims),
        watch=watch,
        stopwatch=Stopwatch(_time_limits(policy), costs or RequestCosts()),
    )
    _note_missing_assets(board)
    board.tell(CycleBegan(board))
    rounds = all_rounds(board, submitters)
    board.tell(CycleEnded(board))
    accountant.meet(submitter.name for submitter in fetched)
    claims = partial(table_of_claims, waiting, charged, board.limited_matches, slots, context)
    return _result(now, board, submitters, rounds, trimmed, usage_before, claims)


def _context(
    policy: NegotiatorPolicy,
    accountant: Accountant,
    tree: GroupTree,
    now: float,
    rng: Random | None,
) -> EvalContext:
    """What the negotiator's own expressions know besides ads."""
    functions = live_functions(accountant, tree)
    return EvalContext(
        now=now,
        rng=rng,
        functions=functions,
        user_maps=policy.user_maps or None,
        language=language_of(policy.version),
    )


def _fetch(
    engines: Engines, snapshot: Snapshot, policy: NegotiatorPolicy, context: EvalContext
) -> Slots:
    """The slots that the collector hands out."""
    read = may_read_requirements(policy_expressions(policy)) or any(
        lead_to_requirements(queue.jobs, "requirements", "rank") for queue in snapshot.queues
    )
    return engines.fetch(snapshot.slots, snapshot.claims, policy, context, read)


def _job_lists(
    snapshot: Snapshot,
    significant: frozenset[str],
    slots: Slots,
    policy: NegotiatorPolicy,
    context: EvalContext,
) -> Mapping[tuple[str, str], JobList]:
    """The waiting jobs of each submitter at each schedd."""
    # One slot with a consumption policy is enough to leave all requests as they are.
    flatten = not slots.with_policy
    settings = significance(policy)
    return job_lists(snapshot.queues, significant, settings, policy, context, flatten=flatten)


def _prepare(
    slots: Slots,
    snapshot: Snapshot,
    accountant: Accountant,
    tree: GroupTree,
    policy: NegotiatorPolicy,
    context: EvalContext,
) -> Slots:
    """Sort the slots, and put into them what policies may ask for."""
    if policy.ignore_job_ranks:
        slots = presort(slots, policy, context)
    add_match_expressions(slots, policy)
    if policy.consider_preemption:
        prefix = (policy.startd_resource_prefix or "slot") if policy.cross_slot_prios else None
        floor = REMOTE_USER_FLOOR.of(policy.version)
        quotas = snapshot.previous_quotas
        decorator = SlotDecorator(accountant, tree, quotas, context, prefix, floor)
        decorator.decorate(slots)
    return slots


def _result(
    now: float,
    board: Board,
    submitters: list[Submitter],
    rounds: tuple[AllocationRound, ...],
    trimmed: list[TrimmedSlot],
    usage_before: Mapping[str, float],
    claims: Callable[[], dict[str, Resource]],
) -> CycleResult:
    """What has been decided, and the numbers it was decided by."""
    tree = board.tree
    return CycleResult(
        now=now,
        pool=board.numbers,
        submitters=submitter_summaries(board, submitters, usage_before),
        groups=group_summaries(board, submitters, rounds, usage_before),
        rounds=rounds,
        pies=tuple(board.pies),
        matches=tuple(board.matches),
        rejections=tuple(board.rejections),
        trimmed=tuple(trimmed),
        accountant=board.accountant.final_state(claims),
        quotas={g.name: g.quota for g in tree.groups} if tree.configured else None,
        seconds=board.stopwatch.seconds,
        departures=board.departures.departures(),
        group_turns=tree.turns(now) if tree.configured else None,
    )


def _time_limits(policy: NegotiatorPolicy) -> TimeLimits:
    return TimeLimits(
        policy.max_time_per_cycle_seconds,
        policy.max_time_per_submitter_seconds,
        policy.max_time_per_schedd_seconds,
        policy.max_time_per_pie_spin_seconds,
    )


def _note_missing_assets(board: Board) -> None:
    """Slots whose consumption policy would end the real negotiator as soon as it looks at them."""
    for slot in board.pool.with_policy:
        for name in slot.resources:
            if slot.ad.get_number(name, context=board.context) is None:
                board.departures.note(DepartureKind.MISSING_ASSET, f"slot {slot.name}")
                break
