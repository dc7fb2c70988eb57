"""Finds the idle jobs that have a match already, from the claims of their schedds.

A schedd offers no job for which it has a claim, though nothing in the ad of the job says so until
it runs.  A claim that is asked for names the first job of the request that it answers, not the job
that will have it: such claims are counted, and as many jobs of that autocluster have one, in the
order of the queue.  A claim that has just been granted names the user and belongs to the first of
the user's idle jobs; an older one without a job is about to be released.  None of this holds of a
claim in whose slot a job of its user runs.

Inputs: claims (``Schedd.get_claims`` with the name of the schedd), the queues.  Outputs: the queues
with those jobs noted.
Follows: condor_schedd, whose matches without a shadow keep a job from being offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from attr import evolve

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.capture.ads import LocatedAd
from negotiator.jobs.lists import IDLE, RUNNING, priority_order, submitter_of
from negotiator.model.snapshot import JobNumber, ScheddQueue

#: Seconds between a granted claim and its job's start.
_JUST: Final = 3
#: An autocluster of a submitter; of a job without one its own number.
_Kind = tuple[str | None, int | JobNumber]


def with_matches(
    queues: Iterable[ScheddQueue], claims: Sequence[LocatedAd] | None
) -> tuple[ScheddQueue, ...]:
    """The queues with the jobs that have a match already."""
    if not claims:
        return tuple(queues)
    ads = [claim.ad for claim in claims]
    return tuple(_noted(queue, ads) for queue in queues)


def _noted(queue: ScheddQueue, claims: Sequence[ClassAd]) -> ScheddQueue:
    context = EvalContext()
    users = {_id(job): submitter_of(job, context) for job in queue.jobs}
    running = {
        (job.get_string("RemoteHost"), users[_id(job)])
        for job in queue.jobs
        if job.get_number("JobStatus") == RUNNING
    }
    now = max((job.get_number("ServerTime") or 0 for job in queue.jobs), default=0)
    requested: Counter[JobNumber] = Counter()
    granted: Counter[str | None] = Counter()
    for claim in claims:
        if claim.get_string("ScheddName") != queue.name:
            continue
        first = _number(claim, "_condor_RESOURCE_CLUSTER", "_condor_RESOURCE_PROC")
        # The ad of a claim that preempts stays that of the slot when it was matched, with whoever
        # was there then, also when its own job runs.
        own = claim.get_string("AccountingGroup") or claim.get_string("RemoteUser")
        user = own if first is None else users.get(first)
        if (claim.get_string("Name"), user) in running:
            continue
        if first is not None:
            requested[first] += 1
        elif (claim.get_number("EnteredCurrentState") or 0) > now - _JUST:
            granted[user] += 1
    if not requested and not granted:
        return queue
    return evolve(queue, matched=frozenset(_matched(queue, requested, granted)))


def _matched(
    queue: ScheddQueue, requested: Counter[JobNumber], granted: Counter[str | None]
) -> Iterable[JobNumber]:
    """The idle jobs that the claims are for."""
    context = EvalContext()
    kinds = {number: _kind(job, number, context) for job in queue.jobs if (number := _id(job))}
    counts: Counter[_Kind] = Counter()
    for number, count in requested.items():
        counts[kinds.get(number, (None, number))] += count
    idle = [job for job in queue.jobs if job.get_number("JobStatus") == IDLE]
    for job in sorted(idle, key=lambda job: (priority_order(job, context), _id(job) or (0, 0))):
        number = _id(job)
        if number is None:
            continue
        kind = kinds[number]
        if counts[kind] > 0:
            counts[kind] -= 1
        elif granted[kind[0]] > 0:
            granted[kind[0]] -= 1
        else:
            continue
        yield number


def _kind(job: ClassAd, number: JobNumber, context: EvalContext) -> _Kind:
    autocluster = job.get_number("AutoClusterId")
    return submitter_of(job, context), number if autocluster is None else int(autocluster)


def _id(job: ClassAd) -> JobNumber | None:
    return _number(job, "ClusterId", "ProcId")


def _number(ad: ClassAd, *names: str) -> JobNumber | None:
    cluster, proc = (ad.get_number(name) for name in names)
    return None if cluster is None or proc is None else (int(cluster), int(proc))
