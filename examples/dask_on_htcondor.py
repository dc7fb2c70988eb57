"""Sweeps over settings on an HTCondor pool: Dask workers that are jobs, by dask-jobqueue.

    pip install 'pieslice[dask]' dask-jobqueue
    python examples/dask_on_htcondor.py --show      # the submit file of a worker; submits nothing
    python examples/dask_on_htcondor.py --workers 20

The scheduler runs where this is started, best on the access point.  The workers need the same
Python with the same packages, and see the same files: a shared file system, or a container image
that has both.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import pieslice

if TYPE_CHECKING:
    from dask_jobqueue import HTCondorCluster

JOBS = [
    {"user": "alice", "backlog": 60, "per_hour": 10, "run_time": 5400, "spread": 0.5},
    {"user": "bob", "begin_hour": 2, "backlog": 40, "run_time": 3600, "spread": 0.5},
]
SETTINGS = {"PRIORITY_HALFLIFE": [3600, 86400], "NEGOTIATOR_INTERVAL": [60, 300]}


def cluster() -> HTCondorCluster:
    """One worker a job, one point at a time."""
    from dask_jobqueue import HTCondorCluster

    return HTCondorCluster(
        cores=1,
        processes=1,
        memory="2 GiB",
        disk="1 GiB",
        # A worker that finds no scheduler any more, or waits for long, goes.
        death_timeout=300,
        job_extra_directives={"universe": "vanilla", "should_transfer_files": "no"},
        scheduler_options={"dashboard_address": None},
    )


def main() -> None:
    """Show the submit file, or sweep."""
    parser = argparse.ArgumentParser(description="Sweep on an HTCondor pool.")
    parser.add_argument("--show", action="store_true", help="print the submit file and end")
    parser.add_argument("--workers", type=int, default=4, metavar="N", help="jobs to submit (4)")
    args = parser.parse_args()
    with cluster() as workers:
        if args.show:
            print(workers.job_script(), end="")
            return
        from distributed import Client

        workers.scale(jobs=args.workers)
        with Client(workers) as client:
            print(pieslice.sweep(JOBS, SETTINGS, pool=10, days=0.5, seeds=[1, 2], client=client))


if __name__ == "__main__":
    main()
