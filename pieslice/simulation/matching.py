"""Runs the negotiation cycles of a simulation.

Decides what a cycle gets to see, when its matchmaking can be left out because nothing could be
matched, and the totals of entitlement and quota that are kept from cycle to cycle.

Inputs: the simulation, the policy.  Outputs: claims; the accountant's state moved on.  Follows: the
schedd's submitter ads and requests: of equal jobs of a submitter no more can be matched in a cycle
than there are slots, so no more are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from random import Random
from types import NoneType

from attr import define, evolve, field

from classad import ClassAd
from classad.ads.expression import Expression
from classad.errors import Diagnostic
from classad.table.store.columns import PLAIN
from negotiator.accounting.accountant import Accountant, AccountantSettings, accountant_settings
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES, make_engines
from negotiator.expressions.visible import Mentions
from negotiator.groups.quotas import assign_quotas
from negotiator.groups.tree import GroupTree, group_tree
from negotiator.jobs.submitters import IdleJobWeights, Submitter, job_prio_array
from negotiator.matching.board import Placements
from negotiator.matching.engine import Engines
from negotiator.model.result import ROOT_GROUP, CycleResult
from negotiator.model.snapshot import Customer, ScheddQueue, Snapshot
from negotiator.model.watched import PASSING
from negotiator.pool.addresses import NO_ADDRESS
from negotiator.whatif.pool import WhatIf
from pieslice.between.pool import show_time
from pieslice.priorities.stateads import terms_of
from pieslice.simulation.engine import Simulation
from pieslice.simulation.entitlement import Entitlement
from pieslice.simulation.matchmaking_cache import CachedCycle, MatchmakingCache
from pieslice.simulation.parallel import place
from policy.model import NegotiatorPolicy
from policy.versions import Followed

SCHEDD = "schedd"


@define(eq=False)
class Negotiator:
    """The negotiator of a simulation."""

    simulation: Simulation
    policy: NegotiatorPolicy
    seed: int
    tree: GroupTree = field(init=False)
    settings: AccountantSettings = field(init=False)
    #: Whether to leave out what needs not be found out again; the outcome is the same.
    quick: bool = True
    #: Whether a cycle could ever take a claimed slot.
    preempts: bool = field(init=False)
    #: Whether groups take turns from cycle to cycle, so that one without a match counts too.
    in_turn: bool = field(init=False)
    cache: MatchmakingCache | None = field(init=False, default=None)
    #: Of full cycles; those that are not quick learn nothing from the ones before.
    engines: Engines = field(init=False)
    weights: IdleJobWeights = field(init=False)
    #: The weights of waiting jobs by their kind.
    _weights: dict[int, int] = field(init=False, factory=dict)
    #: Is told the result of every cycle; with it all cycles are held in full.
    told: Callable[[CycleResult], None] | None = None
    #: The version whose rules the cycles follow, and who said so.
    followed: Followed = field(factory=Followed)
    #: What the configuration changes besides the policy.
    what_if: WhatIf | None = None
    #: What of the capture could not be read, or is doubtful.
    doubts: Sequence[Diagnostic] = ()
    #: How often the pool had changed when quotas were assigned last.
    _assigned_at: int | None = field(init=False, default=None)
    due: Entitlement = field(init=False)
    _deciding: bool = field(init=False, default=False)
    #: Whether the time that slots tell can make a difference to a cycle.
    _time_counts: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.simulation.most = self.policy.max_jobs_running
        self.tree = group_tree(self.policy)
        self.due = Entitlement(
            self.simulation, lambda user: self.tree.assigned(user).name, self.effective_priority
        )
        self.simulation.moved = self._moved
        self.settings = accountant_settings(self.policy)
        self.weights = IdleJobWeights.by(self.policy)
        self.preempts = self._may_preempt()
        self.in_turn = self.tree.configured and not self.policy.use_slot_weights
        self._time_counts = not self.quick or self._may_read_time()
        self.engines = make_engines(ENGINES[0 if self.quick else 1], lasting=True)
        alike = not (self.preempts or self.in_turn or self.policy.use_global_job_prios)
        if self.quick and alike:
            self.cache = MatchmakingCache.of(self.simulation, self.policy, SCHEDD)

    def cycle(self, seconds: int) -> None:
        """Hold a cycle now; ``seconds`` until the next one, for the totals."""
        state = self.simulation.state
        state.cycles += 1
        # What everybody wants is counted anew at the end.
        self._deciding = True
        if self.simulation.gangs:
            place(self.simulation)
        matched = self._could_match() and self._negotiate()
        if not matched:
            self._account()
        self._total(seconds)
        self._deciding = False

    def _may_preempt(self) -> bool:
        """False if it is sure that nobody is preempted, by priority or by the rank of a slot.

        A rank that is a number is never above the rank of the job that runs.
        """
        if not self.policy.consider_preemption:
            return False
        requirements = self.policy.preemption_requirements
        refused = requirements is not None and str(requirements).lower() == "false"
        slots = self.simulation.pool.slots.values()
        return not refused or any(
            slot.ad.raw("Rank").__class__ not in (int, float, NoneType) for slot in slots
        )

    def _may_read_time(self) -> bool:
        """False if it is sure that nothing reads what slots tell of the time that has passed."""
        policy, simulation = self.policy, self.simulation
        early = not policy.consider_preemption or policy.consider_early_preemption
        retires = simulation.settings.retirement > 0 and not early
        if retires or policy.trim_shutdown_threshold_seconds > 0:
            return True
        pool, mentions = simulation.pool, Mentions()
        ads = [slot.ad for slots in (pool.slots.values(), *pool.away.values()) for slot in slots]
        ads += [shape.ad for shape in simulation.workload.shapes]
        # Where nobody is preempted nobody is chosen for it.
        whom = () if self.preempts else ("preemption_requirements", "preemption_rank")
        fields = [value for name, value in vars(policy).items() if name not in whom]
        trees = [value for value in fields if isinstance(value, Expression)]
        trees += [tree for _, tree in policy.match_exprs]
        cells = chain(trees, *(ad._attrs.values() for ad in ads))
        read = (mentions.of(cell) for cell in cells if cell.__class__ not in PLAIN)
        return any(
            it.shape.row_by_row or not PASSING.keys().isdisjoint(it.own | it.others) for it in read
        )

    def _could_match(self) -> bool:
        if not self.quick or self.told is not None or self.in_turn or self._quotas_are_old():
            return True
        if not any(self.simulation.idle.values()):
            return False
        if self.preempts:
            return True
        claims = self.simulation.state.claims
        # Every claim is of a slot that is there.
        return len(claims) < len(self.simulation.pool.slots)

    def _quotas_are_old(self) -> bool:
        """Whether a cycle would assign other quotas, which preemption may ask for in the next."""
        if not (self.preempts and self.tree.configured):
            return False
        if self.policy.slot_poolsize_constraint is not None:
            return True
        return self._assigned_at != self.simulation.pool.changes

    def _account(self) -> None:
        """What a cycle without a match does: age the priorities and count the claims."""
        simulation = self.simulation
        state = simulation.state
        now = simulation.epoch + state.now
        accountant = Accountant(state.accountant, self.settings, self.tree, now)
        accountant.count_claims(self._usage())
        state.accountant = evolve(accountant.state(), last_update_time=now)

    def _negotiate(self) -> bool:
        """Hold a cycle; false if it turns out that nothing can be matched."""
        state = self.simulation.state
        self._assigned_at = self.simulation.pool.changes
        fully = self.cache is None or self.told is not None
        found = self._negotiate_fully() if fully else self._negotiate_quickly()
        if found is None:
            return False
        state.accountant = evolve(found.accountant, resources={})
        state.quotas = found.quotas
        state.group_turns = found.group_turns if self.in_turn else None
        state.full_cycles += 1
        claimed = []
        for match, job in zip(found.matches, found.jobs, strict=True):
            # Jobs are clusters of their own, from 1.
            if job is not None and self.simulation.carry_out(match, job.cluster - 1):
                claimed.append(match)
        self.simulation.claim_leftovers(claimed)
        return True

    def _negotiate_quickly(self) -> CachedCycle | None:
        assert self.cache is not None
        state = self.simulation.state
        now = self.simulation.epoch + state.now
        if state.accountant.last_update_time is None:
            state.accountant = evolve(state.accountant, last_update_time=now)
        rng = Random(f"{self.seed}/{state.now}")
        submitters = [self._submitter(user) for user in self._users()]
        return self.cache.negotiate(self._waiting(), submitters, self._usage(), now, rng)

    def _negotiate_fully(self) -> CachedCycle:
        simulation = self.simulation
        state = simulation.state
        now = simulation.epoch + state.now
        if self._time_counts:
            self.show_times()
        accountant = state.accountant
        if accountant.last_update_time is None:
            accountant = evolve(accountant, last_update_time=now)
        snapshot = Snapshot(
            slots=tuple(slot.ad for slot in simulation.pool.slots.values()),
            submitters=tuple(self.submitter_ads()),
            queues=(ScheddQueue(SCHEDD, tuple(self._waiting_ads()), len(state.claims)),),
            accountant=accountant,
            previous_quotas=state.quotas,
            group_turns=state.group_turns,
        )
        rng = Random(f"{self.seed}/{state.now}")
        placements = Placements()
        result = negotiate(
            snapshot, self.policy, now=now, rng=rng, watch=placements, engine=self.engines
        )
        if self.told is not None:
            self.told(result)
        quotas = None if result.quotas is None else dict(result.quotas)
        turns = None if result.group_turns is None else dict(result.group_turns)
        return CachedCycle(list(result.matches), placements.jobs, result.accountant, quotas, turns)

    def show_times(self) -> None:
        """Let the slots tell the time of now."""
        simulation, state = self.simulation, self.simulation.state
        for name, slot in simulation.pool.slots.items():
            claim = state.claims.get(name)
            retiring = None
            if claim is not None:
                retiring = claim.job_begun + simulation.settings.retirement - state.now
            show_time(slot.ad, simulation.epoch + state.now, retiring)

    def _usage(self) -> list[tuple[str, float]]:
        """Whom each claimed slot is charged to and its weight, in pool order."""
        claims, weighted = self.simulation.state.claims, self.policy.use_slot_weights
        return [
            (claims[name].user, slot.weight if weighted else 1.0)
            for name, slot in self.simulation.pool.slots.items()
            if name in claims
        ]

    def _submitter(self, user: str) -> Submitter:
        """What the negotiator makes of a submitter ad when no constraint leaves any out."""
        idle, weighted_idle = self._idle(user)
        running, weighted_running = self.simulation.state.running.get(user, (0, 0.0))
        weighted = weighted_running + weighted_idle
        demand = weighted if self.policy.use_weighted_demand else float(idle + running)
        return Submitter(user, SCHEDD, idle, running, demand, 0)

    def _users(self) -> list[str]:
        simulation = self.simulation
        running = {name for name, (jobs, _) in simulation.state.running.items() if jobs}
        return sorted(running | {name for name, shapes in simulation.idle.items() if shapes})

    def _idle(self, user: str, but: Collection[int] = ()) -> tuple[int, float]:
        """How many jobs of a submitter wait, but those of some kinds, and their weight."""
        jobs, weight = 0, 0.0
        for shape, waiting in self.simulation.idle.get(user, {}).items():
            if shape in but:
                continue
            jobs += len(waiting)
            weight += len(waiting) * self._weight(shape)
        return jobs, weight

    def _weight(self, shape: int) -> int:
        """What the schedd weighs a waiting job of a kind by."""
        if shape not in self._weights:
            self._weights[shape] = self.weights.of(self.simulation.workload.shapes[shape].ad)
        return self._weights[shape]

    def _weight_of_job(self, shape: int) -> int:
        """The same of all the slots that such a job needs."""
        return self._weight(shape) * self.simulation.workload.shapes[shape].hosts

    def submitter_ads(self) -> list[ClassAd]:
        """What the schedd tells of those who have jobs."""
        ads = []
        for user in self._users():
            idle, weighted_idle = self._idle(user)
            running, weighted_running = self.simulation.state.running.get(user, (0, 0.0))
            ad = ClassAd()
            for name, value in (
                ("MyType", "Submitter"),
                ("Name", user),
                ("ScheddName", SCHEDD),
                ("ScheddIpAddr", NO_ADDRESS),
                ("IdleJobs", idle),
                ("RunningJobs", running),
                ("WeightedIdleJobs", weighted_idle),
                ("WeightedRunningJobs", weighted_running),
            ):
                ad.insert(name, value)
            if self.policy.use_global_job_prios:
                ad.insert("JobPrioArray", job_prio_array(self._prios(user), self.policy))
            ads.append(ad)
        return ads

    def _prios(self, user: str) -> Iterator[float]:
        """The priorities of a submitter's waiting jobs."""
        for shape in self.simulation.idle.get(user, {}):
            yield self.simulation.workload.shapes[shape].ad.get_number("JobPrio") or 0

    def _waiting(self) -> dict[int, list[int]]:
        """The jobs of each kind that could be matched now, in the order of submission."""
        simulation = self.simulation
        # Who is told of the cycle hears of those that are rejected, too.
        most = None if self.told is not None else len(simulation.pool.slots)
        if most is not None and not self.preempts:
            most -= len(simulation.state.claims)
        return {
            shape: numbers[:most]
            for shapes in simulation.idle.values()
            for shape, numbers in shapes.items()
        }

    def _waiting_ads(self) -> list[ClassAd]:
        numbers = sorted(number for found in self._waiting().values() for number in found)
        return [self.simulation.job_ad(number) for number in numbers]

    # --- totals -------------------------------------------------------------------------------

    def _total(self, seconds: int) -> None:
        simulation = self.simulation
        state, tree = simulation.state, self.tree
        pool = simulation.pool.capacity
        state.pool_seconds += pool * seconds
        users = self._users()
        used = {user: simulation.state.running.get(user, (0, 0.0))[1] for user in users}
        # What no slot can ever serve is nobody's due.
        wanted = {user: used[user] + self._idle(user, state.never)[1] for user in users}
        for number in simulation.gangs:
            shape, user = simulation.workload.arrivals[number].shape, simulation.user_of(number)
            if shape not in state.never:
                wanted[user] = wanted.get(user, 0.0) + self._weight_of_job(shape)
        rooms = {ROOT_GROUP: pool}
        if tree.configured:
            whole = simulation.pool.weight
            assign_quotas(tree, whole, oversubscription=self.policy.allow_quota_oversubscription)
            rooms = {group.name: group.quota for group in tree.groups}
            self._total_groups(rooms, used, seconds)
        self.due.begin(rooms, wanted)

    def _total_groups(self, rooms: dict[str, float], used: dict[str, float], seconds: int) -> None:
        """What groups have beyond their quota without being allowed to."""
        state, usage = self.simulation.state, dict.fromkeys(rooms, 0.0)
        for user, weight in used.items():
            state.group_of[user] = self.tree.assigned(user).name
            usage[state.group_of[user]] += weight
        for group in self.tree.groups:
            name = group.name
            state.group_entitled.setdefault(name, 0.0)
            if not group.settings.accept_surplus:
                over = max(0.0, usage[name] - rooms[name]) * seconds
                state.over_quota[name] = state.over_quota.get(name, 0.0) + over

    def _moved(self, number: int, weight: float, waiting: int) -> None:
        """A job starts or stops: its submitter wants more or less until the next cycle."""
        if self._deciding:
            return
        state, arrival = self.simulation.state, self.simulation.workload.arrivals[number]
        if waiting and arrival.submit <= state.cycle_time and arrival.shape not in state.never:
            weight += waiting * self._weight_of_job(arrival.shape)
        self.due.change(self.simulation.user_of(number), weight)

    def effective_priority(self, name: str) -> float:
        """The effective priority of a submitter now; bigger is worse."""
        record = self.simulation.state.accountant.customers.get(name) or Customer(name)
        priority, factor = terms_of(record, self.tree, self.settings)
        return priority * factor
