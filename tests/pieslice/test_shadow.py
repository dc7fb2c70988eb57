"""`pieslice shadow`: predictions of cycles, compared with what two captures show."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from attr import evolve

from classad import ClassAd
from negotiator.capture.files import CapturePaths
from negotiator.cycle import negotiate
from negotiator.expressions import flattening
from negotiator.io import read_capture
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import whole_slot
from pieslice.cli import main
from pieslice.live.capture import LiveCapture, read
from pieslice.live.taking import Memory, restarted, take
from pieslice.recording.store import History, HistoryError, Recorder
from pieslice.reports.layout import Line
from pieslice.shadow import loop
from pieslice.shadow.history import keeping
from pieslice.shadow.keeping import Lines, Log, large_of
from pieslice.shadow.loop import due, newer, skew
from pieslice.shadow.outcome import Moved, PredictedCycle, compare, outcome_of, total
from pieslice.shadow.report import Score, differences, prometheus, told_cycles
from pieslice.shadow.whatif import Gain, Gains, Sums
from tests.pieslice.test_runreport import Reader
from tests.pieslice.test_schemas import validate

POOL = "cm.campus.example"
Place = Callable[..., Path]


def shadow(*words: str) -> int:
    return main(["shadow", POOL, "--ask", "--settle", "0.1", *words])


# --- the command ------------------------------------------------------------------------------


@pytest.mark.slow
def test_cycles_of_a_real_pool_go_as_predicted(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    files = {name: tmp_path / name for name in ("log", "html", "prometheus")}
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    code = shadow("--cycles", "3", "--json", *options)
    *cycles, score = map(json.loads, capsys.readouterr().out.splitlines())
    assert [cycle["predicted"] for cycle in cycles] == [cycle["matches"] for cycle in cycles]
    assert cycles[0]["matches"] == 15
    assert all(cycle["agreeing"] == cycle["seen"] for cycle in cycles)
    assert validate(score) == "shadow"
    assert {validate(cycle) for cycle in cycles} == {"shadow-cycle"}
    assert score["totals"]["cycles"] == 3
    assert score["condor_version_from"] == "CondorVersion of the negotiator's ad"
    assert score["totals"]["exact"] == sum(cycle["exact"] for cycle in cycles)
    assert code == (0 if all(cycle["exact"] or not cycle["still"] for cycle in cycles) else 1)
    assert [json.loads(line) for line in files["log"].read_text().splitlines()] == cycles
    page = Reader(files["html"].read_text())
    assert POOL in page.text
    assert page.all("meta", "http-equiv") == ["refresh"]
    assert f"follows {score['condor_version']}: CondorVersion of the negotiator" in page.text
    for part in ("Slots by user", "Waiting jobs", "Quotas", "Predictions", "exact   matches 15/15"):
        assert part in page.text
    metrics = files["prometheus"].read_text()
    assert f'pieslice_shadow_cycles_total{{pool="{POOL}"}} 3\n' in metrics


def test_the_captures_around_each_cycle_are_recorded(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    path = tmp_path / "pool.history"
    shadow("--cycles", "2", "--record", str(path), "--keep", "7")
    with History(path) as history:
        moments = history.moments()
        assert len(moments) == 4
        texts = history.texts(moments[0])
    assert {"slots.ads", "jobs.ads", "claims.ads", "capture.json"} <= set(texts)
    assert main(["negotiate", str(path), "--at", str(moments[0].time)]) == 0
    assert main(["history", str(path)]) == 0
    capsys.readouterr()
    with Recorder(path):
        assert shadow("--cycles", "1", "--record", str(path)) == 2
    assert "another process is writing to it" in capsys.readouterr().err
    assert shadow("--cycles", "1", "--record", str(tmp_path / "none" / "h")) == 2
    assert "none: no such folder" in capsys.readouterr().err


def test_what_a_history_cannot_take_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    capture = LiveCapture({"slots": "", "jobs": ""}, "", {"ended": 100.0})
    with keeping(tmp_path / "h", None, said.append) as keep:
        keep(capture)
        keep(capture)
        assert said == []
        keep(LiveCapture({"slots": "", "jobs": ""}, "", {"ended": 50.0}))
    assert ["not after the last capture" in line for line in said] == [True]


def test_the_score_is_a_table(recorded: Place, capsys: pytest.CaptureFixture[str]) -> None:
    recorded()
    shadow("--cycles", "1")
    out, err = capsys.readouterr()
    followed = "follows 25.14.1: CondorVersion of the negotiator's ad"
    assert f"{POOL}: asking for each cycle\n  {followed}\n" in err
    assert f"  {followed}\n" in out
    assert "matches 15/15 rejections " in out
    assert f"pool {POOL}: 1 of 1 cycle as predicted, 15 of 15 matches\n" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.slow
def test_without_the_right_to_ask_it_says_so_and_goes_on(
    recorded: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = recorded(lambda whole: whole.update(trouble={"cycle": "not authorized"}))
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if seconds >= 2:
            whole = json.loads((place / "pool.json").read_text())
            whole["trouble"] = {} if len(waits) > 2 else whole["trouble"]
            (place / "pool.json").write_text(json.dumps(whole))

    monkeypatch.setattr(time, "sleep", sleep)
    shadow("--cycles", "1")
    out, err = capsys.readouterr()
    assert err.splitlines().count("waiting: negotiator: not authorized") == 1
    assert "matches 15/15" in out
    assert [wait for wait in waits if wait >= 2] == sorted(wait for wait in waits if wait >= 2)


def test_without_the_right_to_ask_it_fails_at_once(
    recorded: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(lambda whole: whole.update(ping={"DAEMON": None}))
    assert shadow("--cycles", "1") == 2
    err = capsys.readouterr().err
    said = "error: negotiator: it lets only daemons of the pool begin a cycle"
    assert err.splitlines()[-1] == said


def test_it_says_at_its_start_what_it_follows(
    recorded: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded(lambda whole: whole["states"][0].update(direct="LastNegotiationCycleTime0 = 36000\n"))
    log = tmp_path / "log"

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", stop)
    assert main(["shadow", POOL, "--log", str(log)]) == 0
    err = capsys.readouterr().err
    interval = 100_000  # NEGOTIATOR_INTERVAL in the record
    at = time.strftime("%H:%M:%S UTC", time.gmtime(36_000 + interval))
    assert err.splitlines()[0] == f"pool {POOL}: next cycle due at {at}, log {log}"
    assert err.splitlines()[1] == "  follows 25.14.1: CondorVersion of the negotiator's ad"


def test_a_cycle_that_does_not_come_is_told(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(lambda whole: whole.update(states=whole["states"][:1]))
    monkeypatch.setattr(loop, "_ANSWER", 0.0)
    said: list[str] = []

    def stop(_: float) -> None:
        if said:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", stop)
    with loop.Bindings(POOL) as daemons, pytest.raises(KeyboardInterrupt):
        next(loop.Shadow(daemons, said.append, ask=True).cycles())
    assert said == [
        "waiting: negotiator: no cycle within 0 s of asking; that takes more rights than READ"
    ]


def test_a_pool_that_is_not_there_is_waited_for(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(lambda whole: whole.update(trouble={"collector": "gone"}))
    said: list[str] = []

    def stop(_: float) -> None:
        if len(said) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", stop)
    with loop.Bindings(POOL) as daemons:
        found = loop.Shadow(daemons, said.append).cycles()
        with pytest.raises(KeyboardInterrupt):
            next(found)
    assert said == [f"waiting: collector {POOL}: gone"] * 3


def test_a_cycle_of_which_nobody_tells_any_more_is_left_out(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negotiator is killed after the cycle, before the capture that shows what it did."""
    place = recorded()

    def trouble(what: dict[str, str]) -> None:
        whole = json.loads((place / "pool.json").read_text())
        (place / "pool.json").write_text(json.dumps({**whole, "trouble": what}))

    said: list[str] = []
    after = loop.Shadow._after

    def killed(self: loop.Shadow, before: loop.Predicted) -> LiveCapture:
        if not said:
            trouble({"negotiator": "gone"})
        return after(self, before)

    def sleep(_: float) -> None:
        if len(said) == 2:  # the capture before the next cycle does not know of the last one
            trouble({})

    monkeypatch.setattr(loop.Shadow, "_after", killed)
    monkeypatch.setattr(time, "sleep", sleep)
    with loop.Bindings(POOL) as daemons:
        outcome = next(loop.Shadow(daemons, said.append, ask=True).cycles()).outcome
    assert said == [
        "waiting: negotiator: it does not tell of the cycle any more; it is left out",
        "waiting: negotiator: it does not say when its last cycle was",
    ]
    assert outcome.silent == ()


def test_a_collector_that_answers_again_is_no_other_daemon(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was restarting when it was asked, and is there when it is asked why it did not answer."""
    place = recorded()
    with loop.Bindings(POOL) as daemons:
        daemons.ads('MyType == "Negotiator"', ["Name"])
        whole = json.loads((place / "pool.json").read_text())
        whole["trouble"] = {"collector": "Failed communication with collector."}
        (place / "pool.json").write_text(json.dumps(whole))
        monkeypatch.setattr("pieslice.live.daemons.why_not_reached", lambda pool: None)
        with pytest.raises(loop.DaemonError) as found:
            daemons.ads('MyType == "Negotiator"', ["Name"])
    said = "it did not answer, and does now; it may have been restarted"
    assert str(found.value) == f"collector {POOL}: {said}"


def test_a_negotiator_that_a_restarted_collector_does_not_know_yet_is_asked(
    recorded: Place,
) -> None:
    """It tells the collector of itself every five minutes."""
    place = recorded()
    memory = Memory()
    with loop.Bindings(POOL) as daemons:
        before = take(daemons, memory)
        whole = json.loads((place / "pool.json").read_text())
        for state in whole["states"]:
            ads = state["ads"].split("\n\n")
            state["ads"] = "\n\n".join(ad for ad in ads if 'MyType = "Negotiator"' not in ad)
        (place / "pool.json").write_text(json.dumps(whole))
        after = take(daemons, memory)
        unknown = take(daemons, Memory())
    assert before.manifest["cycle"]["told"]
    assert after.manifest["cycle"] == before.manifest["cycle"]
    assert after.parts["accounting"] == before.parts["accounting"]
    assert not unknown.manifest["cycle"]["told"]


def test_a_capture_is_made_just_before_a_cycle_is_due(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --ask: the negotiator begins by itself once it is due."""
    place = recorded(_soon)
    taken: list[float] = []
    # A clock of its own: on a busy machine the cycle would be due before the first capture ends.
    now = begun = time.time()

    def sleep(_: float) -> None:
        nonlocal now
        now += 20
        assert now < begun + 1000, "no capture was made before the cycle was due"
        if len(taken) >= 2:
            (place / "state").write_text("1")

    take = loop.take

    def counted(*args: Any) -> LiveCapture:
        taken.append(time.time())
        return take(*args)

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(loop, "take", counted)
    with loop.Bindings(POOL) as daemons:
        outcome = next(loop.Shadow(daemons, print).cycles()).outcome
    assert len(taken) == 3  # at first, before the cycle, and after it
    assert outcome.matches == 15


@pytest.mark.parametrize("slow", [0, 1, 3])
def test_one_slow_capture_does_not_make_the_later_ones_old(
    slow: int, monkeypatch: pytest.MonkeyPatch, nothing: CycleResult
) -> None:
    """A cycle every 20 seconds; one answer takes 18, the others half a second."""
    now, count, interval = 1000.0, 0, 20

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    def cycle() -> dict[str, float]:
        began = now // interval * interval
        return {"time": began, "end": began, "interval": interval, "cycle_delay": 1}

    def take(daemons: object, memory: object) -> LiveCapture:
        nonlocal count
        sleep(18.0 if count == slow else 0.5)
        count += 1
        manifest = {"ended": now, "cycle": {**cycle(), "steady": True}}
        return LiveCapture({"slots": "Name = 1\n"}, "", manifest)

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(loop, "take", take)
    monkeypatch.setattr(loop, "predict", lambda capture, at: nothing)
    monkeypatch.setattr(loop, "last_cycle", lambda daemons, negotiator: cycle())
    monkeypatch.setattr(loop, "find_daemons", lambda *_: SimpleNamespace(negotiator={"Name": "n"}))
    following = loop.Shadow(SimpleNamespace(), lambda text: None).cycles()  # type: ignore[arg-type]
    ages = [next(following).outcome.age for _ in range(8)]
    assert max(ages[3:]) < 4, ages


@pytest.mark.parametrize(
    ("claimed_after", "interval", "seen", "captures"),
    [
        (1, 60, 1, 1),
        (10, 60, 1, 3),  # the schedd asks for its slots one after another
        (300, 60, 0, 4),  # a startd that refuses: no claim ever comes
        (300, 8, 0, 2),  # the next cycle is near, and what it decides on has to be captured
    ],
)
def test_claims_that_the_negotiator_counts_are_waited_for(
    claimed_after: int,
    interval: int,
    seen: int,
    captures: int,
    monkeypatch: pytest.MonkeyPatch,
    nothing: CycleResult,
) -> None:
    """One match in each cycle, by a simulated clock; its claim comes when it comes."""
    now = 960.0
    taken: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    def cycle() -> dict[str, float]:
        began = now // interval * interval
        times = {"time": began, "end": began, "interval": interval, "cycle_delay": 1}
        return {**times, "matches": 1}

    def take(daemons: object, memory: object) -> LiveCapture:
        taken.append(cycle()["time"])
        claims = [requested("slot1@a", 1)] if now >= 960 + interval + claimed_after else []
        manifest = {"ended": now, "cycle": {**cycle(), "steady": True}}
        return evolve(made([job(1)], claims, [ad(Name="slot1@a")]), manifest=manifest)

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "time", lambda: now)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(loop, "take", take)
    monkeypatch.setattr(loop, "predict", lambda capture, at: nothing)
    monkeypatch.setattr(loop, "last_cycle", lambda daemons, negotiator: cycle())
    monkeypatch.setattr(loop, "find_daemons", lambda *_: SimpleNamespace(negotiator={"Name": "n"}))
    outcome = next(loop.Shadow(SimpleNamespace(), print).cycles()).outcome  # type: ignore[arg-type]
    assert (outcome.matches, outcome.seen) == (1, seen)
    assert taken.count(outcome.time) == captures
    told = [block.text for block in differences(outcome) if isinstance(block, Line)]
    lacking = "  the negotiator counts 1 match, 0 seen as a claim or the wish for one"
    assert (lacking in told) == (seen == 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "ended", "at"),
    [
        (False, 1057.0, 1060.0),  # due in three seconds: it is captured for that cycle
        (False, 1010.0, 1010.7),  # due later: if there is a cycle before, somebody asked for it
        (False, 1061.0, 1061.7),
        (True, 1057.0, 1057.7),
    ],
)
def test_a_cycle_is_predicted_for_the_time_when_it_begins(
    ask: bool, ended: float, at: float, monkeypatch: pytest.MonkeyPatch, nothing: CycleResult
) -> None:
    times: list[float] = []
    monkeypatch.setattr(loop, "predict", lambda capture, at: times.append(at) or nothing)
    shadow = loop.Shadow(SimpleNamespace(), print, ask)  # type: ignore[arg-type]
    shadow._captures.append(1.0)
    cycle = {"time": 1000, "end": 1000, "interval": 60, "cycle_delay": 20}
    found = shadow._again(LiveCapture({}, "", {"ended": ended, "cycle": cycle}))
    assert times == [pytest.approx(at)]
    assert found.at == times[0]


@pytest.mark.parametrize(("right", "said"), [(2000, True), (2002, True), (2003, False)])
def test_a_cycle_that_depends_on_its_second_is_uncertain(
    right: int, said: bool, monkeypatch: pytest.MonkeyPatch, nothing: CycleResult
) -> None:
    """It would have gone as predicted if it had been known that it begins then."""
    before, after = made([job(0)]), made([job(0)], matches=1)
    match = SimpleNamespace(submitter="ann@x", slot="slot1@a", schedd="s")
    wanted = SimpleNamespace(matches=[match], rejections=[])
    monkeypatch.setattr(loop, "predict", lambda capture, at: wanted if at == right else nothing)
    found = loop.judged(before, after, nothing)
    assert not found.exact
    assert found.still == (not said)
    text = "what this cycle does depends on the second in which it begins"
    assert found.uncertain == ((text,) if said else ())
    monkeypatch.setattr(loop, "predict", None)  # what goes as predicted is not predicted again
    assert loop.judged(before, after, wanted).still  # type: ignore[arg-type]


def test_nothing_is_kept_of_the_expressions_of_a_prediction(
    recorded: Place, tmp_path: Path
) -> None:
    """A service reads other ads every minute."""
    before, _ = predicted(recorded, tmp_path)
    loop.predict(before)
    assert flattening._MENTIONED == {}


def _soon(whole: dict[str, Any]) -> None:
    """A negotiator whose next cycle is due in some minutes."""
    now = int(time.time())
    for number, state in enumerate(whole["states"]):
        times = "".join(
            f"LastNegotiationCycle{what}0 = {now + number}\n" for what in ("Time", "End")
        )
        kept = [
            line
            for line in state["direct"].splitlines()
            if not line.startswith(("LastNegotiationCycleTime0", "LastNegotiationCycleEnd0"))
        ]
        state["direct"] = "\n".join(kept) + f"\n{times}"
    whole["params"]["cm.live.test"].update(NEGOTIATOR_INTERVAL="400", NEGOTIATOR_CYCLE_DELAY="1")


# --- when the next cycle is due ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("cycle", "expected"),
    [
        ({"time": 100, "end": 101, "interval": 60, "cycle_delay": 20}, 160),
        ({"time": 100, "end": 155, "interval": 60, "cycle_delay": 20}, 175),
        ({"time": 100, "end": 101}, 160),
        ({}, 60),
    ],
)
def test_when_a_cycle_is_due(cycle: dict[str, int], expected: float) -> None:
    assert due(cycle) == expected


def test_which_cycle_is_a_new_one() -> None:
    last = {"time": 100, "end": 101, "matches": 3}
    assert not newer(last, {"time": 100, "end": 101})
    assert newer(last, {"time": 160, "end": 160})
    assert newer(last, {"time": 90, "end": 91})  # a clock that was put back
    assert newer({}, {"time": 90, "end": 91})
    assert not newer(last, {})  # a negotiator that has just started


def test_clocks_that_differ() -> None:
    assert skew(1000, 1001.5) == 0
    assert skew(1000, 4600) == 3600
    assert skew(4600, 1000) == -3600


# --- comparing --------------------------------------------------------------------------------

ZERO: dict[str, Any] = {"cycle": {"time": 2000, "end": 2000}, "ended": 1999.0}


def ad(**values: object) -> str:
    return "".join(
        f'{name} = "{value}"\n' if isinstance(value, str) else f"{name} = {value}\n"
        for name, value in values.items()
    )


def job(proc: int, **more: object) -> str:
    return ad(
        ClusterId=1,
        ProcId=proc,
        **{
            "User": "ann@x",
            "GlobalJobId": f"s#1.{proc}#1",
            "JobStatus": 1,
            "QDate": 1000,
            "EnteredCurrentStatus": 1000,
            **more,
        },
    )


def claim(slot: str, **more: object) -> str:
    return ad(Name=slot, ScheddName="s", **more)


def requested(slot: str, proc: int) -> str:
    return claim(slot, _condor_RESOURCE_CLUSTER=1, _condor_RESOURCE_PROC=proc)


def made(
    jobs: Sequence[str] = (), claims: Sequence[str] = (), slots: Sequence[str] = (), **cycle: int
) -> LiveCapture:
    parts = {"jobs": jobs, "claims": claims, "slots": slots}
    manifest = {**ZERO, "cycle": {**ZERO["cycle"], **cycle}}
    return LiveCapture({name: "\n".join(ads) for name, ads in parts.items()}, "", manifest)


def predicted(recorded: Place, tmp_path: Path) -> tuple[LiveCapture, CycleResult]:
    recorded()
    main(["capture", POOL, str(tmp_path / "now")])
    pool = read_capture(CapturePaths(tmp_path / "now"))
    result = negotiate(pool.snapshot, pool.policy, now=pool.facts.now, rng=Random(0))
    return read(tmp_path / "now"), result


@pytest.fixture(autouse=True)
def _no_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests left alive is not looked through after every cycle."""
    monkeypatch.setattr(loop, "tidy", lambda: None)


@pytest.fixture
def nothing(recorded: Place, tmp_path: Path) -> CycleResult:
    """A prediction of no match and no rejection."""
    _, result = predicted(recorded, tmp_path)
    from attr import evolve

    return evolve(result, matches=(), rejections=())


def test_what_a_claim_is_a_match_of(nothing: CycleResult) -> None:
    before = made(jobs=[job(0)], claims=[claim("slot1@a", RemoteUser="bob@x")])
    for new, seen in (
        ([], ()),
        ([requested("slot2@a", 0)], (("ann@x", "slot2@a"),)),
        ([claim("slot1_3@b", RemoteUser="ann@x")], (("ann@x", "slot1@b"),)),
        (
            [claim(f"slot1_{n}@b", RemoteUser="ann@x") for n in (1, 2)],
            (("ann@x", "slot1@b"),),
        ),
        (
            [claim("slot2@a", RemoteUser="ann@x", AccountingGroup="g.ann@x")],
            (("g.ann@x", "slot2@a"),),
        ),
    ):
        after = made([job(0)], [claim("slot1@a", RemoteUser="bob@x"), *new], matches=len(seen))
        outcome = compare(before, after, nothing)
        assert outcome.only_seen == seen
        assert outcome.exact == (not seen)


def test_a_claim_that_is_granted_later_is_no_new_match(nothing: CycleResult) -> None:
    before = made([job(0)], [requested("slot1@a", 0), requested("slot2@a", 0)])
    after = made(
        [job(0)],
        [claim("slot1_1@a", RemoteUser="ann@x"), claim("slot2@a", RemoteUser="ann@x")],
    )
    assert compare(before, after, nothing).exact


def test_the_rest_of_a_slot_that_was_matched_before_is_no_new_match(nothing: CycleResult) -> None:
    before = made([job(0)], [claim("slot1@a", State="Unclaimed")])
    after = made([job(0)], [claim("slot1_4@a", State="Claimed", RemoteUser="ann@x")])
    assert compare(before, after, nothing).exact
    assert not compare(made([job(0)]), after, nothing).exact


def test_what_cannot_be_seen_does_not_count_against_a_prediction(
    recorded: Place, tmp_path: Path
) -> None:
    """A startd refuses a match: the negotiator counts it, and no claim is left of it."""
    before, result = predicted(recorded, tmp_path)
    count, refused = len(result.matches), len(result.rejections)
    after = LiveCapture(before.parts, "", made(matches=count, rejections=refused).manifest)
    outcome = compare(before, after, result)
    assert (outcome.seen, outcome.exact) == (0, True)
    after = LiveCapture(before.parts, "", made(matches=count - 1, rejections=refused).manifest)
    assert not compare(before, after, result).exact
    after = LiveCapture(before.parts, "", made(matches=count, rejections=refused + 1).manifest)
    assert not compare(before, after, result).exact


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "moved"),
    [
        ({"jobs": [job(0), job(1)]}, Moved()),
        ({"jobs": [job(0)]}, Moved(jobs=1)),
        ({"jobs": [job(0), job(1), job(2, QDate=1999)]}, Moved(jobs=1)),
        ({"jobs": [job(0), job(1), job(2, QDate=2001)]}, Moved()),
        # a factory makes its jobs later than it was submitted
        ({"jobs": [job(0), job(1), job(2, QDate=1, GlobalJobId="s#1.2#2000")]}, Moved(jobs=1)),
        ({"jobs": [job(0), job(1), job(2, QDate=1, GlobalJobId="s#1.2#2001")]}, Moved()),
        ({"jobs": [job(0), job(1, JobStatus=5, EnteredCurrentStatus=2000)]}, Moved(jobs=1)),
        ({"jobs": [job(0), job(1, JobStatus=5, EnteredCurrentStatus=2001)]}, Moved()),
        ({"jobs": [job(0), job(1, JobStatus=2, EnteredCurrentStatus=2000)]}, Moved()),
        ({"jobs": [job(0), job(1, JobStatus=2, EnteredCurrentStatus=1999)]}, Moved(jobs=1)),
        # evicted, and started again
        ({"jobs": [job(0), job(1, EnteredCurrentStatus=2001)]}, Moved(jobs=1)),
        ({"slots": []}, Moved(slots=1)),
        ({"slots": [ad(Name="slot1@a", State="Claimed", LastHeardFrom=1999)]}, Moved(slots=1)),
        ({"slots": [ad(Name="slot1@a", State="Claimed", LastHeardFrom=2001)]}, Moved()),
    ],
)
def test_what_moved(change: dict[str, list[str]], moved: Moved, nothing: CycleResult) -> None:
    whole = {
        "jobs": [job(0), job(1)],
        "slots": [ad(Name="slot1@a", State="Unclaimed", LastHeardFrom=1990)],
    }
    before, after = made(**whole), made(**{**whole, **change})
    outcome = compare(before, after, nothing)
    assert outcome.moved == moved
    assert outcome.still == (moved == Moved())


def test_a_slot_that_became_free_before_it_was_matched_has_moved(nothing: CycleResult) -> None:
    slots = [ad(Name="slot1@a", State="Claimed", RemoteUser="bob@x", LastHeardFrom=1990)]
    before = made([job(0)], slots=slots)
    after = made([job(0)], [requested("slot1@a", 0)], slots, matches=1)
    assert compare(before, after, nothing).moved == Moved(slots=1)


@pytest.mark.parametrize(
    ("made_at", "heard", "moved"),
    [
        (1000, 1990, 1),
        (1000, 2005, 1),  # it is the ad of after the cycle, but it asked before
        (2001, 2005, 0),
    ],
)
def test_a_submitter_that_came_before_the_cycle_has_moved(
    made_at: int, heard: int, moved: int, nothing: CycleResult
) -> None:
    jobs = [job(0), job(1, GlobalJobId=f"s#1.1#{made_at}", User="bob@x", QDate=1)]
    old, new = jobs[: 2 - (made_at > 2000)], jobs
    before = made(old)
    after = made(new)
    new_ad = ad(Name="bob@x", ScheddName="s", IdleJobs=1, RunningJobs=0, LastHeardFrom=heard)
    after = evolve(after, parts={**after.parts, "submitters": new_ad})
    assert compare(before, after, nothing).moved == Moved(submitters=moved)


@pytest.mark.parametrize(("told", "heard", "moved"), [(0, 2001, 1), (0, 1500, 0), (1, 2001, 0)])
def test_a_submitter_that_had_not_told_of_its_jobs_has_moved(
    told: int, heard: int, moved: int, nothing: CycleResult
) -> None:
    """Its next ad, which the cycle may have seen, has become that of after the cycle."""
    before, after = (
        evolve(found, parts={**found.parts, "submitters": submitter("s", at, idle)})
        for found, at, idle in (
            (made([job(0)]), 1500, told),
            (made([job(0)]), heard, told if heard == 1500 else 1),
        )
    )
    assert compare(before, after, nothing).moved == Moved(submitters=moved)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ((2, 6), (2, 6), 0),
        ((2, 6), (0, 8), 0),  # matched
        ((0, 6), (2, 6), 1),  # a part had gone, and the slot told so after the capture
        ((0, 6), (0, 8), 1),  # and it was matched at once
        ((0, 6), (0, 6), 0),  # two cores are broken
    ],
)
def test_a_partitionable_slot_whose_parts_did_not_add_up_has_moved(
    before: tuple[int, int], after: tuple[int, int], moved: int, nothing: CycleResult
) -> None:
    """Ads of a slot of eight cores and of its part come one after the other."""

    def slots(cores: tuple[int, int]) -> list[str]:
        whole = {"SlotType": "Partitionable", "TotalSlotCpus": 8, "LastHeardFrom": 2001}
        part = {"SlotType": "Dynamic", "TotalSlotCpus": cores[1], "LastHeardFrom": 2001}
        return [
            ad(Name="slot1@a", Cpus=cores[0], **whole),
            ad(Name="slot1_1@a", Cpus=cores[1], **part),
        ]

    found = compare(made(slots=slots(before)), made(slots=slots(after)), nothing)
    assert found.moved == Moved(slots=moved)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rest", "new", "filled"),
    [
        (False, [("slot1_1@b", 1999)], 0),  # the match itself
        (False, [("slot1_1@b", 1999), ("slot1_2@b", 2000)], 1),
        (False, [("slot1_1@b", 1999), ("slot1_2@b", 2001)], 0),  # when the cycle had ended
        (True, [("slot1_4@b", 2000)], 1),
        (False, [("slot1_1@b", 2000), ("slot1_1@a", 2000)], 0),
        (False, [("slot2@b", 2000)], 0),
    ],
)
def test_a_rest_of_a_slot_that_was_filled_meanwhile_has_moved(
    rest: bool, new: list[tuple[str, int]], filled: int, nothing: CycleResult
) -> None:
    before = made([job(0)], [claim("slot1@b", State="Unclaimed")] if rest else [])
    after = made(
        [job(0)],
        [claim(slot, RemoteUser="ann@x", EnteredCurrentState=at) for slot, at in new],
        matches=0,
    )
    found = compare(before, after, nothing)
    assert found.moved == Moved(leftovers=filled)
    assert found.still == (not filled)


@pytest.mark.parametrize(
    ("hosts", "refused", "moot", "exact"),
    [
        # All jobs of the request run, one of them on a part of a slot: it was not sent any more.
        (("slot1_1@b", "slot1_2@b"), 0, 1, True),
        (("slot1_1@b", "slot1_2@b"), 1, 0, True),
        (("slot1_1@b", "slot1_2@b"), 2, 0, False),
        (("slot1_1@b", None), 0, 0, False),
        (("slot1_1@b", None), 1, 0, True),
        ((None, None), 0, 0, False),
    ],
)
def test_a_rejection_of_jobs_that_leftovers_started_has_moved(
    hosts: tuple[str | None, ...], refused: int, moot: int, exact: bool, nothing: CycleResult
) -> None:
    rejection = SimpleNamespace(submitter="ann@x", schedd="s", job="1.0")
    result = evolve(nothing, rejections=(rejection,))  # type: ignore[arg-type]
    before = made([job(0), job(1)], [claim("slot1@b", State="Unclaimed")])
    running = [
        job(proc) if host is None else job(proc, JobStatus=2, RemoteHost=host)
        for proc, host in enumerate(hosts)
    ]
    claims = [
        claim(host, RemoteUser="ann@x", EnteredCurrentState=2000)
        for host in hosts
        if host is not None
    ]
    outcome = compare(before, made(running, claims, rejections=refused), result)
    assert (outcome.moved.rejections, outcome.exact) == (moot, exact)
    assert outcome.moved.leftovers == len(claims)


def test_a_cycle_around_which_a_daemon_was_silent_is_not_still(nothing: CycleResult) -> None:
    whole = made([job(0)])
    silent = evolve(whole, manifest={**whole.manifest, "silent": ["jobs: s@x: no answer"]})
    for before, after in ((silent, whole), (whole, silent), (silent, silent)):
        found = compare(before, after, nothing)
        assert (found.moved, found.still, found.exact) == (Moved(), False, True)
        assert found.silent == ("jobs: s@x: no answer",)
        assert outcome_of(found.data()) == found
        assert total([found])["silent"] == 1
        score = Score("p", total([found]), [found])
        assert "pieslice_shadow_silent_total" in prometheus(score)
        assert "  no answer: jobs: s@x: no answer" in told_cycles(score)
        assert "1 of the cycles with daemons that did not answer" in str(score)
    assert compare(whole, whole, nothing).still


def submitter(schedd: str, heard: int, idle: int = 1) -> str:
    return ad(Name="ann@x", ScheddName=schedd, IdleJobs=idle, RunningJobs=0, LastHeardFrom=heard)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("schedd", "heard", "idle", "uncertain"),
    [
        ("s", 1500, 1, False),
        ("s", 1900, 1, True),  # a new ad before the cycle: another order
        ("s", 2001, 1, False),  # a new ad after it
        ("t", 1500, 1, True),  # the other schedd came first
        ("t", 1500, 0, False),  # which had no jobs to offer
    ],
)
def test_the_order_of_two_schedds_of_a_user(
    schedd: str, heard: int, idle: int, uncertain: bool, nothing: CycleResult
) -> None:
    """The schedd that has the job counts; times of ads decide which of them comes first."""
    match = SimpleNamespace(submitter="ann@x", slot="slot1@a", schedd="s")
    wanted = SimpleNamespace(matches=[match], rejections=[])
    captures = [
        evolve(found, parts={**found.parts, "submitters": "\n".join(ads)})
        for found, ads in (
            (made([job(0)]), (submitter("s", 1500), submitter("t", 1500, idle))),
            (
                made(
                    [job(0)], [ad(Name="slot1@a", ScheddName=schedd, RemoteUser="ann@x")], matches=1
                ),
                (submitter("s", heard), submitter("t", 1500, idle)),
            ),
        )
    ]
    found = compare(*captures, wanted)  # type: ignore[arg-type]
    assert found.agreeing == (schedd == "s")
    assert found.exact == (schedd == "s")
    said = ("the order of the schedds of ann@x is not decided by this capture",)
    assert found.uncertain == (said if uncertain else ())
    assert found.still == (not uncertain)
    assert outcome_of(found.data()) == found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("started", "cycle", "said"),
    [
        (99, {"time": 100}, False),
        (100, {"time": 100}, True),  # no cycle since
        (150, {"time": 100}, True),
        (441, {"time": 480}, True),  # a minute ago
        (439, {"time": 480}, False),
        (441, {}, True),
        (439, {}, False),
    ],
)
def test_a_schedd_that_has_started_just_now_is_uncertain(
    started: int, cycle: dict[str, int], said: bool, nothing: CycleResult
) -> None:
    found = restarted([ClassAd(f'[Name = "s@x"; DaemonStartTime = {started}]')], cycle, 500.0)
    assert bool(found) == said
    whole = made([job(0)])
    before = evolve(whole, manifest={**whole.manifest, "uncertain": found})
    outcome = compare(before, whole, nothing)
    assert outcome.still == (not said)
    score = Score("p", total([outcome]), [outcome])
    assert ("1 of the cycles not decided by their captures" in str(score)) == said
    told = "\n".join(told_cycles(score))
    assert ("uncertain: schedd s@x has started" in told) == said


def test_who_did_not_answer_is_one_line_of_the_cycle(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(lambda whole: whole.update(trouble={"s2@live.test": "gone"}))
    path = tmp_path / "log"
    shadow("--cycles", "1", "--log", str(path))
    out = capsys.readouterr().out
    assert out.splitlines()[1] == "  no answer: jobs: s2@live.test: gone"
    assert "; still" not in out
    assert json.loads(path.read_text())["silent"] == ["jobs: s2@live.test: gone"]


def test_exact_cycles_and_exact_matches_are_counted_apart() -> None:
    moved = evolve(outcome(1), moved=Moved(jobs=1), agreeing=2, seen=3, matches=3)
    count = total([outcome(2), outcome(3, exact=False), moved])
    assert (count["exact"], count["cycles"], count["agreeing"], count["seen"]) == (1, 3, 8, 9)
    assert (count["still_exact"], count["still"]) == (1, 2)
    assert (count["still_agreeing"], count["still_seen"]) == (6, 6)
    shown = [line.split() for line in str(Score("p", count)).splitlines()]
    assert ["all", "1", "3", "33.3", "8", "9", "88.9"] in shown
    assert ["still", "ones", "1", "2", "50.0", "6", "6", "100.0"] in shown


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("slot1_12@node@x", "slot1@node@x"),
        ("slot1@node@x", "slot1@node@x"),
        ("slot1_2", "slot1"),
        ("slot10_2@a_3@x", "slot10@a_3@x"),
        ("slot1@a_3@x", "slot1@a_3@x"),
    ],
)
def test_the_slot_that_a_dynamic_one_is_of(name: str, whole: str) -> None:
    assert whole_slot(name) == whole


# --- the log ----------------------------------------------------------------------------------


def outcome(number: int, *, exact: bool = True) -> PredictedCycle:
    return PredictedCycle(number, 0.5, 3, 3 if exact else 4, 3, 3, 1, 1, Moved())


@pytest.mark.parametrize(
    ("cycles", "code"),
    [
        ([(True, True)], 0), ([(True, False)], 0), ([(False, False)], 0), ([(False, True)], 1),
        ([(False, False), (True, True)], 0), ([(False, True), (True, True)], 1),
    ],
)  # fmt: skip
def test_only_a_still_cycle_that_went_otherwise_is_told_by_the_exit_status(
    cycles: list[tuple[bool, bool]], code: int, recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded()
    moved = Moved(jobs=1)
    outcomes = [
        evolve(outcome(number, exact=exact), moved=Moved() if still else moved)
        for number, (exact, still) in enumerate(cycles)
    ]
    assert [(item.exact, item.still) for item in outcomes] == cycles
    seen = SimpleNamespace(capture=None)
    followed = [
        SimpleNamespace(before=seen, after=LiveCapture({}, "", {}), outcome=item)
        for item in outcomes
    ]
    monkeypatch.setattr(loop.Shadow, "cycles", lambda self: iter(followed))
    assert shadow() == code


def test_a_log_goes_on_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "log"
    first = Log(path)
    for number in range(3):
        first.add(outcome(number, exact=number != 1))
    with path.open("ab") as stream:
        stream.write(b'{"time": 3, "age"')
    second = Log(path)
    assert second.totals == first.totals
    assert list(second.recent) == list(first.recent)
    assert (second.totals["cycles"], second.totals["exact"]) == (3, 2)
    second.add(outcome(3))
    assert [outcome_of(json.loads(line)).time for line in path.read_text().splitlines()] == [
        *range(4)
    ]


def test_a_log_stays_small(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = Log(path, large=2000)
    for number in range(50):
        log.add(outcome(number))
    assert path.stat().st_size < 2500
    assert sorted(file.name for file in tmp_path.iterdir()) == ["log", "log.1"]
    assert Log(path).totals == log.totals
    assert log.totals["cycles"] == 50


def test_a_log_has_a_largest_size_and_says_once_what_goes(tmp_path: Path) -> None:
    path = tmp_path / "log"
    said: list[str] = []
    log = Log(path, large_of(0.004), said.append)
    for number in range(60):
        log.add(outcome(number))
        assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 4000
    assert said == [f"{path}: is full; the oldest lines are dropped, the totals stay"]
    assert Log(path).totals == log.totals
    assert log.totals["cycles"] == 60


@pytest.mark.slow
def test_a_history_has_a_largest_size_and_says_once_what_goes(tmp_path: Path) -> None:
    path = tmp_path / "h"
    said: list[str] = []
    random = Random(1)
    with keeping(path, None, said.append, 0.2) as keep:
        for number in range(60):
            jobs = "".join(f"ClusterId = {random.random()}\n\n" for _ in range(1200))
            assert keep(LiveCapture({"slots": "", "jobs": jobs}, "", {"ended": number}))
    assert said == [f"{path}: is full; the oldest captures are dropped"]
    assert path.stat().st_size < 400_000
    with History(path) as history:
        assert 0 < len(history.moments()) < 60


def test_sums_that_cannot_be_written_do_not_pile_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pieslice.shadow.whatif._UNWRITTEN", 5)
    nothing = SimpleNamespace(matches=[], rejections=[])
    match = SimpleNamespace(
        submitter="ann@x", slot="a", schedd="s", job="1.0", preempted=None, cost=2.0
    )
    other = SimpleNamespace(matches=[match], rejections=[])
    sums = Sums(tmp_path / "log", "f")
    for number in range(20):
        sums.add(nothing, other, made([job(0)]), float(number))  # type: ignore[arg-type]
        assert len(sums._unwritten) <= 5
    sums.write()
    again = Sums(tmp_path / "log", "f")
    assert again.tally.data() == sums.tally.data()
    assert again.tally.cycles == 20


def test_lines_and_totals_of_an_earlier_version_count(tmp_path: Path) -> None:
    path = tmp_path / "log"
    new = json.loads(json.dumps(outcome(1).data()))
    old = {name: value for name, value in new.items() if name != "silent"}
    del old["moved"]["leftovers"], old["moved"]["rejections"]
    totals = {"cycles": 7, "exact": 5, "still": 4, "still_exact": 4}
    path.write_text(f"{json.dumps({'totals': totals})}\n{json.dumps(old)}\n")
    log = Log(path)
    assert (log.totals["cycles"], log.totals["exact"], log.totals["seen"]) == (8, 6, 3)
    assert list(log.recent) == [outcome(1)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_log_that_is_no_file_is_written_and_never_read(tmp_path: Path) -> None:
    """A device such as /dev/full has no end."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(pipe, b'{"time": 1}\n')
        assert next(Lines(path).read(), None) is None
        assert os.read(pipe, 100) == b'{"time": 1}\n'
    finally:
        os.close(pipe)


def test_a_log_that_is_something_else_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text('hello\n{"time": 1}\n[]\n')
    log = Log(path)
    log.add(outcome(1))
    assert log.totals["cycles"] == 1
    assert path.read_text().startswith('hello\n{"time": 1}\n[]\n{')


def test_a_log_has_the_totals_of_what_it_could_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    log = Log(path)
    log.add(outcome(1))
    whole = path.read_bytes()

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as changed:
        changed.setattr(os, "fsync", fail)
        for number in (2, 3):
            with pytest.raises(OSError, match="No space"):
                log.add(outcome(number, exact=False))
    assert path.read_bytes() == whole
    log.add(outcome(4))
    again = Log(path)
    assert again.totals == log.totals
    assert (again.totals["cycles"], again.totals["exact"]) == (4, 2)
    assert [item.time for item in again.recent] == [1, 4]


@pytest.mark.slow
def test_a_full_disk_is_said_once_and_again_when_it_has_room(
    recorded: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recorded()
    files = {name: tmp_path / name for name in ("log", "html", "prometheus")}
    cycles = 0
    find, write, open_ = loop.compare, Path.write_text, Path.open

    def counted(*args: Any) -> PredictedCycle:
        nonlocal cycles
        cycles += 1
        return find(*args)

    def check(path: Path) -> None:
        if cycles < 3 and path.parent == tmp_path:
            raise OSError(28, "No space left on device")

    def limited_write(path: Path, *args: Any, **more: Any) -> int:
        check(path)
        return write(path, *args, **more)

    def limited_open(path: Path, *args: Any, **more: Any) -> Any:
        check(path)
        return open_(path, *args, **more)

    monkeypatch.setattr(loop, "compare", counted)
    monkeypatch.setattr(Path, "write_text", limited_write)
    monkeypatch.setattr(Path, "open", limited_open)
    options = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    assert shadow("--cycles", "3", *options) in (0, 1)
    out, err = capsys.readouterr()
    assert out.count("matches") > 3
    for path in files.values():
        said = [line for line in err.splitlines() if line.startswith(str(path))]
        assert said == [
            f"{path}: no space left on device; going on without it",
            f"{path}: is written again",
        ]
        assert path.exists()
    assert Log(files["log"]).totals["cycles"] == 3


def test_a_full_place_for_temporary_files_is_waited_for(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded()
    said: list[str] = []

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loop, "predict", fail)
    monkeypatch.setattr(time, "sleep", stop)
    with loop.Bindings(POOL) as daemons, pytest.raises(KeyboardInterrupt):
        next(loop.Shadow(daemons, said.append).cycles())
    assert said == [f"waiting: {tempfile.gettempdir()}: no space left on device"]


def test_a_history_that_is_full_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    place = tmp_path / "h"

    def capture(ended: float) -> LiveCapture:
        return LiveCapture({"slots": "", "jobs": ""}, "", {"ended": ended})

    def fail(*_: object) -> None:
        raise HistoryError("h: the disk is full")

    with keeping(place, None, said.append) as keep:
        with monkeypatch.context() as changed:
            changed.setattr(Recorder, "append", fail)
            keep(capture(1.0))
            keep(capture(2.0))
        keep(capture(3.0))
        keep(capture(4.0))
    assert said == ["h: the disk is full", f"{place}: is written again"]


def test_sigterm_ends_with_the_score(
    recorded: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    before = signal.getsignal(signal.SIGTERM)

    def cycles(_: object) -> Iterator[object]:
        signal.raise_signal(signal.SIGTERM)
        yield from ()

    monkeypatch.setattr(loop.Shadow, "cycles", cycles)
    assert shadow() == 0
    assert f"pool {POOL}: 0 of 0 cycles as predicted" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGTERM) == before


# --- questions about a running pool -----------------------------------------------------------


def test_a_pool_that_runs_is_captured_for_an_answer(
    recorded: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    assert main(["negotiate", POOL, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["matches"]) == 15
    notes = [item["message"] for item in answer["diagnostics"] if item["severity"] == "note"]
    assert notes[0] == (f"pool {POOL} was captured for this answer; `pieslice capture` keeps one")
    assert main(["why", POOL, "s1@live.test#1.0"]) == 0
    assert "job 1.0" in capsys.readouterr().out


def test_a_change_is_read_on_top_of_the_configuration_of_a_running_pool(
    recorded: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded()
    change = tmp_path / "change.conf"
    change.write_text("GROUP_QUOTA_group_b = 0\n")
    assert main(["diff", POOL, "--config", str(change)]) == 1
    out = capsys.readouterr().out
    # The groups of the pool's own configuration are there on both sides.
    assert "group_a.sub" in out
    assert "20 -> 0" in out


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ("127.0.0.1:1", "127.0.0.1:1: no such folder or file; asked as a running pool: collector"),
        ("slots.ads", "slots.ads: no such folder or file\n"),
        ("nothere", "nothere: no such folder or file\n"),
    ],
)
def test_what_is_no_pool(pool: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["negotiate", pool]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {said}")
    assert err.count("\n") == 1


def test_the_gains_of_another_policy_are_added_up(
    recorded: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = recorded(_soon)
    number = iter(range(1, 100))
    monkeypatch.setattr(time, "sleep", lambda _: (place / "state").write_text(str(next(number))))
    monkeypatch.chdir(tmp_path)
    Path("change.conf").write_text("GROUP_QUOTA_group_b = 0\nGROUP_ACCEPT_SURPLUS = False\n")
    words = ["diff", POOL, "--config", "change.conf", "--watch", "--cycles", "1", "--log", "log"]
    assert main([*words, "--json"]) == 1
    sums = json.loads(capsys.readouterr().out)
    validate(sums)
    assert (sums["cycles"], sums["differing"]) == (1, 1)
    assert sums["condor_version"] == "25.14.1"
    carol = sums["users"]["group_b.carol@live.test"]
    assert (carol["matched_a"], carol["matched_b"], carol["net"]) == (32, 0, -32)
    (place / "state").write_text("0")
    assert main(words) == 1
    out = capsys.readouterr().out
    assert "cycle 2: differs, 15 matches\n" in out
    assert "2 of 2 cycles differ" in out
    assert "\n  follows 25.14.1: CondorVersion of the negotiator's ad\n" in out
    assert max(map(len, out.splitlines())) <= 80


def result(*matches: tuple[str, float] | tuple[str, float, str]) -> Any:
    """A cycle that matches jobs of users on s, of a weight, preempting whom."""
    return SimpleNamespace(
        matches=[
            SimpleNamespace(
                submitter=f"{user}@x",
                schedd="s",
                job="1.0",
                slot=f"slot{number}",
                cost=cost,
                preempted=preempted[0] if preempted else None,
            )
            for number, (user, cost, *preempted) in enumerate(matches)
        ]
    )


def waiting(**idle: int) -> LiveCapture:
    """A pool in which users have so many idle jobs."""
    jobs = [
        job(number, User=f"{user}@x", GlobalJobId=f"s#{user}.{number}#1")
        for user, count in idle.items()
        for number in range(count)
    ]
    return made(jobs, slots=[ad(Name="slot1@a", RemoteUser="old@x")])


def watched(sums: Sums, *cycles: tuple[Any, Any, LiveCapture]) -> dict[str, Gain]:
    """The sums after cycles that are a minute apart."""
    for number, (real, other, capture) in enumerate(cycles):
        sums.add(real, other, capture, 60.0 * number)
    return sums.tally.users


def test_a_wish_that_is_not_granted_counts_once_and_as_cores_over_time() -> None:
    wish = (result(), result(*[("dave", 1.0)] * 6), waiting(dave=9))
    dave = watched(Sums(), *[wish] * 10)["dave@x"]
    assert (dave.matched_a, dave.matched_b, dave.net) == (0, 6, 6)
    assert dave.wished == 6 * 9 * 60


def test_what_is_granted_later_is_no_gain() -> None:
    wish = result(*[("dave", 2.0)] * 3)
    cycles = [
        (result(("dave", 2.0)), wish, waiting(dave=3)),
        (result(*[("dave", 2.0)] * 2), result(*[("dave", 2.0)] * 2), waiting(dave=2)),
        (result(), result(), waiting()),
    ]
    dave = watched(Sums(), *cycles)["dave@x"]
    assert (dave.matched_a, dave.matched_b, dave.net, dave.wished) == (6, 6, 0, 4 * 60)


def test_a_wish_of_other_jobs_is_another_one() -> None:
    wish = result(*[("dave", 1.0)] * 2)
    none = result()
    for between, counted in (
        ([(none, none, waiting(dave=9))], 2),  # it lapses, and its jobs wait on
        ([(none, none, waiting(ann=1))], 4),  # its jobs have gone
        ([(none, result(("dave", 1.0)), waiting(dave=1))], 3),  # one of them has gone
    ):
        cycles = [(none, wish, waiting(dave=9)), *between, (none, wish, waiting(dave=9))]
        assert watched(Sums(), *cycles)["dave@x"].matched_b == counted


def test_who_would_be_preempted_again_and_again_loses_once() -> None:
    wish = (result(), result(("dave", 1.0, "old@x")), waiting(dave=1))
    old = watched(Sums(), *[wish] * 5)["old@x"]
    assert (old.lost_a, old.lost_b) == (0, 1)


def test_the_sums_go_on_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "log"
    wish = (result(), result(*[("dave", 1.0)] * 6), waiting(dave=9))
    whole = watched(Sums(), *[wish] * 6)["dave@x"]
    for start in (0, 3):
        sums = Sums(path, "f")
        for number in range(3):
            sums.add(*wish, 60.0 * (start + number))
            sums.write()
        with path.open("ab") as stream:
            stream.write(b'{"time": 3, "us')
    again = Sums(path, "f")
    dave = again.tally.users["dave@x"]
    assert (again.tally.cycles, dave.matched_b) == (6, whole.matched_b)
    # The time for which nobody watched is not known.
    assert dave.wished == whole.wished - 6 * 60
    assert Sums(path, "other").tally.cycles == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {validate(line) for line in lines} == {"watch-cycle"}


def test_the_log_of_sums_stays_small_and_catches_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log"
    wish = (result(), result(*[("dave", 1.0)] * 6), waiting(dave=9))
    sums = Sums(path, "f", large=2000)

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    for number in range(30):
        sums.add(*wish, 60.0 * number)
        if number in (11, 12):
            with monkeypatch.context() as changed:
                changed.setattr(os, "fsync", fail)
                with pytest.raises(OSError, match="No space"):
                    sums.write()
        else:
            sums.write()
    assert path.stat().st_size < 3000
    again = Sums(path, "f")
    assert again.tally.data() == sums.tally.data()
    assert again.tally.cycles == 30
    assert again.tally.users["dave@x"].matched_b == 6


def test_sums_say_what_they_cannot_know() -> None:
    text = " ".join(str(Gains("p", "f", 1, 1, {"dave@x": Gain(0, 6, 0, 0, 7200.0)}, 1)).split())
    assert "dave@x +6 0 -> 6 0 -> 0 2" in text
    assert "how long its matches would have run" in text
    assert "1 of the cycles with daemons that did not answer" in text


@pytest.mark.parametrize(
    "words", [["mypool", "--config", "x"], [POOL], [POOL, "other.example", "--config", "x"]]
)
def test_what_can_be_watched(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *words, "--watch"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_log_of_nothing_but_half_a_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"time": 3, "age"')
    log = Log(path)
    log.add(outcome(1))
    assert [json.loads(line)["time"] for line in path.read_text().splitlines()] == [1]
    assert Log(path).totals == log.totals


def test_a_pool_that_stays_away_is_asked_less_and_less_up_to_a_bound(
    recorded: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(lambda whole: whole.update(trouble={"collector": "gone"}))
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 8:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    with loop.Bindings(POOL) as daemons, pytest.raises(KeyboardInterrupt):
        next(loop.Shadow(daemons, lambda text: None).cycles())
    assert slept == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
