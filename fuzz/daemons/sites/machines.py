"""Draws machines with several partitionable slots, and slots with resources of a site's own."""

from __future__ import annotations

from random import Random
from typing import Final

from fuzz.daemons.sites.entries import Ad, add_resource, ask, partitionable, some
from fuzz.daemons.wild.mixture import SITES, quoted, texts
from pieslice.data import JsonData

_RESOURCES: Final = ("Fpgas", "Scratch", "NetMbps", "Dongles")


def draw_pslots(rng: Random, scenario: JsonData) -> None:
    """Add machines, each with two or three partitionable slots and what was taken from them."""
    policies = rng.random() < 0.4
    for number in range(rng.randint(1, 5)):
        machine = f"multi{number}.test"
        shares = rng.sample((2, 4, 8, 16), rng.randint(2, 3))
        for slot, cpus in enumerate(shares, 1):
            taken = rng.randint(0, cpus) if rng.random() < 0.6 else 0
            entry: JsonData = {"name": f"slot{slot}@{machine}", "ad": _share(rng, cpus, taken)}
            entry["ad"] |= {"SlotID": str(slot), "TotalSlots": str(len(shares) + (taken > 0))}
            if policies:
                entry["ad"] |= {
                    "MachineResources": quoted("Cpus Memory Disk"),
                    "ConsumptionCpus": rng.choice(texts("consumption of cpus")),
                    "ConsumptionMemory": rng.choice(texts("consumption of memory")),
                    "ConsumptionDisk": "quantize(TARGET.RequestDisk,{1024})",
                }
                entry["claims"] = rng.randint(1, 8)
            scenario["slots"].append(entry)
            if taken:
                name = f"slot{slot}_1@{machine}"
                scenario["slots"].append({"name": name, "ad": _dynamic(rng, scenario, taken)})


def _share(rng: Random, cpus: int, taken: int) -> Ad:
    memory = cpus * rng.choice((1024, 2048, 4096))
    return {
        "PartitionableSlot": "true",
        "SlotType": quoted("Partitionable"),
        "Cpus": str(cpus - taken),
        "TotalSlotCpus": str(cpus),
        "TotalCpus": "32",
        "Memory": str(memory * (cpus - taken) // cpus),
        "TotalSlotMemory": str(memory),
        "NumDynamicSlots": str(int(taken > 0)),
        "Tier": str(rng.randint(0, 3)),
        "Site": quoted(rng.choice(SITES)),
    }


def _dynamic(rng: Random, scenario: JsonData, cpus: int) -> Ad:
    submitter = rng.choice([entry["submitter"] for entry in scenario["jobs"]] or ["guest"])
    user = quoted(submitter if "@" in submitter else f"{submitter}@test")
    return {
        "SlotType": quoted("Dynamic"),
        "DynamicSlot": "true",
        "Cpus": str(cpus),
        "Memory": str(cpus * 1024),
        "State": quoted("Claimed"),
        "Activity": quoted("Busy"),
        "RemoteUser": user,
        "RemoteOwner": user,
        "CurrentRank": rng.choice(("0.0", "0.0", "10.0")),
        "TotalJobRunTime": str(rng.randrange(60, 200000)),
    }


def draw_resources(rng: Random, scenario: JsonData) -> None:
    """Give slots several resources of the site's own, which some jobs ask for."""
    names = rng.sample(_RESOURCES, rng.randint(1, 3))
    for entry in some(rng, scenario, "slots", 0.5):
        ad: Ad = entry["ad"]
        for name in names:
            if rng.random() < 0.7:
                add_resource(ad, name, rng.choice((0, 1, 2, 4, 100)))
        if partitionable(ad) and rng.random() < 0.5:
            ad[rng.choice(names)] = rng.choice(("0", "1", "2"))  # what is left
        if rng.random() < 0.2:
            ad["SlotWeight"] = f"Cpus + 2 * ({names[0]} ?: 0)"
    for entry in some(rng, scenario, "jobs", 0.5):
        name = rng.choice(names)
        entry["ad"][f"Request{name}"] = rng.choice(("0", "1", "1", "2", "RequestCpus"))
        ask(entry["ad"], f"(TARGET.{name} >= Request{name})")
