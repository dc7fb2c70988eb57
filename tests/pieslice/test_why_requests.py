"""``pieslice why`` of requests, clusters, users and groups: what it says is what the cycle does."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

import pieslice
from classad import ClassAd, EvalContext, ExprTree
from negotiator.cycle import negotiate
from negotiator.jobs.offers import Unasked
from negotiator.model.result import CycleResult, Reason
from negotiator.model.snapshot import Snapshot
from pieslice.cli import main
from pieslice.why.answer import explain_job
from pieslice.why.asked import JobScope, all_jobs, find_job
from pieslice.why.autoclusters import survey_jobs
from pieslice.why.conditions import ConditionValue, condition_value
from pieslice.why.fates import Fate, fates, reason_of
from pieslice.why.moments import AskedCycle
from pieslice.why.sessions import CycleRecord, End, RequestLog
from policy.model import NegotiatorPolicy
from tests.cases import every_case
from tests.conform.negotiation.course import Played, play
from tests.negotiator import scenarios
from tests.negotiator.test_wild import NAMES as WILD
from tests.negotiator.test_wild import load as load_wild

EXAMPLES = Path(__file__).parents[2] / "examples"
CAMPUS, TOUR = str(EXAMPLES / "campus"), str(EXAMPLES / "tour")
NOW = scenarios.NOW


def recorded(snapshot: Snapshot, policy: NegotiatorPolicy) -> tuple[CycleResult, CycleRecord]:
    log = RequestLog(lambda name, schedd: True)
    return negotiate(snapshot, policy, now=NOW, watch=log), log.record


def cases() -> list[str]:
    return [*scenarios.names()[::8], *WILD[::60]]


def cycles(name: str) -> list[Played]:
    return list(play(load_wild(name) if name in WILD else scenarios.load(name)))


@pytest.mark.slow
@every_case("name", cases())
def test_every_job_and_every_match_is_accounted_for_once(name: str) -> None:
    for cycle in cycles(name):
        result, log = recorded(cycle.snapshot, cycle.policy)
        requests = [request for session in log.sessions for request in session.requests]
        for request in requests:
            assert request.served + request.left == len(request.jobs)
            assert request.left >= 0
            assert (request.rejection is not None) == (request.end is End.REJECTED)
            assert request.end is not End.SERVED or not request.left
            assert cycle.policy.depth_first or len(request.got) == request.served
        assert [got.match for request in requests for got in request.got] == list(result.matches)
        assert [r.rejection for r in requests if r.rejection] == list(result.rejections)
        found = fates(log)
        waiting = sum(map(len, log.waiting.values()))
        assert len({(fate.schedd, fate.submitter, fate.job) for fate in found}) == waiting
        placed = {got.job for request in requests for got in request.got} - {None}
        assert {fate.job for fate in found if fate.fate is Fate.MATCHED} == placed
        for fate in found:
            assert (fate.session is None) == (fate.fate is Fate.NO_SESSION)
            if fate.fate not in (Fate.MATCHED, Fate.NO_SESSION):
                assert reason_of(fate)


def without(cause: Unasked, policy: NegotiatorPolicy) -> NegotiatorPolicy:
    """The policy without the setting that is named as the cause."""
    return {
        Unasked.UPLOADS: lambda: evolve(policy, max_concurrent_uploads_per_user=0),
        Unasked.ROOM: lambda: evolve(policy, max_jobs_running=None),
        Unasked.CONSTRAINT: lambda: evolve(policy, job_constraint=None),
        Unasked.JOB_PRIO: lambda: evolve(policy, use_global_job_prios=False),
    }[cause]()


#: Scenarios in which schedds leave jobs out.
LIMITED = (
    *(name for name in scenarios.names() if "upload" in name or "running" in name),
    *(name for name in scenarios.names() if "constraint" in name or "job-prio" in name),
)


@pytest.mark.slow
@every_case("name", [*LIMITED, *WILD[7::40]])
def test_a_job_that_is_not_requested_is_so_for_the_cause_that_is_named(name: str) -> None:
    """Without the setting that is named the job is requested, or something else is in the way."""
    for cycle in cycles(name):
        _, log = recorded(cycle.snapshot, cycle.policy)
        found = fates(log)
        left_out = [fate for fate in found if fate.fate is Fate.NOT_ASKED]
        unused = [fate for fate in found if fate.fate is Fate.UNUSED]
        if any("MAX_JOBS_RUNNING" in reason_of(fate) for fate in unused):
            _, other = recorded(cycle.snapshot, without(Unasked.ROOM, cycle.policy))
            assert not any("MAX_JOBS_RUNNING" in reason_of(f) for f in fates(other))
        for cause in {fate.unasked for fate in left_out}:
            mine = [fate for fate in left_out if fate.unasked is cause]
            assert cause is not None
            if cause is Unasked.REJECTED:
                for fate in mine:
                    assert fate.session is not None
                    assert (
                        any(
                            request.autocluster == fate.autocluster and request.end is End.REJECTED
                            for request in fate.session.requests
                        )
                        or "all-in-cluster" in name
                    )
            elif cause is Unasked.ENDED:
                assert all(fate.session is not None for fate in mine)
            else:
                _, other = recorded(cycle.snapshot, without(cause, cycle.policy))
                after = {(f.schedd, f.submitter, f.job): f for f in fates(other)}
                for fate in mine:
                    assert after[fate.schedd, fate.submitter, fate.job].unasked is not cause


@pytest.mark.slow
@pytest.mark.parametrize("name", ["preempt-kinds-order", "random-100", "random-110", *WILD[3::80]])
def test_a_rejection_hangs_on_what_it_names(name: str) -> None:
    """With PREEMPTION_REQUIREMENTS true nobody is rejected for it any more."""
    for cycle in cycles(name):
        _, log = recorded(cycle.snapshot, cycle.policy)
        named = [
            fate
            for fate in fates(log)
            if fate.request is not None
            and fate.request.rejection is not None
            and fate.request.rejection.reason is Reason.PREEMPTION_REQUIREMENTS
        ]
        if named:
            policy = evolve(cycle.policy, preemption_requirements=ExprTree("true"))
            result, _ = recorded(cycle.snapshot, policy)
            reasons = {item.reason for item in result.rejections}
            assert Reason.PREEMPTION_REQUIREMENTS not in reasons


def campus() -> tuple[Snapshot, NegotiatorPolicy, float]:
    from negotiator.io import CapturePaths, read_capture

    capture = read_capture(CapturePaths(Path(CAMPUS)))
    return capture.snapshot, capture.policy, capture.facts.now


def leaves(found: ConditionValue) -> list[ConditionValue]:
    """The parts that are not taken apart any more."""
    return [leaf for part in found.parts for leaf in leaves(part)] if found.parts else [found]


def test_the_nearest_slot_is_short_by_what_it_says() -> None:
    """Every comparison is evaluated again; the slot is one that PREEMPTION_REQUIREMENTS keeps."""
    snapshot, policy, now = campus()
    answer = explain_job(AskedCycle(snapshot, policy, now), find_job(snapshot, "3.0"))
    assert answer.seen is not None
    assert answer.seen.near is not None
    near = answer.seen.near
    assert answer.seen.funnel.verdicts[near.slot] == "PREEMPTION_REQUIREMENTS is not true"
    short = [leaf for leaf in leaves(near.finding) if leaf.comparison and not leaf.true]
    (made,) = [leaf.comparison for leaf in short if leaf.comparison and leaf.comparison.unit == "s"]
    assert made is not None
    assert (made.left, made.operator, made.right, made.by) == (120, ">", 120, -1)


@pytest.mark.parametrize(
    ("text", "by", "true"),
    [
        ("120 > 120", -1, False),
        ("121 > 120", 1, True),
        ("3 >= 5", -2, False),
        ("7 < 7", -1, False),
        ("7.5 < 7.0", -0.5, False),
        ("7.0 < 7.0", 0.0, False),
        ("7 <= 7", 0, True),
    ],
)
def test_a_comparison_is_short_by_the_least_that_would_do(text: str, by: float, true: bool) -> None:
    found = condition_value(ExprTree(text), ClassAd(), ClassAd(), EvalContext())
    assert found.true is true
    assert found.comparison is not None
    assert found.comparison.by == by


def test_the_nearest_way_counts_the_parts_that_fail() -> None:
    text = "(1 > 2 && 1 > 3) || (10 > 100) || (undefined && 1 > 0)"
    found = condition_value(ExprTree(text), ClassAd(), ClassAd(), EvalContext())
    assert found.distance == (1, 0.91)
    assert [part.distance[0] for part in found.parts] == [2, 1, 1]


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["why", *arguments, "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def test_a_job_stands_in_its_request(capsys: Any) -> None:
    data = ask(capsys, CAMPUS, "15.5")
    assert (data["fate"], data["place"], len(data["request"]["jobs"])) == ("matched", 6, 20)
    assert data["request"]["served"] == 20
    kinds = Counter(got["match"]["kind"] for got in data["request"]["got"])
    assert kinds == {"none": 5, "priority": 15}
    assert main(["why", CAMPUS, "15.5"]) == 0
    text = capsys.readouterr().out
    assert "number 6 of 20 jobs in one request (autocluster 8, first 15.0)" in text


def test_a_job_beyond_the_upload_limit(capsys: Any) -> None:
    data = ask(capsys, CAMPUS, "15.22")
    assert (data["fate"], data["unasked"]) == ("not requested", Unasked.UPLOADS.value)
    assert "MAX_CONCURRENT_UPLOADS_PER_USER" in data["reason"]
    more = ask(capsys, CAMPUS, "15.22", "-D", "MAX_CONCURRENT_UPLOADS_PER_USER=30")
    assert more["fate"] == "matched"


@pytest.mark.slow
def test_a_cluster_a_user_and_a_group_are_summed_up(capsys: Any) -> None:
    for arguments in (("15",), ("--user", "carol"), ("--group", "group_chemistry")):
        data = ask(capsys, CAMPUS, *arguments)
        (row,) = data["autoclusters"]
        assert (row["jobs"], row["matched"], row["first"]) == (25, 20, "15.0")
        assert sum(cause["jobs"] for cause in row["causes"]) == 5
        assert (data["waiting"], data["matched"]) == (25, 20)


def test_the_worst_autocluster_comes_first(capsys: Any) -> None:
    rows = ask(capsys, TOUR, "--user", "frank")["autoclusters"]
    assert [row["matched"] / row["jobs"] for row in rows] == [0, 0, 1]
    assert {row["first"] for row in rows[:2]} == {"12.0", "13.0"}


@pytest.mark.parametrize("name", cases()[::5])
def test_an_overview_has_every_job_once(name: str) -> None:
    case = load_wild(name) if name in WILD else scenarios.load(name)
    cycle = next(play(case))
    jobs = all_jobs(cycle.snapshot)
    found = survey_jobs(AskedCycle(cycle.snapshot, cycle.policy, NOW), JobScope("all", tuple(jobs)))
    assert found.waiting + sum(item.jobs for item in found.others) == len(jobs)
    for row in found.autoclusters:
        assert row.jobs == row.matched + sum(cause.jobs for cause in row.causes)
    assert found.matched == sum(row.matched for row in found.autoclusters)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--user", "carl"),
            "no job in the queues is of user `carl`; did you mean `carol`",
        ),
        (("--user", "nobody"), "no job in the queues is of user `nobody`"),
        (("--group", "group_chemisty"), "there is no group `group_chemisty`; did you mean"),
        (("--user", "carol", "--group", "g"), "`--group` is one argument too many"),
        (("15.0", "--user", "carol"), "`15.0` is one argument too many"),
    ],
)
def test_who_is_not_there(arguments: tuple[str, ...], message: str, capsys: Any) -> None:
    assert main(["why", CAMPUS, *arguments]) == 2
    assert f"error: {message}" in capsys.readouterr().err


def test_a_user_without_jobs_is_told_from_nobody(pool: Path, capsys: Any) -> None:
    ads = (pool / "accounting.ads").read_text()
    (pool / "accounting.ads").write_text(f'{ads}\n\nName = "erin@pool"\nPriority = 2.0\n')
    assert main(["why", str(pool), "--user", "Erin"]) == 2
    assert capsys.readouterr().err == ("error: user `Erin` has no jobs in the queues\n")


def test_a_group_without_groups(pool: Path, capsys: Any) -> None:
    assert main(["why", str(pool), "--group", "physics"]) == 2
    assert "the policy has no accounting groups" in capsys.readouterr().err


def edited(folder: Path, tmp_path: Path, job: str, line: str) -> str:
    """The jobs of a pool, one of them with another line."""
    cluster, proc = job.split(".")
    ads = (folder / "jobs.ads").read_text().split("\n\n")
    found = [
        f"{ad}\n{line}"
        if f"ClusterId = {cluster}\n" in f"{ad}\n" and f"ProcId = {proc}\n" in f"{ad}\n"
        else ad
        for ad in ads
    ]
    assert found != ads
    path = tmp_path / "jobs.ads"
    path.write_text("\n\n".join(found))
    return str(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('JobStatus = 5\nHoldReason = "disk full"', "held"),
        ("JobCooldownExpiration = 1790000100", "in cool-down for 100 s"),
        ("JobUniverse = 7", "scheduler universe: Requirements are not true of the schedd"),
        ("IsNoopJob = true", "IsNoopJob is true"),
        ("CurrentHosts = 1\nMaxHosts = 1", "CurrentHosts is 1 and MaxHosts 1"),
    ],
)
def test_jobs_that_are_not_offered(line: str, said: str, tmp_path: Path, capsys: Any) -> None:
    jobs = edited(Path(TOUR), tmp_path, "11.0", line)
    data = ask(capsys, TOUR, "11.0", "--jobs", jobs, "--now", "1790000000")
    assert said in data["verdict"]
    row = ask(capsys, TOUR, "--user", "carol", "--jobs", jobs, "--now", "1790000000")
    assert any(said in other["status"] for other in row["others"])


def test_settings_that_keep_jobs_from_being_requested(capsys: Any) -> None:
    for define, said in (
        ("MAX_JOBS_RUNNING=7", "no room at its schedd: MAX_JOBS_RUNNING is 7, "),
        ("NEGOTIATOR_JOB_CONSTRAINT=ClusterId =!= 15", "NEGOTIATOR_JOB_CONSTRAINT is not true"),
        ('NEGOTIATOR_SUBMITTER_CONSTRAINT=Name =!= "frank@example.org"', "SUBMITTER_CONSTRAINT"),
    ):
        data = ask(capsys, TOUR, "15.0", "-D", define)
        assert data["fate"] in ("not requested", "no session")
        assert said in data["verdict"]


@pytest.mark.slow
def test_the_answer_is_in_the_first_ten_lines(capsys: Any) -> None:
    """Of every waiting job: the verdict, the request, the slots and what would help."""
    for pool, jobs in ((TOUR, ("11.0", "12.0", "14.0", "15.1")), (CAMPUS, ("1.26", "3.0", "15.7"))):
        for job in jobs:
            assert main(["why", pool, job]) == 0
            head = "\n".join(capsys.readouterr().out.splitlines()[:10])
            assert "in one request" in head or "asked for alone" in head
            assert "slots: " in head or "candidates: " in head


TWENTY = str(EXAMPLES / "scenarios" / "twenty.json")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ((TOUR, "11.0"), "did you mean `HasMatlab`?"),
        ((TOUR, "12.0"), "RequestMemory <= 61440 (now 100000, in MB): 1 more slot"),
        ((CAMPUS, "8.0"), "RequestGPUs >= 0 (not set): 2 more slots"),
        ((CAMPUS, "15.7"), "number 8 of 20 jobs in one request"),
        ((CAMPUS, "15.7"), "360 > 120 is true by 240 s"),
        ((CAMPUS, "3.0"), "120 > 120 is false: needs 1 s more"),
        ((CAMPUS, "3.0"), "68 > 72 is false: needs more than 4 more"),
        ((CAMPUS, "1.26", "slot8@node11"), "matched by group_chemistry.carol@campus.example"),
        (
            (CAMPUS, "1.26", "slot3@node11"),
            "5811.06 > 27707.5 is false: needs more than 21896.4 more",
        ),
        ((TOUR, "15.1", "slot1_1@big1"), "costs 12, 8 of 12 is used"),
        ((TOUR, "10.0", "slot1@night1"), "ClockMin is 840"),
        ((TOUR, "16.0", "slot1@node3"), "NEGOTIATOR_PRE_JOB_RANK 10 against 0"),
        ((TOUR, "3.1"), "4000 > 719.653 is true by 3280.35"),
        ((TOUR, "5.0"), "10 > 0 is true by 10"),
        ((TWENTY, "1.5"), "concurrency limit matlab is full (6 of 6 in use, wants 2)"),
        ((TWENTY, "1.5"), "3 matched (3 free), then 5 rejected"),
        ((TWENTY, "2.19"), "MAX_JOBS_RUNNING is 18, 0 run, 18 were matched in this cycle"),
        ((TWENTY, "2.9"), "not requested: no room at its schedd"),
        ((TWENTY, "6.4"), "the ceiling was reached (12 used in the session)"),
        ((TWENTY, "4.0"), "in cool-down for 300 s"),
        ((TWENTY, "5.0"), "held: disk quota exceeded"),
    ],
)
def test_the_first_ten_lines_have_it(
    question: tuple[str, ...], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", *question]) == 0
    head = capsys.readouterr().out.splitlines()[:10]
    assert answer in " ".join(line.strip() for line in head)


def test_why_a_request_ended_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    def page(job: str) -> str:
        assert main(["why", TWENTY, job, "--width", "1000"]) == 0
        return capsys.readouterr().out

    reason = "concurrency limit matlab is full (6 of 6 in use, wants 2)"
    matched, rejected = page("1.0"), page("1.5")
    assert f"3 matched (3 free), then 5 rejected: {reason}\n" in matched
    assert rejected.startswith(f"job 1.5 of ann@test: rejected, {reason}\n")
    assert "3 matched (3 free), then 5 rejected\n" in rejected


def test_programs_get_the_same_and_can_keep_it() -> None:
    pool = pieslice.read(TOUR)
    found = pool.survey(user="frank")
    assert [row["first"] for row in found.to_dict()["autoclusters"]][-1] == "15.0"
    for answer in (found, pool.survey(cluster=15), pool.why("14.0"), pool.why("3.1")):
        assert pickle.loads(pickle.dumps(answer)).text() == answer.text()
    for names in ({}, {"user": "frank", "group": "chemistry"}, {"user": "nobody"}):
        with pytest.raises(pieslice.NotFoundError):
            pool.survey(**names)


def test_the_clauses_that_kept_the_most_slots_come_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """PREEMPTION_REQUIREMENTS before the requirements, all of both; the usual answer is shorter."""
    assert main(["why", CAMPUS, "1.26", "--clauses"]) == 0
    every = capsys.readouterr().out
    assert main(["why", CAMPUS, "1.26"]) == 0
    usual = capsys.readouterr().out
    kept = "PREEMPTION_REQUIREMENTS, over the slots that it keeps"
    assert every.index(kept) < every.index("Requirements, over")
    assert usual.index(kept) > usual.index("Requirements, over")
    assert " more parts" not in every
    assert "..." not in every[every.index("true of all, of the job:") :].partition("\n\n")[0]
    assert "    TARGET.FileSystemDomain" in every or "FileSystemDomain == " in every


def test_clauses_are_shown_of_one_job(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", CAMPUS, "--user", "carol", "--clauses"]) == 0
    assert "--clauses shows the clauses of one job" in " ".join(capsys.readouterr().err.split())
