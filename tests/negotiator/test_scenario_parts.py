"""Parts of playing a scenario by themselves: entries, what follows a cycle, what was known before.

The rules are those of the README beside the recorded scenarios.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from classad import ClassAd
from negotiator.capture.files import CapturePaths
from negotiator.model.snapshot import Customer, Resource
from negotiator.scenario.as_capture import scenario_capture
from negotiator.scenario.expand import expand_jobs, expand_slots, merge
from negotiator.scenario.read import (
    NOW,
    AdMaker,
    accountant_of,
    one_process,
    seconds_since,
    snapshot_of,
)
from tests.conform.negotiation.course import play, policy_of

# --- entries --------------------------------------------------------------------------------------


def test_later_attributes_replace_earlier_ones_under_their_first_spelling() -> None:
    assert merge({"Cpus": "1", "A": "2"}, None, {"CPUS": "4", "a": None}, {"B": "3"}) == {
        "Cpus": "4",
        "B": "3",
    }
    assert merge({"A": "1"}, {"A": None}, {"a": "5"}) == {"A": "5"}


def test_a_slot_entry_stands_for_so_many_slots() -> None:
    entries: list[Any] = [
        {"name": "slot{i}@m", "count": 2, "ad": {"SlotID": "{i}", "Rank": None}},
        {"name": "slot{i}@n", "count": 2, "first": 7, "claims": 3, "private": {"A": "1"}},
        {"name": "plain", "ad": {"MyAddress": '"<[::1]:1>"'}, "claims": 0},
    ]
    scenario = {"slot_defaults": {"Memory": "7", "Rank": "2.0", "Extra": "{i}"}}
    found = list(expand_slots(scenario, entries))
    assert [slot.name for slot in found] == ["slot1@m", "slot2@m", "slot7@n", "slot8@n", "plain"]
    assert [slot.claims for slot in found] == [None, None, 3, 3, 0]
    assert [slot.private for slot in found] == [None, None, {"A": "1"}, {"A": "1"}, None]
    told = [tuple(slot.attributes.get(name) for name in ("SlotID", "Rank")) for slot in found]
    assert told == [("1", None), ("2", None), ("1", "2.0"), ("1", "2.0"), ("1", "2.0")]
    assert [slot.attributes["Extra"] for slot in found] == ["1", "2", "7", "8", "1"]
    names = ("Name", "Machine", "Memory", "MyAddress", "StartdIpAddr", "Cpus", "State")
    first = '"<127.0.0.1:9890>"'
    assert [found[0].attributes[name] for name in names] == [
        '"slot1@m"', '"m"', "7", first, first, "1", '"Unclaimed"',
    ]  # fmt: skip
    assert [found[4].attributes[name] for name in names[:5]] == [
        '"plain"', '"plain"', "7", '"<[::1]:1>"', first,
    ]  # fmt: skip


def test_a_job_entry_stands_for_so_many_procs_of_a_cluster() -> None:
    entries: list[Any] = [
        {"submitter": "alice", "count": 2, "ad": {"Args": '"{c}.{i}"'}},
        {"submitter": "g.h.bob", "id": "5.3", "count": 2},
        {"submitter": "g.eve", "owner": "carl"},
        {"submitter": "alice", "schedd": "s2", "id": "4"},
        {"submitter": "alice", "schedd": "s2", "id": 2},
        {"submitter": "alice", "schedd": "s2"},
    ]
    scenario = {"job_defaults": {"RequestCpus": "3"}, "uid_domain": "d"}
    found = list(expand_jobs(scenario, entries))
    assert [(job.schedd, job.id) for job in found] == [
        ("s1", "1.0"), ("s1", "1.1"), ("s1", "5.3"), ("s1", "5.4"), ("s1", "6.0"),
        ("s2", "4.0"), ("s2", "2.0"), ("s2", "5.0"),
    ]  # fmt: skip
    people = [(job.submitter, job.owner, job.attributes.get("AccountingGroup")) for job in found]
    assert people[1:5] == [
        ("alice@d", "alice", None), ("g.h.bob@d", "bob", '"g.h.bob"'),
        ("g.h.bob@d", "bob", '"g.h.bob"'), ("g.eve@d", "carl", '"g.eve"'),
    ]  # fmt: skip
    assert [job.attributes.get("Args") for job in found[:3]] == ['"1.0"', '"1.1"', None]
    names = ("ClusterId", "ProcId", "Owner", "User", "GlobalJobId", "RequestCpus", "JobStatus")
    assert [found[3].attributes[name] for name in names] == [
        "5", "4", '"bob"', '"bob@d"', '"s1@oracle.test#5.4#1700000000"', "3", "1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "message"),
    [
        ("2", "a count of `2` is no whole number"),
        (2.0, "a count of `2.0` is no whole number"),
        (True, "a count of `True` is no whole number"),
        (1_000_001, "a count of 1000001 is more than 1,000,000"),
    ],
)
def test_a_count_is_a_whole_number_that_is_not_too_big(count: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        next(expand_jobs({}, [{"submitter": "a", "count": count}]))
    assert next(expand_jobs({}, [{"submitter": "a", "count": 1_000_000}])).id == "1.0"
    assert list(expand_jobs({}, [{"submitter": "a", "count": 0}])) == []


# --- from cycle to cycle --------------------------------------------------------------------------

SLOTS = [{"name": name} for name in ("a", "b", "c")]
JOBS = [
    {"submitter": "alice", "id": "1", "count": 2},
    {"submitter": "alice", "id": "2"},
    {"submitter": "g.bob", "owner": "carl", "id": "3", "count": 2},
]


def match(job: str, submitter: str, slot: str, **more: Any) -> dict[str, Any]:
    return {"job": job, "submitter": f"{submitter}@test", "slot": slot, **more}


def second(matches: list[Any], **step: Any) -> tuple[dict[str, ClassAd], list[str]]:
    """The slots by name and the jobs of the cycle after one with these matches."""
    scenario = {"slots": SLOTS, "jobs": JOBS, "cycles": [{}, step]}
    seen = {"slot_order": ["b", "gone", "a"]}
    cycles = [{**seen, "matches": matches}, seen]
    _, found = play({"scenario": scenario, "observed": {"cycles": cycles}})
    slots = {str(ad["Name"]): ad for ad in found.snapshot.slots}
    jobs = [f"{ad['ClusterId']}.{ad['ProcId']}" for q in found.snapshot.queues for ad in q.jobs]
    return slots, jobs


@pytest.mark.parametrize(
    ("job", "submitter", "left", "owner"),
    [
        ("1.1", "alice", ["1.0", "2.0", "3.0", "3.1"], "alice@test"),
        # Another one of its cluster, another one of its submitter, nobody's.
        ("1.7", "alice", ["1.1", "2.0", "3.0", "3.1"], "alice@test"),
        ("9.0", "g.bob", ["1.0", "1.1", "2.0", "3.1"], "carl@test"),
        ("2.0", "h.eve", ["1.0", "1.1", "2.0", "3.0", "3.1"], "eve@test"),
        ("1.0", "g.bob", ["1.0", "1.1", "2.0", "3.1"], "carl@test"),
    ],
)
def test_a_match_becomes_a_claim_and_its_job_leaves(
    job: str, submitter: str, left: list[str], owner: str
) -> None:
    slots, jobs = second([match(job, submitter, "b", new_startd_rank=2)])
    assert list(slots) == ["b", "a", "c"]
    names = ("State", "Activity", "RemoteUser", "RemoteOwner", "CurrentRank")
    assert [slots["b"].eval(name) for name in names] == [
        "Claimed", "Busy", f"{submitter}@test", owner, 2.0,
    ]  # fmt: skip
    assert [slots["a"].eval(name) for name in names[:2]] == ["Unclaimed", "Idle"]
    assert jobs == left
    slots, jobs = second([match(job, submitter, "b")], claim_matches=False)
    assert slots["b"].eval("State") == "Unclaimed"
    assert len(jobs) == 5


def test_each_match_of_a_request_takes_a_job() -> None:
    slots, jobs = second([match("1.0", "alice", name) for name in "abc"])
    assert jobs == ["3.0", "3.1"]
    assert {ad.eval("CurrentRank") for ad in slots.values()} == {0.0}


def test_slots_and_jobs_come_and_go_between_cycles() -> None:
    slots, jobs = second(
        [],
        slots=[{"name": "b", "ad": {"Cpus": "8"}}, {"name": "d"}],
        remove_slots=["a"],
        jobs=[{"submitter": "zoe", "id": "7"}],
    )
    assert {name: ad.eval("Cpus") for name, ad in slots.items()} == {"b": 8, "c": 1, "d": 1}
    assert jobs == ["1.0", "1.1", "2.0", "3.0", "3.1", "7.0"]


def test_time_that_passes_between_cycles() -> None:
    assert one_process({"process": "one"})
    assert not one_process({"process": "each"})
    assert not one_process({})
    for seen, elapsed, seconds in (({}, 0, 1.0), ({}, 60, 60.0), ({"same_second": True}, 60, 0.0)):
        assert seconds_since(seen, elapsed) == seconds
    assert seconds_since({}) == 1.0


# --- what was known before ------------------------------------------------------------------------


def accountant(slots: list[Any], **given: Any) -> Any:
    scenario = {"accountant": given, "config": {"GROUP_NAMES": "g", "GROUP_QUOTA_g": "1"}}
    entries = list(expand_slots(scenario, slots))
    return accountant_of(scenario, entries, AdMaker(), policy_of(scenario))


def test_records_of_customers_have_the_domain_unless_they_say_otherwise() -> None:
    customers = {
        "alice": {"priority": 3, "factor": 10, "floor": 2, "ceiling": 5, "accumulated_usage": 4},
        "bob@x": {},
        "g": {"group": True, "priority": 2},
    }
    found = accountant([], customers=customers, elapsed=60)
    assert found.last_update_time == NOW - 60
    alice = found.customers["alice@test"]
    assert (alice.priority, alice.priority_factor, alice.floor, alice.ceiling) == (3.0, 10.0, 2, 5)
    assert alice.weighted_accumulated_usage == 4.0
    bob: Customer = found.customers["bob@x"]
    assert (bob.priority, bob.priority_factor, bob.floor, bob.ceiling) == (None, None, 0, -1)
    assert bob.weighted_accumulated_usage is None
    assert found.customers["g"].priority == 2.0
    assert accountant([]).last_update_time == NOW


def test_claims_are_recorded_where_the_scenario_says_so() -> None:
    def held(name: str, **ad: str | None) -> dict[str, Any]:
        usual = {"State": '"Claimed"', "RemoteUser": '"u@test"', "SlotWeight": "2"}
        return {"name": name, "ad": {**usual, **ad}}

    slots = [
        held("a"),
        held("b", State='"Preempting"', AccountingGroup='"g.u@test"'),
        held("c", State='"Matched"'),
        held("d", RemoteUser=None),
        held("e", SlotWeight='"heavy"'),
        held("f", SlotWeight="2.5"),
    ]
    found = accountant(slots, seed_claims=True)
    assert found.resources == {
        f"{name}@<127.0.0.1:9890>": Resource(f"{name}@<127.0.0.1:9890>", user, weight)
        for name, user, weight in (
            ("a", "u@test", 2.0), ("b", "g.u@test", 2.0), ("f", "u@test", 2.5),
        )
    }  # fmt: skip
    assert {"u@test", "g.u@test"} <= set(found.customers)
    assert accountant(slots).resources == {}


@pytest.mark.parametrize(
    ("private", "claims"),
    [
        ({}, []),
        ({"NumDynamicSlots": "2", "ChildClaimIds": '{"x", ""}'}, [True, False]),
        ({"NumDynamicSlots": "3", "ChildClaimIds": '{"x", "y"}'}, []),
        ({"ChildClaimIds": '{"x"}'}, []),
        ({"NumDynamicSlots": "1", "ChildClaimIds": '"x"'}, []),
    ],
)
def test_claims_of_dynamic_slots_are_those_of_the_private_ad(
    private: Mapping[str, str], claims: list[bool]
) -> None:
    scenario: dict[str, Any] = {}
    slots = list(expand_slots(scenario, [{"name": "a", "private": private, "claims": 2}]))
    jobs = list(expand_jobs(scenario, [{"submitter": "u"}, {"submitter": "v", "schedd": "s2"}]))
    policy, make = policy_of(scenario), AdMaker()
    known = accountant_of(scenario, slots, make, policy)
    seen = {"requests": [{"schedd": "s2", "job": "1.0", "autocluster": 9}]}
    found = snapshot_of(scenario, seen, slots, jobs, known, make, policy)
    assert found.child_claims == {"a": claims}
    assert found.claims == {"a": 2}
    ids = [(queue.name, queue.jobs[0].get("AutoClusterId")) for queue in found.queues]
    assert ids == [("s1@oracle.test", None), ("s2@oracle.test", 9)]


# --- as a pool ------------------------------------------------------------------------------------


def test_what_is_told_of_a_scenario_as_a_pool(tmp_path: Path) -> None:
    case = {
        "scenario": {
            "name": "small",
            "slots": [{"name": "slot{i}@m", "count": 3}, {"name": "slot1@n"}],
            "jobs": [
                {"submitter": "u", "count": 2},
                {"submitter": "u", "ad": {"JobStatus": "2"}},
                {"submitter": "v"},
            ],
        }
    }
    path = tmp_path / "small.json"
    path.write_text(json.dumps(case))
    paths = CapturePaths(path)
    found = scenario_capture(case, paths)
    facts = found.facts
    assert (facts.name, facts.machines, facts.slots, facts.users) == ("small", 2, 4, 2)
    assert (facts.jobs, facts.idle_jobs) == (4, 3)
    assert (facts.now, facts.now_from) == (NOW, "that of all scenarios")
    assert (found.local_name, found.others) == (None, ())
    later = scenario_capture(case, paths, now=5.0, local_names=["x", "y", "z"])
    assert (later.facts.now, later.facts.now_from) == (5.0, "as given")
    assert later.local_name == "x"
    assert [other.name for other in later.others] == ["y", "z"]
