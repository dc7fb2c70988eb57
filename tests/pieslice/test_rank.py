"""``pieslice rank``: the order of candidates is the order in which the cycle takes them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from negotiator.cycle import negotiate
from negotiator.matching.board import Event, Offer
from negotiator.matching.rank import RankKeys
from pieslice.cli import main
from pieslice.why.asked import UnknownJobError, find_job
from pieslice.why.moments import AskedCycle, JobHistory, When, look_at
from pieslice.why.ranking import Ranking, first_difference, ranking
from tests.negotiator import scenarios

CAMPUS = str(Path(__file__).parents[2] / "examples" / "campus")


#: Ways in which candidates are equal: with or without autoclusters and a match list.
TIES = [name for name in scenarios.names() if name.startswith("ties-")]
FIRST = ["preempt-kinds-order", "random-100", "random-104", "random-108", "corner-kind-as-printed"]
FIRST += ["corner-rank-not-a-number-without-match-list", "pre-rank-undefined-for-one"]
#: What a slot that stays costs, and what bounds it, changes from match to match.
STAYING = ["put-back-slot-is-bound-as-found", "pslot-consumption-policy", "pslot-depth-first"]
STAYING += ["reeval-unclaiming", "rank-preempt-over-limit"]


def best_first(halted: Offer, _: JobHistory) -> Ranking:
    """The candidates at the moment that is looked at."""
    return ranking(halted)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FIRST, *TIES])
def test_the_first_candidate_is_the_one_that_is_taken(name: str) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    result = negotiate(snapshot, policy, now=scenarios.NOW, rng=random.Random(0))
    assert result.matches
    for match in {item.job: item for item in reversed(result.matches)}.values():
        job = find_job(snapshot, match.job)
        history, found = look_at(AskedCycle(snapshot, policy, scenarios.NOW), job, best_first)
        assert history.result == result
        assert found is not None
        if history.when is When.MATCHED:
            assert found.slots[0].slot == history.slot
            assert found.slots[0].preempts == match.preempted


@pytest.mark.parametrize("name", STAYING)
def test_each_job_is_told_the_slot_that_it_gets_first(name: str) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    lists = []
    for queue in snapshot.queues:
        for ad in queue.jobs[:30]:
            job = find_job(snapshot, f"{queue.name}#{ad.raw('ClusterId')}.{ad.raw('ProcId')}")
            history, found = look_at(AskedCycle(snapshot, policy, scenarios.NOW), job, best_first)
            if found is not None and history.when is When.MATCHED:
                assert found.slots[0].slot == history.slot
                lists.append(found.kept_list)
    assert set(lists) == {False, True}


@pytest.mark.parametrize("name", TIES)
def test_equal_candidates_are_listed_in_the_order_of_their_matches(name: str) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    result = negotiate(snapshot, policy, now=scenarios.NOW)
    job = find_job(snapshot, result.matches[0].job)
    _, found = look_at(AskedCycle(snapshot, policy, scenarios.NOW), job, best_first)
    assert found is not None
    matched = [match.slot for match in result.matches]
    assert [slot.slot for slot in found.slots][: len(matched)] == matched


def test_an_onlooker_changes_nothing() -> None:
    case = scenarios.load("preempt-kinds-order")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    plain = negotiate(snapshot, policy, now=scenarios.NOW)
    seen: list[Event] = []
    assert negotiate(snapshot, policy, now=scenarios.NOW, watch=seen.append) == plain
    assert seen


def test_the_first_key_that_differs_decides() -> None:
    keys = RankKeys(1.0, 2.0, 3.0, 2.0, 0.0)
    assert first_difference(keys, keys) is None
    assert first_difference(keys, keys._replace(kind=1.0, preemption=-1.0)) == "preemption state"
    assert first_difference(keys, keys._replace(job=1.0, post_job=9.0)) == "Rank"


def test_a_cluster_stands_for_its_first_idle_job(pool: Path) -> None:
    case = scenarios.load("preempt-kinds-order")
    snapshot = scenarios.snapshot_of(case)
    first = snapshot.queues[0].jobs[0].get_number("ClusterId")
    assert find_job(snapshot, str(first)).cluster == first
    for text in ("999999.0", "x"):
        with pytest.raises(UnknownJobError):
            find_job(snapshot, text)


def test_a_job_in_several_queues_needs_the_name_of_its_schedd() -> None:
    case = scenarios.load("preempt-kinds-order")
    (queue, *_) = scenarios.snapshot_of(case).queues
    twin = evolve(queue, name="ap2")
    snapshot = evolve(scenarios.snapshot_of(case), queues=(queue, twin))
    cluster = queue.jobs[0].get_number("ClusterId")
    with pytest.raises(UnknownJobError, match=f"is in several queues: give `ap2#{cluster}`"):
        find_job(snapshot, f"{cluster}")
    assert find_job(snapshot, f"ap2#{cluster}").schedd == "ap2"


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "15.5", CAMPUS, "--json", "--limit", "3"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["matched"] == data["slots"][0]["slot"] == "slot3@node12@vm"
    assert (data["candidates"], len(data["slots"])) == (28, 3)
    assert data["slots"][0]["kind"] == "priority"


def test_text_and_json_say_the_same_cost_of_each_candidate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tour = str(Path(CAMPUS).with_name("tour"))
    assert main(["rank", "10.0", tour, "--json"]) == 0
    costs = {slot["slot"]: slot["cost"] for slot in json.loads(capsys.readouterr().out)["slots"]}
    assert len(set(costs.values())) > 2
    assert main(["rank", "10.0", tour, "--limit", "0", "--width", "200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.endswith("weight  decided"))
    end = lines[head].index("weight") + len("weight")
    rows = lines[head + 1 : head + 1 + len(costs)]
    assert {line.split()[1]: float(line[:end].split()[-1]) for line in rows} == costs


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([CAMPUS], "no job is named"),
        ([CAMPUS, "99.0"], "there is no job `99.0` in the queues"),
        ([CAMPUS, "3.0", "2.0", "slot1", "slot2"], "is one argument too many"),
        ([CAMPUS, "3.0", "slot1@node05"], "`slot1@node05` is one argument too many"),
        (["/nowhere/at/all", "1.0"], "no such folder"),
    ],
)
def test_bad_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_no_job_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Of ``why`` a user can be asked, too."""
    assert main(["rank", CAMPUS]) == 2
    assert capsys.readouterr().err == (
        "error: no job is named\n  help: pieslice rank [POOL] CLUSTER.PROC\n"
    )
    assert main(["why", CAMPUS, "alice"]) == 2
    assert capsys.readouterr().err.endswith(
        "  help: pieslice why [POOL] CLUSTER.PROC; --user U or --group G for more jobs\n"
    )


def test_a_running_job_asks_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", CAMPUS, "1.20", "--wide"]) == 0
    assert "is running: it is not waiting for a slot" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("caching", "autoclusters", "in_order"),
    [(True, True, False), (False, True, True), (True, False, True), (False, False, True)],
)
def test_candidates_that_are_equal_are_in_the_order_in_which_they_are_taken(
    caching: bool, autoclusters: bool, in_order: bool
) -> None:
    """A match list of many is sorted by the negotiator's sort, which moves equal ones about."""
    ad = {} if autoclusters else {"Requirements": "true", "SlotWeight": "1"}
    names = [f"slot{number}@m" for number in range(1, 61)]
    scenario: dict[str, Any] = {
        "slots": [{"name": name, "count": 1, "ad": ad} for name in names],
        "jobs": [{"submitter": "ann", "ad": {"Requirements": "true"}}],
        "config": {
            "NEGOTIATOR_MATCHLIST_CACHING": str(caching),
            "NEGOTIATOR_PRE_JOB_RANK": "0",
            "NEGOTIATOR_POST_JOB_RANK": "0",
            "USE_RESOURCE_REQUEST_COUNTS": str(autoclusters),
        },
    }
    case = {"scenario": {"name": "equal", **scenario}, "observed": {"cycles": [{}]}}
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    job = find_job(snapshot, "1.0")
    history, found = look_at(AskedCycle(snapshot, policy, scenarios.NOW), job, best_first)
    assert found is not None
    told = [item.slot for item in found.slots]
    assert sorted(told) == sorted(names)
    assert told[0] == history.slot
    assert (told == [str(ad.raw("Name")) for ad in snapshot.slots]) is in_order
