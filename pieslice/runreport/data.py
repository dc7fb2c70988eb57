"""Reads the rows of a run into values.

Decides how long each job ran where (``JobRun``), which users are shown one by one, and which
moments were the worst.

Inputs: rows of ``events`` and ``series`` as dictionaries of text or numbers, the summary.  Outputs:
``RunData``.  Follows: the files that ``pieslice.simulation.output`` writes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attr import frozen

from pieslice.data import Record

_HOUR: Final = 3600.0
#: How many users, slots and moments are shown one by one.
MOST_USERS: Final = 10
MOST_SLOTS: Final = 60
_WORST: Final = 3
#: Events of a job that are told one by one.
_MOST_EVENTS: Final = 12
#: What the event of a match says of the user who had the slot, and behind the name, where the
#: machine's rank prefers the job.
PREEMPTS: Final = "preempts "
BY_RANK: Final = " by rank"


@frozen
class JobRun:
    """A job on a slot, in hours; ``done`` unless it was preempted, lost or still runs."""

    slot: str
    user: str
    begin: float
    end: float
    done: bool


@frozen
class UsageCurve:
    """One name over time: hours, usage (weighted cores), idle jobs, real priorities, quotas."""

    name: str
    hours: tuple[float, ...]
    usage: tuple[float, ...]
    idle: tuple[float, ...] = ()
    priorities: tuple[float, ...] = ()
    quotas: tuple[float, ...] = ()


@frozen
class WorstMoment:
    """One of the worst moments, and what the files of the run answer when asked for it.

    ``hour``, ``job``: before which cycle the negotiator is to be asked, and about which job.
    """

    text: str
    answer: tuple[str, ...] = ()
    hour: float | None = None
    job: int | None = None


@frozen(eq=False)
class RunData:
    """What a report shows.  ``waits``: seconds until the first start, by user."""

    summary: Record
    #: How long the run was.
    hours: float
    pool: UsageCurve
    #: All of them, who used most first.
    users: tuple[UsageCurve, ...]
    groups: tuple[UsageCurve, ...]
    waits: Mapping[str, tuple[float, ...]]
    stretches: tuple[JobRun, ...]
    worst: tuple[WorstMoment, ...]
    #: How often slots were taken: by whom, of whom, and whether by the rank of the machine.
    taken: Counter[tuple[str, str, bool]]

    def group_of(self, user: str) -> str:
        """The group whose quota a user is under; empty without one."""
        group: str = self.summary["users"].get(user, {}).get("group", "")
        return group


def run_data(
    events: Iterable[Record],
    series: Sequence[Record],
    summary: Record,
) -> RunData:
    """Put the rows of a run in order."""
    rows = list(events)
    hours = float(summary["hours"])
    if not 0 <= hours < math.inf:
        raise ValueError(f"the run is {hours:g} hours long")
    curves = _curves(series)
    waits = _waits(rows)
    pool = curves["pool"][""]
    users = sorted(curves.get("user", {}).values(), key=lambda curve: -sum(curve.usage))
    return RunData(
        summary=summary,
        hours=hours,
        pool=pool,
        users=tuple(users),
        groups=tuple(curves.get("group", {}).values()),
        waits={name: tuple(sorted(waits[name].values())) for name in sorted(waits)},
        stretches=_stretches(rows, hours),
        worst=tuple(_worst(_Records(rows, pool, users), waits)),
        taken=Counter(_taken(rows)),
    )


def _taken(events: Iterable[Record]) -> Iterator[tuple[str, str, bool]]:
    """Who took a slot of whom, and whether by the rank of the machine."""
    for event in events:
        if event["event"] == "match" and event["detail"].startswith(PREEMPTS):
            holder = event["detail"].removeprefix(PREEMPTS)
            yield event["user"], holder.removesuffix(BY_RANK), holder.endswith(BY_RANK)


def shown_users(runs: Sequence[RunData]) -> tuple[str, ...]:
    """The users that are shown one by one: those who used most in any of the runs."""
    used: Counter[str] = Counter()
    for run in runs:
        for name, numbers in run.summary["users"].items():
            used[name] = max(used[name], numbers["usage_hours"])
    return tuple(sorted(name for name, _ in used.most_common(MOST_USERS)))


def _curves(series: Sequence[Record]) -> dict[str, dict[str, UsageCurve]]:
    collected: dict[tuple[str, str], list[Record]] = {}
    for row in series:
        collected.setdefault((row["kind"], row["name"]), []).append(row)
    found: dict[str, dict[str, UsageCurve]] = {}
    for (kind, name), rows in collected.items():
        found.setdefault(kind, {})[name] = UsageCurve(
            name,
            tuple(float(row["time"]) / _HOUR for row in rows),
            tuple(float(row["usage"]) for row in rows),
            tuple(float(row["idle"]) for row in rows),
            tuple(float(row["real_priority"] or 0.5) for row in rows if kind == "user"),
            tuple(float(row["quota"]) for row in rows if kind != "user"),
        )
    return found


def _waits(events: Iterable[Record]) -> dict[str, dict[int, float]]:
    """Seconds from submission to the first start, by user and job."""
    submitted: dict[int, float] = {}
    waits: dict[str, dict[int, float]] = {}
    for event in events:
        job = int(event["job"] or 0)
        if event["event"] == "submit":
            submitted[job] = float(event["time"])
        elif event["event"] == "start" and job in submitted:
            waits.setdefault(event["user"], {})[job] = float(event["time"]) - submitted.pop(job)
    return waits


def _stretches(events: Iterable[Record], hours: float) -> tuple[JobRun, ...]:
    running: dict[int, tuple[str, str, float]] = {}
    found: list[JobRun] = []
    for event in events:
        job, moment = int(event["job"] or 0), float(event["time"]) / _HOUR
        if event["event"] == "start":
            running[job] = (event["slot"], event["user"], moment)
        elif event["event"] in ("finish", "preempt", "lost"):
            slot, user, begin = running.pop(job)
            found.append(JobRun(slot, user, begin, moment, event["event"] == "finish"))
    found += (JobRun(slot, user, begin, hours, False) for slot, user, begin in running.values())
    return tuple(found)


# --- the worst moments ------------------------------------------------------------------------


@frozen(eq=False)
class _Records:
    """What a run has written down."""

    events: Sequence[Record]
    pool: UsageCurve
    users: Sequence[UsageCurve]


def _worst(records: _Records, waits: Mapping[str, Mapping[int, float]]) -> Iterator[WorstMoment]:
    """The moments that an administrator would be asked about."""
    yield from _queues(records)
    slow = [(wait, user, job) for user, jobs in waits.items() for job, wait in jobs.items()]
    for wait, user, job in sorted(slow, reverse=True)[:_WORST]:
        if wait > 0:
            text = f"job {job} of {user} waited {wait / _HOUR:.1f} hours for its first start"
            hour = _submitted(records, job) + wait / _HOUR / 2
            yield WorstMoment(text, tuple(_history(records, user, job)), hour, job)
    stopped = Counter(
        (event["user"], int(event["job"]))
        for event in records.events
        if event["event"] == "preempt"
    )
    for (user, job), count in sorted(stopped.items(), key=lambda item: -item[1])[:_WORST]:
        if count > 1:
            text = f"job {job} of {user} was preempted {count} times"
            yield WorstMoment(text, tuple(_history(records, user, job)), *_preemption(records, job))


def _queues(records: _Records) -> Iterator[WorstMoment]:
    """When most of the pool was unused though jobs waited, and when most jobs did."""
    pool = records.pool
    idle = [i for i, jobs in enumerate(pool.idle) if jobs > 0 and pool.quotas[i] > 0]
    if not idle:
        return
    emptiest = min(idle, key=lambda i: pool.usage[i] / pool.quotas[i])
    unused = 1 - pool.usage[emptiest] / pool.quotas[emptiest]
    if unused > 0:
        text = (
            f"hour {pool.hours[emptiest]:.1f}: {pool.idle[emptiest]:.0f} jobs waited while "
            f"{unused:.0%} of the pool was not in use"
        )
        yield WorstMoment(text, tuple(_waiting(records, emptiest)), pool.hours[emptiest])
    longest = max(idle, key=lambda i: pool.idle[i])
    text = f"hour {pool.hours[longest]:.1f}: the longest queue, {pool.idle[longest]:.0f} jobs"
    yield WorstMoment(text, tuple(_waiting(records, longest)), pool.hours[longest])


def _submitted(records: _Records, job: int) -> float:
    """The hour in which a job came."""
    return next(
        float(event["time"]) / _HOUR
        for event in records.events
        if event["event"] == "submit" and int(event["job"]) == job
    )


def _preemption(records: _Records, job: int) -> tuple[float | None, int | None]:
    """The hour of the match by which a job was preempted first, and the job that was matched."""
    before: dict[str, Record] = {}
    for event in records.events:
        if event["event"] == "match":
            before[event["slot"]] = event
        elif event["event"] == "preempt" and int(event["job"]) == job:
            match = before[event["slot"]]
            return float(match["time"]) / _HOUR, int(match["job"])
    return None, None


def _waiting(records: _Records, place: int) -> Iterator[str]:
    """Who waited at a moment, and who had the pool."""
    hour = records.pool.hours[place]
    at = [(curve, i) for curve in records.users if (i := _at(curve, hour)) is not None]
    waiting = sorted(((curve.idle[i], curve.name) for curve, i in at), reverse=True)
    having = sorted(((curve.usage[i], curve.name) for curve, i in at), reverse=True)
    for title, unit, found in (("waiting", "jobs", waiting), ("having", "cores", having)):
        told = [f"{name} {number:g} {unit}" for number, name in found[:_WORST] if number > 0]
        if told:
            yield f"{title}: {', '.join(told)}"


def _at(curve: UsageCurve, hour: float) -> int | None:
    return next((i for i, found in enumerate(curve.hours) if found == hour), None)


def _history(records: _Records, user: str, job: int) -> Iterator[str]:
    """What happened to a job, and what its user had of the pool until its first start."""
    mine = [event for event in records.events if int(event["job"] or 0) == job]
    submitted, started = (
        next((float(e["time"]) / _HOUR for e in mine if e["event"] == kind), None)
        for kind in ("submit", "start")
    )
    curve = next((curve for curve in records.users if curve.name == user), None)
    if curve is not None and submitted is not None and started is not None and started > submitted:
        yield from _meanwhile(records, curve, submitted, started)
    for event in mine[:_MOST_EVENTS]:
        parts = (event["event"], event["slot"] and f"on {event['slot']}", event["detail"])
        yield f"hour {float(event['time']) / _HOUR:.2f}: {' '.join(part for part in parts if part)}"
    if len(mine) > _MOST_EVENTS:
        yield f"and {len(mine) - _MOST_EVENTS} more events"


def _meanwhile(records: _Records, curve: UsageCurve, begin: float, end: float) -> Iterator[str]:
    ahead = sum(
        event["event"] == "start"
        and event["user"] == curve.name
        and begin <= float(event["time"]) / _HOUR < end
        for event in records.events
    )
    yield f"while it waited, {ahead} other starts of jobs of {curve.name}"
    held = [
        used for hour, used in zip(curve.hours, curve.usage, strict=True) if begin <= hour < end
    ]
    pool = records.pool
    sizes = [
        (size, used)
        for hour, size, used in zip(pool.hours, pool.quotas, pool.usage, strict=True)
        if begin <= hour < end
    ]
    if held and sizes:
        size, used = (sum(column) / len(sizes) for column in zip(*sizes, strict=True))
        yield (
            f"its user had {sum(held) / len(held):.1f} of {size:.1f} weighted cores on average; "
            f"{size - used:.1f} were in nobody's use"
        )
