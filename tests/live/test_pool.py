"""Captures and predictions of a small real pool: `make check-live ROOT=DIR`, as root."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pieslice.cli import main
from pieslice.live.capture import read
from pieslice.live.names import is_secret
from tests.live.score import score
from tests.live.traffic import EXTRA, Traffic, pool

PORT = int(os.environ.get("PORT", "9770"))
HOST = f"127.0.0.1:{PORT}"


@pytest.fixture(params=["none", "token"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A pool with two schedds, static and partitionable slots."""
    folder = tmp_path / "pool"
    try:
        pool("start", folder, PORT=str(PORT), SCHEDDS="2", SEC=request.param, EXTRA=EXTRA)
        words = ("condor_token_create", "-identity", "reader@live.test", "-authz", "READ")
        if request.param == "token":
            (folder / "reader").write_text(pool("run", folder, "root", *words))
        yield folder
    finally:
        pool("stop", folder)


def token(place: Path) -> list[str]:
    return ["--token", str(place / "reader")] if (place / "reader").exists() else []


def submit(
    place: Path, count: int, *, cpus: int = 1, schedd: str = "s1", user: str = "bob"
) -> None:
    text = f"executable = /bin/sleep\narguments = 300\nrequest_cpus = {cpus}\n"
    text += f"request_memory = 128\nrequest_disk = 1\nenvironment = SECRET=hidden\nqueue {count}\n"
    pool("submit", place, user, "-name", f"{schedd}@live.test", text=text)


def test_a_capture_tells_the_next_cycle(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(place, 5)
    submit(place, 3, cpus=4, schedd="s2", user="carol")
    time.sleep(2)
    now = tmp_path / "now"
    assert main(["capture", HOST, str(now), *token(place)]) == 0
    assert "2 of 2 schedds answered" in capsys.readouterr().out
    assert main(["negotiate", str(now), "--json"]) == 0
    predicted = json.loads(capsys.readouterr().out)["matches"]
    pool("cycle", place)
    log = (place / "log" / "NegotiatorLog").read_text()
    real = re.findall(r"Matched \S+ (\S+) <\S+> preempting none <\S+> (\S+)", log)
    assert [(match["submitter"], match["slot"]) for match in predicted] == real
    assert real
    for path in now.iterdir():
        text = path.read_text()
        assert "hidden" not in text
        assert not [name for name in re.findall(r"[\w]+", text) if is_secret(name)], path


def test_who_has_no_token_is_told(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "wrong").write_text("nonsense\n")
    code = main(["capture", HOST, str(tmp_path / "now"), "--token", str(tmp_path / "wrong")])
    out, err = capsys.readouterr()
    if not token(place):
        assert code == 0
        return
    assert (code, out) == (2, "")
    assert err == (
        f"error: collector {HOST}: it is there, and refuses; --token names a file with a"
        " token that has READ rights\n"
    )


def test_a_schedd_that_hangs_is_left_out_and_one_that_is_killed_comes_back(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(place, 2)
    submit(place, 2, schedd="s2")
    time.sleep(2)
    listed = pool("run", place, "root", "condor_who", "-daemons")
    hung = _pid_of(place, "s2")
    os.kill(hung, signal.SIGSTOP)
    try:
        now = tmp_path / "now"
        assert main(["capture", HOST, str(now), "--timeout", "3", "--json", *token(place)]) == 1
    finally:
        os.kill(hung, signal.SIGCONT)
    answer = json.loads(capsys.readouterr().out)
    assert answer["schedds"] == {"asked": 2, "answered": 1}, listed
    assert "jobs: s2@live.test: no answer within 3 s" in answer["missing"]
    os.kill(hung, signal.SIGKILL)
    for _ in range(60):
        time.sleep(1)
        again = tmp_path / f"again{_}"
        code = main(["capture", HOST, str(again), "--timeout", "3", *token(place)])
        if code == 0 and len(list(read(again).ads("jobs"))) == 4:
            return
    raise AssertionError("the schedd did not come back")


def _pid_of(place: Path, schedd: str) -> int:
    """The process of a schedd, as this side of its namespace counts it."""
    root = int((place / "pid.inner").read_text())
    for path in Path(f"/proc/{root}/task/{root}/children").read_text().split():
        words = Path(f"/proc/{path}/cmdline").read_bytes().split(b"\0")
        if b"condor_schedd" in words[0] and schedd.encode() in words:
            return int(path)
    raise AssertionError(f"no schedd {schedd}")


def test_predictions_of_a_lively_pool_come_true(tmp_path: Path) -> None:
    outcomes = score(tmp_path / "pool", seed=5, cycles=30, schedds=2, port=PORT, security="token")
    still = [item for item in outcomes if item.still]
    assert len(still) >= 5
    assert sum(item.exact for item in still) >= 0.95 * len(still)


def test_traffic_is_the_same_for_a_seed(tmp_path: Path) -> None:
    choices = [Traffic(tmp_path, 7).random.random() for _ in range(2)]
    assert choices[0] == choices[1]
