"""Makes accounting ads from the accountant's state.

Decides which attributes the negotiator would show of a record, and how records are summed up the
tree of groups.

Inputs: the state, the tree of groups, the settings of the accountant, what is known about groups.
Outputs: ads in the order of the state, or rolled up: groups breadth-first, then submitters.
Follows: the answers of the negotiator of HTCondor 25.14.1 to condor_userprio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from classad import ClassAd
from negotiator.accounting.accountant import (
    MIN_FACTOR,
    MIN_PRIORITY,
    AccountantSettings,
    priority_factor,
)
from negotiator.groups.tree import GroupTree
from negotiator.model.arithmetic import whole
from negotiator.model.result import ROOT_GROUP
from negotiator.model.snapshot import AccountantState, Customer

#: The sort key of the root: it comes last.
_ROOT_KEY: Final = 3.4e38
#: What the accountant itself does not know about a group: quotas, demand, place in the order.
GROUP_FACTS: Final = (
    "ConfigQuota", "EffectiveQuota", "SubtreeQuota", "GroupSortKey", "SurplusPolicy", "Requested",
)  # fmt: skip
_SUMS: Final = (
    "AccumulatedUsage", "WeightedAccumulatedUsage", "ResourcesUsed", "WeightedResourcesUsed",
)  # fmt: skip


def state_ads(
    state: AccountantState,
    tree: GroupTree,
    settings: AccountantSettings,
    facts: Mapping[str, ClassAd],
) -> list[ClassAd]:
    """One ad for each record; ``facts``: ads that know about groups, by group name."""
    ads = []
    for name, record in state.customers.items():
        ad = _record_ad(record, tree, settings)
        ad.insert("LastUpdate", state.last_update_time or 0)
        if record.is_group:
            _add_facts(ad, tree, facts.get(name))
        ads.append(ad)
    return ads


def terms_of(
    record: Customer, tree: GroupTree, settings: AccountantSettings
) -> tuple[float, float]:
    """The real priority and the factor that the accountant goes by; bigger is worse."""
    factor = record.priority_factor
    if factor is None or factor < MIN_FACTOR:
        factor = priority_factor(record.name, tree.assigned(record.name).name, settings)
    return max(record.priority or MIN_PRIORITY, MIN_PRIORITY), factor


def _record_ad(record: Customer, tree: GroupTree, settings: AccountantSettings) -> ClassAd:
    group = tree.assigned(record.name).name
    priority, factor = terms_of(record, tree, settings)
    ad = ClassAd()
    weighted = record.weighted_accumulated_usage
    values: tuple[tuple[str, str | float | bool | None], ...] = (
        ("Name", record.name),
        ("IsAccountingGroup", record.is_group),
        ("AccountingGroup", record.name if record.is_group else group),
        ("Priority", priority * factor),
        ("PriorityFactor", factor),
        ("ResourcesUsed", record.resources_used),
        ("WeightedResourcesUsed", record.weighted_resources_used),
        ("HierWeightedResourcesUsed", record.hier_weighted_resources_used),
        ("AccumulatedUsage", record.accumulated_usage),
        ("WeightedAccumulatedUsage", record.accumulated_usage if weighted is None else weighted),
        ("BeginUsageTime", record.begin_usage_time or None),
        ("LastUsageTime", record.last_usage_time or None),
        ("Ceiling", max(record.ceiling, -1)),
        ("Floor", max(record.floor, 0)),
    )
    for name, value in values:
        if value is not None:
            ad.insert(name, value)
    return ad


def _add_facts(ad: ClassAd, tree: GroupTree, known: ClassAd | None) -> None:
    """Quotas and the like from an ad that has them, else what the configuration says."""
    if known is not None:
        for name in GROUP_FACTS:
            if (value := known.raw(name)) is not None:
                ad.insert(name, value)
        return
    group = tree.assigned(str(ad.evaluate_attr("Name")))
    settings = group.settings
    ad.insert("ConfigQuota", settings.quota)
    ad.insert("EffectiveQuota", group.quota)
    ad.insert("SubtreeQuota", group.subtree_quota)
    ad.insert("GroupSortKey", _ROOT_KEY if group.parent is None else 0.0)
    surplus = tree.accept_surplus if group.parent is None else settings.accept_surplus
    autoregroup = tree.autoregroup if group.parent is None else settings.autoregroup
    ad.insert("SurplusPolicy", "regroup" if autoregroup else "byquota" if surplus else "no")


def rolled_up(ads: Iterable[ClassAd], tree: GroupTree) -> list[ClassAd]:
    """Groups with the sums of all below them, in the order of the tree, then submitters."""
    by_name = {str(ad.evaluate_attr("Name")): ad.duplicate() for ad in ads}
    groups = [by_name[group.name] for group in tree.groups if group.name in by_name]
    own = {str(ad.evaluate_attr("Name")): ad.duplicate() for ad in groups}
    for ad in groups:
        name = str(ad.evaluate_attr("Name"))
        below = [own[n] for n in own if name == ROOT_GROUP or n == name or n.startswith(f"{name}.")]
        for attribute in _SUMS:
            ad.insert(attribute, sum(_number(part, attribute) for part in below))
        for attribute, chosen in _TIMES:
            ad.insert(attribute, chosen([whole(_number(part, attribute)) for part in below]))
        ad.insert("Priority", 0.0)
    return groups + [ad for name, ad in by_name.items() if "@" in name]


_TIMES: Final[tuple[tuple[str, Callable[[list[int]], int]], ...]] = (
    ("BeginUsageTime", min),
    ("LastUsageTime", max),
)


def _number(ad: ClassAd, name: str) -> float:
    value: float = ad.evaluate_attr(name)
    return value if value.__class__ in (int, float) else 0
