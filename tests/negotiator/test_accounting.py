"""The priority update, the choice of factors and what a match is charged to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from negotiator.accounting import Accountant, AccountantSettings, expire_leases, update_customer
from negotiator.groups import GroupSettings, GroupTree
from negotiator.snapshot import AccountantState, Customer, Lease

VECTORS = Path(__file__).parents[1] / "vectors" / "accounting"
FIELDS = {
    "Priority": "priority",
    "PriorityFactor": "priority_factor",
    "ResourcesUsed": "resources_used",
    "WeightedResourcesUsed": "weighted_resources_used",
    "HierWeightedResourcesUsed": "hier_weighted_resources_used",
    "AccumulatedUsage": "accumulated_usage",
    "WeightedAccumulatedUsage": "weighted_accumulated_usage",
    "UnchargedTime": "uncharged_time",
    "WeightedUnchargedTime": "weighted_uncharged_time",
    "BeginUsageTime": "begin_usage_time",
    "LastUsageTime": "last_usage_time",
}


def cases(name: str) -> list[Any]:
    found = json.loads((VECTORS / f"{name}.json").read_text())["cases"]
    return [pytest.param(case, id=case["id"]) for case in found]


def settings(**changes: Any) -> AccountantSettings:
    values: dict[str, Any] = {
        "half_life": 86400.0,
        "default_factor": 1000.0,
        "nice_user_factor": 1e10,
        "remote_factor": 1e7,
    }
    return AccountantSettings(**(values | changes))


@pytest.mark.parametrize("case", cases("update_steps"))
def test_update(case: dict[str, Any]) -> None:
    # Ceilings, floors and leases take no part in an update.
    known = {FIELDS[k]: v for k, v in case["before"].items() if k in FIELDS}
    before = Customer(case["name"], **known)
    after = update_customer(before, case["elapsed"], case["now"], case["halflife"])
    written = {
        attribute: getattr(after, field)
        for attribute, field in FIELDS.items()
        if getattr(after, field) != getattr(before, field)
    }
    assert written == case["written"]


@pytest.mark.parametrize("case", cases("prio_factor"))
def test_factor(case: dict[str, Any]) -> None:
    knobs = case["knobs"]
    prefix = "GROUP_PRIO_FACTOR_"
    factors = {k[len(prefix) :]: float(v) for k, v in knobs.items() if k.startswith(prefix)}
    tree = GroupTree(GroupSettings(n) for n in knobs["GROUP_NAMES"].replace(",", " ").split())
    name = case["customer"]
    known = {name: Customer(name, priority_factor=case["stored_factor"])}
    accountant = Accountant(
        AccountantState(known),
        settings(
            default_factor=float(knobs["DEFAULT_PRIO_FACTOR"]),
            local_domain=knobs["ACCOUNTANT_LOCAL_DOMAIN"],
            group_factors=factors,
        ),
        tree,
        now=1000,
    )
    assert accountant.factor(name) == case["expect"]
    assert accountant.effective_priority(name) == 0.5 * case["expect"]


def test_charge_goes_up_the_tree() -> None:
    tree = GroupTree([GroupSettings("a"), GroupSettings("a.b")])
    accountant = Accountant(AccountantState(last_update_time=970), settings(), tree, now=1000)
    accountant.count_claims([("a.b.u@d", 2.0), ("v@d", 1.5), ("a.b.u@d", 1.0)])
    assert accountant.usage("a.b.u@d") == accountant.usage("a.b") == 3.0
    assert accountant.usage("a") == 0.0
    assert accountant.subtree_usage("a") == accountant.subtree_usage("a.b") == 3.0
    assert accountant.usage("<none>") == accountant.subtree_usage("<none>") == 1.5
    record = accountant.state().customers["a.b.u@d"]
    assert (record.resources_used, record.uncharged_time) == (2, 0)


def test_usage_of_the_last_cycle_ages_then_is_forgotten() -> None:
    known = {"u@d": Customer("u@d", priority=0.5, weighted_resources_used=100.0)}
    state = AccountantState(known, last_update_time=0)
    accountant = Accountant(state, settings(), GroupTree(), now=86400)
    assert accountant.real_priority("u@d") == 50.25
    assert accountant.usage("u@d") == 100.0
    accountant.count_claims([])
    assert accountant.usage("u@d") == 0.0


def test_lease_ends_at_its_time() -> None:
    customer = Customer("u@d", floor=9, floor_lease=Lease(500, 2))
    assert expire_leases(customer, 499).floor == 9
    assert expire_leases(customer, 500).floor == 2
