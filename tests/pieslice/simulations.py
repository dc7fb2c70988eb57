"""Draws small pools, workloads and policies, and runs their simulations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from pieslice.simulation.running import Kept, RunReporter, run_here
from pieslice.simulation.setup import Plan

COUNT: Final = 60
_USERS: Final = ("a", "b", "c", "d@x.org")
_DOMAIN: Final = "@sim.example"


class Drawn(NamedTuple):
    """A simulation: options of its plan, and its files by name, of which ``c`` is the policy."""

    options: dict[str, Any]
    files: dict[str, str]

    def plan(self, folder: Path) -> Plan:
        """The plan, with its files in a folder."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        paths = {
            name: str(folder / value)
            for name, value in self.options.items()
            if isinstance(value, str) and value in (*self.files, "p")
        }
        return Plan(**{**self.options, **paths})


# --- policies -----------------------------------------------------------------------------------

_GROUPS: Final = (
    "GROUP_NAMES = g, h\nGROUP_QUOTA_g = 2\nGROUP_QUOTA_h = 1\n",
    "GROUP_NAMES = g, h\nGROUP_QUOTA_DYNAMIC_g = 0.5\nGROUP_QUOTA_DYNAMIC_h = 0.25\n"
    "GROUP_ACCEPT_SURPLUS_g = True\n",
    "GROUP_NAMES = g, g.x, h\nGROUP_QUOTA_g = 3\nGROUP_QUOTA_g.x = 1\nGROUP_QUOTA_h = 1\n"
    "GROUP_ACCEPT_SURPLUS = True\nGROUP_PRIO_FACTOR_g.x = 3\n",
    "GROUP_NAMES = g, h\nGROUP_QUOTA_g = 1\nGROUP_QUOTA_h = 2\nGROUP_AUTOREGROUP = True\n",
    "GROUP_NAMES = g\nGROUP_PRIO_FACTOR_g = 20\n",
    "GROUP_NAMES = g, h\nGROUP_QUOTA_g = 3\nGROUP_QUOTA_h = 4\n"
    "NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION = True\n",
)
#: What takes slots from those who have them.
_TAKING: Final = (
    "PREEMPTION_REQUIREMENTS = True\nNEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\n",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.01\n",
    "PREEMPTION_REQUIREMENTS = True\nDEFAULT_PRIO_FACTOR = 1\nPRIORITY_HALFLIFE = 300\n"
    "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\n",
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > 500\nPREEMPTION_RANK = TotalJobRunTime\n"
    "NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True\n",
    "PREEMPTION_REQUIREMENTS = RemoteGroupResourcesInUse > RemoteGroupQuota\n",
    'PREEMPTION_REQUIREMENTS = TARGET.Owner =!= "b" && JobStart < MyCurrentTime - 300\n',
)
_KNOBS: Final = (
    ("PRIORITY_HALFLIFE", ("600", "3600", "40")),
    ("NEGOTIATOR_INTERVAL", ("90", "300", "600", "20")),
    ("NEGOTIATOR_CONSIDER_PREEMPTION", ("False",)),
    ("NEGOTIATOR_USE_SLOT_WEIGHTS", ("False",)),
    ("NEGOTIATOR_USE_WEIGHTED_DEMAND", ("False",)),
    ("USE_GLOBAL_JOB_PRIOS", ("True",)),
    ("CLAIM_WORKLIFE", ("0", "400", "-1")),
    ("MAXJOBRETIREMENTTIME", ("300", "5000")),
    ("MachineMaxVacateTime", ("5",)),
    ("MAX_JOBS_RUNNING", ("2", "4")),
    ("NEGOTIATOR_PRE_JOB_RANK", ("Memory", "-SlotID", "Cpus * 10")),
    ("NEGOTIATOR_POST_JOB_RANK", ("-Memory",)),
    ("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", ('State == "Unclaimed"', "Cpus < 4")),
    ("NEGOTIATOR_SLOT_CONSTRAINT", ('regexp("1$", Machine) == false',)),
    ("NEGOTIATOR_JOB_CONSTRAINT", ("RequestCpus < 3",)),
    ("NEGOTIATOR_MATCHLIST_CACHING", ("False",)),
    ("NEGOTIATOR_MAX_TIME_PER_SUBMITTER", ("0",)),
    ("NEGOTIATOR_DEPTH_FIRST", ("True",)),
    ("CLAIM_PARTITIONABLE_LEFTOVERS", ("False",)),
    ("DEFAULT_PRIO_FACTOR", ("1", "7")),
    ("SCHEDD_SLOT_WEIGHT", ("Cpus * 2", "Memory / 512")),
    ("LIC_LIMIT", ("1", "2")),
)


def _policy(rng: Random) -> str:
    text = rng.choice(_GROUPS) if rng.random() < 0.45 else ""
    text += rng.choice(_TAKING) if rng.random() < 0.7 else ""
    for name, values in rng.sample(_KNOBS, rng.randrange(0, 6)):
        text += f"{name} = {rng.choice(values)}\n"
    return text


#: What a cycle needs to learn anew each time.
_ANEW: Final = ("PREEMPTION_", "USE_GLOBAL_JOB_PRIOS", "NEGOTIATOR_USE_SLOT_WEIGHTS")


def _without_preemption(policy: str) -> str:
    """The same under which cycles may go by what earlier ones have found."""
    lines = [line for line in policy.splitlines() if not line.startswith(_ANEW)]
    return "\n".join([*lines, "NEGOTIATOR_CONSIDER_PREEMPTION = False", ""])


# --- pools --------------------------------------------------------------------------------------


def _ad(values: dict[str, object]) -> str:
    return "".join(f"{name} = {value}\n" for name, value in values.items())


def _slot(number: int, rng: Random) -> str:
    """A slot of a capture as somebody may have it who ran something on it."""
    partitionable = rng.random() < 0.4
    cpus, memory = rng.choice([1, 2, 4, 8]), rng.choice([512, 2048, 4096])
    values: dict[str, object] = {
        "MyType": '"Machine"',
        "Name": f'"slot1@n{number}"',
        "Machine": f'"n{number}"',
        "SlotID": number,
        "StartdIpAddr": f'"<192.0.2.1:{number}>"',
        "Cpus": cpus,
        "Memory": memory,
        "Disk": 1000,
        "State": '"Claimed"',
        "Activity": '"Busy"',
        "RemoteUser": '"gone@x.org"',
        "CurrentRank": 3.0,
        "MyCurrentTime": 1_700_000_000,
        "Requirements": rng.choice(
            ["True", "START", 'TARGET.Owner != "c"', "TARGET.RequestMemory <= MY.Memory"]
        ),
        "START": rng.choice(["True", "TARGET.RequestCpus <= MY.Cpus", "TARGET.Site =?= 1"]),
        "Rank": rng.choice(["0.0", "0.0", 'TARGET.Owner == "a"', "TARGET.JobPrio"]),
        "SlotWeight": rng.choice(["Cpus", "Cpus", "1", "Cpus + Memory / 1024.0", "-3"]),
    }
    if partitionable:
        values |= {
            "PartitionableSlot": "true",
            "SlotType": '"Partitionable"',
            "TotalSlotCpus": cpus,
            "TotalSlotMemory": memory,
            "TotalSlotDisk": 1000,
            "Cpus": 0,
            "ChildCpus": "{ 1, 1 }",
        }
        if rng.random() < 0.4:
            values |= {
                "MachineResources": '"Cpus Memory Disk GPUs Swap"',
                "TotalSlotGPUs": 2,
                "GPUs": 1,
            }
    return _ad(values)


def _queued(number: int, rng: Random) -> str:
    owner = rng.choice(["a", "b", "c"])
    values: dict[str, object] = {
        "MyType": '"Job"',
        "ClusterId": rng.randrange(1, 4),
        "ProcId": number,
        "Owner": f'"{owner}"',
        "User": f'"{owner}@x.org"',
        "JobStatus": rng.choice([1, 1, 1, 2, 5, 7]) if number else 1,
        "JobUniverse": rng.choice([5, 5, 5, 5, 7]) if number else 5,
        "JobPrio": rng.choice([0, 0, 5, -3]),
        "QDate": 1_699_990_000 + number,
        "RequestCpus": rng.choice([1, 1, 2, 3]),
        "RequestMemory": rng.choice([1, 100, 600]),
        "RequestDisk": 1,
        "Requirements": rng.choice(["True", "TARGET.Cpus >= RequestCpus", "TARGET.Memory > 600"]),
        "Rank": rng.choice(["0.0", "TARGET.Memory", "-TARGET.Cpus"]),
    }
    if rng.random() < 0.3:
        values["ConcurrencyLimits"] = rng.choice(['"lic"', '"LIC:2"', '"lic,other"'])
    if rng.random() < 0.3:
        values["AccountingGroup"] = f'"{rng.choice("gh")}.{owner}"'
    if rng.random() < 0.3:
        values["RequestGPUs"] = 1
    if rng.random() < 0.3:
        values["Site"] = rng.randrange(2)
    return _ad(values)


def _captured(rng: Random) -> tuple[dict[str, str], int]:
    """The files of a captured pool, and how many machines it has."""
    count = rng.randrange(1, 5)
    files = {
        "p/slots.ads": "\n".join(_slot(number, rng) for number in range(1, count + 1)),
        "p/jobs.ads": "\n".join(_queued(number, rng) for number in range(rng.randrange(2, 9))),
    }
    records = [
        _ad({
            "MyType": '"Accounting"',
            "Name": f'"{name}@x.org"',
            "Priority": rng.choice([0.5, 20.0, 333.3]),
            "PriorityFactor": rng.choice([1000.0, 10.0]),
            "LastUpdate": 1_700_000_000 - rng.choice([0, 900]),
        })
        for name in rng.sample("abc", rng.randrange(0, 4))
    ]  # fmt: skip
    if records:
        files["p/accounting.ads"] = "\n".join(records)
    return files, count


# --- workloads ----------------------------------------------------------------------------------


def _table(rng: Random, seconds: int, groups: bool) -> str:
    lines = ["submit,user,run_time,cpus,memory,group,count"]
    for _ in range(rng.randrange(3, 10)):
        submit = rng.choice([0, rng.randrange(0, seconds), rng.randrange(0, seconds // 2, 60)])
        length = rng.choice([0, 60, 239, 300, 600, rng.randrange(1, 2000), 1500, 4000])
        group = rng.choice(["", "g", "g", "h", "g.x", "k"]) if groups else ""
        cpus, memory = rng.choice(["", 1, 1, 2]), rng.choice(["", "", 1, 600, 5000])
        user = rng.choice(_USERS)
        lines.append(f"{submit},{user},{length},{cpus},{memory},{group},{rng.randrange(0, 5)}")
    return "\n".join([*lines, "0,a,700,1,,,1", ""])


def _streams(rng: Random, groups: bool) -> str:
    parts = []
    for number in range(rng.randrange(1, 4)):
        values: dict[str, object] = {
            "user": f'"{_USERS[number]}"',
            "backlog": rng.randrange(0, 5) + (number == 0),
            "per_hour": rng.choice([0, 12, 30.5]),
            "batch": rng.choice([1, 1, 3]),
            "run_time": rng.choice([100, 400, 900]),
            "spread": rng.choice([0.0, 0.5, 1]),
            "begin_hour": rng.choice([0, 0, 0.25]),
            "end_hour": rng.choice([0.4, 0.5, 20]),
        }
        if groups and rng.random() < 0.6:
            values["group"] = rng.choice(['"g"', '"h"'])
        if rng.random() < 0.4:
            values |= {"cpus": 2, "memory": rng.choice([0, 700])}
        parts.append("[[stream]]\n" + _ad(values))
    return "\n".join(parts)


def _trace(rng: Random, seconds: int) -> str:
    lines = ["; Version: 2.2", ";"]
    for number in range(rng.randrange(5, 14)):
        row = [-1] * 18
        row[0], row[1] = number + 1, rng.randrange(0, seconds // 2)
        row[3] = rng.choice([-1, 0, 100, 500, 1100, 2500])
        row[4], row[7] = rng.choice([-1, 1, 2]), rng.choice([-1, 1, 2])
        row[6], row[9] = rng.choice([-1, 102_400]), rng.choice([-1, 0, 512_000])
        row[11], row[12] = rng.randrange(1, 4), rng.choice([-1, 0, 1, 2])
        lines.append(" ".join(map(str, row)))
    return "\n".join([*lines, "99 0 -1 300 1 -1 -1 1 -1 -1 1 7 -1 -1 -1 -1 -1 -1 ; a remark"])


def _machines(rng: Random, names: Sequence[str], seconds: int) -> str:
    rows = [
        f"{rng.randrange(0, seconds, 30)},{rng.choice(names)},{rng.choice(['leave', 'join'])}"
        for _ in range(rng.randrange(1, 5))
    ]
    return "\n".join(["time,machine,event", *rows, ""])


# --- simulations --------------------------------------------------------------------------------


def drawn(number: int) -> Drawn:
    """The simulation with a number, always the same."""
    rng = Random(f"simulation {number}")
    seconds = rng.choice([2400, 1800, 3030, 2700])
    policy = _policy(rng)
    if number % 4 == 1:
        policy = _without_preemption(policy)
    groups = "GROUP_NAMES" in policy
    files = {"c": policy}
    options: dict[str, Any] = {"config": "c", "seconds": seconds, "seed": rng.randrange(3)}
    if rng.random() < 0.45:
        found, count = _captured(rng)
        files |= found
        options["pool"] = "p"
        names = [f"n{it}" for it in range(1, count + 1)]
    else:
        count = rng.randrange(1, 5)
        options["pool"] = rng.choice([f"{count}", f"{count}x2", f"{count}x4"])
        names = [f"node{it:04d}" for it in range(1, count + 1)]
    kinds = ["w.csv", "w.csv", "w.toml", "w.swf"] + ["capture"] * 4 * (options["pool"] == "p")
    options["workload"] = kind = rng.choice(kinds)
    if kind == "w.csv":
        files[kind] = _table(rng, seconds, groups)
    elif kind == "w.toml":
        files[kind] = _streams(rng, groups)
    elif kind == "w.swf":
        files[kind] = _trace(rng, seconds)
    else:
        options |= {"every": rng.choice([0, 900, 1000]), "run_time": rng.choice([200, 700])}
    if rng.random() < 0.35:
        files["m.csv"] = _machines(rng, names, seconds)
        options["machines"] = "m.csv"
    for name, values, share in (
        ("worklife", (0, 300, 700, -1), 0.3),
        ("retirement", (0, 200, 1000), 0.3),
        ("vacate", (0, 45, 130), 0.4),
        ("series", (1, 250, 600), 0.5),
        ("now", (1_750_000_000, 1_700_000_333), 0.4),
        ("fresh", (True,), 0.3),
        ("settings", ((("PRIORITY_HALFLIFE", "1000"),), (("CLAIM_WORKLIFE", "60"),)), 0.2),
        ("texts", ((("more", "DEFAULT_PRIO_FACTOR = 3\nMAXJOBRETIREMENTTIME = 60\n"),),), 0.15),
    ):
        if rng.random() < share:
            options[name] = rng.choice(values)
    options.setdefault("series", 1200)
    return Drawn(options, files)


class Course(NamedTuple):
    """What became of a simulation."""

    events: list[tuple[Any, ...]]
    series: list[tuple[Any, ...]]
    summary: dict[str, Any]
    notes: list[str]


def course(plan: Plan) -> Course:
    """Run it."""
    kept, notes = Kept(), list[str]()
    told = RunReporter(
        lambda done, words: None, lambda found: notes.extend(it.message for it in found)
    )
    summary = run_here(plan, told, kept)
    events: Any = kept.rows["events"]
    series: Any = kept.rows["series"]
    return Course(events, series, summary, notes)
