"""Asks a history about itself, about the life of a job, and when a job will start.

The commands ``history`` and ``when`` print these answers.

Inputs: an open history.  Outputs: values; raises ``HistoryError``.
"""

from __future__ import annotations

from collections.abc import Callable

from attr import frozen

from negotiator.jobs.readiness import RUNNING
from negotiator.model.snapshot import whole_slot
from pieslice.history.life import Decision, Life, find_job, life_of
from pieslice.history.next_cycle import NextCycle, next_cycle
from pieslice.history.start import Estimate, Experience, Lack, TrackRecord, record_of, with_rate
from pieslice.history.summary import MomentLoad, Summary, distances, mean_load, vacancies_of
from pieslice.recording.jobs import HistoryJob, all_jobs
from pieslice.recording.store import History, HistoryError, Moment


@frozen
class Start:
    """When a job will start.  ``now``: the time of the last capture; None for a job that ran.

    ``next_cycle``: what the cycle on that capture makes of it, if it waits there.
    """

    job: HistoryJob
    now: float
    estimate: Estimate | Lack | None
    record: TrackRecord
    next_cycle: NextCycle | None = None


def captures(history: History) -> list[Moment]:
    """The captures of a history that has some."""
    found = history.moments()
    if not found:
        raise HistoryError(f"{history.path}: no capture in it yet")
    return found


def summary(history: History) -> Summary:
    """The whole of a history."""
    moments = captures(history)
    query = "SELECT claimed, cores, idle, running FROM moment ORDER BY time"
    loads = [MomentLoad(*row) for row in history.rows(query)]
    load, cores, idle, running = mean_load(moments, loads)
    usual, gaps = distances(moments)
    matches, rejections, seen = _decided(history)
    ((jobs, gone),) = history.rows("SELECT count(*), count(last) FROM job")
    ((started,),) = history.rows("SELECT count(DISTINCT job) FROM spell WHERE status = ?", RUNNING)
    empty = [tuple(row) for row in history.rows("SELECT since, until, ended FROM vacancy")]
    return Summary(
        captures=len(moments),
        first=moments[0].time,
        last=moments[-1].time,
        distance=usual,
        gaps=gaps,
        cycles=sum(moment.cycle is not None for moment in moments),
        matches=matches,
        rejections=rejections,
        matches_seen=seen,
        jobs=jobs,
        started=started,
        gone=gone,
        files=sum(moment.size for moment in moments),
        stored=history.path.stat().st_size,
        load=load,
        cores=cores,
        idle=idle,
        running=running,
        vacancies=vacancies_of([(row[0], row[1], bool(row[2])) for row in empty], moments[-1].time),
    )


def _decided(history: History) -> tuple[int, int, int]:
    """How many matches and rejections there were: as the negotiator counts, else as was noticed.

    And how many of the matches are among what was noticed.
    """
    # Several jobs that start on parts of one slot are one match.
    noticed = {
        moment: tuple(counts)
        for moment, *counts in history.rows(
            "SELECT moment, count(DISTINCT slot), count(reason) FROM decision GROUP BY moment"
        )
    }
    seen = sum(matches for matches, _ in noticed.values())
    told = "SELECT number, matches, rejections FROM moment WHERE cycle IS NOT NULL"
    for moment, *counts in history.rows(told) if history.version > 1 else ():
        before = noticed.get(moment, (0, 0))
        pairs = zip(counts, before, strict=True)
        noticed[moment] = tuple(old if new is None else new for new, old in pairs)
    totals = [sum(counts) for counts in zip(*noticed.values(), strict=True)]
    return (totals[0], totals[1], seen) if totals else (0, 0, 0)


def life(history: History, text: str) -> Life:
    """The life of a job."""
    job = find_job(history, text)
    return life_of(job, captures(history), _decisions(history, job), _takers(history, job))


def _decisions(history: History, job: HistoryJob) -> list[Decision]:
    """About the job and those that ask for the same, and about slots that it ran on."""
    held = {spell.slot for spell in job.spells if spell.slot}
    slots = sorted(held | set(map(whole_slot, held)))
    marks = ", ".join("?" * len(slots))
    rows = history.rows(
        "SELECT moment, asked.number = ?, cluster || '.' || proc, submitter, slot, preempted, "
        "reason, submitter = ? AND request = ? FROM decision JOIN job AS asked "
        "ON asked.number = decision.job WHERE moment >= ? AND (submitter = ? AND request = ? "
        f"OR preempted IS NOT NULL AND slot IN ({marks})) ORDER BY decision.rowid",
        *(job.number, job.submitter, job.request, job.first, job.submitter, job.request, *slots),
    )
    return [Decision(moment, bool(own), *rest) for moment, own, *rest in rows]


def _takers(history: History, job: HistoryJob) -> dict[int, str]:
    """By the captures that found the job stopped: whose job had its slot next."""
    found: dict[int, str] = {}
    for before, spell in zip(job.spells, job.spells[1:], strict=False):
        if before.status != RUNNING or spell.status == RUNNING:
            continue
        rows = history.rows(
            "SELECT cluster || '.' || proc || ' of ' || submitter FROM spell JOIN job "
            "ON job.number = spell.job WHERE slot = ? AND moment BETWEEN ? AND ? + 1 "
            "AND job.number != ? ORDER BY time LIMIT 1",
            *(before.slot, spell.moment, spell.moment, job.number),
        )
        if rows:
            found[spell.moment] = f"job {rows[0][0]}"
    return found


def start(history: History, text: str) -> Start:
    """When a job will start."""
    moments, jobs = captures(history), all_jobs(history)
    job = find_job(history, text)
    seen = _seen(moments)
    span = (moments[0].time, moments[-1].time)
    record = record_of(jobs, seen, span)
    if not job.waits:
        return Start(job, span[1], None, record, next_cycle(history, job))
    found = Experience(jobs, seen, span[1]).estimate(job, span[1] - job.begun)
    if isinstance(found, Lack):
        found = with_rate(found, span[1] - span[0])
    return Start(job, span[1], found, record, next_cycle(history, job))


def _seen(moments: list[Moment]) -> Callable[[HistoryJob], tuple[float, float]]:
    """The times of the first and the last capture that has a job."""
    times = {moment.number: moment.time for moment in moments}
    begin, end = moments[0].time, moments[-1].time

    def seen(job: HistoryJob) -> tuple[float, float]:
        return times.get(job.first, begin), end if job.last is None else times.get(job.last, end)

    return seen
