"""Draws crowded pools: a plausible pool in which much of what is rare happens at once.

Submitters at several schedds, floors and ceilings, concurrency limits by slot, partitionable slots
with consumption policies and with children to preempt, slots that stay in the pool after a match,
claims in their retirement, and the knobs of how requests are fetched and groups take turns.

Inputs: a seed.  Outputs: a scenario; the same seed always gives the same one.
"""

from __future__ import annotations

import random
from typing import Final

from fuzz.daemons.plausible import plausible_scenario
from fuzz.daemons.wild.mixture import quoted
from pieslice.data import JsonData

_SCHEDDS: Final = ("s1", "s2", "s3", "s4")
_PREEMPTION: Final = (
    "True",
    "RemoteUserPrio > SubmitterUserPrio",
    "SubmitterUserResourcesInUse + 1 < RemoteUserResourcesInUse",
    "RemoteGroupResourcesInUse > RemoteGroupQuota || RemoteUserPrio > SubmitterUserPrio * 2",
    "TARGET.JobPrio > 0 && (RetirementTimeRemaining ?: 0) < 3600",
)
_LIMITS: Final = (
    quoted("matlab"),
    quoted("nfs:2,matlab"),
    'strcat("nfs.", TARGET.Site)',
    'ifThenElse(TARGET.Cpus > 2, "big", "small")',
)
_CPUS: Final = ("TARGET.RequestCpus", "quantize(target.RequestCpus, {1})")
_MEMORY: Final = ("TARGET.RequestMemory", "quantize(target.RequestMemory, {512})")
#: Knob -> its texts, and how probable it is.
_KNOBS: Final = (
    ("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE", ("1", "2", "3", "10"), 0.5),
    ("USE_RESOURCE_REQUEST_COUNTS", ("False",), 0.1),
    ("NEGOTIATOR_PREFETCH_REQUESTS", ("False",), 0.2),
    ("MAX_CONCURRENT_UPLOADS_PER_USER", ("1", "3", "7"), 0.3),
    ("MAX_JOBS_RUNNING", ("5", "25", "60"), 0.3),
    ("USE_GLOBAL_JOB_PRIOS", ("True",), 0.3),
    ("NEGOTIATOR_CONSIDER_PREEMPTION", ("False",), 0.15),
    ("NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", ("True",), 0.3),
    ("NEGOTIATOR_MATCHLIST_CACHING", ("False",), 0.15),
    ("NEGOTIATOR_DEPTH_FIRST", ("True",), 0.15),
    ("NEGOTIATOR_USE_SLOT_WEIGHTS", ("False",), 0.2),
    ("NEGOTIATOR_USE_WEIGHTED_DEMAND", ("False",), 0.15),
    ("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", ("Cpus > 1", 'State == "Unclaimed"'), 0.1),
    ("NEGOTIATOR_JOB_CONSTRAINT", ("RequestCpus < 4",), 0.1),
    ("PREEMPTION_REQUIREMENTS_STABLE", ("False",), 0.2),
    ("PREEMPTION_RANK_STABLE", ("False",), 0.2),
    ("SCHEDD_SLOT_WEIGHT", ("RequestCpus * 2", "RequestMemory / 1000.0"), 0.2),
    ("SCHEDD_USE_SLOT_WEIGHT", ("False",), 0.1),
    ("GROUP_QUOTA_ROUND_ROBIN_RATE", ("1", "2.5", "20"), 0.2),
    ("NEGOTIATOR_STRICT_ENFORCE_QUOTA", ("False",), 0.3),
    ("GROUP_AUTOREGROUP", ("True",), 0.3),
    ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", ("1", "3"), 0.2),
)  # fmt: skip


def crowded_scenario(seed: int) -> JsonData:
    """The scenario of a seed."""
    scenario = plausible_scenario(seed)
    rng = random.Random(f"crowded-negotiation-{seed}")
    scenario |= {"name": f"crowded-{seed}", "description": "A plausible pool, crowded."}
    config: dict[str, str] = scenario["config"]
    grouped = "GROUP_NAMES" in config
    for knob, texts, chance in _KNOBS:
        about_groups = knob.startswith("GROUP_") or "QUOTA" in knob
        if rng.random() < chance and (grouped or not about_groups):
            config[knob] = rng.choice(texts)
    if rng.random() < 0.7:
        config["PREEMPTION_REQUIREMENTS"] = rng.choice(_PREEMPTION)
    if rng.random() < 0.5:
        _give_limits(rng, scenario)
    _spread(rng, scenario)
    _bound(rng, scenario)
    for entry in scenario["slots"]:
        _change(rng, entry)
    if rng.random() < 0.3:
        config["ALLOW_PSLOT_PREEMPTION"] = "True"
    return scenario


def _give_limits(rng: random.Random, scenario: JsonData) -> None:
    for name in ("matlab", "nfs", "nfs.north", "big", "small"):
        scenario["config"][f"{name.upper()}_LIMIT"] = str(rng.randint(1, 20))
    for entry in scenario["jobs"]:
        if rng.random() < 0.4:
            entry["ad"]["ConcurrencyLimits"] = rng.choice(_LIMITS)


def _spread(rng: random.Random, scenario: JsonData) -> None:
    """Put the clusters of a submitter on several schedds; numbers are each schedd's own."""
    schedds = _SCHEDDS[: rng.randint(1, len(_SCHEDDS))]
    last = dict.fromkeys(schedds, 0)
    for step in (scenario, *scenario["cycles"]):
        for entry in step.get("jobs", ()):
            schedd = rng.choice(schedds)
            last[schedd] += 1
            entry |= {"schedd": schedd, "id": str(last[schedd])}
            if rng.random() < 0.3:
                entry["ad"]["JobPrio"] = str(rng.randint(-3, 3))


def _bound(rng: random.Random, scenario: JsonData) -> None:
    """Floors and ceilings, and equal priorities of some submitters."""
    for number, record in enumerate(scenario["accountant"]["customers"].values()):
        if rng.random() < 0.25:
            record["floor"] = rng.randint(1, 30)
        if rng.random() < 0.25:
            record["ceiling"] = rng.randint(0, 40)
        if number and rng.random() < 0.4:
            record |= {"priority": 5.0, "factor": 1000.0}


def _change(rng: random.Random, entry: JsonData) -> None:
    ad: dict[str, str] = entry["ad"]
    if "RemoteUser" in ad:
        if rng.random() < 0.15:
            ad["RetirementTimeRemaining"] = rng.choice(("0", "0.5", "1", "7200"))
        if rng.random() < 0.05:
            ad["State"] = quoted("Preempting")
        return
    if "PartitionableSlot" in ad or (int(ad["Cpus"]) > 2 and rng.random() < 0.2):
        _partition(rng, entry, ad)
    elif rng.random() < 0.05:
        ad["WantAdRevaluate"] = "true"
        entry["claims"] = rng.randint(1, 3)


def _partition(rng: random.Random, entry: JsonData, ad: dict[str, str]) -> None:
    ad |= {
        "PartitionableSlot": "true",
        "SlotType": quoted("Partitionable"),
        "TotalSlotCpus": ad["Cpus"],
        "TotalSlotMemory": ad["Memory"],
    }
    if rng.random() < 0.5:
        ad |= {
            "MachineResources": quoted("cpus memory disk"),
            "ConsumptionCpus": rng.choice(_CPUS),
            "ConsumptionMemory": rng.choice(_MEMORY),
            "ConsumptionDisk": rng.choice(("0", "TARGET.RequestDisk")),
        }
        entry["claims"] = rng.randint(1, 8)
