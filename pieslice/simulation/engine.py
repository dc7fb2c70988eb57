"""Moves a simulated pool through time: arrivals, completions, machines that come and go.

Decides what a submitter has had: what a job has done that is preempted is lost, and it queues again
in its old place.  What follows from a match or the end of a job is that of ``pieslice.between``.

Inputs: a pool, a workload, a policy, settings.  Outputs: the state moved on; events to a sink.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable
from typing import Final

from attr import define, field, frozen

from classad import ClassAd
from classad.ads.ad import SharedNames
from classad.language.bounds import checkpoint
from negotiator.jobs.endings import JobAction
from negotiator.jobs.lists import priority_order
from negotiator.model.result import Match
from negotiator.model.watched import WatchedAd
from pieslice.between.claims import Claims
from pieslice.between.pool import SimSlot
from pieslice.between.state import Claim, How
from pieslice.runreport.data import BY_RANK, PREEMPTS
from pieslice.simulation.state import IDLE, RUNNING, State, SubmittedJob, Totals
from pieslice.simulation.workload import Workload
from policy.claims import ClaimSettings

#: Time, what happened, user, job (0: none), slot, details.
Sink = Callable[[int, str, str, int, str, str], None]

#: How many kinds of job a schedd looks at for the next job of a slot that it has.
_LOOK_AHEAD: Final = 50
#: The least seconds between two looks at PREEMPT.
_POLLING: Final = 60


@frozen
class MachineChange:
    """A machine leaves the pool or comes back, seconds from the start."""

    time: int
    machine: str
    joins: bool


@define(eq=False)
class Simulation(Claims):
    """A simulation at a moment; ``advance`` moves it.

    ``most``: how many jobs the schedd may run, None for any number.
    """

    state: State
    workload: Workload
    sink: Sink
    changes: tuple[MachineChange, ...] = ()
    most: int | None = None
    #: Is told of each job by how much the weight that runs and the number that waits change.
    moved: Callable[[int, float, int], None] = lambda number, weight, waiting: None
    #: Whether every slot is for jobs of several slots, too.
    dedicated: bool = False
    #: The jobs that wait for several slots at once, in the order of submission.
    gangs: list[int] = field(factory=list)
    #: Waiting jobs by submitter and shape, in the order of submission.
    idle: dict[str, dict[int, list[int]]] = field(factory=dict)
    _ads: dict[int, ClassAd] = field(factory=dict)
    #: The names of the attributes of each kind of job.
    _names: dict[int, SharedNames] = field(factory=dict)
    _places: dict[int, tuple[float, ...]] = field(factory=dict)

    # --- time ---------------------------------------------------------------------------------

    def advance(self, until: int) -> None:
        """Let everything happen up to and at a moment, in the order of time."""
        state = self.state
        while True:
            moments = [self._next_arrival(), self._next_change(), self.next_event()]
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
                self.happen()
        state.now = until

    def _next_arrival(self) -> float:
        arrivals = self.workload.arrivals
        return arrivals[self.state.arrived].submit if self.state.arrived < len(arrivals) else 9e99

    def _next_change(self) -> float:
        done = self.state.machine_changes
        return self.changes[done].time if done < len(self.changes) else 9e99

    def _submit(self) -> None:
        number = self.state.arrived
        self.state.arrived += 1
        self.state.jobs[number] = SubmittedJob(number)
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
                    self.stop(slot, "lost", "the machine left the pool")
                    self.release(slot)
        kind = "join" if change.joins else "leave"
        self.sink(self.state.now, kind, "", 0, change.machine, "")

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
            shape = self.workload.arrivals[number].shape
            ad = self._ads[number] = WatchedAd.copy_of(self.workload.shapes[shape].ad)
            ad.insert("ClusterId", number + 1)
            ad.insert("ProcId", 0)
            ad.insert("GlobalJobId", f"schedd#{number + 1}.0#{self.epoch}")
            ad.insert("QDate", self.epoch + self.workload.arrivals[number].submit)
            # By names that ads share a cycle tells that it has met the like.
            names = self._names.setdefault(shape, SharedNames(ad._names))
            if names == ad._names:
                ad._names = names
        return ad

    def forget_ad(self, number: int) -> None:
        """Drop the ad of a job that does not wait."""
        self._ads.pop(number, None)

    def requeue(self, number: int) -> None:
        """Put a job among those that wait, at its place by submission."""
        shape = self.workload.arrivals[number].shape
        if self.workload.shapes[shape].gang:
            if number not in self.gangs:
                insort(self.gangs, number)
            self.state.jobs[number].status = IDLE
            return
        insort(self.idle.setdefault(self.user_of(number), {}).setdefault(shape, []), number)
        self.state.jobs[number].status = IDLE

    def take(self, number: int) -> None:
        """Take a job from those that wait."""
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

    def heads(self, user: str, schedd: str) -> Iterable[int]:
        """The first waiting job of each shape."""
        shapes = self.idle.get(user, {})
        heads = sorted((self._place(shape), waiting[0]) for shape, waiting in shapes.items())
        return (number for _, number in heads[:_LOOK_AHEAD])

    def run_time(self, number: int, slot: SimSlot) -> int:
        """What the workload says."""
        return self.workload.arrivals[number].run_time

    def beyond(self, schedd: str) -> int:
        """Every claim runs a job of the one schedd that there is."""
        return -1 if self.most is None else len(self.state.claims) - self.most

    def asks_itself(self, number: int) -> bool:
        """No: how long jobs run is what the workload says."""
        return False

    def look_at_queue(self, schedd: str) -> None:
        """Nothing there asks."""

    def polling(self, settings: ClaimSettings) -> int:
        """At least a minute: days have many of them."""
        return max(settings.polling, _POLLING)

    def number_in_match(self, match: Match) -> int:
        """Jobs are clusters of their own, from 1."""
        return int(match.job.partition(".")[0]) - 1

    def _place(self, shape: int) -> tuple[float, ...]:
        """What the priorities of a kind of job make of its place in the queue."""
        if shape not in self._places:
            ad = self.workload.shapes[shape].ad
            self._places[shape] = priority_order(ad, self.context())
        return self._places[shape]

    # --- jobs of several slots ----------------------------------------------------------------

    def kept_for(self, number: int) -> list[SimSlot]:
        """The slots that are kept for a job."""
        claims = self.state.claims.items()
        names = [name for name, claim in claims if claim.gang == number and claim.job < 0]
        return [self.pool.slots[name] for name in names]

    def keep(self, slot: SimSlot, number: int) -> SimSlot | None:
        """Claim a slot, or a part of it, for a job that needs others, too; None if it is small."""
        part = self.cut_for(slot, number) if slot.partitionable else slot
        if part is not None:
            self.hold_for(part, self.user_of(number), number)
        return part

    def start_together(self, number: int, slots: Iterable[SimSlot]) -> None:
        """Start a job on all its slots."""
        self.gangs.remove(number)
        self.state.jobs[number].status = RUNNING
        for slot in slots:
            self.start_on(slot, number)

    def _others_of(self, slot: SimSlot, claim: Claim) -> list[str]:
        """The other slots on which the job of a claim runs."""
        if claim.gang < 0:
            return []
        claims = self.state.claims.items()
        return [name for name, it in claims if it.job == claim.job and name != slot.name]

    def next_on(self, slot: SimSlot) -> int | None:
        """A slot of several goes back to the dedicated scheduler."""
        return None if self.state.claims[slot.name].gang >= 0 else super().next_on(slot)

    def stop(self, slot: SimSlot, kind: str, why: str) -> None:
        """A job of several slots stops on all of them."""
        claim = self.state.claims[slot.name]
        others = self._others_of(slot, claim) if claim.job >= 0 else ()
        there = [self.pool.slots[name] for name in others if name in self.pool.slots]
        for other in there:
            super().stop(other, kind, why)
            self.state.claims[other.name].job = -1
        super().stop(slot, kind, why)
        for other in there:
            # Who has been matched with such a slot waits for nothing any more.
            claim = self.state.claims[other.name]
            if claim.next_job >= 0:
                self._hand_over(other, claim)
            else:
                self.release(other)

    # --- what happens to claims ---------------------------------------------------------------

    def started(self, slot: SimSlot, claim: Claim, how: How) -> None:
        """Count the job, and how long it waited."""
        number, now = claim.job, self.state.now
        job = self.state.jobs[number]
        first = not self._others_of(slot, claim)
        self.moved(number, slot.weight, -1 if first else 0)
        if job.first_start < 0:
            job.first_start = now
            arrival = self.workload.arrivals[number]
            self.totals(claim.user).waits.append(now - arrival.submit)
            if arrival.shape in self.state.never:
                # What a slot says of the users of a pool is not known before.
                self.state.never.remove(arrival.shape)
        self.forget_ad(number)
        self._count_running(claim.user, 1, slot.weight)
        if first:
            others = [kept.name for kept in self.kept_for(number)] if claim.gang >= 0 else []
            detail = f"on {len(others) + 1} slots, with {' '.join(others)}" if others else ""
            self.sink(now, "start", claim.user, number + 1, slot.name, detail)

    def awaited(self, slot: SimSlot, claim: Claim, *, by_rank: bool) -> None:
        """Tell of the preemption."""
        who, job = claim.next_user, claim.next_job + 1
        detail = f"{PREEMPTS}{claim.user}{BY_RANK if by_rank else ''}"
        self.sink(self.state.now, "match", who, job, slot.name, detail)

    def ended(self, slot: SimSlot, claim: Claim) -> None:
        """Count what the job has done."""
        user, number, now = claim.user, claim.job, self.state.now
        totals = self.totals(user)
        totals.good += slot.weight * (now - claim.job_begun)
        self._count_running(user, -1, slot.weight)
        self.moved(number, -slot.weight, 0)
        if self._others_of(slot, claim):
            return
        totals.completed += 1
        del self.state.jobs[number]
        self.sink(now, "finish", user, number + 1, slot.name, "")

    def decided(self, number: int, fate: JobAction) -> None:
        """Nothing there decides."""

    def stopped(self, slot: SimSlot, claim: Claim, kind: str, why: str) -> None:
        """Count what the job has done in vain."""
        totals = self.totals(claim.user)
        totals.bad += slot.weight * (self.state.now - claim.job_begun)
        self._count_running(claim.user, -1, slot.weight)
        last = not self._others_of(slot, claim)
        self.moved(claim.job, -slot.weight, 1 if last else 0)
        if not last:
            return
        if kind == "preempt":
            job = self.state.jobs[claim.job]
            job.preempted += 1
            totals.preempted += 1
            self.state.thrashed += job.preempted == 2
        elif kind == "lost":
            totals.evicted += 1
        self.sink(self.state.now, kind, claim.user, claim.job + 1, slot.name, why)
