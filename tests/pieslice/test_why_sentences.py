"""``pieslice why``, ``quotas``: small pools, each made so that one sentence is the right answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main
from pieslice.why.answer import explain_job
from pieslice.why.asked import find_job
from pieslice.why.moments import AskedCycle
from tests.negotiator import scenarios
from tests.negotiator.test_wild import load as load_wild

Entry = dict[str, Any]

BOB = {"State": '"Claimed"', "Activity": '"Busy"', "RemoteUser": '"bob@test"'}
CID = {**BOB, "RemoteUser": '"cid@test"'}
ANN = {**BOB, "RemoteUser": '"ann@test"'}
LEAVES = {**BOB, "Activity": '"Retiring"', "PreemptingUser": '"ann@test"'}
#: Ann may preempt bob.
PRIOS = {"customers": {"bob": {"priority": 1000.0}, "ann": {"priority": 1.0}}, "seed_claims": True}
ALONE = {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}
GROUPS = {"GROUP_NAMES": "g, h", "GROUP_QUOTA_g": "1", "GROUP_QUOTA_h": "0"}
TIES = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
#: Takes twice the processors that a job asks for.
CONSUMES = {
    "PartitionableSlot": "true",
    "MachineResources": '"Cpus Memory"',
    "Cpus": "4",
    "ConsumptionPolicy": "true",
    "ConsumptionCpus": "2 * target.RequestCpus",
    "ConsumptionMemory": "target.RequestMemory",
}
#: Nothing here reads an attribute of a job, so that schedds make no autoclusters.
NO_AUTOCLUSTERS = {"Requirements": "true", "SlotWeight": "1"}


def slots(count: int = 1, **ad: str) -> list[Entry]:
    return [{"name": "slot{i}@m", "count": count, "ad": ad}]


def jobs(user: str = "ann", count: int = 1, **ad: str) -> Entry:
    return {"submitter": user, "count": count, "ad": ad}


def pool(
    slots: list[Entry], *jobs: Entry, config: dict[str, str] | None = None, **more: object
) -> Entry:
    return {"slots": slots, "jobs": list(jobs), "config": config or {}, **more}


def group_slots(count: int, weight: str) -> list[Entry]:
    """Slots that bob of the group has."""
    ad = {**BOB, "RemoteUser": '"g.bob@test"', "SlotWeight": weight}
    return [{"name": "slot{i}@m", "count": count, "ad": ad}]


#: Two requests of ann of the group, one after the other.
IN_GROUP = (jobs("g.ann"), jobs("g.ann", JobPrio="-1", RequestMemory="2"))
IN_TURN = {"GROUP_NAMES": "g"}


def preempting(requirements: str, **slot: str) -> Entry:
    """Bob runs on the only slot, ann wants it."""
    config = {"PREEMPTION_REQUIREMENTS": requirements}
    mine = jobs("bob", JobStatus="2", RemoteHost='"slot1@m"', JobMaxVacateTime="40")
    return pool(slots(**BOB, **slot), jobs(), mine, config=config, accountant=PRIOS)


def running(slot: dict[str, str], **job: str) -> Entry:
    return pool(slots(**slot), jobs("bob", JobStatus="2", **{"RemoteHost": '"slot1@m"', **job}))


#: One slot has a model, two have none.
MODELS: list[Entry] = [*slots(Model='"A"'), {"name": "slot{i}@n", "count": 2, "ad": {}}]
TOO_BIG = {"RequestMemory": "9000"}
FALSE_AND_LARGE = (
    jobs(count=2, Requirements="false"),
    jobs(count=3, Requirements="TARGET.Cpus > 5"),
)

SAID = {
    # --- why a job is not offered, or its submitter has no session
    "vanilla": (
        pool(slots(), jobs(), config={"START_VANILLA_UNIVERSE": "false"}),
        ("1.0",),
        ["idle, but not offered: START_VANILLA_UNIVERSE is not true"],
    ),
    "skipped ad": (
        pool(slots(), jobs(), submitter_ads={"ann@test": {"SkipMatchmaking": "true"}}),
        ("1.0",),
        ["not requested: its submitter ad says SkipMatchmaking, or has no JobPrio"],
    ),
    "no idle jobs announced": (
        pool(
            slots(),
            jobs(),
            config=ALONE,
            submitter_ads={"ann@test": {"IdleJobs": "0", "RunningJobs": "2"}},
        ),
        ("1.0",),
        ["its submitter ad announces no idle jobs, and preemption is not considered"],
    ),
    "group skipped": (
        pool(slots(3), jobs("g.ann"), jobs("h.bob"), config=GROUPS),
        ("2.0",),
        ["not requested: its group h was skipped (round 1: zero slots allocated)"],
    ),
    "group skipped, of many": (
        pool(slots(3), jobs("g.ann"), jobs("h.bob", 5), config=GROUPS),
        ("--group", "h"),
        ["group h: 5 jobs in 1 autocluster waited: 0 matched", "no session: its group h was skip"],
    ),
    "no group has anything": (
        pool(slots(3), jobs("g.ann"), jobs("h.bob"), config=GROUPS | {"GROUP_QUOTA_g": "0"}),
        ("1.0",),
        [
            "not requested: its group g was skipped (round 1: zero slots allocated)\n",
            "\n  at the end of the cycle, negotiating for group g\n",
        ],
    ),
    "group has its quota": (
        pool(
            slots(3),
            jobs("g.ann", 3),
            jobs("g.cid", 3),
            config=GROUPS | ALONE,
            accountant={"customers": {"g.cid": {"priority": 1e6}}},
        ),
        ("2.0",),
        ["not requested: group g had used its quota of 1 before its turn"],
    ),
    "pie": (
        pool(slots(**ANN), jobs(), config=ALONE, accountant=PRIOS),
        ("1.0",),
        ["not requested: nothing was left of the pie before its turn"],
    ),
    # --- what a clause lacks: it may be true of slots that have it
    "an attribute that some slots have": (
        pool(MODELS, jobs(Requirements='TARGET.Model == "A" && TARGET.Cpus > 5')),
        ("1.0",),
        ['job: TARGET.Model == "A"', "undefined in the other 2; these slots have no `Model`\n"],
    ),
    "the same without a scope": (
        pool(MODELS, jobs(Requirements='Model == "A" && TARGET.Cpus > 5')),
        ("1.0",),
        ["undefined in the other 2; neither the job nor these slots have `Model`\n"],
    ),
    "an attribute of jobs that slots on some conditions want": (
        pool(slots(Requirements="TARGET.Cpus > 5"), jobs(Requirements="MY.Tag || TARGET.Ok")),
        ("1.0",),
        ["undefined in all; MY.Tag is in neither ad; TARGET.Ok is in neither ad\n"],
    ),
    # --- why a request came to nothing
    "over the limit of free slots": (
        pool(
            [*group_slots(3, "1"), {"name": "slot{i}@n", "count": 2, "ad": {"SlotWeight": "1"}}],
            *IN_GROUP,
            config=IN_TURN | {"GROUP_QUOTA_g": "4", "PREEMPTION_REQUIREMENTS": "False"},
        ),
        ("2.0",),
        [
            "over the limit: slot2@n costs 1, 1 of 1 is used\n",
            "submitter limit 4 (1 in free slots)",
        ],
    ),
    "over the limit of slots of others": (
        pool(
            group_slots(3, "2"),
            *IN_GROUP,
            config=IN_TURN | {"GROUP_QUOTA_g": "3", "PREEMPTION_REQUIREMENTS": "True"},
        ),
        ("2.0",),
        [
            "over the limit: slot3@m costs 2, 2 of 3 is used\n",
            "submitter limit 3 (0 in free slots)",
        ],
    ),
    "like one refused": (
        pool(
            slots(),
            jobs(count=2, JobPrio="9", **TOO_BIG),
            jobs(JobPrio="5", RequestCpus="8"),
            jobs(JobPrio="1", **TOO_BIG),
        ),
        ("3.0",),
        ["requested, but not offered: job 1.0 of its autocluster was rejected: no match found"],
    ),
    "no autoclusters": (
        pool(
            slots(**NO_AUTOCLUSTERS),
            *FALSE_AND_LARGE,
            config={"USE_RESOURCE_REQUEST_COUNTS": "False"},
        ),
        ("2.1",),
        ["not requested: job 2.0 of its cluster was rejected: no match found"],
    ),
    "time": (
        pool(slots(), jobs(), config={"NEGOTIATOR_MAX_TIME_PER_PIESPIN": "0"}),
        ("1.0",),
        ["requested, but not offered: the time for this turn is used up"],
    ),
    "what others left": (
        pool(
            slots(2, Rank='TARGET.Owner == "ann"', **CID),
            jobs(count=2),
            jobs("bob"),
            accountant=PRIOS,
        ),
        ("2.0",),
        ["its submitter limit is used up (0 of 0 used)", "session: what is left of the pie ("],
    ),
    "a slot that does not wake": (
        pool(slots(Offline="true"), jobs()),
        ("1.0",),
        ["matched, but not started: its schedd gave the slots of the request to other jobs, or"],
    ),
    # --- conditions that are not true
    "many parts": (
        preempting("MY.A > 1 && MY.A > 2 && MY.A > 3 && MY.A > 4 && MY.A > 5", A="0"),
        ("1.0",),
        ["MY.A > 1: 0 > 1 is false: needs 2 more", "MY.A > 2: 0 > 2 is false", "and 3 more parts"],
    ),
    "equal": (
        preempting("2.5 < MY.A", A="2.5"),
        ("1.0", "slot1@m"),
        ["2.5 < MY.A: 2.5 < 2.5 is false: equal is not enough"],
    ),
    "infinite": (
        preempting('real("INF") < MY.A', A="2.5"),
        ("1.0",),
        ['    real("INF") < MY.A is false\n'],
    ),
    "no numbers": (preempting('"a" < MY.A', A="2.5"), ("1.0",), ['    "a" < MY.A is error\n']),
    "numbers of many slots": (
        pool(slots(9, Load="{i}.5"), jobs(Requirements="TARGET.Load > 100")),
        ("1.0",),
        [" in 1, others in 5 (all from 1.5 to 9.5)\n"],
    ),
    "words of many slots": (
        pool(slots(9, Load='"w{i}"'), jobs(Requirements='TARGET.Load == "b"')),
        ("1.0",),
        [" in 1, others in 5\n"],
    ),
    "a clause that is there twice": (
        pool(slots(), jobs(Requirements="TARGET.Cpus > 5 && TARGET.Cpus > 5")),
        ("1.0",),
        [
            "would help: without `TARGET.Cpus > 5` of the job: 1",
            "0     0    +1  job: TARGET.Cpus > 5",
        ],
    ),
    "consumed": (
        pool(slots(**CONSUMES), jobs(RequestCpus="2")),
        ("1.0", "slot1@m"),
        ["  ok  it has what its consumption policy takes for the job\n", "RequestCpus = 4"],
    ),
    "too little to consume": (
        pool(slots(**CONSUMES), jobs(RequestCpus="3")),
        ("1.0", "slot1@m"),
        ["  NO  it has what its consumption policy takes for the job\n"],
    ),
    "too little to consume, of all": (
        pool([*slots(**CONSUMES), {"name": "plain@m"}], jobs(RequestCpus="3")),
        ("1.0",),
        [
            "too little of a resource for its consumption policy: slot1@m",
            "0 of 1     1    +1  slot: it has what its consumption policy takes for the job\n",
        ],
    ),
    "enough to consume, and refused": (
        pool(slots(2, **CONSUMES, Requirements='TARGET.Owner == "bob"'), jobs(RequestCpus="2")),
        ("1.0",),
        ['0 of 2     0    +2  slot: TARGET.Owner == "bob"\n', "such as slot1@m\n"],
    ),
    # --- what would help
    "the same twice": (
        pool(slots(Requirements="TARGET.Load == 2 && 2 == TARGET.Load"), jobs(Load="0")),
        ("1.0",),
        ["would help: Load = 2 (now 0): 1 more slot"],
    ),
    "from nothing": (
        pool(slots(Requirements="TARGET.Load + TARGET.Load > 7"), jobs(Load="0")),
        ("1.0",),
        ["would help: Load >= 8 (now 0): 1 more slot"],
    ),
    "beyond all numbers": (
        pool(slots(Requirements="TARGET.Load * 1.0e-300 > 1.0e300"), jobs(Load="1.0")),
        ("1.0",),
        ["would help: without `TARGET.Load * 1e-300 > 1e+300` of the slot: 1 more slot"],
    ),
    # --- one slot among candidates
    "best": (pool(slots(2), jobs(), config=TIES), ("1.0", "slot1@m"), ["the best of all candid"]),
    "tie": (
        pool(slots(2), jobs(), config=TIES),
        ("1.0", "slot2@m"),
        ["number 2, after slot1@m by a tie\n", "candidate 2, after slot1@m: a tie\n"],
    ),
    "preemption is always allowed": (
        preempting(""),
        ("1.0", "slot1@m"),
        ["matched, slot1@m (priority preemption of bob@test)", "startd rank: not true\n"],
    ),
    # --- jobs that run
    "runs nowhere": (
        running(BOB, RemoteHost='"slot9@x"'),
        ("1.0",),
        ["running, though no slot ad of the pool names it\n"],
    ),
    "known by its number": (
        running({**BOB, "JobId": '"1.0"'}, RemoteHost='"slot9@x"'),
        ("1.0",),
        ["running on slot1@m, not preempted in this cycle\n", "\n  the slot is Claimed, Busy\n"],
    ),
    "preempted": (
        preempting("", MaxJobRetirementTime="90"),
        ("2.0",),
        [
            "cause: user priority, under PREEMPTION_REQUIREMENTS\n",
            "effective priorities: 1000 against 1000000 (bigger is worse)\n",
            "retirement time left: 90 s (MaxJobRetirementTime)\n",
            "after 50 s, hard kill after 90 s: MachineMaxVacateTime 600 s, JobMaxVacateTime 40 s\n",
        ],
    ),
    "of the startd": (
        running({**BOB, "State": '"Preempting"', "Activity": '"Vacating"'}),
        ("1.0",),
        [
            "running on slot1@m, preemption is under way\n",
            "cause: the startd's own policy, or an administrator\n",
            "no retirement time left (MaxJobRetirementTime)\n",
            "now, hard kill after 600 s: MachineMaxVacateTime 600 s\n",
        ],
    ),
    "drained": (
        running({**LEAVES, "Draining": "true"}),
        ("1.0",),
        ["preemption is under way for ann@test\n", "cause: the machine is draining\n"],
    ),
    "ranked": (
        running({**LEAVES, "PreemptingRank": "5.0"}),
        ("1.0",),
        ["cause: the startd's RANK prefers the other job\n"],
    ),
    "of less priority": (
        running({**LEAVES, "PreemptingRank": "0.0"}),
        ("1.0",),
        ["cause: user priority, under PREEMPTION_REQUIREMENTS\n"],
    ),
    # --- many jobs
    "nobody waits": (
        pool(slots(), jobs(JobStatus="5")),
        ("--user", "ann"),
        ["user ann: no job waits for a slot\n", "\n  1 job held (first 1.0)\n"],
    ),
    "many autoclusters": (
        pool(slots(), *(jobs(RequestMemory=str(number)) for number in range(43))),
        ("--user", "ann"),
        ["in 43 autoclusters waited", "  and 3 more autoclusters; --json lists them all\n"],
    ),
}


def told(tmp_path: Path, pool: Entry, *words: str) -> int:
    path = tmp_path / "pool.json"
    path.write_text(json.dumps(pool))
    return main([*words[:1], str(path), *words[1:]])


@pytest.mark.parametrize(("pool", "words", "said"), SAID.values(), ids=SAID)
def test_what_is_said(
    pool: Entry, words: tuple[str, ...], said: list[str], tmp_path: Path, capsys: Any
) -> None:
    assert told(tmp_path, pool, "why", *words, "--wide") == 0
    text = capsys.readouterr().out
    for sentence in said:
        assert sentence in text


def test_a_clash_of_the_ids_of_autoclusters_names_no_job() -> None:
    """NEGOTIATE_ALL_JOBS_IN_CLUSTER: the schedd takes the job for one of those refused."""
    case = load_wild("wild-20389")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    answer = explain_job(AskedCycle(snapshot, policy, scenarios.NOW), find_job(snapshot, "6.7"))
    assert answer.summary().endswith(": a request of its autocluster was rejected in the session")


def test_a_job_that_runs_on_a_slot_that_was_asked_for_another(capsys: Any) -> None:
    assert main(["why", str(scenarios.VECTORS / "submitter-constraint.json"), "2.0"]) == 0
    said = "its schedd requested a match for job 3.0 and ran this job instead"
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_limit_below_nothing_is_explained(capsys: Any) -> None:
    """Preemption by rank goes on behind a limit that is used up, and the pie is less than empty."""
    pool = str(scenarios.VECTORS / "random-880077.json")
    assert main(["why", pool, "8.0", "--wide"]) == 0
    text = capsys.readouterr().out
    assert "submitter limit exceeded (3 used, the limit is -1)\n" in text
    assert (
        "  submitter limit -1, 0 used in this session: submitters before took that much more"
        " than was left of the pie (5.9% of slot weight 13, 22 in use)\n"
    ) in text
    assert main(["negotiate", pool, "--wide"]) == 0
    said = "  a limit below 0: submitters before took that much more than was left of the pie\n"
    assert capsys.readouterr().out.count(said) == 1
    assert main(["negotiate", pool, "--wide", "--submitter", "cs.judy"]) == 0
    assert said not in capsys.readouterr().out


def test_the_only_candidate_is_told_once(tmp_path: Path, capsys: Any) -> None:
    assert told(tmp_path, pool(slots(1), jobs()), "why", "1.0") == 0
    assert capsys.readouterr().out.count("it was the only candidate") == 1


def test_a_job_without_a_user(pool: Path, capsys: Any) -> None:
    ads = (pool / "jobs.ads").read_text().replace('User = "alice@pool"\nOwner = "alice"\n', "")
    (pool / "jobs.ads").write_text(ads)
    assert main(["why", str(pool), "1.0"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "job 1.0: idle, but not offered: no User in its ad",
        "  follows 25.14.1: no version is given",
    ]
    assert main(["why", str(pool), "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "job 1.0: idle, but not offered: no User in its ad",
        "  follows 25.14.1: no version is given",
    ]
    assert main(["rank", str(pool), "1.0"]) == 0
    assert capsys.readouterr().out.startswith("job 1.0 is idle")
    assert main(["why", str(pool), "--user", "bob"]) == 0
    assert "user bob: 2 jobs" in capsys.readouterr().out
    (pool / "condor_config").write_text("GROUP_NAMES = g\nGROUP_QUOTA_g = 1\n")
    assert main(["why", str(pool), "--group", "g"]) == 2
    assert capsys.readouterr().err == "error: group `g` has no jobs in the queues\n"


def test_a_schedd_whose_submitter_ad_is_missing(pool: Path, capsys: Any) -> None:
    """The user takes part in the cycle, by the ad of another schedd."""
    ads = (pool / "submitters.ads").read_text().replace('"ap1"', '"ap2"', 1)
    (pool / "submitters.ads").write_text(ads)
    assert main(["why", str(pool), "1.0"]) == 0
    said = "job 1.0 of alice@pool: not requested: no submitter ad of schedd ap1 has its name\n"
    assert capsys.readouterr().out.startswith(said)


def test_quotas_in_whole_slots(tmp_path: Path, capsys: Any) -> None:
    names = "abcd"
    config = {f"GROUP_QUOTA_DYNAMIC_{name}": "0.25" for name in names}
    config |= {"GROUP_NAMES": ", ".join(names), "NEGOTIATOR_USE_SLOT_WEIGHTS": "False"}
    config["GROUP_ACCEPT_SURPLUS"] = "True"
    wanted = [jobs(f"{name}.ann", 9) for name in names]
    assert told(tmp_path, pool(slots(6), *wanted, config=config), "quotas", "--trace") == 0
    text = capsys.readouterr().out
    assert "  a: cut to 1 whole slot, 0.5 given back\n" in text
    assert "divides 2 by round robin: 1 to a, 1 to b; 0 left\n" in text
