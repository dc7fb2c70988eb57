"""Names the parts that can be mixed into a scenario, and draws pools that have some of them.

Inputs: a seed, and names of parts.  Outputs: a scenario; the same seed and names always give the
same one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from fuzz.daemons.plausible import plausible_scenario
from fuzz.daemons.sites.gpus import draw_gpu_shapes, draw_gpus
from fuzz.daemons.sites.machines import draw_pslots, draw_resources
from fuzz.daemons.sites.policies import draw_ranks, draw_starts
from fuzz.daemons.sites.queues import draw_flocking, draw_licences, draw_routed, draw_schedds
from pieslice.data import JsonData

#: Part -> what draws it, in the order in which they are put into a scenario.
PARTS: Final[Mapping[str, Callable[[Random, JsonData], None]]] = {
    "pslots": draw_pslots,
    "starts": draw_starts,
    "ranks": draw_ranks,
    "resources": draw_resources,
    "gpus": draw_gpus,
    "gpu-shapes": draw_gpu_shapes,
    "licences": draw_licences,
    "schedds": draw_schedds,
    "flocking": draw_flocking,
    "routed": draw_routed,
}
#: Parts that make no sense without another one.
_NEED: Final = {"gpu-shapes": "gpus"}
_MOST_SLOTS: Final = 40
_MOST_JOBS: Final = 15


def mixed(scenario: JsonData, parts: Sequence[str], seed: int) -> JsonData:
    """The scenario with these parts, each drawn by the seed and its own name."""
    wanted = {*parts, *(_NEED[name] for name in parts if name in _NEED)}
    for name, draw in PARTS.items():
        if name in wanted:
            draw(Random(f"{name}-negotiation-{seed}"), scenario)
    if any(not (entry["ad"].get("SlotWeight") or "1").isalnum() for entry in scenario["slots"]):
        _stop_time(scenario)
    scenario["tags"] = sorted({*scenario["tags"], *wanted})
    return scenario


def _stop_time(scenario: JsonData) -> None:
    """Have no time pass: usage can only be seeded where weights are numbers.

    Without a half-life of the scenario's own the seconds that a recording takes change nothing.
    """
    scenario["config"].pop("PRIORITY_HALFLIFE", None)
    for record in (scenario["accountant"], *scenario.get("cycles", ())):
        for name in ("elapsed", "seed_claims"):
            record.pop(name, None)


def site_scenario(seed: int) -> JsonData:
    """A small plausible pool with two to five parts."""
    rng = Random(f"site-negotiation-{seed}")
    return mixed(small_pool(seed), rng.sample(list(PARTS), rng.randint(2, 5)), seed)


def small_pool(seed: int) -> JsonData:
    """A plausible pool cut to a few machines, short clusters and three cycles at most."""
    scenario = plausible_scenario(seed)
    rng = Random(f"small-negotiation-{seed}")
    slots = scenario["slots"] = scenario["slots"][: rng.randint(6, _MOST_SLOTS)]
    names = {entry["name"] for entry in slots}
    steps = scenario["cycles"] = scenario["cycles"][: rng.choice((1, 1, 2, 3))]
    for step in (scenario, *steps):
        for entry in step.get("jobs", ()):
            entry["count"] = 1 + entry["count"] % _MOST_JOBS
    for step in steps[1:]:
        if "slots" in step:
            step["slots"] = [entry for entry in step["slots"] if entry["name"] in names]
        if "remove_slots" in step:
            step["remove_slots"] = [name for name in step["remove_slots"] if name in names]
    name, about = f"site-{seed}", f"Pool as sites have them: {len(slots)} slots."
    return scenario | {"name": name, "description": about}
