"""A log on disk: every commit is there after any kill, and there is one writer."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from classad.files.lock import BusyError, hold
from classad.files.log import DamagedLogError, new_ad, read_transaction_log, set_attribute
from classad.files.log_file import LogFile, read_log_file

WRITER = Path(__file__).with_name("log_writer.py")
ROOT = Path(__file__).parents[2]
KEY = "Customer.a@x"


def opened(path: Path) -> LogFile:
    return LogFile(path, now=1_700_000_000)


def test_a_new_log_has_a_header_and_takes_transactions(tmp_path: Path) -> None:
    path = tmp_path / "Accountantnew.log"
    with opened(path) as log:
        log.commit([new_ad(KEY), set_attribute(KEY, "Priority", "8.000000")])
        log.commit([])
    assert path.read_text() == (
        f"107 1 CreationTimestamp 1700000000\n105 \n101 {KEY} * *\n"
        f"103 {KEY} Priority 8.000000\n106 \n"
    )
    assert read_log_file(path).table == {KEY: {"Priority": "8.000000"}}


def test_another_thread_may_let_go_of_a_lock(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as other:
        lock = other.submit(hold, tmp_path / "log").result()
        with pytest.raises(BusyError):
            hold(tmp_path / "log")
        lock.release()
        hold(tmp_path / "log").release()


def test_a_second_writer_is_kept_out_until_the_first_is_done(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with opened(path) as log:
        with pytest.raises(BusyError, match="another process"):
            opened(path)
        log.compact()
        with pytest.raises(BusyError, match="another process"):
            opened(path)
        assert read_log_file(path).sequence == 2
    opened(path).close()


def test_cut_at_any_byte_it_opens_and_goes_on(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    ends = [0]
    with opened(whole) as log:
        ends.append(whole.stat().st_size)
        for number in (1, 2):
            log.commit([new_ad(KEY), set_attribute(KEY, "Floor", str(number))])
            ends.append(whole.stat().st_size)
    data = whole.read_bytes()
    path = tmp_path / "cut"
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        with opened(path) as log:
            kept = max(0, sum(end <= cut for end in ends) - 2)
            before = {KEY: {"Floor": str(kept)}} if kept else {}
            assert {k: _plain(v) for k, v in log.log.table.items()} == before, cut
            log.commit([new_ad("Customer.new@x")])
        table = read_log_file(path).table
        assert table.pop("Customer.new@x") == {}
        assert {k: _plain(v) for k, v in table.items()} == before, cut
        path.unlink()


def _plain(ad: dict[str, str]) -> dict[str, str]:
    """Without the type that compaction writes as an attribute."""
    return {name: text for name, text in ad.items() if name != "MyType"}


def test_what_follows_damage_is_dropped_and_the_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("107 5 CreationTimestamp 9\n101 a * *\nhello\n103 a Floor 1\n")
    path.chmod(0o600)
    inode = path.stat().st_ino
    with opened(path) as log:
        assert log.log.table == {"a": {}}
    assert path.read_text() == '107 6 CreationTimestamp 9\n101 a * *\n103 a MyType "*"\n'
    assert path.stat().st_ino != inode
    assert path.stat().st_mode & 0o777 == 0o600
    assert {item.name for item in tmp_path.iterdir()} == {"log", "log.lock"}


def test_a_log_the_daemon_refuses_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    text = "hello\n105 \n106 \n"
    path.write_text(text)
    with pytest.raises(DamagedLogError):
        opened(path)
    assert path.read_text() == text
    with pytest.raises(DamagedLogError):
        opened(path)  # the failed one has let go of the lock


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    with opened(path) as log:
        log.commit([new_ad(KEY)])
        size = path.stat().st_size
        write = os.write

        def full(fd: int, data: bytes) -> int:
            if len(data) <= 4:
                raise OSError(28, "no space left on device")
            return write(fd, data[:4])

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(OSError, match="no space"):
                log.commit([set_attribute(KEY, "Floor", "1")])
        assert path.stat().st_size == size
        log.commit([set_attribute(KEY, "Floor", "2")])
    assert read_log_file(path).table == {KEY: {"Floor": "2"}}


class Disk:
    """What a power cut leaves of a file: what was synced, and a part of what was written since."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, reported: Callable[[], int]) -> None:
        self.written: dict[int, bytes] = {}
        self.synced: dict[int, int] = {}
        #: The files that may have the name of the log: more than one until the folder is synced.
        self.named: list[int] = []
        self.reported = reported
        self.looks = 0
        write, fsync, rename = os.write, os.fsync, os.replace

        def writing(fd: int, data: bytes) -> int:
            count, inode = write(fd, data), os.fstat(fd).st_ino
            self.written[inode] = self.written.get(inode, b"") + bytes(data[:count])
            self.named = self.named or [inode]
            self.look()
            return count

        def syncing(fd: int) -> None:
            fsync(fd)
            inode = os.fstat(fd).st_ino
            if inode in self.written:
                self.synced[inode] = len(self.written[inode])
            else:
                self.named = self.named[-1:]
            self.look()

        def renaming(source: Path, target: Path) -> None:
            rename(source, target)
            self.named.append(os.stat(target).st_ino)
            self.look()

        monkeypatch.setattr(os, "write", writing)
        monkeypatch.setattr(os, "fsync", syncing)
        monkeypatch.setattr(os, "replace", renaming)

    def look(self) -> None:
        """What was reported must be there, whatever is left."""
        for inode in self.named:
            data, synced = self.written[inode], self.synced.get(inode, 0)
            for cut in {synced, (synced + len(data)) // 2, len(data) - 1, len(data)}:
                if cut < synced:
                    continue
                log = read_transaction_log(data[:cut].decode(), "log")
                stored = int(log.table.get(KEY, {}).get("Floor", "0"))
                assert self.reported() <= stored <= self.reported() + 1
                self.looks += 1


def test_what_was_reported_survives_a_power_cut_at_any_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = 0
    disk = Disk(monkeypatch, lambda: done)
    with LogFile(tmp_path / "log", now=1, max_size=300) as log:
        for number in range(1, 30):
            log.commit([new_ad(KEY), set_attribute(KEY, "Floor", str(number))])
            done = number
            disk.look()
        assert log.log.sequence > 2  # it was compacted on the way
    assert disk.looks > 200


def test_a_large_log_is_compacted_and_its_limit_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with LogFile(path, now=1, max_size=300) as log:
        for number in range(50):
            log.commit([new_ad(KEY), set_attribute(KEY, "Floor", str(number))])
        assert log.log.sequence > 2
        assert path.stat().st_size <= 300 + 60
        for number in range(20):
            log.commit([new_ad(f"Customer.{number}@x")])
        assert log.max_size > 300
    assert read_log_file(path).table[KEY]["Floor"] == "49"


def kill_writer(path: Path, delay: float, max_size: int) -> None:
    """Kill a writer after ``delay`` seconds of work and compare what it reported with the file."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, str(WRITER), str(path), str(max_size)],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as stream:
        first = stream.readline()
        time.sleep(delay)
        process.kill()
        lines = (first + stream.read()).split("\n")
        process.wait()
    reported = int(lines[-2])
    ad = read_log_file(path).table[KEY]
    stored = int(ad["Floor"])
    # Committed but not yet reported is possible, once; a part of a transaction is not.
    assert reported <= stored <= reported + 1
    assert {float(ad[f"A{i}"]) for i in range(20)} == {float(stored)}


@pytest.mark.parametrize("max_size", [1_000_000, 1_500])
def test_a_killed_writer_has_lost_nothing_that_it_reported(tmp_path: Path, max_size: int) -> None:
    for delay in (0.0, 0.013):
        kill_writer(tmp_path / "log", delay, max_size)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 40))]
)
def test_a_writer_killed_at_random(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(5):
        size = chance.choice([1_000_000, 1_500, 1_500])
        kill_writer(tmp_path / "log", chance.random() * 0.1, size)


def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    log = opened(tmp_path / "log")
    log.close()
    log.close()
    opened(tmp_path / "log").close()


def test_a_log_that_cannot_be_compacted_goes_on_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"

    def full(source: Path, target: Path) -> None:
        raise OSError(28, "no space left on device")

    with opened(path) as log:
        log.commit([new_ad(KEY), set_attribute(KEY, "Floor", "1")])
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", full)
            with pytest.raises(OSError, match="no space"):
                log.compact()
        assert [file.name for file in tmp_path.iterdir() if file.suffix == ".tmp"] == []
        log.commit([set_attribute(KEY, "Floor", "2")])
    assert read_log_file(path).table == {KEY: {"Floor": "2"}}


@pytest.mark.skipif(os.name == "nt", reason="rights of files are POSIX")
@pytest.mark.parametrize(("mask", "mode"), [(0, 0o644), (0o027, 0o640)])
def test_a_new_log_can_be_read_by_others_and_written_by_its_owner(
    mask: int, mode: int, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        opened(tmp_path / "log").close()
    finally:
        os.umask(before)
    assert (tmp_path / "log").stat().st_mode & 0o777 == mode
