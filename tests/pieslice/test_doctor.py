"""``pieslice doctor`` tells whether the installation is whole, and what to do if it is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from negotiator.engines import ENGINES
from pieslice.cli import main
from pieslice.doctor import checks
from pieslice.doctor.document import DoctorDocument
from pieslice.doctor.page import PartCheck, text
from pieslice.inputs import options
from tests.classad.layouts import FOREIGN, install_foreign, install_ours


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and the checks by their names."""
    code = main(["doctor", "--json", *arguments])
    page = json.loads(capsys.readouterr().out)
    assert page["schema"] == "pieslice/doctor/1"
    assert page["usable"] == (code == 0)
    return code, {check["name"]: check for check in page["checks"]}


def test_a_whole_installation_is_usable(capsys: pytest.CaptureFixture[str]) -> None:
    code, by_name = found(capsys)
    assert code == 0
    for name in ("python", "packages", "kernels", "language", "patterns", "zones", "cycle"):
        assert by_name[name]["state"] == "ok", by_name[name]
    assert by_name["oracle"]["state"] == "absent"


def test_the_page_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(": usable")
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)


def test_what_is_broken_stands_in_the_first_line() -> None:
    made = [
        PartCheck("python", "ok", "3"),
        PartCheck("zones", "broken", "none\x1b[2J", "install it"),
    ]
    assert not DoctorDocument("1.0", made).usable
    page = text("1.0", made, 40)
    assert page.splitlines()[0].endswith(": broken: zones")
    assert "none\\x1b[2J\n" in page
    assert page.splitlines()[-1].strip() == "install it"


def test_a_check_that_raises_is_what_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> str:
        raise OSError("no such thing\nand more")

    monkeypatch.setitem(checks._WORKING, "kernels", fails)
    code, by_name = found(capsys)
    assert code == 1
    assert by_name["kernels"] == {
        "name": "kernels", "state": "broken", "text": "no such thing", "help": "",
    }  # fmt: skip


#: Distributions that are there, what is asked for, what is found.
NEEDS: dict[str, tuple[dict[str, str], list[str], list[PartCheck]]] = {
    "all there": (
        {"attrs": "25.1", "numpy": "2.0"},
        ["attrs>=23.1", 'numpy>=1.24; extra == "numpy"', 'pieslice[numpy]; extra == "all"'],
        [PartCheck("needed", "ok", "attrs 25.1"), PartCheck("[numpy]", "ok", "numpy 2.0")],
    ),
    "one too old": (
        {"pcre2": "0.5.3"},
        ["pcre2>=0.6"],
        [
            PartCheck(
                "needed",
                "broken",
                "pcre2 0.5.3 is older than 0.6",
                "pip install 'pcre2>=0.6'",
            )
        ],
    ),
    "none there": (
        {},
        ["attrs>=23.1", 'pyarrow>=14; extra == "arrow"'],
        [
            PartCheck("needed", "broken", "attrs is missing", "pip install 'attrs>=23.1'"),
            PartCheck("[arrow]", "absent", "pyarrow: pip install 'pieslice[arrow]'"),
        ],
    ),
}


@pytest.mark.parametrize("case", NEEDS.values(), ids=NEEDS)
def test_dependencies(
    monkeypatch: pytest.MonkeyPatch, case: tuple[dict[str, str], list[str], list[PartCheck]]
) -> None:
    there, wanted, expected = case

    def version(name: str) -> str:
        if name not in there:
            raise checks.PackageNotFoundError(name)
        return there[name]

    monkeypatch.setattr(checks, "requires", lambda name: wanted)
    monkeypatch.setattr(checks, "installed", version)
    assert list(checks._dependencies()) == expected


def test_parts_of_htcondor_that_are_absent_are_said_with_what_needs_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def version(name: str) -> str:
        raise checks.PackageNotFoundError(name)

    monkeypatch.setattr(checks, "installed", version)
    monkeypatch.setattr(checks.shutil, "which", lambda name: None)
    _, by_name = found(capsys)
    assert by_name["bindings"]["state"] == by_name["tools"]["state"] == "absent"
    # A pool is asked through the bindings, or with the tools where --from-tools is given.
    assert "running pools (HOST)" in by_name["bindings"]["text"]
    assert "pip install 'pieslice[live]'" in by_name["bindings"]["text"]
    assert "--from-tools" in by_name["tools"]["text"]


def test_a_folder_without_daemons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, by_name = found(capsys, "--root", str(tmp_path))
    assert code == 1
    assert by_name["oracle"]["text"].startswith("no usr/sbin/condor_negotiator under")


def _run_in(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pieslice", *arguments],
        capture_output=True,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )


def _ours_first(place: Path, distribution: tuple[str, str]) -> None:
    install_ours(place)
    install_foreign(place, distribution)


def _theirs_first(place: Path, distribution: tuple[str, str]) -> None:
    install_foreign(place, distribution)
    install_ours(place)


@pytest.mark.slow
@pytest.mark.parametrize("distribution", FOREIGN, ids=lambda it: it[0])
@pytest.mark.parametrize("install", [_ours_first, _theirs_first])
def test_it_runs_where_nothing_else_does(
    tmp_path: Path,
    install: Callable[[Path, tuple[str, str]], None],
    distribution: tuple[str, str],
) -> None:
    install(tmp_path, distribution)
    done = _run_in(tmp_path, "doctor")
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[0].endswith(": broken: packages")
    said = " ".join(done.stdout.split())
    assert f"pip uninstall {distribution[0]}" in said.replace(" --yes", "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    done = _run_in(tmp_path, "eval", "1 + 1")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert f"pip uninstall {distribution[0]}" in line.replace(" --yes", "")


def test_the_command_line_knows_the_engines() -> None:
    assert options.ENGINES == ENGINES
