"""Finds the job that a question about a history means.

Inputs: a history, a job's name as ``pieslice why`` takes it.  Outputs: ``Job``; raises
``HistoryError`` for a job that was never seen, with those near it.
"""

from __future__ import annotations

from typing import Final

from pieslice.inputs.moments import shown_time
from pieslice.recording.facts import GONE
from pieslice.recording.jobs import Job, Spell, some_jobs
from pieslice.recording.store import History, HistoryError
from pieslice.reports.names import listed
from pieslice.why.jobs import JOB_ID, STATUS
from policy.language.numbers import saturated

#: How many of the clusters near one that is not there are named.
_NEAR: Final = 3


def word_of(spell: Spell) -> str:
    """What a job was doing, as a word."""
    return "gone" if spell.status == GONE else STATUS.get(spell.status, f"status {spell.status}")


def find_job(history: History, text: str) -> Job:
    """The job of that id; of several that had it one after another the last."""
    found = JOB_ID.fullmatch(text)
    if found is None:
        raise HistoryError(f"`{text}` is not a job id")
    schedd, cluster, proc = found[1], saturated(found[2]), found[3]
    jobs = [
        job
        for job in some_jobs(history, "cluster = ?", cluster)
        if schedd in (None, job.schedd) and (proc is None or job.proc == saturated(proc))
    ]
    if not jobs:
        raise HistoryError(f"{history.path}: job `{text}` was never seen{_near(history, cluster)}")
    for what, names in (
        ("in several queues", {f"{job.schedd}#{text}" for job in jobs}),
        ("several jobs", {job.id for job in jobs}),
    ):
        if len(names) > 1:
            raise HistoryError(f"`{text}` is {what}: {listed(sorted(names))}")
    return jobs[-1]


def _near(history: History, cluster: int) -> str:
    """The jobs of the same cluster, or the clusters near it, and when they were seen."""
    mates = some_jobs(history, "cluster = ?", cluster)
    if mates:
        return f"; cluster {cluster} has {listed(job.id for job in mates)}"
    rows = history.rows(
        "SELECT cluster, min(time) FROM job JOIN moment ON moment.number = job.first "
        "GROUP BY cluster ORDER BY abs(cluster - ?) LIMIT ?",
        cluster,
        _NEAR,
    )
    near = ", ".join(f"{number} (seen from {shown_time(time)} on)" for number, time in sorted(rows))
    return f"; the nearest clusters are {near}" if near else ""
