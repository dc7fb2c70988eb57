"""``pieslice check --condor-version`` and ``--upgrade``: what a version does not read, and what
another one changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main

CHAIN = " || ".join(f'TARGET.Owner == "u{number}"' for number in range(450))


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    return tmp_path / "condor_config"


def run(*words: str | Path) -> int:
    return main([*map(str, words)])


def lines(capsys: pytest.CaptureFixture[str], *words: str | Path) -> list[str]:
    """What a check with all findings says."""
    run("check", "--all", "--wide", *words)
    return capsys.readouterr().out.splitlines()


def step(capsys: pytest.CaptureFixture[str], pool: Path, old: str, new: str) -> dict[str, Any]:
    """What the JSON of a check has of a step."""
    run("check", "--format", "json", "--condor-version", old, "--upgrade", new, pool)
    [found] = json.loads(capsys.readouterr().out)["checks"]
    assert found["condor_version"] == found["upgrade"]["from"]
    upgrade: dict[str, Any] = found["upgrade"]
    return upgrade


def said(upgrade: dict[str, Any], id_: str) -> list[tuple[int | None, str]]:
    """Line and message of one kind of finding."""
    return [(it["line"], it["message"]) for it in upgrade["findings"] if it["id"] == id_]


def test_the_head_names_the_version_and_what_it_does_not_read_is_found(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("FORCE_NEGOTIATOR_SLOT_WEIGHT = True\n")
    found = lines(capsys, pool, "--condor-version", "24.0")
    assert found[0] == f"{pool}: follows 24.0.23: --condor-version"
    assert (
        f"{pool}:1:1: warning[P206]: `FORCE_NEGOTIATOR_SLOT_WEIGHT` is not known to 24.0.23:"
        " read since 25.5.1"
    ) in found
    assert lines(capsys, pool)[0] == f"{pool}: follows 25.14.1: no version is given"
    assert "P206" not in "".join(lines(capsys, pool, "--condor-version", "25.5.1"))


def test_a_bad_value_of_what_a_version_does_not_read_ends_no_daemon_of_it(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("FORCE_NEGOTIATOR_SLOT_WEIGHT = perhaps\n")
    assert run("check", pool) == 1
    assert run("check", "--condor-version", "25.0", pool) == 0
    capsys.readouterr()


def test_a_name_is_no_slip_of_one_that_the_version_does_not_have(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("FORCE_NEGOTIATOR_SLOT_WEIGHTS = True\n")
    assert "P201" in "".join(lines(capsys, pool))
    assert "P201" not in "".join(lines(capsys, pool, "--condor-version", "25.0"))


def test_a_daemon_that_reads_a_macro_later_than_others_is_told(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("REMOVE_SIGNIFICANT_ATTRIBUTES = Foo\n")
    told = "\n".join(lines(capsys, pool, "--condor-version", "25.0"))
    assert "is read by condor_schedd alone in 25.0.13" in told
    assert "condor_negotiator reads it since 25.5.1" in told
    pool.write_text("SCHEDD.REMOVE_SIGNIFICANT_ATTRIBUTES = Foo\n")
    assert "P206" not in "".join(lines(capsys, pool, "--condor-version", "25.0"))
    pool.write_text("NEGOTIATOR.REMOVE_SIGNIFICANT_ATTRIBUTES = Foo\n")
    assert "not known to 25.0.13" in "".join(lines(capsys, pool, "--condor-version", "25.0"))


def test_defaults_that_change_are_told_in_a_line_unless_the_file_sets_them(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("SUBMIT_SEND_RESCHEDULE = true\n")
    told = [message for _, message in said(step(capsys, pool, "25.0", "25.14.1"), "P701")]
    assert (
        "25.0.13 -> 25.14.1: JOB_DEFAULT_REQUESTMEMORY `ifthenelse(MemoryUsage =!="
        " UNDEFINED,MemoryUsage,(ImageSize+1023)/1024)` -> `128`"
    ) in told
    assert not any("SUBMIT_SEND_RESCHEDULE" in message for message in told)
    assert not any("CONDOR_VERSION" in message for message in told)
    assert any("MAX_CONCURRENT_UPLOADS_PER_USER (new)" in message for message in told)


def test_a_step_back_is_told_as_a_step_forward_is(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("FORCE_NEGOTIATOR_SLOT_WEIGHT = True\n")
    back = step(capsys, pool, "25.14.1", "25.0")
    assert "25.14.1 -> 25.0.13: SUBMIT_SEND_RESCHEDULE `false` -> `true`" in [
        message for _, message in said(back, "P701")
    ]
    [(line, message)] = said(back, "P206")
    assert (line, message.startswith("`FORCE_NEGOTIATOR_SLOT_WEIGHT` is not known to 25.0.13")) == (
        1,
        True,
    )
    forth = step(capsys, pool, "25.0", "25.14.1")
    assert [line for line, _ in said(forth, "P705")] == [1]


@pytest.mark.slow
def test_a_chain_of_more_alternatives_than_the_new_version_evaluates_is_an_error(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(f"START = {CHAIN}\n")
    [(line, message)] = said(step(capsys, pool, "25.0", "25.14.1"), "P703")
    assert (line, "stops evaluating" in message) == (1, True)
    assert said(step(capsys, pool, "24.0", "25.0"), "P703") == []
    assert run("check", "--condor-version", "25.0", pool) == 0
    assert run("check", "--condor-version", "25.0", "--upgrade", "25.14.1", pool) == 1
    assert " | " in capsys.readouterr().out


def test_the_old_syntax_of_transforms_and_routes_goes_on_the_way(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(
        "JOB_TRANSFORM_NAMES = T\n"
        'JOB_TRANSFORM_T = [ set_Team = "x"; ]\n'
        "JOB_ROUTER_ROUTE_NAMES = R\n"
        'JOB_ROUTER_ROUTE_R = [ GridResource = "batch slurm"; ]\n'
    )
    assert said(step(capsys, pool, "23.9.6", "24.0"), "P246") == []
    assert [line for line, _ in said(step(capsys, pool, "24.0", "25.0"), "P246")] == [4]
    assert [line for line, _ in said(step(capsys, pool, "25.0", "25.14.1"), "P246")] == [2]
    assert [it for it in lines(capsys, pool) if "P246" in it][1:]


def test_old_routes_are_read_where_a_switch_is_on_and_not_at_all_since_25_0(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    route = 'JOB_ROUTER_ENTRIES = [ GridResource = "batch slurm"; ]\n'
    pool.write_text(route)
    told = "".join(lines(capsys, pool, "--condor-version", "24.0"))
    assert "only where JOB_ROUTER_USE_DEPRECATED_ROUTER_ENTRIES is true" in told
    pool.write_text(route + "JOB_ROUTER_USE_DEPRECATED_ROUTER_ENTRIES = True\n")
    assert "P205" not in "".join(lines(capsys, pool, "--condor-version", "24.0"))
    gone = step(capsys, pool, "24.0", "25.0")
    assert [line for line, _ in said(gone, "P205")] == [1]
    assert [line for line, _ in said(gone, "P206")] == [2]


def test_a_template_that_is_gone_keeps_daemons_from_starting(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("use FEATURE : LIBRARIAN\nNEGOTIATOR_INTERVAL = 60\n")
    back = step(capsys, pool, "25.14.1", "24.0")
    assert {verdict["starts"] for verdict in back["verdicts"]} == {False}
    assert any("in 24.0.23: no template `LIBRARIAN`" in it["message"] for it in back["findings"])
    assert run("check", "--condor-version", "25.14.1", "--upgrade", "24.0", pool) == 1
    capsys.readouterr()


def test_values_that_the_version_decides_are_told_at_their_lines(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(
        "NEGOTIATOR_INTERVAL = 60\nif version >= 25.0\nNEGOTIATOR_INTERVAL = 30\nendif\n"
    )
    [(line, message)] = said(step(capsys, pool, "24.0", "25.0"), "P702")
    assert line == 3
    assert message.endswith("NEGOTIATOR_INTERVAL is set to `30`, not `60`")


def test_nothing_changes_between_a_version_and_itself(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text(f"START = {CHAIN}\n")
    assert step(capsys, pool, "25.14.1", "25.14.1")["findings"] == []


def test_an_upgrade_needs_the_version_that_runs_now(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("")
    assert run("check", "--upgrade", "25.0", pool) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--upgrade" in said
    assert "--condor-version" in said


def test_the_changes_are_in_sarif_and_in_annotations(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("FORCE_NEGOTIATOR_SLOT_WEIGHT = True\n")
    words = ("--condor-version", "25.0", "--upgrade", "25.14.1", pool)
    run("check", "--format", "sarif", *words)
    [run_] = json.loads(capsys.readouterr().out)["runs"]
    assert {"P206", "P701", "P705"} <= {result["ruleId"] for result in run_["results"]}
    assert all(result["ruleIndex"] >= 0 for result in run_["results"])
    run("check", "--format", "github", *words)
    assert "title=P705" in capsys.readouterr().out


def test_commands_that_read_a_configuration_read_it_as_the_version_does(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("if version < 25.0\nA = old\nelse\nA = new\nendif\n")
    assert run("config", "show", "A", pool, "--condor-version", "24.0") == 0
    assert run("config", "show", "SUBMIT_SEND_RESCHEDULE", pool, "--condor-version", "24.0") == 0
    assert capsys.readouterr().out == "old\ntrue\n"
    assert run("config", "dump", "^METRICD_LOG$", pool, "--condor-version", "24.0") == 0
    assert capsys.readouterr().out == ""
    assert run("policy", "explain", pool, "--condor-version", "24.0") == 0
    assert "  follows 24.0.23: --condor-version\n" in capsys.readouterr().out
    assert run("config", "info", "--condor-version", "24.0", "FORCE_NEGOTIATOR_SLOT_WEIGHT") == 1
    assert "read since 25.5.1" in capsys.readouterr().err


def test_of_a_version_without_records_it_is_said_once_what_stands_for_it(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write_text("A = 1\n")
    assert run("policy", "diff", pool, pool, "--condor-version", "24.12") == 0
    assert capsys.readouterr().err.count("nothing is recorded of 24.12") == 1
