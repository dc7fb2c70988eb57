"""What a schedd starts on its own machine: jobs of the scheduler and the local universe.

Each rule was asked of condor_schedd 25.14.1, with a job of sleep for each case.
"""

from __future__ import annotations

from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from negotiator.jobs.lists import schedd_room
from negotiator.jobs.own_machine import own_machine_starts, schedd_itself
from negotiator.model.snapshot import ScheddQueue
from policy.load import policy_from_knobs

NOW = EvalContext(now=1000.0)
#: As condor_status -schedd -l has it, in part.
ADVERTISED = {
    "Name": "s1", "MyType": "Scheduler", "CondorPlatform": "$CondorPlatform: X86_64-Debian_ $",
    "DetectedCpus": 2, "DetectedMemory": 24105, "MaxJobsRunning": 10000, "TotalIdleJobs": 3,
    "MaxRunningSchedulerJobsPerOwner": 200,
    "StartSchedulerUniverse": ExprTree("TotalSchedulerJobsRunning < 500"),
    "StartLocalUniverse": ExprTree("TotalLocalJobsRunning < 200"),
}  # fmt: skip
UNIVERSES = {"scheduler": 7, "local": 12}


def job(number: int, universe: str = "scheduler", **values: Any) -> ClassAd:
    about = {"JobStatus": 1, "JobUniverse": UNIVERSES.get(universe, 5), "User": "alice@d"}
    return ClassAd({**about, "ClusterId": number, "ProcId": 0, **values})


def starts(*jobs: ClassAd, knobs: dict[str, str] | None = None, **schedd: Any) -> dict[int, Any]:
    """Which of the jobs start: by cluster, those that are not looked at left out."""
    queue = ScheddQueue("s1", jobs, schedd=ClassAd({**ADVERTISED, **schedd}))
    policy = policy_from_knobs(knobs or {}).policy
    return {it.job[0]: it.starts for it in own_machine_starts(queue, policy.own_machine, NOW)}


@pytest.mark.parametrize("universe", UNIVERSES)
@pytest.mark.parametrize(
    ("requirements", "starts_it"),
    [
        ("true", True), ("5", True), ("0.0", False), ('"x"', False), ("Nothing", False),
        ('MY.Flavor == "a"', True), ("TARGET.Flavor == 1", False), ("MaxJobsRunning > 0", True),
        ("TARGET.MaxJobsRunning > 0", True), ("MY.MaxJobsRunning > 0", False),
    ],
)  # fmt: skip
def test_requirements_are_tested_against_the_schedd(
    universe: str, requirements: str, starts_it: bool
) -> None:
    one = job(1, universe, Flavor="a", Requirements=ExprTree(requirements))
    assert starts(one) == {1: starts_it}


@pytest.mark.parametrize("universe", UNIVERSES)
@pytest.mark.parametrize(
    ("text", "starts_it"),
    [
        ('TARGET.Flavor =?= "a"', True), ('Flavor =?= "a"', True), ('MY.Flavor =?= "a"', False),
        ("5", True), ("Nothing", False), ('"x"', False), ("MaxJobsRunning > 1", True),
        # One that does not parse leaves the default, and so does an empty one.
        ("1 +", True), ("", True),
    ],
)  # fmt: skip
def test_the_schedds_expression_is_tested_against_the_job(
    universe: str, text: str, starts_it: bool
) -> None:
    knobs = {f"START_{universe.upper()}_UNIVERSE": text}
    assert starts(job(1, universe, Flavor="a"), knobs=knobs) == {1: starts_it}


def test_what_a_schedd_advertises_counts_where_no_configuration_says_otherwise() -> None:
    never = ExprTree("false")
    assert starts(job(1), StartSchedulerUniverse=never) == {1: False}
    assert starts(job(1, "local"), StartSchedulerUniverse=never) == {1: True}
    knobs = {"START_SCHEDULER_UNIVERSE": "true"}
    assert starts(job(1), knobs=knobs, StartSchedulerUniverse=never) == {1: True}


def test_the_schedd_evaluates_another_ad_than_it_advertises() -> None:
    """TotalIdleJobs and Name are only advertised; Arch, OpSys, Cpus and Memory are not."""
    own = schedd_itself(ScheddQueue("s1", (), schedd=ClassAd(ADVERTISED)), NOW)
    assert [own.raw(name) for name in ("Name", "TotalIdleJobs")] == [None, None]
    wanted = ["X86_64", "LINUX", 2, 24105]
    assert [own.raw(name) for name in ("Arch", "OpSys", "Cpus", "Memory")] == wanted
    assert starts(job(1, Requirements=ExprTree("TARGET.TotalIdleJobs < 100"))) == {1: False}


def test_what_no_capture_tells_is_not_taken_for_a_refusal() -> None:
    disk = "TARGET.Disk >= 5"
    assert starts(job(1, Requirements=ExprTree(disk))) == {1: None}
    assert starts(job(1, Requirements=ExprTree(f"false && {disk}"))) == {1: False}
    assert starts(job(1, Requirements=ExprTree(f"true || {disk}"))) == {1: True}


def test_jobs_start_by_priority_until_the_next_one_sees_too_many() -> None:
    knobs = {"START_SCHEDULER_UNIVERSE": "TotalSchedulerJobsRunning < 2"}
    jobs = [job(1), job(2, JobPrio=10), job(3)]
    assert starts(*jobs, knobs=knobs) == {2: True, 1: True, 3: False}
    running = job(4, JobStatus=2)
    assert starts(*jobs, running, knobs=knobs) == {2: True, 1: False, 3: False}
    # Where the queue has none that runs, the schedd's own count stands.
    assert starts(job(1), knobs=knobs, TotalSchedulerJobsRunning=2) == {1: False}


def test_an_owner_has_so_many_jobs_of_the_scheduler_universe_whatever_the_group() -> None:
    knobs = {"MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER": "1"}
    jobs = [job(1), job(2, AccountingGroup="g.alice"), job(3, User="bob@d"), job(4, "local")]
    assert starts(*jobs, knobs=knobs) == {1: True, 2: False, 3: True, 4: True}
    assert starts(*jobs, MaxRunningSchedulerJobsPerOwner=1)[2] is False
    # 0 switches the scheduler universe off.
    knobs = {"MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER": "0"}
    assert starts(job(1), job(2, "local"), knobs=knobs) == {1: False, 2: True}


@pytest.mark.parametrize("universe", UNIVERSES)
def test_which_idle_jobs_are_tested_at_all(universe: str) -> None:
    jobs = [
        job(1, universe, MaxHosts=0),
        job(2, universe, JobCooldownExpiration=2000),
        job(3, universe, IsNoopJob=True),
        job(4, universe, Managed="External"),
        job(5, "vanilla"),
    ]
    assert starts(*jobs) == {3: True, 4: True}


def test_jobs_without_slots_take_no_room_of_max_jobs_running() -> None:
    """With MAX_JOBS_RUNNING 3, 5 local and 4 scheduler jobs running, the schedd offered 3 jobs."""
    without = [job(number, universe, JobStatus=2) for number, universe in enumerate(UNIVERSES)]
    without.append(job(7, JobStatus=2, JobUniverse=9))
    slots = [job(8, "vanilla", JobStatus=2), job(9, JobStatus=2, JobUniverse=11)]
    policy = policy_from_knobs({"MAX_JOBS_RUNNING": "3"}).policy
    room = schedd_room(ScheddQueue("s1", (*without, *slots)), policy, NOW)
    assert (room.limit, room.running) == (3, 2)
