"""The negotiation cycle: from what the negotiator knows to what it decides.

Decision here: only the order of the stages.  Inputs: a ``Snapshot``, a ``NegotiatorPolicy``, the
time (seconds since the epoch) and a source of randomness for ``random()`` in expressions.
Outputs: a ``CycleResult``.  The inputs are left untouched; the same inputs give the same result.

Never here: clocks, files, output, rules (each stage has its own module).
Follows: the description of the negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final

from attr import define, field

from classad import ClassAd
from classad.evaluate import EvalContext, evaluate
from negotiator.accounting.accountant import Accountant, accountant_settings
from negotiator.columns.significance import significant_in
from negotiator.columns.slots import each, holders_are_charged, kept_of
from negotiator.engines import ENGINES, make_engines
from negotiator.groups.rounds import (
    group_loop_settings,
    run_group_rounds,
    too_many_passes,
)
from negotiator.groups.tree import Group, GroupTree, group_tree
from negotiator.jobs.autoclusters import policy_expressions, significance
from negotiator.jobs.lists import job_lists
from negotiator.jobs.submitters import Submitter, fetch_submitters
from negotiator.matching.board import Board, Watch
from negotiator.matching.concurrency import ConcurrencyCounts
from negotiator.matching.engine import Engines
from negotiator.matching.rank import presort
from negotiator.matching.stopwatch import RequestCosts, Stopwatch, TimeLimits
from negotiator.model.arithmetic import FLT_MAX, INT_MAX
from negotiator.model.departures import Sane
from negotiator.model.result import AllocationRound, CycleResult, TrimmedSlot
from negotiator.model.snapshot import AccountantState, Snapshot
from negotiator.pool.ephemeral import SlotDecorator, add_match_expressions, live_functions
from negotiator.pool.size import pool_numbers, trim_slots
from negotiator.pool.slots import Slot
from negotiator.sessions.spins import RoundTerms, run_round
from negotiator.sessions.summary import group_summaries, submitter_summaries
from policy.model import NegotiatorPolicy


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
    """Run one negotiation cycle; ``watch`` is told what happens.

    ``costs``: the seconds that requests take; by default none: only limits of 0 are reached.
    ``engine``: how candidates are found, one of ``options.ENGINES``; the result is the same.
    ``Engines`` that serve several cycles keep what they learn.
    """
    tree = group_tree(policy)
    tree.remember_turns(snapshot.group_turns or {})
    accountant = Accountant(snapshot.accountant, accountant_settings(policy), tree, now)
    functions = live_functions(accountant, tree)
    context = EvalContext(now=now, rng=rng, functions=functions, user_maps=policy.user_maps or None)
    engines = make_engines(engine) if isinstance(engine, str) else engine
    slots = engines.fetch(snapshot.slots, snapshot.claims, policy, context)
    submitters = fetch_submitters(snapshot.submitters, policy, context)
    significant = significant_in(slots, policy_expressions(policy))
    accountant.count_claims(_claims(slots, policy, context))
    usage_before = accountant.usages()
    numbers = pool_numbers(slots, policy, context)
    kept, trimmed = trim_slots(slots, policy, context)
    kept = _prepare(kept, snapshot, accountant, tree, policy, context)
    left, finder = engines.prepare(kept, policy)
    board = Board(
        policy=policy,
        context=context,
        schedd_context=EvalContext(now=now, rng=rng),
        accountant=accountant,
        tree=tree,
        concurrency=_concurrency(slots, snapshot.accountant, policy, context),
        numbers=numbers,
        jobs=job_lists(
            snapshot.queues,
            significant,
            significance(policy),
            policy,
            context,
            # One slot with a consumption policy is enough to leave all requests as they are.
            freeze=not any(kept_of(slots, "resources")),
        ),
        slots=left,
        engine=finder,
        pool=kept,
        watch=watch or Watch(),
        stopwatch=Stopwatch(_time_limits(policy), costs or RequestCosts()),
    )
    _note_missing_assets(board)
    board.watch.started(board)
    rounds = all_rounds(board, submitters)
    board.watch.finished(board)
    return _result(board, submitters, rounds, trimmed, usage_before)


def _prepare(
    slots: Sequence[Slot],
    snapshot: Snapshot,
    accountant: Accountant,
    tree: GroupTree,
    policy: NegotiatorPolicy,
    context: EvalContext,
) -> Sequence[Slot]:
    """Sort the slots, and put into them what policies may ask for."""
    if policy.ignore_job_ranks:
        slots = presort(slots, policy, context)
    add_match_expressions(slots, policy)
    if policy.consider_preemption:
        prefix = (policy.startd_resource_prefix or "slot") if policy.cross_slot_prios else None
        decorator = SlotDecorator(accountant, tree, snapshot.previous_quotas, context, prefix)
        decorator.decorate(slots)
    return slots


def _result(
    board: Board,
    submitters: list[Submitter],
    rounds: tuple[AllocationRound, ...],
    trimmed: list[TrimmedSlot],
    usage_before: Mapping[str, float],
) -> CycleResult:
    """What has been decided, and the numbers it was decided by."""
    tree = board.tree
    return CycleResult(
        now=board.context.now or 0.0,
        pool=board.numbers,
        submitters=submitter_summaries(board, submitters, usage_before),
        groups=group_summaries(board, submitters, rounds, usage_before),
        rounds=rounds,
        pies=tuple(board.pies),
        matches=tuple(board.matches),
        rejections=tuple(board.rejections),
        trimmed=tuple(trimmed),
        accountant=board.accountant.final_state(),
        quotas={g.name: g.quota for g in tree.groups} if tree.configured else None,
        seconds=board.stopwatch.seconds,
        departures=board.departures.departures(),
        group_turns=tree.turns(board.context.now or 0.0) if tree.configured else None,
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
    for slot in board.slots.values() if any(kept_of(board.pool, "resources")) else ():
        for name in slot.resources:
            if slot.ad.get_number(name, context=board.context) is None:
                board.departures.note(Sane.MISSING_ASSET, f"slot {slot.name}")
                break


def sort_ad(group: Group, usage: float) -> ClassAd:
    """The ad in which ``GROUP_SORT_EXPR`` is evaluated; ``usage`` in slot weights."""
    ad = ClassAd()
    ad.insert("AccountingGroup", group.name)
    ad.insert("GroupQuota", group.quota)
    ad.insert("GroupResourcesInUse", usage)
    ad.insert("GroupResourcesAllocated", group.allocated)
    return ad


def _claims(
    slots: Sequence[Slot], policy: NegotiatorPolicy, context: EvalContext
) -> list[tuple[str, float]]:
    """Whom each claimed slot is charged to, and its weight."""

    def charged(slot: Slot, context: EvalContext) -> str | None:
        user = slot.accounted_user()
        if user is None or not policy.discount_suspended_resources:
            return user
        activity = slot.ad.get_string("Activity", context=context) or ""
        return None if activity.lower() == "suspended" else user

    if not policy.discount_suspended_resources and holders_are_charged(slots):
        claimed = ("Claimed", "Preempting")
        told = zip(*[kept_of(slots, what) for what in ("user", "weight", "state")], strict=True)
        return [(user, weight) for user, weight, s in told if user is not None and s in claimed]
    reads = ["AccountingGroup", "RemoteUser"]
    if policy.discount_suspended_resources:
        reads.append("Activity")
    users = each(slots, reads, charged, context, knows=("state",))
    pairs = zip(slots, users, strict=True)
    return [(user, slot.weight) for slot, user in pairs if user is not None]


def _concurrency(
    slots: Sequence[Slot], state: AccountantState, policy: NegotiatorPolicy, context: EvalContext
) -> ConcurrencyCounts:
    """The limits that claims in any state hold, and those of slots matched but not yet claimed."""
    found = each(slots, _LIMITS, _limits_held, context)
    texts: list[str | None] = [text for held in found if held for text in held]
    matched = set()
    for slot in slots if "Matched" in kept_of(slots, "state") else ():
        if slot.state == "Matched":
            address = slot.ad.get_string("StartdIpAddr", context=context) or ""
            matched.add(f"{slot.name}@{address}")
    for key, resource in state.resources.items():
        if key in matched:
            texts.append(resource.matched_concurrency_limits)
    return ConcurrencyCounts(policy.concurrency_limits.maximum, [text for text in texts if text])


_LIMITS: Final = ("ConcurrencyLimits", "PreemptingConcurrencyLimits")


def _limits_held(slot: Slot, context: EvalContext) -> list[str | None]:
    there = [name for name in _LIMITS if slot.raw(name) is not None]
    return [slot.ad.get_string(name, context=context) for name in there]


def all_rounds(board: Board, submitters: list[Submitter]) -> tuple[AllocationRound, ...]:
    """All rounds of the cycle; without groups there is one for everybody."""
    negotiation = _GroupNegotiation(board)
    if not board.tree.configured:
        negotiation.hold(list(submitters), None, INT_MAX)
        return ()
    policy, tree = board.policy, board.tree
    for submitter in submitters:
        group = tree.assigned(submitter.name)
        group.demand += submitter.demand
        negotiation.waiting.setdefault(group.name, []).append(submitter)
    if tree.autoregroup:
        mine = negotiation.waiting.setdefault(tree.root.name, [])
        for group in tree.groups[1:]:
            if group.settings.autoregroup:
                mine.extend(negotiation.waiting.get(group.name, []))
    size = board.numbers.pie if policy.use_slot_weights else board.numbers.effective_size
    settings = group_loop_settings(policy)
    rounds = tuple(run_group_rounds(tree, size, settings, negotiation, board.watch.quota))
    for done in rounds:
        if too_many_passes(done.max_delta, settings):
            board.departures.note(Sane.ROUND_ROBIN, f"allocation round {done.round}")
    return rounds


@define(eq=False)
class _GroupNegotiation:
    """Carries out what the loop over groups asks for."""

    board: Board
    waiting: dict[str, list[Submitter]] = field(factory=dict)

    def usage(self, group: Group) -> float:
        return self.board.accountant.usage(group.name)

    def subtree_usage(self, group: Group) -> float:
        return self.board.accountant.subtree_usage(group.name)

    def has_submitters(self, group: Group) -> bool:
        return bool(self.waiting.get(group.name))

    def sort_key(self, group: Group) -> float:
        expr = self.board.policy.group_sort_expr
        if expr is None:
            return FLT_MAX
        value = evaluate(expr, sort_ad(group, self.usage(group)), context=self.board.context)
        return float(value) if value.__class__ in (int, float, bool) else FLT_MAX

    def negotiate(self, group: Group, limit: int) -> int | None:
        tree = self.board.tree
        regrouped = tree.autoregroup and group is tree.root
        self.hold(self.waiting[group.name], group.name, limit, regrouped)
        return len(self.board.pies) - 1

    def hold(
        self, submitters: list[Submitter], group: str | None, quota: int, regrouped: bool = False
    ) -> None:
        """A round for those below their floor, then one for all."""
        accountant = self.board.accountant
        needy = [s for s in submitters if accountant.usage(s.name) < accountant.floor(s.name)]
        if needy:
            run_round(self.board, needy, RoundTerms(group, quota, True, regrouped))
        run_round(self.board, submitters, RoundTerms(group, quota, False, regrouped))
