"""The file of a history: captures come back byte by byte, whatever happens to the writer."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pieslice.cli import main
from pieslice.history.questions import life, summary
from pieslice.recording import store
from pieslice.recording.changes import (
    apply,
    built,
    changed,
    columns_of,
    files_of,
    text_of,
    texts_of,
    whole,
)
from pieslice.recording.facts import newest_time, sight
from pieslice.recording.store import History, HistoryError, Recorder, is_history

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"
T = 1_795_000_000.0


def texts_of_folder(folder: Path) -> dict[str, str]:
    return {
        path.name: path.read_bytes().decode("utf-8", "surrogateescape")
        for path in folder.iterdir()
        if path.is_file()
    }


def slots(*states: str, time: int = 0) -> str:
    """Slot ads in these states: C claimed, U unclaimed, - none."""
    words = {"C": "Claimed", "U": "Unclaimed", "O": "Owner"}
    return "\n".join(
        f'Name = "slot{number}@m"\nState = "{words[state]}"\nCpus = 2\nMyCurrentTime = {time}\n'
        for number, state in enumerate(states, 1)
        if state != "-"
    )


def jobs(**states: str) -> str:
    """Job ads by number: i idle, rS running on slot S, h held."""
    found = []
    for name, state in states.items():
        status = {"i": 1, "r": 2, "h": 5}[state[0]]
        host = f'RemoteHost = "slot{state[1:]}@m"\n' if state[0] == "r" else ""
        found.append(
            f'ClusterId = {name[1:]}\nProcId = 0\nJobStatus = {status}\n{host}User = "ann@x"\n'
            f'GlobalJobId = "s#{name[1:]}.0#1"\nRequestCpus = 1\nQDate = {int(T) - 100}\n'
        )
    return "\n".join(found)


def pool(slot_states: str, **job_states: str) -> dict[str, str]:
    return {"slots.ads": slots(*slot_states), "jobs.ads": jobs(**job_states)}


# --- columns and changes --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["slots.ads", "jobs.ads", "submitters.ads", "accounting.ads"])
def test_files_of_ads_are_columns(name: str) -> None:
    text = texts_of_folder(CAMPUS)[name]
    columns = columns_of(text)
    assert columns is not None
    assert text_of(columns) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "A=1\n",
        "A = 1\nA = 2\n",
        "A = 1\n\n\n\nB = 2\n",
        "# A = 1\n\n\n",
        "A = 1 \r\n\n",
    ],
)
def test_any_other_text_comes_back_too(text: str) -> None:
    assert texts_of(built(json.loads(json.dumps(whole(files_of({"x.ads": text})))))) == {
        "x.ads": text
    }


VALUES = st.sampled_from(["1", "-3", "01", '"x"', "99999999999999999999", "1.5", "%s", "A == 1"])
AD = st.dictionaries(
    st.sampled_from(["Name", "ClusterId", "ProcId", "A", "%d"]), VALUES, min_size=1
)
TEXT = st.lists(AD, max_size=6).map(
    lambda ads: "\n".join("".join(f"{k} = {v}\n" for k, v in ad.items()) for ad in ads)
)
CAPTURE = st.dictionaries(
    st.sampled_from(["slots.ads", "jobs.ads", "log"]), TEXT | st.text(max_size=30), max_size=3
)


@given(st.lists(CAPTURE, min_size=2, max_size=4))
def test_what_changed_makes_the_next_capture(captures: list[dict[str, str]]) -> None:
    held = [files_of(texts) for texts in captures]
    files = built(json.loads(json.dumps(whole(held[0]))))
    for before, after, texts in zip(held, held[1:], captures[1:], strict=False):
        apply(files, json.loads(json.dumps(changed(before, after))))
        assert texts_of(files) == texts


def test_equal_captures_change_nothing_and_clocks_one_number() -> None:
    first = files_of({"slots.ads": slots("U", "C", time=5)})
    assert changed(first, first) == {"gone": [], "files": {}}
    later = files_of({"slots.ads": slots("U", "C", time=305)})
    assert changed(first, later)["files"] == {
        "slots.ads": {"cells": {"MyCurrentTime": [None, [300]]}}
    }


def test_a_log_that_grows_keeps_its_beginning() -> None:
    found = changed(files_of({"log": "abc"}), files_of({"log": "abcde"}))
    assert found["files"] == {"log": {"keep": [3, 0], "text": "de"}}


# --- the file -----------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pool.history"


@pytest.mark.slow
def test_every_capture_comes_back(path: Path) -> None:
    campus = texts_of_folder(CAMPUS)
    captures = [
        {**campus, "slots.ads": campus["slots.ads"].replace("Busy", word)}
        for word in ("Busy", "Idle", "Busy", "Retiring", "Busy")
    ]
    for number, texts in enumerate(captures):
        # A recorder of its own for each capture goes on from what is in the file.
        with Recorder(path, every=2) as recorder:
            recorder.append(T + number, texts)
    with History(path) as history:
        moments = history.moments()
        assert [moment.group for moment in moments] == [1, 1, 3, 3, 5]
        assert [history.texts(moment) for moment in moments] == captures
        assert [texts_of(files) for _, files in history.sequence()] == captures
    assert is_history(path.read_bytes())
    assert not is_history(b"SQLite format 3\0".ljust(100, b"\0"))


def test_captures_come_in_order_of_time(path: Path) -> None:
    with Recorder(path) as recorder:
        recorder.append(T, pool("U"))
        with pytest.raises(HistoryError, match="not after the last capture, which is 1 s later"):
            recorder.append(T - 1, pool("U"))
        with pytest.raises(HistoryError, match="capture, which is 5214352 s later"):
            recorder.append(T - 5_214_352, pool("U"))
        assert len(recorder.moments()) == 1


def test_what_stays_in_memory_of_a_history_does_not_grow_with_it(tmp_path: Path) -> None:
    with Recorder(tmp_path / "pool.history") as recorder:
        (limit,) = recorder.base.execute("PRAGMA cache_size").fetchone()
        (page,) = recorder.base.execute("PRAGMA page_size").fetchone()
    assert (-limit * 1024 if limit < 0 else limit * page) <= 512 * 1024


def test_one_writer_at_a_time_and_readers_beside_it(path: Path) -> None:
    with Recorder(path) as recorder:
        recorder.append(T, pool("U"))
        with pytest.raises(HistoryError, match="another process is writing to it"):
            Recorder(path)
        with History(path) as history:
            assert len(history.moments()) == 1
    with Recorder(path) as recorder:
        assert recorder.last is not None


WRITER = """
import sys
from pathlib import Path
from pieslice.recording.store import Recorder
from tests.pieslice.test_recording import T, pool
with Recorder(Path(sys.argv[1])) as recorder:
    for number in range(100_000):
        jobs = {f"j{i}": "i" for i in range(number, 50 + number)}
        recorder.append(T + number, pool("UC" * 50, **jobs))
"""


@pytest.mark.slow
def test_a_writer_that_is_killed_loses_at_most_one_capture(path: Path) -> None:
    for _ in range(2):
        path.unlink(missing_ok=True)
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], cwd=Path(__file__).parents[2]
        )
        while not path.exists() or path.stat().st_size < 90_000:
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        with Recorder(path) as recorder:
            moments = recorder.moments()
            assert len(moments) > 3
            assert [moment.time for moment in moments] == [T + n for n in range(len(moments))]
            assert recorder.texts(moments[-1])["jobs.ads"].startswith(
                f"ClusterId = {len(moments) - 1}\n"
            )
            recorder.append(T + len(moments), pool("U"))


def test_what_a_killed_writer_left_is_told(path: Path) -> None:
    with Recorder(path) as recorder:
        recorder.append(T, pool("U"))
    # A journal that stands beside the file belongs to a transaction that was not finished.
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("PRAGMA cache_spill = 1")
    base.execute("PRAGMA cache_size = 1")
    base.execute("BEGIN IMMEDIATE")
    base.execute("CREATE TABLE more (x)")
    base.executemany("INSERT INTO more VALUES (?)", [(os.urandom(4000),) for _ in range(50)])
    copy = path.with_name("copy.history")
    copy.write_bytes(path.read_bytes())
    journal = path.with_name(f"{path.name}-journal")
    copy.with_name(f"{copy.name}-journal").write_bytes(journal.read_bytes())
    base.close()
    with Recorder(copy) as recorder:
        assert recorder.dropped is not None
        assert [moment.time for moment in recorder.moments()] == [T]
    with Recorder(copy) as recorder:
        assert recorder.dropped is None


def test_damage_is_told_with_what_can_still_be_read(path: Path) -> None:
    with Recorder(path, every=2) as recorder:
        for number in range(4):
            recorder.append(T + number, pool("U" * (number + 1)))
    base = sqlite3.connect(path)
    base.execute("UPDATE moment SET frame = substr(frame, 1, length(frame) - 5) WHERE number = 1")
    base.commit()
    base.close()
    with History(path) as history:
        early, late = history.moments()[1], history.moments()[3]
        with pytest.raises(HistoryError, match=r"capture 1 is damaged; captures from 3 on can be"):
            history.texts(early)
        assert history.texts(late) == pool("UUUU")


@pytest.mark.parametrize(
    "data",
    [
        b"[]", b"7", b"null", b"{", b"\xff", b"[" * 100_000, b'{"a": 1}', b'{"a": {}}',
        b'{"a": {"text": 5, "names": [1, 2]}}', b'{"../../x": {"text": "x"}}',
        b'{"/etc/x": {"text": "x"}}', b'{"": {"text": "x"}}', b'{"a\\u0000": {"text": "x"}}',
        b'{"a": {"edges": [0, 1], "names": [[["A"]], [9]], "values": {}}}',
        b'{"a": {"edges": [0, 1], "names": [[["A"]], 1], "values": {}}}',
        b'{"a": {"edges": [0, 1], "names": [[["A"]], 2], "values": {"A": [["1"], 1]}}}',
    ],
)  # fmt: skip
def test_frames_that_no_recorder_wrote_are_damage(path: Path, data: bytes) -> None:
    with Recorder(path) as recorder:
        recorder.append(T, pool("U"))
    for frame in (zlib.compress(data), zlib.compress(data)[:-3]):
        base = sqlite3.connect(path)
        base.execute("UPDATE moment SET frame = ?", (frame,))
        base.commit()
        base.close()
        with History(path) as history, pytest.raises(HistoryError, match=r"capture 1 is damaged$"):
            history.texts(history.moments()[0])


def test_a_frame_that_grows_without_end_is_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_BYTES", 10_000)
    with Recorder(path) as recorder:
        recorder.append(T, {"log": "x" * 20_000})
        with pytest.raises(HistoryError, match="capture 1 is damaged"):
            recorder.texts(recorder.moments()[0])


def test_files_that_are_no_history_are_refused(path: Path) -> None:
    with pytest.raises(HistoryError, match="no such history"):
        History(path)
    path.write_text("no database at all, but long enough to be looked at" * 20)
    with pytest.raises(HistoryError, match="damaged: file is not a database"):
        History(path)
    path.unlink()
    sqlite3.connect(path).execute("CREATE TABLE other (x)").connection.close()
    with pytest.raises(HistoryError, match="not a history"):
        History(path)
    with pytest.raises(HistoryError, match="not a history"):
        Recorder(path)


def test_another_version_is_refused(path: Path) -> None:
    with Recorder(path) as recorder:
        recorder.append(T, pool("U", j1="i"))
    base = sqlite3.connect(path)
    base.execute("PRAGMA user_version = 3")
    base.close()
    with pytest.raises(HistoryError, match="a history of version 3; this program knows 2"):
        History(path)


def test_tables_that_cannot_be_read_are_damage(path: Path) -> None:
    with Recorder(path) as recorder:
        recorder.append(T, pool("U"))
    data = path.read_bytes()
    assert b"CREATE TABLE" in data
    path.write_bytes(data.replace(b"CREATE TABLE", b"CREATE TUBLE"))
    for way_in in (History, Recorder):
        with pytest.raises(HistoryError, match="damaged: "):
            way_in(path)


def test_pages_that_are_torn_are_told(path: Path) -> None:
    with Recorder(path) as recorder:
        recorder.append(T, texts_of_folder(CAMPUS))
    data = bytearray(path.read_bytes())
    # All but the schema and the list of pages.
    data[3 * 4096 :] = os.urandom(len(data) - 3 * 4096)
    path.write_bytes(data)
    with pytest.raises(HistoryError, match=r"pool\.history: "), History(path) as history:
        history.texts(history.moments()[0])


def test_a_full_disk_adds_nothing(path: Path) -> None:
    campus = texts_of_folder(CAMPUS)
    with Recorder(path) as recorder:
        recorder.append(T, campus)
        (pages,) = recorder.base.execute("PRAGMA page_count").fetchone()
        recorder.base.execute(f"PRAGMA max_page_count = {pages + 1}")
        more = {**campus, "log": os.urandom(100_000).hex()}
        with pytest.raises(HistoryError, match="full"):
            recorder.append(T + 1, more)
        assert len(recorder.moments()) == 1
        recorder.base.execute(f"PRAGMA max_page_count = {pages + 1000}")
        recorder.append(T + 1, more)
        assert recorder.texts(recorder.moments()[1]) == more


def test_a_record_that_failed_leaves_nothing(tmp_path: Path) -> None:
    """Unless there was something before."""
    path = tmp_path / "h"
    assert main(["record", str(path), str(tmp_path / "none")]) == 2
    assert list(tmp_path.iterdir()) == []
    assert main(["record", str(path), str(CAMPUS)]) == 0
    before = path.read_bytes()
    assert main(["record", str(path), str(tmp_path / "none")]) == 2
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="no such folder"):
        Recorder(tmp_path / "none" / "pool.history")


def test_old_captures_go_in_whole_groups(path: Path) -> None:
    with Recorder(path, every=3) as recorder:
        for number in range(10):
            recorder.append(T + 100 * number, pool("U", **{f"j{number}": "i"}))
        assert recorder.bound(seconds=500) == 3
        assert [moment.number for moment in recorder.moments()] == list(range(4, 11))
        # Job 2 was there at captures 3 and 4 (as gone): what is only from before has been dropped.
        assert recorder.rows("SELECT min(cluster) FROM job WHERE last IS NOT NULL") == [(3,)]
        assert recorder.rows("SELECT count(*) FROM spell WHERE job <= 3") == [(0,)]
        assert recorder.texts(recorder.moments()[0]) == pool("U", j3="i")
        assert recorder.bound(size=1) == 6
        assert [moment.number for moment in recorder.moments()] == [10]
        assert recorder.bound(size=1, seconds=1) == 0


# --- what is noted ------------------------------------------------------------------------------


def test_jobs_are_noted_when_they_change(path: Path) -> None:
    with Recorder(path) as recorder:
        for number, states in enumerate(({"j1": "i"}, {"j1": "i"}, {"j1": "r2"}, {"j1": "h"}, {})):
            recorder.append(T + number, pool("U", **states))
        assert recorder.rows("SELECT moment, time - ?, status, slot FROM spell", T) == [
            (1, 0, 1, ""),
            (3, 2, 2, "slot2@m"),
            (4, 3, 5, ""),
            (5, 4, -1, ""),
        ]
        columns = "submitter, cpus, submitted - ?, first, last"
        assert recorder.rows(f"SELECT {columns} FROM job", T) == [("ann@x", 1.0, -100, 1, 4)]


def test_a_start_is_as_old_as_the_ad_tells(path: Path) -> None:
    started = jobs(j1="r1") + f"JobCurrentStartDate = {int(T) + 70}\n"
    too_old = jobs(j1="r1") + f"JobCurrentStartDate = {int(T) - 70}\n"
    for ads, told in ((started, 70), (too_old, 100)):
        path.unlink(missing_ok=True)
        with Recorder(path) as recorder:
            recorder.append(T, pool("U", j1="i"))
            recorder.append(T + 100, {"slots.ads": slots("U"), "jobs.ads": ads})
            assert recorder.rows("SELECT time - ? FROM spell WHERE status = 2", T) == [(told,)]


def test_slots_are_noted_while_they_are_empty(path: Path) -> None:
    with Recorder(path) as recorder:
        for number, states in enumerate(("UCCC", "UUUU", "CUO-", "CCUU")):
            recorder.append(T + number, pool(states))
        # Slot 1 was empty from before the first capture; 3 became its owner's, 4 went.
        assert recorder.rows(
            "SELECT slot, since - ?, until - ?, ended FROM vacancy ORDER BY slot", T, T
        ) == [("slot2@m", 1, 3, 1), ("slot3@m", 1, 2, 0), ("slot4@m", 1, 2, 0)]
        assert recorder.rows("SELECT claimed, cores FROM moment WHERE number = 1") == [(6, 8)]


def test_decisions_are_noted_with_their_jobs(path: Path) -> None:
    match = {"job": "1.0", "submitter": "nice-user.ann@x", "slot": "slot1@m", "preempted": "bob@x"}
    rejection = {"job": "9.0", "submitter": "ann@x", "reason": "no match found"}
    data = {"cycle_started_at": T + 5, "matches": [match], "rejections": [rejection]}
    with Recorder(path) as recorder:
        texts = {**pool("U", j1="i"), "expected.json": json.dumps(data)}
        assert recorder.append(T, texts).cycle == T + 5
        assert recorder.append(T + 1, {**texts, "expected.json": "{not json"}).cycle is None
        assert recorder.rows("SELECT * FROM decision") == [
            (1, 1, "slot1@m", "bob@x", None),
            (1, 0, None, None, "no match found"),
        ]


def test_without_a_record_the_next_capture_shows_what_a_cycle_did(path: Path) -> None:
    def rejected(ads: str, when: int) -> str:
        return f'{ads}LastRejMatchTime = {int(T) + when}\nLastRejMatchReason = "no match found"\n'

    def busy(ads: str, user: str) -> str:
        """Slot 2 is that user's."""
        return ads.replace('slot2@m"\n', f'slot2@m"\nRemoteUser = "{user}"\n')

    manifest = json.dumps({"cycle": {"time": int(T) + 31}})
    with Recorder(path) as recorder:
        first = pool("UCC", j1="i", j2="i", j3="i", j4="i")
        first["slots.ads"] = busy(first["slots.ads"], "bob@x")
        recorder.append(T, {**first, "jobs.ads": rejected(first["jobs.ads"], -5)})
        later = pool("CCC", j1="r1_4", j2="r2", j3="i", j4="i")
        later["jobs.ads"] = rejected(later["jobs.ads"], 33)
        recorder.append(T + 60, {**later, "capture.json": manifest})
        query = (
            "SELECT moment, cluster, slot, preempted, reason FROM decision JOIN job ON job = number"
        )
        assert recorder.rows(f"{query} ORDER BY cluster") == [
            (1, 1, "slot1@m", None, None),
            (1, 2, "slot2@m", "bob@x", None),
            (1, 4, None, None, "no match found"),
        ]
        assert [moment.cycle for moment in recorder.moments()] == [T + 31, None]
        # An old rejection, a job of the same user on the same claim, an old cycle: nothing new.
        still = pool("CCC", j1="r1_4", j3="r2", j4="i")
        still["slots.ads"] = busy(still["slots.ads"], "ann@x")
        recorder.append(T + 120, {**still, "capture.json": manifest})
        assert recorder.moments()[1].cycle is None
        # What the jobs tell is enough to know of a cycle.
        recorder.append(T + 180, {**still, "jobs.ads": rejected(still["jobs.ads"], 170)})
        assert recorder.moments()[2].cycle == T + 170
        assert recorder.rows("SELECT count(*) FROM decision") == [(4,)]


def claims(**requests: str) -> str:
    """Claims of slots that a schedd has been given, by the job that names the request."""
    return "\n".join(
        f'Name = "{slot}@m"\nState = "Claimed"\n_condor_RESOURCE_CLUSTER = {job[1:]}\n'
        f'_condor_RESOURCE_PROC = 0\nScheddName = "s"\n'
        for slot, job in requests.items()
    )


def test_who_has_to_leave_first_is_preempted_by_the_cycle_that_decided_it(path: Path) -> None:
    """Ann's request gets both slots of bob, who needs three captures to leave one of them."""
    states = [
        # Before the cycle, just after it, and before and after the next one.
        ("CC", {"j1": "i", "j2": "i"}, "", None),
        ("PP", {"j1": "i", "j2": "i"}, claims(slot1="j1", slot2="j1"), (2, 2)),
        ("CP", {"j1": "r1", "j2": "i"}, claims(slot1="j1", slot2="j1"), None),
        ("CC", {"j1": "r1", "j2": "r2"}, claims(slot1="j1", slot2="j1"), (62, 0)),
    ]
    cycle = {"time": int(T) - 60, "matches": 0}
    with Recorder(path) as recorder:
        for number, (slot_states, job_states, given, went) in enumerate(states):
            texts = pool(slot_states.replace("P", "C"), **job_states)
            for slot, state in enumerate(slot_states, 1):
                words = f'slot{slot}@m"\nRemoteUser = "{"bob" if number < 2 else "ann"}@x"\n'
                texts["slots.ads"] = texts["slots.ads"].replace(f'slot{slot}@m"\n', words)
                if state == "P":
                    was, now = (f'{words}State = "{word}"' for word in ("Claimed", "Preempting"))
                    texts["slots.ads"] = texts["slots.ads"].replace(was, now)
            if went is not None:
                cycle = {"time": int(T) + went[0], "matches": went[1]}
            manifest = json.dumps({"cycle": cycle})
            texts |= {"claims.ads": given, "capture.json": manifest}
            recorder.append(T + 30 * number, texts)
        decided = recorder.rows("SELECT moment, slot, preempted FROM decision ORDER BY slot")
        loads = recorder.rows("SELECT claimed FROM moment")
    assert decided == [(1, "slot1@m", "bob@x"), (1, "slot2@m", "bob@x")]
    assert loads == [(4.0,)] * 4  # a slot that has to be left is not empty
    with History(path) as history:
        found = summary(history)
        assert (found.matches, found.matches_seen) == (2, 2)
        assert [entry.what for entry in life(history, "2.0").entries][2:] == [
            "others like it matched",
            "not among the decisions of the cycle",
            "starts on slot2@m",
        ]


def test_cycles_within_the_second_of_a_capture_are_told_apart(path: Path) -> None:
    texts = pool("U", j1="i")
    with Recorder(path) as recorder:
        for at, cycle in ((0.2, -30), (0.4, -30), (0.9, 0), (1.5, 0), (3.0, 2)):
            # The negotiator tells the second in which its last cycle began.
            manifest = json.dumps({"cycle": {"time": int(T) + cycle}})
            recorder.append(T + at, {**texts, "capture.json": manifest})
        cycles = [moment.cycle for moment in recorder.moments()]
        assert cycles == [None, T + 0.4, None, T + 2, None]


def test_partitionable_slots_are_never_empty() -> None:
    ad = 'Name = "slot1@m"\nState = "Unclaimed"\nCpus = 3\nPartitionableSlot = true\n'
    found = sight(files_of({"slots.ads": ad, "jobs.ads": ""}))
    assert found.slots == {}
    assert found.load.cores == 3


def test_the_newest_time_is_found_in_the_ads() -> None:
    assert newest_time(texts_of_folder(CAMPUS)) == pytest.approx(1_795_214_351, abs=60)
    assert newest_time(pool("-", j1="i")) is None
    absurd = f"{slots('U', time=5)}LastHeardFrom = 999999999999999\n"
    assert newest_time({"slots.ads": absurd}) == 5
    assert newest_time({"slots.ads": "MyCurrentTime = 999999999999999\n"}) is None


@pytest.mark.parametrize(
    ("manifest", "time"),
    [('{"ended": 7.5}', 7.5), ("{}", 5), ("[]", 5), ("no JSON", 5), ('{"ended": "x"}', 5),
     ('{"ended": NaN}', 5), ('{"ended": true}', 5), ('{"ended": 1e15}', 5)],
)  # fmt: skip
def test_the_manifest_tells_the_time_of_a_capture(manifest: str, time: float) -> None:
    assert newest_time({"slots.ads": slots("U", time=5), "capture.json": manifest}) == time


def test_a_capture_of_just_the_age_that_is_kept_stays(path: Path) -> None:
    with Recorder(path, every=1) as recorder:
        for number in range(3):
            recorder.append(T + 100 * number, pool("U"))
        assert recorder.bound(seconds=200) == 0
        assert recorder.bound(seconds=199) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("aaa", "aa"),
        ("aa", "aaa"),
        ("abab", "ab"),
        ("", "a"),
        ("a", ""),
    ],
)
def test_texts_that_repeat_themselves_change_by_the_part_between(before: str, after: str) -> None:
    files = files_of({"log": before})
    apply(
        files, json.loads(json.dumps(changed(files_of({"log": before}), files_of({"log": after}))))
    )
    assert texts_of(files) == {"log": after}


@pytest.mark.parametrize(("before", "after"), [("1", "01"), ("-0", "1"), ("0", "-0"), ("9", "10")])
def test_numbers_change_by_a_step_only_if_their_text_follows(before: str, after: str) -> None:
    one, other = (files_of({"x.ads": f"Name = 1\nA = {text}\n"}) for text in (before, after))
    apply(one, json.loads(json.dumps(changed(one, other))))
    assert texts_of(one) == {"x.ads": f"Name = 1\nA = {after}\n"}


def test_rows_behind_a_new_first_row_are_found_again() -> None:
    one, other = (files_of({"slots.ads": slots(*states)}) for states in ("-CU", "OCU"))
    data = json.loads(json.dumps(changed(one, other)))
    assert data["files"]["slots.ads"]["runs"] == [[-1, 1], [0, 2]]
    apply(one, data)
    assert texts_of(one) == {"slots.ads": slots(*"OCU")}
