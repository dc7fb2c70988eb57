"""Reads the rows of a run into values.

Decides how long each job ran where (``Stretch``) and which moments were the worst.

Inputs: rows of ``events`` and ``series`` as dictionaries of text or numbers, the summary.  Outputs:
``RunData``.  Follows: the files that ``pieslice.simulate.output`` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attr import frozen

from pieslice.data import Record

_HOUR: Final = 3600.0
#: How many users, slots and moments are shown one by one.
MOST_USERS: Final = 8
MOST_SLOTS: Final = 60
_WORST: Final = 3


@frozen
class Stretch:
    """A job on a slot, in hours; ``done`` unless it was preempted, lost or still runs."""

    slot: str
    user: str
    begin: float
    end: float
    done: bool


@frozen
class Curve:
    """One name over time: hours, usage (weighted cores), real priorities, quota of a group."""

    name: str
    hours: tuple[float, ...]
    usage: tuple[float, ...]
    priorities: tuple[float, ...] = ()
    quotas: tuple[float, ...] = ()


@frozen(eq=False)
class RunData:
    """What a report shows.  ``waits``: seconds until the first start, by user."""

    summary: Record
    #: How long the run was.
    hours: float
    pool: Curve
    users: tuple[Curve, ...]
    groups: tuple[Curve, ...]
    waits: Mapping[str, tuple[float, ...]]
    stretches: tuple[Stretch, ...]
    worst: tuple[str, ...]


def run_data(
    events: Iterable[Record],
    series: Sequence[Record],
    summary: Record,
) -> RunData:
    """Put the rows of a run in order."""
    rows = list(events)
    curves = _curves(series)
    waits = _waits(rows)
    users = sorted(curves.get("user", {}).values(), key=lambda curve: -sum(curve.usage))
    return RunData(
        summary=summary,
        hours=float(summary["hours"]),
        pool=curves["pool"][""],
        users=tuple(users[:MOST_USERS]),
        groups=tuple(curves.get("group", {}).values()),
        waits={name: tuple(sorted(waits[name].values())) for name in sorted(waits)},
        stretches=_stretches(rows, float(summary["hours"])),
        worst=tuple(_worst(rows, series, waits)),
    )


def _curves(series: Sequence[Record]) -> dict[str, dict[str, Curve]]:
    collected: dict[tuple[str, str], list[Record]] = {}
    for row in series:
        collected.setdefault((row["kind"], row["name"]), []).append(row)
    found: dict[str, dict[str, Curve]] = {}
    for (kind, name), rows in collected.items():
        found.setdefault(kind, {})[name] = Curve(
            name,
            tuple(float(row["time"]) / _HOUR for row in rows),
            tuple(float(row["usage"]) for row in rows),
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


def _stretches(events: Iterable[Record], hours: float) -> tuple[Stretch, ...]:
    running: dict[int, tuple[str, str, float]] = {}
    found: list[Stretch] = []
    for event in events:
        job, moment = int(event["job"] or 0), float(event["time"]) / _HOUR
        if event["event"] == "start":
            running[job] = (event["slot"], event["user"], moment)
        elif event["event"] in ("finish", "preempt", "lost"):
            slot, user, begin = running.pop(job)
            found.append(Stretch(slot, user, begin, moment, event["event"] == "finish"))
    found += (Stretch(slot, user, begin, hours, False) for slot, user, begin in running.values())
    return tuple(found)


def _worst(
    events: Sequence[Record],
    series: Sequence[Record],
    waits: Mapping[str, Mapping[int, float]],
) -> Iterable[str]:
    """Sentences about the moments an administrator would be asked about."""
    pool = [row for row in series if row["kind"] == "pool"]
    idle = [row for row in pool if float(row["idle"]) > 0 and float(row["quota"]) > 0]
    if idle:
        emptiest = min(idle, key=lambda row: float(row["usage"]) / float(row["quota"]))
        part = float(emptiest["usage"]) / float(emptiest["quota"])
        yield (
            f"hour {_hour(emptiest)}: {emptiest['idle']} jobs waited while {1 - part:.0%} of the "
            "pool was not in use"
        )
        longest = max(idle, key=lambda row: float(row["idle"]))
        yield f"hour {_hour(longest)}: the longest queue, {longest['idle']} jobs"
    slow = [(wait, user, job) for user, jobs in waits.items() for job, wait in jobs.items()]
    for wait, user, job in sorted(slow, reverse=True)[:_WORST]:
        yield f"job {job} of {user} waited {wait / _HOUR:.1f} hours for its first start"
    stopped: dict[tuple[str, str], int] = {}
    for event in events:
        if event["event"] == "preempt":
            key = (event["user"], str(event["job"]))
            stopped[key] = stopped.get(key, 0) + 1
    for (user, name), count in sorted(stopped.items(), key=lambda item: -item[1])[:_WORST]:
        if count > 1:
            yield f"job {name} of {user} was preempted {count} times"


def _hour(row: Record) -> str:
    return f"{float(row['time']) / _HOUR:.1f}"
