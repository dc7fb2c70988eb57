"""Assigns waiting jobs the accounting groups that the schedds' maps would give them.

This applies to configurations with FEATURE:AssignAccountingGroup.  The real schedds do it once,
when a job is submitted, and refuse some jobs; here it is done for jobs that were submitted without
it, to show what the map would change.  Jobs that have been through it (they have ``AcctGroupUser``)
and running ones are left alone.

Inputs: the map, job queues, submitter ads.  Outputs: queues and submitter ads with the changes, and
``Assignments``, which say what was done.
Follows: the transform and the submit requirements of the template in 25.14.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attr import define, evolve, field, frozen

from classad import ClassAd
from negotiator.capture.queues import submitter_ad
from negotiator.jobs.lists import IDLE
from negotiator.jobs.weights import IdleJobWeights
from negotiator.model.arithmetic import whole
from negotiator.model.snapshot import ScheddQueue
from negotiator.pool.addresses import NO_ADDRESS
from policy.maps.user_maps import Mapped, UserMap, map_name

FEATURE: Final = "AssignAccountingGroup"


@frozen(eq=False)
class GroupMap:
    """The map, and whether a job that asks for a group that is not its owner's is refused."""

    lines: UserMap
    check_request: bool


@frozen
class Assignment:
    """Jobs of one user at one schedd that get another submitter, and the line that says so."""

    schedd: str
    before: str
    after: str
    place: str
    jobs: tuple[str, ...]


@frozen
class Refusal:
    """Jobs that the schedd would not take; they are left as they are."""

    schedd: str
    submitter: str
    why: str
    jobs: tuple[str, ...]


@frozen
class Assignments:
    """What a map does to the jobs of a pool."""

    assigned: tuple[Assignment, ...] = ()
    refused: tuple[Refusal, ...] = ()


@define(eq=False)
class _Moved:
    """Jobs and weights that change submitter, by schedd, submitter before and after."""

    jobs: dict[tuple[str, str, str, str], list[ClassAd]] = field(factory=dict)
    refused: dict[tuple[str, str, str], list[ClassAd]] = field(factory=dict)


def assign_groups(
    known: GroupMap,
    queues: Sequence[ScheddQueue],
    submitters: Sequence[ClassAd],
    weights: IdleJobWeights,
) -> tuple[tuple[ScheddQueue, ...], tuple[ClassAd, ...], Assignments]:
    """The queues and the submitter ads as they would be, and what was changed."""
    moved = _Moved()
    changed = []
    for queue in queues:
        jobs = tuple(_assigned(known, queue.name, job, moved) for job in queue.jobs)
        changed.append(evolve(queue, jobs=jobs))
    ads = _submitters(submitters, moved, weights)
    return tuple(changed), ads, _summary(moved)


def _assigned(known: GroupMap, schedd: str, job: ClassAd, moved: _Moved) -> ClassAd:
    """The job with its group; the job itself where there is nothing to do."""
    owner = job.get_string("Owner")
    done = job.raw("AcctGroupUser") is not None
    if job.get_number("JobStatus") != IDLE or owner is None or done:
        return job
    wanted = job.get_string("AcctGroup")
    found = map_name(known.lines, owner, wanted)
    before = _submitter(job)
    why = _refused(known, found, wanted)
    if why is not None:
        moved.refused.setdefault((schedd, before, why), []).append(job)
        return job
    new = job.duplicate()
    new.insert("AcctGroupUser", owner)
    if wanted is not None:
        new.insert("RequestedAcctGroup", wanted)
    new.insert("AcctGroup", found.group)
    new.insert("AccountingGroup", f"{found.group}.{owner}")
    line = found.line
    place = "" if line is None else f"{line.file}:{line.number}"
    after = _submitter(new)
    if after != before:
        moved.jobs.setdefault((schedd, before, after, place), []).append(job)
    return new


def _refused(known: GroupMap, found: Mapped, wanted: str | None) -> str | None:
    if found.group is None:
        return f"no group for `{found.name}` in the map"
    if known.check_request and wanted is not None and wanted.lower() != found.group.lower():
        return f"`{found.name}` may not ask for group `{wanted}`"
    return None


def _submitter(job: ClassAd) -> str:
    user = job.get_string("User") or job.get_string("Owner") or ""
    group = job.get_string("AccountingGroup")
    if group is None or "@" in group:
        return group or user
    domain = user.partition("@")[2]
    return f"{group}@{domain}" if domain else group


def _submitters(
    ads: Sequence[ClassAd], moved: _Moved, weights: IdleJobWeights
) -> tuple[ClassAd, ...]:
    """The submitter ads with the idle jobs where they now belong."""
    found = list(ads)
    # A schedd that was started anew has two ads of a submitter for a while; the last one counts.
    places = {
        (ad.get_string("Name"), ad.get_string("ScheddName")): place for place, ad in enumerate(ads)
    }
    addresses = {ad.get_string("ScheddName"): ad.get_string("ScheddIpAddr") for ad in ads}
    for (schedd, before, after, _), jobs in moved.jobs.items():
        old, new = places.get((before, schedd)), places.setdefault((after, schedd), len(found))
        if new == len(found):
            found.append(submitter_ad(after, schedd, addresses.get(schedd) or NO_ADDRESS, {}))
        if old is not None:
            found[old] = _with_jobs(found[old], -len(jobs), -weights.sum(jobs))
        found[new] = _with_jobs(found[new], len(jobs), weights.sum(jobs))
    return tuple(found)


def _with_jobs(ad: ClassAd, count: int, weight: float) -> ClassAd:
    changed = ad.duplicate()
    for name, more in (("IdleJobs", count), ("WeightedIdleJobs", weight)):
        changed.insert(name, max((ad.get_number(name) or 0) + more, 0))
    return changed


def _summary(moved: _Moved) -> Assignments:
    return Assignments(
        tuple(
            Assignment(schedd, before, after, place, _ids(jobs))
            for (schedd, before, after, place), jobs in moved.jobs.items()
        ),
        tuple(
            Refusal(schedd, submitter, why, _ids(jobs))
            for (schedd, submitter, why), jobs in moved.refused.items()
        ),
    )


def _ids(jobs: Sequence[ClassAd]) -> tuple[str, ...]:
    return tuple(
        ".".join(str(whole(job.get_number(name))) for name in ("ClusterId", "ProcId"))
        for job in jobs
    )
