"""Draws machines with GPUs of several kinds, and jobs that ask for some.

The attributes are those that a startd makes of what ``condor_gpu_discovery`` finds, and those that
``condor_submit`` makes of ``request_gpus`` and ``require_gpus``.
"""

from __future__ import annotations

from random import Random
from typing import Final

from attr import frozen

from fuzz.daemons.sites.entries import (
    Ad,
    add_resource,
    ask,
    entries,
    partitionable,
    require,
    some,
    text,
)
from fuzz.daemons.wild.mixture import quoted
from pieslice.data import JsonData


@frozen
class _Model:
    name: str
    capability: str
    memory: int
    version: int = 12020


_MODELS: Final = (
    _Model("NVIDIA GeForce GTX 1080 Ti", "6.1", 11178, 11040),
    _Model("Tesla V100-PCIE-16GB", "7.0", 16160, 11070),
    _Model("Tesla T4", "7.5", 15109),
    _Model("NVIDIA A100-SXM4-40GB", "8.0", 40536),
    _Model("NVIDIA A100-SXM4-80GB", "8.0", 81251),
    _Model("NVIDIA L40S", "8.9", 45589),
    _Model("NVIDIA H100 80GB HBM3", "9.0", 81559, 12040),
)
_COUNT: Final = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"


def draw_gpus(rng: Random, scenario: JsonData) -> None:
    """Give some machines GPUs, and have more than half of the jobs ask for them."""
    models = rng.sample(_MODELS, rng.randint(1, 4))
    start = text(rng, "start of gpu machines")
    weighted = rng.random() < 0.25
    for number, entry in enumerate(some(rng, scenario, "slots", rng.choice((0.3, 0.6, 1.0)))):
        ad: Ad = entry["ad"]
        _equip(rng, ad, number, models)
        if rng.random() < 0.5:
            require(ad, start)
        if weighted:
            ad["SlotWeight"] = "Cpus + 8 * (GPUs ?: 0)"
        if rng.random() < 0.15:
            ad["Rank"] = "TARGET.RequestGPUs ?: 0"
    for entry in some(rng, scenario, "jobs", 0.65):
        _want(rng, entry["ad"])


def _equip(rng: Random, ad: Ad, number: int, models: list[_Model]) -> None:
    kinds = [rng.choice(models)] if rng.random() < 0.7 else [rng.choice(models) for _ in range(2)]
    there = [(kinds[i % len(kinds)], f"{number:04x}{i:04x}") for i in range(rng.choice((1, 2, 4)))]
    add_resource(ad, "GPUs", len(there))
    if partitionable(ad):  # dynamic slots may have some of them
        there = rng.sample(there, rng.randint(0, len(there)))
        ad["GPUs"] = str(len(there))
    for model, name in there:
        ad[f"GPUs_GPU_{name}"] = _properties(rng, model, f"GPU-{name}")
    available = there
    if "RemoteUser" in ad:
        ad["AssignedGPUs"] = quoted(",".join(f"GPU-{name}" for _, name in there))
        available = [] if rng.random() < 0.3 else there
    if rng.random() < 0.95:
        ad["AvailableGPUs"] = "{ " + ", ".join(f"GPUs_GPU_{name}" for _, name in available) + " }"
    if len(set(kinds)) == 1 and rng.random() < 0.8:  # what all have in common stands in the slot
        model = kinds[0]
        ad |= {
            "GPUs_Capability": model.capability,
            "GPUs_DeviceName": quoted(model.name),
            "GPUs_GlobalMemoryMb": str(model.memory),
        }
    if rng.random() < 0.1:
        ad["Capability"] = rng.choice(("1.0", "9.9", "undefined"))
    if rng.random() < 0.2:
        ad["Floor"] = rng.choice(("7.0", "8", '"8.0"', "undefined"))


def _properties(rng: Random, model: _Model, name: str) -> str:
    rows = {
        "Id": quoted(name),
        "Capability": model.capability,
        "DeviceName": quoted(model.name),
        "DriverVersion": f"{model.version // 1000}.{model.version % 1000 // 10}",
        "GlobalMemoryMb": str(model.memory),
        "MaxSupportedVersion": str(model.version),
        "ECCEnabled": rng.choice(("true", "false")),
    }
    if rng.random() < 0.1:
        del rows[rng.choice(("Capability", "GlobalMemoryMb", "MaxSupportedVersion"))]
    return "[ " + "; ".join(f"{key} = {text}" for key, text in rows.items()) + " ]"


def _want(rng: Random, ad: Ad) -> None:
    ad["RequestGPUs"] = text(rng, "requested gpus")
    if rng.random() < 0.3:
        ask(ad, "(TARGET.GPUs >= RequestGPUs)")
    else:
        ad["RequireGPUs"] = text(rng, "required gpus")
        ask(ad, f"({_COUNT})")
    for name in ("MinCap", "WantedModel", "GPUsMinCapability", "GPUsMinMemory", "Capability"):
        if rng.random() < (0.2 if name == "Capability" else 0.8):
            ad[name] = text(rng, f"job attribute {name}")
    if rng.random() < 0.3:
        ad["Rank"] = text(rng, "job rank of gpus")


def draw_gpu_shapes(rng: Random, scenario: JsonData) -> None:
    """Give jobs that count GPUs shapes that people write and nobody documents."""
    for entry in entries(scenario, "jobs"):
        ad = entry["ad"]
        if "RequireGPUs" in ad and rng.random() < 0.6:
            ad["RequireGPUs"] = text(rng, "required gpus, odd")
        if "RequestGPUs" in ad and rng.random() < 0.15:
            count = text(rng, "counting of gpus, odd")
            ad["Requirements"] = (ad.get("Requirements") or _COUNT).replace(_COUNT, count)
    for entry in some(rng, scenario, "slots", 0.1):
        if "AvailableGPUs" in entry["ad"]:
            entry["ad"]["AvailableGPUs"] = text(rng, "available gpus, odd")
