"""Writes and reads the accountant's transaction log, which the negotiator reads at its start.

Inputs: the ``accountant`` of a scenario, slots that are claimed, times in seconds.  Outputs: the
text of ``Accountantnew.log``, and what such a text says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from fuzz.daemons.ads import LONG_AGO, Slot, quoted
from fuzz.daemons.numbers import number
from pieslice.data import Record

#: Field of a customer in a scenario, the attribute that the accountant keeps, how it is printed.
_FIELDS: Final = (
    ("priority", "Priority", "%f"),
    ("factor", "PriorityFactor", "%f"),
    ("floor", "Floor", "%d"),
    ("ceiling", "Ceiling", "%d"),
    ("accumulated_usage", "WeightedAccumulatedUsage", "%f"),
)
#: What a recording keeps of a customer.
_RECORDED: Final = (
    "Priority", "PriorityFactor", "WeightedResourcesUsed", "ResourcesUsed", "Floor", "Ceiling",
    "WeightedAccumulatedUsage", "HierWeightedResourcesUsed",
)  # fmt: skip
_LAST_UPDATE: Final = "103 Accountant. LastUpdateTime"
_CUSTOMER: Final = "Customer."


def seeded(accountant: Record, slots: Sequence[Slot], address: str, domain: str, now: int) -> str:
    """The log that a cycle at ``now`` begins with."""
    since = now - int(accountant.get("elapsed", 0))
    lines = [
        f"107 1 CreationTimestamp {LONG_AGO}",
        "101 Accountant. * *",
        f"{_LAST_UPDATE} {since}",
    ]
    for name, record in accountant.get("customers", {}).items():
        full = name if "@" in name or record.get("group") else f"{name}@{domain}"
        key = _CUSTOMER + full
        lines.append(f"101 {key} * *")
        for field, attribute, form in _FIELDS:
            if field in record:
                lines.append(f"103 {key} {attribute} {form % record[field]}")
    if accountant.get("seed_claims"):
        lines += _claims(slots, address, since - 100, {line.split()[1] for line in lines[1:]})
    return "\n".join(lines) + "\n"


def _claims(slots: Sequence[Slot], address: str, begun: int, known: set[str]) -> list[str]:
    """The claims of the pool as the cycle before would have left them."""
    lines: list[str] = []
    used: dict[str, tuple[int, float]] = {}
    for slot in slots:
        if slot.ad.get("State", "").strip('"') not in ("Claimed", "Preempting"):
            continue
        user = (slot.ad.get("AccountingGroup") or slot.ad.get("RemoteUser") or "").strip('"')
        if not user:
            continue
        weight = float(_weight(slot.ad))
        key = f"Resource.{slot.name}@{address}"
        lines += [
            f"101 {key} * *",
            f"103 {key} RemoteUser {quoted(user)}",
            f"103 {key} SlotWeight {weight:f}",
            f"103 {key} StartTime {begun}",
        ]
        count, total = used.get(user, (0, 0.0))
        used[user] = (count + 1, total + weight)
    for user, (count, total) in used.items():
        key = _CUSTOMER + user
        if key not in known:
            lines.append(f"101 {key} * *")
        lines += [
            f"103 {key} ResourcesUsed {count}",
            f"103 {key} WeightedResourcesUsed {total:f}",
        ]
    return lines


def _weight(ad: Mapping[str, str]) -> str:
    """The weight of a slot, where it is a number or the name of an attribute that is one."""
    weight = ad.get("SlotWeight", "1")
    for _ in range(5):
        if re.fullmatch(r"[0-9.]+", weight.strip()):
            break
        weight = ad.get(weight.strip(), "1")
    return weight


def shifted(log: str, now: int, elapsed: int) -> str:
    """The log as if the last update of priorities were ``elapsed`` seconds before ``now``."""
    kept = [line for line in log.splitlines() if not line.startswith(_LAST_UPDATE)]
    return "\n".join([*kept, f"{_LAST_UPDATE} {now - elapsed}"]) + "\n"


def customers(log: str, *, timed: bool) -> dict[str, dict[str, int | float]]:
    """What is recorded of each customer, by name; accumulated usage only where time has passed."""
    return {
        key.removeprefix(_CUSTOMER): {
            name: number(record[name])
            for name in _RECORDED
            if name in record and (timed or not name.startswith("WeightedAcc"))
        }
        for key, record in sorted(_records(log).items())
        if key.startswith(_CUSTOMER)
    }


def uncharged(log: str) -> bool:
    """Whether a second passed between the update of priorities and a match.

    The next update charges each such match for a second less.
    """
    times = (record.get("UnchargedTime", "0") for record in _records(log).values())
    return any(number(time) for time in times)


def _records(log: str) -> dict[str, dict[str, str]]:
    """The records that a log leaves, by key."""
    table: dict[str, dict[str, str]] = {}
    for line in log.split("\n"):
        fields = line.split(" ", 3)
        if fields[0] == "103" and len(fields) == 4:
            table.setdefault(fields[1], {})[fields[2]] = fields[3]
        elif fields[0] == "102" and len(fields) >= 2:
            table.pop(fields[1], None)
    return table
