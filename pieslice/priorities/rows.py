"""Makes the records that ``condor_userprio`` prints from accounting ads.

Reader, help and completion of ``pieslice userprio`` read the same table of options.

Decides what a record is when attributes are missing, and how the numbered attributes of one big ad
(``Name1``, ``Priority1``, ...) are told apart.

Inputs: accounting ads.  Outputs: ``Row`` values in arrival order; ads.  Follows: condor_userprio of
HTCondor 25.14.1.  The real tool shows the value of the record before for a missing attribute; here
a missing number is 0 (see DIVERGENCES.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from attr import frozen

from classad import ClassAd
from classad.language.values import Value
from negotiator.model.arithmetic import whole
from negotiator.model.result import ROOT_GROUP
from pieslice.terminal import printable


class Word(NamedTuple):
    """An option, what it is for, how many letters of it are needed, and what follows it."""

    word: str
    help: str
    values: tuple[str, ...] = ()
    least: int = 1
    #: What follows up to the next option.
    rest: str = ""


#: In the order in which an abbreviation is looked up.
OPTIONS: Final = (
    Word("setprio", "set the real priority of a user", ("USER", "N")),
    Word("setfactor", "set the priority factor of a user", ("USER", "N")),
    Word("setfloor", "set the least that a user gets", ("USER", "N")),
    Word("setceiling", "set the most that a user gets", ("USER", "N")),
    Word("duration", "end the change of a factor, floor or ceiling after a while", ("SECONDS",)),
    Word("cancelceilinglease", "end the ceiling of a user that has a duration", ("USER",)),
    Word("cancelfloorlease", "end the floor of a user that has a duration", ("USER",)),
    Word("cancelfactorlease", "end the factor of a user that has a duration", ("USER",)),
    Word("setbegin", "set the time of a user's first usage", ("USER", "T")),
    Word("setaccum", "set the accumulated usage of a user", ("USER", "SECONDS")),
    Word("setlast", "set the time of a user's last usage", ("USER", "T")),
    Word("resetusage", "forget the accumulated usage of a user", ("USER",)),
    Word("delete", "forget a user", ("USER",), 3),
    Word("resetall", "forget the accumulated usage of all users"),
    Word("long", "print the records as ads"),
    Word("constraint", "only records for which this is true", ("EXPR",)),
    Word("legacy", "taken for compatibility", (), 3),
    Word("modular", "print one ad for each record", (), 3),
    Word("af", "print these expressions; -af:MODIFIERS, of , t n l V r", (), 2, "EXPR"),
    Word("autoformat", "the same as -af", (), 5, "EXPR"),
    Word("debug", "taken for compatibility"),
    Word("hierarchical", "users below their groups", (), 2),
    Word("heir", "the same as -hierarchical"),
    Word("flat", "users and groups in one list", (), 2),
    Word("grouprollup", "groups with the sums of all below them"),
    Word("grouporder", "groups before users"),
    Word("quotas", "show the columns of group quotas"),
    Word("surplus", "show which groups take surplus"),
    Word("sortkey", "show the key by which groups take their turns", (), 2),
    Word("all", "show every column"),
    Word("most", "show the usual columns, as without any option for columns", (), 2),
    Word("groupid", "show the numbers of groups"),
    Word("order", "show the order in which groups take their turns"),
    Word("activefrom", "users that were active since a day", ("MONTH", "DAY", "YEAR")),
    Word("allusers", "all users, not only those of the last day"),
    Word("usage", "show the columns of usage", (), 2),
    Word("priority", "show the columns of priorities", (), 4),
    Word("getreslist", "print the slots that a user has", ("USER",), 6),
    Word("inputfile", "read accounting ads from a file", ("FILE",), 2),
    Word("pool", "refused: it would ask a daemon", ("HOST",)),
    Word("name", "only records of one negotiator", ("NEGOTIATOR",)),
    Word("collector", "the active records, as the collector has them", (), 3),
    Word("negotiator", "all records, as the negotiator has them", (), 3),
    Word("json", "print JSON", (), 4),
)
#: The options of this command, which are not shortened.
OWN: Final = (
    Word("config", "configuration with the groups; default: that of the folder", ("FILE",)),
    Word(
        "now",
        "time of the question: seconds since the epoch or ISO 8601 (default: the last update; for"
        " changes, the clock)",
        ("T",),
    ),
    Word("token", "file with a token for asking a running pool", ("FILE",)),
    Word("dry-run", "show the records that a change would write, and write nothing"),
    Word("width", "width of the table (default: the terminal's; 80 in files and pipes)", ("N",)),
    Word("wide", "every column and every name, as condor_userprio prints them"),
)


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
