"""Notes in a history what jobs, slots and cycles did between two captures.

Inputs: the database, what was seen at both captures.  Outputs: rows of the tables that
``pieslice.recording.store`` declares.
"""

from __future__ import annotations

import sqlite3

from pieslice.recording.changes import Files
from pieslice.recording.facts import (
    GONE,
    JobKey,
    Noticed,
    RecordedState,
    Sight,
    SlotState,
    about_jobs,
    between,
    decisions,
    noticed,
)
from policy.language.numbers import saturated

_JOB = "SELECT number FROM job WHERE cluster = ? AND proc = ? AND schedd = ? AND last IS NULL"


def note(
    base: sqlite3.Connection,
    moment: int,
    times: tuple[float | None, float],
    seen: tuple[Sight | None, Sight],
    captures: tuple[Files, Files],
) -> None:
    """Note what happened since the capture before, and what the cycle decided after this one."""
    before, now = times
    old, new = seen
    earlier, files = captures
    _note_jobs(base, moment, times, (None if old is None else dict(old.jobs), new), files)
    for name in {} if old is None else old.slots:
        assert old is not None
        _note_slot(base, name, (old.slots[name], new.slots.get(name)), before, now)
    if old is not None and before is not None and decisions(earlier) is None:
        found = noticed(captures, (old, new), (before, now))
        if found is not None:
            _note_noticed(base, moment - 1, found, old)
    _note_decisions(base, moment, files)


def _note_jobs(
    base: sqlite3.Connection,
    moment: int,
    times: tuple[float | None, float],
    seen: tuple[dict[JobKey, RecordedState] | None, Sight],
    files: Files,
) -> None:
    before, now = times
    old, jobs = seen[0] or {}, seen[1].jobs
    spells: list[tuple[int, int, float, int, str]] = []
    for key, about in about_jobs(files, {key for key in jobs if key not in old}):
        found = base.execute(
            "INSERT INTO job VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (key.schedd, key.cluster, key.proc, about.submitter, about.group, about.request,
             about.cpus, about.submitted, moment),
        )  # fmt: skip
        state = jobs[key]
        # Of a job that ran already it is known when it started, if its ad tells it.
        time = between(state.since, None, now)
        spells.append((found.lastrowid or 0, moment, time, state.status, state.slot))
    for key, was in old.items():
        state = jobs.get(key) or RecordedState(GONE)
        if state == was:
            continue
        ((job,),) = base.execute(_JOB, (key.cluster, key.proc, key.schedd)).fetchall()
        time = between(state.since, before, now)
        spells.append((job, moment, time, state.status, state.slot))
        if state.status == GONE:
            base.execute("UPDATE job SET last = ? WHERE number = ?", (moment - 1, job))
    base.executemany("INSERT INTO spell VALUES (?, ?, ?, ?, ?)", spells)


def _note_slot(
    base: sqlite3.Connection,
    name: str,
    states: tuple[SlotState, SlotState | None],
    before: float | None,
    now: float,
) -> None:
    """Begin or end the time in which a slot has no claim."""
    was, state = states
    if state is not None and was.claimed and state.free:
        since = between(state.since, before, now)
        base.execute("INSERT INTO vacancy VALUES (?, ?, NULL, 0)", (name, since))
    elif was.free and (state is None or not state.free):
        claimed = state is not None and state.claimed
        until = between(None if state is None else state.since, before, now)
        base.execute(
            "UPDATE vacancy SET until = ?, ended = ? WHERE slot = ? AND until IS NULL",
            (until, claimed, name),
        )


def _note_decisions(base: sqlite3.Connection, moment: int, files: Files) -> None:
    found = decisions(files)
    if found is None:
        return
    rows: list[tuple[int, int, str | None, str | None, str | None]] = [
        (moment, _asked(base, job, submitter), slot, preempted, None)
        for job, submitter, slot, preempted in found.matches
    ]
    rows += [
        (moment, _asked(base, job, submitter), None, None, reason)
        for job, submitter, reason in found.rejections
    ]
    base.executemany("INSERT INTO decision VALUES (?, ?, ?, ?, ?)", rows)


def _note_noticed(base: sqlite3.Connection, moment: int, noticed: Noticed, old: Sight) -> None:
    """Note what the cycle after the capture before did, as this one shows it."""
    base.execute(
        "UPDATE moment SET cycle = ?, matches = ?, rejections = ? WHERE number = ?",
        (noticed.cycle, *noticed.counts, moment),
    )
    rows: list[tuple[int, int, str | None, str | None, str | None]] = []
    for key, slot in noticed.started.items():
        number, submitter = _known(base, key)
        holder = old.users.get(slot) or None
        awaited = noticed.awaited.get((key.schedd, slot))
        # What a submitter has already, or was given by a cycle before, is no match of this one.
        if holder != submitter and (awaited is None or _known(base, awaited)[1] != submitter):
            rows.append((moment, number, slot, holder, None))
    for claim in noticed.asked:
        number, _ = _known(base, claim.request)
        rows.append((moment, number, claim.slot, old.users.get(claim.slot) or None, None))
    for key, reason in noticed.rejected.items():
        rows.append((moment, _known(base, key)[0], None, None, reason))
    base.executemany("INSERT INTO decision VALUES (?, ?, ?, ?, ?)", rows)


def _known(base: sqlite3.Connection, key: JobKey) -> tuple[int, str | None]:
    """The number of a job and its submitter; 0 and None for one that has left the queue."""
    query = (
        "SELECT number, submitter FROM job WHERE cluster = ? AND proc = ? AND schedd = ? "
        "ORDER BY number DESC LIMIT 1"
    )
    found = base.execute(query, (key.cluster, key.proc, key.schedd)).fetchone()
    return (0, None) if found is None else (found[0], found[1])


def _asked(base: sqlite3.Connection, job: str | None, submitter: str | None) -> int:
    """The number of the job that a decision names, 0 if the capture does not have it."""
    cluster, _, proc = (job or "").partition(".")
    if not (cluster.isdecimal() and proc.isdecimal()):
        return 0
    query = "SELECT number, submitter FROM job WHERE cluster = ? AND proc = ? AND last IS NULL"
    found = dict(base.execute(query, (saturated(cluster), saturated(proc))).fetchall())
    # The negotiator may know a submitter by another name: those of nice users have a prefix.
    same = [number for number, name in found.items() if name == submitter]
    return next(iter(same or (found if len(found) == 1 else ())), 0)
