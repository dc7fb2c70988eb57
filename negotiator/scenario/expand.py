"""Expands the entries of a scenario to complete ads, as texts of expressions.

Inputs: the parsed ``scenario`` of a vector file.  Outputs: ``SlotEntry`` and ``JobEntry`` values in
the order of pool and queue; attributes map names to the text of their expressions.
Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from attr import frozen

from negotiator.model.snapshot import machine_of

Attributes: TypeAlias = Mapping[str, str]
Scenario: TypeAlias = Mapping[str, Any]

#: The pool that schedds of a scenario belong to.
POOL: Final = "oracle.test"
ADDRESS: Final = '"<127.0.0.1:9890>"'
#: A scenario is small; more slots or jobs than this are a slip, or meant to fill the memory.
_MOST: Final = 1_000_000
#: What a slot has unless a scenario says otherwise; behind it the same of a job.
BASE_SLOT: Final = {
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
    "Requirements": "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory",
    "Rank": "0.0",
    "CurrentRank": "0.0",
}
BASE_JOB: Final = {
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
#: What stands in the queue with a whole cluster.
_CLUSTER: Final = {"CondorVersion": '"$CondorVersion: 25.14.1 2026-10-16 $"'}


@frozen
class SlotEntry:
    """A slot; ``claims`` is its number of claim ids, None for the usual one.

    ``private``: further attributes of its private ad.
    """

    name: str
    attributes: Attributes
    claims: int | None = None
    private: Attributes | None = None


@frozen
class JobEntry:
    """A job; ``submitter`` is with the domain, ``schedd`` without the pool."""

    schedd: str
    submitter: str
    owner: str
    cluster: int
    proc: int
    attributes: Attributes

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return f"{self.cluster}.{self.proc}"


def merge(*parts: Mapping[str, str | None] | None) -> dict[str, str]:
    """Later attributes win, without case; None removes one."""
    texts: dict[str, tuple[str, str | None]] = {}
    for part in parts:
        for name, text in (part or {}).items():
            spelled = texts.get(name.lower(), (name, None))[0]
            texts[name.lower()] = (spelled, text)
    return {name: text for name, text in texts.values() if text is not None}


def quoted(text: str) -> str:
    """A string literal; names in scenarios have nothing to escape."""
    return f'"{text}"'


def _count(entry: Scenario) -> int:
    """How many of an entry there are."""
    count: int = entry.get("count", 1)
    if count.__class__ is not int:
        raise ValueError(f"a count of `{count}` is no whole number")
    if count > _MOST:
        raise ValueError(f"a count of {count} is more than {_MOST:,}")
    return count


def domain_of(scenario: Scenario, schedd: str) -> str:
    """What is behind the ``@`` of the submitters of a schedd, which may be of another site."""
    domains = scenario.get("uid_domains", {})
    return str(domains.get(schedd, scenario.get("uid_domain", "test")))


def expand_slots(scenario: Scenario, entries: list[Scenario]) -> Iterator[SlotEntry]:
    """The slots of the entries; defaults are those of the scenario."""
    for entry in entries:
        for i in range(_count(entry)):
            numbers = {"i": entry.get("first", 1) + i}
            name = _fill(entry["name"], numbers)
            ad = merge(BASE_SLOT, scenario.get("slot_defaults"), entry.get("ad"))
            ad = {key: _fill(text, numbers) for key, text in ad.items()}
            machine = machine_of(name)
            head = {"Name": quoted(name), "Machine": quoted(machine)}
            address = {"MyAddress": ADDRESS, "StartdIpAddr": ADDRESS}
            full = merge(head, address, ad)
            yield SlotEntry(name, full, entry.get("claims"), entry.get("private"))


def expand_jobs(scenario: Scenario, entries: list[Scenario]) -> Iterator[JobEntry]:
    """The jobs of the entries; defaults are those of the scenario."""
    places = list(job_places(entries))
    procs: Counter[tuple[str, int]] = Counter()
    for _, schedd, cluster, those in places:
        procs[schedd, cluster] += len(those)
    for entry, schedd, cluster, those in places:
        domain = domain_of(scenario, schedd)
        submitter = entry["submitter"]
        owner = entry.get("owner") or submitter.rpartition(".")[2]
        group = {"AccountingGroup": quoted(submitter)} if submitter != owner else {}
        of_cluster = {"TotalSubmitProcs": str(procs[schedd, cluster])}
        for i in those:
            ad = merge(BASE_JOB, scenario.get("job_defaults"), entry.get("ad"))
            ad = {key: _fill(text, {"i": i, "c": cluster}) for key, text in ad.items()}
            fixed = {
                "ClusterId": str(cluster),
                "ProcId": str(i),
                "GlobalJobId": quoted(f"{schedd}@{POOL}#{cluster}.{i}#1700000000"),
                "Owner": quoted(owner),
                "User": quoted(f"{owner}@{domain}"),
                "MyType": quoted("Job"),
                "TargetType": quoted("Machine"),
            }
            full = merge(of_cluster, _CLUSTER, merge(group, ad, fixed))
            yield JobEntry(schedd, f"{submitter}@{domain}", owner, cluster, i, full)


def job_places(entries: Sequence[Scenario]) -> Iterator[tuple[Scenario, str, int, range]]:
    """Each entry with its schedd, its cluster and the numbers of its jobs in that."""
    last: dict[str, int] = {}
    for entry in entries:
        schedd = entry.get("schedd", "s1")
        cluster, proc = last.get(schedd, 0) + 1, 0
        if "id" in entry:
            head, _, tail = str(entry["id"]).partition(".")
            cluster, proc = int(head), int(tail or 0)
        last[schedd] = max(last.get(schedd, 0), cluster)
        yield entry, schedd, cluster, range(proc, proc + _count(entry))


def _fill(text: object, numbers: Mapping[str, int]) -> str:
    found = str(text)
    for key, number in numbers.items():
        found = found.replace("{" + key + "}", str(number))
    return found
