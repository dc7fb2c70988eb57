"""Puts job ads into the queues of their schedds, and makes submitter ads from them.

A job is in the queue of the schedd that stands before the first ``#`` of its ``GlobalJobId``.  The
submitter ads are those that a schedd would advertise, for captures without submitter ads.

Inputs: job ads in file order, schedd ads.  Outputs: ``ScheddQueue`` in order of first appearance;
submitter ads.
Follows: the schedd's submitter ads (``IdleJobs``, ``RunningJobs`` and their weights).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from classad import ClassAd
from classad.evaluation.context import NO_CONTEXT
from negotiator.capture.ads import LocatedAd
from negotiator.jobs.lists import IDLE, RUNNING, served
from negotiator.jobs.submitters import job_prio_array
from negotiator.jobs.weights import IdleJobWeights
from negotiator.model.snapshot import ScheddQueue
from negotiator.pool.addresses import NO_ADDRESS
from policy.model import NegotiatorPolicy
from policy.versions import Version


def schedd_of(job: LocatedAd, default: str) -> str:
    """The ``ScheddName`` of a job."""
    global_id = job.text("GlobalJobId")
    return global_id.partition("#")[0] if global_id and "#" in global_id else default


def submitter_of(job: LocatedAd) -> str | None:
    """The submitter of a job: its accounting group, else its user, with the user's domain."""
    user = job.text("User") or job.text("Owner")
    group = job.text("AccountingGroup")
    name = group or user
    if name is None or "@" in name:
        return name
    domain = (user or "").partition("@")[2]
    return f"{name}@{domain}" if domain else name


def job_id(job: LocatedAd) -> str:
    """``<cluster>.<proc>`` for messages, or a question mark for what is missing."""
    cluster, proc = job.number("ClusterId"), job.number("ProcId")
    return f"{'?' if cluster is None else cluster}.{'?' if proc is None else proc}"


def make_queues(
    jobs: Iterable[LocatedAd], default: str, versions: Mapping[str, Version] = MappingProxyType({})
) -> tuple[ScheddQueue, ...]:
    """Jobs by schedd, each queue in file order; ``versions``: of schedds by name."""
    queues: dict[str, list[ClassAd]] = {}
    for job in jobs:
        queues.setdefault(schedd_of(job, default), []).append(job.ad)
    return tuple(
        ScheddQueue(name, tuple(ads), version=versions.get(name)) for name, ads in queues.items()
    )


def make_submitters(
    jobs: Iterable[LocatedAd],
    schedds: Sequence[LocatedAd],
    default: str,
    policy: NegotiatorPolicy,
) -> tuple[ClassAd, ...]:
    """The submitter ads that the schedds would advertise for these jobs."""
    weights = IdleJobWeights.by(policy)
    counts: dict[tuple[str, str], dict[str, float]] = {}
    prios: dict[tuple[str, str], list[float]] = {}
    for job in jobs:
        name, status = submitter_of(job), job.number("JobStatus")
        if name is None or status not in (IDLE, RUNNING) or not served(job.ad, NO_CONTEXT):
            continue
        kind = "Idle" if status == IDLE else "Running"
        sender = (name, schedd_of(job, default))
        count = counts.setdefault(sender, {})
        if status == IDLE:
            prios.setdefault(sender, []).append(job.number("JobPrio") or 0)
        count[f"{kind}Jobs"] = count.get(f"{kind}Jobs", 0) + 1
        key = f"Weighted{kind}Jobs"
        count[key] = count.get(key, 0) + weights.of(job.ad)
    addresses = {ad.text("Name"): ad.text("MyAddress") for ad in schedds}
    made = []
    for (name, schedd), count in counts.items():
        ad = submitter_ad(name, schedd, addresses.get(schedd) or NO_ADDRESS, count)
        if policy.use_global_job_prios:
            told = job_prio_array(prios.get((name, schedd), ()), policy)
            ad.insert("JobPrioArray", told)
        made.append(ad)
    return tuple(made)


def submitter_ad(name: str, schedd: str, address: str, count: dict[str, float]) -> ClassAd:
    """A submitter ad as a schedd sends it; ``count`` has its numbers of jobs and their weights."""
    ad = ClassAd()
    for attribute, value in (
        ("MyType", "Submitter"),
        ("Name", name),
        ("ScheddName", schedd),
        ("ScheddIpAddr", address),
        ("MyAddress", address),
    ):
        ad.insert(attribute, value)
    for kind in ("Idle", "Running"):
        ad.insert(f"{kind}Jobs", int(count.get(f"{kind}Jobs", 0)))
        ad.insert(f"Weighted{kind}Jobs", count.get(f"Weighted{kind}Jobs", 0))
    return ad
