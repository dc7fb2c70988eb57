"""`pieslice watch`: what rules see of a pool, where alerts go, running pools and recorded ones."""

from __future__ import annotations

import http.server
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from classad import ClassAd
from negotiator.capture.files import CapturePaths
from negotiator.io import Capture, read_capture
from pieslice.alerts import command
from pieslice.alerts.circumstances import silent_daemons
from pieslice.alerts.command import _resumed, is_next
from pieslice.alerts.course import Alert, AlertChange, AlertCourse
from pieslice.alerts.kinds import Target
from pieslice.alerts.looking import Circumstances, _emptied, look
from pieslice.alerts.reading import read_rules
from pieslice.alerts.sighting import POOL, SeenGroup, Sighting, Unused
from pieslice.alerts.telling import AlertsAnswer, Health, deliveries, post, prometheus, run, shown
from pieslice.cli import main
from pieslice.recording.store import History, Recorder
from pieslice.reports.layout import render_plain
from pieslice.shadow import loop
from pieslice.why.answer import explain_job
from pieslice.why.asked import find_job
from pieslice.why.moments import AskedCycle
from tests.pieslice.test_alerts import job, rule
from tests.pieslice.test_recording import CAMPUS, texts_of_folder
from tests.pieslice.test_schemas import validate

HOST = "cm.campus.example"
EXAMPLES = Path(__file__).parents[2] / "examples"
NOON = 1_795_000_000
Place = Callable[..., Path]


def seen(pool: Capture) -> Sighting:
    return look(pool, lambda result: Circumstances(result.now))


@pytest.fixture(scope="module")
def tour() -> Capture:
    return read_capture(CapturePaths(EXAMPLES / "tour"))


# --- what rules see of a pool ---------------------------------------------------------------------


def test_jobs_could_run_that_only_a_limit_or_quota_is_against(tour: Capture) -> None:
    able = {one.id: one.able for one in seen(tour).waiting}
    # 13.0: a concurrency limit, 14.0: its group has nothing left; the others match no slot.
    assert {name for name, could in able.items() if could} == {"13.0", "14.0"}
    assert set(able) > {"13.0", "14.0"}


@pytest.mark.slow
def test_an_alert_says_of_a_job_what_why_says(tour: Capture) -> None:
    for pool in (tour, read_capture(CapturePaths(CAMPUS))):
        firsts = {(one.submitter, one.why.partition("(")[0]): one for one in seen(pool).waiting}
        for one in firsts.values():
            asked = find_job(pool.snapshot, one.id)
            assert explain_job(AskedCycle.of(pool, 0), asked).summary() == one.text


def test_cores_count_that_jobs_want_and_nobody_has(tour: Capture) -> None:
    unused = seen(tour).unused
    assert (unused[POOL].cores, unused[POOL].jobs) == (2, 2)
    assert unused["physics"].cores == 1


def test_a_job_that_starts_on_what_a_match_leaves_does_not_wait(tmp_path: Path) -> None:
    """Four cores, of which the cycle gives one; the schedd fills the rest, and one job waits on."""
    fits = "TARGET.RequestCpus <= Cpus && TARGET.RequestMemory <= Memory"
    slot = (
        'MyType = "Machine"\nName = "slot1@m"\nState = "Unclaimed"\nPartitionableSlot = true\n'
        "Cpus = 4\nMemory = 4096\nTotalSlotCpus = 4\nTotalSlotMemory = 4096\nCurrentRank = 0.0\n"
        f'MachineResources = "Cpus Memory"\nRequirements = {fits}\nMyCurrentTime = {NOON}\n'
    )
    (tmp_path / "slots.ads").write_text(slot)
    head = 'MyType = "Job"\nClusterId = 1\nUser = "ann@d"\nOwner = "ann"\nRequirements = true\n'
    body = "JobStatus = 1\nJobUniverse = 5\nRequestCpus = 1\nRequestMemory = 128\n"
    ads = [f"{head}{body}ProcId = {proc}\n" for proc in range(5)]
    (tmp_path / "jobs.ads").write_text("\n".join(ads))
    sighting = seen(read_capture(CapturePaths(tmp_path)))
    assert [one.id for one in sighting.waiting] == ["1.4"]
    assert sighting.users["ann@d"].matched == 4
    # Nor is what they take something that nobody has.
    assert sighting.unused == {}


def test_what_runs_and_what_the_cycle_takes(tour: Capture) -> None:
    sighting = seen(tour)
    run = next(one for one in sighting.running.values() if one.slot == "slot1@node4")
    assert run.submitter in sighting.users
    assert sighting.taken["slot1@node4"].startswith("rank preemption for job 10.0 of ")
    assert set(sighting.holders) >= {one.slot for one in sighting.running.values()}
    assert sighting.groups["physics"] == SeenGroup(11.0, 16.0)
    limit = sighting.limits["matlab"]
    assert [one.id for one in limit.refused] == ["13.0"]


def test_a_machine_whose_slots_are_taken_counts_as_if_it_were_empty() -> None:
    whole = ClassAd('[Name = "slot1@m"; PartitionableSlot = true; Cpus = 0; TotalSlotCpus = 8]')
    part = ClassAd('[Name = "slot1_1@m"; DynamicSlot = true; Cpus = 8]')
    (machine,) = _emptied([whole, part])
    assert machine["Cpus"] == 8
    assert whole["Cpus"] == 0


def test_daemons_that_did_not_answer_are_told_by_their_names() -> None:
    lines = ("jobs: s2@x: no answer within 20 s", "claims: s2@x: it refuses", "jobs: odd")
    assert silent_daemons(lines) == {"s2@x": lines[0], "jobs": lines[2]}


@pytest.mark.parametrize(
    ("last", "cycle", "next_"),
    [
        ({"time": 100, "interval": 60}, {"time": 160}, True),
        ({"time": 100, "interval": 60}, {"time": 105}, True),
        ({"time": 100, "interval": 60}, {"time": 220}, False),
        ({"time": 100, "interval": 60}, {"time": 100}, False),
        ({"time": 100}, {"time": 160}, True),
        ({}, {"time": 160}, False),
        ({"time": 100}, {}, False),
    ],
)
def test_which_cycle_is_the_very_next_one(
    last: dict[str, int], cycle: dict[str, int], next_: bool
) -> None:
    assert is_next(last, cycle) is next_


# --- where alerts go ------------------------------------------------------------------------------


def change(subject: str = "alice@x", *, begins: bool = True, name: str = "starving") -> AlertChange:
    alert = Alert(name, "idle-user", subject, NOON, NOON - 600, 10, f"nothing of {subject}", "why")
    return AlertChange(begins, NOON + (0 if begins else 600), alert)


def text_of(*changes: AlertChange) -> str:
    return render_plain(shown(changes), 80)


def test_an_alert_is_two_lines_and_its_end_one() -> None:
    begins, why, ends = text_of(change(), change(begins=False)).splitlines()
    assert begins == "11-18 11:06:40 begin starving: nothing of alice@x"
    assert why == "    why"
    assert ends == "11-18 11:16:40 end   starving: alice@x, after 10 min"


def test_seven_alerts_of_one_rule_are_one_on_the_screen() -> None:
    lines = text_of(*(change(f"u{n}@x") for n in range(7)), change(name="other")).splitlines()
    assert lines[0].endswith("begin starving: nothing of u0@x")
    assert lines[2] == "    the first of 7 alerts of starving that begin now"
    assert lines[3].endswith("begin other: nothing of alice@x")
    assert len(lines) == 5


def test_alerts_are_metrics() -> None:
    course = AlertCourse(read_rules('[[rule]]\nkind = "idle-user"\nname = "a\\"b"\n', "x"))
    first = job(1)
    sighting = Sighting(
        NOON,
        waiting=(first, job(2), job(3, able=False)),
        groups={"physics": SeenGroup(1, 1), "chemistry": SeenGroup(1, 1)},
        unused={POOL: Unused(7.0, 2, first), "physics": Unused(3.0, 2, first)},
        seconds=2.0,
    )
    found = prometheus("cm", course, sighting, Health(True, 1, NOON - 1.0, NOON + 4.0))
    for line in (
        'up{pool="cm"} 1',
        'alerts{pool="cm",rule="a\\"b"} 0',
        'age_seconds{pool="cm"} 5.0',
        f'last_cycle_timestamp_seconds{{pool="cm"}} {NOON}',
        'cycle_seconds{pool="cm"} 2.0',
        'missing_daemons{pool="cm"} 1',
        'starving_jobs{pool="cm",group="chemistry"} 0',
        'starving_jobs{pool="cm",group="physics"} 2',
        'unused_cores{pool="cm"} 7.0',
        'group_unused_cores{pool="cm",group="physics"} 3.0',
        'group_unused_cores{pool="cm",group="chemistry"} 0',
    ):
        assert f"pieslice_watch_{line}\n" in found
    before = prometheus("cm", course, None, Health(False, 0, None, NOON))
    assert 'pieslice_watch_up{pool="cm"} 0\n' in before


def test_a_command_gets_documents_and_texts(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    script = (
        "import os, sys; open(sys.argv[1], 'w').write(sys.stdin.read() + os.environ[sys.argv[2]])"
    )
    words = (sys.executable, "-c", script, str(kept), "PIESLICE_TEXT")
    run(words, [change("a\x1b\0b"), change(begins=False)], "cm")
    document, end = json.JSONDecoder().raw_decode(kept.read_text())
    assert [validate(item) for item in document] == ["alert", "alert"]
    assert [item["event"] for item in document] == ["begin", "end"]
    assert kept.read_text()[end:].splitlines() == [
        "begin starving: nothing of a\\x1b\\x00b", "end starving: nothing of alice@x",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-c", "import sys; sys.exit('no such pager')"), "exit status 1: no such pager"),
        (("-c", "import time; time.sleep(60)"), "not done within 0.2 s, and ended"),
    ],
)
def test_a_command_that_fails_is_an_error_in_one_line(
    words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pieslice.alerts.telling.PATIENCE", 0.2 if "sleep" in words[1] else 10.0)
    with pytest.raises(OSError, match=said):
        run((sys.executable, *words), [change()], "cm")


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[Any], list[int]]]:
    """A receiver on this machine: its address, what it got, and the statuses that it answers."""
    got: list[Any] = []
    statuses: list[int] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            got.append((self.path, json.loads(self.rfile.read(length))))
            self.send_response(statuses.pop(0) if statuses else 204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://localhost:{server.server_port}/hook?x=1", got, statuses
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_webhook_gets_documents(
    receiver: tuple[str, list[Any], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, got, statuses = receiver
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://10.0.0.1:1/")
    post(address, [change()], "cm")
    ((path, (document,)),) = got
    assert path == "/hook?x=1"
    assert validate(document) == "alert"
    statuses.append(500)
    with pytest.raises(OSError, match="status 500"):
        post(address, [change()], "cm")


def test_a_receiver_that_says_something_else_than_http_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=lambda: server.accept()[0].close(), daemon=True)
        thread.start()
        with pytest.raises(OSError, match=r"hangs up|no answer of HTTP|reset"):
            post(f"http://127.0.0.1:{server.getsockname()[1]}", [change()], "cm")
        thread.join()


def test_nothing_is_sent_where_there_is_nothing_to_tell(tmp_path: Path) -> None:
    target = Target(("/no/such/command",), "http://127.0.0.1:1/")
    for _, call in deliveries(target):
        call([], "cm")


# --- a running pool -------------------------------------------------------------------------------

SMALL = """\
[[rule]]
kind = "idle-job"
cycles = 1

[[rule]]
kind = "unused-cores"
minutes = 0.0001

[[rule]]
kind = "silent-daemon"
cycles = 1
"""


def watch(*words: object) -> int:
    return main(["watch", *map(str, words)])


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.slow
def test_a_running_pool_is_watched(
    recorded: Place,
    receiver: tuple[str, list[Any], list[int]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def silence(whole: dict[str, Any]) -> None:
        whole["trouble"] = {"s2@live.test": "no answer"}

    recorded(silence)
    address, got, statuses = receiver
    statuses += [503]
    own = written(tmp_path / "alerts.toml", f'[notify]\nwebhook = "{address}"\n{SMALL}')
    files = {name: tmp_path / name for name in ("state", "log", "prometheus", "record")}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    asked = (HOST, "--ask", "--settle", "0.1", "--rules", own, "--json", *options)
    code = watch(*asked, "--cycles", "2")
    *alerts, told = map(json.loads, capsys.readouterr().out.splitlines())
    assert code == 1
    assert validate(told) == "alerts"
    assert {validate(alert) for alert in alerts} == {"alert"}
    silent = [alert for alert in alerts if alert["kind"] == "silent-daemon"]
    assert [(one["event"], one["subject"]) for one in silent] == [("begin", "s2@live.test")]
    assert told["cycles"] == 2
    assert [json.loads(line) for line in files["log"].read_text().splitlines()] == alerts
    # What the receiver refused came with what there was to tell next.
    assert [one["time"] for _, some in got[1:] for one in some][: len(got[0][1])] == [
        one["time"] for one in got[0][1]
    ]
    metrics = files["prometheus"].read_text()
    assert f'pieslice_watch_missing_daemons{{pool="{HOST}"}} 1\n' in metrics
    assert f'pieslice_shadow_cycles_total{{pool="{HOST}"}} 2\n' in metrics
    with History(files["record"]) as history:
        assert len(history.moments()) == 4
    # A restart: what is open is not told again.
    watch(*asked, "--cycles", "1")
    *again, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert not [one for one in again if one["kind"] == "silent-daemon"]


def test_a_pool_that_does_not_answer_any_more_is_told(
    recorded: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    place = recorded(lambda whole: whole.update(trouble={"s2@live.test": "gone"}))
    now = begun = time.time()
    clock = time.monotonic()

    def sleep(seconds: float) -> None:
        nonlocal now
        now += max(seconds, 20.0)
        if now > begun + 400:
            raise KeyboardInterrupt
        if now > begun + 60:
            whole = json.loads((place / "pool.json").read_text())
            whole["trouble"] = {"collector": "gone", "negotiator": "gone"}
            (place / "pool.json").write_text(json.dumps(whole))

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "monotonic", lambda: clock + now - begun)
    monkeypatch.setattr(loop, "_ANSWER", 0.0)
    rules = written(tmp_path / "alerts.toml", '[[rule]]\nkind = "no-cycle"\nminutes = 3\n')
    metrics = tmp_path / "metrics"
    assert watch(HOST, "--rules", rules, "--json", "--prometheus", metrics) == 1
    alert, told = map(json.loads, capsys.readouterr().out.splitlines())
    assert alert["kind"] == "no-cycle"
    assert alert["since"] == pytest.approx(begun, abs=60)
    assert alert["why"].endswith("; jobs: s2@live.test: gone")
    assert told["rules"][0]["open"] == 1
    assert f'pieslice_watch_up{{pool="{HOST}"}} 0\n' in metrics.read_text()


@pytest.mark.slow
def test_a_cycle_that_cannot_be_judged_ends_nothing(
    recorded: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    recorded()
    full = [OSError(28, "No space left on device", "/tmp/x")]
    real = command.pool_of

    def pool_of(files: Mapping[str, str]) -> Capture:
        if full:
            raise full.pop()
        return real(files)

    monkeypatch.setattr(command, "pool_of", pool_of)
    rules = written(tmp_path / "alerts.toml", SMALL)
    watch(HOST, "--ask", "--settle", "0.1", "--rules", rules, "--json", "--cycles", "2")
    out, err = capsys.readouterr()
    assert json.loads(out.splitlines()[-1])["cycles"] == 1
    assert "a cycle is not judged: /tmp/x: no space left on device\n" in err


def test_a_state_that_is_none_is_set_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "state", "{}")
    assert _resumed(path, ()).time == 0.0
    assert (tmp_path / "state.old").read_text() == "{}"
    assert "not the state of a watch; begun anew" in capsys.readouterr().err


# --- a recorded pool ------------------------------------------------------------------------------


def recording(path: Path, *slots: str) -> Path:
    """A history of the campus with a cycle a minute; ``slots``: the state of free ones in each."""
    texts = {
        name: text for name, text in texts_of_folder(CAMPUS).items() if name != "expected.json"
    }
    with Recorder(path) as recorder:
        for number, state in enumerate(slots):
            cycle = {"time": NOON + 60 * number - 50, "end": NOON + 60 * number - 49}
            manifest = {"ended": NOON + 60 * number, "cycle": {**cycle, "interval": 60}}
            ads = texts["slots.ads"].replace('State = "Unclaimed"', f'State = "{state}"')
            recorder.append(
                NOON + 60 * number,
                {**texts, "slots.ads": ads, "capture.json": json.dumps(manifest)},
            )
    return path


RULES = '[[rule]]\nkind = "idle-job"\ncycles = 2\nusers = ["alice"]\n'


@pytest.mark.slow
def test_a_history_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / "pool.history", "Unclaimed", "Unclaimed", "Unclaimed")
    rules = written(tmp_path / "alerts.toml", f'[notify]\nrun = ["/no/such"]\n{RULES}')
    assert watch(path, "--rules", rules, "--json") == 1
    alert, told = map(json.loads, capsys.readouterr().out.splitlines())
    assert (told["cycles"], told["pool"]) == (2, "pool.history")
    assert alert["subject"] == "group_physics.hep.alice@campus.example"
    assert alert["time"] == NOON + 70
    assert alert["count"] > 1
    assert main(["why", str(path), alert["example"], "--at", str(NOON + 60)]) == 0
    answer = " ".join(capsys.readouterr().out.split())
    assert answer.startswith(alert["why"])


@pytest.mark.slow
def test_cycles_that_are_not_recorded_are_told_when_they_were_overdue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recording(tmp_path / "pool.history", "Unclaimed", "Unclaimed", "Unclaimed")
    rules = written(tmp_path / "alerts.toml", '[[rule]]\nkind = "no-cycle"\nminutes = 0.5\n')
    assert watch(path, "--rules", rules, "--json", "--state", tmp_path / "state") == 1
    out, err = capsys.readouterr()
    begin, end, _ = map(json.loads, out.splitlines())
    # Cycles at 10 and 70 s.
    assert [(one["event"], one["time"] - NOON) for one in (begin, end)] == [
        ("begin", 40), ("end", 70),
    ]  # fmt: skip
    assert begin["why"] == "none is recorded"
    assert "--state is of running pools, and not used" in err
    assert not (tmp_path / "state").exists()


@pytest.mark.slow
def test_a_cycle_that_cannot_be_played_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pool.history"
    recording(path, "Unclaimed", "Unclaimed", "Unclaimed")
    with Recorder(path) as recorder:
        for number in (3, 4):
            cycle = {"time": NOON + 60 * number - 50, "interval": 60}
            manifest = {"ended": NOON + 60 * number, "cycle": cycle}
            texts = {"jobs.ads": "", "capture.json": json.dumps(manifest)}
            recorder.append(NOON + 60 * number, texts)
    assert watch(path, "--rules", written(tmp_path / "alerts.toml", RULES)) == 1
    out, err = capsys.readouterr()
    assert "pool.history: 1 alert in 3 cycles\n" in out
    assert err.startswith("cycle after 2026-11-18 ")
    assert " left out: " in err


@pytest.mark.slow
def test_a_folder_of_captures_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / "pool.history", "Unclaimed", "Unclaimed")
    place = tmp_path / "captures"
    with History(path) as history:
        for moment, texts in history.all_texts():
            folder = place / str(moment.number)
            folder.mkdir(parents=True)
            for name, text in texts.items():
                (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    rules = written(tmp_path / "alerts.toml", RULES.replace("2", "1"))
    assert watch(place, "--rules", rules) == 1
    out = capsys.readouterr().out
    assert "captures: 1 alert in 1 cycle\n" in out
    assert max(map(len, out.splitlines())) <= 80


def test_rules_with_nothing_to_tell_end_with_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = recording(tmp_path / "pool.history", "Unclaimed", "Unclaimed")
    rules = written(tmp_path / "alerts.toml", RULES.replace("2", "9"))
    assert watch(path, "--rules", rules) == 0
    assert "pool.history: 0 alerts in 1 cycle\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ("empty", "no cycle is recorded in it, so there is nothing to judge"),
        ("folder", "neither a history nor a folder with folders of captures"),
        ("text", "text: not a history"),
        ("none.history", "none.history: no such history, and no address of a collector"),
    ],
)
def test_what_cannot_be_played_is_said(
    pool: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # One in which nothing comes to stand goes with its writer, unless that is killed.
    with Recorder(tmp_path / "begun"):
        written(tmp_path / "empty", "").write_bytes((tmp_path / "begun").read_bytes())
    (tmp_path / "folder").mkdir()
    written(tmp_path / "text", "x")
    rules = written(tmp_path / "alerts.toml", RULES)
    assert watch(tmp_path / pool, "--rules", rules) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("pool", ["-", "pool.history", "cm1,pool.toml", "http://cm"])
def test_what_is_neither_there_nor_an_address_is_refused(
    pool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert watch(pool, "--rules", written(tmp_path / "alerts.toml", RULES)) == 2
    assert f"{pool}: no such history, and no address of a collector" in capsys.readouterr().err


# --- the file of rules ----------------------------------------------------------------------------


def test_rules_are_checked_without_a_pool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert watch("--check-rules", EXAMPLES / "systemd" / "alerts.toml") == 0
    assert capsys.readouterr().out.endswith("alerts.toml: 10 rules, nothing wrong\n")
    bad = written(tmp_path / "bad.toml", '[[rule]]\nkind = "idle-job"\ncycels = 3\n')
    for words in (("--check-rules", bad), ("nobody.example:1", "--rules", bad)):
        assert watch(*words) == 2
        assert capsys.readouterr().err.splitlines() == [
            f"{bad}:3:1: error: unknown key `cycels`; did you mean `cycles`?",
            "   3 | cycels = 3",
            "     | ^~~~~~",
        ]
    assert watch("--check-rules", tmp_path / "none") == 2
    assert capsys.readouterr().err == f"error: {tmp_path / 'none'}: no such file or directory\n"


def test_a_sum_is_a_table() -> None:
    course = AlertCourse((rule("idle-user", name="starving"),))
    text = str(AlertsAnswer.of("cm", course))
    assert text.splitlines()[0] == "cm: 0 alerts in 0 cycles"
    assert not AlertsAnswer.of("cm", course).any
    open_ = evolve(AlertsAnswer.of("cm", course), open=(change().alert,))
    assert open_.any
    assert json.loads(open_.to_json())["rules"] == [
        {"rule": "starving", "kind": "idle-user", "begun": 0, "open": 1}
    ]
