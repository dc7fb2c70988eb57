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

from attr import evolve, frozen

from classad import ClassAd
from negotiator.capture.ads import job_id
from negotiator.capture.schedds import with_other_jobs
from negotiator.jobs.readiness import IDLE
from negotiator.jobs.submitters import IdleJobWeights, submitter_of
from negotiator.model.snapshot import ScheddQueue
from policy.maps.user_maps import Mapped, UserMap, map_name
from policy.model import NegotiatorPolicy

FEATURE: Final = "AssignAccountingGroup"


@frozen(eq=False)
class GroupMap:
    """The map, and whether a job that asks for a group that is not its owner's is refused."""

    lines: UserMap
    check_request: bool


@frozen
class GroupAssignment:
    """Jobs of one user at one schedd that get another submitter, and the line that says so."""

    schedd: str
    before: str
    after: str
    place: str
    jobs: tuple[str, ...]


@frozen
class RefusedJobs:
    """Jobs that the schedd would not take; they are left as they are."""

    schedd: str
    submitter: str
    why: str
    jobs: tuple[str, ...]


@frozen
class Assignments:
    """What a map does to the jobs of a pool."""

    assigned: tuple[GroupAssignment, ...] = ()
    refused: tuple[RefusedJobs, ...] = ()


#: Jobs that change submitter: by schedd, submitter before and after, and the line that says so.
_Moved = dict[tuple[str, str, str, str], list[tuple[ClassAd, ClassAd]]]
#: Jobs that are refused: by schedd, submitter and cause.
_Refused = dict[tuple[str, str, str], list[ClassAd]]


def assign_groups(
    known: GroupMap | None,
    queues: Sequence[ScheddQueue],
    submitters: Sequence[ClassAd],
    policy: NegotiatorPolicy,
) -> tuple[Sequence[ScheddQueue], Sequence[ClassAd], Assignments]:
    """The queues and the submitter ads as they would be, and what was changed."""
    if known is None:
        return queues, submitters, Assignments()
    moved: _Moved = {}
    refused: _Refused = {}
    changed = []
    for queue in queues:
        jobs = tuple(_assigned(known, queue.name, job, moved, refused) for job in queue.jobs)
        changed.append(evolve(queue, jobs=jobs))
    said = Assignments(
        tuple(
            GroupAssignment(*key, tuple(job_id(job) for job, _ in jobs))
            for key, jobs in moved.items()
        ),
        tuple(RefusedJobs(*key, tuple(map(job_id, jobs))) for key, jobs in refused.items()),
    )
    moves = ((schedd, job) for (schedd, *_), jobs in moved.items() for job in jobs)
    return changed, with_other_jobs(submitters, moves, IdleJobWeights.by(policy)), said


def _assigned(
    known: GroupMap, schedd: str, job: ClassAd, moved: _Moved, refused: _Refused
) -> ClassAd:
    """The job with its group; the job itself where there is nothing to do."""
    owner = job.get_string("Owner")
    done = job.raw("AcctGroupUser") is not None
    if job.get_number("JobStatus") != IDLE or owner is None or done:
        return job
    wanted = job.get_string("AcctGroup")
    found = map_name(known.lines, owner, wanted)
    before = submitter_of(job) or ""
    why = _refused(known, found, wanted)
    if why is not None:
        refused.setdefault((schedd, before, why), []).append(job)
        return job
    new = job.duplicate()
    new.insert("AcctGroupUser", owner)
    if wanted is not None:
        new.insert("RequestedAcctGroup", wanted)
    new.insert("AcctGroup", found.group)
    new.insert("AccountingGroup", f"{found.group}.{owner}")
    line = found.line
    place = "" if line is None else f"{line.file}:{line.number}"
    after = submitter_of(new) or ""
    if after != before:
        moved.setdefault((schedd, before, after, place), []).append((job, new))
    return new


def _refused(known: GroupMap, mapped: Mapped, wanted: str | None) -> str | None:
    if mapped.group is None:
        return f"no group for `{mapped.name}` in the map"
    if known.check_request and wanted is not None and wanted.lower() != mapped.group.lower():
        return f"`{mapped.name}` may not ask for group `{wanted}`"
    return None
