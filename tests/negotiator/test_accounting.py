"""The priority update, the choice of factors and what a match is charged to."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from classad import ClassAdParseError
from classad.evaluate import EvalContext, evaluate
from classad.language.values import Value
from classad.syntax.parser import parse_expression
from negotiator.accounting.accountant import (
    Accountant,
    AccountantSettings,
    expire_leases,
    remaining,
    update_customer,
    update_priorities,
)
from negotiator.accounting.log import read_log
from negotiator.accounting.records import complete, from_ads, from_log, recounted, scalar
from negotiator.groups.tree import GroupSettings, GroupTree
from negotiator.model.snapshot import AccountantState, Customer, Lease, Resource
from negotiator.pool.ephemeral import live_functions
from tests.cases import every_case
from tests.conform.negotiation.accounting import ACCOUNTING_KINDS
from tests.conform.negotiation.course import play
from tests.conform.runner import check_case

VECTORS = Path(__file__).parents[1] / "vectors" / "accounting"


def cases() -> list[dict[str, Any]]:
    files = [VECTORS / f"{name}.json" for name in ("update_steps", "prio_factor", "shares")]
    return [case for path in files for case in json.loads(path.read_text())["cases"]]


@every_case("case", cases, name=lambda case: case["id"])
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


@pytest.mark.parametrize(("factor", "effective"), [(1.0, 5.0), (0.99, 5000.0), (None, 5000.0)])
def test_the_least_factor_is_kept_and_a_smaller_one_is_none(
    factor: float | None, effective: float
) -> None:
    record = Customer("ann@d", priority=5.0, priority_factor=factor)
    accountant = Accountant(AccountantState({"ann@d": record}), settings(), GroupTree([]), 0.0)
    assert accountant.effective_priority("ann@d") == effective


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
    lease = Lease(500, 2)
    customer = Customer(
        "u@d", floor=9, ceiling=9, priority_factor=9.0,
        floor_lease=lease, ceiling_lease=lease, factor_lease=lease,
    )  # fmt: skip
    for moment, left in ((499, 9), (500, 2)):
        found = expire_leases(customer, moment)
        assert (found.floor, found.ceiling, found.priority_factor) == (left, left, left)
        leases = (found.floor_lease, found.ceiling_lease, found.factor_lease)
        assert leases == ((lease,) * 3 if left == 9 else (None,) * 3)


def test_a_group_ages_by_what_is_used_below_it_even_if_that_is_less() -> None:
    record = Customer(
        "a", priority=4.0, weighted_resources_used=30.0, hier_weighted_resources_used=2.0
    )
    assert update_customer(record, 100, 1000, 100.0).priority == 3.0
    alone = record.changed(hier_weighted_resources_used=0.0)
    assert update_customer(alone, 100, 1000, 100.0).priority == 17.0


def test_a_record_without_a_priority_gets_one_when_it_changes() -> None:
    assert update_customer(Customer("u@d"), 60, 1000, 86400.0).priority is None
    used = Customer("u@d", weighted_resources_used=1000.0)
    assert (update_customer(used, 60, 1000, 86400.0).priority or 0) > 0.5


def test_usage_begins_with_any_usage_and_was_last_with_recent_usage() -> None:
    past = Customer("u@d", accumulated_usage=10.0, last_usage_time=7)
    found = update_customer(past, 60, 1000, 86400.0)
    assert (found.begin_usage_time, found.last_usage_time) == (1000, 7)
    found = update_customer(past.changed(resources_used=1), 60, 1000, 86400.0)
    assert (found.begin_usage_time, found.last_usage_time) == (1000, 1000)


def test_a_clock_that_went_back_ages_nobody_and_is_the_time_of_the_update() -> None:
    record = Customer("u@d", priority=9.0, weighted_resources_used=3.0, uncharged_time=5)
    state = AccountantState({"u@d": record}, last_update_time=1000)
    found = update_priorities(state, 900, 100.0)
    assert (found.last_update_time, found.customers["u@d"]) == (900, record)


def test_what_is_charged_behind_the_last_update_is_owed() -> None:
    """Slots claimed at once too; the clock may stand or have gone on since the update."""
    for since in (0, 60):
        accountant = Accountant(
            AccountantState(last_update_time=1000), settings(), GroupTree(), 1000.0
        )
        accountant._now = 1000 + since
        accountant.count_claims([("u@d", 2.0), ("u@d", 1.0)])
        record = accountant.state().customers["u@d"]
        assert (record.resources_used, record.weighted_resources_used) == (2, 3.0)
        owed = (record.uncharged_time or 0, record.weighted_uncharged_time or 0.0)
        assert owed == (-2 * since, -3.0 * since)


def test_weights_with_a_fraction_add_up_in_six_decimals() -> None:
    accountant = Accountant(AccountantState(), settings(), GroupTree(), 1000.0)
    for _ in range(3):
        accountant.charge("u@d", 0.1)
    assert accountant.usage("u@d") == 0.3


def test_claims_of_which_one_has_a_fraction_are_rounded_one_by_one() -> None:
    for weights, usage in (([1.0, 4e-7, 4e-7, 4e-7], 1.0), ([0.5, 4e-7, 1.0], 1.5)):
        accountant = Accountant(AccountantState(), settings(), GroupTree(), 1000.0)
        accountant.count_claims([("u@d", weight) for weight in weights])
        assert accountant.usage("u@d") == usage


def test_what_is_left_of_a_priority() -> None:
    for elapsed, half_life, left in (
        (0, 60.0, 1.0), (60, 60.0, 0.5), (120, 60.0, 0.25), (30, 60.0, 0.5**0.5), (1, 1.0, 0.5),
        (1, 0.0, 0.0), (0, 0.0, 0.0), (-60, 60.0, 2.0), (-60_000_000, 1.0, math.inf),
    ):  # fmt: skip
        assert remaining(elapsed, half_life) == left


@pytest.mark.parametrize("text", ['""x"', '"x""'])
def test_a_text_that_is_no_expression_is_no_value(text: str) -> None:
    with pytest.raises(ClassAdParseError):
        scalar(text)


def test_usage_counts_in_every_group_above() -> None:
    tree = GroupTree([GroupSettings(name, 5.0) for name in ("a", "a.b", "a.b.c", "a.b.c.d")])
    accountant = Accountant(AccountantState(), settings(), tree, 1000.0)
    accountant.charge("a.b.c.d.u@d", 2.0)
    records = accountant.state().customers
    names = ("a", "a.b", "a.b.c", "a.b.c.d")
    assert [records[name].hier_weighted_resources_used for name in names] == [2.0] * 4
    assert [records[name].weighted_resources_used for name in names] == [0.0, 0.0, 0.0, 2.0]


@pytest.mark.parametrize(
    ("name", "changes", "factor"),
    [
        ("a.u@d", {"group_factors": {"A": 7.0}}, 7.0),
        ("a.u@d", {"group_factors": {"A": 0.0}}, 1000.0),
        ("a.u@d", {"group_factors": {"A": 0.5}}, 1.0),
        ("u@d", {"local_domain": "d"}, 1000.0),
        ("u@D", {"local_domain": "d"}, 1e7),
        ("u", {"local_domain": "d"}, 1e7),
        ("nice-user.u@d", {"local_domain": "e"}, 1e10),
        ("nice-users@d", {}, 1e10),
        ("not.nice-user@d", {}, 1000.0),
        ("u@d", {"default_factor": 12.3456789}, 12.345679),
    ],
)
def test_factors_of_names(name: str, changes: dict[str, Any], factor: float) -> None:
    tree = GroupTree([GroupSettings("a", 5.0)])
    accountant = Accountant(AccountantState(), settings(**changes), tree, 1000.0)
    assert accountant.factor(name) == factor


def test_limits_of_records_that_say_0_or_less_than_there_is() -> None:
    known = {
        "u@d": Customer("u@d", priority=0.3, ceiling=0, floor=-4),
        "v@d": Customer("v@d", ceiling=-9),
    }
    accountant = Accountant(AccountantState(known), settings(), GroupTree(), 1000.0)
    assert (accountant.ceiling("u@d"), accountant.floor("u@d")) == (0, 0)
    assert accountant.ceiling("v@d") == -1
    assert accountant.effective_priority("u@d") == 500.0
    assert accountant.state().customers["u@d"].priority == 0.5


# --- records --------------------------------------------------------------------------------------


def looking(**values: Any) -> Callable[[str], Any]:
    return values.get


def test_accounting_ads_tell_the_effective_priority_and_when_they_were_made() -> None:
    ads = [
        looking(Name="u@d", Priority=7.0, PriorityFactor=1.0, LastUpdate=10, ResourcesUsed=1e300),
        looking(Name="v@d", Priority=7.0, PriorityFactor=0.5, LastUpdate=30),
        looking(Name="w@d", Priority=8.0, PriorityFactor=4.0, LastUpdate=20, ResourcesUsed=2.5),
    ]
    state = from_ads(ads)
    assert state.last_update_time == 30
    assert [record.priority for record in state.customers.values()] == [7.0, None, 2.0]
    assert [record.resources_used for record in state.customers.values()] == [0, 0, 2]


def test_ads_of_another_update_add_nothing_to_a_log() -> None:
    names = ("a", "a.b", "a.b.c")
    state = AccountantState(
        {name: Customer(name, hier_weighted_resources_used=1.0) for name in names},
        last_update_time=100,
    )
    late = looking(Name="a.b.c", LastUpdate=160, ResourcesUsed=3, WeightedResourcesUsed=6.0)
    assert complete(state, [late]) == (state, [])
    same = looking(Name="a.b.c", LastUpdate=100, ResourcesUsed=3, WeightedResourcesUsed=6.0)
    found, changed = complete(state, [same])
    assert changed == ["a.b.c"]
    below = [found.customers[name].hier_weighted_resources_used for name in names]
    assert below == [7.0, 7.0, 7.0]
    # A group without a record is passed over on the way up, and no usage is no news.
    top = evolve(state, customers={name: state.customers[name] for name in ("a", "a.b.c")})
    found, changed = complete(top, [same, looking(Name="a", LastUpdate=100, ResourcesUsed=3)])
    assert changed == ["a.b.c"]
    assert [it.hier_weighted_resources_used for it in found.customers.values()] == [7.0, 7.0]


def test_accounting_ads_may_show_less_usage_than_the_log() -> None:
    """Of a claim that has ended since; slots and their weight count each for themselves."""
    record = Customer("u@d", resources_used=3, weighted_resources_used=6.0, uncharged_time=7)
    state = AccountantState({"u@d": record}, last_update_time=100)
    for slots, weight in ((2, 6.0), (3, 4.5), (1, 2.0)):
        ad = looking(Name="u@d", LastUpdate=100, ResourcesUsed=slots, WeightedResourcesUsed=weight)
        found, changed = complete(state, [ad])
        seen = found.customers["u@d"]
        assert (seen.resources_used, seen.weighted_resources_used) == (slots, weight)
        assert (changed, seen.uncharged_time) == (["u@d"], 7)
    unlike = looking(Name="u@d", LastUpdate=100, ResourcesUsed=1)
    assert complete(state, [unlike]) == (state, [])


def test_a_claim_on_record_may_weigh_nothing() -> None:
    lines = [
        '103 Resource.s@x RemoteUser "u@d"',
        "103 Resource.s@x SlotWeight 0.000000",
        '103 Resource.t@x RemoteUser "u@d"',
    ]
    text = "".join(f"{line}\n" for line in ["101 Resource.s@x * *", "101 Resource.t@x * *", *lines])
    weights = {key: item.slot_weight for key, item in from_log(read_log(text)).resources.items()}
    assert weights == {"s@x": 0.0, "t@x": 1.0}


def test_who_is_neither_user_nor_group_has_no_usage_when_a_negotiator_starts() -> None:
    claims = {"s": Resource("s", "gone", 2.0), "t": Resource("t", "u@d", 3.0)}
    state = AccountantState({name: Customer(name) for name in ("gone", "u@d")}, claims)
    found = recounted(state, GroupTree()).customers
    assert (found["gone"].resources_used, found["u@d"].weighted_resources_used) == (0, 3.0)


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
    ("expiration", "lease"),
    [(None, None), (-1, None), (0, None), (1, Lease(1, 2)), (2, Lease(2, 2))],
)
def test_a_lease_is_one_from_the_first_second_on(
    expiration: int | None, lease: Lease | None
) -> None:
    ad = {"Name": "u@d", "CeilingLeaseExpiration": expiration, "CeilingPreLeaseValue": 2.0}
    assert from_ads([ad.get]).customers["u@d"].ceiling_lease == lease


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


@pytest.mark.parametrize(
    ("text", "groups", "value"),
    [
        # Of a user in single precision, of a group in double.
        ('ResourcesInUseByUser("a.u@d")', True, 2.0999999046325684),
        ('ResourcesInUseByUser("v@d")', True, 0.0),
        ("ResourcesInUseByUser(1)", True, Value.Error),
        ('ResourcesInUseByUsersGroup("a.v@d")', True, 2.1),
        ('ResourcesInUseByUsersGroup("v@d")', True, 0.0),
        ("ResourcesInUseByUsersGroup(1)", True, Value.Error),
        ('ResourcesInUseByUsersGroup("a.v@d")', False, Value.Error),
    ],
)  # fmt: skip
def test_usage_of_a_user_and_of_the_users_group_now(text: str, groups: bool, value: object) -> None:
    tree = GroupTree([GroupSettings("a")] if groups else [])
    accountant = Accountant(AccountantState(), settings(), tree, now=0.0)
    accountant.count_claims([("a.u@d", 2.1)])
    context = EvalContext(functions=live_functions(accountant, tree))
    assert evaluate(parse_expression(text), context=context) == value


def test_of_two_accounting_ads_of_a_name_the_first_counts() -> None:
    ads = [
        {"Name": "u@d", "PriorityFactor": 2.0}, {"Name": "u@d", "PriorityFactor": 3.0},
        {"PriorityFactor": 4.0}, {"Name": 5},
    ]  # fmt: skip
    state = from_ads([ad.get for ad in ads])
    assert {name: found.priority_factor for name, found in state.customers.items()} == {"u@d": 2.0}


@pytest.mark.parametrize("matched_before", [True, False])
def test_usage_of_a_claim_that_came_of_a_match_by_a_consumption_policy_is_never_given_back(
    matched_before: bool,
) -> None:
    """So in 23.9.6, which keeps a table of claims: usage stays when the slot is free again."""
    claim = Resource("slot1@n1@<a>", "ann@d")
    match = Resource(f"{claim.key}_cp_match_000", "ann@d") if matched_before else claim
    ann = Customer("ann@d", resources_used=1, weighted_resources_used=1.0)
    state = AccountantState({"ann@d": ann}, {match.key: match}, last_update_time=100)
    accountant = Accountant(state, settings(), GroupTree(), 100)
    accountant.settle_claims([claim], frozenset())
    used = accountant.usage("ann@d")
    after = evolve(accountant.state(), resources=accountant.claims)
    later = Accountant(after, settings(), GroupTree(), 100)
    later.settle_claims([Resource("slot2@n1@<a>", "bob@d")], frozenset())
    assert (used, later.usage("ann@d")) == (1.0, 1.0 if matched_before else 0.0)
