"""``pieslice why`` of conditions over the GPUs of a machine, one GPU at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main

SLOT = """\
MyType = "Machine"
MyCurrentTime = 1795788000
Name = "slot1@gpu"
Machine = "gpu"
State = "Unclaimed"
Activity = "Idle"
Cpus = 16
Memory = 64000
Disk = 1000000
GPUs = 2
AvailableGPUs = { GPUs_aa, GPUs_bb }
GPUs_aa = [ Id = "GPU-aa"; Capability = 8.0; GlobalMemoryMb = 40326 ]
GPUs_bb = [ Id = "GPU-bb"; Capability = 7.5; GlobalMemoryMb = 15102 ]
Requirements = true
"""
JOB = """\
MyType = "Job"
ClusterId = 1
ProcId = 0
Owner = "gia"
User = "gia@site"
JobStatus = 1
JobUniverse = 5
RequestCpus = 1
RequestMemory = 100
RequestDisk = 1
"""


@pytest.fixture
def why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """What is said of a job with these attributes, and as JSON."""

    def ask(require: str, **attributes: str) -> tuple[str, dict[str, Any]]:
        own = {"RequestGPUs": "1", **attributes, "RequireGPUs": require}
        text = JOB + "".join(f"{name} = {value}\n" for name, value in own.items())
        clause = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"
        (tmp_path / "jobs.ads").write_text(f"{text}Requirements = TARGET.Cpus >= 1 && {clause}\n")
        (tmp_path / "slots.ads").write_text(SLOT)
        main(["why", str(tmp_path), "1.0"])
        said = " ".join(capsys.readouterr().out.split())
        main(["why", str(tmp_path), "1.0", "--json"])
        return said, json.loads(capsys.readouterr().out)

    return ask


def test_each_part_of_the_condition_is_counted_over_the_gpus(why: Any) -> None:
    said, data = why("Capability >= 9.0 && GlobalMemoryMb >= 20480")
    assert "TARGET.AvailableGPUs of slot1@gpu has 2 elements" in said
    assert "Capability >= 9 is true in none (8, 7.5)" in said
    assert "GlobalMemoryMb >= 20480 is true in 1 of 2 (40326, 15102)" in said
    assert "in neither ad" not in said
    (opened,) = [one for clause in data["clauses"] for one in clause["lists"]]
    assert (opened["elements"], [part["true"] for part in opened["parts"]]) == (2, [0, 1])


def test_a_number_in_quotes_is_to_be_written_without(why: Any) -> None:
    said, _ = why("Capability >= MinCapability", MinCapability='"7.5"')
    assert 'MinCapability is the string "7.5": write 7.5' in said
    assert 'would help: MinCapability = 7.5 (now "7.5"): 1 more slot' in said


def test_a_name_that_no_gpu_has_is_suggested_from_those_that_they_have(why: Any) -> None:
    said, _ = why("Capabilty >= 7.0")
    assert "Capabilty is in none of them: did you mean `Capability`?" in said


@pytest.mark.parametrize(
    ("require", "attributes", "help"),
    [
        ("Capability >= Least", {"Least": "9.0"}, "Least <= 8 (now 9)"),
        ("GlobalMemoryMb >= Least", {"Least": "99999"}, "Least <= 40326 (now 99999)"),
        (
            "GlobalMemoryMb >= Least",
            {"Least": "20000", "RequestGPUs": "2"},
            "Least <= 15102 (now 20000)",
        ),
        ("Capability >= 8.0", {"RequestGPUs": "2"}, "RequestGPUs <= 1 (now 2)"),
        ("Capability < Bound", {"Bound": "7.5"}, "Bound >= 7.500000000000001 (now 7.5)"),
    ],
)
def test_the_value_that_would_do_is_what_some_gpu_has(
    why: Any, require: str, attributes: dict[str, str], help: str
) -> None:
    said, _ = why(require, **attributes)
    assert f"would help: {help}: 1 more slot" in said


def test_what_would_help_is_told_of_a_job_that_fits_nowhere_though_a_limit_is_reached(
    why: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another job of the user has the only slot, and all that the user may have, by then."""
    why("Capability >= Least", Least="9.0")
    first = JOB.replace("ClusterId = 1", "ClusterId = 0") + "Requirements = true\n"
    second = (tmp_path / "jobs.ads").read_text()
    (tmp_path / "jobs.ads").write_text(f"{first}\n{second}")
    main(["why", str(tmp_path), "1.0"])
    said = " ".join(capsys.readouterr().out.split())
    assert "submitter limit is used up" in said
    assert "would help: Least <= 8 (now 9): 1 more slot" in said


def test_to_ask_for_no_gpu_is_no_advice(why: Any) -> None:
    said, _ = why("Capability >= 9.0")
    assert "RequestGPUs <= 0" not in said
    assert "no GPUs left there" not in said
    assert "would help: without `countMatches(" in said
