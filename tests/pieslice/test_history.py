"""Questions to a history: which capture --at means, lives of jobs, waits, the loading factor."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import random
import re
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path

import pytest
from attr import evolve
from hypothesis import given
from hypothesis import strategies as st

import pieslice
from negotiator.io import InputError
from pieslice.cli import main
from pieslice.history.answers import HistoryAnswer
from pieslice.history.life import Decision, find_job, life_of
from pieslice.history.questions import life, start, summary
from pieslice.history.start import (
    ENOUGH,
    Estimate,
    Experience,
    Lack,
    _outcome,
    record_of,
    wait_of,
)
from pieslice.history.summary import MomentLoad, distances, mean_load, vacancies_of
from pieslice.history.waits import Wait, curve
from pieslice.inputs.moments import moment_of, shown_time
from pieslice.recording.jobs import HistoryJob, Spell, all_jobs
from pieslice.recording.store import History, HistoryError, Moment, Recorder
from pieslice.reports.layout import TextTable
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.replay import recorded_jobs, recorded_seconds, run_times
from tests.pieslice.test_recording import CAMPUS, T, pool, texts_of_folder
from tests.pieslice.test_schemas import validate

ROOT = Path(__file__).parents[2]
NOON = 1_795_000_000


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def run(*words: object) -> tuple[int, str, str]:
    """Exit code, output, errors."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campus, as it was captured and five and ten minutes later with fewer jobs."""
    path = tmp_path_factory.mktemp("campus") / "pool.history"
    texts = texts_of_folder(CAMPUS)
    with Recorder(path) as recorder:
        for number in range(3):
            jobs = "\n\n".join(texts["jobs.ads"].strip("\n").split("\n\n")[100 * number :])
            recorder.append(NOON + 300 * number, {**texts, "jobs.ads": f"{jobs}\n"})
    return path


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every cycle of two simulated hours of a pool with two users."""
    path = tmp_path_factory.mktemp("simulated") / "day.history"
    workload = ROOT / "examples/workloads/two-users.toml"
    code, _, err = run("simulate", "10", "--workload", workload, "--days", "0.08", "--record", path)
    assert code == 0, err
    return path


# --- which capture --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "said"),
    [
        ((), "the last capture, of 2026-11-18 11:16:40 UTC"),
        (("--at", NOON), "the capture of 2026-11-18 11:06:40 UTC; its"),
        (("--at", NOON + 299), "the capture of 2026-11-18 11:06:40 UTC, 299 s before --at; its"),
        (("--at", "2026-11-18 11:12"), "the capture of 2026-11-18 11:11:40 UTC, 20 s before --at"),
        (("--at", "2026-11-18T12:12+01:00"), "the capture of 2026-11-18 11:11:40 UTC, 20 s"),
        (("--at", NOON + 1200), "the capture of 2026-11-18 11:16:40 UTC, 600 s before --at"),
    ],
)
def test_the_last_capture_at_or_before_a_time_is_taken(
    campus: Path, at: tuple[object, ...], said: str
) -> None:
    code, out, err = run("quotas", campus, *at)
    assert code == 0
    assert (out == run("quotas", CAMPUS)[1]) == ("11:06:40" in said)
    assert said in " ".join(err.split())


@pytest.mark.slow
def test_a_moment_answers_as_its_folder_does(campus: Path, tmp_path: Path) -> None:
    with History(campus) as history:
        texts = history.texts(history.moments()[1])
    folder = tmp_path / "moment"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    for words in (("negotiate", ...), ("why", ..., "8.0"), ("rank", ..., "15.5"), ("quotas", ...)):
        asked = [campus if word is ... else word for word in words]
        there = [folder if word is ... else word for word in words]
        code, out, err = run(*asked, "--at", NOON + 300, "--wide")
        assert (code, out.replace("pool.history at 2026-11-18 11:11:40", "moment")) == run(
            *there, "--wide"
        )[:2]
        assert "/tmp" not in err.replace(str(campus), "")


def test_local_time_is_meant_unless_a_zone_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    assert moment_of("2026-11-21 14:03") == moment_of("2026-11-21T13:03Z") == 1_795_266_180
    assert moment_of("1795266180.5") == 1_795_266_180.5


@pytest.mark.parametrize("text", ["", "yesterday", "nan", "inf", "1e400", "1e15", "2026-13-01"])
def test_other_times_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="neither seconds since the epoch nor an ISO 8601 time"):
        moment_of(text)


@pytest.mark.parametrize("at", [NOON - 1, NOON + 600 + 601, 0])
def test_a_time_outside_is_answered_with_the_span(campus: Path, at: int) -> None:
    code, out, err = run("why", campus, "8.0", "--at", at)
    assert (code, out) == (2, "")
    span = "the history goes from 2026-11-18 11:06:40 UTC to 2026-11-18 11:16:40 UTC"
    assert err == f"error: {campus}: --at {at}: {span}\n"


def test_at_needs_a_history(campus: Path) -> None:
    code, _, err = run("quotas", CAMPUS, "--at", NOON)
    assert code == 2
    assert err.startswith(f"error: --at {NOON}: the pool is no history\n")
    code, _, err = run("quotas", campus, CAMPUS)
    assert (code, "a pool has one folder or one history" in err) == (2, True)


@pytest.mark.slow
def test_programs_ask_about_moments_too(campus: Path) -> None:
    there = pieslice.read(CAMPUS).why("8.0").text()
    for at in (NOON + 10, "2026-11-18 11:07", datetime.fromtimestamp(NOON, UTC)):
        found = pieslice.read(campus, at=at)
        assert found.name == "pool.history at 2026-11-18 11:06:40"
        assert found.why("8.0").text() == there
        assert "the capture of 2026-11-18 11:06:40 UTC" in found.diagnostics[0].message
        assert found.with_config({"NEGOTIATOR_CONSIDER_PREEMPTION": False}).negotiate().matches
    with pytest.raises(pieslice.Error, match="the history goes from"):
        pieslice.read(campus, at=0)


def test_files_and_configurations_replace_those_of_a_moment(campus: Path, tmp_path: Path) -> None:
    config = tmp_path / "new_config"
    config.write_text("NEGOTIATOR_CONSIDER_PREEMPTION = False\n")
    _, out, _ = run("negotiate", campus, "--at", NOON, "--config", config, "--wide")
    there = run("negotiate", CAMPUS, "--config", config, "--wide")[1]
    called = f"pool {campus.name} at 2026-11-18 11:06:40: "
    assert out.replace(called, "pool campus: ") == there


@pytest.mark.slow
def test_two_moments_are_compared(campus: Path) -> None:
    code, out, err = run("diff", campus, "--at", NOON, "--at", NOON + 600)
    assert code == 1
    assert f"\nA: {campus} at {NOON}: " in out.replace("\n  ", " ")
    assert " ".join(err.split()).count("the capture of") == 2
    assert run("diff", campus, "--at", NOON, "--at", NOON)[0] == 0
    assert run("diff", campus, "--at", NOON)[0] == 2
    assert run("diff", campus, *["--at", NOON] * 3)[0] == 2
    config = ROOT / "examples/campus/no_preemption"
    code, out, err = run("diff", campus, "--at", NOON, "--config", config)
    assert (code, " ".join(err.split()).count("the capture of")) == (1, 1)


# --- adding captures ----------------------------------------------------------------------------


def test_captures_are_added_and_bounded(tmp_path: Path) -> None:
    path = tmp_path / "pool.history"
    code, out, _ = run("record", path, CAMPUS)
    assert code == 0
    assert "capture 1 of 2026-11-20 22:39:" in out
    code, out, _ = run("record", path, CAMPUS, "--time", NOON + 10**6, "--keep", 1)
    assert (code, out.count("\n")) == (0, 1)
    code, _, err = run("record", path, CAMPUS, "--time", NOON)
    assert (code, err.count("\n")) == (2, 1)
    assert "not after the last capture" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("none",), "none: no such folder"),
        (("empty",), "empty: no capture: slots.ads and jobs.ads are needed"),
        ((CAMPUS, "--time", "x"), "--time: `x` is neither seconds since the epoch nor"),
        ((CAMPUS, CAMPUS, "--time", "1"), "--time is of one capture: give one folder"),
    ],
)
def test_what_is_no_capture_is_not_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    code, out, err = run("record", "pool.history", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {said}")


def test_what_is_no_history_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "pool.history"
    for words in (("history", path), ("history", path, "1.0"), ("when", path, "1.0")):
        assert run(*words) == (2, "", f"error: {path}: no such history\n")
    with Recorder(path):
        for words in (("history", path), ("quotas", path)):
            assert run(*words) == (2, "", f"error: {path}: no capture in it yet\n")


def test_a_capture_in_the_place_of_a_history_is_told_what_makes_one_of_it() -> None:
    campus = ROOT / "examples" / "campus"
    for words in (("history", campus), ("when", campus, "8.0")):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert err.startswith(f"error: {campus}: a folder, and no history")
        assert f"`pieslice record FILE {campus}`" in err
        assert len(err.splitlines()) == 1


# --- what a simulation records -------------------------------------------------------------------


@pytest.mark.slow
def test_a_recorded_cycle_is_predicted_exactly(simulated: Path, tmp_path: Path) -> None:
    path, workload = tmp_path / "campus.history", ROOT / "examples/workloads/campus-day.toml"
    words = ("simulate", CAMPUS, "--workload", workload, "--days", "0.02", "--record", path)
    assert run(*words)[0] == 0
    check_predictions(path)
    check_predictions(simulated)


def check_predictions(path: Path) -> None:
    with History(path) as history:
        moments = history.moments()
        busy = [row[0] for row in history.rows("SELECT DISTINCT moment FROM decision")]
    assert len(busy) > 15
    for number in busy[::6]:
        code, out, err = run("negotiate", path, "--at", moments[number - 1].time)
        assert code == 0, err
        told = re.search(
            r"(\d+) of (\d+) decisions agree with expected.json", " ".join(out.split())
        )
        assert told is not None
        assert told[1] == told[2], out
        assert "made here only" not in out


def test_recorded_decisions_stand_line_by_line(simulated: Path) -> None:
    """One blank a level, as files of recorded decisions are written."""
    with History(simulated) as history:
        first = history.moments()[0]
        text = history.texts(first)["expected.json"]
    begin = ["{", ' "negotiator": "simulated",', f' "cycle_started_at": {first.time:.0f},']
    assert text.splitlines()[:5] == [*begin, ' "matches": [', "  {"]
    assert text.endswith("\n}\n")


@pytest.mark.slow
def test_a_recorded_simulation_is_the_same_simulation(simulated: Path, tmp_path: Path) -> None:
    workload = ROOT / "examples/workloads/two-users.toml"
    words = ("simulate", "10", "--workload", workload, "--days", "0.08")
    code, out, _ = run(*words, "--record", tmp_path / "again.history")
    plain = run(*words)[1]
    assert code == 0
    without_cycles = [line for line in out.splitlines() if "cycle" not in line]
    assert without_cycles == [line for line in plain.splitlines() if "cycle" not in line]
    with History(simulated) as one, History(tmp_path / "again.history") as other:
        assert one.moments() == other.moments()
    code, _, err = run(*words, "--record", tmp_path / "x", "--seeds", 2)
    assert (code, "--record keeps one run" in err) == (2, True)


@pytest.mark.slow
def test_a_recorded_simulation_can_be_taken_up(simulated: Path, tmp_path: Path) -> None:
    """Its history is that of a run that was never interrupted, even if its checkpoint is lost."""
    workload = ROOT / "examples/workloads/two-users.toml"
    words = ("simulate", "10", "--workload", workload, "--days", "0.08", "-o", tmp_path / "run")
    hold, count = Negotiator.cycle, itertools.count(1)

    def interrupted(negotiator: Negotiator, seconds: int) -> None:
        hold(negotiator, seconds)
        if next(count) == 40:
            signal.raise_signal(signal.SIGINT)

    path = tmp_path / "day.history"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Negotiator, "cycle", interrupted)
        assert run(*words, "--record", path)[0] == 130
    with History(path) as history:
        assert len(history.moments()) == 40
    (tmp_path / "run" / "checkpoint.json").unlink()
    assert run("simulate", "--resume", tmp_path / "run", "--record", path)[0] == 0
    with History(simulated) as one, History(path) as other:
        moments, again = one.moments(), other.moments()
        assert [moment.time for moment in again] == [moment.time for moment in moments]
        for number in (38, 39, 40, 41, -1):
            assert other.texts(again[number]) == one.texts(moments[number])


def test_a_life_is_told_cycle_by_cycle(simulated: Path) -> None:
    with History(simulated) as history:
        query = "SELECT cluster FROM job JOIN spell ON job.number = spell.job GROUP BY job "
        ((waited,), *_) = history.rows(f"{query} HAVING count(*) > 2 ORDER BY cluster DESC")
        found = life(history, f"{waited}.0")
        words = [entry.what for entry in found.entries]
        assert words[:2] == ["submitted", "first seen, idle"]
        assert any(word.startswith("starts on slot") for word in words)
        assert words[-1].startswith("gone from the queue, ran on slot")
        assert sum(entry.cycles for entry in found.entries) == found.cycles >= found.named > 0
        assert [entry.time for entry in found.entries] == sorted(e.time for e in found.entries)
    code, out, _ = run("history", simulated, f"{waited}.0", "--json")
    data = json.loads(out)
    assert (code, validate(data), data["job"]) == (0, "history-job", f"{waited}.0")
    assert len(data["life"]) == len(words)


def test_a_history_is_summed_up(simulated: Path) -> None:
    with History(simulated) as history:
        found = summary(history)
    assert found.cycles == found.captures
    assert found.distance == 60
    assert found.load is not None
    assert 0.1 < found.load <= 1
    assert found.gaps == ()
    code, out, _ = run("history", simulated)
    assert code == 0
    assert f"day.history: {found.captures} captures of one pool" in out
    data = json.loads(run("history", simulated, "--json")[1])
    assert data["matches"] == found.matches
    assert validate(data) == "history"


@pytest.mark.parametrize("command", ["history", "history 1.0", "when 1.0", "when 60.0", "why 60.0"])
def test_answers_fit_80_columns(simulated: Path, command: str) -> None:
    what, *job = command.split()
    code, out, err = run(what, simulated, *job)
    assert code == 0
    assert [line for line in (out + err).splitlines() if len(line) > 80] == []
    wide = run(what, simulated, *job, "--wide")[1]
    assert len(wide.splitlines()) <= len(out.splitlines())


def test_unknown_jobs_are_answered_with_those_near(simulated: Path) -> None:
    code, _, err = run("history", simulated, "99999.0")
    assert (code, err.count("\n")) == (2, 1)
    assert "job `99999.0` was never seen; the nearest clusters are " in err
    assert " (seen from 2027-01-15 " in err
    assert "cluster 1 has 1.0" in run("when", simulated, "1.7")[2]
    assert "`one` is not a job id" in run("history", simulated, "one")[2]


def test_jobs_of_several_queues_are_asked_for_by_queue(tmp_path: Path) -> None:
    with Recorder(tmp_path / "h") as recorder:
        texts = pool("U", j1="i")
        other = texts["jobs.ads"].replace('"s#1', '"t#1')
        recorder.append(T, {**texts, "jobs.ads": f"{texts['jobs.ads']}\n{other}"})
        with pytest.raises(HistoryError, match=r"in several queues: `?s#1\.0`?"):
            find_job(recorder, "1.0")
        assert find_job(recorder, "t#1.0").schedd == "t"


# --- replaying ------------------------------------------------------------------------------------


def test_a_replay_has_the_jobs_as_they_came(simulated: Path, tmp_path: Path) -> None:
    code, out, err = run("simulate", "--replay", simulated, "--json", "-o", tmp_path / "run")
    assert code == 0, err
    with History(simulated) as history:
        jobs, first = all_jobs(history), history.moments()[0].time
    summary_ = json.loads(out)
    text = (tmp_path / "run" / "events.csv").read_text()
    events = list(csv.DictReader(text.splitlines()))
    submitted = sorted(
        (int(row["time"]), row["user"]) for row in events if row["event"] == "submit"
    )
    assert submitted == sorted((round(job.begun - first), job.submitter) for job in jobs)
    # Jobs that ended ran for as long again.
    ran = {job.number: job.spells[-1].time - job.spells[-2].time for job in jobs if job.last}
    assert ran
    took = [
        int(end["time"]) - int(start["time"])
        for start in events
        if start["event"] == "start"
        for end in events
        if (end["event"], end["job"]) == ("finish", start["job"])
    ]
    assert sorted(took)[0] == min(round(time) for time in ran.values())
    assert summary_["complete"]


def test_a_replay_can_be_another_pool_time_or_policy(simulated: Path, tmp_path: Path) -> None:
    config = tmp_path / "new"
    config.write_text("NEGOTIATOR_INTERVAL = 300\n")
    words = ("simulate", "20", "--replay", simulated, "--days", "0.02", "--config", config)
    code, out, err = run(*words)
    assert code == 0, err
    assert "negotiation cycles                    6\n" in out
    code, _, err = run("simulate", "--replay", simulated, "--workload", "capture")
    assert (code, "--replay names the workload" in err) == (2, True)
    code, _, err = run("simulate", simulated, "--workload", "capture", "--days", "0.01")
    assert code == 0, err


def test_what_cannot_be_replayed_is_told(tmp_path: Path) -> None:
    assert run("simulate", "--replay", tmp_path / "none")[2].endswith("none: no such history\n")
    with Recorder(tmp_path / "h") as recorder:
        assert run("simulate", "--replay", tmp_path / "h")[2].endswith("no capture in it yet\n")
        recorder.append(T, pool("U"))
    assert run("simulate", "--replay", tmp_path / "h")[2].endswith("no time to replay\n")


def test_a_replay_begins_with_the_jobs_that_ran_and_leaves_out_those_that_never_did(
    tmp_path: Path,
) -> None:
    """Who did not end runs as long as half of the others; nobody knows it better."""

    def later(texts: dict[str, str], number: int, submitted: float) -> dict[str, str]:
        before, ad, rest = texts["jobs.ads"].partition(f"ClusterId = {number}\n")
        rest = re.sub(r"QDate = \d+", f"QDate = {submitted:.0f}", rest, count=1)
        return {**texts, "jobs.ads": before + ad + rest}

    path = tmp_path / "h"
    with Recorder(path) as recorder:
        recorder.append(T, pool("CU", j2="i", j1="r1", j3="i", j4="i"))
        recorder.append(T + 100, later(pool("CU", j2="r1", j4="i", j5="i"), 5, T + 60))
        recorder.append(T + 300, later(pool("UC", j4="i", j5="r2"), 5, T + 60))

    def told(seconds: int) -> list[tuple[int, int, int]]:
        found = recorded_jobs(path, seconds)
        assert {job.user for job in found} == {"ann@x"}
        return [(int(job.ad["ClusterId"]), job.submit, job.run_time) for job in found]

    assert told(61) == [(1, 0, 100), (2, 0, 200), (4, 0, 150), (5, 60, 150)]
    assert told(60) == told(0) == [(1, 0, 100), (2, 0, 200), (4, 0, 150)]
    assert recorded_seconds(path) == 300


def test_run_times_are_those_of_the_last_run() -> None:
    def one(number: int, user: str, *spells: Spell, last: int | None = None) -> HistoryJob:
        return HistoryJob(number, "s", number, 0, user, "", "req", 1.0, T, 1, last, spells)

    def at(time: float, status: int) -> Spell:
        return Spell(1, T + time, status, "")

    jobs = [
        one(1, "ann", at(0, 1), at(10, 2), at(40, 1), at(50, 2), at(150, -1), last=9),
        one(2, "ann", at(-50, 2), at(20, -1), last=9),
        one(3, "ann", at(0, 1), at(900, 2)),
        one(4, "ann", at(0, 1)),
        one(5, "bob", at(0, 1), at(990, 2)),
        one(6, "bob", at(0, 1), at(5, -1), last=9),
    ]
    assert run_times(jobs, T, T + 1000) == {1: 100, 2: 20, 3: 100, 4: 60, 5: 60}


# --- lives ----------------------------------------------------------------------------------------


def moments(count: int) -> list[Moment]:
    return [Moment(n, T + 60 * n, T + 60 * n + 5, 1, 100, 10) for n in range(1, count + 1)]


def job(*spells: Spell) -> HistoryJob:
    first = spells[0].moment
    return HistoryJob(1, "s", 1, 0, "ann@x", "", "req", 1.0, T, first, None, spells)


def idle(moment: int) -> Spell:
    return Spell(moment, T + 60 * moment, 1, "")


def running(moment: int, slot: str = "slot1_2@m") -> Spell:
    return Spell(moment, T + 60 * moment, 2, slot)


def test_equal_fates_are_one_line() -> None:
    def rejected(moment: int, reason: str, *, own: bool = False) -> Decision:
        return Decision(moment, own, "1.0", "ann@x", None, None, reason)

    found = life_of(
        job(idle(1)),
        moments(8),
        [
            *(rejected(n, "no match found", own=n == 2) for n in (1, 2, 4)),
            Decision(4, False, "7.0", "ann@x", "slot9@m", None, None),
            rejected(5, "limit reached"),
            Decision(6, False, "7.0", "ann@x", "slot9@m", None, None),
            Decision(7, False, "7.0", "bob@x", "slot1@m", "ann@x", None, alike=False),
        ],
        {},
    )
    assert [(entry.cycles, entry.what) for entry in found.entries[2:]] == [
        (2, "rejected: no match found"),
        (1, "not among the decisions of the cycle"),
        (1, "rejected: no match found (others like it matched first: once)"),
        (1, "rejected: limit reached"),
        (1, "others like it matched"),
        (2, "not among the decisions of the cycle"),
    ]
    assert (found.cycles, found.named) == (8, 5)


def test_a_preemption_is_told_with_who_took_the_slot() -> None:
    taken = Decision(3, False, "9.0", "bob@x", "slot1@m", "ann@x", None, alike=False)
    early = Decision(1, False, "8.0", "eve@x", "slot1@m", "ann@x", None, alike=False)
    lives = job(running(2), idle(4))
    found = life_of(lives, moments(3), [early, taken], {})
    told = "idle again, ran on slot1_2@m: preempted for job 9.0 of bob@x"
    assert [entry.what for entry in found.entries][2] == told
    found = life_of(lives, moments(3), [early], {4: "job 7.0 of eve@x"})
    told = (
        "idle again, ran on slot1_2@m: no preemption recorded; then job 7.0 of eve@x had the slot"
    )
    assert [entry.what for entry in found.entries][2] == told


def test_cycles_that_were_not_recorded_are_not_counted() -> None:
    unknown = [Moment(n, T + n, None, 1, 1, 1) for n in (1, 2)]
    found = life_of(job(idle(1), running(3)), unknown, [], {})
    assert (found.cycles, found.named) == (0, 0)
    assert [entry.what for entry in found.entries] == [
        "submitted", "first seen, idle", "starts on slot1_2@m",
    ]  # fmt: skip


# --- waits ----------------------------------------------------------------------------------------


def test_the_estimate_is_that_of_kaplan_and_meier() -> None:
    # Remission of leukemia under 6-MP, the example that textbooks use (Freireich et al. 1963).
    started = (6, 6, 6, 7, 10, 13, 16, 22, 23)
    lost = (6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35)
    waits = [*(Wait(0, t, True) for t in started), *(Wait(0, t, False) for t in lost)]
    found = curve(waits)
    shares = {6: 0.857, 7: 0.807, 10: 0.753, 13: 0.690, 16: 0.627, 22: 0.538, 23: 0.448}
    assert [round(found.share(t), 3) for t in shares] == list(shares.values())
    assert found.share(5.9) == 1
    assert found.quantile(0.5) == 23
    assert found.quantile(0.6) is None
    assert found.later(13) == 3


@given(st.lists(st.integers(0, 50), min_size=1), st.floats(0.01, 1), st.integers(0, 50))
def test_without_censoring_quantiles_are_those_of_the_sample(
    times: list[int], part: float, waited: int
) -> None:
    found = curve([Wait(0, float(time), True) for time in times])
    later = sorted(time for time in times if time > waited)
    assert found.later(waited) == len(later)
    if later:
        expected = later[max(0, math.ceil(part * len(later) - 1e-9) - 1)]
        assert found.quantile(part, waited) == expected
    else:
        assert found.quantile(part, waited) is None


def test_who_was_seen_late_counts_from_there_on() -> None:
    # Without the delayed entry the two that were seen late would make the short wait rare.
    waits = [Wait(0, 1, True), Wait(0, 5, True), Wait(4, 5, True), Wait(4, 6, True)]
    found = curve(waits)
    assert found.share(1) == 0.5
    assert found.share(5) == pytest.approx(0.5 * (1 - 2 / 3))


def recorded(
    count: int, wait: Callable[[int], float], request: str = "req", submitter: str = "ann@x"
) -> list[HistoryJob]:
    """A job each minute; who waits less than no time is idle at the end."""
    found = []
    for n in range(count):
        begun, takes = T + 60 * n, wait(n)
        spells = [Spell(n, begun, 1, "")]
        if takes > 0:
            spells.append(Spell(n + 1, begun + takes, 2, "slot1@m"))
        found.append(HistoryJob(n, "s", n, 0, submitter, "", request, 1.0, begun, n, None, spells))
    return found


def seen_until(end: float) -> Callable[[HistoryJob], tuple[float, float]]:
    return lambda job: (job.spells[0].time, end)


def test_the_narrowest_kind_with_enough_starts_is_taken() -> None:
    end = T + 10**6
    jobs = recorded(ENOUGH, lambda n: 100 + n) + recorded(100, lambda n: 7, "other", "bob@x")
    known = Experience(jobs, seen_until(end), end)
    found = known.estimate(jobs[0], 0.0)
    assert isinstance(found, Estimate)
    assert (found.kind, found.starts) == ("of ann@x that ask for the same", ENOUGH)
    assert (found.early, found.likely, found.late) == (101, 109, 117)
    # After more than the shortest waits too few of ann's are left, of anybody's not enough either.
    lack = known.estimate(jobs[0], 105.0)
    assert isinstance(lack, Lack)
    assert lack.starts == ENOUGH - 6
    stranger = HistoryJob(0, "s", 0, 0, "eve@x", "", "new", 1.0, T, 0, None, [Spell(0, T, 1, "")])
    wide = known.estimate(stranger, 0.0)
    assert isinstance(wide, Estimate)
    assert wide.kind == "of anybody with as many cores"


def test_jobs_that_wait_on_leave_the_end_open() -> None:
    end = T + 10**6
    jobs = recorded(60, lambda n: 50 if n % 3 else -1)
    found = Experience(jobs, seen_until(end), end).estimate(jobs[0], 0.0)
    assert isinstance(found, Estimate)
    assert (found.early, found.likely, found.late) == (50, 50, None)


def test_the_interval_covers_what_it_says_on_later_jobs() -> None:
    rng = random.Random(1)
    jobs = recorded(2000, lambda n: rng.expovariate(1 / 600) + 1)
    span = (T, T + 60 * 2000 + 10**5)
    found = record_of(jobs, seen_until(span[1]), (T, T + 60 * 2000))
    assert found.coverage is not None
    assert 0.74 < found.coverage < 0.86
    assert found.within + found.sooner + found.later + found.open + found.without == 599


def test_a_pool_that_becomes_slower_shows_in_the_record() -> None:
    jobs = recorded(1000, lambda n: 100.0 + n % 10 if n < 700 else 5000.0)
    found = record_of(jobs, seen_until(T + 10**6), (T, T + 60_000))
    assert found.coverage == 0
    assert found.later > 100


@pytest.mark.parametrize(
    ("wait", "outcome"),
    [
        (9.0, "sooner"), (10.0, "within"), (15.0, "within"), (20.0, "within"), (21.0, "later"),
    ],
)  # fmt: skip
def test_what_became_of_an_estimate(wait: float, outcome: str) -> None:
    """Both ends of the interval are within."""
    known = Estimate(10.0, 15.0, 20.0, "of anybody", 30, 40)
    assert _outcome(known, Wait(0.0, wait, True)) == outcome
    assert _outcome(known, Wait(0.0, wait, False)) == ("later" if wait > 20 else "open")
    assert _outcome(evolve(known, late=None), Wait(0.0, wait, True)) == "without"
    assert _outcome(Lack(3, None), Wait(0.0, wait, True)) == "without"


def test_the_first_part_knows_nothing_of_the_later_one() -> None:
    # All started, but after the split: nothing was known of any wait then.
    jobs = recorded(100, lambda n: 10**5)
    found = record_of(jobs, seen_until(T + 10**6), (T, T + 6000))
    assert (found.within, found.sooner, found.later) == (0, 0, 0)
    assert found.without > 0


def test_when_answers_or_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "h"
    with Recorder(path) as recorder:
        for n in range(60):
            alive = {f"j{k}": "i" if k > n - 3 else f"r{k}" for k in range(max(1, n - 9), n + 2)}
            texts = pool("U", **alive)
            jobs = texts["jobs.ads"].replace(f"QDate = {int(T) - 100}\n", "")
            recorder.append(T + 60 * n, {**texts, "jobs.ads": jobs})
        found = start(recorder, "60.0")
        assert isinstance(found.estimate, Estimate)
        assert start(recorder, "1.0").estimate is None
    code, out, _ = run("when", path, "60.0")
    assert code == 0
    for words in ("not before", "likely", "within", "track record: of "):
        assert words in out
    assert "; it has left the first wait" in " ".join(run("when", path, "1.0")[1].split())
    data = json.loads(run("when", path, "60.0", "--json")[1])
    assert data["estimate"]["not_before"] <= data["estimate"]["likely"]
    assert validate(data) == "when"
    small = tmp_path / "small"
    with Recorder(small) as recorder:
        recorder.append(T, pool("U", j1="i", j2="i"))
        recorder.append(T + 86_400, pool("U", j1="i", j2="r1"))
    code, out, _ = run("when", small, "1.0")
    text = " ".join(out.split())
    assert code == 0
    assert "not enough history to tell when it starts" in text
    assert "20 are needed" in text
    assert validate(json.loads(run("when", small, "1.0", "--json")[1])) == "when"


# --- the loading factor ---------------------------------------------------------------------------


def test_loads_are_means_over_time_without_gaps() -> None:
    times = (0, 10, 20, 30, 130)
    found = [Moment(n, float(time), None, 1, 1, 1) for n, time in enumerate(times)]
    assert distances(found) == (10, ((30.0, 100.0),))
    loads = [MomentLoad(claimed, 10, 0, 1) for claimed in (0, 10, 10, 10, 10)]
    load, cores, waiting, runs = mean_load(found, loads)
    assert (load, cores, waiting, runs) == (0.8, 10, 0, 1)


def test_gaps_are_told_from_the_intervals_that_were_planned() -> None:
    # Two captures around each cycle, a second apart; at 120 a cycle of a minute is missed.
    times = (0, 1, 60, 61, 120, 121, 240, 241)
    found = [Moment(n, float(time), None, 1, 1, 1, 60.0) for n, time in enumerate(times)]
    assert distances(found) == (1, ())
    found += [Moment(8, 362.0, None, 1, 1, 1, 300.0), Moment(9, 900.0, None, 1, 1, 1, 60.0)]
    assert distances(found)[1] == ((241.0, 121.0),)


def planned(number: int, *, matches: int | None, interval: int = 60) -> dict[str, str]:
    """A capture between cycles of a minute each, of which the last had so many matches."""
    told = {} if matches is None else {"matches": matches, "rejections": 2 * matches}
    cycle = {"time": T + 60 * number - 30, "interval": interval, **told}
    manifest = {"ended": T + 60 * number, "cycle": cycle}
    return {**pool("UUU", j1="i", j2="i"), "capture.json": json.dumps(manifest)}


def test_matches_are_counted_by_the_numbers_of_the_negotiator(tmp_path: Path) -> None:
    """Jobs that started and ended between two captures left no trace in the queue."""
    path = tmp_path / "pool.history"
    with Recorder(path) as recorder:
        recorder.append(T, planned(0, matches=9))
        recorder.append(T + 60, planned(1, matches=3))
        recorder.append(T + 120, planned(2, matches=4))
        # A negotiator that does not tell: one job was seen to start.
        started = pool("CUU", j1="r1", j2="i")
        recorder.append(T + 180, {**planned(3, matches=None), **started})
    with History(path) as history:
        found = summary(history)
    assert (found.matches, found.rejections, found.cycles) == (3 + 4 + 1, 6 + 8, 3)
    assert found.matches_seen == 1
    rows = [
        block.rows for block in HistoryAnswer("h", found).blocks() if isinstance(block, TextTable)
    ]
    told = "3 with decisions: 8 matches as the negotiator counts (1 seen), 14 rejections"
    assert ("cycles", told) in rows[0]


@pytest.mark.parametrize("written", [False, True])
def test_a_history_of_the_version_before_is_read_and_added_to(
    tmp_path: Path, written: bool
) -> None:
    path = tmp_path / "pool.history"
    with Recorder(path) as recorder:
        recorder.append(T, planned(0, matches=9))
        recorder.append(T + 60, {**planned(1, matches=3), **pool("CUU", j1="r1", j2="i")})
    base = sqlite3.connect(path)
    for column in ("interval", "matches", "rejections"):
        base.execute(f"ALTER TABLE moment DROP COLUMN {column}")
    base.execute("PRAGMA user_version = 1")
    base.commit()
    base.close()
    expected = 1
    if written:
        with Recorder(path) as recorder:
            recorder.append(T + 120, {**planned(2, matches=4), **pool("CUU", j1="r1", j2="i")})
        expected += 4
    with History(path) as history:
        assert (history.version, summary(history).matches) == (1 + written, expected)
        assert history.moments()[-1].interval == (60.0 if written else None)
        assert "jobs.ads" in history.texts(history.moments()[-1])


def test_slots_that_are_still_empty_count() -> None:
    found = vacancies_of([(0, 10, True), (0, 30, True), (5, None, False), (0, 20, False)], 100)
    assert (found.count, found.refilled) == (4, 2)
    assert found.within == (30, None)


def test_a_preemption_is_one_of_the_cycles_since_the_job_was_seen_running() -> None:
    lives = job(running(2), idle(4))
    for moment, known in ((1, False), (2, True), (3, True), (4, False)):
        taken = Decision(moment, False, "9.0", "bob@x", "slot1@m", "ann@x", None, alike=False)
        found = life_of(lives, moments(4), [taken], {})
        assert ("preempted for" in found.entries[2].what) is known, moment


def test_a_job_that_had_waited_when_it_was_first_seen_counts_from_then_on() -> None:
    late = job(idle(1), running(3))  # submitted at T, first seen a minute later
    assert wait_of(late, T + 60, T + 600, T + 600) == Wait(60.0, 180.0, True)
    assert wait_of(late, T - 60, T + 600, T + 600) == Wait(0.0, 180.0, True)
    assert wait_of(late, T + 60, T + 600, T + 120) == Wait(60.0, 120.0, False)
    assert wait_of(late, T + 60, T + 600, T + 59) is None


def test_times_that_no_calendar_reaches_are_shown_as_numbers() -> None:
    assert shown_time(1.8e14) == "180000000000000"
    assert shown_time(-1e300).startswith("-1000000")
    assert shown_time(math.inf) == "inf"
    assert shown_time(86400.0, "%Y") == "1970"
