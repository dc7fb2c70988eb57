"""Moves a pool through time: arrivals, completions, preemptions, machines that come and go.

Decides what follows from a match, and from the end of a job or a claim.  A claim takes further jobs
of its submitter until its work life is over; a job that is preempted may run on for its retirement
time and then has the vacate time to stop; what it has done is lost, and it queues again in its old
place.  What a match leaves of a partitionable slot goes to further jobs of its submitter.

Inputs: a pool, a workload, a policy, settings.  Outputs: the state moved on; events to a sink.
Follows: condor_startd's and condor_schedd's handling of claims: CLAIM_WORKLIFE,
MaxJobRetirementTime, MachineMaxVacateTime, CLAIM_PARTITIONABLE_LEFTOVERS.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from attr import define, field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.language.bounds import checkpoint
from classad.language.rules import LanguageRules
from negotiator.jobs.lists import priority_order
from negotiator.model.result import Match
from negotiator.pool.consumption import policy_resources
from negotiator.pool.slots import meets
from pieslice.simulation.pool import Pool, SimSlot, show_claim, show_free, show_preempting
from pieslice.simulation.state import IDLE, RUNNING, Claim, Job, State, Totals
from pieslice.simulation.workload import Workload

#: Time, what happened, user, job (0: none), slot, details.
Sink = Callable[[int, str, str, int, str, str], None]

_FINISH, _EVICT, _VACATED = "finish", "evict", "vacated"
#: How many kinds of job a claim looks at for its next job.
_LOOK_AHEAD: Final = 50


@frozen
class MachineChange:
    """A machine leaves the pool or comes back, seconds from the start."""

    time: int
    machine: str
    joins: bool


@frozen
class ClaimSettings:
    """Seconds; a negative work life never ends.

    ``leftovers``: whether the schedd may use what a match leaves of a partitionable slot.
    """

    worklife: int = 1200
    retirement: int = 0
    vacate: int = 0
    leftovers: bool = True


@define(eq=False)
class Simulation:
    """A simulation at a moment; ``advance`` moves it."""

    pool: Pool
    workload: Workload
    settings: ClaimSettings
    state: State
    sink: Sink
    #: The time at second 0, since the epoch.
    epoch: int = 0
    changes: tuple[MachineChange, ...] = ()
    #: Waiting jobs by submitter and shape, in the order of submission.
    idle: dict[str, dict[int, list[int]]] = field(factory=dict)
    _ads: dict[int, ClassAd] = field(factory=dict)
    _places: dict[int, tuple[float, ...]] = field(factory=dict)
    _context: EvalContext = field(factory=lambda: EvalContext(now=0.0))

    @property
    def language(self) -> LanguageRules:
        """The rules by which ads are evaluated."""
        return self._context.language

    # --- time ---------------------------------------------------------------------------------

    def advance(self, until: int) -> None:
        """Let everything happen up to and at a moment, in the order of time."""
        state = self.state
        while True:
            moments = [self._next_arrival(), self._next_change(), self._next_event()]
            first = min(moments)
            if first > until:
                break
            checkpoint("simulating")
            state.now = max(state.now, int(first))
            # At one moment machines change first, then jobs come, then claims move on.
            if moments[1] == first:
                self._change_machine()
            elif moments[0] == first:
                self._submit()
            else:
                self._happen()
        state.now = until

    def _next_arrival(self) -> float:
        arrivals = self.workload.arrivals
        return arrivals[self.state.arrived].submit if self.state.arrived < len(arrivals) else 9e99

    def _next_change(self) -> float:
        done = self.state.machine_changes
        return self.changes[done].time if done < len(self.changes) else 9e99

    def _next_event(self) -> float:
        return self.state.events[0][0] if self.state.events else 9e99

    def _submit(self) -> None:
        number = self.state.arrived
        self.state.arrived += 1
        self.state.jobs[number] = Job(number)
        user = self.user_of(number)
        self.totals(user).submitted += 1
        self.requeue(number)
        self.sink(self.state.now, "submit", user, number + 1, "", "")

    def _change_machine(self) -> None:
        change = self.changes[self.state.machine_changes]
        self.state.machine_changes += 1
        if change.joins:
            self.pool.join(change.machine)
        else:
            for slot in self.pool.leave(change.machine):
                if slot.name in self.state.claims:
                    self._stop(slot, "lost", "the machine left the pool")
                    self._release(slot)
        kind = "join" if change.joins else "leave"
        self.sink(self.state.now, kind, "", 0, change.machine, "")

    def _happen(self) -> None:
        _, _, kind, name, token = heappop(self.state.events)
        claim = self.state.claims.get(name)
        if claim is None or claim.token != token:
            return
        slot = self.pool.slots[name]
        if kind == _FINISH:
            self._finish(slot, claim)
        elif kind == _EVICT:
            self._plan(self.state.now + self.settings.vacate, _VACATED, name, token)
        else:
            self._stop(slot, "preempt", f"for {claim.next_user}")
            self._hand_over(slot, claim)

    def _plan(self, time: int, kind: str, slot: str, token: int) -> None:
        self.state.order += 1
        heappush(self.state.events, (time, self.state.order, kind, slot, token))

    # --- jobs ---------------------------------------------------------------------------------

    def user_of(self, number: int) -> str:
        """The submitter of a job."""
        return self.workload.shapes[self.workload.arrivals[number].shape].user

    def totals(self, user: str) -> Totals:
        """What a submitter has had so far."""
        return self.state.users.setdefault(user, Totals())

    def job_ad(self, number: int) -> ClassAd:
        """The ad of a job, the same object while it waits."""
        ad = self._ads.get(number)
        if ad is None:
            shape = self.workload.shapes[self.workload.arrivals[number].shape]
            ad = self._ads[number] = shape.ad.duplicate()
            ad.insert("ClusterId", number + 1)
            ad.insert("ProcId", 0)
            ad.insert("GlobalJobId", f"schedd#{number + 1}.0#{self.epoch}")
            ad.insert("QDate", self.epoch + self.workload.arrivals[number].submit)
        return ad

    def forget_ad(self, number: int) -> None:
        """Drop the ad of a job that does not wait."""
        self._ads.pop(number, None)

    def requeue(self, number: int) -> None:
        """Put a job among those that wait, at its place by submission."""
        shape = self.workload.arrivals[number].shape
        insort(self.idle.setdefault(self.user_of(number), {}).setdefault(shape, []), number)
        self.state.jobs[number].status = IDLE

    def _unqueue(self, number: int) -> None:
        shapes = self.idle[self.user_of(number)]
        shape = self.workload.arrivals[number].shape
        shapes[shape].remove(number)
        if not shapes[shape]:
            del shapes[shape]
        self.state.jobs[number].status = RUNNING

    def _count_running(self, user: str, sign: int, weight: float) -> None:
        jobs, total = self.state.running.get(user, (0, 0.0))
        # Nothing runs: what rounding has left of the weights is nothing, too.
        self.state.running[user] = (jobs + sign, total + sign * weight if jobs + sign else 0.0)

    # --- claims -------------------------------------------------------------------------------

    def carry_out(self, match: Match, number: int) -> bool:
        """Claim what was matched for the job that the schedd gave it to; false if it is too big."""
        slot = self.pool.slots[match.slot]
        if slot.partitionable:
            part = self.pool.cut(slot, self.job_ad(number))
            if part is None:
                return False
            slot = part
        claim = self.state.claims.get(slot.name)
        if claim is None:
            self._claim(slot, match.submitter, number)
        elif claim.next_job < 0:
            self._preempt(slot, claim, match.submitter, number)
        return True

    def claim_leftovers(self, match: Match, most: int | None) -> None:
        """Start further jobs of a submitter on what its match left of a slot, the best first.

        ``most``: how many jobs the schedd may run, None for any number.  What a slot with a
        consumption policy has left is for the negotiator to give.
        """
        slot = self.pool.slots[match.slot]
        if not (slot.partitionable and self.settings.leftovers) or policy_resources(
            slot.ad, self._context
        ):
            return
        while most is None or len(self.state.claims) < most:
            number = self._next_job(slot, match.submitter)
            part = None if number is None else self.pool.cut(slot, self.job_ad(number))
            if number is None or part is None:
                return
            self._claim(part, match.submitter, number)

    def _claim(self, slot: SimSlot, user: str, number: int) -> None:
        now = self.state.now
        self._unqueue(number)
        self.state.claims[slot.name] = Claim(user, now, number, now, 0)
        self._start(slot, number)

    def _start(self, slot: SimSlot, number: int) -> None:
        """Start a job on a claim, which is its submitter's."""
        state, claim = self.state, self.state.claims[slot.name]
        state.tokens += 1
        claim.job, claim.job_begun, claim.token = number, state.now, state.tokens
        job = state.jobs[number]
        if job.first_start < 0:
            job.first_start = state.now
            wait = state.now - self.workload.arrivals[number].submit
            self.totals(claim.user).waits.append(wait)
        times = (self.epoch + claim.begun, self.epoch + state.now)
        show_claim(slot.ad, claim.user, self.job_ad(number), *times, self.language)
        self.forget_ad(number)
        self._count_running(claim.user, 1, slot.weight)
        run_time = self.workload.arrivals[number].run_time
        self._plan(state.now + run_time, _FINISH, slot.name, claim.token)
        self.sink(state.now, "start", claim.user, number + 1, slot.name, "")

    def _preempt(self, slot: SimSlot, claim: Claim, user: str, number: int) -> None:
        self._unqueue(number)
        claim.next_user, claim.next_job = user, number
        over = max(self.state.now, claim.job_begun + self.settings.retirement)
        claim.evicted_at = over
        show_preempting(slot.ad, user)
        self._plan(over, _EVICT, slot.name, claim.token)
        self.sink(self.state.now, "match", user, number + 1, slot.name, f"preempts {claim.user}")

    def _finish(self, slot: SimSlot, claim: Claim) -> None:
        """A job is done: the slot goes to who waits for it, to another job, or is free."""
        user, number, now = claim.user, claim.job, self.state.now
        totals = self.totals(user)
        totals.good += slot.weight * (now - claim.job_begun)
        totals.completed += 1
        self._count_running(user, -1, slot.weight)
        del self.state.jobs[number]
        self.sink(now, "finish", user, number + 1, slot.name, "")
        if claim.next_job >= 0:
            self._hand_over(slot, claim)
            return
        fresh = self.settings.worklife < 0 or now - claim.begun < self.settings.worklife
        another = self._next_job(slot, user) if fresh else None
        if another is None:
            self._release(slot)
            return
        self._unqueue(another)
        self._start(slot, another)

    def _next_job(self, slot: SimSlot, user: str) -> int | None:
        """The first job in the queue of the submitter that suits the slot.

        It has the concurrency limits of the claim, which the negotiator has counted.
        """
        counted = _limits(slot.ad, slot.ad, self._context)
        shapes = self.idle.get(user, {})
        heads = sorted((self._place(shape), waiting[0]) for shape, waiting in shapes.items())
        for _, number in heads[:_LOOK_AHEAD]:
            ad = self.job_ad(number)
            if not (meets(slot.ad, ad, self._context) and meets(ad, slot.ad, self._context)):
                continue
            if _limits(ad, slot.ad, self._context) == counted:
                return number
        return None

    def _place(self, shape: int) -> tuple[float, ...]:
        """What the priorities of a kind of job make of its place in the queue."""
        if shape not in self._places:
            ad = self.workload.shapes[shape].ad
            self._places[shape] = priority_order(ad, self._context)
        return self._places[shape]

    def _stop(self, slot: SimSlot, kind: str, why: str) -> None:
        """A job ends before it is done: its work is lost and it waits again."""
        claim = self.state.claims[slot.name]
        totals = self.totals(claim.user)
        totals.bad += slot.weight * (self.state.now - claim.job_begun)
        self._count_running(claim.user, -1, slot.weight)
        if kind == "preempt":
            job = self.state.jobs[claim.job]
            job.preempted += 1
            totals.preempted += 1
            self.state.thrashed += job.preempted == 2
        else:
            totals.evicted += 1
        self.requeue(claim.job)
        self.sink(self.state.now, kind, claim.user, claim.job + 1, slot.name, why)

    def _hand_over(self, slot: SimSlot, claim: Claim) -> None:
        user, number = claim.next_user, claim.next_job
        self.state.claims[slot.name] = Claim(user, self.state.now, number, self.state.now, 0)
        self._start(slot, number)

    def _release(self, slot: SimSlot) -> None:
        claim = self.state.claims.pop(slot.name)
        if claim.next_job >= 0:
            self.requeue(claim.next_job)
        show_free(slot.ad, self.epoch + self.state.now)
        self.pool.give_back(slot)


def _limits(ad: ClassAd, slot: ClassAd, context: EvalContext) -> str:
    return (ad.get_string("ConcurrencyLimits", slot, context=context) or "").lower()
