"""Environments with two packages called ``classad``, in both orders of installation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.classad.layouts import FOREIGN, install_foreign, install_ours, remove_foreign

REINSTALL = "pip install --force-reinstall --no-deps pieslice"


def error_of(place: Path, package: str) -> str:
    """The last line of what importing a package from a folder says; empty if it works."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {package}"],
        capture_output=True,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


@pytest.mark.slow
@pytest.mark.parametrize("distribution", FOREIGN, ids=lambda it: it[0])
@pytest.mark.parametrize("package", ["classad", "policy", "classad.v1"])
def test_ours_over_theirs(tmp_path: Path, distribution: tuple[str, str], package: str) -> None:
    install_foreign(tmp_path, distribution)
    install_ours(tmp_path)
    message = error_of(tmp_path, package)
    assert message.startswith("ImportError: pieslice and ")
    assert "were installed over each other" in message
    assert str(tmp_path / "classad") in message
    assert f"pip uninstall --yes {distribution[0]}" in message
    assert REINSTALL in message


@pytest.mark.parametrize("distribution", FOREIGN, ids=lambda it: it[0])
def test_theirs_over_ours(tmp_path: Path, distribution: tuple[str, str]) -> None:
    install_ours(tmp_path)
    install_foreign(tmp_path, distribution)
    message = error_of(tmp_path, "policy")
    assert message.startswith("ImportError: the package `classad` found at")
    assert f"pip uninstall {distribution[0]}" in message
    assert REINSTALL in message


@pytest.mark.parametrize("distribution", FOREIGN, ids=lambda it: it[0])
def test_the_way_out(tmp_path: Path, distribution: tuple[str, str]) -> None:
    install_foreign(tmp_path, distribution)
    install_ours(tmp_path)
    remove_foreign(tmp_path, distribution)
    message = error_of(tmp_path, "policy")
    assert message.startswith("ImportError: pieslice's package `classad` has lost files")
    assert REINSTALL in message
    install_ours(tmp_path)
    assert error_of(tmp_path, "policy") == error_of(tmp_path, "classad") == ""
