"""Finds the idle jobs that have a match already, from the claims of their schedds.

A schedd offers no job for which it has a claim, though nothing in the ad of the job says so until
it runs.  There are claims of three kinds, and none concerns an idle job if a job of its user runs
in its slot:

- one that is asked for names the first job of the request that it answers, not the job that will
  have it: such claims are counted, and as many jobs of that autocluster have one, in the order of
  the queue;
- one to the rest of a partitionable slot, of which the schedd has just got a part, names nobody: it
  is for the next job like the one that has the newest part;
- one that has just been granted names the user and belongs to the first of the user's idle jobs; an
  older one without a job is about to be released.

Inputs: claims (``Schedd.get_claims`` with the name of the schedd), the queues.  Outputs: the queues
with those jobs noted.
Follows: condor_schedd, whose matches without a shadow keep a job from being offered.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final

from attr import evolve

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.capture.ads import LocatedAd
from negotiator.jobs.lists import IDLE, RUNNING, priority_order, submitter_of
from negotiator.model.arithmetic import whole
from negotiator.model.snapshot import JobNumber, ScheddQueue

#: Seconds between a granted claim and its job's start.
_JUST: Final = 3
_LONG_AGO: Final = -math.inf
#: The name of a dynamic slot: that of the partitionable one, with a number behind it.
_DYNAMIC: Final = re.compile(r"^([^@]*?\d)_\d+(@|$)")
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
    jobs = {number: job for job in queue.jobs if (number := _id(job)) is not None}
    kinds = {number: _kind(job, number, context) for number, job in jobs.items()}
    # The first job of a request may be gone when another one of its cluster has the match.
    clusters = {number[0]: kind for number, kind in kinds.items()}
    running = {
        (job.get_string("RemoteHost"), kinds[number][0]): number
        for number, job in jobs.items()
        if job.get_number("JobStatus") == RUNNING
    }
    told = [job.get_number("ServerTime") for job in queue.jobs]
    now = max([time for time in told if time is not None], default=_LONG_AGO)
    own = [claim for claim in claims if claim.get_string("ScheddName") == queue.name]
    alike: Counter[_Kind] = Counter()
    users: Counter[str | None] = Counter()
    for claim in own:
        first = _number(claim, "_condor_RESOURCE_CLUSTER", "_condor_RESOURCE_PROC")
        name, user = claim.get_string("Name"), _user(claim)
        if first is not None:
            # Its ad stays that of the slot when it was matched, with whoever was there then.
            kind = kinds.get(first) or clusters.get(first[0], (None, first))
            if (name, kind[0]) not in running:
                alike[kind] += 1
        elif user is None:
            newest = _newest_part(name, own)
            number = None if newest is None else running.get((newest[0], newest[1]))
            if number is not None:
                alike[kinds[number]] += 1
            elif newest is not None:
                users[newest[1]] += 1
        elif (name, user) not in running and _entered(claim) > now - _JUST:
            users[user] += 1
    if not alike and not users:
        return queue
    idle = [number for number, job in jobs.items() if job.get_number("JobStatus") == IDLE]
    idle.sort(key=lambda number: (priority_order(jobs[number], context), number))
    return evolve(queue, matched=frozenset(_taken(idle, kinds, alike, users)))


def _newest_part(name: str | None, claims: Iterable[ClassAd]) -> tuple[str, str | None] | None:
    """The dynamic slot of a partitionable one that was claimed last, and by whom."""
    parts = [
        (_entered(claim), part, _user(claim))
        for claim in claims
        if (part := claim.get_string("Name")) is not None and name == whole_slot(part) != part
    ]
    return max(parts, key=itemgetter(0))[1:] if parts else None


def _taken(
    idle: Iterable[JobNumber],
    kinds: Mapping[JobNumber, _Kind],
    alike: Counter[_Kind],
    users: Counter[str | None],
) -> Iterable[JobNumber]:
    """The idle jobs that the claims are for: so many of a kind, so many of a user."""
    for number in idle:
        kind = kinds[number]
        if alike[kind] > 0:
            alike[kind] -= 1
        elif users[kind[0]] > 0:
            users[kind[0]] -= 1
        else:
            continue
        yield number


def whole_slot(name: str) -> str:
    """Of a dynamic slot the partitionable one that it is a part of; any other slot itself."""
    return _DYNAMIC.sub(r"\1\2", name)


def _user(claim: ClassAd) -> str | None:
    return claim.get_string("AccountingGroup") or claim.get_string("RemoteUser")


def _entered(claim: ClassAd) -> float:
    entered = claim.get_number("EnteredCurrentState")
    return _LONG_AGO if entered is None else entered


def _kind(job: ClassAd, number: JobNumber, context: EvalContext) -> _Kind:
    autocluster = job.get_number("AutoClusterId")
    return submitter_of(job, context), number if autocluster is None else whole(autocluster)


def _id(job: ClassAd) -> JobNumber | None:
    return _number(job, "ClusterId", "ProcId")


def _number(ad: ClassAd, *names: str) -> JobNumber | None:
    cluster, proc = (ad.get_number(name) for name in names)
    return None if cluster is None or proc is None else (whole(cluster), whole(proc))
