"""``pieslice why``: what it says is what the cycle does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd
from negotiator.cycle import negotiate
from pieslice.cli import main
from pieslice.why.answer import Explained, explain_job
from pieslice.why.asked import AskedJob, find_job
from pieslice.why.clauses import Whose
from pieslice.why.moments import AskedCycle, When
from pieslice.why.preemption import PreemptionCause, holding
from tests.cases import every_case
from tests.negotiator import scenarios

CAMPUS = str(Path(__file__).parents[2] / "examples" / "campus")


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["why", *arguments, "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def answers(name: str) -> list[Explained]:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    found = []
    for queue in snapshot.queues:
        for ad in queue.jobs[:8]:
            job = find_job(snapshot, f"{queue.name}#{ad.raw('ClusterId')}.{ad.raw('ProcId')}")
            found.append(explain_job(AskedCycle(snapshot, policy, scenarios.NOW), job))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["preempt-kinds-order", "groups-surplus", "random-100", "random-104", "random-110"]
)
def test_the_counts_are_those_of_the_cycle(name: str) -> None:
    """Steps add up, and a fresh scan refuses as many slots for each reason as the funnel says."""
    for answer in answers(name):
        seen = answer.seen
        if seen is None:
            continue
        funnel = seen.funnel
        left = funnel.in_view
        for step in funnel.steps:
            assert step.removed == sum(part.slots for part in step.parts)
            left -= step.removed
            assert step.left == left
        assert funnel.candidates == left
        for clause in funnel.clauses:
            assert clause.alone <= clause.refuses
        if answer.history.when is not When.REFUSED or seen.ranking.kept_list:
            continue
        reasons = [made.reason for made in answer.history.attempts if made.reason]
        if "concurrency limit" not in str(reasons[-1]):
            assert funnel.candidates == 0
        causes = {part.cause: part.slots for step in funnel.steps for part in step.parts}
        if reasons[-1] == "PREEMPTION_REQUIREMENTS == False":
            assert causes["PREEMPTION_REQUIREMENTS is not true"] > 0
        if reasons[-1] == "submitter limit exceeded":
            assert causes["submitter limit"] > 0


@pytest.mark.slow
@every_case("name", scenarios.names()[::9])
def test_the_verdict_is_what_happened(name: str) -> None:
    """A job that was matched is said to be so, with its slot as the best candidate."""
    for answer in answers(name):
        seen, history = answer.seen, answer.history
        if seen is None:
            continue
        if history.when is When.MATCHED:
            assert history.slot == seen.ranking.slots[0].slot
            # What is left of a list made before may be no candidate any more.
            if not seen.ranking.kept_list:
                assert seen.funnel.verdicts[history.slot] == "candidate"
        elif history.when is When.REFUSED:
            assert not seen.ranking.slots or any(s.full for s in seen.limits.concurrency)


def test_slots_without_a_claim_are_no_candidates() -> None:
    (first, *_) = answers("no-claim-id")
    assert first.seen is not None
    assert "no claim id left" in first.seen.funnel.verdicts.values()
    assert first.seen.ranking.slots[0].slot == first.history.slot


def test_a_schedd_may_give_a_slot_to_another_job() -> None:
    given = [answer for answer in answers("submitter-constraint") if answer.history.asked_by]
    assert [(answer.history.job.id, answer.history.asked_by) for answer in given] == [
        ("2.0", "3.0")
    ]


def test_a_clause_that_alone_keeps_slots_away(pool: Path, capsys: Any) -> None:
    jobs = (pool / "jobs.ads").read_text()
    first = jobs.index("Requirements = true")
    jobs = jobs[:first] + "Requirements = TARGET.Memroy >= 512" + jobs[first + 19 :]
    (pool / "jobs.ads").write_text(jobs)
    data = ask(capsys, str(pool), "1.0")
    assert data["verdict"] == "job 1.0 of alice@pool: rejected, no match found"
    (clause,) = [item for item in data["clauses"] if item["whose"] == "job"]
    assert clause["text"].strip() == "TARGET.Memroy >= 512"
    assert clause["undefined"] == clause["refuses"] == data["in_view"] == 3
    (operand,) = clause["operands"]
    assert (operand["owner"], operand["suggestion"]) == (None, "Memory")
    assert data["changes"][0]["slots"] == 3
    assert main(["why", str(pool), "1.0"]) == 0
    assert "did you mean `Memory`?" in capsys.readouterr().out


def test_a_comparison_says_what_value_would_do(pool: Path, capsys: Any) -> None:
    jobs = (pool / "jobs.ads").read_text().replace("RequestMemory = ", "RequestMemory = 9000 + ", 1)
    (pool / "jobs.ads").write_text(jobs)
    (near,) = ask(capsys, str(pool), "1.0")["changes"][0]["values"]
    assert (near["name"], near["relation"], near["unit"]) == ("RequestMemory", "<=", "MB")
    assert near["value"] == 1024
    assert near["now"] > 9000


LOADS = [
    ("TARGET.Load < 2", "Load = 3", "Load <= 1"),
    ("TARGET.Load > 2", "Load = 1", "Load >= 3"),
    ("TARGET.Load <= 2", "Load = 3", "Load <= 2"),
    ("TARGET.Load < 2.5", "Load = 3.0", "Load <= 2.4999999999999996"),
    ("TARGET.Load > 2.5", "Load = 1", "Load >= 3"),
    ("TARGET.Load > 2.5", "Load = 1.0", "Load >= 2.5000000000000004"),
    ("TARGET.Load <= 2.5", "Load = 3.0", "Load <= 2.5"),
    ("TARGET.Load >= 2.5", "Load = 1.0", "Load >= 2.5"),
    ("2.5 > TARGET.Load", "Load = 3.0", "Load <= 2.4999999999999996"),
    ("TARGET.Load * 2 < 5", "Load = 3", "Load <= 2"),
    ("TARGET.Load * 2 < 5", "Load = 3.0", "Load <= 2.4999999999999996"),
    ("TARGET.Load + 1 < 5", "Load = 5", "Load <= 3"),
    ("TARGET.Load + 8 > 15", "Load = 5", "Load >= 8"),
    ("Limit > TARGET.Load\nLimit = Deep + 1\nDeep = 2", "Load = 5", "Load <= 2"),
    ("Fits\nFits = TARGET.Load < 2", "Load = 3", "Load <= 1"),
    ("Fits =?= true\nFits = TARGET.Load < 2", "Load = 3", "Load <= 1"),
    ("Points > 5\nPoints = ifThenElse(TARGET.Load < 2, 10, 0)", "Load = 3", "Load <= 1"),
    ("TARGET.Flag", "Flag = false", "Flag = true"),
    ("!TARGET.Flag", "Flag = true", "Flag = false"),
    ("!(TARGET.Flag)", "Flag = true", "Flag = false"),
    ('TARGET.Kind == "x"', 'Kind = "y"', 'Kind = "x"'),
]


@pytest.mark.parametrize(("requirements", "has", "would"), LOADS)
def test_the_nearest_value_that_would_do(
    requirements: str, has: str, would: str, pool: Path, capsys: Any
) -> None:
    slots = (pool / "slots.ads").read_text()
    slots = re.sub("Requirements = .*", lambda _: f"Requirements = {requirements}", slots)
    (pool / "slots.ads").write_text(slots)
    jobs = (pool / "jobs.ads").read_text()
    (pool / "jobs.ads").write_text(
        jobs.replace("Requirements = true", f"Requirements = true\n{has}", 1)
    )
    assert main(["why", str(pool), "1.0"]) == 0
    now = has.partition(" = ")[2].removesuffix(".0")
    assert f"  {would} (now {now}): 3 more slots" in capsys.readouterr().out


def test_one_example_stands_for_several_slots(pool: Path, capsys: Any) -> None:
    jobs = (pool / "jobs.ads").read_text()
    for machine, others in (
        ("b", r"2 +1 +do not match .*: slot\d@a, \.\.\."),
        ("a", r"1 +2 .*@b\n"),
    ):
        wanted = f'Requirements = TARGET.Machine == "{machine}" && false =!= (RequestMemory > 0)'
        (pool / "jobs.ads").write_text(jobs.replace("Requirements = true", wanted, 1))
        assert main(["why", str(pool), "1.0"]) == 0
        assert re.search(others, capsys.readouterr().out)


def test_what_was_given_away_is_named(capsys: Any) -> None:
    data = ask(capsys, CAMPUS, "1.26")
    (given,) = [step for step in data["steps"] if step["name"] == "matched earlier in this cycle"]
    assert given["removed"] == 20
    assert given["parts"][0]["cause"].startswith("matched by group_chemistry.carol@")


def test_ephemeral_attributes_have_the_values_of_the_cycle(capsys: Any) -> None:
    data = ask(capsys, CAMPUS, "3.0")
    (clause,) = data["preemption_clauses"]
    values = {item["name"]: item["values"][0][0] for item in clause["operands"]}
    assert values["SubmitterUserPrio"] == "5750.507"
    assert values["RemoteGroup"] == '"group_physics.hep"'
    assert values["SubmitterGroupQuota"] == "24"


def test_a_matched_job_has_a_runner_up(capsys: Any) -> None:
    data = ask(capsys, CAMPUS, "15.4")
    assert data["matched"] == data["best"]["slot"]
    assert data["runner_up"]["decided_by"] == "NEGOTIATOR_PRE_JOB_RANK"


def test_a_running_job_that_is_preempted(capsys: Any) -> None:
    data = ask(capsys, CAMPUS, "1.20")
    assert data["holding"]["cause"] == PreemptionCause.PRIORITY.value
    assert data["holding"]["taker"] == "group_chemistry.carol@campus.example"
    assert data["holding"]["tests"][1]["passed"] is True
    assert main(["why", CAMPUS, "1.20"]) == 0
    assert "PREEMPTION_REQUIREMENTS: true" in capsys.readouterr().out


def test_a_slot_is_named_by_the_beginning_of_its_name(capsys: Any) -> None:
    data = ask(capsys, CAMPUS, "15.5", "slot1@node05")
    case = data["slot"]
    assert (case["slot"], case["verdict"], case["place"]) == ("slot1@node05@vm", "candidate", 2)
    assert {clause["whose"] for clause in case["clauses"]} == {"job", "slot"}
    assert [test["name"] for test in case["preemption"]] == [
        "startd rank",
        "PREEMPTION_REQUIREMENTS",
    ]


def test_slots_that_are_not_there(capsys: Any) -> None:
    assert main(["why", CAMPUS, "15.5", "slot1@nowhere"]) == 2
    assert "there is no slot `slot1@nowhere` in the pool" in capsys.readouterr().err
    assert main(["why", CAMPUS, "15.5", "slot1"]) == 2
    assert "`slot1` matches" in capsys.readouterr().err


def test_a_job_that_needs_a_full_licence() -> None:
    names = [name for name in scenarios.names() if name.startswith("limits-")]
    assert names
    full = [
        state
        for name in names
        for answer in answers(name)
        if answer.seen is not None
        for state in answer.seen.limits.concurrency
        if state.full
    ]
    assert full


def test_two_clauses_that_only_fail_together() -> None:
    """Dropping one alone would not help, so both are named."""
    for answer in answers("random-100"):
        for change in () if answer.seen is None else answer.seen.changes.best:
            assert change.slots > 0
            assert {whose for whose, _ in change.without} <= {Whose.JOB, Whose.SLOT}


TOUR = str(Path(__file__).parents[2] / "examples" / "tour")


def test_a_condition_that_both_ads_state_is_one_threshold(capsys: Any) -> None:
    (change, *_) = ask(capsys, TOUR, "12.0")["changes"]
    assert change["without"] == []
    (near,) = change["values"]
    assert (near["name"], near["relation"], near["value"]) == ("RequestMemory", "<=", 61440)
    assert (change["slots"], change["matching"], change["available"]) == (1, 1, 1)


def test_a_machine_that_ranks_another_job_higher(capsys: Any) -> None:
    held = ask(capsys, TOUR, "5.0")["holding"]
    assert held["cause"] == PreemptionCause.RANK.value
    assert (held["match"]["old_startd_rank"], held["match"]["new_startd_rank"]) == (0, 10)


def test_a_limit_that_is_used_up(capsys: Any) -> None:
    data = ask(capsys, TOUR, "14.0")
    assert data["limits"]["rank_only"] is True
    assert "no match found; its submitter limit is used up" in data["verdict"]


def test_an_empty_concurrency_limit(tmp_path: Path, capsys: Any) -> None:
    job = {"submitter": "alice", "ad": {"ConcurrencyLimits": '""'}}
    scenario = {"slots": [{"name": "slot1@m", "ad": {}}], "jobs": [job], "config": {}}
    path = tmp_path / "empty.json"
    path.write_text(json.dumps(scenario))
    assert main(["why", str(path), "1.0"]) == 0
    assert 'concurrency limit "" (always refused): full' in capsys.readouterr().out


def test_a_full_concurrency_limit(capsys: Any) -> None:
    data = ask(capsys, TOUR, "13.0")
    (state,) = data["limits"]["concurrency"]
    # Two are held; a job without limits took a slot claimed with one, which counts it once more.
    assert state == {"name": "matlab", "in_use": 3, "wants": 1, "maximum": 2}
    assert data["candidates"] == 2


def test_a_job_whose_submitter_takes_no_part(tmp_path: Path, capsys: Any) -> None:
    submitters = (Path(TOUR) / "submitters.ads").read_text()
    fewer = tmp_path / "submitters.ads"
    fewer.write_text(submitters.split('Name = "frank@example.org"')[0])
    data = ask(capsys, TOUR, "15.0", "--submitters", str(fewer))
    assert "there is no submitter ad of frank@example.org" in data["verdict"]
    assert data["hypothetical"] is True


def test_a_job_that_its_schedd_holds_back(tmp_path: Path, capsys: Any) -> None:
    text = (Path(TOUR) / "jobs.ads").read_text()
    head, tail = text.split("ClusterId = 10\n")
    held = tmp_path / "jobs.ads"
    hold = 'ClusterId = 10\nHoldReason = "no space"\n'
    held.write_text(head + hold + tail.replace("JobStatus = 1", "JobStatus = 5", 1))
    assert main(["why", TOUR, "10.0", "--jobs", str(held)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "job 10.0 of chemistry.erin@example.org: held: no space",
        "  follows 25.14.1: no version is given",
    ]


def test_a_slot_that_the_negotiator_does_not_see(tmp_path: Path, capsys: Any) -> None:
    config = tmp_path / "condor_config"
    text = (Path(TOUR) / "condor_config").read_text()
    config.write_text(f'{text}NEGOTIATOR_SLOT_CONSTRAINT = Machine != "night1"\n')
    assert main(["why", TOUR, "10.0", "slot1@night1", "--config", str(config)]) == 0
    out = capsys.readouterr().out
    assert "slot1@night1 was not considered: NEGOTIATOR_SLOT_CONSTRAINT is not true" in out
    assert main(["why", TOUR, "10.0", "--config", str(config)]) == 0
    assert re.search(
        "1 +9 +not seen +NEGOTIATOR_SLOT_CONSTRAINT, or absent", capsys.readouterr().out
    )


def test_a_dynamic_slot_that_goes_with_its_partitionable_one() -> None:
    case = scenarios.load("pslot-preemption")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    result = negotiate(snapshot, policy, now=scenarios.NOW)
    (match,) = [m for m in result.matches if m.preempted == "various_dSlot_users"]
    taken = []
    for number in (1, 2, 3):
        ad = ClassAd()
        ad.insert("RemoteHost", f"slot1_{number}@p")
        job = AskedJob(900, number, ad, "s1", "somebody@test", 2)
        found = holding(AskedCycle(snapshot, policy, scenarios.NOW), job, result)
        assert found.match in (None, match)
        assert (found.cause is None) is (found.match is None)
        taken.append(found.match is not None)
    assert taken == [True, False, False]
