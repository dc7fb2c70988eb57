"""``pieslice transform`` and ``pieslice route``: what happens to jobs, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main

JOBS = """\
ClusterId = 1
ProcId = 0
Owner = "dora"
JobStatus = 1
JobUniverse = 5
RequestMemory = 100

ClusterId = 2
ProcId = 0
Owner = "eva"
JobStatus = 1
JobUniverse = 5
RequestMemory = 9000
"""
TRANSFORM = "JOB_TRANSFORM_NAMES = A\nJOB_TRANSFORM_A @=end\n{body}\n@end\n"
ROUTES = """\
JOB_ROUTER_ROUTE_NAMES = Big, All, Late
JOB_ROUTER_ROUTE_Big @=end
  REQUIREMENTS RequestMemory > 5000
  UNIVERSE VANILLA
  {big}
@end
JOB_ROUTER_ROUTE_All @=end
  REQUIREMENTS true
  UNIVERSE GRID
  GridResource = batch slurm
  {all}
@end
JOB_ROUTER_ROUTE_Late @=end
  REQUIREMENTS Owner == "eva"
  UNIVERSE VANILLA
@end
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("jobs").write_text(JOBS, encoding="utf-8")


def answer(capsys: pytest.CaptureFixture[str], command: str, config: str, *more: str) -> Any:
    """The exit code and the JSON of a command on the jobs."""
    Path("config").write_text(config, encoding="utf-8")
    code = main([command, "config", "jobs", "--json", "--now", "0", *more])
    return code, json.loads(capsys.readouterr().out)


def changes(job: dict[str, Any]) -> list[tuple[str, str | None, str | None, int]]:
    return [
        (one["attribute"], one["before"], one["after"], one["line"])
        for run in job["transforms"]
        for one in run["changes"]
    ]


# --- transform ------------------------------------------------------------------------------------


def test_each_change_has_the_line_that_made_it(capsys: pytest.CaptureFixture[str]) -> None:
    body = "REQUIREMENTS RequestMemory > 5000\nCOPY RequestMemory Asked\nSET RequestMemory 5000"
    code, found = answer(capsys, "transform", TRANSFORM.format(body=body))
    assert code == 0
    assert [changes(job) for job in found["jobs"]] == [
        [],
        [("Asked", None, "9000", 4), ("RequestMemory", "9000", "5000", 5)],
    ]
    assert [one["jobs"] for one in found["transforms"]] == [1]


def test_a_job_that_the_schedd_refuses_is_an_answer_no(capsys: pytest.CaptureFixture[str]) -> None:
    body = "REQUIREMENTS RequestMemory > 5000\nRENAME Old"
    code, found = answer(capsys, "transform", TRANSFORM.format(body=body))
    assert code == 1
    assert [job["refused"] and job["refused"]["line"] for job in found["jobs"]] == [None, 4]


def test_an_error_points_into_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("config").write_text(TRANSFORM.format(body="  FOO x"), encoding="utf-8")
    assert main(["transform", "config", "jobs"]) == 1
    told = capsys.readouterr()
    assert "config:3:3: error: `FOO` is no command\n   3 |   FOO x\n     |   ^~~\n" in told.err
    assert told.err.count("is no command") == 1
    assert "1.0" in told.out


def test_the_tool_sees_the_ad_of_a_job_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    config = TRANSFORM.format(body="COPY /^Request/ R_\\0")
    _, by_schedd = answer(capsys, "transform", config)
    _, by_tool = answer(capsys, "transform", config, "--tool")
    assert changes(by_schedd["jobs"][0]) == []
    assert changes(by_tool["jobs"][0]) == [("R_Request", None, "100", 3)]


def test_named_transforms_stand_in_for_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    config = "JOB_TRANSFORM_NAMES = A\nJOB_TRANSFORM_A = SET A 1\nJOB_TRANSFORM_B = SET B 1\n"
    _, found = answer(capsys, "transform", config, "--names", "B")
    assert changes(found["jobs"][0]) == [("B", None, "1", 3)]
    assert main(["transform", "config", "jobs", "--names", "C"]) == 2
    assert "there is no transform `C`" in capsys.readouterr().err


def test_the_old_syntax_is_run_by_the_schedds_that_took_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = 'JOB_TRANSFORM_NAMES = A\nJOB_TRANSFORM_A = [ set_Team = "x"; ]\n'
    _, now = answer(capsys, "transform", config)
    _, before = answer(capsys, "transform", config, "--condor-version", "23.9.6")
    assert ([changes(job) for job in now["jobs"]], len(now["problems"])) == ([[], []], 1)
    assert changes(before["jobs"][0])[0][:3] == ("Team", None, '"x"')


def test_the_ads_that_come_out_are_whole(capsys: pytest.CaptureFixture[str]) -> None:
    Path("config").write_text(TRANSFORM.format(body="SET X 1"), encoding="utf-8")
    assert main(["transform", "config", "jobs", "--ads"]) == 0
    first, second = capsys.readouterr().out.strip().split("\n\n")
    assert {*JOBS.split("\n\n")[0].split("\n"), "X = 1"} == set(first.split("\n"))
    assert 'Owner = "eva"' in second


@pytest.mark.parametrize("command", ["transform", "route"])
def test_what_cannot_be_read_is_one_error(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("config").write_text("A = 1\n", encoding="utf-8")
    Path("bad").write_text("Owner = (\n", encoding="utf-8")
    Path("empty").write_text("\n", encoding="utf-8")
    for jobs, said in (("nosuch", "no such file"), ("bad", "bad:1:"), ("empty", "no ads")):
        assert main([command, "config", jobs]) == 2
        told = capsys.readouterr()
        assert said in told.err
        assert told.out == ""
    assert main([command, "nosuch", "jobs"]) == 2


# --- route ----------------------------------------------------------------------------------------


def routes(found: dict[str, Any]) -> list[str | None]:
    return [job["route"] for job in found["jobs"]]


def test_a_job_gets_the_first_route_that_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, "route", ROUTES.format(big="", all=""))
    assert (code, routes(found)) == (0, ["All", "Big"])
    assert [(one["route"], one["why"]) for one in found["jobs"][1]["tried"]] == [
        ("Big", None),
        ("All", "taken"),
        ("Late", "taken"),
    ]
    assert [one["too_late"] for one in found["routes"]] == [None, None, "All"]


def test_a_full_route_lets_jobs_through(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = answer(capsys, "route", ROUTES.format(big="MaxJobs = 0", all="MaxIdleJobs = 1"))
    assert routes(found) == ["All", "Late"]
    assert [one["why"] for one in found["jobs"][1]["tried"]] == ["max_jobs", "max_idle_jobs", None]


def test_routes_have_turns_where_that_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    turns = "JOB_ROUTER_ROUND_ROBIN_SELECTION = True\n"
    _, found = answer(capsys, "route", turns + ROUTES.format(big="", all=""))
    assert routes(found) == ["All", "All"]
    assert [one["too_late"] for one in found["routes"]] == [None, None, None]


def test_a_job_that_its_route_fails_is_an_answer_no(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answer(capsys, "route", ROUTES.format(big="RENAME Old", all=""))
    assert (code, routes(found)) == (1, ["All", "Big"])
    assert [job["failed"] and job["failed"]["line"] for job in found["jobs"]] == [None, 5]


def test_a_route_that_is_ignored_is_said_with_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, found = answer(capsys, "route", ROUTES.format(big="FOO", all=""))
    assert [one["name"] for one in found["routes"]] == ["All", "Late"]
    assert [one["line"] for one in found["problems"]] == [5]


def test_why_the_router_does_not_look_at_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    constraint = 'JOB_ROUTER_SOURCE_JOB_CONSTRAINT = Owner == "eva"\n'
    _, found = answer(capsys, "route", constraint + ROUTES.format(big="", all=""))
    assert [job["not_looked_at"] for job in found["jobs"]] == ["constraint", None]
    Path("jobs").write_text(JOBS.replace("JobStatus = 1", "JobStatus = 2"), encoding="utf-8")
    _, found = answer(capsys, "route", ROUTES.format(big="", all=""))
    assert [job["not_looked_at"] for job in found["jobs"]] == ["not_idle", "not_idle"]
    _, found = answer(capsys, "route", ROUTES.format(big="", all=""), "--ignore-prior-routing")
    assert routes(found) == ["All", "Big"]


def test_the_new_job_is_that_of_the_route(capsys: pytest.CaptureFixture[str]) -> None:
    Path("config").write_text(ROUTES.format(big="", all="SET X 1"), encoding="utf-8")
    assert main(["route", "config", "jobs", "--ads"]) == 0
    first = capsys.readouterr().out.split("\n\n")[0].split("\n")
    wanted = {'GridResource = "batch slurm"', "JobUniverse = 9", "X = 1", 'RouteName = "All"'}
    assert wanted <= set(first)
    assert not any(line.startswith("ClusterId") for line in first)
