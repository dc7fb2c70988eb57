"""Follows a captured pool from cycle to cycle, each a pool of its own that can be asked about.

Decides what is known of a pool at a later cycle: not what the capture expects of its first one.

Inputs: a ``Capture``, seconds from one cycle to the next.  Outputs: ``HeldCycle``.  Follows:
``pieslice.between`` for what one cycle leaves to the next.
"""

from __future__ import annotations

from random import Random

from attr import define, evolve, field, frozen

from negotiator.capture.group_maps import Assignments
from negotiator.engines import ENGINES
from negotiator.io import Capture
from negotiator.jobs.readiness import count_idle
from negotiator.matching.board import Watch
from negotiator.matching.engine import Engines
from pieslice.between.course import Course
from pieslice.between.cycles import Turn, next_turn
from pieslice.reports.layout import short


@frozen(eq=False)
class HeldCycle:
    """A cycle, and the pool as it was when it began."""

    pool: Capture
    turn: Turn


@define(eq=False)
class CycleCourse:
    """A pool that goes on; ``interval``: seconds from one cycle to the next.

    ``engine``: as ``negotiate`` takes it; ``rng``: chance, for all cycles.
    """

    capture: Capture
    interval: float
    rng: Random
    engine: str | Engines = ENGINES[0]
    _held: int = 0
    _course: Course = field(init=False)

    @_course.default
    def _first(self) -> Course:
        pool = self.capture
        return Course.of(
            pool.snapshot, pool.policy, int(pool.facts.now), of_machines=pool.of_machines
        )

    def next(self, watch: Watch | None = None) -> HeldCycle:
        """Hold the next cycle; what ``watch`` raises leaves the pool as it is before the cycle."""
        chance, now = self.rng.getstate(), self.capture.facts.now + self._held * self.interval
        if self._held:
            self._course.advance(int(now))
        try:
            turn = next_turn(
                self._course,
                self._held + 1,
                now,
                rng=self.rng,
                costs=self.capture.costs,
                engine=self.engine,
                watch=watch,
            )
        except BaseException:
            self.rng.setstate(chance)
            raise
        self._held += 1
        return HeldCycle(_then(self.capture, turn, self.interval), turn)


def seconds_between(capture: Capture, interval: float | None) -> float:
    """From one cycle to the next: those given, or ``NEGOTIATOR_INTERVAL``, at least one."""
    return interval or max(capture.policy.interval_seconds, 1)


def _then(capture: Capture, turn: Turn, interval: float) -> Capture:
    """The pool at a later cycle, which the capture's expectations are not about."""
    if turn.number == 1:
        return capture
    slots, queues = turn.snapshot.slots, turn.snapshot.queues
    idle, not_requested = count_idle(job for queue in queues for job in queue.jobs)
    facts = evolve(
        capture.facts,
        slots=len(slots),
        idle_jobs=idle,
        not_requested=not_requested,
        now=turn.result.now,
        now_from=f"{short(interval)} seconds after the cycle before",
    )
    return evolve(
        capture,
        snapshot=turn.snapshot,
        facts=facts,
        expected=None,
        assignments=Assignments(),
        what_if=None,
        # What was wrong with the files is said once.
        diagnostics=(),
    )
