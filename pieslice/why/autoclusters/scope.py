"""Finds the jobs of a cluster, of a user or of a group that a question is about.

Decides what a user may be called by: the submitter name, ``User``, or the part before the ``@``
without the group.

Inputs: the name, the snapshot, the policy.  Outputs: ``AskedJob`` values; raises
``UnknownScopeError``.
"""

from __future__ import annotations

from attr import frozen

from negotiator.groups.tree import group_tree
from negotiator.jobs.submitters import negotiated_name
from negotiator.model.result import ROOT_GROUP
from negotiator.model.snapshot import Snapshot
from pieslice.reports.names import did_you_mean, listed
from pieslice.why.jobs import AskedJob, all_jobs, find_job
from policy.model import NegotiatorPolicy


class UnknownScopeError(Exception):
    """There is no such user or group, or it has no jobs."""


@frozen(eq=False)
class Scope:
    """Jobs, and what they are called together."""

    about: str
    jobs: tuple[AskedJob, ...]


def find_jobs(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    *,
    user: str | None = None,
    group: str | None = None,
    cluster: str | None = None,
) -> Scope:
    """All jobs of a user, a group or a cluster, of which one is named.

    Raises ``UnknownScopeError`` and ``UnknownJobError``.
    """
    if [user, group, cluster].count(None) != 2:
        raise UnknownScopeError("name a user, a group or a cluster, and one of them only")
    if user is not None:
        return Scope(f"user {user}", tuple(jobs_of_user(snapshot, user)))
    if group is not None:
        return Scope(f"group {group}", tuple(jobs_of_group(snapshot, policy, group)))
    first = find_job(snapshot, cluster or "")
    mates = jobs_of_cluster(snapshot, first.schedd, first.cluster)
    return Scope(f"cluster {first.cluster}{first.of}", tuple(mates))


def jobs_of_cluster(snapshot: Snapshot, schedd: str, cluster: int) -> list[AskedJob]:
    """All jobs of a cluster."""
    return [job for job in all_jobs(snapshot) if (job.schedd, job.cluster) == (schedd, cluster)]


def jobs_of_user(snapshot: Snapshot, name: str) -> list[AskedJob]:
    """All jobs of a user, under whatever group they negotiate."""
    jobs = all_jobs(snapshot)
    found = [job for job in jobs if name.lower() in _names(job)]
    if found:
        return found
    known = {alias for job in jobs for alias in _names(job)}
    recorded = {alias for record in snapshot.accountant.customers for alias in _aliases(record)}
    if name.lower() in recorded:
        raise UnknownScopeError(f"user `{name}` has no jobs in the queues")
    raise UnknownScopeError(f"no job in the queues is of user `{name}`{_meant(name, known)}")


def _names(job: AskedJob) -> set[str]:
    """What the user of a job may be called by, lower-cased."""
    names = set() if job.submitter is None else _aliases(job.submitter)
    for attribute in ("User", "Owner"):
        value = job.ad.get_string(attribute)
        if value:
            names |= _aliases(value)
    return names


def _aliases(name: str) -> set[str]:
    """A name, and its last part without domain and group."""
    before, at, _ = name.lower().rpartition("@")
    return {name.lower(), before.rpartition(".")[2]} if at else {name.lower()}


def jobs_of_group(snapshot: Snapshot, policy: NegotiatorPolicy, name: str) -> list[AskedJob]:
    """All jobs of an accounting group and those below it."""
    tree = group_tree(policy)
    groups = {group.name.lower() for group in tree.groups}
    if not tree.configured:
        raise UnknownScopeError(f"there is no group `{name}`: the policy has no accounting groups")
    if name.lower() not in groups:
        raise UnknownScopeError(f"there is no group `{name}`{_meant(name, groups)}")
    wanted = name.lower()
    found = []
    for job in all_jobs(snapshot):
        if job.submitter is not None:
            group = tree.assigned(negotiated_name(job.submitter, policy)).name.lower()
            if group == wanted or (group.startswith(f"{wanted}.") and wanted != ROOT_GROUP):
                found.append(job)
    if not found:
        raise UnknownScopeError(f"group `{name}` has no jobs in the queues")
    return found


def _meant(name: str, known: set[str]) -> str:
    """What may have been meant, or what there is."""
    some = sorted(known, key=lambda item: ("@" in item, item))
    return did_you_mean(name, known) or (f"; there are {listed(some)}" if some else "")
