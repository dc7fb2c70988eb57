"""Slots that change from cycle to cycle, which an engine that lasts takes in as they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pytest
from attr import evolve

import pieslice
from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from classad.loading.columns import LoadedColumns
from classad.table import Table
from classad.table.answers.requirements import Matching
from classad.table.expressions.partner import Partner
from negotiator.columns import engines
from negotiator.cycle import negotiate
from negotiator.engines import make_engines
from negotiator.jobs.autoclusters import Autocluster, AutoclusterTable
from negotiator.jobs.lists import KnownJobs
from negotiator.matching.engine import Engines
from negotiator.model.snapshot import Snapshot
from negotiator.model.watched import WatchedAd, pass_time
from pieslice.negotiate.vacating import vacatings
from policy.model import NegotiatorPolicy
from tests.negotiator import scenarios

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"
NAMES = ("tour", "plain-match", "pie-2-users", "pslot-preemption")
#: What may happen to the ad of a slot.
EDITS: tuple[Callable[[WatchedAd], object], ...] = (
    lambda ad: ad.insert("Cpus", (ad.get_number("Cpus") or 1) + 1),
    lambda ad: ad.insert("Requirements", ExprTree("TARGET.RequestCpus < Cpus && Fresh =!= 2")),
    lambda ad: ad.insert("Fresh", 2),
    lambda ad: ad.remove("Fresh"),
    lambda ad: ad.update({"State": "Claimed", "RemoteUser": "zoe@test", "Activity": "Busy"}),
    lambda ad: ad.update({"State": "Unclaimed", "Activity": "Idle"}) or ad.remove("RemoteUser"),
    lambda ad: ad.insert("SlotWeight", ExprTree("Cpus * 2")),
    lambda ad: ad.insert("SlotWeight", ExprTree("MyCurrentTime % 7")),
    lambda ad: ad.pop("SlotWeight", None),
    lambda ad: ad.insert("Rank", ExprTree("MyCurrentTime > 100 && TARGET.ClusterId > 1")),
    lambda ad: ad.insert("ConsumptionCpus", 1),
    lambda ad: ad.insert("Absent", True),
    lambda ad: ad.chain(ClassAd({"Colour": "red"})),
    lambda ad: ad.chain(None),
)


def pool_of(name: str) -> tuple[Snapshot, NegotiatorPolicy]:
    case = scenarios.load(name)
    return scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])


def same_as_reference(
    snapshot: Snapshot, policy: NegotiatorPolicy, kept: Engines, later: int = 0
) -> None:
    """An engine that lasts decides what the reference does, which knows of no other cycle."""
    now = scenarios.NOW + later
    warm, fresh = (
        repr(negotiate(snapshot, policy, now=now, rng=Random(1), engine=engine))
        for engine in (kept, "reference")
    )
    assert warm == fresh


@pytest.mark.parametrize("preempting", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_an_engine_that_lasts_sees_every_change_of_a_slot(name: str, preempting: bool) -> None:
    """Ads that change, slots that come, go and stand elsewhere, and the time that passes."""
    snapshot, policy = pool_of(name)
    policy = evolve(policy, consider_preemption=preempting)
    rng, kept = Random(name), make_engines("columns", lasting=True)
    slots = [WatchedAd.copy_of(ad) for ad in snapshot.slots]
    away: list[WatchedAd] = []
    for cycle in range(25):
        for _ in range(rng.randrange(4)):
            rng.choice(EDITS)(rng.choice(slots))
        what = rng.randrange(6)
        if what == 0 and len(slots) > 2:
            away.append(slots.pop(rng.randrange(len(slots))))
        elif what == 1 and away:
            slots.append(away.pop())
        elif what == 2:
            twin = WatchedAd.copy_of(rng.choice(slots))
            twin.insert("Name", f"new{cycle}@m")
            slots.append(twin)
        elif what == 3:
            rng.shuffle(slots)
        for ad in slots:
            pass_time(ad, {"mycurrenttime": 95 + cycle})
        same_as_reference(evolve(snapshot, slots=tuple(slots)), policy, kept)


#: What may happen to the ad of a job.
JOB_EDITS: tuple[Callable[[WatchedAd], object], ...] = (
    lambda ad: ad.insert("RequestMemory", (ad.get_number("RequestMemory") or 0) + 7),
    lambda ad: ad.insert("Requirements", ExprTree("TARGET.Memory > RequestMemory || Odd")),
    lambda ad: ad.insert("Requirements", ExprTree("TARGET.Requirements =!= 5")),
    lambda ad: ad.insert("Rank", ExprTree("TARGET.Memory - Odd")),
    lambda ad: ad.insert("Odd", 3),
    lambda ad: ad.pop("Odd", None),
    lambda ad: ad.insert("JobPrio", 9),
    lambda ad: ad.insert("JobPrio", ExprTree("3 + 4")),
    lambda ad: ad.insert("AccountingGroup", "zoe"),
    lambda ad: ad.insert("JobStatus", 2),
    lambda ad: ad.insert("JobStatus", 1),
    lambda ad: ad.insert("JobCooldownExpiration", scenarios.NOW + 3),
    lambda ad: ad.chain(ClassAd({"JobStatus": 5})),
    lambda ad: ad.chain(None),
)


@pytest.mark.parametrize("name", NAMES)
def test_an_engine_that_lasts_sees_every_change_of_a_job(name: str) -> None:
    """Jobs that change, come, go and queue elsewhere; their autoclusters are numbered anew."""
    snapshot, policy = pool_of(name)
    rng, kept = Random(name), make_engines("columns", lasting=True)
    slots = tuple(map(WatchedAd.copy_of, snapshot.slots))
    jobs = {q.name: [WatchedAd.copy_of(ad) for ad in q.jobs] for q in snapshot.queues}
    away: list[WatchedAd] = []
    for cycle in range(30):
        queue = jobs[rng.choice(list(jobs))]
        for _ in range(rng.randrange(3)):
            rng.choice(JOB_EDITS)(rng.choice(queue))
        what = rng.randrange(4)
        if what == 0 and len(queue) > 2:
            away.append(queue.pop(rng.randrange(len(queue))))
        elif what == 1 and away:
            queue.append(away.pop())
        elif what == 2:
            rng.shuffle(queue)
        queues = tuple(evolve(q, jobs=tuple(jobs[q.name])) for q in snapshot.queues)
        told = evolve(policy, add_significant_attributes=("Odd",)) if cycle % 7 == 6 else policy
        same_as_reference(evolve(snapshot, slots=slots, queues=queues), told, kept, cycle)


def test_a_cool_down_ends_when_it_does_for_a_cycle_of_any_time() -> None:
    snapshot, policy = pool_of("tour")
    jobs = tuple(map(WatchedAd.copy_of, snapshot.queues[0].jobs))
    jobs[0]["JobCooldownExpiration"] = scenarios.NOW + 5
    pool = evolve(snapshot, queues=(evolve(snapshot.queues[0], jobs=jobs), *snapshot.queues[1:]))
    kept = make_engines("columns", lasting=True)
    for later in (0, 10, 0, 20):
        same_as_reference(pool, policy, kept, later)


def test_a_job_that_comes_to_mention_requirements_is_noticed() -> None:
    known, job = KnownJobs(), WatchedAd.copy_of(ClassAd("[Rank = A; A = 1]"))
    for text, leads in (("B", False), ("TARGET.Requirements is true", True), ("C", False)):
        job["A"] = ExprTree(text)
        for _ in range(2):
            assert known.lead_to_requirements([job]) is leads


def test_the_jobs_that_changed_are_read_again_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    snapshot, policy = pool_of("tour")
    queues = tuple(evolve(q, jobs=tuple(map(WatchedAd.copy_of, q.jobs))) for q in snapshot.queues)
    pool = evolve(snapshot, queues=queues)
    kept = make_engines("columns", lasting=True)
    negotiate(pool, policy, now=scenarios.NOW, engine=kept)
    read: list[ClassAd] = []
    place = AutoclusterTable.autocluster_of

    def note(table: AutoclusterTable, job: ClassAd) -> Autocluster:
        read.append(job)
        return place(table, job)

    monkeypatch.setattr(AutoclusterTable, "autocluster_of", note)
    job = next(job for queue in queues for job in queue.jobs if job["JobStatus"] == 1)
    for changed in (False, True, False):
        if changed:
            job["RequestMemory"] = 3
        read.clear()
        negotiate(pool, policy, now=scenarios.NOW, engine=kept)
        assert read == [job] * changed


def test_a_cycle_takes_in_the_slots_that_changed_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The columns of the other slots are those of the cycle before."""
    snapshot, policy = pool_of("tour")
    slots = [WatchedAd.copy_of(ad) for ad in snapshot.slots]
    for ad in slots:
        pass_time(ad, {"mycurrenttime": 995})
    pool = evolve(snapshot, slots=tuple(slots))
    kept = make_engines("columns", lasting=True)
    same_as_reference(pool, policy, kept)
    taken_in: list[int] = []
    replace = Table.replace_many

    def count(table: Table, ads: Mapping[int, ClassAd]) -> None:
        taken_in.append(len(ads))
        replace(table, ads)

    monkeypatch.setattr(Table, "replace_many", count)
    for changed in (0, 1, 2, 0):
        for ad in slots[:changed]:
            ad.insert("Memory", (ad.get_number("Memory") or 0) + 1)
        for ad in slots:
            pass_time(ad, {"mycurrenttime": 1000})
        taken_in.clear()
        same_as_reference(pool, policy, kept)
        assert sum(taken_in) == changed


#: What of requests, besides what tells autoclusters, slots and policies may read.
READ_BESIDES = (
    "TARGET.ClusterId % 2 == 0", 'TARGET.Owner < "b"', "TARGET.AutoClusterId > 1",
    "TARGET.SubmitterUserPrio > 600", 'TARGET.SubmitterNegotiatingGroup == "<none>"',
    "time() % 2 == 0",
)  # fmt: skip


@pytest.mark.parametrize("where", ["Requirements", "Rank", "Wanted", "policy"])
@pytest.mark.parametrize("text", READ_BESIDES)
def test_jobs_of_one_autocluster_differ_in_what_else_is_read_of_them(text: str, where: str) -> None:
    """The schedd says which attributes tell its jobs apart, and need not be right."""
    snapshot, policy = pool_of("tour")
    kept, slots = make_engines("columns", lasting=True), tuple(snapshot.slots)
    jobs = {q.name: [job.duplicate() for job in q.jobs] for q in snapshot.queues}
    for job in (job for queue in jobs.values() for job in queue):
        job["AutoclusterAttrs"] = "RequestCpus,Requirements,Rank,Wanted"
        if where == "Wanted":  # read through another attribute of the job
            job["Requirements"] = ExprTree("Wanted =!= TARGET.Nothing")
            job["Wanted"] = ExprTree(text.replace("TARGET.", "MY."))
    if where in ("Requirements", "Rank"):
        slots = tuple(slot.duplicate() for slot in slots)
        for slot in slots:
            slot[where] = ExprTree(text)
    if where == "policy":
        policy = evolve(policy, pre_job_rank=ExprTree(text), post_job_rank=ExprTree(text))
    pool = evolve(snapshot, slots=slots)
    for later in range(4):
        for queue in jobs.values():
            queue.append(queue.pop(0))
            for job in queue:
                job["ClusterId"] += 1
        queues = tuple(evolve(q, jobs=tuple(jobs[q.name])) for q in snapshot.queues)
        same_as_reference(evolve(pool, queues=queues), policy, kept, later)


def test_an_equal_cycle_looks_at_no_request_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under another rank the rank alone is found."""
    snapshot, policy = pool_of("tour")
    # Usage is what it is at the moment: policies that read it ask anew each time.
    policy = evolve(policy, preemption_requirements=None)
    kept = make_engines("columns", lasting=True)
    for _ in range(2):  # what is read of requests is known when the first cycle is over
        same_as_reference(snapshot, policy, kept)
    partner, looked = Table.partner, list[ClassAd | None]()

    def note(table: Table, ad: ClassAd | None, context: EvalContext | None = None) -> Partner:
        looked.append(ad)
        return partner(table, ad, context)

    monkeypatch.setattr(Table, "partner", note)
    same_as_reference(snapshot, policy, kept)
    assert looked == []
    same_as_reference(snapshot, evolve(policy, pre_job_rank=ExprTree("-Memory")), kept)
    assert looked
    # Which slots match is known all the same.
    monkeypatch.delattr(Matching, "by_columns")
    same_as_reference(snapshot, evolve(policy, pre_job_rank=ExprTree("-Cpus")), kept)


def test_looking_at_slots_does_not_end_their_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question about a pool, and a program that reads all its ads, leave the columns."""
    pool = pieslice.read(CAMPUS)
    job = next(item.job for item in pool.negotiate().result.matches)
    monkeypatch.delattr(engines, "watched_rows")
    monkeypatch.delattr(Engines, "fetch")
    first = pool.negotiate().text()
    names = [ad["Name"] for ad in pool.capture.snapshot.slots]
    assert len(names) == pool.capture.facts.slots
    pool.diff(pool)
    pool.why(job)
    pool.survey(user="alice")
    pool.quotas()
    assert pool.negotiate().text() == first


def test_a_change_of_one_ad_counts_after_it_was_lent() -> None:
    pool = pieslice.read(CAMPUS)
    match = pool.negotiate().result.matches[0]
    for ad in pool.capture.snapshot.slots:
        if ad["Name"] == match.slot:
            ad["Requirements"] = False
    assert match.slot not in {item.slot for item in pool.negotiate().result.matches}


def test_a_report_makes_the_ads_of_the_slots_that_it_speaks_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A cycle that preempts tells how jobs vacate their slots: the ads of these are read."""
    pool = pieslice.read(CAMPUS)
    monkeypatch.delattr(LoadedColumns, "to_ads")
    cycle = pool.negotiate()
    assert vacatings(pool.capture.snapshot, cycle.result)
    assert cycle.to_dict()["matches"]
    assert cycle.machines


@pytest.mark.parametrize("change", ["insert", "remove", "chain", "clear", "pop", "update"])
def test_a_watched_ad_is_another_one_after_a_change(change: str) -> None:
    ad = WatchedAd.copy_of(ClassAd({"Cpus": 1, "MyCurrentTime": 5}))
    stamp = ad.stamp
    pass_time(ad, {"mycurrenttime": 6})
    assert (ad["Cpus"], ad["MyCurrentTime"], ad.stamp) == (1, 6, stamp)
    changes = {
        "insert": lambda: ad.insert("Memory", 2),
        "remove": lambda: ad.remove("Cpus"),
        "chain": lambda: ad.chain(ClassAd({"Disk": 2})),
        "clear": ad.clear,
        "pop": lambda: ad.pop("Cpus"),
        "update": lambda: ad.update(Cpus=2),
    }
    changes[change]()
    assert ad.stamp != stamp


def test_a_watched_ad_is_equal_to_the_ad_that_it_is_a_copy_of() -> None:
    ad = ClassAd({"Cpus": 1})
    own = WatchedAd.copy_of(ad)
    assert own == ad
    assert ad == own
    assert type(own.duplicate()) is ClassAd
    own["Cpus"] = 2
    assert own != ad
