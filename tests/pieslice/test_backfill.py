"""Backfill slots share a machine with primary ones; ``tests/vectors/between`` has real daemons.

The rules, without a daemon: a machine of 8 cores that both kinds of slot are given whole.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd
from pieslice.between.pool import CONFLICT, SimSlot, SlotPool, pool_of
from pieslice.cli import main

SLOT = """MyType = "Machine"
Name = "slot{number}@n1"
State = "Unclaimed"
Activity = "Idle"
PartitionableSlot = {partitionable}
BackfillSlot = {backfill}
Cpus = 8
Memory = 8192
Disk = 1000
TotalSlotCpus = 8
TotalSlotMemory = 8192
TotalSlotDisk = 1000
SlotWeight = Cpus
Requirements = (BackfillSlot =!= true || TARGET.IsBackfill =?= true) && TARGET.RequestCpus <= Cpus
MyCurrentTime = 1795788165
"""
JOB = """ClusterId = {cluster}
ProcId = {proc}
User = "{user}@d"
JobStatus = 1
JobUniverse = 5
RequestCpus = 1
RequestMemory = 128
RequestDisk = 1
IsBackfill = {backfill}
Requirements = TARGET.BackfillSlot =?= MY.IsBackfill
"""
ONE = {"Cpus": 1.0, "Memory": 128.0}


def ad(text: str) -> ClassAd:
    return ClassAd("\n".join(text.splitlines()).join(("[", "]")).replace("\n", ";"))


def shared(primary: str = "true") -> tuple[SlotPool, SimSlot, SimSlot]:
    texts = [
        SLOT.format(number=1, partitionable=primary, backfill="false"),
        SLOT.format(number=2, partitionable="true", backfill="true"),
    ]
    pool = pool_of([ad(text) for text in texts])
    return pool, pool.slots["slot1@n1"], pool.slots["slot2@n1"]


def cores(slot: SimSlot) -> float | None:
    return slot.ad.get_number("Cpus")


def test_what_primary_slots_take_shrinks_the_backfill_slot_and_not_the_other_way() -> None:
    pool, primary, backfill = shared()
    for _ in range(3):
        pool.cut(primary, ONE)
    assert (cores(primary), cores(backfill)) == (5, 5)
    pool.cut(backfill, ONE)
    assert (cores(primary), cores(backfill)) == (5, 4)
    assert backfill.ad.get_number("Memory") == 8192 - 4 * 128


def test_a_static_primary_slot_takes_all_that_it_has_when_it_is_claimed() -> None:
    pool, primary, backfill = shared("false")
    pool.hold(primary, held=True)
    pool.hold(primary, held=True)
    assert cores(backfill) == 0
    pool.hold(primary, held=False)
    pool.show_left(backfill)
    assert cores(backfill) == 8


def test_what_primary_slots_give_back_shows_with_the_next_update_or_change() -> None:
    pool, primary, backfill = shared()
    parts = [pool.cut(primary, ONE) for _ in range(4)]
    for part in parts:
        pool.give_back(part)
    assert (cores(primary), cores(backfill), pool.grown) == (8, 4, [backfill] * 4)
    mine = pool.cut(backfill, ONE)
    assert cores(backfill) == 7
    pool.give_back(mine)
    assert cores(backfill) == 8


def test_the_oldest_parts_have_the_conflict_as_many_as_have_what_is_lacking() -> None:
    pool, primary, backfill = shared()
    parts = [pool.cut(backfill, ONE) for _ in range(8)]
    pool.cut(primary, {"Cpus": 2.0, "Memory": 0.0})
    assert [part.ad.get_string(CONFLICT) for part in parts] == ["Cpus"] * 2 + [None] * 6
    assert cores(backfill) == 0
    # Of 8 cores 10 are given away; two more leave none in conflict.
    for part in parts[2:4]:
        pool.give_back(part)
    left = [part.ad.get_string(CONFLICT) for part in parts[:2] + parts[4:]]
    assert left == [None] * 6


def test_a_machine_counts_once() -> None:
    pool, primary, backfill = shared()
    assert (pool.weight, pool.capacity) == (16, 8)
    pool.cut(primary, ONE)
    pool.cut(backfill, ONE)
    assert pool.capacity == 8


def test_without_primary_slots_a_backfill_slot_is_like_any_other() -> None:
    text = SLOT.format(number=2, partitionable="true", backfill="true")
    pool = pool_of([ad(text)])
    pool.cut(pool.slots["slot2@n1"], ONE)
    assert pool.capacity == pool.weight == 8
    assert pool.backfill_of("n1") == ()


# --- the commands ---------------------------------------------------------------------------------


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    slots = [
        SLOT.format(number=1, partitionable="true", backfill="false"),
        SLOT.format(number=2, partitionable="true", backfill="true"),
    ]
    jobs = [JOB.format(cluster=1, proc=n, user="alice", backfill="false") for n in range(5)]
    jobs += [JOB.format(cluster=2, proc=n, user="bob", backfill="true") for n in range(8)]
    (tmp_path / "slots.ads").write_text("\n".join(slots))
    (tmp_path / "jobs.ads").write_text("\n".join(jobs))
    (tmp_path / "condor_config").write_text("NEGOTIATOR_INTERVAL = 60\n")
    return tmp_path


def simulated(pool: Path, *more: str) -> list[dict[str, str]]:
    run = pool / "run"
    words = ["simulate", str(pool), "--workload", "capture", "--days", "0.02"]
    assert main([*words, "--run-time", "90000", "-o", str(run), *more]) == 0
    with (run / "events.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_simulation_does_not_run_13_jobs_on_8_cores(pool: Path, capsys: Any) -> None:
    """Real daemons ran 5 primary and 4 or 5 backfill jobs: both start at once, in a race."""
    started = Counter(event["user"] for event in simulated(pool) if event["event"] == "start")
    assert started["alice@d"] == 5
    assert started["bob@d"] in (4, 5)


def test_jobs_in_conflict_are_evicted_if_preempt_says_so(pool: Path, capsys: Any) -> None:
    config = pool / "condor_config"
    config.write_text("PREEMPT = MY.ResourceConflict =!= undefined\nPOLLING_INTERVAL = 3\n")
    events = simulated(pool)
    gone = [event for event in events if event["event"] == "vacate"]
    # The startd polls after 3 seconds, and a job needs 10 to stop.
    assert {(event["user"], event["time"], event["detail"]) for event in gone} == {
        ("bob@d", "13", "PREEMPT")
    }
    running = sum((event["event"] == "start") - (event["event"] == "vacate") for event in events)
    assert running == 8


def test_a_simulation_goes_on_from_a_checkpoint_as_if_it_had_not_stopped(
    pool: Path, tmp_path: Path
) -> None:
    from pieslice.simulation.checkpoint import restore, saved
    from pieslice.simulation.setup import Plan, build

    plan = Plan(str(pool), "capture", 3600, run_time=1000)
    logs: list[list[object]] = [[], []]
    whole, negotiator = build(plan, lambda *event: logs[0].append(event))
    parts, other = build(plan, lambda *event: logs[1].append(event))
    for moment in range(0, 3600, 60):
        for simulation, held in ((whole, negotiator), (parts, other)):
            simulation.advance(moment)
            held.cycle(60)
        if moment == 600:
            data = json.loads(json.dumps(saved(parts)))
            parts, other = build(plan, lambda *event: logs[1].append(event))
            restore(parts, data)
    assert logs[0] == logs[1]


def test_static_backfill_slots_are_said_not_to_shrink(pool: Path, capsys: Any) -> None:
    text = (pool / "slots.ads").read_text()
    first, second = text.split("\n\n")
    second = second.replace("PartitionableSlot = true", "PartitionableSlot = false")
    (pool / "slots.ads").write_text(f"{first}\n\n{second}")
    simulated(pool)
    assert "static backfill slots keep their size" in capsys.readouterr().err


def test_slots_that_overlap_without_being_backfill_slots_are_said_not_to_be_simulated(
    pool: Path, capsys: Any
) -> None:
    text = (pool / "slots.ads").read_text().replace("BackfillSlot = true", "BackfillSlot = false")
    (pool / "slots.ads").write_text(text.replace("\nCpus = 8", "\nTotalCpus = 8\nCpus = 8"))
    simulated(pool)
    assert "share the cores of their machine is not simulated: n1" in capsys.readouterr().err


def test_why_says_what_primary_slots_have_of_the_machine(pool: Path, capsys: Any) -> None:
    part = SLOT.format(number="1_1", partitionable="false", backfill="false")
    for old, new in (
        ('"Unclaimed"', '"Claimed"\nRemoteUser = "carol@d"\nDynamicSlot = true'),
        ("\nCpus = 8", "\nCpus = 5"),
        ("\nMemory = 8192", "\nMemory = 640"),
    ):
        part = part.replace(old, new)
    (pool / "slots.ads").write_text((pool / "slots.ads").read_text() + "\n" + part)
    assert main(["why", str(pool), "2.0", "slot2@n1"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "primary slots of n1 have 5 of 8 cores, 640 of 8192 MB memory" in shown


def test_leftovers_of_a_backfill_slot_are_what_others_leave_of_its_machine(
    pool: Path, capsys: Any
) -> None:
    """What alice starts counts when bob's jobs are asked about."""
    assert main(["why", str(pool), "--user", "bob", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["matched"] + found["starting"] in (4, 5)
    assert main(["negotiate", str(pool), "--summary", "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    (machine,) = tables["machines"]
    assert (machine["weight"], machine["slots"]) == (8.0, 2)
    assert {row["idle_cpus"] for row in tables["autoclusters"]} == {8.0}
