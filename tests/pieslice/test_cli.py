"""The command, as a user meets it: outputs, exit codes, no tracebacks."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

import pieslice
from pieslice.cli import build_parser, main
from pieslice.command_line import Parser, commands_of, parsers_of
from pieslice.negotiate import cli
from tests.cases import every_case

ROOT = Path(__file__).parents[2]


def test_negotiate_prints_a_report(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["negotiate", str(pool)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("2 matches, all of free slots\n2 rejections: no match found\n")
    assert "\npool tiny: 2 machines, 3 slots (weight 3), 2 users, 3 jobs (3 idle); " in out
    assert "  alice@pool, job 1.0: 1 job matched, cost 1\n" in out
    assert "matches: 2 (2 free)\n" in out
    assert "no match found" in out


def test_json_is_deterministic(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = set()
    for _ in range(2):
        assert main(["negotiate", str(pool), "--json"]) == 0
        outputs.add(capsys.readouterr().out)
    (text,) = outputs
    data = json.loads(text)
    assert [match["submitter"] for match in data["matches"]] == ["alice@pool", "bob@pool"]
    assert data["agreement"] is None
    assert data["now"] == 1700000060


def test_files_can_be_given_one_by_one(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["negotiate", "--now", "2023-11-14T22:15:00", "--json"]
    for what in ("slots", "jobs", "submitters", "accounting"):
        arguments += [f"--{what}", str(pool / f"{what}.ads")]
    assert main([*arguments, "--config", str(pool / "condor_config")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["matches"]) == 2
    assert data["now"] == 1700000100


@pytest.mark.parametrize(
    "arguments",
    [
        ["negotiate"],
        ["negotiate", "nowhere"],
        ["negotiate", "--slots", "no.ads", "--jobs", "no.ads"],
        ["negotiate", ".", "--now", "noon"],
        ["negotiate", ".", "--now", "nan"],
    ],
)
def test_bad_input_is_exit_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "error: " in err


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["negotiate", ".", "--width", "3"], ["completion", "tcsh"]]
)
def test_bad_usage_is_exit_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


@pytest.mark.parametrize(
    "words",
    [
        ["record", "", "pool"], ["simulate", "pool", "-o", ""], ["report", "run", "--plots="],
        ["history", ""], ["help", "--man", ""], ["negotiate", ""], ["negotiate", "--jobs", ""],
        ["negotiate", "pool", "-o", ""], ["quotas", "pool", "--config="], ["diff", "pool", ""],
        ["why", "", "1.0"], ["check", "condor_config", ""], ["config", "show", ""],
        ["policy", "diff", "a", ""], ["map", "test", "", "name"], ["select", ""], ["capture", ""],
        ["shadow", ""], ["simulate", ""], ["simulate", "2", "--compare", "a", ""],
        ["simulate", "2", "--capture", "1", ""], ["fuzz", ""],
    ],
)  # fmt: skip
def test_an_empty_name_is_not_the_current_folder(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """As that of a variable of the shell that is not set."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert capsys.readouterr().err.endswith(": the name is empty\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [[""], ["-inputfile", ""], ["state", "--config", ""]])
def test_an_empty_name_is_no_state_of_the_accountant(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["userprio", *words]) == 2
    assert capsys.readouterr().err == "error: the name is empty\n"


def test_an_empty_name_is_no_path_in_python() -> None:
    for ask in (
        lambda: pieslice.read(""), lambda: pieslice.read(ROOT / "examples/tour", config=""),
        lambda: pieslice.read(ROOT / "examples/tour").negotiate(""), lambda: pieslice.userprio(""),
    ):  # fmt: skip
        with pytest.raises(pieslice.ReadError, match=r"^the name is empty$"):
            ask()


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["simulate", "2", "--workload", "w", "-o", "-"], "folder"),
        (["simulate", "2", "--workload", "w", "--report", "-"], "file"),
        (["report", "run", "--plots", "-"], "folder"), (["shadow", "--log=-"], "file"),
    ],
)  # fmt: skip
def test_no_file_is_called_as_a_standard_stream_is(
    words: list[str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert capsys.readouterr().err.endswith(f": `-` is no {place} here\n")
    assert list(tmp_path.iterdir()) == []


def test_version_names_the_backends(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    names = [line.partition(" ")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["pieslice", "follows:", "kernels:", "regex:", "parser:"]


def test_internal_errors_are_one_line(
    pool: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> int:
        raise RuntimeError("something\nwent wrong")

    monkeypatch.setattr(cli, "_negotiate", broken)
    assert main(["negotiate", str(pool)]) == 2
    assert capsys.readouterr().err == (
        "error: internal error (RuntimeError): something went wrong; --debug shows the traceback\n"
    )
    with pytest.raises(RuntimeError):
        main(["--debug", "negotiate", str(pool)])


def test_eval(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "undefined =?= undefined && 5 / 2 == 2"]) == 0
    assert capsys.readouterr().out == "true\n"


def test_a_closed_pipe_is_no_error(pool: Path) -> None:
    command = [sys.executable, "-m", "pieslice", "negotiate", str(pool), "--json"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_the_package_has_the_version_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert f"pieslice {pieslice.__version__}\n" in capsys.readouterr().out


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import pieslice;"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['pieslice']\n"


@pytest.mark.slow
@every_case("word", commands_of(build_parser()))
def test_a_command_takes_alone_what_it_takes_among_all(word: str) -> None:
    (alone,) = commands_of(build_parser(word)).values()
    among = commands_of(build_parser())[word]
    for one, other in zip(parsers_of(alone), parsers_of(among), strict=True):
        assert one.format_help() == other.format_help()
        assert list(one._option_string_actions) == list(other._option_string_actions)
        assert one._defaults.keys() == other._defaults.keys()


def test_starting_imports_nothing_heavy() -> None:
    code = (
        "import sys, pieslice.cli as c; c.build_parser();"
        "print(sorted({'attr', 'lark', 'shtab', 'pcre2', 'json'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("slots.ads", "Cpus = 1\n", "Cpus = 1e999\n"),
        ("slots.ads", "Cpus = 1\n", 'Cpus = real("nan")\n'),
        ("slots.ads", "SlotWeight = Cpus\n", "SlotWeight = 1e308 * 10\n"),
        ("submitters.ads", "IdleJobs = 1\n", "IdleJobs = 1e999\n"),
        ("submitters.ads", "RunningJobs = 0\n", 'RunningJobs = real("nan")\n'),
        ("jobs.ads", "ClusterId = 2\n", "ClusterId = 1e999\n"),
        ("accounting.ads", "Priority = 500.0\n", 'Priority = real("inf")\n'),
        ("jobs.ads", "RequestCpus = 1\n", "RequestCpus = -1e999\n"),
    ],
)
def test_numbers_without_end_end(
    pool: Path, file: str, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (pool / "condor_config").write_text("GROUP_NAMES = g\nGROUP_QUOTA_DYNAMIC_g = 0.5\n")
    path = pool / file
    path.write_text(path.read_text().replace(old, new, 1))
    assert main(["--debug", "negotiate", str(pool), "--json"]) == 0
    json.loads(capsys.readouterr().out, parse_constant=pytest.fail)


def _with_two_words() -> list[Parser]:
    """The commands that take two positional arguments or more."""
    found = []
    for command in parsers_of(build_parser()):
        count = [
            2 if action.nargs in ("+", "*") else 1
            for action in command._get_positional_actions()
            if action.nargs not in (argparse.PARSER, argparse.REMAINDER)
        ]
        if sum(count) > 1:
            found.append(command)
    return found


@every_case("command", _with_two_words(), name=lambda command: command.prog)
def test_options_may_stand_anywhere(command: Parser) -> None:
    option = ["--limit-time", "5"]
    words = ["24.0", "25.0"] if command.prog == "pieslice versions" else ["one.history", "two"]
    first = command.parse_args([*option, *words])
    assert command.parse_args([words[0], *option, words[1]]) == first
    assert command.parse_args([*words, *option]) == first
    if command.prog != "pieslice userprio":  # condor_userprio's own words are read later
        assert command.parse_args([words[0], *option, "--", words[1]]) == first


def test_commands_of_two_words_are_tried() -> None:
    names = {command.prog.removeprefix("pieslice ") for command in _with_two_words()}
    assert {"why", "rank", "capture", "diff", "negotiate", "record", "select"} <= names
