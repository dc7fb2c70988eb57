"""What waiting jobs can use of idle slots: ``why``, ``negotiate`` and its tables.

The pool is a glidein pool in small: partitionable slots of 8 cores of which only one has the memory
that the jobs want, for three of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main
from pieslice.recording.store import Recorder
from tests.pieslice.test_recording import texts_of_folder

JOB = """ClusterId = {cluster}
ProcId = {proc}
User = "dune@pool.example"
JobStatus = 1
JobUniverse = 5
QDate = 1795787165
RequestCpus = 1
RequestMemory = {memory}
RequestDisk = 1000
Requirements = TARGET.Memory >= RequestMemory
"""
SLOT = """MyType = "Machine"
Name = "slot1@glidein_{number}"
PartitionableSlot = true
State = "Unclaimed"
Activity = "Idle"
Cpus = 8
Memory = {memory}
Disk = 100000000
SlotWeight = Cpus
Requirements = true
MyCurrentTime = 1795788165
"""


@pytest.fixture
def pool(tmp_path: Path) -> str:
    slots = [SLOT.format(number=n, memory=20000 if n == 3 else 2000) for n in range(4)]
    jobs = [JOB.format(cluster=1, proc=n, memory=5500) for n in range(10)]
    jobs.append(JOB.format(cluster=2, proc=0, memory=500000))
    (tmp_path / "slots.ads").write_text("\n".join(slots))
    (tmp_path / "jobs.ads").write_text("\n".join(jobs))
    (tmp_path / "condor_config").write_text("NEGOTIATOR_INTERVAL = 60\n")
    return str(tmp_path)


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_why_says_what_of_the_idle_cores_is_usable(pool: str, capsys: Any) -> None:
    usable = ask(capsys, "why", pool, "1.5")["usable"]
    assert (usable["waiting"], usable["room"], usable["lacking"]) == (10, 3, 7)
    assert (usable["usable"]["cpus"], usable["idle"]["cpus"]) == (3.0, 32.0)
    assert main(["why", pool, "1.5"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 of 32 idle cores are usable" in shown
    assert "room for 3 jobs; 7 jobs need more machines" in shown


def test_what_no_slot_would_take_is_named(pool: str, capsys: Any) -> None:
    assert ask(capsys, "why", pool, "2.0")["usable"]["never"] is True
    verdicts = ask(capsys, "why", pool, "--user", "dune")["autoclusters"]
    assert {row["first"]: row["usable"]["never"] for row in verdicts} == {"1.0": False, "2.0": True}
    assert main(["negotiate", pool, "--summary"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "no slot of the pool would take 1 job of 1 user, even if it were" in shown


def test_tables_count_what_the_schedd_starts_not_the_whole_slot(pool: str, capsys: Any) -> None:
    tables = ask(capsys, "negotiate", pool, "--summary")["tables"]
    (user,) = tables["users"]
    assert (user["matched"], user["starts"]) == (1, 3)
    (full,) = (row for row in tables["machines"] if row["matched"])
    assert (full["starts"], full["claimed_after"], full["fill_after"]) == (3, 3.0, 0.375)
    first, second = tables["autoclusters"]
    assert (first["job"], first["jobs"], first["starts"], first["lacking"]) == ("1.0", 10, 3, 7)
    assert (second["job"], second["never"]) == ("2.0", True)


def test_the_tables_of_programs_are_those_of_the_command(pool: str, capsys: Any) -> None:
    import pieslice

    cycle = pieslice.read(pool).negotiate()
    found = ask(capsys, "negotiate", pool, "--summary")["tables"]
    for name in ("users", "groups", "autoclusters", "machines"):
        assert [dict(row) for row in getattr(cycle, name)] == found[name]


def test_each_of_several_cycles_has_its_own_idle_slots(pool: str, capsys: Any) -> None:
    words = ("negotiate", pool, "--cycles", "2", "--table", "autoclusters")
    cycles = ask(capsys, *words)["cycles"]
    assert [cycle["tables"]["autoclusters"][0]["room"] for cycle in cycles] == [3, 0]
    assert [cycle["tables"]["autoclusters"][0]["jobs"] for cycle in cycles] == [10, 7]


def test_when_says_what_the_next_cycle_makes_of_a_job(
    pool: str, tmp_path: Path, capsys: Any
) -> None:
    with Recorder(tmp_path / "pool.history") as recorder:
        recorder.append(1795788165.0, texts_of_folder(Path(pool)))
    said = {}
    for job in ("1.0", "1.1", "1.5"):
        found = ask(capsys, "when", str(tmp_path / "pool.history"), job)["next_cycle"]
        said[job] = found["starts"], found["slot"], found["text"]
    slot = "slot1@glidein_3"
    assert said == {
        "1.0": (True, slot, f"matched, {slot}"),
        "1.1": (True, slot, f"starts at once on what the match of 1.0 leaves of {slot}"),
        "1.5": (False, None, "rejected, no match found"),
    }
