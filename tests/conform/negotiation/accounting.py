"""Checks the recorded cases of the accountant: updates of a record, factors, shares of the pie.

Inputs: cases.  Outputs: ``ACCOUNTING_KINDS``.  Follows: the README beside the vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from negotiator.accounting.accountant import Accountant, accountant_settings, update_customer
from negotiator.groups.tree import group_tree
from negotiator.model.snapshot import AccountantState, Customer
from negotiator.sessions.pie import PieSettings, cut_slice, shares_of
from pieslice.data import Content, JsonData
from policy.load import policy_from_knobs
from tests.conform.runner import Case, Kind, Mismatch

#: Attribute of a record in the log -> our field.
FIELDS: Final = {
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


def check_update(case: Case) -> list[Mismatch]:
    """One update: what it writes."""
    # Ceilings, floors and leases take no part in an update.
    known = {FIELDS[name]: value for name, value in case["before"].items() if name in FIELDS}
    before = Customer(case["name"], **known)
    after = update_customer(before, case["elapsed"], case["now"], case["halflife"])
    written = {
        attribute: getattr(after, field)
        for attribute, field in FIELDS.items()
        if getattr(after, field) != getattr(before, field)
    }
    return [] if written == case["written"] else [Mismatch("written", case["written"], written)]


def check_factor(case: Case) -> list[Mismatch]:
    """The priority factor of a customer that is looked up."""
    policy = policy_from_knobs(case["knobs"]).policy
    name = case["customer"]
    known = {name: Customer(name, priority_factor=case["stored_factor"])}
    settings = accountant_settings(policy)
    accountant = Accountant(AccountantState(known), settings, group_tree(policy), now=1000)
    factor = accountant.factor(name)
    return [] if factor == case["expect"] else [Mismatch("expect", case["expect"], factor)]


def check_shares(case: Case) -> list[Mismatch]:
    """Share and limit of every submitter."""
    people = case["submitters"]
    shares = shares_of((person["name"], person["prio"]) for person in people)
    settings = PieSettings(consider_preemption=True, ignore_user_priorities=False)
    actual: list[JsonData] = []
    for person in people:
        share = shares.share(person["prio"])
        cut = cut_slice(share, case["slot_weight_total"], person["usage"], settings)
        actual.append({"name": person["name"], "share": cut.share, "limit": cut.limit})
    return [] if actual == case["expect"] else [Mismatch("expect", case["expect"], actual)]


def _kind(name: str, check: Callable[[Case], list[Mismatch]], *fields: str) -> Kind:
    wanted = set(fields)

    def cases(content: Content) -> list[Case] | None:
        listed = content.get("cases") if isinstance(content, dict) else None
        if not isinstance(listed, list) or not listed:
            return None
        ours = all(isinstance(case, dict) and wanted <= set(case) for case in listed)
        return listed if ours else None

    known = frozenset(("id", "observed", "note", *fields))
    return Kind(name, lambda case: wanted <= set(case), check, known, cases)


ACCOUNTING_KINDS: Final = (
    _kind(
        "priority update", check_update,
        "name", "halflife", "before", "elapsed", "now", "written",
    ),
    _kind("priority factor", check_factor, "customer", "knobs", "stored_factor", "expect"),
    _kind("shares of the pie", check_shares, "slot_weight_total", "submitters", "expect"),
)  # fmt: skip
