"""``pieslice config``: output, streams and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pieslice.command_line import Parser
from pieslice.policies.config import add_commands

TEXT = """\
LIMIT = 120
PREEMPTION_REQUIREMENTS = RemoteUserPrio > 2
PREEMPTION_REQUIREMENTS = \\
    $(PREEMPTION_REQUIREMENTS) && Age > $(LIMIT)
NEGOTIATOR.LIMIT = $(UNSET:90)
EMPTY =
NEGOTIATOR_CROSS_SLOT_PRIOS = True
LOOP = $(LOOP2)
LOOP2 = $(LOOP)
"""


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "condor_config"
    path.write_text(TEXT)
    return path


def run(*words: str | Path) -> int:
    parser = Parser()
    add_commands(parser.add_subparsers())
    args = parser.parse_args(["config", *map(str, words)])
    code: int = args.run(args)
    return code


def test_values_one_per_line(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "limit", "PREEMPTION_REQUIREMENTS", pool) == 0
    assert capsys.readouterr().out == "90\nRemoteUserPrio > 2 && Age > 90\n"
    assert run("show", "limit", "--subsys", "SCHEDD", pool) == 0
    assert capsys.readouterr().out == "120\n"
    assert run("show", "PREEMPTION_REQUIREMENTS", "--default", pool) == 0
    assert capsys.readouterr().out == "False\n"
    assert run("show", "--raw", "limit", pool.parent) == 0
    assert capsys.readouterr().out == "$(UNSET:90)\n"


def test_what_is_not_defined(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "EMPTY", "NoSuch", pool) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "Not defined: EMPTY\nNot defined: NoSuch\n")


def test_the_trace_tells_the_whole_story(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "--trace", "--wide", "PREEMPTION_REQUIREMENTS", pool) == 0
    assert capsys.readouterr().out.splitlines() == [
        "PREEMPTION_REQUIREMENTS = RemoteUserPrio > 2 && Age > 90",
        f"  set at {pool}, line 4",
        "  raw RemoteUserPrio > 2 && Age > $(LIMIT)",
        f"  uses LIMIT = $(UNSET:90)  ({pool}, line 5)",
        "  uses UNSET = not defined",
        f"  replaces RemoteUserPrio > 2  ({pool}, line 2)",
        "  default False",
    ]


def test_a_circle_is_said_and_fails(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "LOOP", pool) == 2
    assert "LOOP -> LOOP2 -> LOOP" in capsys.readouterr().err


def test_a_bad_line_ends_it_unless_asked(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool.write_text("A = 1\nbroken\nB = 2\n")
    assert run("show", "B", pool) == 2
    assert f"{pool}:2:1: error" in capsys.readouterr().err
    assert run("show", "B", "--keep-going", pool) == 0
    assert capsys.readouterr().out == "2\n"


def test_a_missing_file_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run("show", "A", tmp_path / "none")
