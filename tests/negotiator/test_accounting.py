"""The priority update, the choice of factors and what a match is charged to."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from negotiator.accounting.accountant import Accountant, AccountantSettings, expire_leases
from negotiator.accounting.records import from_ads, scalar
from negotiator.accounting.restart import recounted
from negotiator.groups.tree import GroupSettings, GroupTree
from negotiator.model.snapshot import AccountantState, Customer, Lease, Resource
from negotiator.scenario.course import play
from pieslice.conform.negotiation.accounting import ACCOUNTING_KINDS
from pieslice.conform.runner import check_case

VECTORS = Path(__file__).parents[1] / "vectors" / "accounting"


def cases(name: str) -> list[Any]:
    found = json.loads((VECTORS / f"{name}.json").read_text())["cases"]
    return [pytest.param(case, id=case["id"]) for case in found]


@pytest.mark.parametrize("case", [*cases("update_steps"), *cases("prio_factor"), *cases("shares")])
def test_case(case: dict[str, Any]) -> None:
    assert check_case(case, ACCOUNTING_KINDS).mismatches == ()


def settings(**changes: Any) -> AccountantSettings:
    values: dict[str, Any] = {
        "half_life": 86400.0,
        "default_factor": 1000.0,
        "nice_user_factor": 1e10,
        "remote_factor": 1e7,
    }
    return AccountantSettings(**(values | changes))


def test_a_negotiator_that_starts_recounts_from_the_claims_on_record() -> None:
    """A group has its own users, not those of groups below; who has no claim uses nothing."""
    claims = [("s1@m@<a>", "a.u@d", 2.0), ("s2@m@<a>", "a.b.v@d", 1.5), ("s3@m@<a>", "a.u@d", 1.0)]
    names = ("a.u@d", "a.b.v@d", "gone@d", "a", "a.b", "<none>", "no.group")
    state = AccountantState(
        {name: Customer(name, resources_used=9, weighted_resources_used=9.0) for name in names},
        {key: Resource(key, user, weight) for key, user, weight in claims},
    )
    tree = GroupTree([GroupSettings("a"), GroupSettings("a.b")])
    found = recounted(state, tree).customers.values()
    assert {c.name: (c.resources_used, c.weighted_resources_used) for c in found} == {
        "a.u@d": (2, 3.0),
        "a.b.v@d": (1, 1.5),
        "gone@d": (0, 0.0),
        "a": (2, 3.0),
        "a.b": (1, 1.5),
        "<none>": (0, 0.0),
        "no.group": (0, 0.0),
    }


def test_claims_on_record_have_the_limits_that_they_were_matched_for() -> None:
    """Those of a claim that was there are in its ad; a match has the ones it was counted for."""
    jobs = [{"submitter": "ann", "count": 2, "ad": {"ConcurrencyLimits": '"Matlab:2,nfs"'}}]
    claimed = {"State": '"Claimed"', "RemoteUser": '"bob@test"'}
    limited = {**claimed, "MatchedConcurrencyLimits": '"nfs"'}
    slots = [{"name": "a@m"}, {"name": "b@m", "ad": claimed}, {"name": "c@m", "ad": limited}]
    scenario: dict[str, Any] = {"slots": slots, "jobs": jobs}
    seen: dict[str, Any] = {"slot_order": [], "matches": [], "rejections": [], "pies": []}
    (cycle,) = play({"scenario": scenario, "observed": {"cycles": [seen]}})
    found = cycle.result.accountant.resources
    assert {
        key.partition("@m@")[0]: it.matched_concurrency_limits for key, it in found.items()
    } == {
        "a": "matlab:2,nfs",
        "b": None,
        "c": "nfs",
    }


def test_charge_goes_up_the_tree() -> None:
    tree = GroupTree([GroupSettings("a"), GroupSettings("a.b")])
    accountant = Accountant(AccountantState(last_update_time=970), settings(), tree, now=1000)
    accountant.count_claims([("a.b.u@d", 2.0), ("v@d", 1.5), ("a.b.u@d", 1.0)])
    assert accountant.usage("a.b.u@d") == accountant.usage("a.b") == 3.0
    assert accountant.usage("a") == 0.0
    below = {c.name: c.hier_weighted_resources_used for c in accountant.state().customers.values()}
    assert below["a"] == below["a.b"] == 3.0
    assert accountant.usage("<none>") == below["<none>"] == 1.5
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


def test_the_final_state_is_the_state_made_when_it_is_asked_for() -> None:
    known = {"u@d": Customer("u@d", priority=2.0), "idle@d": Customer("idle@d", priority=0.1)}
    accountant = Accountant(AccountantState(known), settings(), GroupTree(), 1000.0)
    accountant.count_claims([("u@d", 2.0), ("new@d", 1.0), ("u@d", 0.5)])
    assert accountant.effective_priority("idle@d") == 500.0
    final = accountant.final_state()
    assert final == accountant.state()
    assert list(final.customers) == list(accountant.state().customers)
    assert final.customers["u@d"] is final.customers["u@d"]
    assert pickle.loads(pickle.dumps(final)) == accountant.state()
    assert repr(final) == repr(accountant.state())


def test_claims_at_once_are_charged_as_one_by_one() -> None:
    tree = GroupTree([GroupSettings("a", 5.0), GroupSettings("a.b", 5.0)])
    claims = [("a.b.u@d", 2.0), ("a.v@d", 1.0), ("a.b.u@d", 4.0), ("w@d", 1.0), ("a", 3.0)]
    states = []
    for last in (1000, None):
        accountant = Accountant(AccountantState(last_update_time=last), settings(), tree, 1000.0)
        accountant.count_claims(claims)
        alone = Accountant(AccountantState(last_update_time=last), settings(), tree, 1000.0)
        for name, weight in claims:
            alone.charge(name, weight)
        assert accountant.state() == alone.state()
        states.append(accountant.state().customers)
    assert states[0] == states[1]
    assert states[0]["a"].hier_weighted_resources_used == 10.0


def test_each_lease_ends_at_its_own_time() -> None:
    customer = Customer(
        "u@d",
        ceiling=9,
        ceiling_lease=Lease(500, 2),
        priority_factor=7.0,
        factor_lease=Lease(600, 3.5),
    )
    both, one, none = (expire_leases(customer, now) for now in (499, 500, 600))
    assert (both.ceiling, both.priority_factor) == (9, 7.0)
    assert (one.ceiling, one.ceiling_lease, one.priority_factor) == (2, None, 7.0)
    assert (none.ceiling, none.priority_factor, none.factor_lease) == (2, 3.5, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5), ("-2.5", -2.5), ('"a b"', "a b"), ("2 + 3", 5), ('"a\\"b"', 'a"b'),
        ('strcat("a", "b")', "ab"), ("{1}", None), ("undefined", None), ("true", None),
    ],
)  # fmt: skip
def test_a_record_holds_numbers_and_strings(text: str, value: object) -> None:
    found = scalar(text)
    assert (found.__class__, found) == (value.__class__, value)


def test_of_two_accounting_ads_of_a_name_the_first_counts() -> None:
    ads = [
        {"Name": "u@d", "PriorityFactor": 2.0}, {"Name": "u@d", "PriorityFactor": 3.0},
        {"PriorityFactor": 4.0}, {"Name": 5},
    ]  # fmt: skip
    state = from_ads([ad.get for ad in ads])
    assert {name: found.priority_factor for name, found in state.customers.items()} == {"u@d": 2.0}
