"""Sums up what became of many jobs, autocluster by autocluster: ``why CLUSTER``, ``--user``,
``--group``.

Decides which autocluster is worst off: the one of whose jobs the smallest part was matched, then
the one with most jobs that wait on.

Inputs: a cycle, the jobs.  Outputs: ``Surveyed``, the answer.  Follows: the schedd, which asks for
all jobs of an autocluster at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final

from attr import evolve, frozen

from classad.evaluate import EvalContext
from negotiator.jobs.offers import Unasked
from negotiator.jobs.readiness import IDLE, RUNNING
from negotiator.jobs.requests import NO_AUTOCLUSTER
from negotiator.jobs.submitters import negotiated_name
from negotiator.model.loaded_slots import slots_named
from negotiator.model.result import CycleResult, MatchKind
from negotiator.model.snapshot import Snapshot
from pieslice.between.leftovers import LeftoverStart
from pieslice.negotiate.text import KINDS
from pieslice.negotiate.waiting import UsableIdle
from pieslice.reports.document import shape
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, plural
from pieslice.reports.result import Result
from pieslice.why.asked import AskedJob, JobScope
from pieslice.why.fates import (
    Fate,
    JobFate,
    fates,
    reason_of,
    where_it_runs,
    why_no_session,
    why_not_ready,
)
from pieslice.why.moments import AskedCycle
from pieslice.why.own_machine import on_own_machine
from pieslice.why.sessions import RequestLog
from policy.versions import Followed

#: Rows that are shown; JSON has all.
MAX_ROWS: Final = 40


@frozen
class UnmatchedCause:
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

    ``jobs`` = ``matched`` + ``starting`` + those of the ``causes``, the most frequent first;
    ``starting``: those that their schedd starts at once on what matches leave of slots; ``usable``:
    what jobs like these can use of the idle slots.
    """

    submitter: str
    schedd: str
    autocluster: int | None
    first: str
    jobs: int
    matched: int
    ways: Mapping[MatchKind, int]
    verdict: str
    causes: tuple[UnmatchedCause, ...]
    starting: int = 0
    usable: UsableIdle | None = None


@frozen
class JobsNotWaiting:
    """Jobs that do not wait for a slot: their status, and why if they are idle."""

    status: str
    jobs: int
    first: str
    preempted: int = 0


@frozen(eq=False, repr=False)
class Surveyed(Result):
    """What became of the jobs that were asked for, the worst autocluster first."""

    schema: ClassVar[str] = "pieslice/why-jobs/1"
    about: str
    result: CycleResult
    autoclusters: tuple[AutoclusterVerdict, ...]
    others: tuple[JobsNotWaiting, ...]
    followed: Followed | None = None

    @property
    def waiting(self) -> int:
        """How many of them waited for a slot."""
        return sum(item.jobs for item in self.autoclusters)

    @property
    def matched(self) -> int:
        """How many of those got one."""
        return sum(item.matched for item in self.autoclusters)

    @property
    def starting(self) -> int:
        """How many start on what the matches leave of partitionable slots."""
        return sum(item.starting for item in self.autoclusters)

    def summary(self) -> str:
        if not self.waiting:
            return f"{self.about}: no job waits for a slot"
        text = f"{self.about}: {plural(self.waiting, 'job')} in "
        text += f"{plural(len(self.autoclusters), 'autocluster')} waited"
        left = self.waiting - self.matched - self.starting
        if not (left or self.starting):
            return f"{text}, all matched"
        starting = f", {self.starting} start on what that leaves" if self.starting else ""
        return f"{text}: {self.matched} matched{starting}" + (f", {left} not" if left else "")

    def blocks(self) -> Sequence[Block]:
        """The sum, a row for each autocluster, the jobs that do not wait."""
        blocks: list[Block] = [Line(self.summary(), heading=True)]
        for other in self.others:
            text = f"  {plural(other.jobs, 'job')} {other.status} (first {other.first})"
            if other.preempted:
                text += f", {other.preempted} of them preempted in this cycle"
            blocks.append(Line(text, level="bad" if other.preempted else ""))
        if not self.autoclusters:
            return blocks
        blocks += [Line(), _table(self.autoclusters)]
        left = len(self.autoclusters) - MAX_ROWS
        if left > 0:
            blocks.append(Line(f"  and {plural(left, 'more autocluster')}; --json lists them all"))
        told = [(item.first, item.usable) for item in self.autoclusters if item.usable is not None]
        blocks += [
            Line(f"  {first}: {usable.text}", level="bad")
            for first, usable in told[:MAX_ROWS]
            if usable.lacking
        ]
        worst = self.autoclusters[0].causes[:1]
        for cause in worst:
            blocks += [Line(), Line(f"`pieslice why POOL {cause.first}` tells more of the first")]
        return blocks


shape(Surveyed, "about verdict=summary waiting matched starting autoclusters others")


def _table(autoclusters: Sequence[AutoclusterVerdict]) -> TextTable:
    """The first rows; what all have is left out: the submitter, of several the domain."""
    columns = [
        TextColumn("first job", right=True, brief="first", name=True),
        TextColumn("jobs", right=True),
        TextColumn("matched", right=True),
        TextColumn("verdict", prose=True),
    ]
    rows = [
        [item.first, str(item.jobs), str(item.matched), item.verdict]
        for item in autoclusters[:MAX_ROWS]
    ]
    submitters = {item.submitter for item in autoclusters}
    if len(submitters) > 1:
        domains = {name.partition("@")[2] for name in submitters}
        one_domain = f"@{domains.pop()}" if len(domains) == 1 else ""
        columns.insert(3, TextColumn("submitter", name=True))
        for row, item in zip(rows, autoclusters, strict=False):
            row.insert(3, item.submitter.removesuffix(one_domain))
    return TextTable(tuple(columns), tuple(map(tuple, rows)))


# --- the jobs that wait ---------------------------------------------------------------------------


def survey_jobs(cycle: AskedCycle, scope: JobScope) -> Surveyed:
    """What became of the jobs of a user, a group or a cluster."""
    snapshot, policy = cycle.snapshot, cycle.policy
    asked = [
        evolve(job, submitter=negotiated_name(job.submitter, policy)) if job.submitter else job
        for job in scope.jobs
    ]
    mine = {(job.submitter, job.schedd) for job in asked}
    log = RequestLog(lambda name, schedd: (name, schedd) in mine)
    parties = {(job.submitter or "", job.schedd) for job in asked}
    result, left_over = cycle.recorded(log, parties)
    wanted = {(job.submitter, job.schedd, job.id) for job in asked}
    there: set[tuple[str | None, str, str]] = set()
    waiting: dict[tuple[object, ...], list[JobFate]] = {}
    for fate in fates(log.record, left_over):
        about = (fate.submitter, fate.schedd, fate.job)
        if about in wanted:
            there.add(about)
            alike = fate.autocluster
            key = fate.job.partition(".")[0] if alike == NO_AUTOCLUSTER else alike
            waiting.setdefault((fate.submitter, fate.schedd, key), []).append(fate)
    silent = {
        (name, schedd): why_no_session(snapshot, policy, result, name, schedd).text
        for name, schedd in {
            (fate.submitter, fate.schedd)
            for jobs in waiting.values()
            for fate in jobs
            if fate.fate is Fate.NO_SESSION
        }
    }
    use = cycle.idle_use(result)
    ads = {(job.submitter, job.schedd, job.id): job.ad for job in asked}
    rows = []
    for jobs in waiting.values():
        first = jobs[0]
        ad = ads[first.submitter, first.schedd, first.job]
        rows.append(evolve(_verdict(jobs, silent), usable=use.of(ad, len(jobs))))
    rows.sort(key=lambda row: ((done := row.matched + row.starting) / row.jobs, done - row.jobs))
    left = [job for job in asked if (job.submitter, job.schedd, job.id) not in there]
    others = _not_waiting(cycle, result, left)
    return Surveyed(scope.about, result, tuple(rows), others, cycle.version)


def _verdict(jobs: Sequence[JobFate], silent: Mapping[tuple[str, str], str]) -> AutoclusterVerdict:
    """The verdict on jobs of one autocluster; ``silent``: why submitters had no session."""
    first, causes = jobs[0], dict[tuple[Fate, str, bool], list[str]]()
    starting = Counter(fate.left for fate in jobs if fate.left is not None)
    for fate in jobs:
        if fate.fate is Fate.MATCHED or fate.left is not None:
            continue
        unheard = fate.fate is Fate.NO_SESSION
        text = silent[fate.submitter, fate.schedd] if unheard else reason_of(fate)
        follows = fate.unasked is Unasked.REJECTED
        causes.setdefault((fate.fate, text, follows), []).append(fate.job)
    found = [
        UnmatchedCause(why, text, len(ids), ids[0], follows)
        for (why, text, follows), ids in causes.items()
    ]
    found.sort(key=lambda cause: (cause.follows, -cause.jobs))
    ways = Counter(fate.got.match.kind for fate in jobs if fate.got is not None)
    return AutoclusterVerdict(
        first.submitter,
        first.schedd,
        None if first.autocluster == NO_AUTOCLUSTER else first.autocluster,
        first.job,
        len(jobs),
        sum(ways.values()),
        ways,
        verdict(len(jobs), ways, found, starting),
        tuple(found),
        starting.total(),
    )


def verdict(
    jobs: int,
    ways: Mapping[MatchKind, int],
    causes: Sequence[UnmatchedCause],
    starting: Mapping[LeftoverStart, int] = MappingProxyType({}),
) -> str:
    """One line: who starts on what matches leave, and what the others without a slot wait for."""
    if starting:
        starts = [
            f"{f'{count} start' if jobs > 1 else 'starts'} {start.text}"
            for start, count in starting.items()
        ]
        return "; ".join([*starts, *([verdict(jobs, ways, causes)] if causes else ())])
    if not causes:
        return f"all matched ({', '.join(f'{n} {KINDS[kind]}' for kind, n in ways.items())})"
    return "; ".join(
        f"{cause.jobs} more not requested after that"
        if cause.follows and len(causes) > 1
        else f"{f'{cause.jobs} ' if jobs > 1 else ''}{cause.fate.value}: {cause.text}"
        for cause in causes
    )


# --- the others -----------------------------------------------------------------------------------


def _not_waiting(
    cycle: AskedCycle, result: CycleResult, jobs: Sequence[AskedJob]
) -> tuple[JobsNotWaiting, ...]:
    """The jobs by their status, the most frequent first."""
    snapshot, policy, context = cycle.snapshot, cycle.policy, cycle.context
    leaving = _preempted_ids(snapshot, result, context) if jobs else frozenset()
    found: dict[str, list[AskedJob]] = {}
    own = on_own_machine(snapshot, policy, result.now) if jobs else {}
    for job in jobs:
        status = job.status_and_reason
        waits = own.get((job.schedd, (job.cluster, job.proc)))
        if job.status == RUNNING:
            status += where_it_runs(job, context.language) or ""
        if waits is not None:
            status = f"idle, {waits.universe} universe: {waits.waits}"
        elif job.status == IDLE:
            why = why_not_ready(job, result.now, snapshot.slots, context.language)
            status = f"idle, not offered: {why}"
        found.setdefault(status, []).append(job)
    return tuple(
        JobsNotWaiting(
            status,
            len(group),
            group[0].id,
            sum(1 for job in group if job.status == RUNNING and _named(job) & leaving),
        )
        for status, group in sorted(found.items(), key=lambda item: -len(item[1]))
    )


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
