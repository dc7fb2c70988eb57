"""Finds the job that a question is about.

Decides what ``15.3`` or ``15`` means in a pool with several queues.

Inputs: the text, the queues.  Outputs: an ``AskedJob``; raises ``UnknownJobError``.  Follows:
``condor_q -better-analyze``, which takes the same names.
"""

from __future__ import annotations

import re
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.jobs.lists import IDLE, submitter_of
from negotiator.model.arithmetic import whole
from negotiator.model.snapshot import ScheddQueue, Snapshot
from pieslice.reports.names import did_you_mean, listed
from policy.language.numbers import saturated

JOB_ID: Final = re.compile(r"(?:([^#]+)#)?(\d+)(?:\.(\d+))?", re.ASCII)
#: What ``JobStatus`` says, in condor_q's words.
STATUS: Final = {
    0: "unexpanded",
    1: "idle",
    2: "running",
    3: "removed",
    4: "completed",
    5: "held",
    6: "transferring output",
    7: "suspended",
}


class UnknownJobError(Exception):
    """There is no such job."""


@frozen(eq=False)
class AskedJob:
    """A job of the pool; ``submitter`` is None if it has no user.

    ``matched``: its schedd has a match for it already.
    """

    cluster: int
    proc: int
    ad: ClassAd
    schedd: str
    submitter: str | None
    status: int
    matched: bool = False

    @property
    def id(self) -> str:
        """``cluster.proc``."""
        return f"{self.cluster}.{self.proc}"

    @property
    def of(self) -> str:
        """`` of alice@pool``; nothing for a job that has no user."""
        return "" if self.submitter is None else f" of {self.submitter}"

    @property
    def status_text(self) -> str:
        """Its status as a word."""
        return STATUS.get(self.status, f"in status {self.status}")


def find_job(snapshot: Snapshot, text: str) -> AskedJob:
    """The job of that id; of a cluster the first idle job, else the first.

    ``SCHEDD#15.3`` is the one in the queue of that schedd, for ids that are in several queues.
    """
    found = JOB_ID.fullmatch(text)
    if found is None:
        raise UnknownJobError(f"`{text}` is not a job id")
    cluster, proc = saturated(found[2]), None if found[3] is None else saturated(found[3])
    jobs = [
        job
        for job in all_jobs(snapshot)
        if found[1] in (None, job.schedd) and job.cluster == cluster and proc in (None, job.proc)
    ]
    if not jobs:
        raise UnknownJobError(f"there is no job `{text}` in the queues{_near(snapshot, found)}")
    schedds = sorted({job.schedd for job in jobs})
    if len(schedds) > 1:
        some = ", ".join(f"`{name}#{text}`" for name in schedds)
        raise UnknownJobError(f"job `{text}` is in several queues: give {some}")
    return min(jobs, key=lambda job: (job.status != IDLE, job.proc))


def all_jobs(snapshot: Snapshot) -> list[AskedJob]:
    """The jobs of all queues."""
    return [_job(ad, queue) for queue in snapshot.queues for ad in queue.jobs]


def _near(snapshot: Snapshot, asked: re.Match[str]) -> str:
    """The jobs, clusters or schedds that there are instead."""
    schedds = [queue.name for queue in snapshot.queues]
    if asked[1] is not None and asked[1] not in schedds:
        return did_you_mean(asked[1], schedds) or f"; the queues are {listed(schedds)}"
    jobs = [job for job in all_jobs(snapshot) if asked[1] in (None, job.schedd)]
    mates = sorted({job.proc for job in jobs if job.cluster == saturated(asked[2])})
    if mates:
        return f"; cluster {asked[2]} has {listed(f'{asked[2]}.{proc}' for proc in mates)}"
    clusters = sorted(
        {job.cluster for job in jobs}, key=lambda n: (abs(n - saturated(asked[2])), n)
    )
    return f"; the nearest clusters are {listed(map(str, clusters))}" if clusters else ""


def _job(ad: ClassAd, queue: ScheddQueue) -> AskedJob:
    context = EvalContext()
    numbers = [ad.get_number(name, context=context) for name in ("ClusterId", "ProcId")]
    cluster, proc = (-1 if number is None else whole(number) for number in numbers)
    status = whole(ad.get_number("JobStatus", context=context))
    return AskedJob(
        cluster,
        proc,
        ad,
        queue.name,
        submitter_of(ad, context),
        status,
        (cluster, proc) in queue.matched,
    )
