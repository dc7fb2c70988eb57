"""Draws the slots of a wild scenario: their ads, which are partitionable, their names."""

from __future__ import annotations

from typing import Final

from fuzz.daemons.wild.children import slots_with_children
from fuzz.daemons.wild.claims import draw_claim
from fuzz.daemons.wild.mixture import SITES, Mixture, quoted
from pieslice.data import JsonData

_REQUIREMENTS: Final = "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory"
_TRAITS: Final = (
    "claimed", "preempting-user", "preempting-state", "other-states", "retirement", "offline",
    "missing-attributes", "machine-requirements", "machine-requirements-odd", "machine-rank",
    "machine-rank-odd", "no-claim-id", "revaluate", "negotiator-requirements", "pslot",
    "pslot-claimed", "consumption-policy", "slot-weight-expr", "slot-weight-odd", "nested-ads",
    "ephemeral-in-ads",
)  # fmt: skip
#: What a slot with a consumption policy has to have, or the negotiator aborts.
_NEEDED: Final = (("Cpus", "8"), ("Memory", "8192"), ("Disk", "1000000"))

_Traits = dict[str, bool]
_Ad = dict[str, str | None]


def draw_slots(mix: Mixture) -> list[JsonData]:
    """The entries of the slots."""
    rng = mix.rng
    count = int(rng.triangular(5, 60, 18))
    several_cpus = mix.often(0.55)
    traits = mix.traits(*_TRAITS)
    traits["claimed-by-group"] = bool(mix.groups) and mix.on("claimed-by-group")
    if traits["slot-weight-expr"] and "SLOT_WEIGHT" not in mix.config:
        mix.config["SLOT_WEIGHT"] = mix.text("default slot weight")
    busy = rng.uniform(0.15, 0.75) if traits["claimed"] else 0
    large = mix.on("large-numbers")
    mix.nested, mix.ephemeral = traits["nested-ads"], traits["ephemeral-in-ads"]
    naming = rng.randrange(4)
    per_machine = rng.randint(1, 8)
    entries = []
    for i in range(count):
        cpus = mix.pick(1, 1, 2, 4, 8) if several_cpus else 1
        ad = _machine(mix, i, 1 + i % per_machine, cpus)
        _policy(mix, traits, ad)
        _weight_and_nested(mix, traits, ad, large=large)
        entry: JsonData = {"name": None, "ad": ad}
        partitionable = _partition(mix, traits, entry, ad)
        draw_claim(mix, traits, ad, busy, partitionable=partitionable)
        _odd_ends(mix, traits, entry, ad)
        entry["name"] = _name(naming, i, per_machine, partitionable=partitionable)
        if entry.get("claims") == 1:
            del entry["claims"]
        entries.append(entry)
    if mix.on("pslot-preemption"):
        entries += slots_with_children(mix)
    if mix.often(0.3):
        rng.shuffle(entries)
    return entries


def _machine(mix: Mixture, i: int, slot: int, cpus: int) -> _Ad:
    memory = mix.pick(512, 1024, 2048, 4096) * cpus
    ad: _Ad = {
        "Cpus": str(cpus),
        "Memory": str(memory),
        "SlotID": str(slot),
        "Tier": str(mix.rng.randint(0, 3)),
        "Uniq": str(i * 7 % 101),
        "Site": quoted(mix.pick(*SITES)),
        "Feats": quoted(mix.pick("", "gpu", "gpu,ssd", "ssd, big ,gpu", "avx2")),
    }
    if mix.often(0.6):
        ad["KFlops"] = str(mix.rng.randrange(100000, 2000000, 1000))
    if mix.often(0.25):
        ad["HasGPU"] = mix.pick("True", "False", "1")
    return ad


def _policy(mix: Mixture, traits: _Traits, ad: _Ad) -> None:
    """Requirements and Rank of a machine."""
    usual = traits["machine-requirements"]
    ad["Requirements"] = mix.text("machine requirements") if usual else _REQUIREMENTS
    if traits["machine-requirements-odd"] and mix.often(0.25):
        ad["Requirements"] = mix.text("machine requirements, odd")
    if traits["ephemeral-in-ads"] and mix.often(0.5):
        ad["Requirements"] = mix.text("machine requirements of the cycle")
    if traits["machine-rank"] and mix.often(0.5):
        ad["Rank"] = mix.text("machine rank")
    if traits["machine-rank-odd"] and mix.often(0.3):
        ad["Rank"] = mix.text("machine rank, odd")
    if traits["ephemeral-in-ads"] and mix.often(0.2):
        ad["Rank"] = mix.text("machine rank of the cycle")


def _weight_and_nested(mix: Mixture, traits: _Traits, ad: _Ad, *, large: bool) -> None:
    rng = mix.rng
    if traits["slot-weight-expr"] and mix.often(0.6):
        ad["SlotWeight"] = mix.text("slot weight")
    if traits["slot-weight-odd"] and mix.often(0.35):
        ad["SlotWeight"] = mix.text_or_none("slot weight, odd")
    if traits["nested-ads"]:
        generation, vendor = rng.randint(1, 4), mix.pick("acme", "Intel")
        ad["Info"] = f'[gen = {generation}; vendor = "{vendor}"; sub = [deep = MY.Tier]]'
        disks = [str(rng.randint(10, 900)) for _ in range(rng.randint(0, 3))]
        ad["Disks"] = f"{{{', '.join(disks)}}}"
    if large and mix.often(0.5):
        memory = ad["Memory"]
        ad["Memory"] = mix.pick("4503599627370497", "9007199254740993", "2147483648", memory)
        ad["Tier"] = mix.pick("3000000000", "16777217", "-5", "0")


def _partition(mix: Mixture, traits: _Traits, entry: JsonData, ad: _Ad) -> bool:
    """Make some slots partitionable; returns whether this one is."""
    wanted = traits["pslot"] or traits["consumption-policy"] or traits["pslot-claimed"]
    if not (wanted and mix.often(0.4)):
        return False
    cpus = mix.pick(4, 8, 8, 16)
    ad.update(
        {
            "PartitionableSlot": "true",
            "SlotType": quoted("Partitionable"),
            "Cpus": str(mix.pick(cpus, cpus, cpus - 3)),
            "TotalSlotCpus": str(cpus),
            "TotalCpus": str(cpus),
            "Memory": str(cpus * 1024),
            "TotalSlotMemory": str(cpus * 1024),
        }
    )
    if traits["consumption-policy"] and (not traits["pslot"] or mix.often(0.6)):
        resources = mix.pick("cpus memory disk", "Cpus Memory Disk Swap", "cpus memory")
        ad.update(
            {
                "MachineResources": quoted(resources),
                "ConsumptionCpus": mix.text("consumption of cpus"),
                "ConsumptionMemory": mix.text("consumption of memory"),
                "ConsumptionDisk": mix.pick("quantize(TARGET.RequestDisk,{1024})", "0"),
            }
        )
        entry["claims"] = mix.rng.randint(1, 9)
    if traits["pslot-claimed"] and mix.often(0.5):
        schedd = mix.pick("s1@oracle.test", "s2@oracle.test", "s9@oracle.test")
        ad.update({"State": quoted("Claimed"), "RemoteScheddName": quoted(schedd)})
        if mix.often(0.3):
            ad["WantMatching"] = mix.pick("true", "false")
        if mix.often(0.3):
            ad["WorkingCM"] = quoted("cm")
            if mix.often(0.5):
                mix.config["MATCH_WORKING_CM_SLOTS"] = "True"
    return True


def _odd_ends(mix: Mixture, traits: _Traits, entry: JsonData, ad: _Ad) -> None:
    """Whatever else a slot may have or lack."""
    if traits["retirement"] and mix.often(0.3):
        ad["RetirementTimeRemaining"] = mix.text("retirement time")
    if traits["offline"] and mix.often(0.25):
        ad["Offline"] = mix.pick("true", "true", "false", "1")
        if mix.often(0.4):
            ad["GhostMultiplier"] = str(mix.rng.randint(1, 5))
    if traits["missing-attributes"] and mix.often(0.4):
        missing = mix.pick(
            "Rank",
            "CurrentRank",
            "Cpus",
            "Memory",
            "Requirements",
            "SlotID",
            "Site",
            "Tier",
            "Disk",
        )
        ad[missing] = None
    if "ConsumptionCpus" in ad:
        for name, text in _NEEDED:
            if name in ad and ad[name] is None:
                ad[name] = text
    if traits["no-claim-id"] and mix.often(0.25):
        entry["claims"] = 0
    if traits["revaluate"] and mix.often(0.3):
        ad["WantAdRevaluate"] = "true"
        entry["claims"] = mix.rng.randint(1, 3)
    if traits["negotiator-requirements"] and mix.often(0.3):
        ad["NegotiatorRequirements"] = mix.text("negotiator requirements")
    if "trim-shutdown" in mix.tags and mix.often(0.4):
        ad["MyCurrentTime"] = str(1700000000 + mix.rng.randint(0, 4000))
        text = mix.text("shutdown")
        ad[mix.pick("DaemonShutdown", "DaemonShutdownFast")] = text


def _name(naming: int, i: int, per_machine: int, *, partitionable: bool) -> str:
    slot, node = 1 + i % per_machine, i // per_machine
    if naming == 0:
        return f"slot{slot}@n{node:03d}"
    if naming == 1:
        return f"slot{slot}@node{node}.cluster{node % 3}.test"
    if naming == 2:
        return f"slot1@p{i}-{node}" if partitionable else f"slot1_{slot}@W-{node}"
    return f"m{i}.example"
