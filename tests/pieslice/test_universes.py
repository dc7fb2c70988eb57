"""What is said of jobs that no slots are requested for; ``examples/universes`` has one of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main

POOL = "examples/universes"


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_report_says_how_many_idle_jobs_ask_for_no_slots(capsys: Any) -> None:
    pool = ask(capsys, "negotiate", POOL)["pool"]
    wanted = {"scheduler": 3, "local": 2, "grid": 2, "parallel": 1}
    found = {f"{name} universe": count for name, count in wanted.items()}
    assert pool["not_requested"] == {**found, "managed elsewhere": 1}
    # The four others are vanilla jobs.
    assert pool["idle_jobs"] == sum(pool["not_requested"].values()) + 4


@pytest.mark.parametrize(
    ("job", "starts", "failing"),
    [
        ("127.2", False, ["START_LOCAL_UNIVERSE"]),
        ("128.2", False, ["MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER"]),
        ("129.0", False, ["START_SCHEDULER_UNIVERSE"]),
        ("130.0", False, ["Requirements"]),
        ("131.0", False, ["START_LOCAL_UNIVERSE", "Requirements"]),
    ],
)
def test_why_shows_the_tests_of_the_schedd(
    job: str, starts: bool, failing: list[str], capsys: Any
) -> None:
    own = ask(capsys, "why", POOL, job)["own_machine"]
    assert own["starts"] is starts
    assert [test["name"] for test in own["tests"] if test["met"] is False] == failing


def test_another_configuration_decides_what_the_schedd_starts(capsys: Any) -> None:
    more = ["-D", "START_LOCAL_UNIVERSE=true", "-D", "MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER=3"]
    for job in ("127.2", "128.2"):
        own = ask(capsys, "why", POOL, job, *more)["own_machine"]
        # Only Disk of the schedd's machine is not known.
        assert own["starts"] is None
        assert [test["unknown"] for test in own["tests"]][-1] == ["Disk"]


def test_why_says_where_jobs_without_slots_run(capsys: Any) -> None:
    for job, where in (
        ("127.0", "running on the machine of s1@site.example (local universe)"),
        ("128.0", "running on the machine of s1@site.example (scheduler universe)"),
    ):
        assert ask(capsys, "why", POOL, job)["verdict"].endswith(where)


def test_a_simulation_leaves_them_out_and_says_so(capsys: Any) -> None:
    words = ("simulate", POOL, "--workload", "capture", "--days", "0.01", "--run-time", "60")
    assert main([*words, "--json"]) == 0
    printed = capsys.readouterr()
    # Four vanilla jobs that are their schedd's, and the parallel one.
    assert json.loads(printed.out)["submitted"] == 5
    assert "12 jobs of the workload ask for no slots, and are left out: 5 scheduler" in printed.err


def test_universes_have_their_names_where_a_clause_tells_of_them(
    tmp_path: Path, capsys: Any
) -> None:
    text = Path(POOL, "slots.ads").read_text().replace("Start = true", "Start = JobUniverse == 7")
    (tmp_path / "slots.ads").write_text(text)
    assert main(["why", POOL, "133.0", "--slots", str(tmp_path / "slots.ads")]) == 0
    assert "JobUniverse = 5 (vanilla)" in capsys.readouterr().out
