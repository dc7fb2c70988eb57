"""One set of options for every command: forms, files, streams, times, names of findings."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pieslice.cli import OWN_WORDS, build_parser, main
from pieslice.command_line import Parser, commands_of, moment, parsers_of
from policy.lint.findings import FINDINGS

ROOT = Path(__file__).parents[2]
CAMPUS = str(ROOT / "examples" / "campus")
NO_PREEMPTION = "PREEMPTION_REQUIREMENTS = False\n"
LEAVES = {
    one.prog.removeprefix("pieslice "): one
    for one in parsers_of(build_parser())
    if not commands_of(one) and one.prog.split()[-1] not in OWN_WORDS
}


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_the_options_about_its_answer(name: str) -> None:
    known = LEAVES[name]._option_string_actions
    assert {"-o", "--output", "--no-color", "-q", "--quiet"} <= known.keys()
    form = known.get("--format")
    if name == "simulate":
        form = known["--json"]  # its --format is that of the workload
    has_json = form is not None and (name == "simulate" or "json" in (form.choices or ()))
    assert has_json == ("--json" in known)
    assert not LEAVES[name].allow_abbrev


@pytest.mark.parametrize(
    "words",
    ["negotiate --summ POOL", "why --verb POOL 8.0", "check --al POOL", "quotas --trac POOL"],
)
def test_options_are_not_abbreviated(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words.replace("POOL", CAMPUS).split())
    assert ended.value.code == 2
    assert "did you mean `--" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        "config show POOL PRIORITY_HALFLIFE",
        "check POOL",
        "policy explain POOL",
        "fuzz POOL --examples 400",
        "forecast POOL --hours 1",
        "negotiate POOL",
        "rules P505",
    ],
)
def test_an_answer_goes_into_a_file_as_it_is_printed(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = words.replace("POOL", CAMPUS).split()
    code = main(command)
    out = capsys.readouterr().out
    assert out
    path = tmp_path / "answer"
    assert main([*command, "-o", str(path)]) == code
    assert capsys.readouterr().out == ""
    assert path.read_text() == out
    assert main([*command, "-o", "-"]) == code
    assert capsys.readouterr().out == out


def test_a_command_that_fails_writes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    assert main(["check", str(tmp_path / "none"), "-o", str(path)]) == 2
    assert not path.exists()


def test_both_spellings_of_json_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for form in (["--json"], ["--format", "json"]):
        for command in (["check", CAMPUS], ["config", "summary", CAMPUS], ["quotas", CAMPUS]):
            main([*command, *form])
            said.append(capsys.readouterr().out)
            json.loads(said[-1])
    assert said[:3] == said[3:]


def test_quiet_leaves_errors_alone_beside_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    also = tmp_path / "also"
    also.write_text("PREEMPTION_REQUIREMENT = False\n")
    command = ["quotas", CAMPUS, "--also", str(also)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "warning" in err
    assert main([*command, "-q"]) == 0
    assert capsys.readouterr() == (out, "")
    assert main(["quotas", str(tmp_path / "none"), "-q"]) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert main(command) == 0
    assert capsys.readouterr().err == err


def test_colours_go_where_nobody_wants_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    policy = str(ROOT / "examples" / "policies" / "flawed" / "no_margin")
    main(["check", policy])
    assert "\x1b[" in capsys.readouterr().out
    main(["check", policy, "--no-color"])
    assert "\x1b[" not in capsys.readouterr().out
    assert "NO_COLOR" not in os.environ


@pytest.mark.parametrize(
    "words",
    [
        "negotiat POOL", "check --nothing", "eval --nothing", "config shw", "why POOL 99.0", "why",
        "rank POOL", "history POOL", "userprio nothing", "forecast nothing", "simulate nothing",
        "report nothing", "help nothing", "rules P999", "check nothing", "quotas nothing",
        "config info NOTHING", "transform nothing jobs", "map test nothing x", "select nothing",
    ],
)  # fmt: skip
def test_every_error_begins_in_one_way(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = words.replace("POOL", CAMPUS).split()
    try:
        code = main(command)
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code in (1, 2)
    lines = capsys.readouterr().err.splitlines()
    first = next(line for line in lines if not line.startswith((" ", "note: ")))
    assert first.startswith("error: ")


# --- streams --------------------------------------------------------------------------------------


def piped(text: str) -> str:
    """The name of a pipe that holds a text, as a shell gives it."""
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    return f"/dev/fd/{reading}"


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="no names of open files")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("diff POOL --also PIPE", NO_PREEMPTION),
        ("diff POOL --config PIPE", NO_PREEMPTION),
        ("negotiate POOL --also PIPE", NO_PREEMPTION),
        ("why POOL 15.0 --also PIPE", NO_PREEMPTION),
        ("check PIPE", NO_PREEMPTION),
        ("config show PIPE PREEMPTION_REQUIREMENTS", NO_PREEMPTION),
    ],
)
def test_a_pipe_is_a_file_like_others(
    words: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    said = []
    for name in (str(path), piped(text)):
        command = words.replace("POOL", CAMPUS).replace("PIPE", name).split()
        code = main([*command, "--wide"])
        out, err = capsys.readouterr()
        said.append((code, out.replace(name, "PIPE"), err.replace(name, "PIPE")))
    assert said[0] == said[1]


def test_a_dash_is_standard_input_also_where_a_file_is_read_twice() -> None:
    command = [sys.executable, "-m", "pieslice", "diff", CAMPUS, "--also", "-", "--wide"]
    found = subprocess.run(
        command, input=NO_PREEMPTION, text=True, capture_output=True, check=False, cwd=ROOT
    )
    assert found.returncode == 1
    assert found.stdout.startswith("carol loses 15 of 20 matches; ")


# --- times ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1795132800", 1795132800.0),
        ("2026-11-20", 1795154400.0),
        ("2026-11-20T00:00:00", 1795154400.0),
        ("2026-11-20T00:00:00Z", 1795132800.0),
        ("2026-11-20 01:00+01:00", 1795132800.0),
    ],
)
def test_a_time_is_local_unless_it_has_a_zone(
    text: str, seconds: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TZ", "America/Chicago")
    time.tzset()
    try:
        assert moment(text) == seconds
        for option in ("--now",):
            assert main(["eval", option, text, "time()"]) == 0
            assert capsys.readouterr().out == f"{seconds:.0f}\n"
            assert main(["negotiate", CAMPUS, option, text, "--json"]) == 0
            assert json.loads(capsys.readouterr().out)["now"] == seconds
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("text", ["", "yesterday", "nan", "2026-13-01", "1e300"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="neither seconds since the epoch nor"):
        moment(text)


# --- names ----------------------------------------------------------------------------------------


def test_a_finding_is_explained_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rules", "P505"])
    text = capsys.readouterr().out
    main(["help", "p505"])
    assert capsys.readouterr().out == text
    found = FINDINGS["P505"]
    assert text.startswith(f"P505 {found.severity}: {found.title}\n")
    assert found.good.strip() in text


def test_rules_are_all_findings_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    main(["rules", "--wide"])
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{one.id} {one.severity:<7} {one.title}" for one in FINDINGS.values()]
    main(["rules", "--json", "P505", "P502"])
    assert [one["id"] for one in json.loads(capsys.readouterr().out)["rules"]] == ["P505", "P502"]


def test_a_number_that_is_no_finding_has_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "P5O5"]) == 2
    assert "did you mean `P505`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "order",
    [
        [CAMPUS, "PRIORITY_HALFLIFE", "GROUP_NAMES"],
        ["PRIORITY_HALFLIFE", "GROUP_NAMES", CAMPUS],
    ],
)
def test_the_path_stands_before_names_and_may_stand_behind(
    order: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "show", *order]) == 0
    assert capsys.readouterr().out.startswith("3600\ngroup_physics")


def test_parsers_know_no_abbreviations() -> None:
    assert not Parser().allow_abbrev
