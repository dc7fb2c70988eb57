"""Jobs that run on several slots at once, in simulations."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from pieslice.between.pool import plain_pool
from pieslice.cli import main
from pieslice.simulation.engine import MachineChange
from pieslice.simulation.parallel import spread
from pieslice.simulation.summary import summarise
from pieslice.simulation.workload import Arrival
from policy.claims import ClaimSettings
from tests.pieslice.test_checkpoints import again
from tests.pieslice.test_simulate import INTERVAL, Run, policy_of

#: Submission, run time, cores.
Jobs = list[tuple[int, int, int]]


def run_of(tmp_path: Path, jobs: Jobs, **more: Any) -> Run:
    """Two plain slots of 4 cores; claims take one job each."""
    settings = ClaimSettings(worklife=0)
    run = Run(policy_of(tmp_path), [], slots=plain_pool(2, 4), settings=settings, **more)
    workload = run.simulation.workload
    for number, (submit, length, cpus) in enumerate(jobs):
        shape = workload.shape(f"user{number}", "", cpus, 0)
        workload.arrivals.append(Arrival(submit, length, shape))
    run.simulation.dedicated = workload.processors = True
    spread(workload, run.simulation.pool, plain=True)
    return run


def told(run: Run, seconds: int) -> list[tuple[int, str, int]]:
    return [(moment, kind, job) for moment, kind, _, job in run.until(seconds)]


def test_a_job_of_more_cores_than_a_slot_has_starts_and_ends_on_several(tmp_path: Path) -> None:
    run = run_of(tmp_path, [(0, 300, 8)])
    assert told(run, 600) == [(0, "start", 1), (300, "finish", 1)]
    found = summarise(run.simulation, complete=True)
    assert (found["completed"], found["goodput_hours"] * 3600) == (1, 8 * 300)
    (user,) = found["users"].values()
    assert user["entitled_hours"] * 3600 == pytest.approx(8 * 300)


def test_slots_are_kept_until_there_are_enough_and_others_get_the_rest(tmp_path: Path) -> None:
    """One slot is free from 100 s on and waits; the other ends at 230 s."""
    run = run_of(tmp_path, [(0, 100, 4), (0, 230, 4), (50, 60, 8), (55, 60, 4)])
    begun = [(moment, job) for moment, kind, job in told(run, 600) if kind == "start"]
    assert begun == [(0, 1), (0, 2), (240, 3), (300, 4)]


def test_a_job_behind_one_that_can_never_run_does_not_wait_for_it(tmp_path: Path) -> None:
    run = run_of(tmp_path, [(0, 60, 80), (0, 60, 8)])
    run.simulation.state.never = [0]
    assert told(run, 120) == [(0, "start", 2), (60, "finish", 2)]


def test_a_job_whose_machine_leaves_stops_everywhere_and_starts_again(tmp_path: Path) -> None:
    changes = (MachineChange(90, "node0002", False), MachineChange(200, "node0002", True))
    run = run_of(tmp_path, [(0, 300, 8)], changes=changes)
    jobs = [event for event in told(run, 700) if event[2]]
    assert jobs == [(0, "start", 1), (90, "lost", 1), (240, "start", 1), (540, "finish", 1)]
    assert summarise(run.simulation, complete=True)["badput_hours"] * 3600 == 8 * 90


@pytest.mark.parametrize("moment", [120, 180, 300])
def test_a_run_can_be_taken_up_while_slots_are_kept(tmp_path: Path, moment: int) -> None:
    jobs: Jobs = [(0, 100, 4), (0, 230, 4), (50, 600, 8)]
    whole, part = run_of(tmp_path, jobs), run_of(tmp_path, jobs)
    part.until(moment)
    fresh = run_of(tmp_path, jobs)
    again(part.simulation, fresh.simulation)
    seen = [event for event in whole.until(moment + 600) if event[0] >= moment]
    assert [event for event in fresh.until(moment + 600) if event[1] != "submit"] == seen


def slot(number: int, scheduler: str = "") -> str:
    named = f'DedicatedScheduler = "{scheduler}"\n' if scheduler else ""
    return (
        f'MyType = "Machine"\nName = "slot{number}@m"\nState = "Unclaimed"\nCpus = 1\n'
        f"Memory = 999\nRequirements = true\nMyCurrentTime = 1795000000\n{named}"
    )


@pytest.mark.parametrize(("hosts", "started"), [(2, 1), (3, 0)])
def test_only_slots_that_name_the_scheduler_are_for_captured_jobs(
    tmp_path: Path, hosts: int, started: int, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = "DedicatedScheduler@s1", "DedicatedScheduler@s2"
    ads = [slot(1, ours), slot(2), slot(3, theirs), slot(4, ours)]
    (tmp_path / "slots.ads").write_text("\n".join(ads))
    job = {"MyType": "Job", "ClusterId": 1, "ProcId": 0, "User": "a@d", "JobStatus": 1}
    more = {"JobUniverse": 11, "MinHosts": hosts, "MaxHosts": hosts, "RequestCpus": 1}
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in {**job, **more}.items()]
    lines += [f'Scheduler = "{ours}"', "Requirements = true"]
    (tmp_path / "jobs.ads").write_text("\n".join(lines) + "\n")
    words = ["--workload", "capture", "--days", "0.02", "-o", str(tmp_path / "run")]
    assert main(["simulate", str(tmp_path), *words]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert ("the pool has too few dedicated slots" in said) is not started
    with (tmp_path / "run" / "events.csv").open() as file:
        events = [row for row in csv.DictReader(file) if row["event"] == "start"]
    assert [row["detail"] for row in events] == ["on 2 slots, with slot4@m"] * started


def test_a_cycle_comes_after_what_the_dedicated_scheduler_does(tmp_path: Path) -> None:
    """Both are there at once: the job of several slots is first."""
    run = run_of(tmp_path, [(0, 60, 4), (0, 60, 8)])
    starts = [(moment, job) for moment, kind, job in told(run, 240) if kind == "start"]
    assert starts == [(0, 2), (INTERVAL, 1)]
