"""Puts job ads into the queues of their schedds, with what else is known of each schedd.

A job is in the queue of the schedd that stands before the first ``#`` of its ``GlobalJobId``.  The
submitter ads made here are those that a schedd would advertise, for captures without any.

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

Inputs: job ads in file order, schedd ads, claims (``Schedd.get_claims`` with the name of the
schedd).  Outputs: ``ScheddQueue`` in order of first appearance; submitter ads.
Follows: the schedd's submitter ads (``IdleJobs``, ``RunningJobs`` and their weights); its matches
without a shadow, which keep a job from being offered.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType
from typing import Final

from attr import evolve

from classad import ClassAd
from classad.ads.ad import SharedNames, as_number
from classad.evaluate import EvalContext
from classad.evaluation.context import NO_CONTEXT
from negotiator.capture.ads import LocatedAd
from negotiator.capture.files import CaptureReader
from negotiator.jobs.lists import priority_order
from negotiator.jobs.readiness import IDLE, RUNNING, unserved_by
from negotiator.jobs.submitters import (
    OWNERSHIP,
    IdleJobWeights,
    job_prio_array,
    submitter_by,
    submitter_of,
)
from negotiator.model.arithmetic import whole
from negotiator.model.snapshot import JobNumber, ScheddQueue, whole_slot
from negotiator.pool.addresses import NO_ADDRESS
from policy.model import NegotiatorPolicy
from policy.versions import Followed, UnknownVersionError, Version, followed_version, parse_version

#: Seconds between a granted claim and its job's start.
_JUST: Final = 3
_LONG_AGO: Final = -math.inf
#: An autocluster of a submitter; of a job without one its own number.
_Kind = tuple[str | None, int | JobNumber]
#: What a schedd advertises a job by.
_COUNTED: Final = ("jobstatus", "jobuniverse", "managed", "jobprio", *OWNERSHIP)


def schedd_of(job: LocatedAd, default: str) -> str:
    """The ``ScheddName`` of a job."""
    global_id = job.text("GlobalJobId")
    return global_id.partition("#")[0] if global_id and "#" in global_id else default


def make_queues(
    jobs: Iterable[LocatedAd],
    default: str,
    versions: Mapping[str, Version] = MappingProxyType({}),
    schedds: Iterable[LocatedAd] = (),
) -> tuple[ScheddQueue, ...]:
    """Jobs by schedd, each queue in file order; ``versions``: of schedds by name; their ads."""
    known = {ad.text("Name"): ad.ad for ad in schedds}
    queues: dict[str, list[ClassAd]] = {}
    for job in jobs:
        queues.setdefault(schedd_of(job, default), []).append(job.ad)
    return tuple(
        ScheddQueue(name, tuple(ads), version=versions.get(name), schedd=known.get(name))
        for name, ads in queues.items()
    )


def schedd_versions(
    reader: CaptureReader,
    schedds: Sequence[LocatedAd],
    submitters: Iterable[ClassAd],
    followed: Followed,
) -> Mapping[str, Version]:
    """The versions of schedds by name, where they are not that of the negotiator.

    A version that was given counts for the whole pool.
    """
    if reader.version is not None:
        return {}
    texts = {ad.get_string("ScheddName"): ad.get_string("CondorVersion") for ad in submitters}
    texts |= {ad.text("Name"): ad.text("CondorVersion") for ad in schedds}
    found: dict[str, Version] = {}
    wrong: list[str] = []
    for name, text in texts.items():
        if name is None or text is None:
            continue
        try:
            version = followed_version(parse_version(text), name).version
        except UnknownVersionError as problem:
            wrong.append(f"CondorVersion of schedd `{name}`: {problem}")
            continue
        if version != followed.version:
            found[name] = version
    if wrong:
        more = f", and {len(wrong) - 1} more" if wrong[1:] else ""
        reader.warn(f"{wrong[0]}{more}", help=f"the rules of {followed.version} are followed there")
    if found:
        told = ", ".join(f"{name} {version}" for name, version in sorted(found.items())[:4])
        more = f" and {len(found) - 4} more" if len(found) > 4 else ""
        text = f"schedds of other versions follow their own rules: {told}{more}"
        reader.warn(text, severity="note")
    return found


# --- submitter ads --------------------------------------------------------------------------------


def make_submitters(
    jobs: Iterable[LocatedAd],
    schedds: Sequence[LocatedAd],
    default: str,
    policy: NegotiatorPolicy,
) -> tuple[ClassAd, ...]:
    """The submitter ads that the schedds would advertise for these jobs."""
    weights = IdleJobWeights.by(policy)
    counts: dict[tuple[str, str], dict[str, int]] = {}
    prios: dict[tuple[str, str], list[float]] = {}
    for job in jobs:
        number, universe, managed, prio, *who = job.ad.evaluate_all(_COUNTED, NO_CONTEXT)
        name, status = submitter_by(*who), as_number(number)
        if name is None or status not in (IDLE, RUNNING) or unserved_by(universe, managed):
            continue
        kind = "Idle" if status == IDLE else "Running"
        sender = (name, schedd_of(job, default))
        count = counts.get(sender)
        if count is None:
            count = counts[sender] = dict.fromkeys(_NUMBERS, 0)
        if status == IDLE:
            prios.setdefault(sender, []).append(as_number(prio) or 0)
        count[f"{kind}Jobs"] += 1
        count[f"Weighted{kind}Jobs"] += weights.of(job.ad)
    addresses = {ad.text("Name"): ad.text("MyAddress") for ad in schedds}
    made = []
    for (name, schedd), count in counts.items():
        ad = submitter_ad(name, schedd, addresses.get(schedd) or NO_ADDRESS, count)
        if policy.use_global_job_prios:
            told = job_prio_array(prios.get((name, schedd), ()), policy)
            ad.insert("JobPrioArray", told)
        made.append(ad)
    return tuple(made)


def submitter_ad(name: str, schedd: str, address: str, count: Mapping[str, float]) -> ClassAd:
    """A submitter ad as a schedd sends it; ``count`` has its numbers of jobs and their weights."""
    numbers = [count.get(attribute, 0) for attribute in _NUMBERS]
    values = ("Submitter", name, schedd, address, address, *numbers)
    return ClassAd.holding(_SUBMITTER, dict(zip(_SUBMITTER, values, strict=True)))


_NUMBERS: Final = ("IdleJobs", "WeightedIdleJobs", "RunningJobs", "WeightedRunningJobs")
#: The names of a submitter ad by their keys.
_SUBMITTER: Final = SharedNames(
    (name.lower(), name)
    for name in ("MyType", "Name", "ScheddName", "ScheddIpAddr", "MyAddress", *_NUMBERS)
)


#: What all submitter ads of a schedd have alike, and what counts the jobs of one.
_OF_SCHEDD: Final = ("ScheddIpAddr", "MyAddress")
_COUNTS: Final = (
    "IdleJobs", "WeightedIdleJobs", "RunningJobs", "WeightedRunningJobs", "HeldJobs", "FlockedJobs",
)  # fmt: skip
#: An idle job, and as it is in place of that; None if it is in no queue then.
OtherJob = tuple[ClassAd, ClassAd | None]


def with_other_jobs(
    submitters: Sequence[ClassAd], moves: Iterable[tuple[str, OtherJob]], weights: IdleJobWeights
) -> tuple[ClassAd, ...]:
    """The submitter ads with idle jobs counted as they are now; ``moves``: by schedd."""
    found = list(submitters)
    # A schedd that was started anew has two ads of a submitter for a while; the last one counts.
    places = {
        (ad.get_string("Name"), ad.get_string("ScheddName")): place
        for place, ad in enumerate(submitters)
    }
    of_schedd = {ad.get_string("ScheddName"): ad for ad in submitters}
    changes: dict[tuple[str, str], list[int]] = {}
    for schedd, (before, after) in moves:
        for job, sign in ((before, -1), (after, 1)):
            if job is None or (sign > 0 and job.get_number("JobStatus") != IDLE):
                continue
            change = changes.setdefault((submitter_of(job) or "", schedd), [0, 0])
            change[0] += sign
            change[1] += sign * weights.of(job)
    for (name, schedd), (count, weight) in changes.items():
        place = places.get((name, schedd))
        if place is None and count <= 0:
            continue
        if place is None:
            place = places[name, schedd] = len(found)
            found.append(_another_submitter(name, schedd, of_schedd.get(schedd)))
        changed = found[place] = found[place].duplicate()
        for attribute, more in (("IdleJobs", count), ("WeightedIdleJobs", weight)):
            changed.insert(attribute, max((changed.get_number(attribute) or 0) + more, 0))
    return tuple(found)


def _another_submitter(name: str, schedd: str, like: ClassAd | None) -> ClassAd:
    """The ad of a submitter without jobs that a schedd sends with another one."""
    ad = submitter_ad(name, schedd, NO_ADDRESS, {})
    if like is not None:
        for attribute in like.names():
            if ad.raw(attribute) is None or attribute in _OF_SCHEDD:
                ad.insert(attribute, like.raw(attribute))
        for attribute in _COUNTS:
            if ad.raw(attribute) is not None:
                ad.insert(attribute, 0)
    return ad


# --- jobs that have a match -----------------------------------------------------------------------


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
    jobs = {
        number: job
        for job in queue.jobs
        if (number := _number(job, "ClusterId", "ProcId")) is not None
    }
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
) -> Iterator[JobNumber]:
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


def _user(claim: ClassAd) -> str | None:
    return claim.get_string("AccountingGroup") or claim.get_string("RemoteUser")


def _entered(claim: ClassAd) -> float:
    entered = claim.get_number("EnteredCurrentState")
    return _LONG_AGO if entered is None else entered


def _kind(job: ClassAd, number: JobNumber, context: EvalContext) -> _Kind:
    autocluster = job.get_number("AutoClusterId")
    return submitter_of(job, context), number if autocluster is None else whole(autocluster)


def _number(ad: ClassAd, *names: str) -> JobNumber | None:
    cluster, proc = (ad.get_number(name) for name in names)
    return None if cluster is None or proc is None else (whole(cluster), whole(proc))
