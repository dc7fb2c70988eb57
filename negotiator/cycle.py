"""Runs one negotiation cycle: from what the negotiator knows to what it decides, stage by stage.

The inputs are left untouched; the same inputs give the same result.  Follows the description of the
negotiation cycle in HTCondor's manual and the vectors.
"""

from __future__ import annotations

from functools import partial
from random import Random

from classad.evaluate import EvalContext
from classad.language.rules import language_of
from negotiator.accounting.accountant import Accountant, accountant_settings
from negotiator.engines import ENGINES, make_engines
from negotiator.expressions.flattening import may_read_requirements
from negotiator.groups.tree import group_tree
from negotiator.jobs.autoclusters import policy_expressions, significant_attributes
from negotiator.jobs.lists import job_lists
from negotiator.jobs.submitters import fetch_submitters
from negotiator.matching.board import Board, CycleBegan, CycleEnded, Watch
from negotiator.matching.concurrency_limits import ConcurrencyCounts
from negotiator.matching.engine import Engines
from negotiator.matching.rank import presort
from negotiator.matching.stopwatch import RequestCosts, Stopwatch
from negotiator.model.departures import DepartureKind
from negotiator.model.garbage import without_collecting
from negotiator.model.result import AllocationRound, CycleResult
from negotiator.model.snapshot import Snapshot
from negotiator.pool.claims import (
    charged_slots,
    charges,
    claim_record,
    held_limits,
    matched_keys,
    table_of_claims,
    waiting_matches,
)
from negotiator.pool.ephemeral import live_functions, tell_slots
from negotiator.pool.partitionable import ChildClaims
from negotiator.pool.slots import Slot, Slots
from negotiator.pool.trimming import trim_slots
from negotiator.pool.weights import pool_numbers
from negotiator.sessions.rounds import all_rounds
from negotiator.sessions.summary import group_summaries, submitter_summaries
from negotiator.versions.negotiator import USAGE_OF_SLOTS
from policy.model import NegotiatorPolicy

__all__ = ["negotiate", "prepare"]


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
    board = prepare(snapshot, policy, now=now, rng=rng, engine=engine)
    board.watch = watch
    board.stopwatch = _stopwatch(policy, costs or RequestCosts())
    board.tell(CycleBegan(board))
    rounds = all_rounds(board)
    board.tell(CycleEnded(board))
    board.accountant.meet(submitter.name for submitter in board.submitters)
    return _result(now, board, rounds)


def prepare(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    *,
    now: float,
    rng: Random | None = None,
    engine: str | Engines = ENGINES[0],
) -> Board:
    """The state of a cycle before anything is decided in it; see ``negotiate``.

    Claims are charged, slots fetched, trimmed, sorted and told of their users, jobs listed.
    """
    tree = group_tree(policy)
    tree.remember_turns(snapshot.group_turns or {})
    accountant = Accountant(snapshot.accountant, accountant_settings(policy), tree, now)
    context = EvalContext(
        now=now,
        rng=rng,
        functions=live_functions(accountant, tree),
        user_maps=policy.user_maps or None,
        language=language_of(policy.version),
    )
    engines = make_engines(engine) if isinstance(engine, str) else engine
    fetched = _fetch(engines, snapshot, policy, context)
    submitters = fetch_submitters(snapshot.submitters, policy, context)
    significant = significant_attributes(fetched, policy_expressions(policy), policy.version)
    waiting = waiting_matches(fetched, snapshot.accountant, context)
    charged = _charged(fetched, accountant, policy, context)
    numbers = pool_numbers(fetched, policy, context)
    pool, trimmed = trim_slots(fetched, policy, context)
    pool = presort(pool, policy, context) if policy.ignore_job_ranks else pool
    tell_slots(pool, accountant, tree, snapshot.previous_quotas, policy, context)
    left, finder = engines.prepare(pool, policy)
    held = held_limits(fetched, waiting, context)
    # One slot with a consumption policy is enough to leave all requests as they are.
    flatten, known = not fetched.with_policy, engines.jobs
    board = Board(
        policy=policy,
        context=context,
        schedd_context=EvalContext(now=now, rng=rng, language=context.language),
        accountant=accountant,
        tree=tree,
        concurrency=ConcurrencyCounts(policy.concurrency_limits.maximum, held),
        numbers=numbers,
        jobs=job_lists(snapshot.queues, significant, policy, context, flatten=flatten, known=known),
        slots=left,
        engine=finder,
        pool=pool,
        fetched=fetched,
        child_claims=ChildClaims(snapshot.child_claims),
        submitters=submitters,
        trimmed=trimmed,
        charged=charged,
        waiting=waiting,
        usage_before=accountant.usages(),
    )
    _note_missing_assets(board)
    return board


def _fetch(
    engines: Engines, snapshot: Snapshot, policy: NegotiatorPolicy, context: EvalContext
) -> Slots:
    """The slots that the collector hands out."""
    read = may_read_requirements(policy_expressions(policy)) or engines.jobs.lead_to_requirements(
        [job for queue in snapshot.queues for job in queue.jobs]
    )
    return engines.fetch(snapshot.slots, snapshot.claims, policy, context, read)


def _charged(
    slots: Slots, accountant: Accountant, policy: NegotiatorPolicy, context: EvalContext
) -> list[Slot]:
    """Charge the claims of slots to those who have them, and return these slots."""
    charged = charged_slots(slots, policy, context)
    if USAGE_OF_SLOTS.of(policy.version):
        records = [claim_record(slot, context) for slot in charged]
        accountant.settle_claims(records, matched_keys(slots, context))
    else:
        accountant.count_claims(charges(charged))
    return charged


def _result(now: float, board: Board, rounds: tuple[AllocationRound, ...]) -> CycleResult:
    """What has been decided, and the numbers it was decided by."""
    tree = board.tree
    limited = list(zip(board.matches, board.limits, strict=True))
    # Made when it is asked for, of no more than it needs: results may be kept for long.
    claims = partial(
        table_of_claims, board.waiting, board.charged, limited, board.fetched, board.context
    )
    return CycleResult(
        now=now,
        pool=board.numbers,
        submitters=submitter_summaries(board),
        groups=group_summaries(board, rounds),
        rounds=rounds,
        pies=tuple(board.pies),
        matches=tuple(board.matches),
        rejections=tuple(board.rejections),
        trimmed=tuple(board.trimmed),
        accountant=board.accountant.final_state(claims),
        quotas={g.name: g.quota for g in tree.groups} if tree.configured else None,
        seconds=board.stopwatch.seconds,
        departures=board.departures.departures(),
        group_turns=tree.turns(now) if tree.configured else None,
    )


def _stopwatch(policy: NegotiatorPolicy, costs: RequestCosts) -> Stopwatch:
    of_submitter, of_schedd = (
        policy.max_time_per_submitter_seconds,
        policy.max_time_per_schedd_seconds,
    )
    limits = of_submitter, of_schedd, policy.max_time_per_cycle_seconds
    return Stopwatch(costs, limits, policy.max_time_per_pie_spin_seconds)


def _note_missing_assets(board: Board) -> None:
    """Slots whose consumption policy would end the real negotiator as soon as it looks at them."""
    for slot in board.pool.with_policy:
        for name in slot.resources:
            if slot.ad.get_number(name, context=board.context) is None:
                board.departures.note(DepartureKind.MISSING_ASSET, f"slot {slot.name}")
                break
