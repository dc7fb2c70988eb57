"""Draws the submitters of a wild scenario and what the accountant knows of them."""

from __future__ import annotations

from fuzz.daemons.wild.mixture import PEOPLE, Mixture
from pieslice.data import Record


def draw_people(mix: Mixture) -> None:
    """Submitters, users that only have claims, and the records of both."""
    mix.submitters = _submitters(mix)
    remote = mix.on("remote-domain")
    if remote and mix.often(0.5):
        mix.config["ACCOUNTANT_LOCAL_DOMAIN"] = mix.pick("test", "elsewhere")
    mix.customers = _customers(mix)
    mix.guests = ["guest", "zoe", "walt"] + (["nosuch.zed"] if mix.groups else [])
    if remote:
        mix.guests += ["bob@far.example", "ann@far.example"]
    for guest in mix.guests:
        if mix.often(0.6):
            priority = round(mix.rng.uniform(0.5, 50), 3)
            factor = float(mix.pick(1000, 10, 1e5))
            mix.customers[guest] = {"priority": priority, "factor": factor}
    if mix.groups and mix.on("group-floor"):
        record = {"group": True, mix.pick("floor", "ceiling"): mix.rng.randint(1, 6)}
        mix.customers[mix.pick(*mix.groups)] = record


def _submitters(mix: Mixture) -> list[str]:
    count = mix.rng.randint(2, 12)
    nice = mix.on("nice-user")
    names = []
    for i, person in enumerate(mix.rng.sample(PEOPLE, count)):
        name = person
        if mix.groups and mix.often(0.75):
            name = f"{mix.pick(*mix.groups)}.{person}"
            if mix.often(0.15):
                prefix = mix.pick("physics.", "nosuch.", "chem.zz.", "Physics.", "bio.a.b.c.")
                name = prefix + person
        elif nice and (i == 0 or mix.often(0.2)):
            name = f"nice-user.{person}"
        names.append(name)
        if mix.groups and mix.often(0.1):
            names.append(f"{mix.pick(*mix.groups)}.{person}")
    return list(dict.fromkeys(names))


def _customers(mix: Mixture) -> dict[str, Record]:
    rng = mix.rng
    equal, factors = mix.on("equal-priorities"), mix.on("factors")
    floor, ceiling = mix.on("floor"), mix.on("ceiling")
    customers: dict[str, Record] = {}
    for i, name in enumerate(mix.submitters):
        if equal and mix.often(0.7):
            continue
        priority = mix.pick(0.5, rng.uniform(0.5, 5), rng.uniform(5, 500))
        record: dict[str, float] = {"priority": round(priority, 3)}
        if factors:
            record["factor"] = float(mix.pick(1000, 1000, 500, 2000, 100, 1, 12.5, 1e6))
        if floor and (i == 0 or mix.often(0.3)):
            record["floor"] = rng.randint(1, 8)
        if ceiling and (i == 1 or mix.often(0.3)):
            record["ceiling"] = rng.randint(0, 10)
        customers[name] = record
    return customers
