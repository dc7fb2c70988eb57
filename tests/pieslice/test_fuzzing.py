"""``pieslice fuzz``: flawed policies are found out, sound ones are left alone, replays replay."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest

from pieslice.cli import main

ROOT = Path(__file__).parents[2]
POLICIES = Path("examples/policies")
LONG = pytest.mark.long
#: What must be found in each of the flawed policies, with further arguments if there are any.
FLAWS = {
    "allow_all": {"no-thrash"},
    "circle_of_groups": {"no-thrash"},
    "claim_timer": {"guard"},
    "declared_stable": {"stable-declared"},
    "difference_as_condition": {"total"},
    "group_sort_division": {"total"},
    "lifetime_counter": {"guard", "total"},
    "no_groups": {"total"},
    "no_margin": {"margin", "no-thrash"},
    "or_for_and": {"margin", "guard", "no-thrash"},
    "periodic_remove": {"total"},
    "rank_by_speed": {"total"},
    "rank_without_default": {"total"},
    "reclaim_from_anyone": {"no-thrash"},
    "reclaim_swapped": {"quota-safe"},
    "reclaim_without_weight": {"no-thrash"},
    "reversed_priorities": {"margin"},
    "start_needs_attribute": {"total"},
    "submit_time": {"guard"},
    "urgent_undefined": {"total", "no-thrash"},
    "usage_compared": {"no-thrash"},
    "wrong_branch": {"margin"},
}
#: What is shown by a property if it is read, whether or not it decides.
SHOWN = {
    "margin": ("RemoteUserPrio", "SubmitterUserPrio"),
    "guard": ("TotalJobRunTime", "EnteredCurrentState", "JobStart"),
}
SOUND = (
    "margin_and_job_start", "off", "owners_first", "priority_with_guard", "reclaim_with_weight",
)  # fmt: skip


@pytest.fixture(autouse=True)
def at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def fuzz(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:
    code = main(["fuzz", "--json", "--examples", "20000", *arguments])
    return code, json.loads(capsys.readouterr().out)


def test_every_example_policy_is_in_the_tables() -> None:
    assert {path.name for path in (ROOT / POLICIES / "flawed").iterdir()} == set(FLAWS)
    assert {path.name for path in (ROOT / POLICIES / "sound").iterdir()} == set(SOUND)


@pytest.mark.parametrize("examples", [1, 399, 5000, 14801])
def test_as_many_pairs_are_tried_as_are_asked_for(
    examples: int, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = str(POLICIES / "sound" / "priority_with_guard")
    assert fuzz(capsys, policy, "--examples", str(examples))[1]["pairs"] == examples


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", *(pytest.param(it, marks=LONG) for it in "234")])
@pytest.mark.parametrize("name", sorted(FLAWS))
def test_every_seed_finds_the_flaw(
    name: str, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = str(POLICIES / "flawed" / name)
    _, data = fuzz(capsys, policy, "--seed", seed, "--examples", "100000")
    assert {finding["property"] for finding in data["counterexamples"]} >= FLAWS[name]


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("seed", ["1", "2", "3"])
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_policy_has_none_in_a_long_search(
    name: str, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = str(POLICIES / "sound" / name)
    code, data = fuzz(capsys, policy, "--seed", seed, "--examples", "1000000")
    assert (code, data["counterexamples"]) == (0, [])
    assert data["pairs"] >= 1000000


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FLAWS))
def test_a_flawed_policy_has_a_counterexample(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, data = fuzz(capsys, str(POLICIES / "flawed" / name))
    found = {finding["property"] for finding in data["counterexamples"]}
    assert code == 1
    assert found >= FLAWS[name]
    for finding in data["counterexamples"]:
        for step in finding["steps"]:
            replayed(step, capsys)
            if finding["property"] != "stable-declared":
                nothing_to_leave_out(step, SHOWN.get(finding["property"], ()), capsys)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("property", "found"),
    [
        ("monotone:RemoteUserPrio", False),
        ("monotone:SubmitterUserPrio", True),
        ("monotone:-SubmitterUserPrio", False),
        ("same:examples/policies/flawed/claim_timer", True),
        ("same:examples/policies/sound/priority_with_guard", False),
        ('holds:Verdict != "priority" || TotalJobRunTime > 3600', False),
        ('holds:Verdict != "priority" || TotalJobRunTime > 3601', True),
        ('holds:Verdict != "priority" || RequestCpus > 1', True),
    ],
)
def test_properties_with_an_argument(
    property: str, found: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = str(POLICIES / "sound" / "priority_with_guard")
    code, data = fuzz(capsys, policy, "--property", property)
    assert code == found
    assert [finding["property"] for finding in data["counterexamples"]] == [property] * found
    for finding in data["counterexamples"]:
        for step in finding["steps"]:
            replayed(step, capsys)


def replayed(step: dict, capsys: pytest.CaptureFixture[str]) -> None:
    """The command of a step gives the value of the step."""
    words = shlex.split(step["replay"])
    assert words[0] == "pieslice"
    assert main([*words[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == step["value"]


def nothing_to_leave_out(
    step: dict, shown: Iterable[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without any one of the attributes the value is another one."""
    words = shlex.split(step["replay"])[1:]
    for place in [place for place, word in enumerate(words) if word == "-a"]:
        scope = words[place + 1].partition("=")[0]
        if scope.rpartition(".")[2] in shown:
            continue
        less = [*words[:place], *words[place + 2 :]]
        # More that is missing makes nothing less undefined; there an error must show through.
        if step["value"] == "undefined":
            less += ["-a", f"{scope}=error"]
        assert main([*less, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["value"] != step["value"], (scope, step)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_policy_has_none(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, data = fuzz(capsys, str(POLICIES / "sound" / name))
    assert (code, data["counterexamples"]) == (0, [])
    assert data["pairs"] >= 20000


def test_the_same_seed_gives_the_same_counterexamples(capsys: pytest.CaptureFixture[str]) -> None:
    policy = str(POLICIES / "flawed" / "or_for_and")
    assert fuzz(capsys, policy, "--seed", "3") == fuzz(capsys, policy, "--seed", "3")


def test_a_counterexample_has_only_what_matters(capsys: pytest.CaptureFixture[str]) -> None:
    _, data = fuzz(capsys, str(POLICIES / "flawed" / "claim_timer"))
    (finding,) = data["counterexamples"]
    (step,) = finding["steps"]
    assert set(step["slot"]) == {"EnteredCurrentState"}
    assert step["job"] == {}
    assert step["cycle"] == {"RemoteUserPrio": "2.0", "SubmitterUserPrio": "1.0"}
    assert finding["place"].endswith("claim_timer, line 5")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--property", "margni"], "did you mean `margin`?"),
        (["--property", "quota-safe"], "configures no groups"),
        (["--property", "monotone"], "needs an argument"),
        (["--property", "monotone:Cpus"], "no expression of the policy reads `Cpus`"),
        (["--property", "margin:5"], "takes no argument"),
        (["--property", "guard"], "--min-run-time"),
        (["--knob", "START"], "nothing to test about START: the policy does not set it"),
        (["--knob", "STRAT"], "did you mean `START`?"),
        (["--property", "monotone:RemoteUser"], "no expression of the policy reads"),
        (["--pool", "no/such"], "no/such: no such folder"),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fuzz", str(POLICIES / "flawed" / "no_margin"), *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_replay_reads_the_policy_as_the_search_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "with a blank"
    policy.write_text(
        "MARGIN = 1.5\nPREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * $(MARGIN)\n"
    )
    assert fuzz(capsys, str(policy))[0] == 0
    code, data = fuzz(capsys, str(policy), "-D", "MARGIN=1", "--property", "margin")
    assert code == 1
    ((step,),) = (finding["steps"] for finding in data["counterexamples"])
    assert "-D MARGIN=1" in step["replay"]
    replayed(step, capsys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("PREEMPTION_REQUIREMENTS = (RemoteUserPrio >", "PREEMPTION_REQUIREMENTS"),
        ("START = (TARGET.Memory >", "<START>:1:17"),
        ("# nothing at all", "nothing to test"),
    ],
)
def test_what_cannot_be_tested_is_no_sound_policy(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy"
    policy.write_text(f"{text}\n")
    assert main(["fuzz", str(policy)]) == 2
    assert said in capsys.readouterr().err


def test_requirements_set_to_nothing_allow_everything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy"
    policy.write_text("PREEMPTION_REQUIREMENTS =\n")
    code, data = fuzz(capsys, str(policy))
    assert code == 1
    (finding,) = data["counterexamples"]
    assert (finding["property"], finding["place"]) == ("no-thrash", "set to nothing")
    assert [step["replay"] for step in finding["steps"]] == [None, None]


@pytest.mark.slow
def test_two_policies_that_refuse_for_different_reasons_are_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("START = False\nPREEMPTION_REQUIREMENTS = False\n")
    other.write_text("START = False\nPREEMPTION_REQUIREMENTS = True\n")
    assert fuzz(capsys, str(one), "--property", f"same:{other}")[0] == 0
    other.write_text("START = TARGET.RequestCpus < 0\nPREEMPTION_REQUIREMENTS = False\n")
    code, data = fuzz(capsys, str(one), "--property", f"same:{other}")
    assert code == 1
    assert data["counterexamples"][0]["macro"] == "START"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # The slot's value is that of the job that runs, and changes with it.
        ("PREEMPTION_REQUIREMENTS = MY.NiceUser =?= True && TARGET.NiceUser =!= True", False),
        ("PREEMPTION_REQUIREMENTS = MY.NiceUser =?= True", True),
        ("PREEMPTION_REQUIREMENTS = MY.Bonus =?= True && TARGET.Bonus =!= True", True),
        (
            "PREEMPTION_REQUIREMENTS = MY.Bonus =?= True && TARGET.Bonus =!= True\n"
            "STARTD_JOB_ATTRS = Bonus",
            False,
        ),
    ],
)
def test_a_slot_shows_attributes_of_the_job_that_it_runs(
    text: str, found: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy"
    policy.write_text(f"{text}\n")
    assert fuzz(capsys, str(policy), "--property", "no-thrash")[0] == found


def test_a_pool_without_ads_teaches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "slots.ads").write_text("")
    (tmp_path / "jobs.ads").write_text("")
    policy = str(POLICIES / "flawed" / "no_margin")
    assert main(["fuzz", policy, "--pool", str(tmp_path)]) == 2
    assert "slots.ads: contains no ads" in capsys.readouterr().err


@pytest.mark.slow
def test_a_pool_teaches_what_its_slots_look_like(capsys: pytest.CaptureFixture[str]) -> None:
    _, data = fuzz(capsys, "examples/campus/condor_config", "--pool", "examples/campus")
    found = {finding["property"]: finding for finding in data["counterexamples"]}
    # Its quota clause does not look at the weight of the slot, and whole machines change hands.
    assert "no-thrash" in found


def test_text_behind_a_property_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    policy = str(POLICIES / "sound" / "priority_with_guard")
    assert main(["fuzz", policy, "--property", "holds:RequestCpus > 1 ? True : False junk"]) == 2
    assert "found `junk`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("release", "is_total"),
    [
        ("HoldReasonCode == 26 && NumHolds < 3", True),
        ("JobStatus == 5 && HoldReasonSubCode != 7", True),
        ("HoldReasonCode == 13 && JobRunCount < 3", True),
        ("HoldReasonCode == 26 && JobRunCount < 3", False),
        ("HoldReasonCode == 26 && MyRetries < 3", False),
    ],
)
def test_a_release_is_asked_of_jobs_on_hold_which_say_why_and_count_their_tries(
    release: str, is_total: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "access-point.conf"
    policy.write_text(f"SYSTEM_PERIODIC_RELEASE = {release}\n")
    status, _ = fuzz(capsys, str(policy), "--property", "total")
    assert (status == 0) is is_total
