"""Moves the claims of a pool through time: what follows from a match and from the end of a job.

A match becomes a claim; what it leaves of a partitionable slot goes to further jobs of its
submitter, a claim whose job has ended to the next one, until its work life is over.  A job that is
preempted may run on for its retirement time and then has the vacate time to stop.

Inputs: the slots, settings, and of the jobs what a subclass knows.  Outputs: the state moved on.
Follows: condor_schedd and condor_startd of HTCondor 25.14.1; the decisions are those of
``negotiator.claims``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Final

from attr import define, evolve, field

from classad import ClassAd
from classad.evaluate import EvalContext, evaluate
from classad.language.operators import truth
from classad.language.rules import NEWEST, LanguageRules
from negotiator.claims.parts import devices_of, part_of
from negotiator.claims.suiting import Granted, Unsuited, unsuited
from negotiator.jobs.endings import JobAction, PolicyAction, ending_at_exit, periodic_ending
from negotiator.jobs.readiness import RUNNING
from negotiator.model.result import Match, MatchKind
from negotiator.pool.consumption import policy_resources
from negotiator.pool.slots import meets
from pieslice.between.jobs import JobKeeper
from pieslice.between.pool import (
    SimSlot,
    SlotPool,
    show_free,
    show_job,
    show_preempting,
    terms_of_claim,
)
from pieslice.between.state import Claim, ClaimState, How
from policy.claims import ClaimSettings

_FINISH: Final = "finish"
_EVICT: Final = "evict"
_VACATED: Final = "vacated"
_LOOK: Final = "look"
_OVER: Final = "over"
_POLL: Final = "poll"
_ASK: Final = "ask"
_QUEUE: Final = "queue"
_UPDATE: Final = "update"
#: After which a schedd vacates what it runs beyond MAX_JOBS_RUNNING.
_OVER_SECONDS: Final = 5


@define(eq=False)
class Claims(JobKeeper):
    """The claims of a pool at a moment.

    ``epoch``: the time at second 0, since the epoch.  ``of_machines``: settings of machines that
    have their own.
    """

    pool: SlotPool
    settings: ClaimSettings
    state: ClaimState
    epoch: int = field(default=0, kw_only=True)
    language: LanguageRules = field(default=NEWEST, kw_only=True)
    of_machines: Mapping[str, ClaimSettings] = field(factory=dict, kw_only=True)
    _context: EvalContext | None = field(default=None, init=False)
    #: What schedds have got of backfill slots with their claims, while a cycle is carried out.
    _lefts: dict[tuple[str, str, str], dict[str, float]] = field(factory=dict, init=False)

    # --- time ---------------------------------------------------------------------------------

    def context(self) -> EvalContext:
        """What schedds and startds evaluate in now."""
        now = float(self.epoch + self.state.now)
        if self._context is None or self._context.now != now:
            self._context = EvalContext(now=now, language=self.language)
        return self._context

    def next_event(self) -> float:
        """When something happens to a claim next."""
        return self.state.events[0][0] if self.state.events else 9e99

    def happen(self) -> None:
        """Let the next thing happen."""
        _, _, kind, name, token = heappop(self.state.events)
        if kind in (_OVER, _QUEUE, _UPDATE):
            self._look_after(kind, name)
            return
        claim = self.state.claims.get(name)
        if claim is None or claim.token != token:
            return
        slot = self.pool.slots[name]
        if kind == _FINISH:
            self.finish(slot)
        elif kind == _EVICT:
            vacate = self.settings_of(slot).vacate
            self._plan(self.state.now + vacate, _VACATED, name, token)
        elif kind == _LOOK:
            self._look(slot, claim)
        elif kind == _ASK:
            self._ask(slot, claim)
        elif kind == _POLL:
            self._poll(slot, claim)
        elif claim.next_job >= 0:
            self.stop(slot, "preempt", f"for {claim.next_user}")
            self._hand_over(slot, claim)
        else:
            self.stop(slot, "vacate", "PREEMPT")
            self.release(slot)

    def _look_after(self, kind: str, name: str) -> None:
        """What schedds and startds do without a claim: ``name`` is a schedd, machine or slot."""
        if kind == _OVER:
            self._vacate_first(name)
        elif kind == _QUEUE:
            self.look_at_queue(name)
            self.plan_queue(name)
        elif name in self.pool.slots:
            self.pool.show_left(self.pool.slots[name])

    def plan_queue(self, schedd: str) -> None:
        """Let a schedd look at its queue when it is time for that."""
        self._plan(self.state.now + self.settings.periodic, _QUEUE, schedd, 0)

    # --- jobs that end before their time ------------------------------------------------------

    def watch(self, slot: SimSlot, claim: Claim) -> None:
        """Let the startd poll PREEMPT, and the shadow ask the expressions of the job."""
        settings = self.settings_of(slot)
        if settings.preempt is not None:
            self._plan(self.state.now + settings.polling, _POLL, slot.name, claim.token)
        if claim.job >= 0 and self.asks_itself(claim.job):
            self._plan(self.state.now + self.settings.periodic, _ASK, slot.name, claim.token)

    def _poll(self, slot: SimSlot, claim: Claim) -> None:
        """The startd evicts a job that PREEMPT is true of, when its retirement is over."""
        settings = self.settings_of(slot)
        if settings.preempt is None or claim.evicted_at >= 0:
            return
        job = None if claim.job < 0 else self._running_ad(claim)
        ad = _with(slot.ad, {
            "MyCurrentTime": self.epoch + self.state.now,
            "TotalJobRunTime": self.state.now - claim.job_begun,
            "EnteredCurrentActivity": self.epoch + claim.job_begun,
        })  # fmt: skip
        if truth(evaluate(settings.preempt, ad, job, context=self.context())) is True:
            self._plan_eviction(slot, claim)
        else:
            self._plan(self.state.now + self.polling(settings), _POLL, slot.name, claim.token)

    def _running_ad(self, claim: Claim) -> ClassAd:
        """The ad of a job as its shadow has it."""
        begun = self.epoch + claim.job_begun
        since = ("EnteredCurrentStatus", "JobCurrentStartDate", "JobCurrentStartExecutingDate")
        return _with(self.job_ad(claim.job), {"JobStatus": RUNNING, **dict.fromkeys(since, begun)})

    def _ask(self, slot: SimSlot, claim: Claim) -> None:
        """The shadow asks whether the job is to stop."""
        ad = self._running_ad(claim)
        ending = periodic_ending(ad, self.settings.system, self.context())
        if ending is None:
            self._plan(self.state.now + self.settings.periodic, _ASK, slot.name, claim.token)
        else:
            self._end(slot, claim, ending)

    def _end(self, slot: SimSlot, claim: Claim, ending: PolicyAction) -> None:
        """Stop a job by an expression; only the claim of one that is removed takes another."""
        number = claim.job
        self.stop(slot, ending.fate.value, ending.by)
        self.decided(number, ending.fate)
        if claim.next_job >= 0:
            self._hand_over(slot, claim)
        elif ending.fate is not JobAction.REMOVE or not self._go_on(slot):
            self.release(slot)

    def _note_sharing(self, slot: SimSlot) -> None:
        """The startd tells of backfill slots that grow when it is time for that."""
        update = self.settings_of(slot).update
        for backfill in self.pool.grown:
            self._plan(self.state.now + update, _UPDATE, backfill.name, 0)
        self.pool.grown.clear()

    def _vacate_first(self, schedd: str) -> None:
        """A schedd with more running jobs than it may have vacates those that it started first."""
        mine = [
            (claim.begun, claim.token, name)
            for name, claim in self.state.claims.items()
            if claim.schedd == schedd and claim.job >= 0
        ]
        for _, _, name in sorted(mine)[: max(self.beyond(schedd), 0)]:
            slot = self.pool.slots[name]
            self.stop(slot, "vacate", "MAX_JOBS_RUNNING")
            self.release(slot)

    def plan_end(self, slot: SimSlot, claim: Claim, time: int) -> None:
        """Let the job of a claim be done at a time."""
        self._plan(time, _FINISH, slot.name, claim.token)

    def _plan(self, time: int, kind: str, slot: str, token: int) -> None:
        self.state.order += 1
        heappush(self.state.events, (time, self.state.order, kind, slot, token))

    def settings_of(self, slot: SimSlot) -> ClaimSettings:
        """The settings of the startd of a slot."""
        if not self.of_machines:
            return self.settings
        return self.of_machines.get(slot.machine, self.settings)

    # --- matches ------------------------------------------------------------------------------

    def carry_out(self, match: Match, number: int) -> bool:
        """Claim what was matched for the job that the schedd gave it to; false if it is too big."""
        slot = self.pool.slots[match.slot]
        going = [self.pool.slots[name] for name in match.dynamic_slots if name in self.state.claims]
        for part in going:
            self.stop(part, "preempt", f"for {match.submitter}")
            self.release(part)
        how = How.MATCH if self.number_in_match(match) == number else How.REMATCH
        whole = slot
        if slot.partitionable:
            # Those that go are there until their jobs have stopped.
            busy = {part.number for part in going}
            slot.numbers |= busy
            cut = self._cut(slot, number)
            slot.numbers -= busy
            if cut is None:
                return False
            slot = cut
        claim = self.state.claims.get(slot.name)
        if claim is None:
            self._claim(slot, match.submitter, match.schedd, number, how)
        elif claim.next_job < 0:
            by_rank = match.kind is MatchKind.RANK
            self._preempt(slot, claim, match.submitter, match.schedd, number, by_rank=by_rank)
        self._note_left(whole, match.submitter, match.schedd)
        return True

    def _note_left(self, slot: SimSlot, user: str, schedd: str) -> None:
        """Keep what the schedd gets of a backfill slot with a claim.

        It may be used though the machine has given more to primary slots since.
        """
        if slot.left:
            left = {name: max(amount, 0.0) for name, amount in slot.left.items()}
            self._lefts[slot.name, user, schedd] = left

    def _as_granted(self, slot: SimSlot, user: str, schedd: str) -> SimSlot:
        """A slot as the schedd has got it."""
        left = self._lefts.get((slot.name, user, schedd))
        if left is None:
            return slot
        ad = slot.ad.duplicate()
        for name, amount in left.items():
            ad.insert(name, int(amount))
        return SimSlot(slot.name, ad, slot.weight, numbers=slot.numbers)

    def claim_leftovers(self, matches: Sequence[Match]) -> None:
        """Start further jobs of the submitters on what their matches left of slots.

        Each takes one job after the other, the first of its list that suits.  What a slot with a
        consumption policy has left is for the negotiator to give.
        """
        going = [match for match in matches if self._leaves(self.pool.slots[match.slot])]
        schedds = {match.schedd for match in going}
        while going:
            going = [match for match in going if self._claim_leftover(match)]
        self._lefts.clear()
        for schedd in sorted(schedds):
            if self.beyond(schedd) > 0:
                self._plan(self.state.now + _OVER_SECONDS, _OVER, schedd, 0)

    def _leaves(self, slot: SimSlot) -> bool:
        return (
            slot.partitionable
            and self.settings.leftovers
            and self.settings_of(slot).leftovers
            and not policy_resources(slot.ad, self.context())
        )

    def _claim_leftover(self, match: Match) -> bool:
        """Claim what is left of a slot for the next job; false if there is none."""
        slot = self.pool.slots[match.slot]
        # The schedd asks before the job that it has just started counts.
        if self.beyond(match.schedd) > 0:
            return False
        granted, how = self.left(slot), How.LEFTOVER
        seen = self._as_granted(slot, match.submitter, match.schedd)
        number = self._first_suited(seen, match.submitter, match.schedd, granted)
        part = None if number is None else self._cut(slot, number, seen)
        if number is None or part is None:
            return False
        self._note_left(slot, match.submitter, match.schedd)
        if not self.allows(self.job_ad(number), part.ad):
            # The schedd asks START_VANILLA_UNIVERSE only now.  The claim goes to another job; the
            # real one gives it up if there is none, and claims what is left again, for ever.
            granted, how = evolve(granted, allows=self.allows), How.REUSE
            number = self._first_suited(part, match.submitter, match.schedd, granted)
            if number is None:
                self.pool.give_back(part)
                return False
        self._claim(part, match.submitter, match.schedd, number, how)
        return True

    def left(self, slot: SimSlot) -> Granted:
        """What the schedd is granted the rest of a partitionable slot with."""
        rank = slot.ad.get_number("CurrentRank", context=self.context())
        limits = "" if self.settings.considers_limits else None
        return Granted(limits, None if rank is None else float(rank))

    def why_not(self, number: int, slot: SimSlot, granted: Granted) -> Unsuited | None:
        """Why the schedd does not start a job on a slot that it has; None if it does."""
        return unsuited(self.job_ad(number), slot.ad, granted, self.context())

    def _first_suited(self, slot: SimSlot, user: str, schedd: str, granted: Granted) -> int | None:
        for number in self.heads(user, schedd):
            if self.why_not(number, slot, granted) is None:
                return number
        return None

    def _cut(self, slot: SimSlot, number: int, seen: SimSlot | None = None) -> SimSlot | None:
        """A dynamic slot for a job, None if there is none; ``seen``: as the schedd has it."""
        rounding = self.settings_of(slot).rounding
        ad, job, context = (seen or slot).ad, self.job_ad(number), self.context()
        part = part_of(ad, job, rounding, context)
        devices = None if part is None else devices_of(ad, job, part, context)
        if part is None or devices is None:
            return None
        cut = self.pool.cut(slot, part, devices)
        if meets(cut.ad, job, context):
            return cut
        # The startd asks its requirements of the dynamic slot again, and makes none.
        self.pool.give_back(cut)
        return None

    # --- claims -------------------------------------------------------------------------------

    def _claim(self, slot: SimSlot, user: str, schedd: str, number: int, how: How) -> None:
        self.take(number)
        self._begin(slot, user, schedd, number, how)

    def _begin(self, slot: SimSlot, user: str, schedd: str, number: int, how: How) -> None:
        """Make a new claim for a job that waits no longer."""
        now, job, ad = self.state.now, self.job_ad(number), self.pool.own(slot)
        show_free(ad)
        rank, limits = terms_of_claim(ad, job, self.context())
        self.state.claims[slot.name] = Claim(
            user, now, number, now, 0, rank=rank, limits=limits, schedd=schedd
        )
        self.pool.hold(slot, held=True)
        self._note_sharing(slot)
        self._start(slot, number, how)

    def _start(self, slot: SimSlot, number: int, how: How) -> None:
        """Start a job on a claim, which is its submitter's."""
        state, claim = self.state, self.state.claims[slot.name]
        state.tokens += 1
        claim.job, claim.job_begun, claim.token = number, state.now, state.tokens
        claim.idle_until = -1
        times = (self.epoch + claim.begun, self.epoch + state.now)
        show_job(self.pool.own(slot), claim.user, claim.rank, claim.limits, *times)
        run_time = self.run_time(number, slot)
        if run_time is not None:
            self.plan_end(slot, claim, state.now + run_time)
        self.started(slot, claim, how)
        self.watch(slot, claim)

    # --- claims for one job of several slots --------------------------------------------------

    def cut_for(self, slot: SimSlot, number: int) -> SimSlot | None:
        """A part of a partitionable slot for a job; None if it has too little."""
        return self._cut(slot, number)

    def hold_for(self, slot: SimSlot, user: str, number: int) -> None:
        """Claim a slot for a job that cannot start before it has others, too."""
        now, ad = self.state.now, self.pool.own(slot)
        rank, limits = terms_of_claim(ad, self.job_ad(number), self.context())
        claim = Claim(user, now, -1, now, 0, rank=rank, limits=limits, gang=number)
        self.state.claims[slot.name] = claim
        show_free(ad)
        since = self.epoch + now
        show_job(ad, user, rank, limits, since, since)
        self.pool.hold(slot, held=True)
        self._note_sharing(slot)

    def start_on(self, slot: SimSlot, number: int) -> None:
        """Start a job on one of its slots."""
        self._start(slot, number, How.MATCH)

    def _preempt(
        self, slot: SimSlot, claim: Claim, user: str, schedd: str, number: int, *, by_rank: bool
    ) -> None:
        self.take(number)
        claim.next_user, claim.next_job, claim.next_schedd = user, number, schedd
        show_preempting(self.pool.own(slot), user)
        self._plan_eviction(slot, claim)
        self.awaited(slot, claim, by_rank=by_rank)

    def _plan_eviction(self, slot: SimSlot, claim: Claim) -> None:
        """Let a job stop when its retirement is over."""
        own = None
        if claim.job >= 0:
            own = self.job_ad(claim.job).get_number("MaxJobRetirementTime", slot.ad, self.context())
        settings = self.settings_of(slot)
        claim.evicted_at = settings.evicted_at(claim.job_begun, self.state.now, own)
        self.pool.own(slot).insert("Activity", "Retiring")
        self._plan(claim.evicted_at, _EVICT, slot.name, claim.token)

    def finish(self, slot: SimSlot) -> None:
        """A job is done: the slot goes to who waits for it, to another job, or is free."""
        claim = self.state.claims[slot.name]
        if claim.job >= 0 and self.asks_itself(claim.job):
            ad = self._running_ad(claim)
            ending = ending_at_exit(ad, self.settings.system, self.context())
            if ending is not None and ending.fate is not JobAction.REMOVE:
                self._end(slot, claim, ending)
                return
        keep = self.job_ad(claim.job).get_number("KeepClaimIdle") if claim.job >= 0 else None
        self.ended(slot, claim)
        if claim.next_job >= 0:
            self._hand_over(slot, claim)
            return
        # A claim that the startd wants to end takes no other job.
        if claim.evicted_at >= 0 or not self._go_on(slot):
            if keep is not None and keep > 0 > claim.evicted_at:
                self._keep_idle(slot, claim, int(keep))
            else:
                self.release(slot)

    def _go_on(self, slot: SimSlot) -> bool:
        """Start another job on a claim that is free; false if there is none."""
        another = self.next_on(slot)
        if another is None:
            return False
        self.take(another)
        self._start(slot, another, How.REUSE)
        return True

    def _keep_idle(self, slot: SimSlot, claim: Claim, seconds: int) -> None:
        """Keep a claim without a job for some seconds; events of the job are void."""
        self.state.tokens += 1
        claim.job, claim.token = -1, self.state.tokens
        claim.idle_until = self.state.now + seconds
        self.pool.own(slot).insert("Activity", "Idle")
        self._plan_look(slot, claim)

    def _plan_look(self, slot: SimSlot, claim: Claim) -> None:
        time = self.state.now + self.settings.look_interval
        self._plan(time, _LOOK, slot.name, claim.token)

    def _look(self, slot: SimSlot, claim: Claim) -> None:
        """The schedd looks for a job for a claim that it keeps; it gives one up that is too old."""
        if self._go_on(slot):
            return
        if self.state.now >= claim.idle_until:
            self.release(slot)
        else:
            self._plan_look(slot, claim)

    def next_on(self, slot: SimSlot) -> int | None:
        """The job that a claim takes if its job ends now; None if it is released."""
        claim = self.state.claims[slot.name]
        if not self.settings_of(slot).takes_more(claim.begun, self.state.now):
            return None
        limits = claim.limits.lower() if self.settings.considers_limits else None
        granted = Granted(limits, claim.rank, self.allows)
        return self._first_suited(slot, claim.user, claim.schedd, granted)

    def stop(self, slot: SimSlot, kind: str, why: str) -> None:
        """A job ends before it is done: its work is lost and it waits again."""
        claim = self.state.claims[slot.name]
        if claim.job >= 0:
            self.stopped(slot, claim, kind, why)
            self.requeue(claim.job)

    def _hand_over(self, slot: SimSlot, claim: Claim) -> None:
        self._begin(slot, claim.next_user, claim.next_schedd, claim.next_job, How.MATCH)

    def release(self, slot: SimSlot) -> None:
        """Give up a claim: the slot is free, or goes if it is a dynamic one."""
        claim = self.state.claims.pop(slot.name)
        if claim.next_job >= 0:
            self.requeue(claim.next_job)
        show_free(self.pool.own(slot), self.epoch + self.state.now)
        self.pool.hold(slot, held=False)
        self.pool.give_back(slot)
        self._note_sharing(slot)


def _with(ad: ClassAd, values: Mapping[str, object]) -> ClassAd:
    """The same ad with some other values; it stays as it is."""
    twin = ad.duplicate()
    for name, value in values.items():
        twin.insert(name, value)
    return twin
