"""``pieslice eval`` and ``python -m classad``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pieslice.cli import main as pieslice
from pieslice.command_line import Parser
from pieslice.expressions.cli import add_commands, main

SLOT = 'Name = "slot1@a"\nMemory = 4096\nRequirements = TARGET.RequestMemory <= Memory\n'
JOB = "[ RequestMemory = 2048; Requirements = TARGET.Memory >= RequestMemory ]"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    slot, job = tmp_path / "slot.ads", tmp_path / "job.ad"
    slot.write_text(SLOT + '\nName = "slot2@a"\n')
    job.write_text(JOB)
    return str(slot), str(job)


def run(*tokens: str) -> int:
    """``pieslice eval`` with these arguments."""
    parser = Parser(prog="pieslice")
    add_commands(parser.add_subparsers())
    args = parser.parse_args(["eval", *tokens])
    code: int = args.run(args)
    return code


@pytest.mark.parametrize(
    ("tokens", "printed"),
    [
        (["1 + 1"], "2"),
        (["1", "2.5", '"a\\tb"', "true"], '1\n2.500000000000000E+00\n"a\\tb"\ntrue'),
        (["x"], "undefined"),
        (["1 / 0"], "error"),
        (["-5"], "-5"),
        (["--", "-x"], "undefined"),
        (["-a", "x=2", "x * 3"], "6"),
        (["-a", "x = y + 1", "--attribute=y=2", "x", "y"], "3\n2"),
        (["x = 7", "x"], "[ x = 7 ]\n7"),
        (["x = y", "x", "y = 7", "x"], "[ x = y ]\nundefined\n[ x = y; y = 7 ]\n7"),
        (["a = 1; b = 2", "a + b", "a"], "[ a = 1; b = 2 ]\n3\n1"),
        (["[ a = 1 ]", "-q", "a"], "1"),
        (["x = 1", "x", "-quiet", "x = 2", "x"], "[ x = 1 ]\n1\n2"),
        (["[a = 1].a"], "1"),
        (["a == 1"], "undefined"),
        (["{1, x}"], "{ 1,x }"),
        (["time()", "--now", "1700000000.5"], "1700000000"),
        (["--now=5", "time()"], "5"),
        (["--condor-version", "25.0", "-a", "a=a", "a || true", "1 + b ? : 7"], "error\n7"),
        (["1 + b ? : 7", "--condor-version=23.9.6", "-q", "x = 1 + b ? : 7", "x"], "7\n7"),
        (["--condor-version", "25.14", "-a", "a=a", "a || true", "1 + b ? : 7"], "true\n8"),
        (["--condor-version", "25.0", "--now", "5", 'time() + eval("1 + b ? : 7")'], "12"),
        (["--tz", "America/Chicago", "--now", "0", "timezoneOffset()"], 'relTime("-06:00:00")'),
        (["--tz", "Asia/Kolkata", 'absTime("2020-01-01T00:00:00")'],
         'absTime("2020-01-01T00:00:00+05:30")'),
        (["--old", '"c:\\dir"'], '"c:\\dir"'),
        (["--new", '"c:\\\\dir"'], '"c:\\\\dir"'),
        (["--old", "1.0"], "1.0"),
        (["--strict", "010"], "10"),
    ],
)  # fmt: skip
def test_values(tokens: list[str], printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*tokens) == 0
    captured = capsys.readouterr()
    assert captured.out == printed + "\n"
    assert captured.err == ""


def test_seed_repeats_random_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run("--seed", "7", "random(1000000)") == 0
    first, second = capsys.readouterr().out.split()
    assert first == second


def test_ads_from_files(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    slot, job = files
    assert (
        run("--my", job, "--target", slot, "Requirements", "MY.RequestMemory", "TARGET.Name") == 0
    )
    assert run("-my-file", slot, "-target-file", job, "Requirements") == 0
    assert run("-file", slot, "Memory / 1024") == 0
    assert run("--my=" + slot, "-a", "Memory=1", "Memory", "Name") == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["true", "2048", '"slot1@a"', "true", "4", "1", '"slot1@a"']


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json", "x = 1", "x", "{x, 2}", "nofunction()", "random(0)", '"é"') == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == {
        "schema": "pieslice/eval/1",
        "condor_version": "25.14.1",
        "condor_version_from": "no version is given",
        "expression": "x",
        "type": "integer",
        "value": 1,
        "text": "1",
        "ok": True,
    }
    assert [line["type"] for line in lines] == ["integer", "list", "error", "error", "string"]
    assert lines[1]["value"] == ["/Expr(x)/", 2]
    assert [line["ok"] for line in lines] == [True, True, True, False, True]
    assert lines[4]["value"] == "é"


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["1 +"], "<expression>:1:"),
        (["-a", "x=1 +", "x"], "<x>:1:"),
        (["-a", "junk", "x"], "`junk` is not of the form NAME=EXPR"),
        (["--my", "/nonexistent", "x"], "/nonexistent: no such file or directory"),
        (["--tz", "Mars/Olympus", "x"], "unknown time zone `Mars/Olympus`"),
        (["010"], "cannot start with `0`"),
        ([], "nothing to evaluate"),
        (["-q"], "nothing to evaluate"),
    ],
)
def test_bad_input(tokens: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*tokens) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_syntax_error_has_a_caret(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("(1 + 2") == 2
    assert "   1 | (1 + 2\n" in (text := capsys.readouterr().err)
    assert "^" in text


def test_bad_file_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.ads"
    path.write_text("a = 1\nb = (2\n")
    assert run("--my", str(path), "a") == 2
    assert f"{path}:2:" in capsys.readouterr().err
    path.write_text("\n# nothing\n")
    assert run("--my", str(path), "a") == 2
    assert "contains no ads" in capsys.readouterr().err


def test_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    for tokens in (["--bogus", "1"], ["--now", "soon", "1"], ["1", "--now"]):
        with pytest.raises(SystemExit) as caught:
            run(*tokens)
        assert caught.value.code == 2
    assert capsys.readouterr().err == (
        "error: no option `--bogus`;"
        " `pieslice eval --help` lists the options\n"
        "error: argument --now: `soon` is neither seconds since the epoch nor an ISO 8601 time\n"
        "error: argument --now: expected one argument\n"
    )


# --- in place of classad_eval -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "code", "printed"),
    [
        (["1 + 1"], 0, "[  ]\n2\n"),
        (["-quiet", "1 + 1"], 0, "2\n"),
        (["a=2", "a*2"], 0, "[ a = 2 ]\n4\n"),
        (["-bogus"], 0, "[  ]\nundefined\n"),
        (["1 +"], 1, ""),
        (["-file", "/nonexistent", "1"], 1, ""),
        (["-file"], 255, ""),
    ],
)
def test_as_classad_eval(
    tokens: list[str], code: int, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(tokens) == code
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("tokens", [[], ["-help"], ["--help"]])
def test_help_as_classad_eval(tokens: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(tokens) == 255
    assert "usage: python -m classad" in capsys.readouterr().out


def test_module_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "classad", "-quiet", "x = 2", "x * 21"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout == "42\n"


@pytest.mark.parametrize("words", [["--limit-time", "5s"], ["--limit-time=5s"], ["--nosuch"]])
def test_options_that_eval_does_not_have_are_no_expressions(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert pieslice(["eval", "1+1", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    name = words[0].partition("=")[0]
    assert printed.err.startswith(f"error: `{name}` ")
    assert len(printed.err.splitlines()) <= 3
    # Before the first item, or behind `--`, they are what they look like.
    assert pieslice(["eval", "--limit-time", "5s", "1+1"]) == 0
    assert pieslice(["eval", "1+1", "-q", "--old", "2", "--", "--nosuch"]) == 0
    assert capsys.readouterr().out.split() == ["2", "2", "2", "undefined"]


def test_an_ad_of_a_file_is_read_by_the_rules_of_a_version(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "slot.ads"
    path.write_text("X = 1 + b ? : 7\nL = {0, 1 + b ? : 7}\nN = [x = 1 + b ? : 7]\n")
    for version, value in (("25.0", "7"), ("25.14.1", "8")):
        run("--my", str(path), "--condor-version", version, "X", "sum(L)", "N.x")
        assert capsys.readouterr().out.split() == [value] * 3


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("25.x", "argument --condor-version: `25.x` is no version of HTCondor"),
        ("22.0", "argument --condor-version: 22.0 is older than 23.0.0"),
    ],
)
@pytest.mark.parametrize("command", [["eval", "1"], ["select", "-"]])
def test_a_version_of_which_nothing_is_known(
    capsys: pytest.CaptureFixture[str], command: list[str], version: str, message: str
) -> None:
    for tokens in (
        [*command, "--condor-version", version],
        [*command, f"--condor-version={version}"],
    ):
        with pytest.raises(SystemExit) as ended:
            pieslice(tokens)
        told = capsys.readouterr()
        assert (ended.value.code, told.out, told.err.count("\n")) == (2, "", 1)
        assert message in told.err


def test_a_version_without_a_record_and_a_name_in_another_case_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert pieslice(["eval", "--condor-version", "24.12", 'versionle("1", "2")']) == 0
    told = capsys.readouterr()
    assert told.out == "error\n"
    assert "nothing is recorded of 24.12" in told.err
    assert "unknown function `versionle`; did you mean `versionLE`?" in told.err
