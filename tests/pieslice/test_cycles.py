"""Several cycles: what one leaves to the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd, EvalContext
from negotiator.io import CapturePaths, read_capture
from negotiator.scenario.read import NOW
from pieslice.between.cycles import Turn, run_cycles
from pieslice.between.pool import show_claim, terms_of_claim
from pieslice.cli import main
from tests.conform.negotiation.course import first_snapshot, policy_of
from tests.negotiator import scenarios

TOUR = Path(__file__).parents[2] / "examples" / "tour"


def turns(scenario: dict[str, Any], count: int = 2, interval: float = 60.0) -> list[Turn]:
    quiet = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
    scenario = {**scenario, "config": {**quiet, **scenario.get("config", {})}}
    case = {"scenario": scenario, "observed": {"cycles": [{}]}}
    policy = policy_of(scenario)
    return list(run_cycles(first_snapshot(case), policy, now=NOW, count=count, interval=interval))


def seen(turn: Turn) -> list[tuple[str, str, str | None]]:
    return [(match.job, match.slot, match.preempted) for match in turn.result.matches]


def test_claims_stay_and_other_jobs_get_the_rest() -> None:
    slots = [{"name": "slot1@m{i}", "count": 2}]
    jobs = [{"id": "1", "submitter": "ann"}, {"id": "2", "submitter": "bob", "count": 3}]
    first, second = turns({"slots": slots, "jobs": jobs})
    assert len(first.result.matches) == 2
    assert seen(second) == []
    states = {ad["Name"]: (ad["State"], ad["RemoteUser"]) for ad in second.snapshot.slots}
    assert states == {m.slot: ("Claimed", m.submitter) for m in first.result.matches}
    assert second.result.now == NOW + 60
    (queue,) = second.snapshot.queues
    assert sorted(job["JobStatus"] for job in queue.jobs) == [1, 1, 2, 2]
    idle = {ad["Name"]: (ad["IdleJobs"], ad["RunningJobs"]) for ad in second.snapshot.submitters}
    assert sum(count for count, _ in idle.values()) == 2


def test_usage_raises_priorities_between_cycles() -> None:
    scenario = {
        "slots": [{"name": "slot1@m"}],
        "jobs": [{"submitter": "ann"}],
        "config": {"PRIORITY_HALFLIFE": "86400"},
    }
    prios = [
        {s.name: s.real_priority for s in turn.result.submitters}["ann@test"]
        for turn in turns(scenario, 3, 3600.0)
    ]
    # beta = 0.5 ** (3600 / 86400); prio = beta * 0.5 + (1 - beta) * 1, once and twice
    beta = 0.5 ** (3600 / 86400)
    assert [round(prio, 5) for prio in prios] == [
        0.5,
        round(beta * 0.5 + 1 - beta, 5),
        round(beta * (beta * 0.5 + 1 - beta) + 1 - beta, 5),
    ]


def test_a_preempted_job_is_idle_again() -> None:
    claim = {
        "State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": '"old@test"', "JobId": '"7.0"',
    }  # fmt: skip
    scenario = {
        "slots": [{"name": "slot1@m", "ad": claim}],
        "jobs": [
            {"id": "7", "submitter": "old", "ad": {"JobStatus": "2"}},
            {"id": "8", "submitter": "new"},
        ],
        "accountant": {"customers": {"old": {"priority": 50.0}}},
        "config": {"PREEMPTION_REQUIREMENTS": "RemoteUserPrio > SubmitterUserPrio * 1.2"},
    }
    first, second = turns(scenario)
    assert seen(first) == [("8.0", "slot1@m", "old@test")]
    (queue,) = second.snapshot.queues
    assert {f"{job['ClusterId']}": job["JobStatus"] for job in queue.jobs} == {"7": 1, "8": 2}
    assert seen(second) == []


def test_partitionable_slots_are_cut() -> None:
    pslot = {
        "PartitionableSlot": "true", "SlotType": '"Partitionable"', "Cpus": "4", "Memory": "4096",
        "TotalSlotCpus": "4", "TotalSlotMemory": "4096",
    }  # fmt: skip
    scenario = {
        "slots": [{"name": "slot1@p", "ad": pslot}],
        "jobs": [{"submitter": "ann", "count": 2, "ad": {"RequestCpus": "3"}}],
    }
    first, second = turns(scenario)
    assert seen(first) == [("1.0", "slot1@p", None)]
    sizes = {ad["Name"]: (ad["Cpus"], ad["State"]) for ad in second.snapshot.slots}
    assert sizes == {"slot1@p": (1, "Unclaimed"), "slot1_1@p": (3, "Claimed")}
    assert seen(second) == []


def test_a_partitionable_slot_with_too_little_left_is_not_claimed() -> None:
    """Nobody's requirements ask for the size; the startd cannot cut it, and the job stays idle."""
    ad = {
        "PartitionableSlot": "true", "MachineResources": '"Cpus Memory GPUs"', "Cpus": "8",
        "Memory": "4096", "GPUs": "1", "Requirements": "true",
    }  # fmt: skip
    jobs = [
        {
            "submitter": user,
            "ad": {"RequestCpus": cpus, "RequestGPUs": gpus, "Requirements": "true"},
        }
        for user, cpus, gpus in (("ann", "9", "0"), ("bob", "2", "1"), ("cid", "2", "1"))
    ]
    *_, last = turns({"slots": [{"name": "slot1@p", "ad": ad}], "jobs": jobs}, 5)
    shown = {one["Name"]: (one["Cpus"], one["GPUs"], one["State"]) for one in last.snapshot.slots}
    assert shown == {"slot1@p": (6, 0, "Unclaimed"), "slot1_1@p": (2, 1, "Claimed")}
    (queue,) = last.snapshot.queues
    assert sorted(job["JobStatus"] for job in queue.jobs) == [1, 1, 2]
    assert len(seen(last)) == 1


def test_turns_of_groups_rotate() -> None:
    """Without slot weights the spare slot goes to another group in the next cycle."""
    scenario = {
        "slots": [{"name": "slot1@m{i}", "count": 3}],
        "jobs": [{"submitter": f"{group}.u", "count": 9} for group in "ab"],
        "config": {
            "GROUP_NAMES": "a, b",
            "GROUP_QUOTA_DYNAMIC_a": "0.5",
            "GROUP_QUOTA_DYNAMIC_b": "0.5",
            "GROUP_ACCEPT_SURPLUS": "True",
            "NEGOTIATOR_USE_SLOT_WEIGHTS": "False",
        },
    }
    first, second = turns(scenario)
    assert first.result.group_turns is not None
    allocated = [
        {group.group: group.allocated for group in turn.result.rounds[0].groups}
        for turn in (first, second)
    ]
    assert sorted(allocated[0].values()) == [0.0, 1.0, 2.0]
    ahead = max(("a", "b"), key=allocated[0].__getitem__)
    assert allocated[1][ahead] < allocated[0][ahead]


def test_a_captured_pool_goes_on() -> None:
    capture = read_capture(CapturePaths(TOUR))
    first, second = run_cycles(
        capture.snapshot, capture.policy, now=capture.facts.now, count=2, interval=60
    )
    names = [ad.get_string("Name") for ad in second.snapshot.slots]
    assert len(names) == len(set(names))
    # What the first cycle read has not been changed.
    assert first.snapshot.slots == capture.snapshot.slots
    again = next(
        run_cycles(capture.snapshot, capture.policy, now=capture.facts.now, count=1, interval=60)
    )
    assert again.result == first.result


@pytest.mark.slow
def test_every_recorded_scenario_goes_on() -> None:
    for name in scenarios.names()[::10]:
        case = scenarios.load(name)
        policy = scenarios.policy_of(case["scenario"])
        steps = run_cycles(scenarios.snapshot_of(case), policy, now=NOW, count=3, interval=300)
        assert len(list(steps)) == 3


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["negotiate", str(TOUR), "--cycles", "3", "--interval", "300"]
    assert main([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    times = [cycle["now"] for cycle in data["cycles"]]
    assert [time - times[0] for time in times] == [0, 300, 600]
    assert data["interval"] == 300
    # Each cycle starts with what the one before gave away.
    after = {item["name"]: item["usage_after"] for item in data["cycles"][0]["submitters"]}
    assert after["chemistry.erin@example.org"] == 4.0
    usage = {item["name"]: item["usage"] for item in data["cycles"][1]["submitters"]}
    assert usage["chemistry.erin@example.org"] == 4.0
    assert main(command) == 0
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if line.startswith("cycle ")] == [
        "cycle 1", "cycle 2", "cycle 3",
    ]  # fmt: skip
    # Only the first is compared with the real one.
    assert text.count("agree with expected.json") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--cycles", "2", "--format", "csv"], "CSV can show one cycle only"),
        (["--cycles", "2", "--local-name", "A", "--local-name", "B"], "need one negotiator"),
        (["--cycles", "0"], "`0` is not a number of cycles"),
        (["--cycles", "10001"], "`10001` is not a number of cycles from 1 to 10000"),
        (["--cycles", "many"], "`many` is not a number of cycles from 1 to 10000"),
        (["--interval", "-5"], "`-5` is not a whole number"),
        (["--interval", "0"], "`0` is not a whole number of seconds from 1 on"),
        (["--interval", "soon"], "`soon` is not a whole number of seconds from 1 on"),
        (["--interval", "1000000001"], "`1000000001` is not a whole number of seconds"),
        (["--interval", "300"], "error: one cycle has no interval\n  help: give --cycles N, too\n"),
        (["--json", "--format", "csv"], "argument --format: not allowed with argument --json"),
    ],
)
def test_what_cannot_be_asked_for(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    try:
        code = main(["negotiate", str(TOUR), *arguments])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert words in capsys.readouterr().err


def test_what_a_claim_shows_is_the_same_every_time() -> None:
    """A startd's rank that draws a number, or reads the clock, depends on nothing but the claim."""
    job, ranks = ClassAd('[ConcurrencyLimits = strcat("sw:", time() - 500)]'), []
    for rank in ("random()", "random()", "time() - 900"):
        slot = ClassAd(f"[Rank = {rank}]")
        show_claim(
            slot, "alice@test", *terms_of_claim(slot, job, EvalContext(now=1000)), 1000, 1000
        )
        ranks.append(slot["CurrentRank"])
        assert slot["ConcurrencyLimits"] == "sw:500"
    assert ranks[0] == ranks[1]
    assert ranks[2] == 100.0
