"""Looks at a pool before a cycle as rules do: runs the cycle, and asks what it is against.

Decides which jobs could run: those that a slot would take, were it empty, and that a quota, a
limit or a rule of preemption keeps from it.

Inputs: a ``Capture``, what is known of the cycle besides.  Outputs: a ``Sighting``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Final

from attr import define, evolve, field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.table import Rows, Table
from negotiator.cycle import negotiate
from negotiator.io import Capture
from negotiator.jobs.offers import Unasked
from negotiator.jobs.readiness import IDLE, RUNNING
from negotiator.jobs.submitters import negotiated_name
from negotiator.matching import board
from negotiator.model.result import CycleResult, Match, MatchKind, Reason, TurnEvent
from negotiator.model.snapshot import Snapshot
from pieslice.alerts.sighting import (
    POOL,
    Running,
    SeenGroup,
    SeenLimit,
    SeenUser,
    Sighting,
    Unused,
    WaitingJob,
)
from pieslice.between.leftovers import Leftovers, leftovers
from pieslice.negotiate.text import KINDS
from pieslice.reports.layout import short
from pieslice.why.asked import AskedJob, all_jobs
from pieslice.why.fates import Absence, Fate, JobFate, fates, sentence, why_no_session
from pieslice.why.sessions import RequestCourse, RequestLog

#: Reasons of rejections that are rules: a slot would have taken the job.
_RULES: Final = frozenset(
    (Reason.CONCURRENCY_LIMIT, Reason.PREEMPTION_REQUIREMENTS, Reason.SUBMITTER_LIMIT)
)
#: Why a submitter has no session, where that is a rule.
_NO_TURN: Final = frozenset(("turn", "group", "quota", "pie"))
#: Why a schedd does not ask for a job, where that is a limit.
_LIMITED: Final = frozenset((Unasked.ROOM, Unasked.UPLOADS))
#: What a partitionable slot has of a resource when nobody uses it.
_WHOLE: Final = {
    "Cpus": "TotalSlotCpus",
    "Memory": "TotalSlotMemory",
    "Disk": "TotalSlotDisk",
    "GPUs": "TotalSlotGPUs",
}


@define(eq=False)
class _Log(RequestLog):
    """Records the requests of all submitters, and the limits at the beginning."""

    used: dict[str, SeenLimit] = field(factory=dict)
    cycle: board.CycleWatch = field(factory=board.CycleWatch)

    def left(self, snapshot: Snapshot, result: CycleResult) -> Leftovers:
        """The jobs that start on what matches leave of slots."""
        assert self.cycle.board is not None
        parties = {(match.submitter, match.schedd) for match in result.matches}
        placed = self.cycle.placements.jobs
        return leftovers(snapshot, result, self.cycle.board, placed, parties)

    def __call__(self, event: board.Event) -> None:
        super().__call__(event)
        self.cycle(event)
        if isinstance(event, board.CycleBegan):
            states = event.board.concurrency.states()
            self.used = {name: SeenLimit(count, most) for name, count, most in states}


@frozen(eq=False)
class Circumstances:
    """What is known of a cycle besides the capture before it; see ``Sighting``."""

    time: float
    schedds: frozenset[str] | None = None
    silent: Mapping[str, str] = field(factory=dict)
    seconds: float | None = None
    exact: bool | None = None


def look(pool: Capture, tell: Callable[[CycleResult], Circumstances]) -> Sighting:
    """What rules see of a pool and of its next cycle.

    ``tell``: what is known of the cycle besides, when what it does by the pool is known.
    """
    log = _Log(lambda name, schedd: True)
    snapshot, policy, now = pool.snapshot, pool.policy, pool.facts.now
    result = negotiate(snapshot, policy, now=now, rng=Random(0), watch=log, costs=pool.costs)
    known = tell(result)
    jobs = {f"{job.schedd}#{job.id}": job for job in all_jobs(snapshot)}
    users = {
        key: negotiated_name(job.submitter, policy)
        for key, job in jobs.items()
        if job.submitter is not None
    }
    groups = {item.name: item.group for item in result.submitters}
    found = fates(log.record, log.left(snapshot, result))
    left = [fate for fate in found if not _starts(fate)]
    judge = _Judge(pool, result, jobs)
    waiting = tuple(judge.waiting(fate, groups.get(fate.submitter, "")) for fate in left)
    unused = _Spare(snapshot.slots, result).unused(waiting, left, jobs)
    matched = [fate.submitter for fate in found if _starts(fate)]
    runs = {
        key: Running(job.ad.get_string("RemoteHost") or "", users[key], groups.get(users[key], ""))
        for key, job in jobs.items()
        if job.status == RUNNING and key in users
    }
    return Sighting(
        time=known.time,
        waiting=waiting,
        users=_users([run.submitter for run in runs.values()], matched, waiting),
        groups={
            item.name: SeenGroup(item.quota, item.usage_after)
            for item in (result.groups if result.quotas is not None else ())
        },
        limits=_limits(log.used, waiting, left),
        unused=unused,
        least_weight=result.pool.min_slot_weight,
        running=runs,
        holders=dict(_holders(snapshot.slots)),
        taken=dict(_taken(result.matches)),
        idle=frozenset(key for key, job in jobs.items() if job.status == IDLE),
        schedds=known.schedds,
        silent=known.silent,
        seconds=known.seconds,
        exact=known.exact,
    )


def _starts(fate: JobFate) -> bool:
    """Whether a job starts at once, maybe on what a match leaves of a slot."""
    return fate.fate is Fate.MATCHED or fate.left is not None


def _users(
    running: Iterable[str], matched: Iterable[str], waiting: Iterable[WaitingJob]
) -> dict[str, SeenUser]:
    found = {job.submitter: SeenUser(0, 0) for job in waiting}
    for name in running:
        seen = found.get(name, SeenUser(0, 0))
        found[name] = evolve(seen, running=seen.running + 1)
    for name in matched:
        seen = found.get(name, SeenUser(0, 0))
        found[name] = evolve(seen, matched=seen.matched + 1)
    return found


def _limits(
    used: Mapping[str, SeenLimit], waiting: Iterable[WaitingJob], left: Iterable[JobFate]
) -> dict[str, SeenLimit]:
    """The limits that are used or refuse somebody."""
    refused: dict[str, list[WaitingJob]] = {}
    found = dict(used)
    for job, fate in zip(waiting, left, strict=True):
        rejection = None if fate.request is None else fate.request.rejection
        if rejection is None or rejection.reason is not Reason.CONCURRENCY_LIMIT:
            continue
        assert fate.request is not None
        for state in fate.request.concurrency:
            if state.full:
                refused.setdefault(state.name, []).append(job)
                found.setdefault(state.name, SeenLimit(state.in_use, state.maximum))
    return {
        name: evolve(limit, refused=tuple(refused.get(name, ()))) for name, limit in found.items()
    }


def _holders(slots: Iterable[ClassAd]) -> Iterator[tuple[str, str]]:
    """The slots that are claimed, and the job on each, or else its user."""
    for ad in slots:
        name, user = ad.get_string("Name"), ad.get_string("RemoteUser")
        if name is not None and user is not None:
            job = (ad.get_string("GlobalJobId") or "").rpartition("#")[0]
            yield name, job or user


def _taken(matches: Iterable[Match]) -> Iterator[tuple[str, str]]:
    """The slots that matches take from somebody, and how."""
    for match in matches:
        if match.kind is MatchKind.NONE:
            continue
        old, new, what = match.preempted_prio, match.new_prio, "effective priority"
        if match.kind is MatchKind.RANK:
            old, new, what = match.old_startd_rank, match.new_startd_rank, "startd rank"
        against = (
            "" if old is None or new is None else f", {what} {short(new)} against {short(old)}"
        )
        how = f"{KINDS[match.kind]} for job {match.job} of {match.submitter}{against}"
        for slot in (match.slot, *match.dynamic_slots):
            yield slot, how


# --- what could run -------------------------------------------------------------------------------


@define(eq=False)
class _Judge:
    """Says of jobs that were not matched why, and whether they could run."""

    pool: Capture
    result: CycleResult
    jobs: Mapping[str, AskedJob]
    _absences: dict[tuple[str, str], Absence] = field(factory=dict)
    _fitting: dict[tuple[str, str, int, str], bool] = field(factory=dict)
    _machines: Table | None = None

    def waiting(self, fate: JobFate, group: str) -> WaitingJob:
        """A job that waits."""
        key, absence = f"{fate.schedd}#{fate.job}", None
        if fate.fate is Fate.NO_SESSION:
            absence = self._absence(fate.submitter, fate.schedd)
        why = sentence(fate, "" if absence is None else absence.text)
        able = _against(fate, absence)
        if able is None:
            able = self._fits(fate, key)
        return WaitingJob(key, fate.submitter, group, why, able)

    def _absence(self, name: str, schedd: str) -> Absence:
        if (name, schedd) not in self._absences:
            self._absences[name, schedd] = why_no_session(
                self.pool.snapshot, self.pool.policy, self.result, name, schedd
            )
        return self._absences[name, schedd]

    def _fits(self, fate: JobFate, key: str) -> bool:
        """Whether a slot that nobody uses would take a job of this kind."""
        kind = _kind(fate)
        if kind not in self._fitting:
            if self._machines is None:
                self._machines = Table(_emptied(self.pool.snapshot.slots))
            context = EvalContext(now=self.result.now)
            self._fitting[kind] = bool(self._machines.match(self.jobs[key].ad, context=context))
        return self._fitting[kind]


def _kind(fate: JobFate) -> tuple[str, str, int, str]:
    """What jobs have in common that ask for the same; without an autocluster each is alone."""
    alone = fate.job if fate.autocluster < 0 else ""
    return fate.submitter, fate.schedd, fate.autocluster, alone


def _against(fate: JobFate, absence: Absence | None) -> bool | None:
    """Whether only a rule is against a job; None: if a slot would take it."""
    if absence is not None:
        return None if absence.cause in _NO_TURN else False
    session = fate.session
    assert session is not None, "without a session there is an Absence"
    request = fate.request
    if fate.unasked is Unasked.REJECTED or (request is not None and request.rejection is None):
        alike = [item for item in session.requests if item.autocluster == fate.autocluster]
        request = next((item for item in alike if item.rejection is not None), request)
    if fate.fate is Fate.UNUSED:
        return False
    if request is not None and request.rejection is not None:
        return _refused_by_rule(request)
    if fate.unasked in (None, Unasked.ENDED):
        return None if session.ended_by in (TurnEvent.LIMIT, TurnEvent.HIT_CEILING) else False
    return None if fate.unasked in _LIMITED else False


def _refused_by_rule(request: RequestCourse) -> bool | None:
    assert request.rejection is not None
    if request.rejection.reason in _RULES:
        return True
    return None if request.rank_only else False


def _emptied(slots: Iterable[ClassAd]) -> Iterator[ClassAd]:
    """The slots as they were if nobody used them; dynamic ones are parts of others."""
    for ad in slots:
        if ad.get_bool("DynamicSlot"):
            continue
        if ad.get_bool("PartitionableSlot"):
            ad = ad.duplicate()
            for name, whole in _WHOLE.items():
                if (amount := ad.get_number(whole)) is not None:
                    ad.insert(name, amount)
        yield ad


# --- what nobody uses -----------------------------------------------------------------------------


class _Spare:
    """The slots that nobody has after a cycle."""

    def __init__(self, slots: Iterable[ClassAd], result: CycleResult) -> None:
        gone = {match.slot for match in result.matches} | {item.name for item in result.trimmed}
        ads = [
            ad
            for ad in slots
            if ad.get_string("State") == "Unclaimed" and ad.get_string("Name") not in gone
        ]
        self.cores = [float(ad.get_number("Cpus") or 0) for ad in ads]
        self.table = Table(ads)
        self.context = EvalContext(now=result.now)

    def unused(
        self,
        waiting: Sequence[WaitingJob],
        left: Sequence[JobFate],
        jobs: Mapping[str, AskedJob],
    ) -> dict[str, Unused]:
        """By group, and of all, the cores that waiting jobs could use: no more than they want."""
        if not self.cores:
            return {}
        fitting: dict[tuple[str, str, int, str], Rows] = {}
        rows: dict[str, Rows] = {}
        wanted: dict[str, float] = {}
        found: dict[str, list[WaitingJob]] = {}
        for job, fate in zip(waiting, left, strict=True):
            kind, ad = _kind(fate), jobs[job.job].ad
            if kind not in fitting:
                fitting[kind] = self.table.match(ad, context=self.context)
            if not fitting[kind]:
                continue
            cpus = float(ad.get_number("RequestCpus", context=self.context) or 1)
            for name in dict.fromkeys((POOL, job.group)):
                rows[name] = rows[name] | fitting[kind] if name in rows else fitting[kind]
                wanted[name] = wanted.get(name, 0.0) + cpus
                found.setdefault(name, []).append(job)
        return {
            name: Unused(
                min(wanted[name], sum(self.cores[row] for row in rows[name])), len(which), which[0]
            )
            for name, which in found.items()
        }
