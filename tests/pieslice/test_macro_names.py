"""A macro that nobody reads is never taken in silence, whoever gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

import pieslice
from pieslice.cli import main
from tests.cases import every_case

TOUR = "examples/tour"
#: Commands that take definitions, with what each needs.
DOORS = {
    "negotiate": ["negotiate", TOUR],
    "why": ["why", TOUR, "11.0"],
    "rank": ["rank", TOUR, "11.0"],
    "quotas": ["quotas", TOUR],
    "diff": ["diff", TOUR, "--config", f"{TOUR}/no_preemption"],
    "fuzz": ["fuzz", f"{TOUR}/condor_config"],
    "policy explain": ["policy", "explain", TOUR],
    "policy eval": ["policy", "eval", TOUR, "PREEMPTION_REQUIREMENTS"],
}
SIMULATED = ["simulate", "2", "--workload", "examples/workloads/two-users.toml", "--days", "0.01"]
#: What is given, and what is said of it.
REFUSED = [
    ("PREEMPTION_REQUIREMENT=False", "did you mean `PREEMPTION_REQUIREMENTS`?"),
    ("NEGOTIATOR_PREJOB_RANK=1", "did you mean `NEGOTIATOR_PRE_JOB_RANK`?"),
    ("OURS_ALONE=1", "`OURS_ALONE` is not a macro that HTCondor reads, and nothing refers to it"),
]


@every_case("door, define, words", [(door, *one) for door in DOORS for one in REFUSED])
def test_a_definition_of_a_macro_that_nobody_reads_is_refused(
    door: str, define: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*DOORS[door], "-D", define]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert words in " ".join(shown.err.split())


@every_case(
    "words",
    [
        ["negotiate", TOUR, "-D"],
        [*SIMULATED, "--set"],
    ],
)
def test_a_definition_with_which_the_negotiator_ends_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "NEGOTIATOR_INTERVAL=soon"]) == 2
    said = capsys.readouterr().err
    assert "NEGOTIATOR_INTERVAL: `soon` is not an integer" in said
    assert "condor_negotiator" in said.partition("help: ")[2]


def test_a_definition_that_the_configuration_refers_to_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config"
    config.write_text("DEFAULT_PRIO_FACTOR = $(OUR_FACTOR:1000)\n")
    words = ["negotiate", TOUR, "--config", str(config), "-D", "OUR_FACTOR=7"]
    assert main(words) == 0
    assert "OUR_FACTOR" not in capsys.readouterr().err


def test_a_macro_that_a_command_is_asked_about_may_be_anybodys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["policy", "eval", TOUR, "OURS_ALONE", "-D", "OURS_ALONE=1 + 1"]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("2\n")
    assert main([*words, "-D", "PREEMPTION_REQUIREMENT=1"]) == 2


def test_an_old_name_is_still_read_and_said_to_be_old(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["negotiate", TOUR, "-D", "GROUP_DYNAMIC_MACH_CONSTRAINT=true"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "`GROUP_DYNAMIC_MACH_CONSTRAINT` is an old name" in said


def test_a_misspelt_macro_of_a_file_is_warned_of_and_one_for_other_programs_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config"
    config.write_text("PREEMPTION_REQUIREMENT = False\nOURS_ALONE = 1\n")
    assert main(["negotiate", TOUR, "--config", str(config)]) == 0
    said = capsys.readouterr().err
    assert "did you mean `PREEMPTION_REQUIREMENTS`?" in said
    assert "OURS_ALONE" not in said


def test_the_pools_own_configuration_is_for_check_to_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = tmp_path / "pool"
    pool.mkdir()
    for file in Path(TOUR).iterdir():
        if file.is_file():
            (pool / file.name).write_bytes(file.read_bytes())
    config = (pool / "condor_config").read_text()
    (pool / "condor_config").write_text(f"{config}\nPREEMPTION_REQUIREMENT = False\n")
    main(["negotiate", str(pool)])
    assert "PREEMPTION_REQUIREMENT" not in capsys.readouterr().err


@every_case(
    "config",
    [
        {"PREEMPTION_REQUIREMENT": False},
        "PREEMPTION_REQUIREMENT = False",
        {"OURS_ALONE": 1},
    ],
)
def test_with_config_lists_a_macro_that_nobody_reads(config: str | dict[str, object]) -> None:
    found = pieslice.read(TOUR).with_config(config).diagnostics
    assert [item.id for item in found if item.severity == "warning"] == ["P201"]


def test_what_is_also_read_changes_what_it_says_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = f"{TOUR}/condor_config"
    also, whole = tmp_path / "change", tmp_path / "whole"
    also.write_text("PREEMPTION_REQUIREMENTS = False\n")
    whole.write_text(f"{Path(config).read_text()}\n{also.read_text()}")
    answers = []
    for words in (["--also", str(also)], ["--config", str(whole)]):
        assert main(["negotiate", TOUR, "--table", "matches", "--format", "csv", *words]) == 0
        answers.append(capsys.readouterr())
    assert answers[0] == answers[1]
    assert main(["diff", TOUR, "--also", str(also), "--wide"]) == 1
    shown = capsys.readouterr()
    assert f"B: {TOUR} with {also}" in shown.out.replace("\n  ", "")
    assert not shown.err


def test_a_configuration_of_one_line_in_place_of_the_pools_own_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "change"
    config.write_text("PREEMPTION_REQUIREMENTS = False\n")
    assert main(["diff", TOUR, "--config", str(config)]) == 1
    assert "has 1 macro, without its" in " ".join(capsys.readouterr().err.split())
