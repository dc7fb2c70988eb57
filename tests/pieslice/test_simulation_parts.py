"""Parts of a simulation by themselves: slots that are cut and claimed, workloads, sums of a run.

``test_simulate.py`` has whole runs.
"""

from __future__ import annotations

import math
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from negotiator.pool.fetch import fetch_slots
from pieslice.between.pool import (
    OF_CLAIMS,
    SlotPool,
    plain_pool,
    pool_of,
    show_claim,
    show_free,
    show_preempting,
    show_time,
    terms_of_claim,
    weight_of,
)
from pieslice.simulation.command import _nth
from pieslice.simulation.engine import Simulation
from pieslice.simulation.errors import WorkloadError
from pieslice.simulation.notices import about_jobs
from pieslice.simulation.setup import unserved_kinds
from pieslice.simulation.state import State, Totals
from pieslice.simulation.steadiness import is_steady
from pieslice.simulation.summary import _user, _waits, jain
from pieslice.simulation.workload import (
    RecordedJob,
    Workload,
    _poisson,
    from_capture,
    from_csv,
    from_streams,
    from_swf,
)
from policy.claims import ClaimSettings
from policy.load import policy_from_knobs
from tests.cases import every_case

CONTEXT = EvalContext(now=1000.0)

# --- sums -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waits", "mean", "median", "late"),
    [
        ([], None, None, None),
        ([7], 7.0, 7.0, 7.0),
        ([9, 1], 5.0, 5.0, 9.0),
        ([9, 1, 2], 4.0, 2.0, 9.0),
        ([4, 3, 2, 1], 2.5, 2.5, 4.0),
        # The nearest rank: of 19 and of 20 jobs the 19th, of 21 the 20th, of 100 the 95th.
        (range(1, 20), 10.0, 10.0, 19.0),
        (range(1, 21), 10.5, 10.5, 19.0),
        (range(1, 22), 11.0, 11.0, 20.0),
        (range(1, 101), 50.5, 50.5, 95.0),
        (range(0, 200, 2), 99.0, 99.0, 188.0),
    ],
)
def test_waits(waits: Any, mean: Any, median: Any, late: Any) -> None:
    assert _waits(list(waits)) == (mean, median, late)


@pytest.mark.parametrize(
    ("ratios", "index"),
    [([2.0], 1.0), ([1, 2, 3], 36 / 42), ([0, 0, 4, 4], 0.5), ([0, 0], None)],
)
def test_fairness(ratios: list[float], index: float | None) -> None:
    assert jain(ratios) == index


def test_what_is_told_of_a_user() -> None:
    totals = Totals(7200.0, 1800.0, 10_800.0, 9, 4, 2, 1, [10, 20, 60])
    assert _user(totals, 3600.0) == {
        "usage_hours": 3.5, "share": 0.0, "entitled_hours": 3.0, "goodput_hours": 2.0,
        "badput_hours": 0.5, "submitted": 9, "completed": 4, "never_started": 6, "preemptions": 2,
        "lost_with_machines": 1, "wait_mean": 30.0, "wait_median": 20.0, "wait_95": 60.0,
        "group": "",
    }  # fmt: skip


# --- slots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("", 1.0), ("SlotWeight = 3", 3.0), ("SlotWeight = 0", 0.0), ("SlotWeight = 0.5", 0.5),
        ("SlotWeight = -0.5", 1.0), ('SlotWeight = "3"', 1.0), ("Cpus = 4; SlotWeight = Cpus", 4.0),
    ],
)  # fmt: skip
def test_the_weight_of_a_slot(text: str, weight: float) -> None:
    assert weight_of(ClassAd(f"[{text}]")) == weight


def partitionable() -> SlotPool:
    ad = ClassAd(
        '[Name = "slot1@m"; PartitionableSlot = true; Cpus = 4; Memory = 100; Disk = 50;'
        " SlotWeight = Cpus]"
    )
    return pool_of([ad])


def left(slot: Any) -> tuple[Any, ...]:
    return (*map(slot.ad.raw, ("Cpus", "Memory", "Disk")), slot.weight)


def test_dynamic_slots_are_cut_until_one_resource_is_gone() -> None:
    pool = partitionable()
    parent = pool.slots["slot1@m"]
    assert (pool.changes, pool.weight) == (0, 4.0)
    first = pool.cut(parent, {"Cpus": 1.0, "Memory": 99.5, "Disk": 50.0})
    assert (first.name, first.parent, first.number) == ("slot1_1@m", parent, 1)
    assert first.taken == {"Cpus": 1.0, "Memory": 99.5, "Disk": 50.0}
    assert left(first) == (1, 99, 50, 1.0)
    assert left(parent) == (3, 0, 0, 3.0)
    flags = [first.ad.raw(name) for name in ("Name", "DynamicSlot", "PartitionableSlot")]
    assert flags == ["slot1_1@m", True, False]
    assert (first.partitionable, parent.partitionable) == (False, True)
    second = pool.cut(parent, {"Cpus": 3.0, "Memory": 0.0, "Disk": 0.0})
    assert (second.name, left(second), left(parent)) == ("slot1_2@m", (3, 0, 0, 3.0), (0, 0, 0, 0))
    assert list(pool.slots) == ["slot1@m", "slot1_1@m", "slot1_2@m"]
    assert (pool.changes, parent.changes, parent.numbers, pool.weight) == (2, 2, {1, 2}, 4.0)
    pool.give_back(second)
    pool.give_back(parent)  # is nobody's part
    assert (list(pool.slots), left(parent)) == (["slot1@m", "slot1_1@m"], (3, 0, 0, 3.0))
    assert (pool.changes, parent.changes) == (3, 3)


def test_a_dynamic_slot_gets_the_smallest_number_that_is_free() -> None:
    pool = partitionable()
    parent = pool.slots["slot1@m"]
    first, second = (pool.cut(parent, {"Cpus": 1.0}) for _ in range(2))
    pool.give_back(first)
    names = [pool.cut(parent, {"Cpus": 1.0}).name for _ in range(2)]
    assert (second.name, names) == ("slot1_2@m", ["slot1_1@m", "slot1_3@m"])


def test_a_machine_takes_its_slots_along_and_brings_them_back() -> None:
    pool = pool_of(ClassAd(f'[Name = "{name}"; Cpus = 1]') for name in ("a@m", "b@n", "c@m"))
    pool.slots["a@m"].ad.insert("PartitionableSlot", True)
    pool.slots["a@m"].ad.insert("Memory", 9)
    pool.slots["a@m"].ad.insert("Disk", 9)
    assert pool.cut(pool.slots["a@m"], {}).name == "a_1@m"
    assert [slot.name for slot in pool.leave("m")] == ["a@m", "c@m", "a_1@m"]
    assert (list(pool.slots), pool.changes, pool.machines) == (["b@n"], 2, 1)
    pool.join("m")
    pool.join("x")
    assert (list(pool.slots), pool.changes, pool.machines) == (["b@n", "a@m", "c@m"], 4, 3)
    assert pool.away == {}


def test_the_slots_of_a_capture_when_nobody_has_them() -> None:
    whole = (
        'Name = "p@m"; PartitionableSlot = true; Cpus = 1; TotalSlotCpus = 8; Memory = 5;'
        ' ChildName = {"p_1@m"}; childcpus = {7}; SlotWeight = Cpus; RemoteUser = "u@d"'
    )
    pool = pool_of(
        ClassAd(f"[{text}]")
        for text in (
            whole, 'Name = "p_1@m"; DynamicSlot = true', "Cpus = 1",
            'Name = "s@m"; Cpus = 1; TotalSlotCpus = 8; ChildName = {1}; State = "Claimed"',
        )
    )  # fmt: skip
    assert list(pool.slots) == ["p@m", "s@m"]
    found = [
        pool.slots["p@m"].ad.raw(name) for name in ("Cpus", "Memory", "ChildName", "ChildCpus")
    ]
    assert found == [8, 5, None, None]
    assert (pool.slots["p@m"].weight, pool.slots["p@m"].ad.raw("RemoteUser")) == (8.0, None)
    static = pool.slots["s@m"].ad
    assert (static.raw("Cpus"), static.raw("ChildName") is None) == (1, False)
    shown = [static.raw(name) for name in ("State", "Activity", "CurrentRank")]
    assert shown == ["Unclaimed", "Idle", 0.0]


def test_plain_slots() -> None:
    pool = plain_pool(12, 3)
    assert list(pool.slots)[::11] == ["slot1@node0001", "slot1@node0012"]
    ad = pool.slots["slot1@node0012"].ad
    names = ("Cpus", "Memory", "Disk", "SlotWeight", "Rank", "Machine", "StartdIpAddr", "START")
    assert [ad.raw(name) for name in names] == [
        3, 12_288, 30_000_000, 3, 0.0, "node0012", "<192.0.2.1:12>", True,
    ]  # fmt: skip
    assert pool.weight == 36.0
    for asked, fits in (
        ("RequestCpus = 3; RequestMemory = 12288; RequestDisk = 30000000", True),
        ("RequestCpus = 4; RequestMemory = 1; RequestDisk = 1", False),
        ("RequestCpus = 1; RequestMemory = 12289; RequestDisk = 1", False),
        ("RequestCpus = 1; RequestMemory = 1; RequestDisk = 30000001", False),
    ):
        assert ad.get_bool("Requirements", ClassAd(f"[{asked}]")) is fits


@pytest.mark.parametrize(
    ("rank", "limits", "shown_rank", "shown_limits"),
    [
        ("0.0", "undefined", 0.0, None),
        ("TARGET.K * 2", '"lic:2"', 14.0, "lic:2"),
        ('"x"', '""', 0.0, None),
        ("5", 'strcat("a", TARGET.Name)', 5.0, "as@m"),
    ],
)
def test_what_a_slot_shows_of_a_claim(
    rank: str, limits: str, shown_rank: float, shown_limits: str | None
) -> None:
    ad = ClassAd(f'[Name = "s@m"; Rank = {rank}; PreemptingUser = "old"; JobId = "1.0"]')
    job = ClassAd(f"[K = 7; ConcurrencyLimits = {limits}]")
    show_claim(ad, "u@d", *terms_of_claim(ad, job, EvalContext(now=60)), 50, 60)
    names = ("State", "Activity", "RemoteUser", "RemoteOwner", "AccountingGroup")
    assert [ad.raw(name) for name in names] == ["Claimed", "Busy", "u@d", "u@d", "u@d"]
    assert (ad.raw("EnteredCurrentState"), ad.raw("JobStart")) == (50, 60)
    assert (ad.raw("CurrentRank"), ad.raw("ConcurrencyLimits")) == (shown_rank, shown_limits)
    assert (ad.raw("PreemptingUser"), ad.raw("JobId")) == (None, None)
    show_time(ad, 75)
    assert (ad.raw("MyCurrentTime"), ad.raw("TotalJobRunTime")) == (75, 15)
    assert ad.raw("RetirementTimeRemaining") is None
    for retiring, shown in ((9, 9), (0, 0), (-1, 0)):
        show_time(ad, 75, retiring)
        assert ad.raw("RetirementTimeRemaining") == shown
    show_preempting(ad, "v@d")
    waiting = [ad.raw(f"Preempting{name}") for name in ("User", "AccountingGroup")]
    assert [*waiting, ad.raw("Activity"), ad.raw("State")] == ["v@d", "v@d", "Retiring", "Claimed"]
    show_free(ad, 80)
    assert [name for name in OF_CLAIMS if ad.raw(name) is not None] == []
    free = [ad.raw(name) for name in ("EnteredCurrentState", "State", "Activity", "CurrentRank")]
    assert free == [80, "Unclaimed", "Idle", 0.0]
    show_free(ad)
    show_time(ad, 90)
    assert (ad.raw("EnteredCurrentState"), ad.raw("TotalJobRunTime")) == (80, None)


# --- workloads ------------------------------------------------------------------------------------


def swf(**columns: int) -> str:
    """A line of the Standard Workload Format, with -1 where nothing is said."""
    places = {
        "submit": 1, "run": 3, "used_cpus": 4, "used_memory": 6, "cpus": 7, "memory": 9,
        "user": 11, "group": 12,
    }  # fmt: skip
    row = [-1] * 18
    for name, value in columns.items():
        row[places[name]] = value
    return " ".join(map(str, row))


@pytest.mark.parametrize(
    ("columns", "user", "cpus", "memory"),
    [
        ({}, "user5@sim.example", 1.0, 0),
        ({"cpus": 2, "used_cpus": 3}, "user5@sim.example", 2.0, 0),
        ({"cpus": 0, "used_cpus": 3}, "user5@sim.example", 3.0, 0),
        ({"cpus": 1, "used_cpus": 0}, "user5@sim.example", 1.0, 0),
        ({"memory": 2048, "used_memory": 1024}, "user5@sim.example", 1.0, 2),
        ({"memory": 0, "used_memory": 1024}, "user5@sim.example", 1.0, 1),
        ({"memory": 1, "cpus": 1024}, "user5@sim.example", 1024.0, 1),
        ({"memory": 1023}, "user5@sim.example", 1.0, 0),
        ({"group": 1}, "group1.user5@sim.example", 1.0, 0),
        ({"group": 0}, "user5@sim.example", 1.0, 0),
    ],
)
def test_a_line_of_a_trace(columns: dict[str, int], user: str, cpus: float, memory: int) -> None:
    lines = [swf(submit=9, run=60, user=5, **columns), "; nothing", "", swf(run=0), swf(run=-1)]
    workload = from_swf(lines, "t")
    (job,) = workload.arrivals
    shape = workload.shapes[job.shape]
    assert (job.submit, job.run_time, shape.user, shape.cpus) == (9, 60, user, cpus)
    assert shape.ad.raw("RequestMemory") == memory
    one = from_swf([swf(submit=9, run=1, user=5)], "t")
    assert [it.run_time for it in one.arrivals] == [1]


def test_a_line_of_a_trace_has_eighteen_columns() -> None:
    assert len(from_swf(["1 " * 18], "t").arrivals) == 1
    with pytest.raises(WorkloadError, match="t:1: 17 columns; SWF has 18"):
        from_swf(["1 " * 17], "t")


def test_a_job_of_a_table_has_the_ad_that_the_table_tells() -> None:
    lines = (
        "submit,user,run_time,group,cpus,memory,count\n3,u,0,g,2,512,2\n3,u@x,5,,,,0\n0,v@x,5,,,,\n"
    )
    workload = from_csv(lines.splitlines(), "t")
    assert [(job.submit, job.run_time, job.shape) for job in workload.arrivals] == [
        (0, 5, 2), (3, 0, 0), (3, 0, 0),
    ]  # fmt: skip
    group, plain = workload.shapes[0], workload.shapes[2]
    names = ("Owner", "User", "JobStatus", "JobUniverse", "JobPrio", "RequestCpus", "RequestMemory",
             "RequestDisk", "AccountingGroup", "AcctGroup")  # fmt: skip
    assert [group.ad.raw(name) for name in names] == [
        "u", "u@sim.example", 1, 5, 0, 2, 512, 0, "g.u", "g",
    ]  # fmt: skip
    assert (group.user, group.cpus) == ("g.u@sim.example", 2.0)
    told = [plain.ad.raw(name) for name in ("Owner", "User", "RequestCpus", "RequestMemory")]
    assert (plain.user, told) == ("v@x", ["v", "v@x", 1, 0])
    assert plain.ad.raw("AccountingGroup") is None
    for slot, fits in (("Cpus = 2; Memory = 512", True), ("Cpus = 1; Memory = 512", False),
                       ("Cpus = 2; Memory = 511", False)):  # fmt: skip
        assert group.ad.get_bool("Requirements", ClassAd(f"[{slot}]")) is fits


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,,5,1,", "t:2: `` is not a user name"),
        ("1,u,5,0,", "t:2: cpus `0` is not a whole number of at least 1"),
        ("1,u,5,1,-1", "t:2: memory `-1` is not a whole number of at least 0"),
        (",u,5,1,", "t:2: no submit"),
        ("1,u,,1,", "t:2: no run_time"),
        ("1,u,1.5,1,", "t:2: run_time `1.5` is not a whole number of at least 0"),
    ],
)
def test_rows_of_a_table_that_are_wrong(row: str, message: str) -> None:
    with pytest.raises(WorkloadError) as problem:
        from_csv(["submit,user,run_time,cpus,memory", row], "t")
    assert str(problem.value) == message


def test_jobs_of_a_stream_come_between_its_hours() -> None:
    stream = {"user": "u", "per_hour": 3600.0, "begin_hour": 1.0, "end_hour": 2.0, "run_time": 50}
    found = from_streams([stream], "t", 0, 36_000).arrivals
    assert 3400 < len(found) < 3800
    assert all(3600 <= job.submit < 7200 for job in found)
    assert {job.run_time for job in found} == {50}
    cut = from_streams([stream], "t", 0, 5400).arrivals
    assert cut == [job for job in found if job.submit < 5400]
    early = {"user": "u", "backlog": 3, "begin_hour": 0.5, "run_time": 1, "spread": 3.0}
    waiting = from_streams([early], "t", 0, 36_000).arrivals
    assert [job.submit for job in waiting] == [1800] * 3
    assert min(job.run_time for job in waiting) >= 1


def test_jobs_of_a_stream_come_in_batches() -> None:
    found = list(_poisson(10, 100_000, 36.0, 4, Random(1)))
    assert len(found) % 4 == 0
    assert found[::4] == found[1::4] == found[3::4]
    # 36 an hour, one batch of 4 in 400 s.
    assert len(found) == pytest.approx(1000, rel=0.15)
    assert min(found) >= 10
    assert list(_poisson(0, 1000, 0.0, 1, Random(1))) == []
    assert list(_poisson(0, 1000, 5.0, 0, Random(1))) == []


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (5, "t: stream 1: `5` is not a table"),
        ({"user": "u", "backlog": True}, "t: stream 1: backlog `True` is not a number"),
        ({"user": "u", "run_time": math.nan}, "t: stream 1: run_time `nan` is not a number"),
        ({"user": "u", "run_time": 0.5}, "t: stream 1: run_time `0.5` is not a number of"
         " at least 1"),
        ({"user": "u", "spread": 11}, "t: stream 1: spread `11` is not a number of at most 10"),
        ({"user": "u", "memory": 1e10}, "t: stream 1: memory `10000000000.0` is not a number of at"
         " most 1e+09"),
        ({"user": "u", "batch": 0}, "t: stream 1: batch `0` is not a whole number of at least 1"),
        ({"user": "u", "spread": -1}, "t: stream 1: spread `-1` is not a number of at least 0"),
        ({"user": "u", "backlog": 10_000_001}, "t: stream 1: 1e+07 jobs are more than 10,000,000"),
        ({"user": 5}, "t: stream 1: user `5` is not a name without spaces"),
        ({"user": ""}, "t: stream 1: no `user`"),
    ],
)  # fmt: skip
def test_streams_that_are_none(stream: object, message: str) -> None:
    with pytest.raises(WorkloadError) as problem:
        from_streams([stream], "t", 0, 3600)
    assert str(problem.value) == message


def test_streams_may_have_just_what_is_allowed() -> None:
    least = {"user": "u", "cpus": 1, "memory": 0, "batch": 1, "run_time": 1, "spread": 0}
    most = {"user": "v", "run_time": 1e9, "spread": 10, "end_hour": math.inf, "begin_hour": 0.0}
    found = from_streams([{**least, "backlog": 1}, most], "t", 0, 3600)
    assert [(job.submit, job.run_time) for job in found.arrivals] == [(0, 1)]
    assert [shape.user for shape in found.shapes] == ["u@sim.example", "v@sim.example"]


@pytest.mark.parametrize(
    ("every", "seconds", "moments"),
    [(0, 100, [0]), (50, 100, [0, 50]), (50, 101, [0, 50, 100]), (50, 0, [0]), (200, 100, [0])],
)
def test_when_the_queue_of_a_capture_comes_again(
    every: int, seconds: int, moments: list[int]
) -> None:
    job = ClassAd('[JobStatus = 2; User = "u@d"; RequestCpus = 2; ClusterId = 7; CurrentHosts = 1]')
    other = ClassAd('[JobStatus = 1; User = "u@d"; ClusterId = 8]')
    jobs = [RecordedJob("u@d", ad) for ad in (job, other, job)]
    found = from_capture(jobs, frozenset({"requestcpus"}), 3, seconds, every, 600)
    assert [job.submit for job in found.arrivals] == [it for it in moments for _ in jobs]
    assert [job.shape for job in found.arrivals][:3] == [0, 1, 0]
    assert [shape.cpus for shape in found.shapes] == [2.0, 1.0]
    first = found.shapes[0].ad
    assert (first.raw("JobStatus"), first.raw("CurrentHosts"), first.raw("ClusterId")) == (
        1,
        None,
        7,
    )
    # e to a normal deviate: about 600, each another time, the same for a seed.
    again = from_capture(jobs, frozenset({"requestcpus"}), 3, seconds, every, 600)
    assert again.arrivals == found.arrivals
    assert len({job.run_time for job in found.arrivals}) == len(found.arrivals)
    assert all(60 < job.run_time < 6000 for job in found.arrivals)


# --- what should be known before ------------------------------------------------------------------


def simulation(workload: Workload, pool: SlotPool) -> Simulation:
    found = Simulation(pool, ClaimSettings(), State(), workload, lambda *event: None)
    found.state.never = unserved_kinds(found, 0)
    return found


def of_kinds(*kinds: tuple[int, int, int]) -> Workload:
    """Jobs of kinds, each so many, with so many cores and so much memory."""
    rows = [f"0,u,60,{cpus},{memory},{count}" for count, cpus, memory in kinds]
    return from_csv(["submit,user,run_time,cpus,memory,count", *rows], "t")


def test_kinds_of_job_that_no_slot_fits() -> None:
    pool = plain_pool(2, 2)
    kinds = [(1, 3, 0), (2, 2, 0), (3, 4, 5), (1, 1, 9000), (4, 5, 0), (5, 6, 0), (1, 7, 0)]
    found = [it.message for it in about_jobs(simulation(of_kinds(*kinds), pool))]
    assert found == [
        "1 job of u@sim.example (3 cpus): no slot of the pool fits",
        "3 jobs of u@sim.example (4 cpus, 5 MB): no slot of the pool fits",
        "1 job of u@sim.example (1 cpus, 9000 MB): no slot of the pool fits",
        "nor for 10 jobs of 3 more kinds",
    ]
    found = [it.message for it in about_jobs(simulation(of_kinds(*kinds[:4]), pool))]
    assert len(found) == 3
    pool.leave("node0001")
    pool.leave("node0002")
    assert about_jobs(simulation(of_kinds((1, 2, 0)), pool)) == []


def test_what_a_slot_takes_at_some_hour_only_is_served() -> None:
    pool, workload = plain_pool(1, 2), of_kinds((1, 1, 0))
    for slot in pool.slots.values():
        slot.ad.insert("START", ExprTree("time() >= 7200"))
    found = simulation(workload, pool)
    assert [unserved_kinds(found, seconds) for seconds in (0, 3600, 7200)] == [[0], [0], []]


# --- what holds from cycle to cycle ---------------------------------------------------------------

_REQUIRED = "Requirements"
FREE = '[Name = "s@m"; Cpus = 1; State = "Unclaimed"; CurrentRank = 0.0; MyCurrentTime = 1000]'


@every_case("slot, job, steady", [
        ({}, {}, True),
        ({_REQUIRED: "TARGET.RequestCpus <= Cpus"}, {_REQUIRED: "TARGET.Memory > 1"}, True),
        ({_REQUIRED: "Late"}, {}, True),  # names nothing
        ({_REQUIRED: "Late", "Late": "time() > 5"}, {}, False),
        ({"Late": "time() > 5"}, {}, True),
        ({_REQUIRED: "TARGET.Late"}, {"Late": "CurrentTime > 5"}, False),
        ({_REQUIRED: "MyCurrentTime > 5"}, {}, False),
        ({_REQUIRED: "TARGET.ClusterId > 5"}, {}, False),
        ({}, {"Rank": "random(5)"}, False),
        ({"Rank": "TARGET.SubmitterUserPrio"}, {}, False),
        ({}, {"JobPrio": "TARGET.K + random(2)"}, False),
        ({}, {"Other": "random(2)"}, True),
        ({}, {"JobCoolDownExpiration": "5"}, False),
        ({"DaemonShutdown": "false"}, {}, False),
        ({"DaemonShutdownFast": "false"}, {}, False),
        ({"WantAdRevaluate": "true"}, {}, False),
        ({_REQUIRED: "State == \"Unclaimed\""}, {}, True),  # free slots are asked only
        ({"SlotWeight": "ifThenElse(State == \"Claimed\", 2, 1)"}, {}, False),
        ({"SlotWeight": "CurrentRank + 1"}, {}, False),
        ({"SlotWeight": "RemoteUser is undefined ? 1 : 2"}, {}, False),
        ({"SlotWeight": "Cpus"}, {}, True),
        ({"SlotWeight": "MyCurrentTime"}, {}, False),
        ({_REQUIRED: "[a = 1].a == 1"}, {}, False),
        ({_REQUIRED: "Box.a == 1"}, {}, False),
        ({_REQUIRED: "MY.Cpus == 1 && TARGET.K"}, {}, True),
        ({_REQUIRED: "nosuch(1)"}, {}, False),
        ({_REQUIRED: "getYear(TARGET.K) == 1"}, {}, True),  # the zone does not change
        ({_REQUIRED: 'stringListMember("a", TARGET.K)'}, {}, True),
    ])  # fmt: skip
def test_what_holds_from_cycle_to_cycle(
    slot: dict[str, str], job: dict[str, str], steady: bool
) -> None:
    policy = policy_from_knobs({}).policy
    slot_ad, job_ad = ClassAd(FREE), ClassAd("[RequestCpus = 1]")
    for ad, given in ((slot_ad, slot), (job_ad, job)):
        for name, text in given.items():
            ad.insert(name, ExprTree(text))
    slots = fetch_slots([slot_ad], {}, policy, CONTEXT)
    shapes = [SimpleNamespace(ad=job_ad)]
    assert is_steady(slots, shapes, policy) is steady  # type: ignore[arg-type]


def test_runs_with_several_seeds_are_one_progress() -> None:
    told: list[tuple[float, str]] = []
    for number in range(3):
        one = _nth(lambda *what: told.append(what), number, 3, 60)
        one(0.0, "")
        one(15.0, "an hour")
    assert told == [
        (0.0, "run 1 of 3"), (15.0, "run 1 of 3, an hour"),
        (60.0, "run 2 of 3"), (75.0, "run 2 of 3, an hour"),
        (120.0, "run 3 of 3"), (135.0, "run 3 of 3, an hour"),
    ]  # fmt: skip
