"""Runs several cycles, each with the claims of the one before.

Decides what one cycle leaves to the next when nothing else happens in between.

Every match becomes a claim whose job runs on; a job that was preempted is idle again; priorities
decay and grow with the usage.  No job ends, none arrives: ``pieslice simulate`` does that.

Inputs: a snapshot, a policy, the time of the first cycle and the seconds to the next (seconds since
the epoch).  Outputs: a ``Turn`` per cycle.  Follows: the steps of the recorded scenarios;
condor_startd and condor_schedd for what ads show.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from attr import define, evolve, field, frozen

from classad import ClassAd
from classad.language.rules import NEWEST, LanguageRules
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES, make_engines
from negotiator.jobs.lists import IDLE, RUNNING
from negotiator.jobs.requests import QueuedJob
from negotiator.matching.board import Placements
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.arithmetic import whole
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import ScheddQueue, Snapshot
from negotiator.model.watched import WatchedAd
from pieslice.simulation.pool import Pool, SimSlot, show_claim, show_time, weight_of
from policy.language.numbers import integer_literal
from policy.model import NegotiatorPolicy


@frozen(eq=False)
class Turn:
    """One of several cycles; ``jobs``: who got the slot of each match, None if nobody took it."""

    number: int
    snapshot: Snapshot
    result: CycleResult
    jobs: tuple[QueuedJob | None, ...]


def run_cycles(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    *,
    now: float,
    count: int,
    interval: float,
    rng: Random | None = None,
    costs: RequestCosts | None = None,
    engine: str = ENGINES[0],
) -> Iterator[Turn]:
    """``count`` cycles, ``interval`` seconds apart; ``costs``, ``engine`` as for ``negotiate``."""
    engines = make_engines(engine, lasting=True)
    for number in range(1, count + 1):
        placements = Placements()
        result = negotiate(
            snapshot, policy, now=now, rng=rng, watch=placements, costs=costs, engine=engines
        )
        turn = Turn(number, snapshot, result, tuple(placements.jobs))
        yield turn
        snapshot = after(turn, now + interval, policy.language)
        now += interval


def after(turn: Turn, now: float, language: LanguageRules = NEWEST) -> Snapshot:
    """What the negotiator knows at ``now``, after the claims of a cycle.

    ``language``: the rules by which slots rank jobs.
    """
    course = _Course.of(turn, int(now), language)
    for match, job in zip(turn.result.matches, turn.jobs, strict=True):
        if job is not None:
            course.claim(match.slot, match.submitter, match.schedd, job)
    return evolve(
        turn.snapshot,
        slots=course.slot_ads(),
        submitters=course.submitter_ads(),
        queues=course.queues(),
        accountant=turn.result.accountant,
        previous_quotas=turn.result.quotas,
        group_turns=turn.result.group_turns,
    )


@define(eq=False)
class _Course:
    """The ads while they change; those of the cycle before stay as they are."""

    before: Snapshot
    began: int
    now: int
    pool: Pool
    jobs: dict[tuple[str, str], ClassAd]
    language: LanguageRules = NEWEST
    changed: dict[tuple[str, str], ClassAd] = field(factory=dict)
    #: Submitter and schedd -> jobs and cores that went from idle to running.
    moved: dict[tuple[str, str], list[float]] = field(factory=dict)

    @classmethod
    def of(cls, turn: Turn, now: int, language: LanguageRules) -> _Course:
        """The ads of a cycle's snapshot."""
        slots = {}
        for ad in turn.snapshot.slots:
            name = ad.get_string("Name") or ""
            own = ad if isinstance(ad, WatchedAd) else WatchedAd.copy_of(ad)
            slots[name] = SimSlot(name, own, weight_of(ad))
        jobs = {(queue.name, _id(job)): job for queue in turn.snapshot.queues for job in queue.jobs}
        return cls(turn.snapshot, int(turn.result.now), now, Pool(slots), jobs, language)

    def claim(self, slot_name: str, submitter: str, schedd: str, job: QueuedJob) -> None:
        """A match has become a claim that runs its job; none if its slot has too little left."""
        slot = self._own(slot_name)
        if slot.partitionable:
            part = self.pool.cut(slot, job.ad, self._next_number(slot))
            if part is None:
                return
            slot = part
        else:
            self._requeue(slot)
        show_claim(slot.ad, submitter, job.ad, self.began, self.began, self.language)
        slot.ad.insert("JobId", job.id)
        slot.ad.insert("ScheddName", schedd)
        self._set_status((schedd, job.id), submitter, RUNNING)

    def _own(self, name: str) -> SimSlot:
        """The slot with an ad that may be changed."""
        slot = self.pool.slots[name]
        if any(slot.ad is ad for ad in self.before.slots):
            slot.ad = WatchedAd.copy_of(slot.ad)
        return slot

    def _next_number(self, parent: SimSlot) -> int:
        head, at, machine = parent.name.partition("@")
        numbers = [0]
        for name in self.pool.slots:
            if name.startswith(f"{head}_") and name.endswith(at + machine):
                number = name.removeprefix(f"{head}_").removesuffix(at + machine)
                numbers.append(integer_literal(number) or 0)
        return max(numbers) + 1

    def _requeue(self, slot: SimSlot) -> None:
        """The job that a preempted claim ran is idle again, if the queues have it."""
        job = slot.ad.get_string("JobId")
        holder = slot.ad.get_string("AccountingGroup") or slot.ad.get_string("RemoteUser")
        if job is None or holder is None:
            return
        keys = [key for key in self.jobs if key[1] == job]
        schedd = slot.ad.get_string("ScheddName")
        for key in keys if schedd is None else [key for key in keys if key[0] == schedd]:
            ad = self.changed.get(key, self.jobs[key])
            if ad.get_number("JobStatus") == RUNNING:
                self._set_status(key, holder, IDLE)
                return

    def _set_status(self, key: tuple[str, str], submitter: str, status: int) -> None:
        ad = self.changed.get(key)
        if ad is None:
            ad = self.changed[key] = self.jobs[key].duplicate()
        ad.insert("JobStatus", status)
        ad.insert("EnteredCurrentStatus", self.began)
        sign = 1 if status == RUNNING else -1
        moved = self.moved.setdefault((submitter, key[0]), [0, 0.0])
        moved[0] += sign
        moved[1] += sign * (ad.get_number("RequestCpus") or 1)

    def slot_ads(self) -> tuple[ClassAd, ...]:
        """The slots, dynamic ones of this cycle at the end, as they look at the new time."""
        ads = []
        for slot in self.pool.slots.values():
            ad = slot.ad
            if ad.raw("JobStart").__class__ is int:
                ad = WatchedAd.copy_of(ad)
                show_time(ad, self.now)
            ads.append(ad)
        return tuple(ads)

    def submitter_ads(self) -> tuple[ClassAd, ...]:
        """The submitters with what is idle and what runs now."""
        return tuple(self._counted(ad) for ad in self.before.submitters)

    def _counted(self, ad: ClassAd) -> ClassAd:
        key = (ad.get_string("Name") or "", ad.get_string("ScheddName") or "")
        count, cores = self.moved.get(key, (0, 0.0))
        if not count:
            return ad
        ad = ad.duplicate()
        for name, change in (
            ("IdleJobs", -count),
            ("RunningJobs", count),
            ("WeightedIdleJobs", -cores),
            ("WeightedRunningJobs", cores),
        ):
            there = ad.get_number(name)
            if there is not None:
                ad.insert(name, type(there)(max(there + change, 0)))
        return ad

    def queues(self) -> tuple[ScheddQueue, ...]:
        """The queues with the jobs as they are now."""
        return tuple(
            evolve(
                queue,
                jobs=tuple(self.changed.get((queue.name, _id(job)), job) for job in queue.jobs),
            )
            for queue in self.before.queues
        )


def _id(job: ClassAd) -> str:
    cluster, proc = (job.get_number(name) for name in ("ClusterId", "ProcId"))
    return f"{whole(cluster)}.{whole(proc)}"
