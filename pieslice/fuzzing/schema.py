"""Learns what slots and jobs of a pool look like: attributes, types, values.

A built-in schema serves policies without a captured pool.

Inputs: slot and job ads.  Outputs: ``Schema``.  Follows: the ads of condor_startd and condor_schedd
of HTCondor 25.14.1 for the built-in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Final, TypeAlias

from attr import evolve, frozen

import policy.attributes
from classad import ClassAd
from classad.ads.expression import Expression
from classad.language.values import ClassAdValue, Value
from pieslice.data import is_number
from policy.attributes import DATE, SECONDS, Availability, attribute_rows, find_attribute

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: Different values of an attribute that are kept.
MAX_VALUES: Final = 12
#: An expression of a slot or job that is kept as it is must be at most this long.
MAX_TEXT: Final = 400
#: What an attribute may hold; None where it is missing.
AdValue: TypeAlias = ClassAdValue | Expression | None


@frozen
class SeenAttribute:
    """An attribute as it was seen.

    ``values``: some of them, the simplest first; numbers include the least and the greatest.
    ``missing``: some ads do not have it.
    """

    name: str
    values: tuple[AdValue, ...]
    missing: bool = False


@frozen
class Schema:
    """Attributes by case-folded name.  ``origin``: where they were learnt."""

    slot: Mapping[str, SeenAttribute]
    job: Mapping[str, SeenAttribute]
    origin: str
    #: Attributes that it does not know may still be there: the schema is no captured pool.
    open: bool = False
    #: Case-folded names of attributes that a slot has from the job that it runs.
    copied: frozenset[str] = frozenset()

    def with_copied(self, names: frozenset[str]) -> Schema:
        """The same for slots that show some attributes of the job that they run."""
        slot = {key: found for key, found in self.slot.items() if key not in names}
        return evolve(self, slot=slot, copied=names)


def learn(slots: Iterable[ClassAd], jobs: Iterable[ClassAd], origin: str) -> Schema:
    """The schema of a pool."""
    return Schema(_attributes(slots), _attributes(jobs), origin)


def _attributes(ads: Iterable[ClassAd]) -> dict[str, SeenAttribute]:
    names: dict[str, str] = {}
    seen: dict[str, dict[tuple[type, object], AdValue]] = {}
    counts: dict[str, int] = {}
    total = 0
    for ad in ads:
        total += 1
        for name in ad.names():
            key = name.casefold()
            value = _kept(ad, name)
            names.setdefault(key, name)
            if value is not None:
                counts[key] = counts.get(key, 0) + 1
                seen.setdefault(key, {}).setdefault(_identity(value), value)
    return {
        key: SeenAttribute(names[key], _chosen(list(found.values())), counts[key] < total)
        for key, found in seen.items()
    }


def _kept(ad: ClassAd, name: str) -> AdValue:
    """The value of an attribute in the ad alone, its expression if that needs another ad."""
    raw = ad.raw(name)
    if not isinstance(raw, Expression):
        return raw if is_plain(raw) else None
    value = ad.evaluate_attr(name)
    if is_plain(value):
        return value
    return raw if isinstance(value, Value) and len(str(raw)) <= MAX_TEXT else None


def is_plain(value: object) -> TypeIs[bool | int | float | str]:
    """Whether a value is a truth value, a number or a string."""
    return isinstance(value, bool | str) or is_number(value)


def _identity(value: AdValue) -> tuple[type, object]:
    return (value.__class__, str(value) if value.__class__ is Expression else value)


def _chosen(values: list[AdValue]) -> tuple[AdValue, ...]:
    """Some of the values: of numbers both ends and some between."""
    numbers = sorted(value for value in values if is_number(value))
    others = [value for value in values if not is_number(value)]
    if len(numbers) > MAX_VALUES:
        step = (len(numbers) - 1) / (MAX_VALUES - 1)
        numbers = [numbers[round(place * step)] for place in range(MAX_VALUES)]
    return (*numbers, *others[:MAX_VALUES])


def _table(kind: str, rows: Iterable[tuple[str, tuple[AdValue, ...]]]) -> dict[str, SeenAttribute]:
    """Attributes with usual values; those that HTCondor's table does not give every ad of the kind
    may be missing."""
    return {
        name.casefold(): SeenAttribute(name, values, not _is_always_there(kind, name))
        for name, values in rows
    }


def _is_always_there(kind: str, name: str) -> bool:
    row = find_attribute(name)
    return row is not None and row.ads.get(kind) is Availability.ALWAYS


def built_in() -> Schema:
    """A pool of the usual kind, for policies without a captured one.

    Attributes without usual values of their own here have those that HTCondor's table allows.
    """
    return Schema(
        {**_allowed("slot"), **_table("slot", _SLOT)},
        {**_allowed("job"), **_table("job", _JOB)},
        "the built-in schema",
        open=True,
    )


def _allowed(kind: str) -> dict[str, SeenAttribute]:
    """The attributes of slots or jobs that HTCondor's table gives values for."""
    found = {}
    for key, row in attribute_rows().items():
        moment = row.ads.get(kind)
        values = () if moment is None or moment is Availability.CLAIMED else _values(row)
        if values:
            found[key] = SeenAttribute(row.name, values, moment is not Availability.ALWAYS)
    return found


def _values(row: policy.attributes.Attribute) -> tuple[AdValue, ...]:
    """Some values of its type, both ends of its range among them."""
    if row.spellings:
        return row.spellings[:MAX_VALUES]
    if row.type == "boolean":
        return (False, True)
    if row.type not in ("integer", "real"):
        return ()
    low, high = row.range
    usual = _USUAL.get(row.unit, _NUMBERS)
    ends = [int(end) for end in row.range if isfinite(end)]
    return tuple(sorted({*ends, *(value for value in usual if low <= value <= high)}))


_SLOT: Final[tuple[tuple[str, tuple[AdValue, ...]], ...]] = (
    ("Cpus", (1, 4, 16, 64)),
    ("Memory", (1024, 2048, 16384, 262144)),
    ("Disk", (1000000, 100000000)),
    ("GPUs", (0, 1, 4)),
    ("SlotWeight", (1, 4, 16)),
    ("SlotID", (1, 2, 12)),
    ("SlotTypeID", (0, 1, 2)),
    ("SlotType", ("Static", "Dynamic")),
    ("TotalSlots", (1, 12)),
    ("TotalCpus", (1, 16, 64)),
    ("TotalMemory", (4096, 262144)),
    ("KFlops", (1000000, 2000000)),
    ("Mips", (10000, 20000)),
    ("LoadAvg", (0.0, 0.5, 1.0, 16.0)),
    ("CondorLoadAvg", (0.0, 1.0)),
    ("KeyboardIdle", (0, 60, 900, 100000)),
    ("ConsoleIdle", (0, 60, 900, 100000)),
    ("CpuBusy", (False, True)),
    ("Arch", ("X86_64", "aarch64")),
    ("OpSys", ("LINUX",)),
    ("OpSysAndVer", ("AlmaLinux9", "Debian13")),
    ("Machine", ("node1.pool", "node2.pool")),
    ("HasGpu", (True,)),
    ("CUDACapability", (7.5, 9.0)),
    ("TotalTimeClaimedBusy", (0, 600, 86400, 1000000)),
    ("ClockMin", (0, 480, 1080, 1439)),
    ("ClockDay", (0, 1, 6)),
    ("MaxJobRetirementTime", (0,)),
)
_JOB: Final[tuple[tuple[str, tuple[AdValue, ...]], ...]] = (
    ("RequestCpus", (1, 4, 16)),
    ("RequestMemory", (128, 1024, 16384)),
    ("RequestDisk", (1024, 1000000)),
    ("RequestGPUs", (1, 2)),
    ("JobUniverse", (5, 7, 12)),
    ("JobPrio", (0, 10, -10)),
    ("JobStatus", (1, 2, 5)),
    ("NumJobStarts", (0, 1, 5, 20)),
    ("NumShadowStarts", (0, 1, 5, 20)),
    ("NumHolds", (1, 5)),
    ("QDate", (1_699_900_000, 1_699_999_000, 1_700_000_000)),
    ("EnteredCurrentStatus", (1_699_900_000, 1_699_999_000, 1_700_000_000)),
    ("JobCurrentStartDate", (1_699_900_000, 1_699_999_000)),
    ("JobStartDate", (1_699_900_000, 1_699_999_000)),
    ("RemoteWallClockTime", (0.0, 3600.0, 1000000.0)),
    ("ImageSize", (100, 1000000, 30000000)),
    ("DiskUsage", (1, 1000000)),
    ("MemoryUsage", (1, 1000, 20000)),
    ("ResidentSetSize", (1000, 20000000)),
    ("HoldReasonCode", (1, 13, 26)),
    ("HoldReasonSubCode", (0, 1)),
    ("ExitCode", (0, 1)),
    ("ExitBySignal", (False, True)),
    ("NiceUser", (False, True)),
    ("AcctGroup", ("physics", "chemistry")),
    ("AccountingGroup", ("physics.ann", "chemistry.bob")),
    ("WantGpu", (True, False)),
    ("MaxRuntime", (600, 86400)),
    ("Owner", ("ann", "bob", "cid")),
    ("User", ("ann@pool", "bob@pool")),
    ("ClusterId", (1, 1000)),
    ("ProcId", (0, 1)),
    ("ServerTime", (1_700_000_000,)),
)
#: Numbers to try by unit, within the range of the attribute.
_USUAL: Final[Mapping[str, tuple[int, ...]]] = {
    DATE: (1_699_900_000, 1_699_999_000, 1_700_000_000),
    SECONDS: (0, 60, 3600, 86400),
    "min": (0, 60, 1440),
    "B": (0, 1 << 20, 1 << 34),
    "KiB": (0, 1 << 10, 1 << 24),
    "MiB": (0, 128, 1024, 16384),
}
_NUMBERS: Final = (0, 1, 10)


def value_text(value: AdValue) -> str:
    """A value as ClassAd text, reals as short as they can be read again."""
    from classad.formats.unparse import unparse_value

    if value.__class__ is float and abs(value) < 1e15:
        return repr(value)
    return str(value) if value.__class__ is Expression else unparse_value(value)
