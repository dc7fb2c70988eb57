"""Sweeps over settings on an HTCondor pool: Dask workers that are jobs, by dask-jobqueue.

    pip install 'pieslice[dask]' dask-jobqueue
    python examples/dask_on_htcondor.py --show      # the submit file of a worker; submits nothing
    python examples/dask_on_htcondor.py --workers 20 --log-directory logs

The scheduler runs where this is started, on an access point.  The workers need the same Python
with the same packages, and see the same files: a shared file system, or a container image that has
both.  They connect to the scheduler: `--address` is the one at which the machines of the pool find
this one, if it has several.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from dask_jobqueue import HTCondorCluster
from dask_jobqueue.htcondor import HTCondorJob
from distributed import Client, Status

import pieslice

JOBS = [
    {"user": "alice", "backlog": 60, "per_hour": 10, "run_time": 5400, "spread": 0.5},
    {"user": "bob", "begin_hour": 2, "backlog": 40, "run_time": 3600, "spread": 0.5},
]
SETTINGS = {"PRIORITY_HALFLIFE": [3600, 86400], "NEGOTIATOR_INTERVAL": [60, 300]}
POOL = {"pool": 10, "days": 0.5}
#: Seconds between two looks at the jobs, and after which a worker without a scheduler goes.
LOOK = 5
DEATH = 300
#: What condor_q calls jobs that may still become workers: idle, running, ending, suspended.
ALIVE = {"1", "2", "6", "7"}
HELD = "5"


class WorkerJob(HTCondorJob):
    """A job that tells why condor_submit did not take it, instead of a traceback."""

    problem = ""

    async def start(self) -> None:
        try:
            await super().start()
        except RuntimeError as problem:
            # What condor_submit wrote ends it.
            self.problem = str(problem).split("stderr:\n")[-1].strip() or str(problem)
            self.status = Status.running


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Sweep on an HTCondor pool.")
    parser.add_argument("--show", action="store_true", help="print the submit file and end")
    parser.add_argument("--workers", type=int, default=4, metavar="N", help="jobs to submit (4)")
    parser.add_argument("--address", metavar="HOST", help="of the scheduler, as the workers see it")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the scheduler (any)")
    parser.add_argument(
        "--log-directory",
        type=Path,
        metavar="DIR",
        help="where the jobs write their output, errors and events",
    )
    parser.add_argument(
        "--before",
        action="append",
        default=[],
        metavar="COMMAND",
        help="run in the job's shell before the worker; may be given again",
    )
    return parser.parse_args()


def cluster(args: argparse.Namespace) -> HTCondorCluster:
    """One worker a job, one point at a time."""
    scheduler = {"dashboard_address": "127.0.0.1:0", "port": args.port}
    if args.address:
        scheduler["host"] = args.address
    return HTCondorCluster(
        job_cls=WorkerJob,
        cores=1,
        processes=1,
        memory="2 GiB",
        disk="1 GiB",
        # A worker that finds no scheduler any more, or waits for long, goes.
        death_timeout=DEATH,
        log_directory=args.log_directory and str(args.log_directory.resolve()),
        job_script_prologue=args.before,
        job_extra_directives={"universe": "vanilla", "should_transfer_files": "no"},
        scheduler_options=scheduler,
    )


def await_worker(workers: HTCondorCluster, client: Client, args: argparse.Namespace) -> None:
    """Return when a worker is there; a job may be idle for long, but not all may have ended."""
    print("waiting for a worker; condor_q shows the jobs", file=sys.stderr)
    while not client.scheduler_info()["workers"]:
        time.sleep(LOOK)
        if problem := next((job.problem for job in workers.workers.values() if job.problem), ""):
            sys.exit(f"condor_submit did not take a job: {problem}")
        jobs = [job.job_id for job in workers.workers.values()]
        if jobs and (states := states_of(jobs)) is not None and ALIVE.isdisjoint(states):
            held = " or are held" if HELD in states else ""
            sys.exit(f"all {len(jobs)} jobs have ended{held}, no worker has come; {why(args)}")


def states_of(jobs: list[str]) -> set[str] | None:
    """The JobStatus of those that are in the queue; None if it does not answer."""
    words = ["condor_q", *jobs, "-format", "%d\n", "JobStatus"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return None if done.returncode else set(done.stdout.split())


def why(args: argparse.Namespace) -> str:
    """Where the reason is to be found, and the last thing that a worker said."""
    if args.log_directory is None:
        return "--log-directory DIR keeps what they say"
    said = [path for path in args.log_directory.glob("worker-*.err") if path.stat().st_size]
    if not said:
        return f"{args.log_directory} has their events"
    last = max(said, key=lambda path: path.stat().st_mtime)
    return f"{last} ends with: {last.read_text(errors='replace').rstrip().rpartition(chr(10))[2]}"


def main() -> None:
    """Show the submit file, or sweep."""
    args = arguments()
    if not args.show and shutil.which("condor_submit") is None:
        sys.exit("condor_submit is not on PATH: start this on an access point of the pool")
    try:
        workers = cluster(args)
    except OSError as problem:  # the folder of the logs cannot be made, the address is not ours
        sys.exit(str(problem))
    with workers:
        if args.show:
            print(workers.job_script(), end="")
            return
        workers.scale(jobs=args.workers)
        with Client(workers) as client:
            await_worker(workers, client, args)
            # A worker that is lost, say to an eviction, is replaced by another job.
            workers.adapt(minimum_jobs=args.workers, maximum_jobs=args.workers)
            try:
                print(pieslice.sweep(JOBS, SETTINGS, seeds=[1, 2], client=client, **POOL))
            except pieslice.Error as problem:
                sys.exit(str(problem))


if __name__ == "__main__":
    main()
