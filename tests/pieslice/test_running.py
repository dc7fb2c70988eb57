"""How a simulation runs: its moments, its checkpoints, what it tells, what it takes from files."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from classad.evaluate import EvalContext
from pieslice.cli import main
from pieslice.simulation.output import EVENT_COLUMNS, RunFolder
from pieslice.simulation.running import (
    SILENT,
    Kept,
    RunForm,
    RunReporter,
    run_here,
    run_new,
    run_until,
)
from pieslice.simulation.setup import Plan, build, fingerprint
from policy.claims import ClaimSettings

JOBS = "submit,user,run_time\n0,a,500\n700,b,100\n"


def plan_of(folder: Path, config: str = "", **options: Any) -> Plan:
    (folder / "w.csv").write_text(JOBS)
    (folder / "c").write_text(config)
    plan = Plan("1", str(folder / "w.csv"), 3600, config=str(folder / "c"))
    return evolve(plan, **options)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_run_that_an_earlier_version_began_goes_on_with_its_columns(
    form: str, tmp_path: Path
) -> None:
    """Before jobs told where they come from, an event had no `origin`."""
    columns = [name for name in EVENT_COLUMNS if name != "origin"]
    row = [7, "submit", "ann", 1, "", ""]
    lines = [json.dumps(dict(zip(columns, row, strict=True)))]
    if form == "csv":
        lines = [",".join(columns), ",".join(map(str, row))]
    text = "".join(f"{line}\n" for line in lines)
    (tmp_path / f"events.{form}").write_text(text)
    (tmp_path / f"series.{form}").write_text("")
    run = RunFolder(tmp_path, form, {"events": len(text), "series": 0})
    run.write("events", (*row, "1.0"))
    run.close()
    assert (tmp_path / f"events.{form}").read_text() == f"{text}{lines[-1]}\n"


@pytest.mark.parametrize("interval", [60, 90, 300, 700])
@pytest.mark.parametrize("series", [1, 100, 600, 900, 5000])
def test_a_series_has_the_first_cycle_at_or_after_each_of_its_moments(
    interval: int, series: int, tmp_path: Path
) -> None:
    plan = plan_of(tmp_path, f"NEGOTIATOR_INTERVAL = {interval}\n", series=series)
    kept = Kept()
    run_here(plan, SILENT, kept)
    cycles = range(0, 3600, interval)
    marks = itertools.takewhile(lambda it: it < 3600, itertools.count(0, series))
    expected = {
        next(cycle for cycle in cycles if cycle >= mark) for mark in marks if mark <= cycles[-1]
    }
    assert [row[0] for row in kept.rows["series"] if row[1] == "pool"] == sorted(expected)


@pytest.mark.parametrize(
    ("interval", "hours", "between"),
    [(60, 0.01, 60), (300, 0.05, 300), (300, 0.25, 900), (300, 0.26, 1200), (60, 0.5, 1800)],
)
@pytest.mark.parametrize("seconds", [3600, 3601, 3660])
def test_checkpoints_are_made_after_so_many_hours_but_not_within_a_cycle(
    interval: int,
    hours: float,
    between: int,
    seconds: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[int] = []

    def checkpoint(folder: RunFolder, data: Mapping[str, Any]) -> None:
        found.append(data["next"])

    monkeypatch.setattr(RunFolder, "checkpoint", checkpoint)
    plan = plan_of(tmp_path, f"NEGOTIATOR_INTERVAL = {interval}\n", seconds=seconds)
    run_new(plan, tmp_path / "run", RunForm(checkpoint_hours=hours), SILENT)
    last = -(-seconds // interval) * interval
    assert found == list(range(between, last + 1, between))


def test_a_run_tells_how_far_it_is(tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    plan = plan_of(tmp_path, "NEGOTIATOR_INTERVAL = 1000\n", seconds=2700)
    run_here(plan, RunReporter(lambda done, words: told.append((done, words)), lambda found: None))
    assert told == [
        (0, ""), (1000, "hour 0.3 of 0.75"), (2000, "hour 0.6 of 0.75"), (2700, "hour 0.8 of 0.75"),
    ]  # fmt: skip
    told.clear()
    run_until(
        plan, 1001, RunReporter(lambda done, words: told.append((done, words)), lambda found: None)
    )
    assert told == [(1000, "hour 0.3 of 0.3"), (1001, "hour 0.6 of 0.3")]


@pytest.mark.parametrize(
    ("seconds", "stands", "cycles"),
    [(0, 0, 0), (1, 60, 1), (60, 60, 1), (61, 120, 2), (600, 600, 10)],
)
def test_a_run_until_a_moment_stands_before_the_next_cycle(
    seconds: int, stands: int, cycles: int, tmp_path: Path
) -> None:
    found = run_until(plan_of(tmp_path), seconds, SILENT).simulation.state
    assert (found.now, found.cycles, found.arrived) == (stands, cycles, 1)


@pytest.mark.parametrize(("seconds", "cycles"), [(1, 1), (60, 1), (61, 2), (3600, 60)])
def test_the_last_cycle_counts_for_what_is_left(seconds: int, cycles: int, tmp_path: Path) -> None:
    found = run_here(plan_of(tmp_path, seconds=seconds))
    assert (found["cycles"], found["hours"] * 3600) == (cycles, pytest.approx(seconds))
    assert found["pool_hours"] * 3600 == pytest.approx(seconds)
    assert found["users"]["a@sim.example"]["usage_hours"] * 3600 == pytest.approx(min(seconds, 500))


def test_an_interval_of_nothing_is_a_second(tmp_path: Path) -> None:
    found = run_here(plan_of(tmp_path, "NEGOTIATOR_INTERVAL = 0\n", seconds=5))
    assert found["cycles"] == 5


_SET = ("worklife", "retirement", "vacate", "leftovers")


# --- what comes from files ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "options", "settings"),
    [
        ("", {}, ClaimSettings(1200, 0, 10)),
        ("CLAIM_WORKLIFE = 0\nMAXJOBRETIREMENTTIME = 5\n", {}, ClaimSettings(0, 5, 10)),
        ("CLAIM_WORKLIFE = -1\nMachineMaxVacateTime = 9\n", {}, ClaimSettings(-1, 0, 9)),
        ("MachineMaxVacateTime = 9\n", {"vacate": 8}, ClaimSettings(1200, 0, 8)),
        ("", {"vacate": 601}, ClaimSettings(1200, 0, 600)),
        ("MachineMaxVacateTime = 700\n", {"vacate": 701}, ClaimSettings(1200, 0, 700)),
        ("CLAIM_WORKLIFE = 7\n", {"worklife": 0, "retirement": 0}, ClaimSettings(0, 0, 10)),
        ("CLAIM_WORKLIFE = 999999999\n", {}, ClaimSettings(999_999_999, 0, 10)),
        ("CLAIM_WORKLIFE = 10000000000\n", {}, ClaimSettings(1200, 0, 10)),
        ("CLAIM_WORKLIFE = 10 * 60\nMAXJOBRETIREMENTTIME = x\n", {}, ClaimSettings(600, 0, 10)),
        ("CLAIM_WORKLIFE = Slot1\n", {}, ClaimSettings(1200, 0, 10)),
        ("CLAIM_WORKLIFE =\n", {}, ClaimSettings(1200, 0, 10)),
        ("NEGOTIATOR.CLAIM_WORKLIFE = 3\n", {}, ClaimSettings(1200, 0, 10)),
        ("STARTD.CLAIM_WORKLIFE = 3\n", {}, ClaimSettings(3, 0, 10)),
        ("CLAIM_PARTITIONABLE_LEFTOVERS = False\n", {}, ClaimSettings(1200, 0, 10, False)),
        ("SCHEDD.CLAIM_PARTITIONABLE_LEFTOVERS = 0\n", {}, ClaimSettings(1200, 0, 10, False)),
        ("STARTD.CLAIM_PARTITIONABLE_LEFTOVERS = 0\n", {}, ClaimSettings(1200, 0, 10, False)),
        (
            "CLAIM_WORKLIFE = 3\n",
            {"settings": (("CLAIM_WORKLIFE", "4"),)},
            ClaimSettings(4, 0, 10),
        ),
        (
            "CLAIM_WORKLIFE = 3\n",
            {"texts": (("more", "CLAIM_WORKLIFE = 5\nMAXJOBRETIREMENTTIME = 6\n"),)},
            ClaimSettings(5, 6, 10),
        ),
    ],
)
def test_claims_are_as_the_startd_and_the_schedd_are_configured(
    config: str, options: dict[str, Any], settings: ClaimSettings, tmp_path: Path
) -> None:
    simulation, _ = build(plan_of(tmp_path, config, **options), lambda *event: None)
    found = simulation.settings
    assert [getattr(found, name) for name in _SET] == [getattr(settings, name) for name in _SET]


@pytest.mark.parametrize(
    ("pool", "slots", "weight"),
    [("1", 1, 1), ("12", 12, 12), ("3x2", 3, 6), ("2x9999", 2, 19998), ("99", 99, 99)],
)
def test_plain_pools(pool: str, slots: int, weight: int, tmp_path: Path) -> None:
    simulation, negotiator = build(plan_of(tmp_path, pool=pool, now=77), lambda *event: None)
    assert (len(simulation.pool.slots), simulation.pool.weight) == (slots, weight)
    assert (simulation.epoch, negotiator.seed) == (77, 0)
    assert build(plan_of(tmp_path, pool=pool), lambda *it: None)[0].epoch == 1_800_000_000


def test_a_fingerprint_is_that_of_the_files_of_a_run(tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    (pool / "below").mkdir(parents=True)
    (pool / "slots.ads").write_text("a")
    (pool / "below" / "more").write_text("b")
    (tmp_path / "m.csv").write_text("m")
    plan = plan_of(tmp_path, pool=str(pool), machines=str(tmp_path / "m.csv"))
    before = fingerprint(plan)
    (pool / "below" / "more").write_text("c")
    (tmp_path / "other").write_text("no part of it")
    assert fingerprint(plan) == before == fingerprint(evolve(plan, seed=5))
    seen = {before}
    for name in ("pool/slots.ads", "pool/jobs.ads", "w.csv", "c", "m.csv"):
        (tmp_path / name).write_text("changed")
        seen.add(fingerprint(plan))
    (pool / "slots.ads").rename(pool / "slots.json")
    seen.add(fingerprint(plan))
    assert len(seen) == 7
    assert fingerprint(evolve(plan, workload=({"user": "a"},), config=None)) not in seen


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, ["a 1 0 1 0"]),
        (60, ["a 0 1 0 1"]),
        (540, []),
        (720, ["b 2 0 2 0"]),
        (780, ["b 1 1 1 1"]),
        (960, []),
    ],
)
def test_submitters_are_those_who_have_jobs(seconds: int, told: list[str], tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    (tmp_path / "w.csv").write_text(f"{JOBS}700,b,60\n")
    found = []
    for ad in run_until(plan, seconds, SILENT).submitter_ads():
        names = ("IdleJobs", "RunningJobs", "WeightedIdleJobs", "WeightedRunningJobs")
        numbers = " ".join(f"{ad.get_number(name):g}" for name in names)
        found.append(f"{(ad.get_string('Name') or '').partition('@')[0]} {numbers}")
    assert found == told


def test_jobs_are_told_apart_by_what_the_slots_that_are_there_ask_for(tmp_path: Path) -> None:
    slot = (
        'MyType = "Machine"\nName = "slot1@{0}"\nMachine = "{0}"\nCpus = 1\nMemory = 9\nDisk = 9\n'
        'State = "Unclaimed"\nMyCurrentTime = 1700000000\nRequirements = {1}\n'
    )
    folder = tmp_path / "pool"
    folder.mkdir()
    slots = (slot.format("n1", "TARGET.Site =?= 1"), slot.format("n2", "TARGET.Team =?= 1"))
    (folder / "slots.ads").write_text("\n".join(slots))
    (folder / "jobs.ads").write_text("")
    simulation, negotiator = build(
        plan_of(tmp_path, "NEGOTIATOR_CONSIDER_PREEMPTION = False\n", pool=str(folder)),
        lambda *event: None,
    )
    cache, context = negotiator.cache, EvalContext(now=0.0)
    assert cache is not None

    def asked() -> set[str]:
        return {"site", "team"} & set(cache._significant(context) or ())

    both = cache._kinds_now(context)
    assert (asked(), cache._kinds_now(context) is both) == ({"site", "team"}, True)
    simulation.pool.leave("n1")
    one = cache._kinds_now(context)
    assert (asked(), one is both) == ({"team"}, False)
    simulation.pool.leave("n2")
    simulation.pool.join("n1")
    assert asked() == {"site"}
    assert cache._kinds_now(context) not in (one, both)
    simulation.pool.join("n2")
    assert cache._kinds_now(context) is both


def test_a_macro_in_the_place_of_a_file_is_compared_in_the_pools_own_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What else the configuration has stays: a file in its place would have been all there is."""
    found = []
    for name, words in (
        ("one", ["--set", "PRIORITY_HALFLIFE=60"]),
        ("two", ["--compare", "PRIORITY_HALFLIFE=60", "PRIORITY_HALFLIFE=600"]),
    ):
        folder = tmp_path / name
        command = ["simulate", "examples/campus", "--days", "0.01", "-o", str(folder), *words]
        assert main(command) == 0
        summaries = sorted(folder.rglob("summary.json"))
        found.append([json.loads(path.read_text()) for path in summaries])
    out, err = capsys.readouterr()
    # Of each run, and once of both that are compared.
    assert err.count("note: 20 jobs of frank@campus.example") == 2
    assert "A: PRIORITY_HALFLIFE=60\nB: PRIORITY_HALFLIFE=600\n" in out
    (alone,), (first, second) = found
    assert first == alone
    assert set(second["groups"]) == set(alone["groups"])
