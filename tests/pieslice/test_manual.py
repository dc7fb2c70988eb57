"""What the commands tell of themselves: help, examples, topics, completion, manual pages."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from pieslice import __version__
from pieslice.cli import build_parser, main
from pieslice.command_line import Parser, commands_of, parsers_of
from pieslice.manual.manpages import man_pages
from pieslice.manual.topics import topic_names, topic_text

ROOT = Path(__file__).parents[2]
CAMPUS = ROOT / "examples" / "campus"
PARSERS = list(parsers_of(build_parser()))
LEAVES = [parser for parser in PARSERS if not commands_of(parser)]


def options_of(parser: Parser) -> list[str]:
    return [
        option
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for option in action.option_strings
    ]


# --- help -------------------------------------------------------------------------------------


@pytest.mark.parametrize("parser", PARSERS, ids=[parser.prog for parser in PARSERS])
def test_help_fits_a_pipe(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = parser.format_help()
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert parser.examples or parser not in LEAVES
    assert "None" not in text.split(), "a part of the help that nobody wrote"
    for option in options_of(parser):
        assert re.search(rf"{option}\b", text), option


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: Callable[[], Path]) -> Path:
    """A folder with the files that examples of commands speak of, and the pool that they ask."""
    recorded()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("mypool", "otherpool"):
        shutil.copytree(CAMPUS, tmp_path / name)
    for name in ("condor_config", "slots.ads", "jobs.ads", "Accountantnew.log"):
        shutil.copy(CAMPUS / name, tmp_path / name)
    shutil.copy(CAMPUS / "no_preemption", "new_config")
    shutil.copy(CAMPUS / "condor_config", "a")
    Path("b").write_text("PREEMPTION_REQUIREMENTS = False\n")
    shutil.copy(ROOT / "examples/workloads/two-users.toml", "day.toml")
    shutil.copy(ROOT / "examples/systemd/alerts.toml", "alerts.toml")
    Path("groups.map").write_text("* alice physics\n")
    scenario = topic_text("scenarios")
    Path("scenario.json").write_text(scenario[scenario.index("{") : scenario.rindex("}") + 1])
    return tmp_path


def run(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run an example; its answer may be no, but it is understood."""
    words = shlex.split(line, comments=True)
    words = words[: next((i for i, word in enumerate(words) if word in (">", "&&")), len(words))]
    assert words[0] == "pieslice"
    code = 0
    try:
        code = main(words[1:])
    except SystemExit as ended:
        code = int(str(ended.code))
    out, err = capsys.readouterr()
    assert code in (0, 1), line + err
    assert out or err or "-o" in words, line


def serve(line: str) -> None:
    """Run an example that serves until Ctrl-C, and end it so once it says where."""
    words = [sys.executable, "-m", *shlex.split(line)]
    environment = {**os.environ, "BROWSER": "true", "PYTHONPATH": str(ROOT)}
    # A shell gives what it runs in the background no Ctrl-C, and this test may run there.
    ctrl_c = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with Popen(words, stdout=PIPE, text=True, env=environment, preexec_fn=ctrl_c) as server:
        assert server.stdout is not None
        try:
            assert "http://127.0.0.1:" in server.stdout.readline()
            server.send_signal(signal.SIGINT)
            assert server.wait(timeout=60) == 0
        finally:
            server.kill()


@pytest.mark.slow
@pytest.mark.parametrize("parser", LEAVES, ids=[parser.prog for parser in LEAVES])
def test_examples_of_commands_run(
    parser: Parser, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = "".join(line for line, _ in parser.examples)
    if "pool.history" in examples and parser.prog != "pieslice record":
        for moment in ("1795300000", "1795300300"):
            main(["record", "pool.history", "mypool", "--time", moment])
        capsys.readouterr()
    if parser.prog == "pieslice report":
        simulate = "simulate 10 --workload day.toml --days 0.1"
        main(shlex.split(f"{simulate} -o run"))
        main(shlex.split(f"{simulate} --compare condor_config new_config -o runs"))
        capsys.readouterr()
    for line, purpose in parser.examples:
        assert line.startswith(parser.prog)
        assert purpose
        if parser.prog == "pieslice lab" and "--export" not in line:
            serve(line)
        else:
            run(line, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("topic", topic_names())
def test_topics_are_short_and_their_commands_run(
    topic: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = topic_text(topic)
    lines = text.splitlines()
    assert re.fullmatch(rf"{topic} - \w.*[^.]", lines[0])
    assert max(map(len, lines)) <= 80
    assert text.isascii()
    assert len(lines) <= 50
    assert set(re.findall(r"pieslice help ([\w-]+)", text)) <= set(topic_names())
    for line in re.findall(r"^    (pieslice .*)", text.replace("\\\n", ""), re.MULTILINE):
        run(line, capsys)


def test_the_scenario_of_the_page_is_one(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["negotiate", "scenario.json", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["matches"]) == 4


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("", "topics (pieslice help TOPIC):\n  captures "),
        ("captures", "captures - how"),
        ("exit codes", "exit-codes - what"),
        ("Quotas", "quotas - how"),
        ("negotiate", "usage: pieslice negotiate"),
        ("policy diff", "usage: pieslice policy diff"),
    ],
)
def test_help_by_topic(words: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", *words.split()]) == 0
    assert capsys.readouterr().out.startswith(printed)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("help polcies", "error: there is no topic `polcies`; did you mean `policies`?"),
        ("help negotate", "error: there is no topic `negotate`; did you mean `negotiate`?"),
        ("help policy dif", "error: there is no topic `dif`; did you mean `diff`?"),
        ("help xyzzy", "error: there is no topic `xyzzy`; `pieslice help` lists them"),
        ("why 1.0 --jsno", "error: no option `--jsno`; did you mean `--json`?"),
        (
            "userprio x -quots",
            "error: `-quots` is not an option; did you mean `-quotas`?",
        ),
        (
            "config show --rw X y",
            "error: no option `--rw`; did you mean `--raw`?",
        ),
        (
            "check x --format=sari",
            "error: argument --format: there is no `sari`; did you mean `sarif`?",
        ),
        (
            "completion tcsh",
            "error: argument shell: there is no `tcsh`; it takes bash, zsh, fish",
        ),
        ("report a b c", "error: `c` is one argument too many"),
        (
            "diff",
            "error: the following arguments are required: POOL;"
            " `pieslice diff --help` shows the usage",
        ),
        (
            "negotiate --\x1bx",
            "error: no option `--\\x1bx`; `pieslice negotiate --help` lists the options",
        ),
    ],
)
def test_a_typing_error_is_one_line(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code: object = None
    try:
        code = main(words.split(" "))
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert capsys.readouterr() == ("", f"{said}\n")


# --- completion -------------------------------------------------------------------------------


@pytest.fixture
def script(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Path:
    assert main(["completion", request.param]) == 0
    path = tmp_path / f"script.{request.param}"
    path.write_text(capsys.readouterr().out)
    return path


@pytest.mark.parametrize("script", ["bash", "zsh", "fish"], indirect=True)
def test_completion_knows_every_command_and_option(script: Path) -> None:
    text = script.read_text()
    for parser in PARSERS:
        assert parser.prog.split()[-1] in text
        for option in options_of(parser):
            # fish has options without their dashes.
            assert re.search(rf"{option}\b|-[slo] ['\"]?{option.lstrip('-')}\b", text), option
    shell = script.suffix[1:]
    if shutil.which(shell):
        done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    if shell == "fish" and shutil.which(shell):
        code = f"source {script}; complete -C 'pieslice negot'; complete -C 'pieslice why --form'"
        done = subprocess.run(
            [shell, "--no-config", "-c", code], capture_output=True, text=True, check=True
        )
        found = {line.partition("\t")[0] for line in done.stdout.splitlines()}
        assert found >= {"negotiate", "--format"}


@pytest.mark.parametrize("script", ["bash"], indirect=True)
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("negot", {"negotiate"}),
        ("help cap", {"captures"}),
        ("policy ", {"explain", "eval", "diff"}),
        ("why --form", {"--format"}),
        ("check --format ", {"text", "json", "sarif", "github"}),
        ("userprio -setf", {"-setfactor", "-setfloor"}),
        ("quotas my", {"mypool"}),
    ],
)
def test_bash_completes(script: Path, typed: str, offered: set[str]) -> None:
    (script.parent / "mypool").mkdir()
    words = ["pieslice", *typed.split(" ")]
    code = f"""
    source {script}
    COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}
    _shtab_pieslice pieslice {shlex.quote(words[-1])} {shlex.quote(words[-2])}
    printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", code],
        cwd=script.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {line.strip() for line in done.stdout.split()}
    assert offered <= found, done.stderr


# --- manual pages -----------------------------------------------------------------------------


def test_every_command_has_a_manual_page_with_every_option() -> None:
    pages = man_pages(build_parser(), __version__)
    assert len(pages) == len(PARSERS)
    for parser in PARSERS:
        page = pages[f"{parser.prog.replace(' ', '-')}.1"]
        assert page.startswith(f'.TH {parser.prog.replace(" ", "-").upper()} 1 ""')
        text = page.replace("\\-", "-")
        for option in options_of(parser):
            assert re.search(rf"{option}\b", text), option
        for name in commands_of(parser):
            assert f"\\fB{name}\\fR" in text
        for line, _ in parser.examples:
            assert f"\\fB{line}\\fR" in text


def test_manual_pages_are_written_and_can_be_set(tmp_path: Path) -> None:
    assert main(["help", "--man", str(tmp_path / "man")]) == 0
    pages = sorted((tmp_path / "man").iterdir())
    assert len(pages) == len(PARSERS)
    for page in pages if shutil.which("groff") else ():
        done = subprocess.run(
            ["groff", "-man", "-Tascii", "-ww", page],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "MANWIDTH": "80"},
        )
        assert done.stderr == "", page.name
        assert "SYNOPSIS" in re.sub(r"\x1b\[\d*m|.\x08", "", done.stdout)
