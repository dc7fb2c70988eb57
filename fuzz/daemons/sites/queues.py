"""Draws jobs that a router manages, licences as expressions, several schedds and flocking."""

from __future__ import annotations

from random import Random
from typing import Final

from fuzz.daemons.sites.entries import Ad, entries, renumber, require, some, text
from fuzz.daemons.wild.mixture import quoted
from pieslice.data import JsonData

_SCHEDDS: Final = ("s1", "s2", "s3", "s4")
#: Schedds of other sites, and their domains.
_FAR: Final = {"s5": "far.example", "s6": "hep.other.example"}
_LICENCES: Final = ("matlab", "idl", "gpulic", "cpulic", "north", "sw.a", "big", "wan")


def draw_routed(rng: Random, scenario: JsonData) -> None:
    """Have a router or something else manage some jobs; each schedd keeps some of its own."""
    plain: set[str] = set()
    chance = rng.choice((0.2, 0.5))
    for entry in entries(scenario, "jobs"):
        schedd = entry.get("schedd", "s1")
        if schedd not in plain:
            plain.add(schedd)
            continue
        if rng.random() < chance:
            entry["ad"]["Managed"] = text(rng, "managed")
            if rng.random() < 0.6:
                entry["ad"]["ManagedManager"] = quoted("htcondor-ce-1")
            if rng.random() < 0.3:
                entry["ad"]["RoutedFromJobId"] = quoted("17.0")


def draw_licences(rng: Random, scenario: JsonData) -> None:
    """Limits of licences, which jobs name by expressions, and claims that hold some."""
    config = scenario["config"]
    for name in _LICENCES:
        if rng.random() < 0.7:
            config[f"{name.upper()}_LIMIT"] = rng.choice(("1", "2", "3", "5", "10", "2.5"))
    if rng.random() < 0.3:
        config["CONCURRENCY_LIMIT_DEFAULT"] = str(rng.randint(1, 6))
    if rng.random() < 0.3:
        config["CONCURRENCY_LIMIT_DEFAULT_user"] = str(rng.randint(1, 4))
    for entry in some(rng, scenario, "jobs", 0.6):
        entry["ad"]["ConcurrencyLimits"] = text(rng, "licences")
    for entry in some(rng, scenario, "slots", 0.3):
        ad: Ad = entry["ad"]
        ad["HasMatlab"] = rng.choice(("true", "false", "1"))
        if "RemoteUser" in ad and rng.random() < 0.4:
            ad["ConcurrencyLimits"] = quoted(rng.choice(("matlab", "idl:2", "sw.a", "gpulic,idl")))


def draw_schedds(rng: Random, scenario: JsonData) -> None:
    """Spread the clusters of every submitter over several schedds."""
    schedds = _SCHEDDS[: rng.randint(2, len(_SCHEDDS))]
    for entry in entries(scenario, "jobs"):
        entry["schedd"] = rng.choice(schedds)
        if rng.random() < 0.3:
            entry["ad"]["JobPrio"] = str(rng.randint(-3, 3))
    renumber(scenario)
    if rng.random() < 0.3:
        knob = rng.choice(("MAX_JOBS_RUNNING", "MAX_CONCURRENT_UPLOADS_PER_USER"))
        scenario["config"].setdefault(knob, rng.choice(("3", "7", "20")))


def draw_flocking(rng: Random, scenario: JsonData) -> None:
    """Have schedds of other sites send jobs here, and their users hold some claims."""
    config, customers = scenario["config"], scenario["accountant"].setdefault("customers", {})
    far = dict(list(_FAR.items())[: rng.randint(1, len(_FAR))])
    scenario["uid_domains"] = far
    names = set()
    for entry in list(some(rng, scenario, "jobs", 0.4)):
        entry["schedd"] = rng.choice(list(far))
        names.add(f"{entry['submitter']}@{far[entry['schedd']]}")
    renumber(scenario)
    for name in sorted(names):
        if rng.random() < 0.5:
            priority = round(rng.uniform(0.5, 50), 3)
            customers[name] = {"priority": priority, "factor": rng.choice((1000.0, 10000.0))}
    if rng.random() < 0.5:
        config["REMOTE_PRIO_FACTOR"] = rng.choice(("10000", "1000", "1e7"))
    if rng.random() < 0.5:
        config["ACCOUNTANT_LOCAL_DOMAIN"] = "test"
    for entry in some(rng, scenario, "slots", 0.3):
        ad: Ad = entry["ad"]
        if "RemoteUser" in ad and names and rng.random() < 0.5:
            user = quoted(rng.choice(sorted(names)))
            ad |= {"RemoteUser": user, "RemoteOwner": user}
            ad.pop("AccountingGroup", None)
        elif rng.random() < 0.5:
            require(ad, text(rng, "start for flocking"))
