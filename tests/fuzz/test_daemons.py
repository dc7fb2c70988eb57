"""The fuzz target `daemons` without daemons: its reader of logs, its scenarios, how it shrinks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fuzz.__main__ import main
from fuzz.daemons import system
from fuzz.daemons.accountant_log import customers, seeded, shifted, uncharged
from fuzz.daemons.ads import Job, expand_jobs, expand_slots, merge
from fuzz.daemons.campaign import KINDS, Campaign, Tally
from fuzz.daemons.claims import claimed
from fuzz.daemons.compare import compare, known_departures, undetermined
from fuzz.daemons.document import document
from fuzz.daemons.log import cycle_lines, quiet, read_cycle
from fuzz.daemons.log_reader import Reader
from fuzz.daemons.one_process import LastingPool
from fuzz.daemons.queue_log import queue_log
from fuzz.daemons.recordings import Recordings
from fuzz.daemons.shrink import shrink
from fuzz.daemons.sites.mixing import PARTS, mixed, small_pool
from fuzz.daemons.system import DaemonError, System, open_system
from fuzz.daemons.wild.mixture import FEATURES
from fuzz.target import Unavailable
from negotiator.scenario import expand
from negotiator.scenario.read import version_of
from policy.versions import Version
from tests.conform.negotiation import course
from tests.conform.negotiation.course import Played

RECORDED = Path(__file__).parent / "daemons"
VECTORS = Path(__file__).parents[1] / "vectors" / "negotiation"
ADDRESS = "<127.0.0.1:9890>"
SLOTS = ["slot1@a", "slot1@b", "slot1@c"]


def recorded_case() -> dict[str, Any]:
    case: dict[str, Any] = json.loads((VECTORS / "ceiling.json").read_text())
    return case


def test_the_log_of_a_cycle_is_read() -> None:
    whole, cycle = cycle_lines((RECORDED / "NegotiatorLog").read_text())
    read = read_cycle(whole, SLOTS, {9811: "s1"})
    assert read == json.loads((RECORDED / "cycle.json").read_text())
    told = [
        (item["submitter"], item["job"], item["slot"], item["kind"]) for item in read["matches"]
    ]
    assert told == [
        ("chem.alice@test", "1.0", "slot1@a", "none"),
        ("bob@test", "2.0", "slot1@b", "priority"),
    ]
    assert [item["job"] for item in read["rejections"]] == ["2.0", "2.1"]
    assert [pie["floor_round"] for pie in read["pies"]] == [False, True, False]
    kept = quiet(cycle)
    assert 20 < len(kept) < len(cycle) / 2
    assert not any("passwords.d" in line for line in cycle)


def test_a_log_of_several_cycles_counts_the_last() -> None:
    text = (RECORDED / "NegotiatorLog").read_text()
    first = text.replace("alice", "carol")
    whole, _ = cycle_lines(f"01/01/26 00:00:00 Accountant::Initialize\n{first}{text}")
    assert whole[0] == "Accountant::Initialize"
    assert read_cycle(whole, SLOTS, {9811: "s1"})["submitter_order"] == [
        "chem.alice@test",
        "bob@test",
    ]


@pytest.mark.parametrize(("known", "read"), [("adbc", "adbc"), ("dcba", "abcd")])
def test_a_slot_that_only_later_scans_test_keeps_its_place(known: str, read: str) -> None:
    """The first schedd passes over b, which the second one has claimed; d is never tested.

    Where the negotiator has sorted the slots the collector's order is another one.
    """
    reader = Reader({})
    for scan in ("ac", "abc", "c"):
        reader.last_tested = None
        for name in scan:
            reader.tested(name)
    assert reader.finished(list(known))["slot_order"] == list(read)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_always_gives_the_same_scenario(kind: str) -> None:
    draw = KINDS[kind]
    for seed in range(30000, 30010):
        scenario = draw(seed)
        assert json.dumps(draw(seed)) == json.dumps(scenario) != json.dumps(draw(seed + 10))
        assert json.loads(json.dumps(scenario)) == scenario
        slots = list(expand.expand_slots(scenario, scenario["slots"]))
        assert len({slot.name for slot in slots}) == len(slots) > 0
        assert list(expand.expand_jobs(scenario, scenario["jobs"]))


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_in_every_scenario_that_asks_for_it(part: str) -> None:
    for kind in ("wild", "site"):
        plain = small_pool(30001) if kind == "site" else KINDS[kind](30001)
        before = json.dumps(plain)
        scenario = mixed(plain, [part], 30001)
        assert part in scenario["tags"]
        assert json.dumps({**scenario, "tags": []}) != json.dumps(
            {**json.loads(before), "tags": []}
        )
        assert list(expand.expand_slots(scenario, scenario["slots"]))
        assert list(expand.expand_jobs(scenario, scenario["jobs"]))


def test_a_part_that_does_not_exist_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["daemons", "--mix", "gpus,nosuch"])
    assert caught.value.code == 2
    assert "no part `nosuch`; there are pslots, " in capsys.readouterr().err


def test_jobs_of_another_site_have_its_domain() -> None:
    scenario = {"uid_domains": {"s5": "far.example"}}
    entries = [{"submitter": "ann"}, {"submitter": "ann", "schedd": "s5"}]
    assert [job.user for job in expand_jobs(scenario, entries)] == ["ann@test", "ann@far.example"]
    ours = expand.expand_jobs(scenario, entries)
    assert [job.submitter for job in ours] == ["ann@test", "ann@far.example"]


def test_a_lasting_negotiator_has_written_its_log_before_it_is_read() -> None:
    """The command that makes it write waits for no answer."""
    log = "103 Customer.ann@test PriorityFactor 1000.000000\n"
    later = [log, log, log + "103 Customer.ann@test ResourcesUsed 2\n", log * 2]

    class Slow(LastingPool):
        def __init__(self) -> None:
            self.scenario = {"accountant": {"customers": {"ann": {"factor": 1000.0}}}}
            self.domain = "test"

        def tool(self, *arguments: str, timeout: float = 60.0, check: bool = True) -> str:
            return " ".join(arguments)

        def accountant_log(self) -> str:
            return later.pop(0)

    Slow().flush()
    assert not later


def test_wild_scenarios_are_those_that_were_recorded() -> None:
    """The generator still draws what `tests/vectors/negotiation-wild` was recorded from."""
    import gzip

    path = next(iter(sorted((VECTORS.parent / "negotiation-wild").glob("*.gz"))))
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    for line in lines[::5]:
        scenario = json.loads(line)["scenario"]
        assert KINDS["wild"](int(scenario["name"].removeprefix("wild-"))) == scenario


def test_every_feature_comes_up() -> None:
    seen = {tag for seed in range(30000, 30400) for tag in KINDS["wild"](seed)["tags"]}
    assert FEATURES.keys() <= seen


def test_plausible_pools_are_large_and_last() -> None:
    scenarios = [KINDS["plausible"](seed) for seed in range(30000, 30030)]
    assert all(60 <= len(scenario["slots"]) <= 250 for scenario in scenarios)
    assert all(len(scenario["cycles"]) >= 4 for scenario in scenarios)
    assert {scenario.get("process") for scenario in scenarios} == {None, "one"}
    assert {"GROUP_NAMES" in scenario["config"] for scenario in scenarios} == {True, False}
    for scenario in scenarios:
        factors = [item["factor"] for item in scenario["accountant"]["customers"].values()]
        assert 1000.0 in factors  # what a lasting negotiator is made to write its log with


def test_crowded_pools_have_it_all() -> None:
    scenarios = [KINDS["crowded"](seed) for seed in range(30000, 30030)]
    for scenario in scenarios:
        steps = (scenario, *scenario["cycles"])
        ids = [(job["schedd"], job["id"]) for step in steps for job in step.get("jobs", ())]
        assert len(set(ids)) == len(ids)
    ads = [entry["ad"] for scenario in scenarios for entry in scenario["slots"]]
    for name in ("ConsumptionCpus", "WantAdRevaluate", "RetirementTimeRemaining"):
        assert any(name in ad for ad in ads)
    homes = {
        (scenario["name"], job["submitter"], job["schedd"])
        for scenario in scenarios
        for job in scenario["jobs"]
    }
    assert len(homes) > len({home[:2] for home in homes})


def test_ads_are_those_of_the_scenario_reader() -> None:
    """Both readers of scenarios give the same attributes, however a name is spelled."""
    scenario = KINDS["wild"](30000)
    ours = expand_slots(scenario["slots"], None, ADDRESS)
    theirs = list(expand.expand_slots(scenario, scenario["slots"]))
    for slot, other in zip(ours, theirs, strict=True):
        assert slot.name == other.name
        assert {k.lower(): v for k, v in slot.ad.items()} == {
            k.lower(): v for k, v in other.attributes.items()
        }
    assert merge({"A": "1", "b": "2"}, {"a": "3", "B": None}) == {"a": "3"}
    with pytest.raises(DaemonError, match="same name"):
        expand_slots([{"name": "a"}, {"name": "a"}], None, ADDRESS)


def test_a_queue_has_a_record_of_every_owner() -> None:
    jobs = expand_jobs({}, [{"submitter": "chem.ann", "count": 2}, {"submitter": "bob"}])
    text = queue_log(jobs, "test")
    assert text.splitlines()[:3] == [
        "107 1 CreationTimestamp 1700000000",
        "101 0.0 Job Machine",
        '103 0.0 UidDomain "test"',
    ]
    assert '103 0.4 Owner "ann"\n' in text
    assert '103 0.5 Owner "bob"\n' in text
    assert '103 1.1 AccountingGroup "chem.ann"\n' in text
    assert "103 0.0 NextClusterNum 3\n" in text
    both = [Job("s1", 1, 0, "ann", "ann", {}), Job("s1", 1, 1, "bob", "bob", {})]
    with pytest.raises(DaemonError, match="several owners"):
        queue_log(both, "test")


def test_the_accountant_is_seeded_and_read() -> None:
    ad = {"State": '"Claimed"', "RemoteUser": '"zoe@test"', "SlotWeight": "Cpus", "Cpus": "4"}
    slots = expand_slots([{"name": "slot1@a", "ad": ad}], None, ADDRESS)
    accountant = {
        "customers": {"bob": {"priority": 2.5, "floor": 3}, "g": {"group": True, "ceiling": 1}},
        "elapsed": 60,
        "seed_claims": True,
    }
    text = seeded(accountant, slots, ADDRESS, "test", 1000)
    assert "103 Accountant. LastUpdateTime 940\n" in text
    assert f"103 Resource.slot1@a@{ADDRESS} StartTime 840\n" in text
    assert "LastUpdateTime 970\n" in shifted(text, 1000, 30)
    assert customers(text, timed=False) == {
        "bob@test": {"Priority": 2.5, "Floor": 3},
        "g": {"Ceiling": 1},
        "zoe@test": {"WeightedResourcesUsed": 4.0, "ResourcesUsed": 1},
    }
    assert customers("102 Customer.a\n", timed=False) == {}
    assert not uncharged(text)
    assert uncharged(text + "103 Customer.zoe@test UnchargedTime -1\n")


def test_a_match_becomes_a_claim() -> None:
    slots = expand_slots([{"name": "slot1@a"}, {"name": "slot1@b"}], None, ADDRESS)
    jobs = expand_jobs({}, [{"submitter": "ann", "count": 3}])
    match = {"slot": "slot1@b", "submitter": "ann@test", "job": "1.1", "new_startd_rank": 2.0}
    after, waiting = claimed([match], slots, jobs)
    assert [slot.ad["State"] for slot in after] == ['"Unclaimed"', '"Claimed"']
    assert after[1].ad["CurrentRank"] == "2.0"
    assert [job.id for job in waiting] == ["1.0", "1.2"]


def test_a_scenario_shrinks_to_what_matters() -> None:
    scenario = KINDS["plausible"](30000)
    wanted, user = scenario["slots"][37]["name"], scenario["jobs"][-1]["submitter"]
    asked = 0

    def holds(smaller: dict[str, Any]) -> bool:
        nonlocal asked
        asked += 1
        slots = [entry for entry in smaller["slots"] if entry["name"] == wanted]
        jobs = [entry for entry in smaller["jobs"] if entry["submitter"] == user]
        knob = "PREEMPTION_REQUIREMENTS" in smaller["config"]
        return bool(slots and jobs and knob and "Memory" in slots[0]["ad"])

    least = shrink(scenario, holds, 1000)
    assert asked < 300
    assert [entry["name"] for entry in least["slots"]] == [wanted]
    assert list(least["slots"][0]["ad"]) == ["Memory"]
    assert [(entry["submitter"], entry["count"], entry["ad"]) for entry in least["jobs"]] == [
        (user, 1, {})
    ]
    assert list(least["config"]) == ["PREEMPTION_REQUIREMENTS"]
    assert least["cycles"] == [{}]
    assert least["accountant"]["customers"] == {}


def test_shrinking_asks_no_more_often_than_it_may() -> None:
    asked: list[object] = []

    def never(smaller: dict[str, Any]) -> bool:
        asked.append(smaller)
        return False

    scenario = KINDS["wild"](30000)
    assert shrink(scenario, never, 17) == scenario
    assert len(asked) == 17


def test_a_recorded_case_agrees_and_a_spoilt_one_differs() -> None:
    case = recorded_case()
    assert compare(case).fields == ()
    case["observed"]["cycles"][0]["matches"].pop()
    verdict = compare(case)
    assert verdict.differs
    assert "matches" in verdict.heads
    case["scenario"]["slots"] = None
    assert compare(case).heads == {"raises TypeError"}


#: A job for it is known to end the real negotiator.
GADGETS = {
    "PartitionableSlot": "true",
    "Cpus": "8",
    "ConsumptionCpus": "1",
    "MachineResources": '"cpus gadgets"',
    "ConsumptionGadgets": "1",
}


def test_a_known_difference_is_counted_by_its_number() -> None:
    scenario: dict[str, Any] = {
        "config": {},
        "slots": [{"name": "slot1@p", "ad": GADGETS}],
        "jobs": [{"submitter": "ann"}],
        "cycles": [{}, {}],
    }
    assert known_departures(scenario, "25.14.1") == ("D-502",)
    assert known_departures({**scenario, "jobs": None}, "25.14.1") == ()
    later = {"name": "b", "ad": {}}
    scenario["cycles"] = [{}, {"slots": scenario["slots"]}]
    assert known_departures({**scenario, "slots": [later]}, "25.14.1") == ("D-502",)


def test_what_is_known_of_a_version_is_told_by_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []

    def play(case: dict[str, Any]) -> Iterator[Played]:
        played.append(version_of(case))
        return course.play(case)

    monkeypatch.setattr("fuzz.daemons.compare.play", play)
    scenario = {
        "config": {},
        "slots": [{"name": "slot1@p", "ad": GADGETS}],
        "jobs": [{"submitter": "ann"}],
    }
    assert known_departures(scenario, "23.9.6") == ("D-502",)
    assert played == [Version(23, 9, 6)]


def test_ties_by_address_are_not_compared() -> None:
    scenario: dict[str, Any] = {
        "config": {"NEGOTIATOR_IGNORE_JOB_RANKS": "True"},
        "slots": [{"name": "a", "ad": {"Uniq": "1"}}],
    }
    assert not undetermined(scenario)
    scenario["slots"] += [{"name": "b", "ad": {}}, {"name": "c", "ad": {}}]
    assert undetermined(scenario)


def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Campaign, list[str]]:
    """A campaign whose daemons always drop the last match that we make."""
    told: list[str] = []

    def record(_system: object, scenario: dict[str, Any], _base: int) -> dict[str, Any]:
        if not scenario["slots"]:
            raise DaemonError("no slots")
        observed: dict[str, Any] = recorded_case()["observed"]
        observed["cycles"][0]["matches"].pop()
        return observed

    monkeypatch.setattr("fuzz.daemons.campaign.record", record)
    monkeypatch.setattr("fuzz.daemons.campaign.version_of", lambda system: "25.14.1")
    return Campaign(System("/nowhere", 0, 0), 9800, tmp_path, 5, told.append), told


def test_a_difference_is_written_in_the_schema_of_the_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fuzzer, told = campaign(tmp_path, monkeypatch)
    tally = Tally()
    fuzzer.one(recorded_case()["scenario"], tally)
    assert tally.differing == ["ceiling"]
    assert tally.line.startswith("daemons: 1 scenarios, 1 cycles, ")
    assert tally.line.endswith("1 differed (ceiling)")
    written = json.loads((tmp_path / "daemons-ceiling.json").read_text())
    assert written.keys() == recorded_case().keys()
    assert "ceiling: " in told[0]


def test_a_scenario_that_is_not_recorded_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fuzzer, told = campaign(tmp_path, monkeypatch)
    tally = Tally()
    fuzzer.one({**recorded_case()["scenario"], "slots": []}, tally)
    assert told == ["ceiling: not recorded: no slots"]
    assert "left out: no recording 1" in tally.line


def test_kept_recordings_are_compared_without_the_daemons(tmp_path: Path) -> None:
    """A scenario is recorded once, the second time for ``again``, and anew where it has changed."""
    kept, runs = Recordings(tmp_path / "kept"), []

    def record() -> dict[str, Any]:
        runs.append(len(runs))
        return {"cycles": [runs[-1]]}

    scenario = {"name": "one", "slots": []}
    first = [kept.observed(scenario, record) for _ in range(2)]
    assert first == [{"cycles": [0]}] * 2
    assert kept.observed(scenario, record, again=True) == {"cycles": [1]}
    assert kept.observed({**scenario, "jobs": []}, record) == {"cycles": [2]}


@pytest.mark.parametrize(("error", "attempts"), [("it aborts", 1), ("clock slipped: [2]", 2)])
def test_an_error_is_kept_unless_it_passes(tmp_path: Path, error: str, attempts: int) -> None:
    kept, runs = Recordings(tmp_path), []

    def record() -> dict[str, Any]:
        runs.append(error)
        raise DaemonError(error)

    for _ in range(2):
        with pytest.raises(DaemonError, match=error[:9]):
            kept.observed({"name": "one"}, record)
    assert len(runs) == attempts


def test_priorities_stand_still_where_usage_cannot_be_seeded() -> None:
    """Else the seconds that a recording takes would change them."""
    scenario = {
        "tags": [], "config": {"PRIORITY_HALFLIFE": "3600"}, "accountant": {"elapsed": 60},
        "slots": [{"name": "a", "ad": {"SlotWeight": "Cpus + 1"}}], "cycles": [{"elapsed": 60}],
    }  # fmt: skip
    drawn = mixed(scenario, (), 1)
    assert (drawn["config"], drawn["accountant"], drawn["cycles"]) == ({}, {}, [{}])


def test_documents_are_read_back() -> None:
    case = recorded_case()
    text = document(case)
    assert json.loads(text) == case
    assert "\n" in text


@pytest.mark.parametrize("arguments", [[], ["--root", "no-such-folder"]])
def test_where_it_cannot_run_it_says_so(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["daemons", *arguments]) == 0
    told = capsys.readouterr().out
    assert told.startswith("daemons: not run here: ")
    assert told.count("\n") == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What looks like a system with HTCondor."""
    for name in ("sbin/condor_negotiator", "sbin/condor_schedd", "sbin/condor_collector"):
        path = tmp_path / "usr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def test_what_is_missing_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.os, "getuid", lambda: 1000)
    with pytest.raises(Unavailable, match="needs root"):
        open_system(folder)
    monkeypatch.setattr(system.os, "getuid", lambda: 0)
    with pytest.raises(Unavailable, match="setpriv"):
        open_system(folder)
    (folder / "usr/bin").mkdir()
    (folder / "usr/bin/setpriv").touch(mode=0o755)
    (folder / "etc").mkdir()
    (folder / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    with pytest.raises(Unavailable, match="no account `condor`"):
        open_system(folder)
    with (folder / "etc/passwd").open("a") as file:
        file.write("condor:x:104:106::/var/lib/condor:/bin/sh\n")
    made = open_system(folder)
    assert (made.uid, made.gid, made.native) == (104, 106, False)
    assert made.command(["a"], {"B": "c"})[-2:] == ["B=c", "a"]
    monkeypatch.setattr(system.sys, "platform", "darwin")
    with pytest.raises(Unavailable, match="Linux"):
        open_system(folder)
