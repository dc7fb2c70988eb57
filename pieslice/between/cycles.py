"""Runs several cycles, each with the claims of the one before.

Decides what one cycle leaves to the next when no job ends and none arrives: ``pieslice simulate``
does that.  Every match becomes a claim whose job runs on, what it leaves of a partitionable slot
goes to further jobs; a job that was preempted is idle again; priorities decay and grow with the
usage.

Inputs: a snapshot, a policy, the time of the first cycle and the seconds to the next (seconds since
the epoch).  Outputs: a ``Turn`` per cycle.  Follows: the steps of the recorded scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from types import MappingProxyType

from attr import frozen

from negotiator.cycle import negotiate
from negotiator.engines import ENGINES, make_engines
from negotiator.jobs.requests import QueuedJob
from negotiator.matching.board import Board, CycleWatch, Event, Watch
from negotiator.matching.engine import Engines
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from pieslice.between.course import Course, JobStart
from policy.claims import ClaimSettings
from policy.model import NegotiatorPolicy


@frozen(eq=False)
class Turn:
    """One of several cycles; ``jobs``: who got the slot of each match, None if nobody took it.

    ``board``: the cycle at its end.  ``starts``: the jobs that started by what the cycle decided,
    in order.
    """

    number: int
    snapshot: Snapshot
    result: CycleResult
    jobs: tuple[QueuedJob | None, ...]
    board: Board
    starts: tuple[JobStart, ...] = ()


def run_cycles(
    snapshot: Snapshot,
    policy: NegotiatorPolicy,
    *,
    now: float,
    count: int,
    interval: float,
    rng: Random | None = None,
    costs: RequestCosts | None = None,
    engine: str = ENGINES[0],
    of_machines: Mapping[str, ClaimSettings] = MappingProxyType({}),
) -> Iterator[Turn]:
    """``count`` cycles, ``interval`` seconds apart; ``costs``, ``engine`` as for ``negotiate``.

    ``of_machines``: what machines do with claims that do otherwise than ``policy`` says.
    """
    engines = make_engines(engine, lasting=True)
    course = Course.of(snapshot, policy, int(now), of_machines=of_machines)
    for number in range(1, count + 1):
        yield next_turn(course, number, now, rng=rng, costs=costs, engine=engines)
        now += interval
        course.advance(int(now))


def next_turn(
    course: Course,
    number: int,
    now: float,
    *,
    rng: Random | None = None,
    costs: RequestCosts | None = None,
    engine: str | Engines = ENGINES[0],
    watch: Watch | None = None,
) -> Turn:
    """Hold a cycle on the pool as it is, and carry out what it decides.

    ``watch`` is called with each event; what it raises ends the cycle, of which nothing stays.
    """
    noted, snapshot = CycleWatch(), course.snapshot()

    def both(event: Event) -> None:
        noted(event)
        if watch is not None:
            watch(event)

    result = negotiate(
        snapshot, course.policy, now=now, rng=rng, watch=both, costs=costs, engine=engine
    )
    assert noted.board is not None
    starts = course.follow(result, noted.placements.jobs, noted.board)
    jobs = tuple(noted.placements.jobs)
    return Turn(number, snapshot, result, jobs, noted.board, starts)
