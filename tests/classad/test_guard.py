"""A foreign package called ``classad`` or ``policy`` gives one clear error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def import_with(first: Path, package: str) -> str:
    """What importing ``package`` prints when ``first`` is before us on the path."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {package}"],
        capture_output=True,
        text=True,
        cwd=first,
        env={**os.environ, "PYTHONPATH": f"{first}{os.pathsep}{ROOT}"},
        check=False,
    )
    assert done.returncode == 1, done.stdout
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("package", ["policy", "negotiator"])
def test_foreign_classad_is_named(tmp_path: Path, package: str) -> None:
    foreign = tmp_path / "classad" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("ClassAd = dict\n")
    message = import_with(tmp_path, package)
    assert message.startswith("ImportError: the package `classad` found at")
    assert str(foreign) in message
    assert "remove it" in message


def test_foreign_classad_that_cannot_be_imported_is_named_too(tmp_path: Path) -> None:
    foreign = tmp_path / "classad" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("from classad.no_such_extension import ClassAd\n")
    assert str(foreign) in import_with(tmp_path, "policy")


def test_distribution_to_remove_is_named(tmp_path: Path) -> None:
    foreign = tmp_path / "classad" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("ClassAd = dict\n")
    info = tmp_path / "oldcondor-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: oldcondor\nVersion: 1.0\n")
    (info / "top_level.txt").write_text("classad\n")
    (info / "RECORD").write_text("classad/__init__.py,,\n")
    assert "pip uninstall oldcondor" in import_with(tmp_path, "policy")


def test_foreign_policy_is_named(tmp_path: Path) -> None:
    foreign = tmp_path / "policy.py"
    foreign.write_text("")
    message = import_with(tmp_path, "negotiator")
    assert message.startswith("ImportError: the package `policy` found at")
    assert str(foreign) in message


def test_our_own_packages_import_together() -> None:
    subprocess.run([sys.executable, "-c", "import negotiator"], check=True, cwd=ROOT)
