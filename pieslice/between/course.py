"""Moves a captured pool on from cycle to cycle: its slots, its queues and what they tell of claims.

Decides what a captured claim is, how job and submitter ads show what has started and ended since,
and what of the pool the next cycle gets to see.  The ads of a snapshot that was handed out stay as
they are.

Inputs: a snapshot, a policy; results of cycles.  Outputs: ``JobStart`` values; snapshots.  Follows:
condor_startd and condor_schedd for what ads show.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attr import Factory, define, evolve, field, frozen

from classad import ClassAd
from classad.patterns import late_regex
from negotiator.capture.slots import CollectorTable
from negotiator.jobs.autoclusters import policy_expressions, significant_attributes
from negotiator.jobs.endings import JobAction, decides_itself, periodic_ending
from negotiator.jobs.lists import job_lists
from negotiator.jobs.readiness import HELD, IDLE, RUNNING, takes_room
from negotiator.jobs.requests import JobList, QueuedJob
from negotiator.jobs.start_vanilla import VanillaStart
from negotiator.jobs.submitters import submitter_of
from negotiator.matching.board import Board
from negotiator.model.arithmetic import whole
from negotiator.model.result import CycleResult, Match
from negotiator.model.snapshot import ScheddQueue, Snapshot, whole_slot
from negotiator.pool.consumption import claim_ids
from negotiator.pool.slots import Slots
from pieslice.between.claims import Claims
from pieslice.between.pool import ENTERED, SimSlot, SlotPool, show_children, show_time
from pieslice.between.state import Claim, ClaimState, How
from policy.claims import ClaimSettings
from policy.model import NegotiatorPolicy

#: A schedd's name, cluster and proc.
JobKey = tuple[str, int, int]
#: A submitter and a schedd.
Party = tuple[str, str]
_NUMBER: Final = late_regex(r"_(\d+)(?:@|$)")


@frozen
class JobStart:
    """A job that started; ``whole``: the slot that its own was cut from, or its own.

    ``time``: seconds since the epoch.
    """

    job: str
    schedd: str
    submitter: str
    slot: str
    whole: str
    how: How
    time: int


@define(eq=False)
class Job:
    """A job of a queue; ``gone``: it has ended or was removed.  ``length``: how long it runs."""

    ad: ClassAd
    schedd: str
    id: str
    lent: int = 0
    gone: bool = False
    length: int | None = None


@define
class _Moves:
    """By how much a submitter's idle and running jobs have changed, and their cores."""

    idle: int = 0
    idle_cores: float = 0.0
    running: int = 0
    running_cores: float = 0.0


@define(eq=False)
class Course(Claims):
    """A captured pool at a moment."""

    before: Snapshot
    policy: NegotiatorPolicy
    jobs: list[Job] = field(factory=list)
    numbers: dict[JobKey, int] = field(factory=dict)
    starts: list[JobStart] = field(factory=list)
    _moves: dict[Party, _Moves] = field(factory=dict)
    #: How often queues were handed out.
    _lent: int = 1
    #: Dynamic slots whose partitionable ones have not come yet, by the names of these.
    _orphans: dict[str, list[SimSlot]] = field(factory=dict)
    #: The jobs that wait as the schedds list them; None if they have to be listed again.
    _lists: Mapping[Party, JobList] | None = None
    _kinds: dict[Party, dict[int, deque[QueuedJob]]] = field(factory=dict)
    #: The slots of the last cycle, which say what tells jobs apart.
    _fetched: Slots = Factory(Slots)
    _running: dict[str, int] = field(factory=dict)
    #: The collector's table of slots, made when one comes or goes, and those that were captured.
    _table: CollectorTable | None = None
    _captured: list[str] = field(factory=list)
    #: Whether all is as it was captured.
    _untouched: bool = True
    _vanilla: VanillaStart | None = None
    #: The schedds that ask expressions of jobs.
    _asking: set[str] = field(factory=set)

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        policy: NegotiatorPolicy,
        now: int,
        settings: ClaimSettings | None = None,
        of_machines: Mapping[str, ClaimSettings] | None = None,
    ) -> Course:
        """The pool as it was captured; ``now``: the time of its first cycle."""
        course = cls(
            SlotPool(lent=1),
            settings or policy.claims,
            ClaimState(),
            snapshot,
            policy,
            epoch=now,
            language=policy.language,
            of_machines=of_machines or {},
        )
        start = policy.start_vanilla_universe
        course._vanilla = None if start is None else VanillaStart(start, course.context())
        for queue in snapshot.queues:
            course._running[queue.name] = queue.running
            for ad in queue.jobs:
                course.add(ad, queue.name)
        for ad in snapshot.slots:
            course._add_slot(ad)
        course._captured = list(course.pool.slots)
        return course

    # --- what was captured --------------------------------------------------------------------

    def add(self, ad: ClassAd, schedd: str, length: int | None = None) -> int:
        """A job that is in a queue; returns its number."""
        number = len(self.jobs)
        cluster, proc = (whole(ad.get_number(name) or 0) for name in ("ClusterId", "ProcId"))
        self.jobs.append(Job(ad, schedd, f"{cluster}.{proc}", length=length))
        self.numbers[schedd, cluster, proc] = number
        running = ad.get_number("JobStatus") == RUNNING and takes_room(ad, self.context())
        self._running[schedd] += running
        self._relist()
        if schedd not in self._asking and self.asks_itself(number):
            self._asking.add(schedd)
            self.plan_queue(schedd)
        return number

    def _add_slot(self, ad: ClassAd) -> None:
        name = ad.get_string("Name") or ""
        slot = self.pool.slots[name] = SimSlot(name, ad, 0.0)
        parent = None
        if ad.get_bool("DynamicSlot") is True:
            parent = self.pool.slots.get(whole_slot(name))
            number = _NUMBER.search(name)
            slot.number = int(number[1]) if number else 0
        else:
            # The ads of its parts may have come first.
            for other in self._orphans.pop(name, ()):
                other.parent = slot
                slot.numbers.add(other.number)
        if parent is not None:
            slot.parent = parent
            parent.numbers.add(slot.number)
        elif slot.number:
            self._orphans.setdefault(whole_slot(name), []).append(slot)
        if ad.get_string("State") in ("Claimed", "Preempting"):
            self.state.claims[name] = self._captured_claim(ad)
            self.watch(slot, self.state.claims[name])

    def _captured_claim(self, ad: ClassAd) -> Claim:
        user = ad.get_string("AccountingGroup") or ad.get_string("RemoteUser") or ""
        begun, job_begun = (
            whole(time) - self.epoch if (time := ad.get_number(name)) is not None else 0
            for name in (ENTERED, "JobStart")
        )
        schedd = ad.get_string("ScheddName") or ad.get_string("RemoteScheddName")
        number = self._number_of(ad.get_string("JobId") or "", schedd)
        return Claim(
            user,
            begun,
            number,
            job_begun,
            0,
            rank=float(ad.get_number("CurrentRank") or 0),
            limits=ad.get_string("ConcurrencyLimits") or "",
            schedd=schedd or (self.jobs[number].schedd if number >= 0 else ""),
        )

    def _number_of(self, job: str, schedd: str | None) -> int:
        """The number of the job of a claim; -1 if no queue has it.

        A slot that names no schedd has the job of any.
        """
        cluster, _, proc = job.partition(".")
        if not (cluster.isdecimal() and proc.isdecimal()):
            return -1
        schedds = [queue.name for queue in self.before.queues] if schedd is None else [schedd]
        keys = ((name, int(cluster), int(proc)) for name in schedds)
        return next((self.numbers[key] for key in keys if key in self.numbers), -1)

    # --- cycles -------------------------------------------------------------------------------

    def follow(
        self, result: CycleResult, jobs: Sequence[QueuedJob | None], board: Board
    ) -> tuple[JobStart, ...]:
        """Carry out what a cycle has decided; ``jobs``: who got the slot of each match."""
        self.before = evolve(
            self.before,
            accountant=result.accountant,
            previous_quotas=result.quotas,
            group_turns=result.group_turns,
        )
        self._lists, self._fetched, self._kinds = board.jobs, board.fetched, {}
        if self._vanilla is not None:
            # For leftovers the schedd looks at jobs that it never asks for, too.
            self._relist()
        self._untouched = False
        begun, claimed = len(self.starts), []
        for match, job in zip(result.matches, jobs, strict=True):
            if job is not None and self.carry_out(match, self._number(match.schedd, job)):
                claimed.append(match)
        self.claim_leftovers(claimed)
        # Who is preempted without a retirement time stops at once.
        self.advance(self.epoch + self.state.now)
        return tuple(self.starts[begun:])

    def advance(self, now: int) -> None:
        """Let everything happen up to and at a moment (seconds since the epoch)."""
        until = now - self.epoch
        while self.next_event() <= until:
            self.state.now = max(self.state.now, int(self.next_event()))
            self.happen()
        self.state.now = until

    def snapshot(self) -> Snapshot:
        """What the negotiator knows now."""
        if self._untouched:
            return self.before
        self._show_times()
        if self.policy.allow_pslot_preemption:
            self._show_children()
        slots = self._in_pool_order(self.pool.lend())
        return evolve(
            self.before,
            slots=slots,
            claims=claim_ids(slots) if self.before.claims else {},
            submitters=tuple(self._counted(ad) for ad in self.before.submitters),
            queues=self.queues(),
        )

    def _in_pool_order(self, ads: Sequence[ClassAd]) -> tuple[ClassAd, ...]:
        """As the collector hands the slots out, once there are others than were captured."""
        if self._table is None and list(self.pool.slots) == self._captured:
            return tuple(ads)
        if self._table is None:
            self._table = CollectorTable()
            # Who comes into the table last is met first.
            self._table.walk([*reversed(self._captured)])
        by_name = dict(zip(self.pool.slots, ads, strict=True))
        return tuple(by_name[name] for name in self._table.walk(list(by_name)))

    def queues(self) -> tuple[ScheddQueue, ...]:
        """The queues with the jobs as they are now."""
        found: dict[str, list[ClassAd]] = {queue.name: [] for queue in self.before.queues}
        for job in self.jobs:
            if not job.gone:
                found[job.schedd].append(job.ad)
        # Who looks at a queue that was handed out sees it as it was.
        self._lent += 1
        return tuple(evolve(queue, jobs=tuple(found[queue.name])) for queue in self.before.queues)

    def _show_times(self) -> None:
        now = self.epoch + self.state.now
        for name, claim in self.state.claims.items():
            slot = self.pool.slots[name]
            if slot.ad.raw("JobStart").__class__ is int:
                show_time(self.pool.own(slot), now, self._retiring(slot, claim))

    def _show_children(self) -> None:
        parts: dict[str, list[ClassAd]] = {}
        for slot in self.pool.slots.values():
            if slot.parent is not None:
                parts.setdefault(slot.parent.name, []).append(slot.ad)
        for name, slot in self.pool.slots.items():
            if name in parts or slot.ad.raw("ChildName") is not None:
                show_children(self.pool.own(slot), slot.resources, parts.get(name, ()))

    def _retiring(self, slot: SimSlot, claim: Claim) -> int | None:
        """The seconds of retirement that a job has left; None where its slot tells nothing."""
        settings = self.settings_of(slot)
        if not settings.retirement and slot.ad.raw("RetirementTimeRemaining") is None:
            return None
        own = None
        if claim.job >= 0:
            own = self.job_ad(claim.job).get_number("MaxJobRetirementTime", slot.ad, self.context())
        return settings.retired_at(claim.job_begun, own) - self.state.now

    def _counted(self, ad: ClassAd) -> ClassAd:
        moves = self._moves.get((ad.get_string("Name") or "", ad.get_string("ScheddName") or ""))
        if moves is None:
            return ad
        ad = ad.duplicate()
        for name, change in (
            ("IdleJobs", moves.idle),
            ("RunningJobs", moves.running),
            ("WeightedIdleJobs", moves.idle_cores),
            ("WeightedRunningJobs", moves.running_cores),
        ):
            there = ad.get_number(name)
            if there is not None:
                ad.insert(name, type(there)(max(there + change, 0)))
        return ad

    # --- what claims ask of jobs --------------------------------------------------------------

    def job_ad(self, number: int) -> ClassAd:
        """The ad of a job as it is now."""
        return self.jobs[number].ad

    def heads(self, user: str, schedd: str) -> Iterable[int]:
        """The first waiting job of each autocluster of a submitter."""
        if self._lists is None:
            significant = significant_attributes(
                self._fetched, policy_expressions(self.policy), self.policy.version
            )
            queues, context = self.queues(), self.context()
            self._lists = job_lists(
                queues, significant, self.policy, context, flatten=False, refused=True
            )
            self._kinds = {}
        kinds = self._kinds_of((user, schedd))
        heads = sorted((kind[0] for kind in kinds.values() if kind), key=lambda job: job.order)
        return (self._number(schedd, job) for job in heads)

    def _kinds_of(self, party: Party) -> dict[int, deque[QueuedJob]]:
        """The waiting jobs of a submitter by autocluster."""
        assert self._lists is not None
        kinds = self._kinds.get(party)
        if kinds is None:
            kinds = self._kinds[party] = {}
            jobs = self._lists.get(party)
            if jobs is not None:
                for job in jobs.waiting:
                    kinds.setdefault(jobs.alike(job), deque()).append(job)
        return kinds

    def _number(self, schedd: str, job: QueuedJob) -> int:
        return self.numbers[schedd, job.cluster, job.proc]

    def number_in_match(self, match: Match) -> int:
        """The first job of the request, -1 if it is none of those that are known here."""
        cluster, _, proc = match.job.partition(".")
        return self.numbers.get((match.schedd, int(cluster), int(proc)), -1)

    def run_time(self, number: int, slot: SimSlot) -> int | None:
        """What is known of it."""
        return self.jobs[number].length

    def beyond(self, schedd: str) -> int:
        """By the status of its jobs."""
        most = self.policy.max_jobs_running
        return -1 if most is None else self._running.get(schedd, 0) - most

    def allows(self, job: ClassAd, slot: ClassAd) -> bool:
        """START_VANILLA_UNIVERSE."""
        return self._vanilla is None or self._vanilla.allows(job, slot)

    def asks_itself(self, number: int) -> bool:
        """By its own expressions and those of the configuration."""
        return bool(self.settings.system) or decides_itself(self.job_ad(number))

    def look_at_queue(self, schedd: str) -> None:
        """Hold, release or remove what waits or is on hold."""
        for number, job in enumerate(self.jobs):
            if job.schedd == schedd and not job.gone and self.asks_itself(number):
                ending = periodic_ending(job.ad, self.settings.system, self.context())
                if ending is not None and job.ad.get_number("JobStatus") != RUNNING:
                    self.decided(number, ending.fate)

    def take(self, number: int) -> None:
        """Take a job from those that wait; it is the first of its autocluster, or was matched."""
        schedd = self.jobs[number].schedd
        for (_, where), kinds in self._kinds.items():
            for kind in kinds.values() if where == schedd else ():
                if kind and self._number(schedd, kind[0]) == number:
                    kind.popleft()
                    return

    def requeue(self, number: int) -> None:
        """The job waits again."""
        self._relist()

    def _relist(self) -> None:
        self._lists = None

    # --- what becomes of jobs -----------------------------------------------------------------

    def started(self, slot: SimSlot, claim: Claim, how: How) -> None:
        """The job runs, and the slot names it."""
        job = self.jobs[claim.job]
        ad = self.pool.own(slot)
        ad.insert("JobId", job.id)
        ad.insert("ScheddName", job.schedd)
        self._set_status(claim.job, claim.user, RUNNING)
        starts = job.ad.raw("NumJobStarts")
        if starts.__class__ is int:
            job.ad.insert("NumJobStarts", starts + 1)
        parent = slot.parent.name if slot.parent is not None else slot.name
        time = self.epoch + self.state.now
        self.starts.append(JobStart(job.id, job.schedd, claim.user, slot.name, parent, how, time))

    def awaited(self, slot: SimSlot, claim: Claim, *, by_rank: bool) -> None:
        """Nothing shows it but the slot."""

    def ended(self, slot: SimSlot, claim: Claim) -> None:
        """The job leaves its queue."""
        self._count(claim.user, claim.job, running=-1)
        self._leave(claim.job)

    def stopped(self, slot: SimSlot, claim: Claim, kind: str, why: str) -> None:
        """The job is idle again, if a queue has it and it was running there."""
        if self.job_ad(claim.job).get_number("JobStatus") == RUNNING:
            self._set_status(claim.job, claim.user, IDLE)

    def decided(self, number: int, fate: JobAction) -> None:
        """The queue shows it."""
        status = self.job_ad(number).get_number("JobStatus")
        user = submitter_of(self.job_ad(number), self.context()) or ""
        change = {
            JobAction.HOLD: -1,
            JobAction.RELEASE: 1,
            JobAction.REMOVE: -(status == IDLE),
        }.get(fate, 0)
        if fate is JobAction.REMOVE:
            self._leave(number)
        elif change:
            self._enter(number, HELD if fate is JobAction.HOLD else IDLE)
            self._relist()
        self._count(user, number, idle=change)

    def _leave(self, number: int) -> None:
        self.jobs[number].gone = True
        self._relist()

    def _changed(self, number: int) -> ClassAd:
        """The ad of a job to be changed."""
        job = self.jobs[number]
        if job.lent < self._lent:
            job.ad, job.lent = job.ad.duplicate(), self._lent
        return job.ad

    def _enter(self, number: int, status: int) -> None:
        ad = self._changed(number)
        ad.insert("JobStatus", status)
        ad.insert("EnteredCurrentStatus", self.epoch + self.state.now)

    def _set_status(self, number: int, user: str, status: int) -> None:
        self._enter(number, status)
        sign = 1 if status == RUNNING else -1
        self._count(user, number, idle=-sign, running=sign)

    def _count(self, user: str, number: int, *, idle: int = 0, running: int = 0) -> None:
        schedd = self.jobs[number].schedd
        cores = self.job_ad(number).get_number("RequestCpus") or 1
        moves = self._moves.setdefault((user, schedd), _Moves())
        moves.idle += idle
        moves.idle_cores += idle * cores
        moves.running += running
        moves.running_cores += running * cores
        self._running[schedd] += running
