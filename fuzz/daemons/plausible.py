"""Draws plausible pools over several cycles: 60 to 250 slots, groups, and policies as sites have.

Jobs arrive and end between the cycles.  A third of the pools run all cycles in one negotiator
process.

Inputs: a seed.  Outputs: a scenario; the same seed always gives the same one.
"""

from __future__ import annotations

import random
from typing import Final

from attr import define, field

from fuzz.daemons.plausible_policy import draw_groups, draw_policy
from fuzz.daemons.wild.mixture import PEOPLE, quoted
from pieslice.data import JsonData, Record

_FIT: Final = "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory"
#: Whom a machine takes jobs of; the group or the owner stands in place of the braces.
_OWNED: Final = (
    _FIT,
    f'({_FIT}) && (TARGET.Owner =!= "{{person}}")',
    f'({_FIT}) && (TARGET.Owner == "{{person}}" || TARGET.JobPrio >= 0)',
    f"({_FIT}) && (TARGET.RequestMemory * 4 >= MY.Memory || MY.Cpus == 1)",
)
_RANKS: Final = (
    "0.0",
    '(TARGET.Owner == "{person}") * 10',
    'stringListMember(TARGET.Owner, "{person},{other}") * 10',
    "TARGET.JobPrio",
    "TARGET.RequestCpus",
)
_JOB_RANKS: Final = (
    "0.0", "KFlops", "TARGET.Memory", "-TARGET.Cpus", 'Site == "north"', "Mips / 7.0",
)  # fmt: skip
_JOB_REQUIREMENTS: Final = (
    "true",
    'TARGET.Arch == "X86_64" && TARGET.OpSys == "LINUX"',
    'TARGET.Site != "south"',
    "TARGET.HasGPU =?= true || TARGET.Memory >= MY.RequestMemory * 2",
    "(TARGET.Disk >= RequestDisk) && (TARGET.KFlops > 400000)",
    'regexp("^slot[12]@", TARGET.Name)',
)
_DOMAIN: Final = "test"


@define(eq=False)
class _Pool:
    """A pool in the making; ``clusters``: the last one of each schedd.

    ``homes``: the only schedd of each submitter.  The negotiator orders equal submitters of several
    schedds by the seconds of their ads, so that two recordings could differ.
    """

    rng: random.Random
    groups: list[str]
    limits: list[str]
    submitters: list[str]
    schedds: list[str]
    homes: dict[str, str]
    clusters: dict[str, int] = field(factory=dict)


def plausible_scenario(seed: int) -> JsonData:
    """The scenario of a seed."""
    rng = random.Random(f"plausible-negotiation-{seed}")
    config: dict[str, str] = {}
    groups = draw_groups(rng, config)
    draw_policy(rng, config, groups)
    limits = ["matlab", "nfs"] if rng.random() < 0.3 else []
    for limit in limits:
        config[f"{limit.upper()}_LIMIT"] = str(rng.randint(3, 30))
    submitters = _submitters(rng, groups)
    schedds = ["s1", "s2", "s3"][: rng.choice((1, 1, 2, 3))]
    homes = {name: rng.choice(schedds) for name in submitters}
    pool = _Pool(rng, groups, limits, submitters, schedds, homes)
    accountant: JsonData = {"customers": _customers(rng, submitters)}
    slots = _slots(pool)
    scenario: JsonData = {
        "name": f"plausible-{seed}",
        "description": f"Plausible pool: {len(slots)} slots, {len(submitters)} submitters.",
        "tags": ["groups"] if groups else [],
        "config": config,
        "slots": slots,
        "jobs": _clusters(pool, rng.randint(1, 3), range(5, 60)),
        "accountant": accountant,
        "cycles": [{}, *(_step(pool, slots) for _ in range(rng.randint(3, 6)))],
    }
    if seed % 3 == 0:
        scenario["process"] = "one"
    elif not groups and rng.random() < 0.5:
        config["PRIORITY_HALFLIFE"] = rng.choice(("86400", "3600"))
        accountant |= {"elapsed": rng.choice((60, 300)), "seed_claims": True}
        for step in scenario["cycles"][1:]:
            step["elapsed"] = rng.choice((60, 300, 3600))
    return scenario


def _submitters(rng: random.Random, groups: list[str]) -> list[str]:
    people = rng.sample(PEOPLE, rng.randint(5, 18))
    if not groups:
        return people
    grouped = (f"{rng.choice(groups)}.{name}" if rng.random() < 0.85 else name for name in people)
    return list(dict.fromkeys(grouped))


def _customers(rng: random.Random, submitters: list[str]) -> dict[str, Record]:
    """Priorities over four orders of magnitude; the first one's factor is the default one."""
    customers: dict[str, Record] = {}
    for i, name in enumerate(submitters):
        record: dict[str, float] = {"priority": round(0.5 * 10 ** rng.uniform(0, 3.5), 3)}
        record["factor"] = float(1000 if i == 0 else rng.choice((1000, 1000, 1000, 100, 10000)))
        if rng.random() < 0.08:
            record["ceiling"] = rng.randint(2, 40)
        if rng.random() < 0.06:
            record["floor"] = rng.randint(1, 10)
        customers[name] = record
    return customers


def _slots(pool: _Pool) -> list[JsonData]:
    """Machines of a few models, each with slots of one size."""
    rng = pool.rng
    count = rng.randint(60, 250)
    busy = rng.choice((0.0, 0.3, 0.6, 0.9))
    entries: list[JsonData] = []
    machine = 0
    while len(entries) < count:
        machine += 1
        model = _model(rng)
        for slot in range(1, min(rng.choice((1, 2, 4, 8)), count - len(entries)) + 1):
            ad = {**model, "SlotID": str(slot)}
            if rng.random() < busy and "PartitionableSlot" not in ad:
                ad |= _claim(pool)
            entries.append({"name": f"slot{slot}@node{machine:03d}.test", "ad": ad})
    return entries


def _model(rng: random.Random) -> dict[str, str]:
    cpus = rng.choice((1, 1, 1, 2, 4, 8))
    person, other = rng.sample(PEOPLE, 2)
    ad = {
        "Cpus": str(cpus),
        "Memory": str(cpus * rng.choice((1024, 2048, 4096))),
        "Disk": str(rng.choice((1000000, 50000000))),
        "KFlops": str(rng.randrange(200000, 2000000, 1000)),
        "Mips": str(rng.randrange(5000, 40000, 10)),
        "Site": quoted(rng.choice(("north", "south", "east"))),
        "Requirements": rng.choice(_OWNED).replace("{person}", person),
        "Rank": rng.choice(_RANKS).replace("{person}", person).replace("{other}", other),
    }
    if rng.random() < 0.1:
        ad["HasGPU"] = "true"
    if rng.random() < 0.06:
        ad |= {
            "PartitionableSlot": "true",
            "SlotType": quoted("Partitionable"),
            "TotalSlotCpus": ad["Cpus"],
            "TotalSlotMemory": ad["Memory"],
        }
    return ad


def _claim(pool: _Pool) -> dict[str, str]:
    rng = pool.rng
    user = rng.choice(pool.submitters)
    owner = user.rsplit(".", 1)[-1]
    claim = {
        "State": quoted("Claimed"),
        "Activity": quoted("Busy"),
        "RemoteUser": quoted(f"{user}@{_DOMAIN}"),
        "RemoteOwner": quoted(f"{owner}@{_DOMAIN}"),
        "CurrentRank": rng.choice(("0.0", "0.0", "10.0")),
        "TotalJobRunTime": str(rng.randrange(60, 200000)),
    }
    if user != owner:
        claim["AccountingGroup"] = quoted(f"{user}@{_DOMAIN}")
    if rng.random() < 0.1:
        claim["RetirementTimeRemaining"] = str(rng.choice((0, 600, 7200)))
    if pool.limits and rng.random() < 0.1:
        claim["ConcurrencyLimits"] = quoted(rng.choice(pool.limits))
    return claim


def _clusters(pool: _Pool, most: int, sizes: range) -> list[JsonData]:
    """Clusters of jobs of every submitter, up to ``most`` each."""
    rng = pool.rng
    entries: list[JsonData] = []
    for submitter in pool.submitters:
        schedd = pool.homes[submitter]
        for _ in range(rng.randint(0, most)):
            number = pool.clusters[schedd] = pool.clusters.get(schedd, 0) + 1
            ad = _job(pool)
            entry: JsonData = {"id": str(number), "submitter": submitter}
            if len(pool.schedds) > 1:
                entry["schedd"] = schedd
            entries.append(entry | {"count": rng.choice(sizes), "ad": ad})
    return entries


def _job(pool: _Pool) -> dict[str, str]:
    rng = pool.rng
    ad = {
        "RequestCpus": str(rng.choice((1, 1, 1, 1, 2, 4))),
        "RequestMemory": str(rng.choice((128, 512, 1000, 2000, 4000))),
        "Requirements": rng.choice(_JOB_REQUIREMENTS),
        "Rank": rng.choice(_JOB_RANKS),
    }
    if rng.random() < 0.3:
        ad["JobPrio"] = str(rng.choice((-10, 0, 5, 10)))
    if pool.limits and rng.random() < 0.2:
        ad["ConcurrencyLimits"] = quoted(rng.choice([*pool.limits, ",".join(pool.limits)]))
    return ad


def _step(pool: _Pool, slots: list[JsonData]) -> JsonData:
    """What happens before the next cycle: jobs arrive, some claims end, some slots go."""
    rng = pool.rng
    step: JsonData = {"jobs": _clusters(pool, 2, range(1, 30))}
    ended = rng.sample(slots, int(len(slots) * rng.choice((0.0, 0.1, 0.3))))
    if ended:
        step["slots"] = [_idle(entry) for entry in ended]
    if rng.random() < 0.2:
        gone = rng.sample(slots, rng.randint(1, 5))
        names = {entry["name"] for entry in ended}
        step["remove_slots"] = sorted({entry["name"] for entry in gone} - names)
    return step


def _idle(entry: Record) -> JsonData:
    """A slot whose claim has ended."""
    claim = (
        "State", "Activity", "RemoteUser", "RemoteOwner", "CurrentRank", "TotalJobRunTime",
        "AccountingGroup", "RetirementTimeRemaining", "ConcurrencyLimits",
    )  # fmt: skip
    kept = {name: text for name, text in entry["ad"].items() if name not in claim}
    return {"name": entry["name"], "ad": kept}
