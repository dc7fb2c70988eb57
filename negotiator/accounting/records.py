"""Reads the accountant's state from its log or from accounting ads, and recounts its usage.

An accounting ad has the effective priority, which is real priority * factor.  Follows the
attributes of the accountant's Customer and Resource records and of accounting ads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from attr import evolve

from classad.language.values import INT_MAX
from classad.patterns import late_regex
from classad.syntax.lexing import integer_value
from negotiator.accounting.log import AccountantLog
from negotiator.groups.tree import GroupTree, subtrees_of
from negotiator.model.snapshot import NO_CEILING, AccountantState, Customer, Lease, Resource

Scalar = int | float | str
#: The value of an attribute, in any case of letters; None when there is none.
Lookup = Callable[[str], Scalar | None]

_Number = TypeVar("_Number", int | None, float | None)

#: A factor below this counts as absent.
MIN_FACTOR: Final = 1.0
_NUMBER: Final = late_regex(r"-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?", re.ASCII)


def from_log(log: AccountantLog) -> AccountantState:
    """The state that a log adds up to."""
    resources = {}
    for key, record in log.of_kind("Resource").items():
        resource = _resource(key, _text_lookup(record))
        if resource is not None:
            resources[key] = resource
    customers = {
        name: customer(name, _text_lookup(record))
        for name, record in log.of_kind("Customer").items()
    }
    return AccountantState(customers, resources, log.last_update)


def complete(state: AccountantState, ads: Iterable[Lookup]) -> tuple[AccountantState, list[str]]:
    """The state of a log with the usage that accounting ads of the same update show.

    The accountant writes matches to its log without flushing, so that a copy of the log of a
    running negotiator lacks the latest; the ads, sent when the cycle was over, have them.  Only ads
    of the log's own update count.  Also returns the names of the records that changed.
    """
    customers = dict(state.customers)
    changed: list[str] = []
    for lookup in ads:
        name = lookup("Name")
        if not isinstance(name, str) or lookup("LastUpdate") != state.last_update_time:
            continue
        record = customers.get(name)
        if record is None or not _has_other_usage(record, lookup):
            continue
        seen = customer(name, lookup)
        gained = seen.weighted_resources_used - record.weighted_resources_used
        customers[name] = record.changed(
            resources_used=seen.resources_used,
            weighted_resources_used=seen.weighted_resources_used,
            uncharged_time=_first(seen.uncharged_time, record.uncharged_time),
            weighted_uncharged_time=_first(
                seen.weighted_uncharged_time, record.weighted_uncharged_time
            ),
        )
        changed.append(name)
        for above in subtrees_of(name) if record.is_group else ():
            group = customers.get(above)
            if group is not None:
                used = group.hier_weighted_resources_used + gained
                customers[group.name] = group.changed(hier_weighted_resources_used=used)
    return evolve(state, customers=customers), changed


def _has_other_usage(record: Customer, lookup: Lookup) -> bool:
    used, weighted = _int_or_none(lookup, "ResourcesUsed"), _real(lookup, "WeightedResourcesUsed")
    if used is None or weighted is None:
        return False
    return (used, weighted) != (record.resources_used, record.weighted_resources_used)


def _first(value: _Number, other: _Number) -> _Number:
    return other if value is None else value


def from_ads(ads: Iterable[Lookup]) -> AccountantState:
    """The state that accounting ads (``condor_userprio -l``) show; they know no claims."""
    customers: dict[str, Customer] = {}
    updates: list[int] = []
    for lookup in ads:
        name = lookup("Name")
        if not isinstance(name, str) or name in customers:
            continue
        customers[name] = customer(name, _with_real_priority(lookup))
        update = lookup("LastUpdate")
        if isinstance(update, int):
            updates.append(update)
    return AccountantState(customers, {}, max(updates, default=None))


def group_quotas(ads: Iterable[Lookup]) -> dict[str, float] | None:
    """The quota of each group as the last cycle left it; None when no ad has one."""
    found: dict[str, float] = {}
    for lookup in ads:
        name, quota = lookup("Name"), _real(lookup, "EffectiveQuota")
        if isinstance(name, str) and "@" not in name and quota is not None:
            found.setdefault(name, quota)
    return found or None


def customer(name: str, lookup: Lookup) -> Customer:
    """One record; what is missing or of another type has the accountant's own default."""
    return Customer(
        name,
        priority=_real(lookup, "Priority"),
        priority_factor=_real(lookup, "PriorityFactor"),
        resources_used=_int(lookup, "ResourcesUsed"),
        weighted_resources_used=_real(lookup, "WeightedResourcesUsed") or 0.0,
        hier_weighted_resources_used=_real(lookup, "HierWeightedResourcesUsed") or 0.0,
        accumulated_usage=_real(lookup, "AccumulatedUsage") or 0.0,
        weighted_accumulated_usage=_real(lookup, "WeightedAccumulatedUsage"),
        uncharged_time=_int_or_none(lookup, "UnchargedTime"),
        weighted_uncharged_time=_real(lookup, "WeightedUnchargedTime"),
        begin_usage_time=_int(lookup, "BeginUsageTime"),
        last_usage_time=_int(lookup, "LastUsageTime"),
        ceiling=_int(lookup, "Ceiling", NO_CEILING),
        floor=_int(lookup, "Floor"),
        ceiling_lease=_lease(lookup, "Ceiling", NO_CEILING),
        floor_lease=_lease(lookup, "Floor", 0),
        factor_lease=_lease(lookup, "PriorityFactor", MIN_FACTOR),
    )


def _resource(key: str, lookup: Lookup) -> Resource | None:
    user = lookup("RemoteUser")
    if not isinstance(user, str):
        return None
    weight = _real(lookup, "SlotWeight")
    limits = lookup("MatchedConcurrencyLimits")
    return Resource(
        key,
        user,
        slot_weight=1.0 if weight is None else weight,
        start_time=_int(lookup, "StartTime"),
        matched_concurrency_limits=limits if isinstance(limits, str) else None,
    )


def _lease(lookup: Lookup, name: str, default: float) -> Lease | None:
    """The lease on an attribute while one runs."""
    expiration = _int(lookup, f"{name}LeaseExpiration")
    if expiration <= 0:
        return None
    previous = _real(lookup, f"{name}PreLeaseValue")
    return Lease(expiration, default if previous is None else previous)


def _with_real_priority(lookup: Lookup) -> Lookup:
    """Ads show the effective priority; the record has the real one."""

    def real(name: str) -> Scalar | None:
        value = lookup(name)
        if name != "Priority" or not isinstance(value, int | float):
            return value
        factor = lookup("PriorityFactor")
        usable = isinstance(factor, int | float) and factor >= MIN_FACTOR
        return float(value) / float(factor) if usable and factor is not None else None

    return real


def _text_lookup(record: Mapping[str, str]) -> Lookup:
    folded = {name.lower(): text for name, text in record.items()}

    def lookup(name: str) -> Scalar | None:
        text = folded.get(name.lower())
        return None if text is None else scalar(text)

    return lookup


def scalar(text: str) -> Scalar | None:
    """The number or string that an expression text stands for; None for anything else."""
    if _NUMBER.fullmatch(text):
        return integer_value(text) if text.lstrip("-").isdigit() else float(text)
    if len(text) >= 2 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        return text[1:-1]
    from classad.evaluate import evaluate
    from classad.syntax.parser import parse_expression

    value = evaluate(parse_expression(text, old=True))
    return value if value.__class__ in (int, float, str) else None


def _real(lookup: Lookup, name: str) -> float | None:
    value = lookup(name)
    return float(value) if isinstance(value, int | float) else None


def _int_or_none(lookup: Lookup, name: str) -> int | None:
    value = lookup(name)
    usable = isinstance(value, int | float) and abs(value) < INT_MAX
    return int(value) if usable and value is not None else None


def _int(lookup: Lookup, name: str, default: int = 0) -> int:
    value = _int_or_none(lookup, name)
    return default if value is None else value


# --- a negotiator that starts ---------------------------------------------------------------------


def recounted(state: AccountantState, tree: GroupTree) -> AccountantState:
    """The records with the usage that those of claims stand for, as a negotiator starts.

    A group counts the users that are assigned to it and to no group below; a record that is
    neither a user with claims nor a group has no usage.
    """
    groups = {group.name for group in tree.groups}
    used: dict[str, tuple[int, float]] = {}
    for claim in state.resources.values():
        names = (claim.remote_user, tree.assigned(claim.remote_user).name)
        for name in names:
            slots, weight = used.get(name, (0, 0.0))
            used[name] = slots + 1, weight + claim.slot_weight

    def corrected(record: Customer) -> Customer:
        counts = "@" in record.name or record.name in groups
        slots, weight = used.get(record.name, (0, 0.0)) if counts else (0, 0.0)
        return record.changed(resources_used=slots, weighted_resources_used=weight)

    return evolve(
        state, customers={name: corrected(record) for name, record in state.customers.items()}
    )
