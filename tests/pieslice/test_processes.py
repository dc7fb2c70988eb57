"""Processes end with the one that began them, and two of them never write to one folder or file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from classad.files.lock import BusyError, hold

ROOT = Path(__file__).parents[2]
TOUR = str(ROOT / "examples" / "tour")
USERS = str(ROOT / "examples" / "workloads" / "two-users.toml")
#: Seconds of patience, on a busy machine.
PATIENCE = 120

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def begin(*words: str) -> subprocess.Popen[str]:
    """``pieslice`` as a process in a group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "pieslice", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def family(leader: int) -> set[int]:
    """The processes of the session that a process leads, those that have ended left out."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has ended meanwhile
            continue
        if int(session) == leader and state != "Z":
            found.add(int(path.parent.name))
    return found


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Return when it holds; fail when it does not for too long."""
    last = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < last, what
        time.sleep(0.05)


def end(process: subprocess.Popen[str]) -> None:
    """Leave nothing behind, whatever became of the test."""
    for member in family(process.pid):
        os.kill(member, signal.SIGKILL)
    process.wait(PATIENCE)
    assert process.stderr is not None
    process.stderr.close()


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_workers_of_a_sweep_end_with_it(ending: signal.Signals, tmp_path: Path) -> None:
    points = ",".join(str(60 + number) for number in range(40))
    words = ["sweep", "400", "--workload", USERS, "--days", "9", "--jobs", "2"]
    begun = begin(*words, "--set", f"NEGOTIATOR_INTERVAL={points}", "-o", str(tmp_path / "s"))
    try:
        wait_for(lambda: len(family(begun.pid)) >= 3, "no workers were seen")
        os.kill(begun.pid, ending)
        begun.wait(PATIENCE)
        wait_for(lambda: not family(begun.pid), f"workers outlive {ending.name}")
    finally:
        end(begun)


@pytest.mark.slow
def test_a_second_writer_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    load = ["--workload", USERS, "--days"]
    first = begin("simulate", "400", *load, "30", "-o", folder)
    try:
        wait_for((tmp_path / "run" / "run.json").exists, "the first run did not begin")
        second = begin("simulate", "--resume", folder)
        _, said = second.communicate(timeout=PATIENCE)
        assert second.returncode == 2
        assert said.count("error") == 1
        assert "another process is writing to it" in said
    finally:
        end(first)
    third = begin("simulate", "--resume", folder)
    try:
        lock = tmp_path / "run" / "run"
        wait_for(lambda: third.poll() is not None or is_held(lock), "it is not continued")
        assert third.poll() in (None, 0)
    finally:
        end(third)


def is_held(path: Path) -> bool:
    """Whether a process writes there."""
    try:
        hold(path).release()
    except BusyError:
        return True
    return False


_HOLDER = """
import sys, time
from pathlib import Path
from classad.files.lock import hold
held = hold(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(1000)
"""


@pytest.mark.slow
@pytest.mark.parametrize("words", [["record", "{}", TOUR], ["simulate", "--record", "{}"]])
def test_a_second_recorder_is_refused_until_the_first_is_killed(
    words: list[str], tmp_path: Path
) -> None:
    store = tmp_path / "pool.history"
    made = [word.format(store) for word in words]
    if words[0] == "simulate":
        made = ["simulate", "4", "--workload", USERS, "--days", "0.01", *made[1:]]
    first = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(store)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        second = begin(*made)
        _, said = second.communicate(timeout=PATIENCE)
        first.kill()
    assert second.returncode == 2
    assert said.count("error") == 1
    assert "another process" in said
    third = begin(*made)
    _, said = third.communicate(timeout=PATIENCE)
    assert third.returncode == 0, said
