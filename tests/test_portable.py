"""What only POSIX has is not needed: everything works where it is missing, as on Windows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Modules and names of the standard library that Windows lacks.
MODULES = ("fcntl", "grp", "posix", "pwd", "readline", "resource", "syslog", "termios", "tty")
NAMES = (
    "O_CLOEXEC", "fchmod", "fork", "getloadavg", "getpgid", "getuid", "killpg", "mkfifo", "nice",
    "sched_getaffinity", "setsid", "statvfs", "uname",
)  # fmt: skip
#: What runs before a command: the rest of the standard library may use what it has.
BARE = f"""
import multiprocessing, os, pathlib, platform, shutil, signal, socket, subprocess, sys, tempfile
import warnings
warnings.filterwarnings("ignore", category=UserWarning, module="filelock")
for name in {MODULES}:
    sys.modules[name] = None
for name in {NAMES}:
    if hasattr(os, name):
        delattr(os, name)
del signal.SIGKILL, signal.SIGALRM
from pieslice.cli import main
sys.exit(main(sys.argv[1:]))
"""


def without_posix(*words: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BARE, *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_cycle_is_the_same() -> None:
    assert "25 of 25 decisions agree" in without_posix("negotiate", "examples/campus")


def test_priorities_are_written(tmp_path: Path) -> None:
    log = tmp_path / "Accountantnew.log"
    shutil.copy(ROOT / "examples/campus/Accountantnew.log", log)
    change = ("-setfactor", "frank@campus.example", "77", "--now", "1795214400")
    without_posix("userprio", log, *change)
    assert "103 Customer.frank@campus.example PriorityFactor 77.0" in log.read_text()


@pytest.mark.slow
def test_a_policy_is_checked_and_simulated(tmp_path: Path) -> None:
    assert "would start" in without_posix("check", "examples/campus/condor_config")
    run = tmp_path / "run"
    without_posix(
        "simulate", "examples/campus", "--workload", "capture", "--days", "0.05", "-o", run
    )
    assert (run / "summary.json").is_file()


@pytest.mark.slow
@pytest.mark.long
def test_all_tests_are_found_without_posix() -> None:
    """A file that cannot be imported would end the run on Windows before its first test."""
    code = f"""
import sys
import multiprocessing, pathlib, platform, shutil, signal, socket, subprocess, tempfile
for name in {tuple(set(MODULES) - {"posix"})}:
    sys.modules[name] = None
import pytest
sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "-p", "no:xdist",
                      "-W", "ignore:only soft file lock:UserWarning", "tests"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]
