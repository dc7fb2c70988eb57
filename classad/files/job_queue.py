"""Reads jobs out of a schedd's transaction log (``job_queue.log``).

A job has the attributes of its cluster unless it has its own.

Inputs: a ``TransactionLog``.  Outputs: key (``<cluster>.<proc>``) and ad of every job, by number.
Follows: the keys of the schedd: ``0.0`` for the queue itself, ``0<cluster>.-1`` for a cluster,
``<cluster>.<proc>`` for a job; other keys (users, job sets) are no jobs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.binding.ad import ClassAd
from classad.files.log import TransactionLog

_JOB: Final = re.compile(r"([1-9][0-9]*)\.([0-9]+)", re.ASCII)


def queued_jobs(log: TransactionLog) -> Iterator[tuple[str, ClassAd]]:
    """Every job in the order of cluster and proc."""
    found = [match for key in log.table if (match := _JOB.fullmatch(key))]
    clusters: dict[str, ClassAd] = {}
    for match in sorted(found, key=lambda match: (int(match[1]), int(match[2]))):
        cluster = match[1]
        if cluster not in clusters:
            key = f"0{cluster}.-1"
            clusters[cluster] = log.ad(key) if key in log.table else ClassAd()
        job = clusters[cluster].duplicate()
        own = log.ad(match[0])
        for name in own.names():
            job.insert(name, own.raw(name))
        yield match[0], job
