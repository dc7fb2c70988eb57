"""Sums up what became of many jobs, autocluster by autocluster.

Decides which autocluster is worst off: the one of whose jobs the smallest part was matched, then
the one with most jobs that wait on.

Inputs: what ``negotiate`` takes, the jobs.  Outputs: an ``Overview``.  Follows: the schedd, which
asks for all jobs of an autocluster at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random

from attr import evolve, frozen

from classad.evaluate import EvalContext
from classad.language.rules import LanguageRules
from negotiator.cycle import negotiate
from negotiator.jobs.lists import IDLE, RUNNING
from negotiator.jobs.offers import Unasked
from negotiator.jobs.requests import NO_AUTOCLUSTER
from negotiator.jobs.submitters import negotiated_name
from negotiator.model.loaded_slots import slots_named
from negotiator.model.result import CycleResult, MatchKind
from negotiator.model.snapshot import Snapshot
from pieslice.why.jobs import AskedJob
from pieslice.why.requests.absence import status_of, why_no_session, why_not_ready
from pieslice.why.requests.fates import Fate, JobFate, fates
from pieslice.why.requests.record import RequestLog
from pieslice.why.requests.text import reason_of
from policy.model import NegotiatorPolicy


@frozen
class Cause:
    """Why ``jobs`` of an autocluster have no slot; ``first`` of them.

    ``follows``: nobody asked for them, since a request of their autocluster had been rejected.
    """

    fate: Fate
    text: str
    jobs: int
    first: str
    follows: bool = False


@frozen
class AutoclusterVerdict:
    """The jobs of one autocluster (of one cluster where there are none) that were asked about.

    ``jobs`` = ``matched`` + those of the ``causes``, the most frequent first.
    """

    submitter: str
    schedd: str
    autocluster: int | None
    first: str
    jobs: int
    matched: int
    ways: Mapping[MatchKind, int]
    causes: tuple[Cause, ...]


@frozen
class Others:
    """Jobs that do not wait for a slot: their status, and why if they are idle."""

    status: str
    jobs: int
    first: str
    preempted: int = 0


@frozen(eq=False)
class Overview:
    """Everything about the jobs that were asked for, the worst autocluster first."""

    about: str
    result: CycleResult
    waiting: int
    matched: int
    autoclusters: tuple[AutoclusterVerdict, ...]
    others: tuple[Others, ...]


def overview(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    about: str,
    jobs: Iterable[AskedJob],
    *,
    now: float,
    seed: int,
) -> Overview:
    """What became of the jobs; ``about``: what they are called together."""
    asked = [
        evolve(job, submitter=negotiated_name(job.submitter, policy)) if job.submitter else job
        for job in jobs
    ]
    mine = {(job.submitter, job.schedd) for job in asked}
    log = RequestLog(lambda name, schedd: (name, schedd) in mine)
    result = negotiate(snapshot, policy, now=now, rng=Random(seed), watch=log)
    wanted = {(job.submitter, job.schedd, job.id) for job in asked}
    waiting = [f for f in fates(log.record) if (f.submitter, f.schedd, f.job) in wanted]
    there = {(fate.submitter, fate.schedd, fate.job) for fate in waiting}
    others = [job for job in asked if (job.submitter, job.schedd, job.id) not in there]
    rows = _autoclusters(snapshot, policy, result, waiting)
    return Overview(
        about,
        result,
        len(waiting),
        sum(row.matched for row in rows),
        tuple(sorted(rows, key=_worst_first)),
        _others(snapshot, result, others, now, policy.language),
    )


def _worst_first(row: AutoclusterVerdict) -> tuple[float, int]:
    return row.matched / row.jobs, row.matched - row.jobs


def _autoclusters(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    result: CycleResult,
    waiting: list[JobFate],
) -> list[AutoclusterVerdict]:
    kinds: dict[tuple[object, ...], list[JobFate]] = {}
    for fate in waiting:
        alike = fate.autocluster
        key = fate.job.partition(".")[0] if alike == NO_AUTOCLUSTER else alike
        kinds.setdefault((fate.submitter, fate.schedd, key), []).append(fate)
    silent: dict[tuple[str, str], str] = {}
    rows = []
    for jobs in kinds.values():
        first = jobs[0]
        causes: dict[tuple[Fate, str, bool], list[str]] = {}
        for fate in jobs:
            if fate.fate is Fate.MATCHED:
                continue
            about = (fate.submitter, fate.schedd)
            if fate.fate is Fate.NO_SESSION and about not in silent:
                silent[about] = why_no_session(snapshot, policy, result, *about).text
            text = silent[about] if fate.fate is Fate.NO_SESSION else reason_of(fate)
            follows = fate.unasked is Unasked.REJECTED
            causes.setdefault((fate.fate, text, follows), []).append(fate.job)
        found = [
            Cause(why, text, len(ids), ids[0], follows)
            for (why, text, follows), ids in causes.items()
        ]
        ways = Counter(fate.got.match.kind for fate in jobs if fate.got is not None)
        rows.append(
            AutoclusterVerdict(
                first.submitter,
                first.schedd,
                None if first.autocluster == NO_AUTOCLUSTER else first.autocluster,
                first.job,
                len(jobs),
                sum(ways.values()),
                ways,
                tuple(sorted(found, key=lambda cause: (cause.follows, -cause.jobs))),
            )
        )
    return rows


def _others(
    snapshot: Snapshot,
    result: CycleResult,
    jobs: list[AskedJob],
    now: float,
    language: LanguageRules,
) -> tuple[Others, ...]:
    context = EvalContext(now=now, language=language)
    leaving = _preempted_ids(snapshot, result, context) if jobs else frozenset()
    found: dict[str, list[AskedJob]] = {}
    for job in jobs:
        found.setdefault(_status(job, now, snapshot, language), []).append(job)
    return tuple(
        Others(
            status,
            len(group),
            group[0].id,
            sum(1 for job in group if job.status == RUNNING and _named(job) & leaving),
        )
        for status, group in sorted(found.items(), key=lambda item: -len(item[1]))
    )


def _status(job: AskedJob, now: float, snapshot: Snapshot, language: LanguageRules) -> str:
    if job.status != IDLE:
        return status_of(job)
    return f"idle, not offered: {why_not_ready(job, now, snapshot.slots, language)}"


def _named(job: AskedJob) -> frozenset[str]:
    """What a slot may call a running job by."""
    global_id = job.ad.get_string("GlobalJobId")
    host = job.ad.get_string("RemoteHost")
    return frozenset(name for name in (global_id, f"{job.id} ", host) if name)


def _preempted_ids(snapshot: Snapshot, result: CycleResult, context: EvalContext) -> frozenset[str]:
    """The jobs that the matches of the cycle preempt, as their slots call them, and the slots."""
    gone: set[str] = set()
    for match in result.matches:
        if match.kind is not MatchKind.NONE:
            gone.update((match.slot, *match.dynamic_slots))
    ids: set[str] = set()
    for name, ad in slots_named(snapshot.slots, gone).items() if gone else ():
        # Of several queues only GlobalJobId tells jobs apart, wherever a slot has it.
        local = ad.get_string("JobId", context=context)
        ids.update((name, ad.get_string("GlobalJobId", context=context) or f"{local} "))
    return frozenset(ids)
