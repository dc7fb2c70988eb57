"""The engine of a simulation by itself: what follows from a match, event by event.

``test_simulate.py`` has whole runs with a negotiator.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from classad import ClassAd
from negotiator.model.result import Match, MatchKind
from pieslice.between.pool import SlotPool, plain_pool, pool_of
from pieslice.simulation.engine import MachineChange, Simulation
from pieslice.simulation.moment import _claims
from pieslice.simulation.state import IDLE, RUNNING, Claim, State
from pieslice.simulation.workload import Workload, from_csv
from policy.claims import ClaimSettings

EPOCH = 1000
FIRST, SECOND = "slot1@node0001", "slot1@node0002"


def jobs(*rows: str) -> Workload:
    """Rows: submit, user, run time, cores."""
    return from_csv(["submit,user,run_time,cpus", *rows], "t")


class Run:
    """A simulation with the events that it tells."""

    def __init__(
        self,
        workload: Workload,
        pool: SlotPool,
        changes: tuple[MachineChange, ...] = (),
        **claims: Any,
    ) -> None:
        self.events: list[str] = []
        settings = ClaimSettings(**claims)
        self.it = Simulation(pool, settings, State(), workload, self.tell, changes, epoch=EPOCH)

    def tell(self, time: int, kind: str, user: str, job: int, slot: str, more: str) -> None:
        name, slot = user.partition("@")[0], slot.replace("slot1@node000", "")
        words = (str(time), kind, f"{name}{job}" if job else "", slot, more)
        self.events.append(" ".join(word for word in words if word))

    def match(self, slot: str, number: int) -> bool:
        user = self.it.user_of(number)
        match = Match(
            1, 0, 0, user, "s", f"{number + 1}.0", 1, 1, 1, slot, MatchKind.NONE, None, 0.0
        )
        return self.it.carry_out(match, number)

    def left(self, slot: str, user: str, most: int | None) -> None:
        match = Match(1, 0, 0, user, "s", "1.0", 1, 1, 1, slot, MatchKind.NONE, None, 0.0)
        self.it.most = most
        self.it.claim_leftovers([match])

    def until(self, moment: int) -> list[str]:
        """The events up to a moment that were not told yet."""
        self.it.advance(moment)
        told, self.events = self.events, []
        return told


def test_a_job_runs_and_ends() -> None:
    run = Run(jobs("5,ann,60,1"), plain_pool(1, 1))
    assert run.until(4) == []
    assert run.until(5) == ["5 submit ann1"]
    assert run.it.state.jobs[0].status == IDLE
    assert run.until(20) == []
    assert run.match(FIRST, 0) is True
    assert run.it.state.jobs[0].status == RUNNING
    assert run.it.state.running == {"ann@sim.example": (1, 1.0)}
    assert run.it.idle == {"ann@sim.example": {}}
    ad = run.it.pool.slots[FIRST].ad
    assert [ad.raw(name) for name in ("State", "JobStart", "EnteredCurrentState")] == [
        "Claimed", EPOCH + 20, EPOCH + 20,
    ]  # fmt: skip
    assert run.until(79) == ["20 start ann1 1"]
    assert run.until(80) == ["80 finish ann1 1"]
    totals = run.it.state.users["ann@sim.example"]
    assert (totals.good, totals.bad, totals.submitted, totals.completed, totals.waits) == (
        60.0, 0.0, 1, 1, [15],
    )  # fmt: skip
    assert (run.it.state.jobs, run.it.state.claims) == ({}, {})
    assert run.it.state.running == {"ann@sim.example": (0, 0.0)}
    shown = [ad.raw(name) for name in ("State", "RemoteUser", "EnteredCurrentState")]
    assert shown == ["Unclaimed", None, EPOCH + 80]


def test_the_ad_of_a_job() -> None:
    run = Run(jobs("5,ann,60,1", "7,ann,60,1"), plain_pool(1, 1))
    run.until(7)
    ad = run.it.job_ad(1)
    names = ("ClusterId", "ProcId", "GlobalJobId", "QDate")
    assert [ad.raw(name) for name in names] == [2, 0, "schedd#2.0#1000", EPOCH + 7]
    assert run.it.job_ad(1) is ad
    run.it.forget_ad(1)
    run.it.forget_ad(1)
    assert run.it.job_ad(1) is not ad


def test_jobs_of_a_kind_share_the_names_of_their_attributes_until_one_gets_another() -> None:
    """Cycles tell by them what they have seen of the like, for thousands of jobs that wait."""
    run = Run(jobs("0,ann,10,1", "0,ann,20,1"), plain_pool(1, 1))
    one, other = run.it.job_ad(0), run.it.job_ad(1)
    assert one._names is other._names
    one.insert("RemoteHost", "slot1@m")
    assert "RemoteHost" in one
    assert "RemoteHost" not in other
    assert "RemoteHost" not in run.it.workload.shapes[0].ad


def test_at_one_moment_machines_change_then_jobs_come_then_claims_move_on() -> None:
    changes = (MachineChange(60, "node0002", False), MachineChange(61, "node0002", True))
    run = Run(jobs("0,ann,60,1", "60,bob,5,1"), plain_pool(2, 1), changes)
    run.until(0)
    run.match(FIRST, 0)
    assert run.until(61) == [
        "0 start ann1 1", "60 leave node0002", "60 submit bob2", "60 finish ann1 1",
        "61 join node0002",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("worklife", "events"),
    [
        (-1, ["10 finish ann1 1", "10 start ann2 1", "20 finish ann2 1", "20 start ann3 1"]),
        (0, ["10 finish ann1 1"]),
        (10, ["10 finish ann1 1"]),
        (11, ["10 finish ann1 1", "10 start ann2 1", "20 finish ann2 1"]),
        (20, ["10 finish ann1 1", "10 start ann2 1", "20 finish ann2 1"]),
        (21, ["10 finish ann1 1", "10 start ann2 1", "20 finish ann2 1", "20 start ann3 1"]),
    ],
)
def test_a_claim_takes_jobs_until_its_work_life_is_over(worklife: int, events: list[str]) -> None:
    run = Run(jobs(*["0,ann,10,1"] * 3, "0,bob,10,1"), plain_pool(1, 1), worklife=worklife)
    run.until(0)
    run.match(FIRST, 0)
    assert run.until(29)[1:] == events
    claim = run.it.state.claims.get(FIRST)
    assert claim is None or (claim.begun, claim.job_begun) == (0, 20)


def test_a_claim_takes_the_job_that_is_first_in_the_queue_and_suits_it() -> None:
    pool = pool_of(
        [ClassAd('[Name = "slot1@node0001"; Cpus = 2; Memory = 9; Requirements = TARGET.K > 0]')]
    )
    run = Run(jobs("0,ann,10,1", "0,ann,10,3", "1,ann,10,2", "2,ann,10,1"), pool)
    for shape in run.it.workload.shapes:
        shape.ad.insert("K", shape.cpus - 1 if shape.cpus < 2 else 1)
        shape.ad.insert("JobPrio", shape.cpus)
    run.until(2)
    run.match(FIRST, 0)
    slot = run.it.pool.slots[FIRST]
    # One core: the slot does not want it; three: too big for the slot.
    assert run.it.next_on(slot) == 2


def test_a_claim_keeps_to_its_concurrency_limits() -> None:
    run = Run(jobs("0,ann,10,1", "0,ann,10,2", "0,ann,20,1"), plain_pool(1, 4))
    small, big = run.it.workload.shapes
    small.ad.insert("ConcurrencyLimits", "Lic")
    big.ad.insert("ConcurrencyLimits", "lic:2")
    run.until(0)
    run.match(FIRST, 0)
    slot = run.it.pool.slots[FIRST]
    assert run.it.next_on(slot) == 2
    big.ad.insert("ConcurrencyLimits", "LIC")
    run.it.forget_ad(1)
    assert run.it.next_on(slot) == 1


@pytest.mark.parametrize(
    ("retirement", "vacate", "events"),
    [
        (0, 0, ["50 preempt ann1 1 for bob@sim.example", "50 start bob2 1"]),
        (0, 7, ["57 preempt ann1 1 for bob@sim.example", "57 start bob2 1"]),
        (70, 7, ["77 preempt ann1 1 for bob@sim.example", "77 start bob2 1"]),
        (40, 7, ["57 preempt ann1 1 for bob@sim.example", "57 start bob2 1"]),
        (99, 7, ["100 finish ann1 1", "100 start bob2 1"]),
        (100, 0, ["100 finish ann1 1", "100 start bob2 1"]),
    ],
)
def test_who_is_preempted_retires_and_vacates(
    retirement: int, vacate: int, events: list[str]
) -> None:
    run = Run(
        jobs("0,ann,100,2", "0,bob,1000,2", "0,cid,9,2"), plain_pool(1, 2),
        retirement=retirement, vacate=vacate,
    )  # fmt: skip
    run.until(0)
    run.match(FIRST, 0)
    run.until(50)
    assert run.match(FIRST, 1) is True
    # It is promised: who comes later gets nothing.
    assert run.match(FIRST, 2) is True
    assert (run.it.state.jobs[1].status, run.it.state.jobs[2].status) == (RUNNING, IDLE)
    claim = run.it.state.claims[FIRST]
    assert (claim.next_user, claim.next_job, claim.evicted_at) == (
        "bob@sim.example", 1, max(50, retirement),
    )  # fmt: skip
    ad = run.it.pool.slots[FIRST].ad
    assert (ad.raw("Activity"), ad.raw("PreemptingUser")) == ("Retiring", "bob@sim.example")
    assert run.until(101) == ["50 match bob2 1 preempts ann@sim.example", *events]
    ann = run.it.state.users["ann@sim.example"]
    lost = 0.0 if "finish" in events[0] else 2.0 * int(events[0].split()[0])
    assert (ann.good, ann.bad, ann.preempted, ann.evicted, ann.completed) == (
        0.0 if lost else 200.0, lost, 1 if lost else 0, 0, 0 if lost else 1,
    )  # fmt: skip
    assert run.it.state.running["bob@sim.example"] == (1, 2.0)
    assert run.it.state.running["ann@sim.example"] == (0, 0.0)
    assert (0 in run.it.state.jobs) is bool(lost)
    if lost:
        assert run.it.state.jobs[0].status == IDLE
        assert run.it.idle["ann@sim.example"] == {0: [0]}


def test_a_job_retires_from_its_own_start_on_and_not_from_that_of_its_claim() -> None:
    run = Run(
        jobs("0,ann,100,2", "0,ann,100,2", "0,bob,1000,2"), plain_pool(1, 2),
        retirement=40, vacate=0,
    )  # fmt: skip
    run.until(0)
    run.match(FIRST, 0)
    run.until(110)
    claim = run.it.state.claims[FIRST]
    assert (claim.job, claim.begun, claim.job_begun) == (1, 0, 100)
    run.match(FIRST, 2)
    assert claim.evicted_at == 140
    events = run.until(200)[-2:]
    assert events == ["140 preempt ann2 1 for bob@sim.example", "140 start bob3 1"]


def test_a_job_that_is_preempted_twice_is_counted_once() -> None:
    run = Run(jobs("0,ann,1000,1", *["0,bob,1,1"] * 3), plain_pool(1, 1), worklife=0)
    run.until(0)
    thrashed = []
    for number in (1, 2, 3):
        run.match(FIRST, 0)
        run.until(run.it.state.now + 10)
        run.match(FIRST, number)
        run.until(run.it.state.now + 10)
        thrashed.append(run.it.state.thrashed)
    assert thrashed == [0, 1, 1]
    assert run.it.state.jobs[0].preempted == 3
    assert run.it.state.users["ann@sim.example"].waits == [0]
    assert run.it.state.users["ann@sim.example"].bad == 30.0


@pytest.mark.parametrize(
    ("ends", "again"),
    [("pp", 1), ("pl", 0), ("lp", 0), ("llp", 0), ("plp", 1), ("plpp", 1), ("ll", 0)],
)
def test_a_job_that_its_machine_took_along_was_not_preempted(ends: str, again: int) -> None:
    """``ends``: how each run of a job ends: preempted, or lost with the machine."""
    moments = [20 * number + 15 for number, end in enumerate(ends) if end == "l"]
    changes = tuple(
        MachineChange(at + later, "node0001", bool(later)) for at in moments for later in (0, 1)
    )
    run = Run(
        jobs("0,ann,1000,1", *["0,bob,1,1"] * len(ends)), plain_pool(1, 1), changes, worklife=0
    )
    for number, end in enumerate(ends):
        run.until(20 * number)
        run.match(FIRST, 0)
        run.until(20 * number + 10)
        if end == "p":
            run.match(FIRST, number + 1)
    run.until(20 * len(ends))
    ann = run.it.state.users["ann@sim.example"]
    assert (ann.preempted, ann.evicted) == (ends.count("p"), ends.count("l"))
    assert run.it.state.thrashed == again


def test_a_machine_that_leaves_takes_its_jobs_along() -> None:
    """They wait again, as does the job that was to come next; what they did is lost."""
    changes = (MachineChange(30, "node0001", False),)
    run = Run(
        jobs("0,ann,100,1", "0,bob,100,1", "0,ann,100,1"), plain_pool(2, 1), changes, retirement=90
    )
    run.until(0)
    run.match(FIRST, 0)
    run.match(SECOND, 2)
    run.until(10)
    run.match(FIRST, 1)
    assert run.until(99) == [
        "0 start ann1 1", "0 start ann3 2", "10 match bob2 1 preempts ann@sim.example",
        "30 lost ann1 1 the machine left the pool", "30 leave node0001",
    ][2:]  # fmt: skip
    assert [job.status for job in run.it.state.jobs.values()] == [IDLE, IDLE, RUNNING]
    ann = run.it.state.users["ann@sim.example"]
    assert (ann.bad, ann.preempted, ann.evicted) == (30.0, 0, 1)
    assert list(run.it.state.claims) == [SECOND]
    assert run.it.state.thrashed == 0


def test_jobs_queue_in_their_old_places() -> None:
    run = Run(jobs(*["0,ann,10,1"] * 4), plain_pool(1, 1))
    run.until(0)
    assert run.it.idle == {"ann@sim.example": {0: [0, 1, 2, 3]}}
    run.match(FIRST, 1)
    assert run.it.idle == {"ann@sim.example": {0: [0, 2, 3]}}
    run.it.requeue(1)
    assert run.it.idle == {"ann@sim.example": {0: [0, 1, 2, 3]}}


def partitionable(cpus: int) -> SlotPool:
    text = f'Name = "slot1@node0001"; PartitionableSlot = true; Cpus = {cpus}; SlotWeight = Cpus'
    return pool_of([ClassAd(f"[{text}; Memory = 9; Disk = 9; Requirements = true]")])


@pytest.mark.parametrize(
    ("cpus", "most", "leftovers", "started"),
    [
        (4, None, True, 3), (4, 3, True, 3), (4, 1, True, 2), (9, 3, True, 4), (9, None, True, 5),
        (1, None, True, 1), (4, None, False, 1), (5, None, True, 4),
    ],
)  # fmt: skip
def test_what_a_match_leaves_of_a_slot(
    cpus: int, most: int | None, leftovers: bool, started: int
) -> None:
    """The next job of the submitter that suits it, as long as it may run more."""
    workload = jobs("0,ann,10,1", "0,ann,10,2", *["0,ann,10,1"] * 3, "0,bob,10,1")
    run = Run(workload, partitionable(cpus), leftovers=leftovers)
    run.until(0)
    run.match(FIRST, 0)
    run.left(FIRST, "ann@sim.example", most)
    assert len(run.it.state.claims) == started
    assert {claim.user for claim in run.it.state.claims.values()} == {"ann@sim.example"}
    assert FIRST not in run.it.state.claims


def test_a_static_slot_has_no_leftovers() -> None:
    run = Run(jobs(*["0,ann,10,1"] * 3), plain_pool(1, 4))
    run.until(0)
    run.match(FIRST, 0)
    run.left(FIRST, "ann@sim.example", None)
    assert len(run.it.state.claims) == 1


def test_what_a_slot_with_a_consumption_policy_has_left_is_for_the_negotiator() -> None:
    pool = partitionable(4)
    for name, value in (("ConsumptionCpus", 1), ("ConsumptionMemory", 0), ("ConsumptionDisk", 0)):
        pool.slots[FIRST].ad.insert(name, value)
    pool.slots[FIRST].ad.insert("MachineResources", "Cpus Memory Disk")
    run = Run(jobs(*["0,ann,10,1"] * 3), pool)
    run.until(0)
    run.match(FIRST, 0)
    run.left(FIRST, "ann@sim.example", None)
    assert len(run.it.state.claims) == 1


def test_a_job_that_is_too_big_for_what_is_left_is_not_started() -> None:
    run = Run(jobs("0,ann,10,3", "0,bob,10,2"), partitionable(4))
    run.until(0)
    assert run.match(FIRST, 0) is True
    assert run.match(FIRST, 1) is False
    assert run.it.state.jobs[1].status == IDLE
    assert run.until(10)[-1] == "10 finish ann1 slot1_1@node0001"
    assert list(run.it.pool.slots) == [FIRST]
    assert run.match(FIRST, 1) is True
    # The dynamic slot of before is gone, and its number is free.
    assert list(run.it.state.claims) == ["slot1_1@node0001"]


def test_a_schedd_may_wait_for_a_slot_with_its_first_job() -> None:
    claims = {
        f"slot{job}": Claim("ann", 0, 7, 0, 1, next_user="bob", next_job=job) for job in (-1, 0, 1)
    }
    state = SimpleNamespace(claims=claims)
    negotiator: Any = SimpleNamespace(simulation=SimpleNamespace(state=state))
    waits = [(ad["Name"], ad["_condor_RESOURCE_CLUSTER"]) for ad in _claims(negotiator)]
    assert waits == [("slot0", 1), ("slot1", 2)]
