"""Finds and changes the entries of slots and jobs of a scenario, those of later cycles too.

Outputs: also the expressions of ``texts.json`` by what they are for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Final

from pieslice.data import JsonData, Record

_TEXTS: Final[Mapping[str, list[str]]] = json.loads(
    Path(__file__).with_name("texts.json").read_text(encoding="utf-8")
)

#: Attributes of an entry in the making; None removes one that every ad has.
Ad = dict[str, str | None]
_FIT: Final = "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory"


def text(rng: Random, purpose: str) -> str:
    """One of the expressions for a purpose."""
    return rng.choice(_TEXTS[purpose])


def entries(scenario: Record, kind: str) -> Iterator[JsonData]:
    """The entries of ``slots`` or ``jobs``, in order of the cycles."""
    for step in (scenario, *scenario.get("cycles", ())):
        yield from step.get(kind, ())


def some(rng: Random, scenario: Record, kind: str, chance: float) -> Iterator[JsonData]:
    """Each entry with a probability."""
    for entry in entries(scenario, kind):
        if rng.random() < chance:
            yield entry


def require(ad: Ad, condition: str) -> None:
    """Have Requirements ask for a condition, too; an ad without any gets a slot's usual ones."""
    before = ad.get("Requirements") or _FIT
    ad["Requirements"] = f"({before}) && ({condition})"


def ask(ad: Ad, condition: str) -> None:
    """Have the Requirements of a job ask for a condition, too."""
    before = ad.get("Requirements")
    ad["Requirements"] = f"({before}) && {condition}" if before else condition


def partitionable(ad: Mapping[str, str | None]) -> bool:
    """Whether the ad says so."""
    return (ad.get("PartitionableSlot") or "").lower() == "true"


def add_resource(ad: Ad, name: str, amount: int) -> None:
    """Give a slot some of a resource, with what its consumption policy needs of it."""
    ad |= {name: str(amount), f"Total{name}": str(amount), f"TotalSlot{name}": str(amount)}
    listed = (ad.get("MachineResources") or '"Cpus Memory Disk Swap"').strip('"')
    if name.lower() not in listed.lower().split():
        ad["MachineResources"] = f'"{listed} {name}"'
    if "ConsumptionCpus" in ad:
        asked = f"target.Request{name}"
        ad[f"Consumption{name}"] = f"ifThenElse({asked} =!= undefined, {asked}, 0)"


def renumber(scenario: Record) -> None:
    """Give the clusters of every schedd the numbers 1, 2, ..."""
    last: dict[str, int] = {}
    for entry in entries(scenario, "jobs"):
        schedd = entry.get("schedd", "s1")
        last[schedd] = last.get(schedd, 0) + 1
        entry["id"] = str(last[schedd])
