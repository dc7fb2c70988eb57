"""Services: what systemd is told, several pools in one process, pools that are recorded."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pieslice
from pieslice.cli import build_parser, main
from pieslice.live.daemons import DaemonError
from pieslice.live.service import Pause, Service, path_of, refuse_shared, service, together
from pieslice.recording.store import History, Recorder
from tests.pieslice.test_schemas import validate

POOL = "cm.campus.example"
OTHER = f"{POOL}:9618"
Place = Callable[..., Path]


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
    """A service manager: gives the lines that it was told since it was last asked."""
    path = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(str(path))
        told.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(path))

        def lines() -> list[str]:
            found: list[str] = []
            try:
                while True:
                    found += told.recv(10_000).decode().splitlines()
            except BlockingIOError:
                return found

        yield lines


# --- systemd ----------------------------------------------------------------------------------


def test_the_service_manager_is_told(manager: Callable[[], list[str]]) -> None:
    found = service()
    found.ready(["a"], "begins")
    found.status("two\nlines")
    found.alive("a")
    found.stopping()
    assert manager() == ["READY=1", "STATUS=begins", "STATUS=two lines", "STOPPING=1"]


def test_without_a_service_manager_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    service().ready([], "")
    Service("/nowhere/at/all").ready([], "")  # it has gone: that is no reason to end


def test_an_address_without_a_file() -> None:
    name = f"pieslice-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(f"\0{name}")
        Service(f"@{name}").stopping()
        assert told.recv(100) == b"STOPPING=1"


@pytest.mark.parametrize(
    ("environment", "within"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),  # of another process
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_what_the_watchdog_allows(environment: dict[str, str], within: float | None) -> None:
    assert service(environment).within == within


def test_a_pool_that_hangs_keeps_the_watchdog_from_being_told(
    manager: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    found = service({**os.environ, "WATCHDOG_USEC": "60000000"})
    found.ready(["a", "b"], "")
    told = []
    for seconds in range(0, 130, 10):
        now = 1000.0 + seconds
        found.alive("a")
        if seconds < 40:
            found.alive("b")  # and never again
        told.append((seconds, "WATCHDOG=1" in manager()))
    # No more often than four times within the time that is allowed.
    assert [seconds for seconds, alive in told if alive] == [0, 20, 40, 60, 80]


@pytest.mark.slow
def test_a_shadow_tells_the_service_manager(
    recorded: Place, manager: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded()
    monkeypatch.setenv("WATCHDOG_USEC", "900000000")
    main(["shadow", POOL, "--ask", "--settle", "0.1", "--cycles", "1"])
    lines = manager()
    assert lines[0] == "READY=1"
    assert lines[-1] == "STOPPING=1"
    assert "WATCHDOG=1" in lines
    status = [line for line in lines if line.startswith("STATUS=")]
    assert status[0] == "STATUS=waiting for the first answer"
    assert status[1] == f"STATUS=pool {POOL}: asking for each cycle"
    assert re.fullmatch(r"STATUS=\d of 1 cycle as predicted, \d+ of \d+ matche?s?", status[-1])


#: Where the commands of the units are.
FOLDERS = {"shadow": "shadow", "record": "history", "watch": "alerts"}
UNITS = sorted((Path(__file__).parents[2] / "examples" / "systemd").glob("*.service"))


@pytest.mark.parametrize("path", UNITS, ids=[path.name for path in UNITS])
def test_the_command_of_a_unit_can_be_read(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its options are known; systemd waits for READY and has a watchdog."""
    text = path.read_text()
    command = re.search(r"^ExecStart=(.*(?:\\\n.*)*)", text, re.MULTILINE)
    assert command is not None
    program, *words = command[1].replace("\\\n", " ").split()
    assert program == "/usr/local/bin/pieslice"
    if not (Path(pieslice.__file__).parent / FOLDERS[words[0]]).is_dir():
        pytest.skip(f"`{words[0]}` is not there yet")
    with pytest.raises(SystemExit, match="0"):
        build_parser().parse_args([words[0], "--help"])
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert {word for word in words if word.startswith("--")} <= known
    for line in ("Type=notify", "WatchdogSec=", "Restart=always", "NotifyAccess=main"):
        assert re.search(rf"^{line}", text, re.MULTILINE), line


# --- several pools ----------------------------------------------------------------------------


def test_what_several_pools_find_comes_as_it_is_found() -> None:
    both = threading.Barrier(2)

    def follow(pool: str | None, pause: Pause) -> Iterator[int]:
        both.wait(120)  # neither waits for the other to end
        yield from range(3)

    found = list(together(["a", "b"], follow))
    assert sorted(found) == [(pool, number) for pool in "ab" for number in range(3)]
    assert [item for item in found if item[0] == "a"] == [("a", 0), ("a", 1), ("a", 2)]


def test_a_pool_that_fails_ends_all() -> None:
    closed = threading.Event()

    def follow(pool: str | None, pause: Pause) -> Iterator[int]:
        if pool == "b":
            raise DaemonError("b: no")
        try:
            for number in itertools.count():
                yield number
                pause(60)
        finally:
            closed.set()

    with pytest.raises(DaemonError, match="b: no"):
        list(together(["a", "b"], follow))
    assert closed.wait(120)


@pytest.mark.slow
def test_two_pools_are_followed_by_one_process(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    files = {name: tmp_path / f"{name}-{{pool}}" for name in ("log", "html", "prometheus")}
    files["record"] = tmp_path / "{pool}.history"
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    main(["shadow", POOL, OTHER, "--ask", "--settle", "0.1", "--cycles", "1", "--json", *options])
    *cycles, one, other = map(json.loads, capsys.readouterr().out.splitlines())
    assert sorted(cycle["pool"] for cycle in cycles) == [POOL, OTHER]
    assert {validate(cycle) for cycle in cycles} == {"shadow-cycle"}
    assert [one["pool"], other["pool"]] == [POOL, OTHER]
    assert [one["totals"]["cycles"], other["totals"]["cycles"]] == [1, 1]
    written = {cycle["pool"]: cycle for cycle in cycles}
    for pool, name in ((POOL, POOL), (OTHER, "cm.campus.example_9618")):
        log = [json.loads(line) for line in (tmp_path / f"log-{name}").read_text().splitlines()]
        assert log
        assert {line["exact"] for line in log} == {written[pool]["exact"]}
        assert (tmp_path / f"html-{name}").exists()
        assert (tmp_path / f"prometheus-{name}").exists()
        with History(tmp_path / f"{name}.history") as history:
            assert history.moments()


@pytest.mark.slow
def test_cycles_of_several_pools_are_told_apart(
    recorded: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    main(["shadow", POOL, OTHER, "--ask", "--settle", "0.1", "--cycles", "1"])
    out, err = capsys.readouterr()
    for pool in (POOL, OTHER):
        assert re.search(rf"^{re.escape(pool)}:\n\d\d:\d\d:\d\d ", out, re.MULTILINE)
        score = rf"^pool {re.escape(pool)}: \d of 1 cycle as predicted, "
        assert re.search(score, out, re.MULTILINE)
        assert f"pool {pool}: asking for each cycle\n" in err
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("pools", "path", "said"),
    [
        (["a", "b"], "log.jsonl", "--log: several pools need files of their own"),
        (["a", "b"], "log-{pool}.jsonl", None),
        (["a", "b"], None, None),
        (["a"], "log.jsonl", None),
        (["a", "a"], None, "a pool is named twice"),
        (["a:1", "a_1"], "log-{pool}", "--log: several pools"),  # both would be `a_1`
    ],
)
def test_pools_do_not_share_files(pools: list[str], path: str | None, said: str | None) -> None:
    file = None if path is None else Path(path)
    if said is None:
        refuse_shared(file, "--log", pools)
        return
    with pytest.raises(DaemonError, match=re.escape(said)):
        refuse_shared(file, "--log", pools)


def test_the_file_of_a_pool() -> None:
    assert path_of(None, "a") is None
    assert path_of(Path("x/{pool}.log"), "cm.x:9618") == Path("x/cm.x_9618.log")
    assert path_of(Path("x.log"), None) == Path("x.log")


# --- pools that are recorded ------------------------------------------------------------------


def test_a_running_pool_is_recorded_once(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    path = tmp_path / "pool.history"
    assert main(["record", str(path), POOL]) == 0
    assert f"{path}: capture of {POOL} at " in capsys.readouterr().out
    with History(path) as history:
        (moment,) = history.moments()
        assert {"slots.ads", "jobs.ads", "capture.json"} <= set(history.texts(moment))
    for words, said in (
        ([POOL, "folder"], "no folders and no --time"),
        ([POOL, "--time", "5"], "no folders and no --time"),
        (["folder", "--every", "5"], "--every is of running pools"),
        ([POOL, OTHER], "several pools need files of their own"),
        (["gone.example"], "gone.example"),
    ):
        assert main(["record", str(path), *words]) == 2
        assert said in capsys.readouterr().err
    with Recorder(path):
        assert main(["record", str(path), POOL]) == 2


@pytest.mark.slow
def test_running_pools_are_recorded_until_the_service_ends(
    recorded: Place,
    tmp_path: Path,
    manager: Callable[[], list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pool that does not answer meanwhile is waited for, and that is said once."""
    place = recorded()
    history = tmp_path / "{pool}.history"
    waits = itertools.count()

    def trouble(what: dict[str, str]) -> None:
        whole = json.loads((place / "pool.json").read_text())
        (place / "pool.json").write_text(json.dumps({**whole, "trouble": what}))

    def sleep(_: float) -> None:
        number = next(waits)
        if number in (0, 2):
            trouble({"collector": "gone"} if number == 0 else {})
        if number == 4:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(time, "sleep", sleep)
    ticks = itertools.count()
    monkeypatch.setattr("pieslice.history.following._now", lambda: float(next(ticks)))
    words = ["record", str(history), POOL, "--every", "1.5", "--keep", "7", "--max-size", "50"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == "3 captures of 1 pool"
    assert err.splitlines().count(f"{POOL}: waiting: collector {POOL}: gone") == 1
    lines = manager()
    assert (lines[0], lines[-1]) == ("READY=1", "STOPPING=1")
    with History(tmp_path / f"{POOL}.history") as found:
        assert len(found.moments()) == 3
