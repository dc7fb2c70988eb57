"""``pieslice check`` of a captured pool: its version, and what would end its negotiator."""

from __future__ import annotations

from pathlib import Path

import pytest

import pieslice
from pieslice.cli import main

COUNT = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"


def ad(**texts: str) -> str:
    return "".join(f"{name} = {text}\n" for name, text in texts.items()) + "\n"


def pool(folder: Path, version: str, *jobs: dict[str, str]) -> Path:
    """Two slots, the first of which is full, and jobs of alice."""
    fixed = {"MyType": '"Machine"', "State": '"Unclaimed"', "Cpus": "1", "Memory": "9"}
    fixed |= {"Requirements": "true", "MyCurrentTime": "1790000000", "GPUs": "1"}
    fixed |= {"AvailableGPUs": "{ [Capability = 8.0] }"}
    slots = [ad(Name=f'"slot1@{it}"', Lic=f'"{it}"', **fixed) for it in ("full", "free")]
    job = {"JobStatus": "1", "JobUniverse": "5", "User": '"alice@d"', "Requirements": "true"}
    ads = [ad(ClusterId="1", ProcId=str(i), **job | own) for i, own in enumerate(jobs)]
    (folder / "condor_config").write_text("FULL_LIMIT = 0\nFREE_LIMIT = 9\n")
    (folder / "slots.ads").write_text("".join(slots))
    (folder / "jobs.ads").write_text("".join(ads))
    told = f'"$CondorVersion: {version} 2026-01-01 $"'
    (folder / "negotiator.ads").write_text(ad(MyType='"Negotiator"', CondorVersion=told))
    return folder


def test_the_negotiator_of_a_pool_tells_its_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = pool(tmp_path, "24.0.5", {})
    assert main(["check", str(folder)]) == 0
    said = f"{folder}: follows 24.0.5: CondorVersion of the negotiator's ad"
    assert said in " ".join(capsys.readouterr().out.split())
    assert main(["check", str(folder), "--condor-version", "25.0"]) == 0
    assert "follows 25.0.13: --condor-version" in " ".join(capsys.readouterr().out.split())
    assert pieslice.check(folder).to_dict()["condor_version"] == "24.0.5"


def test_an_upgrade_begins_with_the_version_of_the_pool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = pool(tmp_path, "24.0.5", {})
    assert main(["check", str(folder), "--upgrade", "25.0"]) == 0
    assert "24.0.5 -> 25.0.13" in capsys.readouterr().out
    (folder / "negotiator.ads").unlink()
    assert main(["check", str(folder), "--upgrade", "25.0"]) == 2
    assert "needs the version that runs now" in capsys.readouterr().err


def test_a_version_that_is_none_is_said_and_one_older_than_all_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(pool(tmp_path, "new", {}))]) == 0
    printed = capsys.readouterr()
    assert printed.err.count("is no version of HTCondor") == 1
    assert "follows 25.14.1: no version is given" in " ".join(printed.out.split())
    assert main(["check", str(pool(tmp_path, "8.8.1", {}))]) == 2
    assert "older than 23.0.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("own", "number"),
    [
        ({"RequestGPUs": "1", "RequireGPUs": "H", "H": "Requirements", "Requirements": COUNT}, 508),
        ({"RequestGPUs": "1", "RequireGPUs": "Requirements", "Requirements": COUNT}, None),
        ({"ConcurrencyLimits": "TARGET.Lic"}, 504),
        ({"ConcurrencyLimits": '"free"'}, None),
    ],
)
def test_jobs_at_which_the_negotiator_would_end_are_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], own: dict[str, str], number: int | None
) -> None:
    folder = pool(tmp_path, "24.0.5", own, own)
    assert main(["check", str(folder)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert ("in the next cycle, job 1.0 of alice@d: " in text) is (number is not None)
    found = pieslice.check(folder).findings["id"]
    assert found == ([] if number is None else [f"D-{number}"])
    if number is not None:
        assert main(["check", "--strict", str(folder)]) == 1


def test_an_upgrade_tells_where_slots_know_what_is_before_elvis(tmp_path: Path) -> None:
    """Rule 3b: before 25.13.2 a known number keeps requirements from being flattened."""
    path = tmp_path / "condor_config"
    path.write_text(
        'SITE = "north"\nSTARTD_ATTRS = $(STARTD_ATTRS) Site\nTHERE = (MY.Site ?: "x") == "north"\n'
        "START = $(THERE) && (TARGET.Site ?: 1) > 0 && (RequestGPUs ?: 0) == 0 && (Cpus ?: 1) > 0\n"
        "RANK = Cpus ?: 1\n"
    )
    found = pieslice.check(path, condor_version="25.0", upgrade="25.14.1").findings
    said = [one["message"] for one in found if one["id"] == "P704"]
    assert len(said) == 2
    assert 'START: `MY.Site ?: "x"`' in str(said[0])
    assert "START: `Cpus ?: 1`" in str(said[1])
    assert "P704" not in pieslice.check(path, condor_version="24.0", upgrade="25.0").findings["id"]
