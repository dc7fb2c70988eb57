"""Makes the records that ``condor_userprio`` prints from accounting ads.

Decides what a record is when attributes are missing, and how the numbered attributes of one big ad
(``Name1``, ``Priority1``, ...) are told apart.

Inputs: accounting ads.  Outputs: ``Row`` values in arrival order; ads.  Follows: condor_userprio of
HTCondor 25.14.1.  The real tool shows the value of the record before for a missing attribute; here
a missing number is 0 (see DIVERGENCES.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.language.values import Value
from negotiator.model.arithmetic import whole
from negotiator.model.result import ROOT_GROUP
from pieslice.terminal import printable

#: What the real tool takes for the usage of a record of a numbered ad that has none, in seconds.
_NO_USAGE: Final = -1.0


@frozen
class Row:
    """One record.  ``priority`` is the effective one; usage in weighted seconds and slot weights.

    ``begin`` and ``last`` are None for records without the attribute; for groups ``group`` is
    their own name.
    """

    name: str
    group: str
    is_group: bool
    priority: float = 0.0
    factor: float = 0.0
    quota: float = 0.0
    effective_quota: float = 0.0
    subtree_quota: float = 0.0
    sort_key: float = 0.0
    surplus: str | None = None
    requested: float = 0.0
    in_use: float = 0.0
    usage: float = 0.0
    begin: int | None = None
    last: int | None = None
    floor: float = 0.0
    ceiling: float = -1.0

    @property
    def real_priority(self) -> float | None:
        """The priority without the factor; None without a factor."""
        return self.priority / self.factor if self.factor > 0 else None


def join_numbered(ads: Iterable[ClassAd], last_update: int) -> ClassAd:
    """The one big ad; the opposite of ``split_numbered``."""
    joined = ClassAd()
    joined.insert("LastUpdate", last_update)
    count = 0
    for count, ad in enumerate(ads, 1):
        for name in ad.names():
            if name not in ("LastUpdate", "SubmittorId"):
                joined.insert(f"{name}{count}", ad.raw(name))
    joined.insert("NumSubmittors", count)
    return joined


def rows_of(ads: Iterable[ClassAd]) -> list[Row]:
    """The records of ads; an ad without a name is no record."""
    return [row for ad in ads if (row := _row(ad)) is not None]


def _row(ad: ClassAd) -> Row | None:
    name = _name(ad, "Name")
    if name is None:
        return None
    is_group = ad.get_bool("IsAccountingGroup")
    if is_group is None:
        is_group = "@" not in name
    group = name if is_group else _name(ad, "AccountingGroup") or ROOT_GROUP
    usage = _number(ad, "WeightedAccumulatedUsage", "AccumulatedUsage")
    if usage is None:
        usage = _NO_USAGE if ad.raw("SubmittorId") is not None else 0.0
    return Row(
        name,
        group,
        is_group,
        priority=_number(ad, "Priority") or 0.0,
        factor=_number(ad, "PriorityFactor") or 0.0,
        quota=_number(ad, "ConfigQuota") or 0.0,
        effective_quota=_number(ad, "EffectiveQuota") or 0.0,
        subtree_quota=_number(ad, "SubtreeQuota") or 0.0,
        sort_key=_number(ad, "GroupSortKey") or 0.0,
        surplus=_text(ad, "SurplusPolicy"),
        requested=_number(ad, "Requested") or 0.0,
        in_use=_number(ad, "WeightedResourcesUsed", "ResourcesUsed") or 0.0,
        usage=usage,
        begin=_whole(_number(ad, "BeginUsageTime")),
        last=_whole(_number(ad, "LastUsageTime")),
        floor=_number(ad, "Floor") or 0.0,
        ceiling=-1.0 if (ceiling := _number(ad, "Ceiling")) is None else ceiling,
    )


def _value(ad: ClassAd, name: str) -> object:
    value = ad.evaluate_attr(name)
    return None if isinstance(value, Value) else value


def _name(ad: ClassAd, name: str) -> str | None:
    """A name as it is printed; what would steer a terminal is escaped."""
    text = _text(ad, name)
    return None if text is None else printable(text)


def _text(ad: ClassAd, name: str) -> str | None:
    value = _value(ad, name)
    return value if isinstance(value, str) else None


def _number(ad: ClassAd, *names: str) -> float | None:
    for name in names:
        value = _value(ad, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return None


def _whole(number: float | None) -> int | None:
    return None if number is None else whole(number)
