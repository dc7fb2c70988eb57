"""Writes a job queue as the schedd's transaction log, before the schedd starts.

So the jobs are exactly the given ads, and order, autoclusters and protocol are the schedd's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fuzz.daemons.ads import LONG_AGO, Job, quoted
from fuzz.daemons.config import POOL
from fuzz.daemons.system import DaemonError

#: Attributes that stand in the cluster's ad, or that the schedd writes itself.
_NOT_OF_A_JOB = ("jobuniverse", "procid", "clusterid")


def queue_log(jobs: Sequence[Job], domain: str) -> str:
    """The text of ``job_queue.log``."""
    lines = [
        f"107 1 CreationTimestamp {LONG_AGO}",
        "101 0.0 Job Machine",
        f"103 0.0 UidDomain {quoted(domain)}",
    ]
    # The schedd expects the record of a user for every owner: without it crashes at start.
    for number, owner in enumerate(sorted({job.owner for job in jobs})):
        lines += _owner(f"0.{4 + number}", owner, domain)
    clusters: dict[int, list[Job]] = {}
    for job in jobs:
        clusters.setdefault(job.cluster, []).append(job)
    lines.append(f"103 0.0 NextClusterNum {max(clusters, default=0) + 1}")
    for number, members in clusters.items():
        lines += _cluster(number, members, domain)
    return "\n".join(lines) + "\n"


def _record(key: str, kind: str, attributes: Mapping[str, str]) -> list[str]:
    return [f"101 {key} {kind}", *(f"103 {key} {name} {text}" for name, text in attributes.items())]


def _owner(key: str, owner: str, domain: str) -> list[str]:
    name = quoted(owner)
    user = quoted(f"{owner}@{domain}")
    attributes = {"User": user, "Owner": name, "OsUser": name, "Enabled": "1"}
    return _record(key, "Owner (empty)", attributes)


def _cluster(number: int, jobs: Sequence[Job], domain: str) -> list[str]:
    first = jobs[0]
    if any(job.owner != first.owner for job in jobs):
        raise DaemonError(f"cluster {number} has several owners")
    shared = {
        "ClusterId": str(number),
        "Owner": quoted(first.owner),
        "User": quoted(f"{first.owner}@{domain}"),
        "MyType": quoted("Job"),
        "TargetType": quoted("Machine"),
        "TotalSubmitProcs": str(len(jobs)),
        "CondorVersion": quoted("$CondorVersion: 25.14.1 2026-10-16 $"),
        "JobUniverse": first.ad.get("JobUniverse", "5"),
    }
    lines = _record(f"0{number}.-1", "Job Machine", shared)
    for job in jobs:
        own = {
            "ProcId": str(job.proc),
            "GlobalJobId": quoted(f"{job.schedd}@{POOL}#{job.id}#{LONG_AGO}"),
        }
        for name, text in job.ad.items():
            if name.lower() not in _NOT_OF_A_JOB:
                own[name] = " ".join(text.split("\n"))
        lines += _record(job.id, "Job Machine", own)
    return lines
