"""Asks drawn pools everything that ``why`` and its kin can be asked, of every job.

The pools have what recorded ones lack: jobs that run, leave or are not offered, slots that nobody
sees, names that there are not, rooms that are full.  The answers are kept in ``retold/drawn.txt``:
``python -m tests.pieslice.drawn_pools`` asks anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from negotiator.scenario.read import NOW
from tests.pieslice.keeping import Kept, Told
from tests.pieslice.retold import ask, pool_of

KEPT: Final = Kept("drawn")
POOLS: Final = 30

_USERS: Final = ("ann", "bob", "g.ann", "g.cid", "h.eve")
#: Of a slot: more than one of a line is drawn together.
_SLOTS: Final[tuple[tuple[dict[str, str], ...], ...]] = (
    ({"Cpus": "1"}, {"Cpus": "4"}, {"Cpus": "4"}, {"Cpus": "16"}),
    ({"Memory": "512"}, {"Memory": "2048"}, {"Memory": "2048"}, {"Memory": "100000"}),
    ({}, {"GPUs": "0"}, {"GPUs": "2"}),
    ({}, {"Load": "0.25"}, {"Load": "1.5"}, {"Load": "3.0"}),
    ({}, {"Arch": '"arm"'}, {"HasIt": "true"}, {"Tier": "2"}, {"Tier": '"two"'}),
    (
        {"Requirements": "true"},
        {"Requirements": "true"},
        {"Requirements": "true"},
        {"Requirements": "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory"},
        {"Requirements": "START", "Start": "TARGET.Urgency > 2 && Fits",
         "Fits": "TARGET.RequestMemory < MY.Memory"},
        {"Requirements": 'TARGET.Owner == "bob" || TARGET.IsShort'},
        {"Requirements": "TARGET.Runs <= 3.5 && TARGET.RequestGPUs <= MY.GPUs"},
        {"Requirements": "TARGET.Urgency * 2 >= MY.Cpus && TARGET.Project =?= \"x\""},
        {"Requirements": "MY.Cpus > TARGET.RequestCpus + 1 && !TARGET.IsShort"},
    ),
    ({}, {}, {"Rank": "TARGET.Urgency"}, {"Rank": 'TARGET.Owner == "ann"'}),
    ({}, {}, {"SlotWeight": "2.5"}, {"SlotWeight": "Memory / 1000.0"}),
    ({}, {}, {}, {}, {"Absent": "true"}, {"Offline": "true"}, {"DaemonShutdown": "true"}),
)  # fmt: skip
_BUSY: Final = {"State": '"Claimed"', "Activity": '"Busy"'}
_CLAIMS: Final[tuple[dict[str, str], ...]] = (
    {},
    {},
    {**_BUSY, "CurrentRank": "0.0"},
    {**_BUSY, "CurrentRank": "1.0", "TotalJobRunTime": "50"},
    {**_BUSY, "CurrentRank": "2.5", "MaxJobRetirementTime": "3600"},
    {"State": '"Claimed"', "Activity": '"Retiring"', "PreemptingUser": '"eve@test"',
     "PreemptingRank": "3.0", "CurrentRank": "2.0", "RetirementTimeRemaining": "77"},
    {"State": '"Claimed"', "Activity": '"Retiring"', "Draining": "true"},
    {"State": '"Preempting"', "Activity": '"Vacating"', "MachineMaxVacateTime": "30"},
    {"State": '"Preempting"', "Activity": '"Killing"', "PreemptingUser": '"bob@test"',
     "PreemptingAccountingGroup": '"g.bob@test"', "PreemptingRank": "0.0"},
)  # fmt: skip
_JOBS: Final[tuple[tuple[dict[str, str], ...], ...]] = (
    ({"RequestCpus": "1"}, {"RequestCpus": "1"}, {"RequestCpus": "2"}, {"RequestCpus": "8"},
     {"RequestCpus": "64"}),
    ({"RequestMemory": "1"}, {"RequestMemory": "1"}, {"RequestMemory": "1000"},
     {"RequestMemory": "2048"}, {"RequestMemory": "200000"}),
    ({}, {"RequestGPUs": "1"}, {"RequestGPUs": "5"}),
    ({}, {"Urgency": "1"}, {"Urgency": "3"}, {"Urgency": "1.5"}),
    ({}, {"Runs": "2.0"}, {"Runs": "7.25"}, {"Runs": "9"}, {"IsShort": "true"},
     {"Project": '"y"'}),
    (
        {"Requirements": "true"},
        {"Requirements": "true"},
        {"Requirements": "TARGET.Cpus >= RequestCpus"},
        {"Requirements": "TARGET.Memory >= MY.RequestMemory && TARGET.Cpus >= RequestCpus"},
        {"Requirements": "TARGET.Load < MY.Urgency && (TARGET.HasIt || TARGET.Tier >= 2)"},
        {"Requirements": 'TARGET.Arch == "arm" && TARGET.Hasit =!= true'},
        {"Requirements": "TARGET.Memry > 10"},
        {"Requirements": "TARGET.Load * 2 <= MY.Runs && TARGET.Memory - 100 > RequestMemory"},
        {"Requirements": "false || error"},
    ),
    ({}, {}, {"Rank": "TARGET.Memory"}, {"Rank": "-TARGET.Load"}, {"Rank": '"best"'}),
    ({}, {}, {"JobPrio": "5"}, {"JobPrio": "-5"}),
    ({}, {}, {}, {"ConcurrencyLimits": '"sw"'}, {"ConcurrencyLimits": '"sw:2,db.x"'},
     {"ConcurrencyLimits": '""'}),
    ({}, {}, {}, {}, {"VacateReason": '"to make room"'}),
    (
        {}, {}, {}, {}, {}, {}, {}, {},
        {"JobStatus": "5", "HoldReason": '"disk quota exceeded"'},
        {"JobStatus": "5"},
        {"JobStatus": "4", "HoldReason": '"long ago"'},
        {"JobStatus": "9"},
        {"JobUniverse": "7"},
        {"JobUniverse": "9"},
        {"IsNoopJob": "true"},
        {"JobCooldownExpiration": str(NOW + 300)},
        {"CurrentHosts": "2", "MaxHosts": "2"},
        {"CurrentHosts": "1"},
    ),
)  # fmt: skip
_KNOBS: Final[tuple[dict[str, str], ...]] = (
    {},
    {"PREEMPTION_REQUIREMENTS": "False"},
    {"PREEMPTION_REQUIREMENTS": "RemoteUserPrio > SubmitterUserPrio * 1.2"},
    {"PREEMPTION_REQUIREMENTS": "(CurrentTime - EnteredCurrentState) > 3600 || MY.Load >= 2"},
    {"PREEMPTION_REQUIREMENTS": "MY.Cpus < 8 && (MY.Load > 1 || TARGET.Urgency >= 3)"},
    {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"},
    {"MAX_JOBS_RUNNING": "2"},
    {"MAX_CONCURRENT_UPLOADS_PER_USER": "1"},
    {"NEGOTIATOR_SLOT_CONSTRAINT": "Cpus > 1"},
    {"NEGOTIATOR_SUBMITTER_CONSTRAINT": 'Name != "bob@test"'},
    {"NEGOTIATOR_JOB_CONSTRAINT": "RequestCpus < 8"},
    {"START_VANILLA_UNIVERSE": "RequestCpus < 64"},
    {"NEGOTIATOR_PRE_JOB_RANK": "Memory", "NEGOTIATOR_POST_JOB_RANK": "-Cpus"},
    {"USE_RESOURCE_REQUEST_COUNTS": "False"},
    {"NEGOTIATOR_MATCHLIST_CACHING": "False"},
    {"NEGOTIATOR_MAX_TIME_PER_PIESPIN": "0"},
    {"SW_LIMIT": "1", "DB_LIMIT": "0"},
    {"SW_LIMIT": "3"},
    {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False"},
    {"USE_GLOBAL_JOB_PRIOS": "True"},
    {"PREEMPTION_REQUIREMENTS": "True", "PREEMPTION_RANK": "-TotalJobRunTime"},
)  # fmt: skip
_GROUPS: Final[tuple[dict[str, str], ...]] = (
    {},
    {"GROUP_NAMES": "g, h", "GROUP_QUOTA_g": "2", "GROUP_QUOTA_h": "0"},
    {"GROUP_NAMES": "g, h", "GROUP_QUOTA_DYNAMIC_g": "0.5", "GROUP_ACCEPT_SURPLUS": "True"},
    {"GROUP_NAMES": "g, g.ann", "GROUP_QUOTA_g": "3", "GROUP_AUTOREGROUP": "True"},
)


def _several(random: Random, lines: tuple[tuple[dict[str, str], ...], ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        found |= random.choice(line)
    return found


def drawn_pool(number: int) -> dict[str, Any]:
    """A pool as scenarios are written."""
    random = Random(number)
    slots, jobs = [], []
    for place in range(random.randrange(1, 8)):
        name = f"slot{place + 1}@m{place // 3}.test"
        ad, user = _several(random, _SLOTS), random.choice(_USERS)
        claim = random.choice(_CLAIMS)
        if claim:
            claim = {**claim, "RemoteUser": f'"{user}@test"', "EnteredCurrentState": str(NOW - 90)}
            of_job = {"JobStatus": "2"}
            way = random.randrange(4)
            if way == 0:
                of_job["RemoteHost"] = f'"{name}"'
            elif way == 1:
                claim["JobId"] = f'"{len(jobs) + 1}.0"'
            elif way == 2:
                claim["GlobalJobId"] = f'"s1@oracle.test#{len(jobs) + 1}.0#1700000000"'
            if random.random() < 0.4:
                of_job["JobMaxVacateTime"] = random.choice(("5", "5000"))
            jobs.append({"submitter": user, "count": 1, "ad": _several(random, _JOBS[:6]) | of_job})
        slots.append({"name": name, "count": 1, "ad": ad | claim})
    for _ in range(random.randrange(2, 7)):
        entry = {
            "submitter": random.choice(_USERS),
            "count": random.choice((1, 1, 2, 4)),
            "ad": _several(random, _JOBS),
        }
        jobs.append(entry | ({"schedd": "s2"} if number % 6 == 5 and random.random() < 0.5 else {}))
    config: dict[str, str] = {}
    for _ in range(2):
        config |= random.choice(_KNOBS)
    config |= random.choice(_GROUPS)
    customers = {
        user: {
            "priority": random.choice((0.5, 20.0, 4000.0)),
            **random.choice(({}, {}, {"ceiling": 1}, {"floor": 2})),
        }
        for user in _USERS
        if random.random() < 0.7
    }
    scenario = {
        "name": f"drawn {number}",
        "slots": slots,
        "jobs": jobs,
        "config": config,
        "accountant": {"customers": customers, "seed_claims": True},
    }
    return {"scenario": scenario, "observed": {"cycles": [{}]}}


def questions(case: dict[str, Any], number: int) -> Iterator[str]:
    """What is asked of a pool."""
    slots = [slot["name"] for slot in case["scenario"]["slots"]]
    clusters: dict[str, int] = {}
    for place, entry in enumerate(case["scenario"]["jobs"]):
        schedd = entry.get("schedd", "s1")
        cluster = clusters[schedd] = clusters.get(schedd, 0) + 1
        job = f"{schedd}@oracle.test#{cluster}.0"
        yield f"why {job}"
        slot = slots[(place + number) % len(slots)]
        ways = (slot, slot.upper(), slot.partition(".")[0], slot.partition("@")[2])
        yield f"why {job} {ways[place % len(ways)]}"
        if place % 3 == 0:
            yield f"rank {job}"
    yield from (f"why --user {user}" for user in (_USERS[number % 5], "cid", "nobody", "an"))
    yield from ("why --group g", "why --group G.ANN", "why --group i", "why --cluster 2")
    yield from ("why 1.7", "why 99", "why s3#1.0", "why 1.0", "why one")
    yield from ("why 2.0 slot9@m0.test", "why 2.0 slot", "why 2.0 m7")
    if number % 3 == 0:
        yield "quotas"
    yield "diff PREEMPTION_REQUIREMENTS=True NEGOTIATOR_CONSIDER_PREEMPTION=True"
    yield "diff GROUP_NAMES= SW_LIMIT=0"


def answered(number: int) -> dict[str, Told]:
    """The answers about a pool."""
    case = drawn_pool(number)
    pool = pool_of(case)
    return {words: ask(case, pool, words) for words in dict.fromkeys(questions(case, number))}


if __name__ == "__main__":
    KEPT.write((f"pool {number}", answered(number)) for number in range(POOLS))
