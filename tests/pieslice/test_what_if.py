"""What-ifs from the command line: each command carries them out, or says that it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pieslice
from pieslice.cli import main

SLOT = """\
Name = "slot1@{name}"
Machine = "{name}"
State = "Unclaimed"
Activity = "Idle"
Cpus = 4
Memory = 8000
Disk = 1000000
GPUs = 1
Start = true
Requirements = START
SlotTypeID = 1
SlotWeight = Cpus
MyCurrentTime = 1795788165
"""
JOB = """\
ClusterId = {cluster}
ProcId = 0
Owner = "{owner}"
User = "{owner}@x"
Dept = "bio"
JobStatus = 1
JobUniverse = 5
QDate = 1795788000
RequestCpus = 1
RequestMemory = {memory}
RequestDisk = 1000
RequestGPUs = {gpus}
Requirements = TARGET.Memory >= RequestMemory
"""
START = "NEGOTIATOR_INTERVAL = 60\nSTART = TARGET.RequestGPUs > 0\n"
GROUPS = """\
NEGOTIATOR_INTERVAL = 60
GROUP_NAMES = group_bio
GROUP_QUOTA_group_bio = 4
JOB_TRANSFORM_NAMES = Dept, Cap
JOB_TRANSFORM_Dept @=end
  EVALSET AccountingGroup strcat("group_", Dept, ".", Owner)
@end
JOB_TRANSFORM_Cap @=end
  REQUIREMENTS RequestMemory > 8000
  SET RequestMemory 8000
@end
"""


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "pool"
    folder.mkdir()
    slots = "\n".join(SLOT.format(name=f"n{number}") for number in (1, 2, 3))
    jobs = (("dora", 1, 1000, 0), ("sim", 2, 1000, 1), ("sim", 3, 9000, 1))
    texts = [
        JOB.format(owner=owner, cluster=cluster, memory=memory, gpus=gpus)
        for owner, cluster, memory, gpus in jobs
    ]
    (folder / "slots.ads").write_text(slots)
    (folder / "jobs.ads").write_text("\n".join(texts))
    (folder / "condor_config").write_text("NEGOTIATOR_INTERVAL = 60\n")
    monkeypatch.chdir(tmp_path)
    return folder


def data(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def text(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main([*words]) == code
    return " ".join(capsys.readouterr().out.split())


def jobs_of(found: Any) -> list[str]:
    return sorted(match["job"] for match in found["matches"])


def test_a_start_of_the_new_configuration_decides(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("new").write_text(START)
    assert jobs_of(data(capsys, "negotiate", "pool")) == ["1.0", "2.0"]
    assert jobs_of(data(capsys, "negotiate", "pool", "--config", "new")) == ["2.0"]
    assert jobs_of(data(capsys, "negotiate", "pool", "-D", "START=false")) == []
    found = data(capsys, "diff", "pool", "--config", "new", code=1)
    assert (found["a"]["totals"]["matches"], found["b"]["totals"]["matches"]) == (2, 1)
    (change,) = found["b"]["what_if"]["attributes"]
    assert (change["attribute"], change["after"]) == ("Start", "TARGET.RequestGPUs > 0")
    assert "what_if" not in found["a"]
    shown = text(capsys, "diff", "pool", "--config", "new", code=1)
    assert "Start of 3 slots of 3 machines: true -> TARGET.RequestGPUs > 0" in shown


def test_two_configurations_differ_in_what_the_second_one_has_otherwise(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("all").write_text("START = true\n")
    Path("none").write_text("START = false\n")
    Path("unset").write_text("")
    for first, second, matches in (
        ("all", "none", (2, 0)),
        ("none", "all", (0, 2)),
        ("none", "unset", (0, 2)),
        ("none", "none", (0, 0)),
    ):
        code = int(matches[0] != matches[1])
        words = ("diff", "pool", "--config", first, "--config", second)
        found = data(capsys, *words, code=code)
        sides = tuple(found[side]["totals"]["matches"] for side in "ab")
        assert sides == matches, (first, second)


def test_a_simulation_follows_it_and_says_so(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("new").write_text(START)
    words = ["simulate", "pool", "--workload", "capture", "--days", "0.05"]
    assert main([*words, "--compare", "pool/condor_config", "new", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["a"]["never_started"], found["b"]["never_started"]) == (1, 2)
    assert "what_if" not in found["a"]
    assert found["b"]["what_if"]["attributes"][0]["attribute"] == "Start"
    assert "Start of 3 slots of 3 machines" in " ".join(err.split())
    assert main([*words, "--set", "START=false", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["never_started"] == 3


def test_a_sweep_says_what_each_value_changes(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sweep", "pool", "--workload", "capture", "--days", "0.02", "--jobs", "1", "--json"]
    assert main([*words, "--set", "START=true,false"]) == 0
    out, err = capsys.readouterr()
    assert [row["never_started"] for row in json.loads(out)["rows"]] == [1, 3]
    assert "Start of 3 slots of 3 machines: true -> false" in " ".join(err.split())


def test_jobs_are_those_that_the_new_schedd_would_have(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("new").write_text(GROUPS)
    found = data(capsys, "negotiate", "pool", "--config", "new")
    assert jobs_of(found) == ["1.0"]  # the quota is that of one slot
    assert {match["submitter"] for match in found["matches"]} <= {
        "group_bio.dora@x", "group_bio.sim@x",
    }  # fmt: skip
    changed = found["what_if"]["changed_jobs"]
    assert [one["by"] for one in changed] == [["Dept"], ["Dept"], ["Dept", "Cap"]]
    shown = text(capsys, "negotiate", "pool", "--config", "new")
    assert "3 waiting jobs, had they been submitted under it:" in shown


def test_who_would_be_refused_is_named(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("new").write_text(
        "SUBMIT_REQUIREMENT_NAMES = S\nSUBMIT_REQUIREMENT_S = RequestGPUs > 0\n"
        'SUBMIT_REQUIREMENT_S_REASON = strcat("no GPU, ", Owner)\n'
    )
    shown = text(capsys, "diff", "pool", "--config", "new", code=1)
    assert "1 job (1.0) would be refused: submit requirement S: no GPU, dora" in shown


def test_machines_are_chosen(pool: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("negotiate", "pool", "-D", "START=false", "--for")
    found = data(capsys, *words, 'Machine != "n1"')
    assert [match["slot"] for match in found["matches"]] == ["slot1@n1"]
    assert 'for 2 of 3 machines, by `Machine != "n1"`' in text(capsys, *words, 'Machine != "n1"')
    assert main([*words, "Machine =="]) == 2
    assert "--for:1:11: error: expected an operand" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("negotiate", "pool"),
        ("why", "pool", "1.0"),
        ("diff", "pool", "--versions", "24.0", "25.0"),
        ("simulate", "pool", "--workload", "capture", "--days", "0.01"),
    ],
)
def test_machines_are_chosen_for_another_configuration_only(
    pool: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert main([*words, "--for", "true"]) == 2
    assert "and there is none" in capsys.readouterr().err


def test_what_is_not_followed_is_said_where_nothing_else_differs(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("new").write_text(
        "NUM_SLOTS = 7\nPREEMPT = true\nCLAIM_WORKLIFE = 7\nMAX_SCHEDD_LOG = 3\n"
    )
    shown = text(capsys, "diff", "pool", "--config", "new")
    for said in (
        "not applied: NUM_SLOTS: not set -> 7: slots are made when a startd starts",
        "acts between cycles, as `simulate` and --cycles show: PREEMPT: False -> true",
        "acts between cycles, as `simulate` and --cycles show: CLAIM_WORKLIFE: 1200 -> 7",
        "differ, without a part in who gets which slot: NEGOTIATOR_INTERVAL MAX_SCHEDD_LOG",
    ):
        assert said.partition(" NEGOTIATOR")[0] in shown
    assert "MAX_SCHEDD_LOG" in shown
    assert shown.startswith("no difference in what is followed ")


def test_a_configuration_that_would_not_run_is_no_answer(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("new").write_text("SLOT_WEIGHT = 2 *\n")
    for words in (
        ["diff", "pool", "--config", "new"],
        ["negotiate", "pool", "--config", "new"],
        ["simulate", "pool", "--workload", "capture", "--config", "new"],
        ["why", "pool", "1.0", "--config", "new"],
    ):
        assert main(words) == 2, words
        out, err = capsys.readouterr()
        assert out == ""
        assert "condor_startd would not start with it: exit status 4" in " ".join(err.split())


def test_programs_ask_the_same(pool: Path) -> None:
    own = pieslice.read("pool")
    other = own.with_config({"START": "TARGET.RequestGPUs > 0"}, where='Machine == "n1"')
    assert own.what_if is None
    assert other.what_if is not None
    assert [(one.attribute, one.slots) for one in other.what_if.attributes] == [("Start", 1)]
    assert own.diff(other).b.what_if is not None
    both = {"a": None, "b": {"START": "false"}}
    runs = pieslice.simulate("pool", "capture", both, days=0.02)
    assert runs.summary_of("b")["never_started"] == 3


def test_a_macro_that_each_startd_has_of_its_own_is_said_to_change_no_slot(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = "".join(f"N{n}.STARTD_NAME = n{n}\nN{n}.START = true\n" for n in (1, 2, 3))
    Path("pool/condor_config").write_text(own)
    Path("new").write_text(START)
    words = ("diff", "pool", "--also", "new")
    assert "changes no slot: START: True -> TARGET.RequestGPUs > 0" in text(capsys, *words)
    Path("pool/condor_config").write_text(own.replace("N3.START =", "X ="))
    assert "Start of 1 slot of 1 machine: true -> TARGET.RequestGPUs > 0" in text(capsys, *words)


def test_a_simulation_reads_what_is_to_change_after_the_configuration_of_the_pool(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pool/condor_config").write_text("START = $(WHO)\nWHO = true\n")
    Path("also").write_text("WHO = TARGET.RequestGPUs > 0\n")
    words = ("simulate", "pool", "--days", "0.05")
    assert data(capsys, *words)["never_started"] == 1
    assert data(capsys, *words, "--also", "also")["never_started"] == 2
    assert data(capsys, *words, "--also", "also", "-D", "WHO=false")["never_started"] == 3
    assert main([*words, "--also", "nowhere"]) == 2
    assert "nowhere: no such file" in capsys.readouterr().err


def test_a_simulation_says_what_of_its_pool_could_not_be_read(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slots = Path("pool/slots.ads")
    slots.write_text(slots.read_text().replace("GPUs = 1", "GPUs = (", 1))
    assert main(["simulate", "pool", "--days", "0.05"]) == 1
    err = capsys.readouterr().err
    assert "slots.ads:8:" in err
    assert "not read: 1 attribute" in err


def test_a_simulation_warns_of_a_short_configuration_in_place_of_that_of_the_pool(
    pool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pool/condor_config").write_text(GROUPS)
    Path("new").write_text("PRIORITY_HALFLIFE = 7200\n")
    assert main(["simulate", "pool", "--days", "0.05", "--config", "new"]) == 0
    assert "in place of the pool's own has 1 macro" in " ".join(capsys.readouterr().err.split())
