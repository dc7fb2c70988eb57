"""Simulates the points of a sweep in this process, on all cores, or on a Dask cluster.

Decides that a point which fails is tried again so many times and is then reported, that the others
go on meanwhile, and that a worker that dies takes no point with it.

Inputs: points.  Outputs: a ``PointResult`` for each, in the order in which they are done.
Follows: joblib's and Dask's own ways of handing out work; both are imported when they are used.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, TypeVar

from attr import frozen

from classad.errors import LimitError
from classad.extras import load
from classad.language.bounds import checkpoint, limits, remaining
from pieslice.data import JsonObject
from pieslice.simulation.errors import RunError
from pieslice.sweeps.grid import Point

if TYPE_CHECKING:
    from types import ModuleType

    from distributed import Client, Future

T = TypeVar("T")
#: Simulates one point; what it raises is a failure of that point.
Job = Callable[[Point], JsonObject]
_LONGEST: Final = 300
#: Seconds between two looks at the workers of a cluster, and after which none is expected any more.
_LOOK: Final = 10
PATIENCE = 600
#: The thread that looks whether the sweep goes on, and how often, in seconds.
_WATCH: Final = "pieslice-sweep"
_WATCHED: Final = 0.5
_NOBODY: Final = "the cluster has no worker any more"
_VERSION: Final = "pieslice:__version__"


@frozen
class PointResult:
    """A point that was simulated, or given up: then ``error`` says why."""

    point: Point
    tries: int
    summary: JsonObject | None = None
    error: str = ""


def simulate(point: Point) -> JsonObject:
    """The summary of a point."""
    from negotiator.model.garbage import without_collecting
    from pieslice.simulation.running import run_here

    with without_collecting():
        return run_here(point.plan)


@frozen
class Bounded:
    """A job within the limits of whoever hands it out, which another process does not know.

    ``until``: the end of its time, since the epoch.
    """

    job: Job
    until: float | None
    memory: int | None
    unpacked: int | None

    def __call__(self, point: Point) -> JsonObject:
        left = None if self.until is None else max(self.until - time.time(), 0.0)
        with limits(left, self.memory, self.unpacked):
            return self.job(point)


def bounded(job: Job) -> Job:
    """The same job, within the limits that are in force here."""
    left, memory, unpacked = remaining()
    return Bounded(job, None if left is None else time.time() + left, memory, unpacked)


def attempt(job: Job, point: Point, tries: int) -> PointResult:
    """A point, tried until it succeeds or so often; raises only where the time is up."""
    error = ""
    for number in range(1, tries + 1):
        try:
            return PointResult(point, number, job(point))
        except LimitError:
            raise
        except Exception as problem:
            # Whatever else goes wrong with one point, the others are still wanted.
            error = said(problem)
    return PointResult(point, tries, None, error)


def said(problem: BaseException) -> str:
    """A failure in one line."""
    text = " ".join(f"{problem.__class__.__name__}: {problem}".split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def here(job: Job, points: Sequence[Point], tries: int) -> Iterator[PointResult]:
    """One after the other in this process."""
    for point in points:
        yield attempt(job, point, tries)


def on_cores(job: Job, points: Sequence[Point], tries: int, cores: int) -> Iterator[PointResult]:
    """On cores of this machine, by joblib; -1 means all.

    A worker that is killed ends joblib's pool: what was not done by then is tried again one by one
    in pools of their own, so that only the point that kills its worker is given up.
    """
    joblib = load("joblib")
    waiting = {point.key: point for point in points}
    calls = (joblib.delayed(attempt)(job, point, tries) for point in points)
    pool = joblib.Parallel(
        n_jobs=cores, return_as="generator_unordered", batch_size=1, **_attended_workers()
    )
    with _broken_pools(), contextlib.ExitStack() as left:
        with _uninterrupted():
            outcomes = pool(calls)
            # Workers end when this is closed, and not when somebody looks for garbage.
            left.callback(outcomes.close)
        for outcome in outcomes:
            del waiting[outcome.point.key]
            yield outcome
    for point in waiting.values():
        yield _alone(joblib, job, point, tries)


def _attended_workers() -> JsonObject:
    """What joblib starts each worker with, so that it ends with this process.

    Not with its first point: a worker that was begun and has no point yet would wait for one.
    """
    return {"initializer": attend, "initargs": (os.getpid(),)}


def attend(parent: int) -> None:
    """Let this process end with the one that began it."""
    threading.Thread(target=_end_with, args=(parent,), name=_WATCH, daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when its parent is another one; nobody waits for its answer then."""
    while os.getppid() == parent:
        time.sleep(_WATCHED)
    os._exit(1)


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C: a pool of workers that has begun half cannot be ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _broken_pools() -> Iterator[None]:
    """Go on after the death of a worker."""
    from concurrent.futures import BrokenExecutor

    with contextlib.suppress(BrokenExecutor):
        yield


def _alone(joblib: ModuleType, job: Job, point: Point, tries: int) -> PointResult:
    """A point in a worker of its own that may die."""
    from concurrent.futures import BrokenExecutor

    error = ""
    for number in range(1, tries + 1):
        # Two calls: a single one would run in this process.
        calls = [joblib.delayed(_nothing)(), joblib.delayed(attempt)(job, point, 1)]
        try:
            found = joblib.Parallel(n_jobs=2, **_attended_workers())(calls)[1]
        except BrokenExecutor as problem:
            error = f"the worker died: {said(problem)}"
            continue
        if found.summary is not None:
            return PointResult(point, number, found.summary)
        error = found.error
    return PointResult(point, tries, None, error)


def _nothing() -> None:
    """Keep the other worker company."""


def handed_out(
    job: Job, points: Sequence[Point], tries: int, *, jobs: int = -1, client: Client | None = None
) -> Iterator[PointResult]:
    """On the workers of a client's cluster, else on so many cores of this machine."""
    job = bounded(job)
    if client is not None:
        return on_dask(job, points, tries, client)
    if jobs == 1 or len(points) < 2:
        return here(job, points, tries)
    return on_cores(job, points, tries, jobs)


def on_dask(job: Job, points: Sequence[Point], tries: int, client: Client) -> Iterator[PointResult]:
    """On the workers of a Dask cluster, which must see the same files."""
    distributed = load("distributed")
    ensure_package(client)
    tried = {point.key: 1 for point in points}
    futures = {
        client.submit(attempt, job, point, 1, pure=False, retries=0): point for point in points
    }
    while futures:
        done = _some_done(distributed, client, list(futures))
        for future in done or list(futures):
            point = futures.pop(future)
            outcome = _result(future, point) if done else PointResult(point, 1, None, _NOBODY)
            number = tried[point.key]
            if outcome.summary is None and number < tries and done:
                tried[point.key] = number + 1
                again = client.submit(attempt, job, point, 1, pure=False, retries=0)
                futures[again] = point
                continue
            yield PointResult(point, number, outcome.summary, outcome.error)


def ensure_package(client: Client) -> None:
    """Wait for a worker; ``RunError`` if it has not got this package, or another version.

    A worker that cannot read what it is sent ends, and so does the next one: nobody would see why.
    """
    asked = client.submit(resolve_name, _VERSION, pure=False)
    if not _some_done(load("distributed"), client, [asked]):
        raise RunError(_NOBODY)
    try:
        theirs = asked.result()
    except Exception as problem:
        raise RunError(f"the workers cannot import pieslice: {said(problem)}") from problem
    if theirs != (ours := resolve_name(_VERSION)):
        raise RunError(f"the workers have pieslice {theirs}, this is {ours}")


def _some_done(
    distributed: ModuleType, client: Client, futures: list[Future[T]]
) -> list[Future[T]]:
    """Those that are done, as soon as there are any; none if all workers have been gone for long.

    The first worker is waited for without end: it may be a job in a long queue.
    """
    seen, alone = False, 0
    while True:
        checkpoint("waiting for a cluster")
        with contextlib.suppress(TimeoutError):
            finished = distributed.wait(futures, timeout=_LOOK, return_when="FIRST_COMPLETED")
            # In the order of the grid.
            return [future for future in futures if future in finished.done]
        workers = bool(client.scheduler_info()["workers"])
        seen |= workers
        alone = 0 if workers or not seen else alone + _LOOK
        if alone >= PATIENCE:
            return []


def _result(future: Future[PointResult], point: Point) -> PointResult:
    try:
        found: PointResult = future.result()
    except LimitError:
        raise
    except Exception as problem:
        # The worker died, or has not got the files.
        return PointResult(point, 1, None, said(problem))
    return found
