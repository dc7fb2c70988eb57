"""The pool order is the walk of the collector's hash table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negotiator.capture.slots import CollectorTable, name_hash, pool_order, submitter_order
from negotiator.scenario.expand import POOL, expand_jobs, expand_slots, quoted
from negotiator.scenario.read import AdMaker, accountant_of, snapshot_of
from policy.versions import Version
from tests.conform.negotiation.course import policy_of

VECTORS = Path(__file__).parents[1] / "vectors" / "negotiation"


def slot_names(scenario: dict[str, Any]) -> list[str]:
    return [
        entry["name"].replace("{i}", str(entry.get("first", 1) + number))
        for entry in scenario["slots"]
        for number in range(entry.get("count", 1))
    ]


@pytest.mark.parametrize("vector", ["ties-identical-40", "random-100", "random-8"])
def test_predicts_the_recorded_scan_order(vector: str) -> None:
    data = json.loads((VECTORS / f"{vector}.json").read_text())
    names = slot_names(data["scenario"])
    recorded = data["observed"]["cycles"][0]["slot_order"]
    assert [names[i] for i in pool_order(names)] == recorded


#: Name and schedd in the order of the updates, then the names as a collector returned them.
UPDATES = """chem.a.rupert@pool.example 3  mallory8@test 2  chem.a.quinn7@test 2
    chem.a.grace@test 3  chem.a.trent@pool.example 1  quinn@test 2  physics.heidi7@test 3
    physics.victor1@test 3  rupert0@pool.example 3  chem.alice@test 3"""
RETURNED = """rupert0@pool.example chem.a.quinn7@test physics.victor1@test
    chem.a.trent@pool.example chem.alice@test chem.a.grace@test chem.a.rupert@pool.example
    physics.heidi7@test mallory8@test quinn@test"""


def test_predicts_the_order_of_submitters_that_a_collector_returned() -> None:
    words = UPDATES.split()
    keys = [(name, f"s{n}@oracle.test") for name, n in zip(words[::2], words[1::2], strict=True)]
    assert [keys[i][0] for i in submitter_order(keys)] == RETURNED.split()


def test_hash_is_unsigned_64_bit() -> None:
    assert name_hash("ab") == ord("a") * 33 + ord("b")
    assert name_hash("slot12@a-long-machine-name.example.org") < 2**64


def test_no_slots() -> None:
    assert pool_order([]) == []


def test_a_table_keeps_the_size_that_it_has_reached() -> None:
    names = [f"user{i}@test" for i in range(8)]
    table = CollectorTable()
    table.order([f"other{i}@test" for i in range(40)])
    later = table.order(names)
    assert sorted(later) == list(range(8))
    assert later != pool_order(names)
    assert later == table.order(names)


def test_a_slot_that_stays_keeps_its_place_while_others_come_and_go() -> None:
    """The walk of a pool whose slots changed is not that of a pool that begins with them."""
    names = [f"slot{slot}@node{node:03}.test" for node in range(3) for slot in range(1, 9)]
    new = [f"slot1@node{node:03}.test" for node in (7, 8)]
    table = CollectorTable()
    before = table.walk(names)
    assert before == [names[place] for place in pool_order(names)]
    stay = [name for name in names if "node002" in name]
    now = table.walk([*stay, *new])
    assert sorted(now) == sorted([*stay, *new])
    assert [name for name in now if name in stay] == [name for name in before if name in stay]
    fresh = CollectorTable().walk([*stay, *new])
    assert now != fresh
    assert table.walk([*stay, *new]) == now


def test_claimed_slots_stand_where_the_collector_has_them_in_later_cycles() -> None:
    """A record of 23.9 has those that are trimmed behind all others."""
    entries = [
        {"name": f"slot{slot}@node{node:03}.test", "ad": {"State": quoted("Claimed")}}
        for node in range(3)
        for slot in range(1, 9)
    ]
    later = [entry for entry in entries if "node002" in entry["name"]]
    scenario = {"slots": entries, "config": {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}}
    policy, make = policy_of(scenario, Version(23, 9, 6)), AdMaker()
    accountant = accountant_of(scenario, [], make, policy)
    stock, same = CollectorTable(), CollectorTable()
    for step in (entries, later):
        slots = list(expand_slots(scenario, step))
        snapshot = snapshot_of(scenario, {}, slots, [], accountant, make, policy, stock=stock)
        walk = same.walk([entry["name"] for entry in step])
        assert [ad.eval("Name") for ad in snapshot.slots] == walk


@pytest.mark.parametrize("before", [0, 40])
def test_submitters_come_in_the_order_of_the_table_of_the_cycles_before(before: int) -> None:
    """A pool that once had many submitters walks over the few that are left in another order."""
    users = [f"user{number}" for number in range(8)]
    scenario = {"jobs": [{"submitter": user, "count": 1} for user in users]}
    policy, make = policy_of(scenario), AdMaker()
    jobs = list(expand_jobs(scenario, scenario["jobs"]))
    accountant = accountant_of(scenario, [], make, policy)
    grown, again = CollectorTable(), CollectorTable()
    for table in (grown, again) if before else ():
        table.order([f"other{number}@test" for number in range(before)])
    snapshot = snapshot_of(scenario, {}, [], jobs, accountant, make, policy, grown)
    pairs = [(job.submitter, f"{job.schedd}@{POOL}") for job in jobs]
    order = [pairs[position] for position in submitter_order(pairs, again)]
    found = [ad.eval("Name") for ad in snapshot.submitters]
    fresh = snapshot_of(scenario, {}, [], jobs, accountant, make, policy)
    assert found == [name for name, _ in order]
    assert (found == [ad.eval("Name") for ad in fresh.submitters]) == (not before)
