"""Recorded scenarios of the real negotiator as snapshots: the schema of tests/vectors/negotiation.

The entries of a scenario are expanded into complete ads here, by the rules that the recordings were
made with.  Inputs that the real negotiator got from its surroundings are taken from the recording:
the pool order of the slots, and the order of submitters among equals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from classad.ad import ClassAd
from classad.expr import ExprTree
from negotiator.cycle import negotiate
from negotiator.result import CycleResult
from negotiator.snapshot import AccountantState, Customer, ScheddQueue, Snapshot
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy

VECTORS = Path(__file__).parents[1] / "vectors" / "negotiation"
#: The clock of all scenarios; no recording depends on it.
NOW = 1_795_210_700
_POOL = "oracle.test"
_ADDRESS = '"<127.0.0.1:9890>"'
_BASE_KNOBS = {
    "PRIORITY_HALFLIFE": "1.0e18",
    "ACCOUNTANT_LOCAL_DOMAIN": "",
    "MAX_CONCURRENT_UPLOADS_PER_USER": "0",
}
_BASE_SLOT = {
    "MyType": '"Machine"',
    "State": '"Unclaimed"',
    "Activity": '"Idle"',
    "Arch": '"X86_64"',
    "OpSys": '"LINUX"',
    "Cpus": "1",
    "Memory": "1024",
    "Disk": "1000000",
    "SlotID": "1",
    "SlotWeight": "Cpus",
    "Rank": "0.0",
    "CurrentRank": "0.0",
    "Requirements": "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory",
}
_BASE_JOB = {
    "JobUniverse": "5",
    "JobStatus": "1",
    "JobPrio": "0",
    "QDate": "1700000000",
    "EnteredCurrentStatus": "1700000000",
    "Cmd": '"/bin/true"',
    "Iwd": '"/tmp"',
    "CurrentHosts": "0",
    "MinHosts": "1",
    "MaxHosts": "1",
    "NumJobStarts": "0",
    "RequestCpus": "1",
    "RequestMemory": "1",
    "RequestDisk": "1",
    "Rank": "0.0",
    "Requirements": "true",
    "LeaveJobInQueue": "false",
}

Attributes = dict[str, str]


def load(name: str) -> dict[str, Any]:
    """The scenario and what was observed."""
    found: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return found


def names() -> list[str]:
    """All recorded scenarios."""
    return sorted(path.stem for path in VECTORS.glob("*.json") if path.stem != "not_yet")


def merge(*parts: Mapping[str, str | None] | None) -> Attributes:
    """Later attributes win, without case; None removes one."""
    texts: dict[str, tuple[str, str | None]] = {}
    for part in parts:
        for name, text in (part or {}).items():
            spelled = texts.get(name.lower(), (name, None))[0]
            texts[name.lower()] = (spelled, text)
    return {name: text for name, text in texts.values() if text is not None}


def quoted(text: str) -> str:
    return f'"{text}"'


def fill(text: Any, numbers: Mapping[str, int]) -> str:
    found = str(text)
    for key, number in numbers.items():
        found = found.replace("{" + key + "}", str(number))
    return found


_trees: dict[str, ExprTree] = {}


def ad_of(attributes: Attributes) -> ClassAd:
    """The ad; equal texts share their expression, as when a file is read."""
    ad = ClassAd()
    for name, text in attributes.items():
        tree = _trees.get(text)
        if tree is None:
            tree = _trees[text] = ExprTree(text)
        ad.insert(name, tree)
    return ad


def expand_slots(scenario: Mapping[str, Any]) -> Iterator[tuple[str, Attributes, dict[str, Any]]]:
    for entry in scenario["slots"]:
        for i in range(entry.get("count", 1)):
            numbers = {"i": entry.get("first", 1) + i}
            name = fill(entry["name"], numbers)
            ad = merge(_BASE_SLOT, scenario.get("slot_defaults"), entry.get("ad"))
            ad = {key: fill(text, numbers) for key, text in ad.items()}
            machine = name.partition("@")[2] or name
            head = {"Name": quoted(name), "Machine": quoted(machine)}
            address = {"MyAddress": _ADDRESS, "StartdIpAddr": _ADDRESS}
            yield name, merge(head, address, ad), entry


def expand_jobs(scenario: Mapping[str, Any]) -> Iterator[tuple[str, str, Attributes]]:
    """Schedd, submitter with domain, and ad of every job in the order of the queue."""
    domain = scenario.get("uid_domain", "test")
    last: dict[str, int] = {}
    for entry in scenario["jobs"]:
        schedd = entry.get("schedd", "s1")
        cluster, proc = last.get(schedd, 0) + 1, 0
        if "id" in entry:
            head, _, tail = str(entry["id"]).partition(".")
            cluster, proc = int(head), int(tail or 0)
        last[schedd] = max(last.get(schedd, 0), cluster)
        submitter = entry["submitter"]
        owner = entry.get("owner") or submitter.rpartition(".")[2]
        for i in range(entry.get("count", 1)):
            ids = {"i": proc + i, "c": cluster}
            ad = merge(_BASE_JOB, scenario.get("job_defaults"), entry.get("ad"))
            ad = {key: fill(text, ids) for key, text in ad.items()}
            if submitter != owner:
                ad = merge({"AccountingGroup": quoted(submitter)}, ad)
            fixed = {
                "ClusterId": str(cluster),
                "ProcId": str(proc + i),
                "GlobalJobId": quoted(f"{schedd}@{_POOL}#{cluster}.{proc + i}#1700000000"),
                "Owner": quoted(owner),
                "User": quoted(f"{owner}@{domain}"),
                "MyType": quoted("Job"),
                "TargetType": quoted("Machine"),
            }
            yield schedd, f"{submitter}@{domain}", merge(ad, fixed)


def slots_of(scenario: Mapping[str, Any], order: list[str]) -> tuple[tuple[ClassAd, ...], Any]:
    """The slot ads in pool order and the numbers of claim ids that are not one."""
    ads, claims = {}, {}
    for name, attributes, entry in expand_slots(scenario):
        ads[name] = ad_of(attributes)
        if "claims" in entry:
            claims[name] = entry["claims"]
    known = [name for name in order if name in ads]
    rest = [name for name in ads if name not in set(known)]
    return tuple(ads[name] for name in (*known, *rest)), claims


def submitters_of(
    scenario: Mapping[str, Any], jobs: list[tuple[str, str, Attributes]], order: list[str]
) -> tuple[ClassAd, ...]:
    """Submitter ads as the schedds send them; ``LastHeardFrom`` repeats the recorded order."""
    counts: dict[tuple[str, str], list[float]] = {}
    prios: dict[tuple[str, str], set[int]] = {}
    for schedd, submitter, ad in jobs:
        if ad.get("JobStatus") == "1":
            count = counts.setdefault((submitter, schedd), [0, 0.0])
            count[0] += 1
            prios.setdefault((submitter, schedd), set()).add(int(ad["JobPrio"]))
            # The schedd weighs an idle job by the cores it asks for.
            count[1] += ad_of(ad).get_number("RequestCpus") or 1.0
    place = {name: i for i, name in enumerate(order)}
    keys = sorted(counts, key=lambda key: place.get(key[0], len(place)))
    changes = scenario.get("submitter_ads", {})
    ads = []
    for i, (submitter, schedd) in enumerate(keys):
        idle, weighted = counts[submitter, schedd]
        plain = {
            "Name": quoted(submitter),
            "ScheddName": quoted(f"{schedd}@{_POOL}"),
            "ScheddIpAddr": _ADDRESS,
            "IdleJobs": str(int(idle)),
            "RunningJobs": "0",
            "WeightedIdleJobs": str(weighted),
            "WeightedRunningJobs": "0.0",
            "LastHeardFrom": str(i),
            "JobPrioArray": quoted(",".join(map(str, sorted(prios[submitter, schedd])))),
        }
        ads.append(ad_of(merge(plain, changes.get(submitter))))
    return tuple(ads)


def accountant_of(scenario: Mapping[str, Any]) -> AccountantState:
    given = scenario.get("accountant", {})
    domain = scenario.get("uid_domain", "test")
    customers = {}
    for short, record in given.get("customers", {}).items():
        name = short if "@" in short or record.get("group") else f"{short}@{domain}"
        customers[name] = Customer(
            name,
            priority=record.get("priority"),
            priority_factor=record.get("factor"),
            floor=record.get("floor", 0),
            ceiling=record.get("ceiling", -1),
            weighted_accumulated_usage=record.get("accumulated_usage"),
        )
    if given.get("seed_claims"):
        for _, attributes, _ in expand_slots(scenario):
            _seed(customers, attributes)
    return AccountantState(customers, last_update_time=NOW - int(given.get("elapsed", 0)))


def _seed(customers: dict[str, Customer], attributes: Attributes) -> None:
    """Charge a claimed slot as the cycle before would have done."""
    if attributes["State"] not in ('"Claimed"', '"Preempting"'):
        return
    text = attributes.get("AccountingGroup") or attributes.get("RemoteUser")
    weight = ad_of(attributes).get_number("SlotWeight")
    if text is None or weight is None:
        return
    name = text.strip('"')
    before = customers.get(name, Customer(name))
    customers[name] = Customer(
        name,
        priority=before.priority,
        priority_factor=before.priority_factor,
        resources_used=before.resources_used + 1,
        weighted_resources_used=before.weighted_resources_used + weight,
        floor=before.floor,
        ceiling=before.ceiling,
        weighted_accumulated_usage=before.weighted_accumulated_usage,
    )


def policy_of(scenario: Mapping[str, Any]) -> NegotiatorPolicy:
    return policy_from_knobs({**_BASE_KNOBS, **scenario.get("config", {})}).policy


def snapshot_of(case: Mapping[str, Any]) -> Snapshot:
    """The state of the pool before the (first) recorded cycle."""
    scenario, seen = case["scenario"], case["observed"]["cycles"][0]
    slots, claims = slots_of(scenario, seen["slot_order"])
    jobs = list(expand_jobs(scenario))
    queues: dict[str, list[ClassAd]] = {}
    for schedd, _, attributes in jobs:
        queues.setdefault(schedd, []).append(ad_of(attributes))
    return Snapshot(
        slots=slots,
        submitters=submitters_of(scenario, jobs, seen["submitter_order"]),
        queues=tuple(ScheddQueue(f"{name}@{_POOL}", tuple(ads)) for name, ads in queues.items()),
        accountant=accountant_of(scenario),
        claims=claims,
    )


def run(case: Mapping[str, Any]) -> CycleResult:
    """The cycle of a scenario; a warm negotiator has been through one without submitters."""
    scenario = case["scenario"]
    policy, snapshot = policy_of(scenario), snapshot_of(case)
    if scenario.get("warm", "GROUP_NAMES" in scenario.get("config", {})):
        idle = Snapshot(slots=snapshot.slots, claims=snapshot.claims)
        quotas = negotiate(idle, policy, now=NOW).quotas
        snapshot = Snapshot(
            slots=snapshot.slots,
            submitters=snapshot.submitters,
            queues=snapshot.queues,
            accountant=snapshot.accountant,
            previous_quotas=quotas,
            claims=snapshot.claims,
        )
    return negotiate(snapshot, policy, now=NOW)


MATCH_FIELDS = (
    "seq", "pie", "spin", "submitter", "schedd", "job", "count", "slot", "preempted", "cost",
)  # fmt: skip


def decided(result: CycleResult) -> tuple[list[Any], list[Any]]:
    """Matches and rejections in the form of the recording."""
    matches = [
        {
            **{key: getattr(match, key) for key in MATCH_FIELDS},
            "schedd": match.schedd.partition("@")[0],
            "kind": match.kind.value,
        }
        for match in result.matches
    ]
    rejections = [
        {
            "job": item.job,
            "submitter": item.submitter,
            "schedd": item.schedd.partition("@")[0],
            "reason": item.text,
            "spin": item.spin,
            "pie": item.pie,
        }
        for item in result.rejections
    ]
    return matches, rejections


def recorded(cycle: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """The recorded matches and rejections, reduced to what is compared."""
    matches = [{key: match[key] for key in (*MATCH_FIELDS, "kind")} for match in cycle["matches"]]
    return matches, list(cycle["rejections"])
