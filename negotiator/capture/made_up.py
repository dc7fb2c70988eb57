"""Makes jobs up from what runs, for a pool of which only slots are known.

Decides that each claim with a user is a job that runs, and that one more like it waits: what runs
now is what the users want.  What a claim shows of its job is taken from it, what it takes of the
machine is what the job requests, and the job runs on machines of that platform.

Inputs: slot ads.  Outputs: job ads, each marked with ``MARK``.
Follows: what condor_startd shows of a claim, and the requirements that condor_submit writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from classad import ClassAd
from classad.formats.unparse import unparse_value
from classad.source import Source
from negotiator.capture.ads import Scalar, number_of, scalar_of
from negotiator.jobs.readiness import IDLE, RUNNING
from policy.language.expressions import parse

#: The attribute of a job that is made up.
MARK: Final = "PiesliceMadeUp"
#: Attributes of a slot that are those of its job.
_SHOWN: Final = ("JobUniverse", "ConcurrencyLimits", "MaxJobRetirementTime")
#: What a slot has of its machine -> what the job requests.
_REQUESTS: Final = {"Cpus": "RequestCpus", "Memory": "RequestMemory", "GPUs": "RequestGPUs"}
_PLATFORM: Final = ("Arch", "OpSys")
_VANILLA: Final = 5
#: KiB that a job takes of which that is not known: slots refuse one that requests none.
_DISK: Final = 1
_SCHEDD: Final = "schedd"


def made_up_jobs(slots: Iterable[ClassAd]) -> list[ClassAd]:
    """The jobs: those that run, then those that wait."""
    running = list(_running(slots))
    last = max((int(number_of(ad, "ClusterId") or 0) for ad in running), default=0)
    return [*running, *_waiting(running, last)]


def _running(slots: Iterable[ClassAd]) -> Iterator[ClassAd]:
    seen: set[tuple[int, int]] = set()
    for slot in slots:
        owner = _text(slot, "RemoteOwner")
        user = _text(slot, "RemoteUser") or owner
        if user is None or _text(slot, "State") != "Claimed":
            continue
        job = _like(slot, owner or user, user)
        cluster, proc = _number(_text(slot, "JobId"))
        if not cluster or (cluster, proc) in seen:
            cluster, proc = max((it for it, _ in seen), default=0) + 1, 0
        seen.add((cluster, proc))
        job.insert("ClusterId", cluster)
        job.insert("ProcId", proc)
        job.insert("JobStatus", RUNNING)
        job.insert("RemoteHost", _text(slot, "Name") or "")
        shown = _text(slot, "GlobalJobId")
        schedd = shown.partition("#")[0] if shown and "#" in shown else _SCHEDD
        since = int(number_of(slot, "JobStart") or number_of(slot, "EnteredCurrentState") or 0)
        job.insert("QDate", since)
        job.insert("GlobalJobId", f"{schedd}#{cluster}.{proc}#{since}")
        yield job


def _like(slot: ClassAd, owner: str, user: str) -> ClassAd:
    """What the job of a slot and one that waits have in common."""
    job = ClassAd()
    job.insert("MyType", "Job")
    job.insert(MARK, True)
    job.insert("Owner", owner.partition("@")[0])
    job.insert("User", owner if "@" in owner else user)
    group = (_text(slot, "AccountingGroup") or user).rpartition("@")[0]
    if group and group != owner.partition("@")[0]:
        job.insert("AccountingGroup", group)
    job.insert("JobUniverse", _VANILLA)
    for name in _SHOWN:
        _insert(job, name, scalar_of(slot, name))
    wanted = []
    for name, request in _REQUESTS.items():
        value = number_of(slot, name)
        if value:
            job.insert(request, value)
            wanted.append(f"TARGET.{name} >= {request}")
    # A static slot has all the disk that there is; what its job needs is what it takes of it.
    dynamic = _text(slot, "SlotType") == "Dynamic"
    job.insert("RequestDisk", number_of(slot, "Disk" if dynamic else "DiskUsage") or _DISK)
    wanted.append("TARGET.Disk >= RequestDisk")
    for name in _PLATFORM:
        text = _text(slot, name)
        if text is not None:
            wanted.append(f"TARGET.{name} == {unparse_value(text)}")
    text = " && ".join(f"({one})" for one in wanted) or "true"
    job.insert("Requirements", parse(text, Source(text, MARK), whole=True))
    return job


def _waiting(running: Iterable[ClassAd], last: int) -> Iterator[ClassAd]:
    """One like each that runs; those that are all the same are the jobs of a cluster."""
    clusters: dict[str, tuple[int, int]] = {}
    for job in running:
        schedd, _, rest = str(scalar_of(job, "GlobalJobId")).partition("#")
        more = ClassAd(dict(job.items()))
        for name in ("ClusterId", "ProcId", "RemoteHost", "GlobalJobId", "QDate", "JobStatus"):
            more.remove(name)
        kind = f"{schedd}\n{more}"
        cluster, proc = clusters.get(kind, (last + len(clusters) + 1, -1))
        clusters[kind] = cluster, proc + 1
        since = int(rest.rpartition("#")[2])
        more.insert("ClusterId", cluster)
        more.insert("ProcId", proc + 1)
        more.insert("JobStatus", IDLE)
        more.insert("QDate", since)
        more.insert("GlobalJobId", f"{schedd}#{cluster}.{proc + 1}#{since}")
        yield more


def _insert(job: ClassAd, name: str, value: Scalar | None) -> None:
    if value is not None:
        job.insert(name, value)


def _text(ad: ClassAd, name: str) -> str | None:
    value = scalar_of(ad, name)
    return value if isinstance(value, str) else None


def _number(text: str | None) -> tuple[int, int]:
    """Cluster and proc of the number of a job; zeros where it is none."""
    cluster, dot, proc = (text or "").partition(".")
    good = dot and cluster.isascii() and cluster.isdigit() and proc.isascii() and proc.isdigit()
    return (int(cluster), int(proc)) if good else (0, 0)
