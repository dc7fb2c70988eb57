"""Caches matchmaking from cycle to cycle of a simulation, and runs cycles from the cache.

Cached are free slots as a cycle prepares them, which of them match which kind of job and how they
rank, and the significant attributes.  Claimed slots, which nobody can get here, only count towards
usage and the size of the pool.

Inputs: a simulation in which nobody is preempted and whose expressions are steady
(``pieslice.simulation.steadiness``).
Outputs: the matches that ``negotiator.cycle.negotiate`` would find, the accountant, the quotas.
Follows: ``negotiator.cycle``, with which tests compare every cycle of a simulation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Final, TypeAlias

from attr import define, field

from classad.evaluate import EvalContext
from negotiator.accounting.accountant import Accountant, accountant_settings
from negotiator.groups.tree import group_tree
from negotiator.jobs.autoclusters import (
    AutoclusterTable,
    job_attributes,
    policy_expressions,
    significant_attributes,
)
from negotiator.jobs.lists import job_list, queued_job
from negotiator.jobs.readiness import runnable
from negotiator.jobs.requests import JobList, QueuedJob, Request, ScheddRoom, ShownAttributes
from negotiator.jobs.submitters import Submitter, submitter_of
from negotiator.matching.board import Board, Placements
from negotiator.matching.candidate import Allowance, Candidate, Refusal, Requester, Tally
from negotiator.matching.candidates import Tester
from negotiator.matching.concurrency_limits import ConcurrencyCounts
from negotiator.matching.conditions import Ask
from negotiator.matching.engine import REFERENCE, RankedList
from negotiator.matching.rank import Ranker
from negotiator.model.result import Match, MatchKind, PoolNumbers
from negotiator.model.snapshot import AccountantState
from negotiator.pool.ephemeral import live_functions
from negotiator.pool.fetch import fetch_slots
from negotiator.pool.slots import Slot, Slots
from negotiator.pool.weights import pool_numbers
from negotiator.sessions.rounds import all_rounds
from pieslice.between.pool import SimSlot
from pieslice.simulation.engine import Simulation
from pieslice.simulation.state import IDLE
from pieslice.simulation.steadiness import is_steady
from policy.model import NegotiatorPolicy

#: How often jobs that have started and slots that are gone are forgotten, in cycles.
_TIDY: Final = 100
#: Who asks and when: for what is cached it makes no difference.
_ASKER: Final = Requester("", "", 0.0, rank_only=False)

_Candidates: TypeAlias = dict[int, Candidate | None]


@define(eq=False)
class _Prepared:
    """A slot as cycles see it while it is free; None if they do not see it at all.

    ``source``: the slot that it was made from, for a name may come again;
    ``requirements``: those that cycles go by, which a match replaces.
    """

    source: SimSlot
    slot: Slot | None
    position: int
    changes: int
    requirements: object = None

    def is_of(self, slot: SimSlot) -> bool:
        """Whether it is that slot as it is now."""
        return self.source is slot and self.changes == slot.changes


@define(eq=False)
class _Kinds:
    """What is cached for one list of significant attributes.

    ``candidates``: by kind of job and position of the slot; None where they do not match.
    """

    table: AutoclusterTable | None
    shown: ShownAttributes | None
    candidates: dict[int, _Candidates] = field(factory=dict)
    queued: dict[int, QueuedJob] = field(factory=dict)


@define(eq=False)
class CachedCycle:
    """What a cycle has decided; ``jobs``: who got the slot of each match, None if nobody."""

    matches: list[Match]
    jobs: list[QueuedJob | None]
    accountant: AccountantState
    quotas: dict[str, float] | None
    #: When each group was last served in turn, where a cycle asks for that.
    group_turns: dict[str, float] | None = None


@define(eq=False)
class MatchmakingCache:
    """What the negotiator of a simulation need not find out again."""

    simulation: Simulation
    policy: NegotiatorPolicy
    schedd: str
    _prepared: dict[str, _Prepared] = field(factory=dict)
    _positions: int = 0
    _kinds: dict[frozenset[str] | None, _Kinds] = field(factory=dict)
    #: For the number of changes of machines.
    _kinds_of: tuple[int, _Kinds] | None = None
    _probe: Board = field(init=False)
    _submitters: dict[int, str | None] = field(factory=dict)
    _numbers: tuple[int, PoolNumbers] | None = None
    _cycles: int = 0
    #: Whether there are concurrency limits at all.
    _limited: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        tree = group_tree(self.policy)
        settings = accountant_settings(self.policy)
        ads = [shape.ad for shape in self.simulation.workload.shapes]
        ads += [slot.ad for slot in self.simulation.pool.slots.values()]
        self._limited = any(ad.raw("ConcurrencyLimits") is not None for ad in ads)
        context = EvalContext(now=0.0, language=self.policy.language)
        self._probe = Board(
            policy=self.policy,
            context=context,
            accountant=Accountant(AccountantState(), settings, tree, 0.0),
            tree=tree,
            concurrency=ConcurrencyCounts(self.policy.concurrency_limits.maximum, ()),
            numbers=pool_numbers(Slots(), self.policy, context),
            jobs={},
        )

    @classmethod
    def of(
        cls, simulation: Simulation, policy: NegotiatorPolicy, schedd: str
    ) -> MatchmakingCache | None:
        """The cache for a simulation; None if matches may change from cycle to cycle."""
        made = cls(simulation, policy, schedd)
        context = EvalContext(now=float(simulation.epoch), language=policy.language)
        pool = simulation.pool
        slots = [*pool.slots.values(), *(slot for away in pool.away.values() for slot in away)]
        seen = [found for slot in slots if (found := made._prepare(slot, context).slot) is not None]
        shapes = simulation.workload.shapes
        return made if is_steady(seen, shapes, policy) else None

    # --- slots --------------------------------------------------------------------------------

    def _prepare(self, slot: SimSlot, context: EvalContext) -> _Prepared:
        known = self._prepared.get(slot.name)
        if known is not None and known.is_of(slot):
            return known
        self._positions += 1
        found = fetch_slots([slot.ad], {}, self.policy, context)
        if known is not None:
            for kinds in self._kinds.values():
                for candidates in kinds.candidates.values():
                    candidates.pop(known.position, None)
        made = _Prepared(slot, found[0] if found else None, self._positions, slot.changes)
        if made.slot is not None:
            # The simulation goes on changing its own ad.
            made.slot.own_ad()
            made.requirements = made.slot.ad.raw("Requirements")
        self._prepared[slot.name] = made
        return made

    def _free(self, context: EvalContext) -> dict[int, Slot]:
        """The slots that nobody has, in pool order, by positions of their own."""
        claims, prepared = self.simulation.state.claims, self._prepared
        free = {}
        for name, slot in self.simulation.pool.slots.items():
            if name in claims:
                continue
            known = prepared.get(name)
            # As ``is_of``, for every free slot in every cycle.
            if known is None or known.source is not slot or known.changes != slot.changes:
                known = self._prepare(slot, context)
            if known.slot is not None:
                free[known.position] = known.slot
        return free

    def _pool_numbers(self, context: EvalContext) -> PoolNumbers:
        pool = self.simulation.pool
        if self._numbers is None or self._numbers[0] != pool.changes:
            slots = (self._prepare(slot, context).slot for slot in pool.slots.values())
            there = Slots(s for s in slots if s is not None)
            numbers = pool_numbers(there, self.policy, context)
            self._numbers = (pool.changes, numbers)
        return self._numbers[1]

    def _limits(self, free: Mapping[int, Slot]) -> list[str]:
        """The concurrency limits that claims hold."""
        if not self._limited:
            return []
        slots = self.simulation.pool.slots
        values = [slots[name].ad.raw("ConcurrencyLimits") for name in self.simulation.state.claims]
        values += [slot.ad.raw("ConcurrencyLimits") for slot in free.values()]
        return [value for value in values if value.__class__ is str]

    # --- jobs ---------------------------------------------------------------------------------

    def _submitter(self, shape: int, context: EvalContext) -> str | None:
        """Whom jobs of a kind are offered for; None if they are not offered."""
        if shape not in self._submitters:
            ad = self.simulation.workload.shapes[shape].ad
            self._submitters[shape] = submitter_of(ad, context) if runnable(ad, context) else None
        return self._submitters[shape]

    def _kinds_now(self, context: EvalContext) -> _Kinds:
        """The kinds of job as the schedd tells them apart with the slots that are there."""
        machines = self.simulation.pool.machines
        if self._kinds_of is None or self._kinds_of[0] != machines:
            names = self._significant(context)
            kinds = self._kinds.get(names)
            if kinds is None:
                table = None if names is None else AutoclusterTable(names)
                shown = None if table is None else ShownAttributes(table)
                kinds = self._kinds[names] = _Kinds(table, shown)
            self._kinds_of = machines, kinds
        return self._kinds_of[1]

    def _significant(self, context: EvalContext) -> frozenset[str] | None:
        """The schedd's list of significant attributes, None without one."""
        pool = self.simulation.pool.slots.values()
        found = (self._prepare(slot, context).slot for slot in pool)
        slots = Slots(slot for slot in found if slot is not None)
        wanted = significant_attributes(slots, policy_expressions(self.policy), self.policy.version)
        if not wanted and self.policy.significant_attributes is None:
            return None
        return job_attributes(wanted, self.policy)

    def _job_lists(
        self, waiting: Mapping[int, list[int]], kinds: _Kinds, context: EvalContext
    ) -> dict[tuple[str, str], JobList]:
        """The waiting jobs by submitter; ``waiting``: numbers of jobs by kind."""
        simulation, queued = self.simulation, kinds.queued
        by_user: dict[str, list[QueuedJob]] = {}
        for shape, numbers in waiting.items():
            user = self._submitter(shape, context)
            if user is None:
                continue
            mine = by_user.setdefault(user, [])
            for number in numbers:
                job = queued.get(number)
                if job is None:
                    ad = simulation.job_ad(number)
                    job = queued[number] = queued_job(ad, kinds.table, context)
                mine.append(job)
        lists = {}
        room = ScheddRoom(self.policy.max_jobs_running, len(simulation.state.claims))
        for user, jobs in by_user.items():
            jobs.sort(key=_order)
            made = job_list(kinds.shown, self.policy, room)
            made.hold(jobs)
            lists[user, self.schedd] = made
        return lists

    def _tidy(self, kinds: _Kinds) -> None:
        """Forget jobs that wait no longer."""
        self._cycles += 1
        if self._cycles % _TIDY == 0:
            jobs = self.simulation.state.jobs
            for number in [n for n in kinds.queued if n not in jobs or jobs[n].status != IDLE]:
                del kinds.queued[number]
            pool = self.simulation.pool
            there = {*pool.slots, *(slot.name for away in pool.away.values() for slot in away)}
            for name in self._prepared.keys() - there:
                del self._prepared[name]

    # --- candidates ---------------------------------------------------------------------------

    def candidates(self, kinds: _Kinds, shape: int, free: Mapping[int, Slot]) -> _Candidates:
        """What jobs of a kind can have, with every free slot that has not been looked at yet."""
        known = kinds.candidates.get(shape)
        if known is None:
            known = kinds.candidates[shape] = {}
        if len(known) < self._positions:
            new = [position for position in free if position not in known]
            if new:
                board = self._probe
                ad = self.simulation.workload.shapes[shape].ad
                job = queued_job(ad, kinds.table, board.context)
                made = job_list(kinds.shown, self.policy, ScheddRoom())
                request = made.request_for(job).ad
                tester = Tester(Ask(board, request, _ASKER, board.context))
                ranker = Ranker(board.policy, request, board.context)
                for position in new:
                    known[position] = _candidate(tester, ranker, position, free[position])
        return known

    def _could_match(self, waiting: Iterable[int], kinds: _Kinds, free: Mapping[int, Slot]) -> bool:
        """Whether any free slot suits any of these kinds of job."""
        for shape in waiting:
            known = self.candidates(kinds, shape, free)
            if any(map(known.__getitem__, free)):
                return True
        return False

    def negotiate(
        self,
        waiting: Mapping[int, list[int]],
        submitters: list[Submitter],
        usage: Iterable[tuple[str, float]],
        now: int,
        rng: Random,
    ) -> CachedCycle | None:
        """Hold a cycle; None if it is sure to match nothing."""
        simulation, policy = self.simulation, self.policy
        context = EvalContext(now=now, language=policy.language)
        free = self._free(context)
        kinds = self._kinds_now(context)
        self._tidy(kinds)
        if not self._could_match(waiting, kinds, free):
            return None
        state = simulation.state
        tree = group_tree(policy)
        accountant = Accountant(state.accountant, accountant_settings(policy), tree, now)
        functions = live_functions(accountant, tree)
        context = EvalContext(now=now, rng=rng, functions=functions, language=policy.language)
        accountant.count_claims(usage)
        placements = Placements()
        board = Board(
            policy=policy,
            context=context,
            accountant=accountant,
            tree=tree,
            concurrency=ConcurrencyCounts(policy.concurrency_limits.maximum, self._limits(free)),
            numbers=self._pool_numbers(context),
            jobs=self._job_lists(waiting, kinds, context),
            submitters=submitters,
            slots=free,
            engine=_CachedEngine(self, kinds),
            watch=placements,
        )
        prepared = {slot.name: slot for slot in free.values()}
        all_rounds(board)
        for match in board.matches:
            slot = prepared[match.slot]
            # The next cycle finds the slot as this one did: with its requirements and a claim id.
            slot.ad.insert("Requirements", self._prepared[slot.name].requirements)
            slot.claims += 1
        quotas = {g.name: g.quota for g in tree.groups} if tree.configured else None
        return CachedCycle(board.matches, placements.jobs, accountant.state(), quotas)


def _order(job: QueuedJob) -> tuple[float, ...]:
    return job.order


def _candidate(tester: Tester, ranker: Ranker, position: int, slot: Slot) -> Candidate | None:
    """A free slot as a candidate with its ranks; None if it does not match."""
    found = tester.verdict(position, slot)
    if isinstance(found, Refusal):
        return None
    return found._replace(keys=ranker.keys(slot, found.kind))


@define(eq=False)
class _CachedEngine:
    """Finds the candidates of requests among those that are known."""

    cache: MatchmakingCache
    kinds: _Kinds

    def find(
        self, board: Board, request: Request, asker: Requester, allowance: Allowance, tally: Tally
    ) -> RankedList:
        """See ``negotiator.matching.board.Engine``."""
        limits = request.ad.raw("ConcurrencyLimits")
        if limits is not None and limits.__class__ is not str:
            return REFERENCE.find(board, request, asker, allowance, tally)
        if asker.rank_only:
            # Nobody is on any of the slots, so that no startd prefers the request to a job.
            tally.refused[Refusal.NOT_OCCUPIED] += len(board.slots)
            return RankedList([])
        arrivals = self.cache.simulation.workload.arrivals
        shape = arrivals[request.jobs[0].cluster - 1].shape
        known = self.cache.candidates(self.kinds, shape, board.slots)
        suitable = list(filter(None, map(known.__getitem__, board.slots)))
        costs = {candidate.cost for candidate in suitable}
        dear = {cost for cost in costs if not allowance.permits(MatchKind.NONE, cost)}
        found = [c for c in suitable if c.cost not in dear] if dear else suitable
        tally.refused[Refusal.REQUIREMENTS] += len(board.slots) - len(suitable)
        tally.refused[Refusal.SUBMITTER_LIMIT] += len(suitable) - len(found)
        return RankedList(found)
