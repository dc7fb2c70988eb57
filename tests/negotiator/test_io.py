"""Reading a capture: what goes where, and what is said about bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from negotiator.capture.files import ads_of
from negotiator.capture.schedds import NO_ADDRESS
from negotiator.capture.slots import pool_order
from negotiator.io import Capture, CapturePaths, InputError, read_capture


def read(folder: Path, **changes: float) -> Capture:
    return read_capture(CapturePaths(folder), **changes)


def headlines(capture: Capture, folder: Path) -> list[str]:
    return [item.headline().replace(f"{folder}/", "") for item in capture.diagnostics]


def append(path: Path, text: str) -> int:
    """Add an ad at the end and return the number of its first line."""
    before = path.read_text()
    path.write_text(f"{before}\n{text}")
    return before.count("\n") + 2


def test_a_sound_capture_says_nothing(pool: Path) -> None:
    capture = read(pool)
    assert capture.diagnostics == ()
    facts = capture.facts
    assert (facts.machines, facts.slots, facts.users, facts.jobs) == (2, 3, 2, 3)
    assert facts.idle_jobs == 3
    (pool / "jobs.ads").write_text((pool / "jobs.ads").read_text().replace("tus = 1", "tus = 2", 1))
    assert read(pool).facts.idle_jobs == 2
    assert [queue.name for queue in capture.snapshot.queues] == ["ap1"]
    assert capture.snapshot.accountant.customers["bob@pool"].priority == 1.0
    assert capture.snapshot.accountant.last_update_time == 1700000060
    assert capture.expected is None


def test_slots_are_in_pool_order(pool: Path) -> None:
    names = ["slot1@a", "slot2@a", "slot1@b"]
    slots = read(pool).snapshot.slots
    found = [slot.evaluate_attr("Name") for slot in slots]
    assert found == [names[i] for i in pool_order(names)]
    assert [slots[0]["Name"], *(slot["Name"] for slot in slots[1:])] == found


def test_files_that_are_named_come_before_ads_and_ads_before_the_folder(
    pool: Path, tmp_path: Path
) -> None:
    def names(paths: CapturePaths) -> set[object]:
        return {slot["Name"] for slot in read_capture(paths).snapshot.slots}

    named, mixed = tmp_path / "named.ads", tmp_path / "mixed.ads"
    for path in (named, mixed):
        path.write_text(f'MyType = "Machine"\nName = "{path.stem}"\nCpus = 1\n')
    ads = {"slots": tuple(ads_of(mixed, []))}
    assert len(names(CapturePaths(pool))) == 3
    assert names(CapturePaths(pool, ads=ads)) == {"mixed"}
    assert names(CapturePaths(pool, {"slots": named}, ads)) == {"named"}


def test_time_given_expected_or_newest(pool: Path) -> None:
    assert (read(pool).facts.now, read(pool).facts.now_from) == (
        1700000060,
        "the newest in the ads",
    )
    (pool / "expected.json").write_text('{"cycle_started_at": 1700000075}')
    assert read(pool).facts.now_from == "from expected.json"
    assert read(pool).facts.now == 1700000075
    assert read(pool, now=5.0).facts.now == 5.0


def test_a_capture_that_tells_no_time(pool: Path) -> None:
    for path in pool.glob("*.ads"):
        lines = path.read_text().splitlines()
        told = ("LastHeardFrom", "LastUpdate", "MyCurrentTime", "ServerTime")
        path.write_text("\n".join(line for line in lines if not line.startswith(told)))
    with pytest.raises(InputError, match="no ad tells the time of the cycle"):
        read(pool)
    assert read(pool, now=5.0).facts.now_from == "as given"


def test_slot_without_a_name_is_skipped(pool: Path) -> None:
    line = append(pool / "slots.ads", "Cpus = 3\nMemory = 7\n")
    capture = read(pool)
    assert headlines(capture, pool) == [
        f"slots.ads:{line}:1: warning: slot without a `Name`; skipped"
    ]
    assert capture.facts.slots == 3


def test_job_without_requirements_matches_nothing(pool: Path) -> None:
    line = append(pool / "jobs.ads", "ClusterId = 9\nProcId = 1\nJobStatus = 1\n")
    assert headlines(read(pool), pool) == [
        f"jobs.ads:{line}:1: warning: job `9.1` has no `Requirements`; it matches no slot"
    ]


def test_submitters_without_a_priority_record_are_one_note(pool: Path) -> None:
    ads = 'Name = "{}@pool"\nScheddName = "ap1"\nScheddIpAddr = "<1.2.3.4:5>"\nIdleJobs = 1\n'
    start = "no priority record, starting with real priority 0.5, as in the real accountant"
    append(pool / "submitters.ads", ads.format("carol"))
    assert headlines(read(pool), pool) == [f"note: submitter `carol@pool` has {start}"]
    append(pool / "submitters.ads", ads.format("dora"))
    assert headlines(read(pool), pool) == [f"note: 2 submitters (`carol@pool` first) have {start}"]


@pytest.mark.parametrize("missing", ["Name", "ScheddName", "ScheddIpAddr"])
def test_submitter_that_lacks_what_names_it_is_skipped(pool: Path, missing: str) -> None:
    text = 'Name = "carol@pool"\nScheddName = "ap1"\nScheddIpAddr = "<1.2.3.4:5>"\nIdleJobs = 1\n'
    kept = "".join(line for line in text.splitlines(True) if not line.startswith(f"{missing} ="))
    known = len(read(pool).snapshot.submitters)
    line = append(pool / "submitters.ads", kept)
    capture = read(pool)
    assert headlines(capture, pool) == [
        f"submitters.ads:{line}:1: warning: submitter ad without `Name`, `ScheddName` or "
        "`ScheddIpAddr`; skipped"
    ]
    assert len(capture.snapshot.submitters) == known


def test_unparsable_expression_is_reported_with_a_caret(pool: Path) -> None:
    line = append(pool / "slots.ads", 'Name = "slot9@c"\nCpus = (1 +\nMemory = 64\n') + 1
    capture = read(pool)
    (problem,) = capture.diagnostics
    assert problem.headline().startswith(f"{pool}/slots.ads:{line}:")
    assert "^" in problem.render()
    (slot,) = (ad for ad in capture.snapshot.slots if ad.evaluate_attr("Name") == "slot9@c")
    assert slot.evaluate_attr("Memory") == 64


def test_an_ad_of_bad_lines_only_does_not_shift_places(pool: Path) -> None:
    line = append(pool / "slots.ads", "what is this\n\nCpus = 3\n") + 2
    assert headlines(read(pool), pool)[-1].startswith(f"slots.ads:{line}:1: warning: slot without")


@pytest.mark.parametrize("file", ["slots.ads", "jobs.ads"])
def test_nothing_runs_without_slots_or_jobs(pool: Path, file: str) -> None:
    (pool / file).unlink()
    with pytest.raises(InputError) as caught:
        read(pool)
    assert caught.value.diagnostics[-1].message.startswith(f"{pool / file}: no such file")


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read(tmp_path / "nowhere")


def test_submitters_are_made_from_jobs(pool: Path) -> None:
    (pool / "submitters.ads").unlink()
    capture = read(pool)
    assert [item.severity for item in capture.diagnostics] == ["warning"]
    names = [ad.evaluate_attr("Name") for ad in capture.snapshot.submitters]
    assert names == ["bob@pool", "alice@pool"]  # in pool order
    bob = capture.snapshot.submitters[0]
    assert bob.evaluate_attr("IdleJobs") == 2
    assert bob.evaluate_attr("ScheddName") == "ap1"
    assert bob.evaluate_attr("ScheddIpAddr") == NO_ADDRESS
    assert bob.raw("JobPrioArray") is None
    jobs = (pool / "jobs.ads").read_text()
    (pool / "jobs.ads").write_text(
        jobs.replace("ClusterId = 3\n", "ClusterId = 3\nJobPrio = 7\n", 1)
    )
    (pool / "condor_config").write_text("USE_GLOBAL_JOB_PRIOS = True\n")
    assert read(pool).snapshot.submitters[0].evaluate_attr("JobPrioArray") == "7,0"


def test_without_accounting_everybody_starts_fresh(pool: Path) -> None:
    (pool / "accounting.ads").unlink()
    capture = read(pool)
    assert capture.snapshot.accountant.customers == {}
    assert "every submitter starts" in capture.diagnostics[0].message


def test_the_log_wins_over_accounting_ads(pool: Path) -> None:
    (pool / "Accountantnew.log").write_text(
        "101 Accountant. * *\n103 Accountant. LastUpdateTime 1700000000\n"
        "101 Customer.bob@pool * *\n103 Customer.bob@pool Priority 7.5\n"
        "101 Resource.slot1@a@<1.2.3.4:5> * *\n"
        '103 Resource.slot1@a@<1.2.3.4:5> RemoteUser "bob@pool"\n'
        "103 Resource.slot1@a@<1.2.3.4:5> SlotWeight 2.0\n105 \n103 Customer.bob@pool Priority 99"
    )
    capture = read(pool)
    accountant = capture.snapshot.accountant
    assert accountant.customers["bob@pool"].priority == 7.5
    assert accountant.resources["slot1@a@<1.2.3.4:5>"].slot_weight == 2.0
    assert accountant.last_update_time == 1700000000
    assert headlines(capture, pool)[0] == (
        "Accountantnew.log:8:1: detail: the log ends inside this transaction, "
        "as a copy of a log in use may; its 1 record is dropped"
    )


def test_accounting_ads_complete_a_log_in_use(pool: Path) -> None:
    (pool / "Accountantnew.log").write_text(
        "101 Accountant. * *\n103 Accountant. LastUpdateTime 1700000060\n"
        "101 Customer.bob@pool * *\n103 Customer.bob@pool Priority 7.5\n"
        "103 Customer.bob@pool UnchargedTime 3\n103 Customer.bob@pool WeightedUnchargedTime 4.0\n"
        "101 Customer.g.h * *\n103 Customer.g.h UnchargedTime 5\n"
        "101 Customer.g * *\n103 Customer.g HierWeightedResourcesUsed 1.0\n"
        "101 Customer.alice@pool * *\n"
    )
    used = "ResourcesUsed = 2\nWeightedResourcesUsed = 6.0\nLastUpdate = 1700000060\n"
    (pool / "accounting.ads").write_text(
        f'Name = "bob@pool"\nPriority = 1.0\nUnchargedTime = 8\n{used}\nName = "g.h"\n{used}\n'
        'Name = "alice@pool"\nWeightedResourcesUsed = 9.0\nResourcesUsed = 9\nLastUpdate = 5\n'
    )
    capture = read(pool)
    customers = capture.snapshot.accountant.customers
    assert customers["bob@pool"].priority == 7.5
    assert customers["bob@pool"].weighted_resources_used == 6.0
    assert customers["bob@pool"].uncharged_time == 8
    assert customers["bob@pool"].weighted_uncharged_time == 4.0, "what the ad does not say stays"
    assert customers["g.h"].uncharged_time == 5
    assert customers["g.h"].hier_weighted_resources_used == 6.0
    assert customers["g"].hier_weighted_resources_used == 7.0
    assert customers["g"].weighted_resources_used == 0.0
    assert customers["alice@pool"].resources_used == 0, "an ad of another update is old news"
    assert "2 records have the newer usage" in headlines(capture, pool)[0]


def test_accounting_ads_given_by_name_win_over_the_log_of_the_folder(pool: Path) -> None:
    (pool / "Accountantnew.log").write_text(
        "101 Customer.bob@pool * *\n103 Customer.bob@pool Priority 7.5\n"
    )
    given = {"accounting": pool / "accounting.ads"}
    of_log = read(pool).snapshot.accountant.customers["bob@pool"].priority
    capture = read_capture(CapturePaths(pool, given))
    assert (of_log, capture.snapshot.accountant.customers["bob@pool"].priority) == (7.5, 1.0)


def test_a_ruined_log_falls_back_to_the_ads(pool: Path) -> None:
    (pool / "Accountantnew.log").write_text("hello\n105 \n106 \n")
    capture = read(pool)
    assert capture.snapshot.accountant.customers["bob@pool"].priority == 1.0
    assert [item.severity for item in capture.diagnostics] == ["error", "warning"]
    (pool / "accounting.ads").unlink()
    with pytest.raises(InputError):
        read(pool)


def test_previous_quotas_are_those_of_the_accounting_ads(pool: Path) -> None:
    assert read(pool).snapshot.previous_quotas is None
    append(pool / "accounting.ads", 'Name = "g1"\nIsAccountingGroup = true\nEffectiveQuota = 2.5\n')
    assert read(pool).snapshot.previous_quotas == {"g1": 2.5}


@pytest.mark.parametrize("text", ["{", "[]", '{"matches": 1}', "[" * 100_000])
def test_bad_expected_only_costs_the_comparison(pool: Path, text: str) -> None:
    (pool / "expected.json").write_text(text)
    capture = read(pool)
    assert capture.expected is None
    assert "no comparison" in capture.diagnostics[-1].message


def test_what_is_no_json_is_pointed_at(pool: Path) -> None:
    (pool / "expected.json").write_text('{"matches": x}')
    found = read(pool).diagnostics[-1]
    assert (found.start, found.end) == (12, 13)  # the x


def test_each_local_name_after_the_first_is_another_negotiator(pool: Path) -> None:
    for names in ([], ["x"], ["x", "y"], ["x", "y", "z"]):
        others = read_capture(CapturePaths(pool), local_names=names).others
        assert [other.name for other in others] == names[1:]


def test_ads_of_other_forms_are_numbered_from_one(pool: Path) -> None:
    (pool / "slots.ads").write_text('[{"Cpus": 3}, {"Name": "slot1@a"}, {"Cpus": 4}]')
    problems = [item for item in read(pool).diagnostics if "without a `Name`" in item.message]
    found = [item.source.text for item in problems if item.source is not None]
    assert found == ["ad 1", "ad 3"]


def test_a_statement_that_is_none_is_left_out_and_the_rest_read(pool: Path) -> None:
    (pool / "condor_config").write_text("GROUP NAMES a\nPRIORITY_HALFLIFE = 60\n")
    capture = read(pool)
    assert capture.policy.priority_halflife_seconds == 60.0
    assert [item.render() for item in capture.diagnostics if item.source] == [
        f"{pool / 'condor_config'}:1:1: error: a statement needs `=` or `:` after its name\n"
        "   1 | GROUP NAMES a\n     | ^~~~~~~~~~~~~\n"
        "  help: the line is left out here; the daemons do not start with it"
    ]


def test_what_a_configuration_warns_of_is_left_as_it_is(pool: Path) -> None:
    (pool / "condor_config").write_text("PRIORITY_HALFLIFE = 60\nwarning : look at this\n")
    capture = read(pool)
    assert capture.policy.priority_halflife_seconds == 60.0
    [item] = capture.diagnostics
    assert (item.severity, item.line, item.help) == ("warning", 2, None)
    assert "look at this" in item.message


def test_bad_configuration_line(pool: Path) -> None:
    (pool / "condor_config").write_text("PREEMPTION_REQUIREMENTS = (1 +\n")
    capture = read(pool)
    assert any("condor_config:1:" in item.headline() for item in capture.diagnostics)
    assert any("^" in item.render() for item in capture.diagnostics)


@pytest.mark.parametrize("twice", [False, True], ids=["in columns", "ad by ad"])
def test_a_capture_that_lacks_what_a_rule_needs_is_said_to(pool: Path, twice: bool) -> None:
    """Private ads are in no capture; ids of autoclusters are where the schedd wrote them."""
    for _ in range(1 + twice):
        append(pool / "slots.ads", 'Name = "slot9@z"\nCpus = 1\nChildName = {"slot9_1@z"}\n')
    assert len(headlines(read(pool), pool)) == twice
    knobs = "ALLOW_PSLOT_PREEMPTION = True\nNEGOTIATE_ALL_JOBS_IN_CLUSTER = True\n"
    with (pool / "condor_config").open("a") as file:
        file.write(knobs)
    private = read(pool).diagnostics[-1]
    assert private.message.startswith("the private ads of slots are not in the capture")
    jobs = (pool / "jobs.ads").read_text()
    (pool / "jobs.ads").write_text(jobs.replace("AutoClusterId = 2\n", ""))
    ids = read(pool).diagnostics[-1]
    assert ids.message.startswith("1 of 3 idle jobs have no AutoClusterId")


def test_the_second_of_two_slots_of_a_name_counts(pool: Path) -> None:
    line = append(pool / "slots.ads", 'Name = "slot1@b"\nCpus = 9\n')
    found = read(pool)
    first = found.diagnostics[0].message.rpartition("line ")[2].split()[0]
    assert headlines(found, pool) == [
        f"slots.ads:{line}:1: warning: slot `slot1@b` is in the file twice; "
        f"the one of line {first} is replaced"
    ]
    assert [ad["Cpus"] for ad in found.snapshot.slots if ad["Name"] == "slot1@b"] == [9]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("slots.ads", "", "slots.ads: no slot in it"),
        ("slots.ads", "Cpus = 1\n", "slots.ads: no slot in it"),
    ],
)
def test_what_stops_the_reading(pool: Path, file: str, text: str, said: str) -> None:
    (pool / file).write_text(text)
    with pytest.raises(InputError) as caught:
        read(pool)
    assert said in str(caught.value).replace(f"{pool}/", "").lower()


def test_a_file_that_cannot_be_read_is_named(pool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (pool / "expected.json").write_text("{}")
    read_bytes = Path.read_bytes

    def refusing(path: Path) -> bytes:
        if path.name == "expected.json":
            raise PermissionError(13, "Permission denied", str(path))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refusing)
    with pytest.raises(InputError, match=r"expected\.json: permission denied"):
        read(pool)


def test_ads_without_any_time_need_one(pool: Path) -> None:
    for path in pool.glob("*.ads"):
        lines = path.read_text().splitlines()
        path.write_text("\n".join(line for line in lines if "= 17000000" not in line))
    with pytest.raises(InputError, match="no ad tells the time of the cycle"):
        read(pool)
    assert read(pool, now=1700000060.0).facts.now == 1700000060.0


def test_a_configuration_in_a_capture_reads_its_folders_and_runs_nothing(pool: Path) -> None:
    (pool / "condor_config").write_text(
        f"LOCAL_CONFIG_DIR = {pool}/more\ninclude ifexist command : echo PRIORITY_HALFLIFE = 7\n"
    )
    (pool / "more").mkdir()
    (pool / "more" / "10").write_text("PRIORITY_HALFLIFE = 5\n")
    found = read(pool)
    assert [line.rpartition(": ")[2] for line in headlines(found, pool)] == [
        "`echo PRIORITY_HALFLIFE = 7` is not run"
    ]
    assert found.policy.priority_halflife_seconds == 5
    (pool / "condor_config").write_text(f"LOCAL_CONFIG_DIR = {pool}/nothing\n")
    assert read(pool).policy.priority_halflife_seconds == 86400
