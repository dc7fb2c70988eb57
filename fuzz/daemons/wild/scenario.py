"""Draws a whole wild scenario from a seed, and names the features that it has.

Inputs: a seed.  Outputs: a scenario; the same seed always gives the same one.  Seeds below 30,000
belong to recorded scenarios.
"""

from __future__ import annotations

from typing import Any

from fuzz.daemons.wild.claims import draw_claimed_limits
from fuzz.daemons.wild.groups import draw_groups
from fuzz.daemons.wild.jobs import draw_jobs
from fuzz.daemons.wild.knobs import draw_knobs, draw_limits
from fuzz.daemons.wild.matching import draw_preemption, draw_ranks
from fuzz.daemons.wild.mixture import Mixture, quoted
from fuzz.daemons.wild.people import draw_people
from fuzz.daemons.wild.slots import draw_slots
from fuzz.daemons.wild.traces import features_without_trace
from pieslice.data import JsonData


def wild_scenario(seed: int) -> JsonData:
    """The scenario of a seed."""
    mix = Mixture.of(seed)
    draw_groups(mix)
    draw_preemption(mix)
    draw_ranks(mix)
    draw_knobs(mix)
    draw_people(mix)
    draw_limits(mix)
    slots = draw_slots(mix)
    draw_claimed_limits(mix, slots)
    jobs = draw_jobs(mix)
    accountant: JsonData = {"customers": mix.customers}
    scenario: JsonData = {
        "name": f"wild-{seed}",
        "description": "",
        "tags": [],
        "config": mix.config,
        "slots": slots,
        "jobs": jobs,
        "accountant": accountant,
    }
    if mix.on("skip-matchmaking"):
        scenario["submitter_ads"] = {
            f"{mix.pick(*mix.submitters)}@test": mix.pick(
                {"SkipMatchmaking": "true"},
                {"SkipMatchmaking": "false"},
                {"SkipMatchmaking": "1"},
                {"WeightedIdleJobs": "3"},
                {"IdleJobs": "1"},
            )
        }
    if mix.on("several-cycles"):
        scenario["cycles"] = _steps(mix, slots)
    _draw_time(mix, scenario)
    _keep_tags(mix, scenario)
    people, tags = len(mix.submitters), len(mix.tags)
    scenario["description"] = (
        f"Wild pool: {len(slots)} slot entries, {people} submitters, {tags} features."
    )
    return scenario


def _steps(mix: Mixture, slots: list[JsonData]) -> list[JsonData]:
    rng = mix.rng
    steps: list[JsonData] = [{}]
    for _ in range(rng.randint(1, 2)):
        number = len(steps)
        step: JsonData = {}
        if mix.often(0.5):
            step["jobs"] = [
                {
                    "id": str(800 + 10 * number + k),
                    "submitter": mix.pick(*mix.submitters),
                    "count": rng.randint(1, 8),
                    "ad": {"RequestMemory": str(mix.pick(100, 900))},
                }
                for k in range(rng.randint(1, 3))
            ]
        if mix.often(0.3):
            step["remove_slots"] = sorted({mix.pick(*slots)["name"] for _ in range(2)})
        if mix.often(0.3):
            added = {
                "name": "extra{i}@late",
                "count": rng.randint(1, 6),
                "first": 10 * number,
                "ad": {"Tier": "1", "Site": quoted("north")},
            }
            step["slots"] = [added]
        if mix.often(0.2):
            step["claim_matches"] = False
        steps.append(step)
    return steps


def _draw_time(mix: Mixture, scenario: dict[str, Any]) -> None:
    """Have time pass before a cycle, where usage is simple enough to be seeded."""
    weights = {"slot-weight-expr", "slot-weight-odd", "force-slot-weight"}
    simple = not weights & mix.tags and "missing-attributes" not in mix.tags
    accountant = scenario["accountant"]
    if simple and (not mix.groups or "elapsed" in mix.forced) and mix.on("elapsed"):
        if mix.groups:
            scenario["warm"] = False
            mix.tags.add("groups-first-cycle")
        mix.config["PRIORITY_HALFLIFE"] = mix.pick("86400", "3600", "1000000")
        accountant["elapsed"] = mix.pick(60, 300, 4000, 100000)
        accountant["seed_claims"] = True
        for step in scenario.get("cycles", ())[1:]:
            step["elapsed"] = mix.pick(60, 3600)
    elif mix.groups and mix.on("groups-first-cycle"):
        scenario["warm"] = False
    if "elapsed" not in accountant:
        mix.tags.discard("elapsed")


def _keep_tags(mix: Mixture, scenario: dict[str, Any]) -> None:
    if mix.on("capture-slot-ads"):
        scenario["capture_slot_ads"] = True
    if mix.groups:
        mix.tags.add("groups")
    else:
        mix.tags -= {tag for tag in mix.tags if tag.startswith("group")}
    mix.tags -= features_without_trace(scenario)
    scenario["tags"] = sorted(mix.tags)
