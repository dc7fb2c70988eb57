"""Follows a running pool from cycle to cycle: captures, predicts, waits, captures again, compares.

The negotiator begins a cycle NEGOTIATOR_INTERVAL seconds after the last one began, and not
before NEGOTIATOR_CYCLE_DELAY seconds after its end; a schedd with new jobs may ask for one then.

A capture is made when the last cycle has been compared, and again just before the next one is due;
a cycle that comes early is compared with what there is.  Daemons that do not answer are waited for.

Inputs: the daemons of a pool.  Outputs: a ``PredictedCycle`` for each cycle, with the captures.
"""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median_low
from typing import Final

from attr import define, evolve, field

from classad.errors import LimitError
from classad.formats.long import forget_texts
from classad.language.bounds import checkpoint, limits
from classad.source import Source
from negotiator.capture.ads import LocatedAd
from negotiator.capture.configuration import pool_version
from negotiator.capture.files import CapturePaths, CaptureReader, ConfigPaths
from negotiator.cycle import negotiate
from negotiator.expressions.memo import forget
from negotiator.io import Capture, InputError, read_capture
from negotiator.model.result import CycleResult
from negotiator.pool.addresses import families
from negotiator.whatif.pool import WhatIf
from pieslice.data import Record
from pieslice.live.capture import LiveCapture
from pieslice.live.daemons import Bindings, DaemonError, Located, RightError
from pieslice.live.names import temporary
from pieslice.live.service import Pause, tidy
from pieslice.live.taking import Memory, find_daemons, last_cycle, take
from pieslice.shadow.outcome import PredictedCycle, compare, new_matches
from policy.versions import Followed as Version

#: HTCondor's defaults.
INTERVAL: Final = 60
DELAY: Final = 20


#: Seconds by which clocks may differ before it matters.
TOLERANCE: Final = 10.0


def skew(ended: float, noticed: float) -> float:
    """By how much our clock is ahead of the negotiator's, when a cycle is noticed at its end."""
    ahead = noticed - ended
    return ahead if abs(ahead) > TOLERANCE else 0.0


def earliest(cycle: Record) -> float:
    """When a cycle may begin that a schedd asks for."""
    return float(cycle.get("end", 0)) + float(cycle.get("cycle_delay", DELAY))


def due(cycle: Record) -> float:
    """When a cycle begins that nobody asks for."""
    began = float(cycle.get("time", 0)) + float(cycle.get("interval", INTERVAL))
    return max(began, earliest(cycle))


def newer(last: Record, cycle: Record) -> bool:
    """Whether there has been a cycle since; after a restart the negotiator knows of none."""
    times = [tuple(which.get(name) for name in ("time", "end")) for which in (last, cycle)]
    return "time" in cycle and times[0] != times[1]


#: Seconds between two looks at whether a cycle has been.
_POLL: Final = 1.0
#: Seconds after a cycle in which its matches become claims.
SETTLE: Final = 1.5
#: How often it is looked again, after twice the time each, for claims that are not there yet.
_LOOKS: Final = 3
#: Seconds until daemons that do not answer are asked again, at first and at most.
_PATIENCE: Final = (2.0, 60.0)
#: Seconds in which a cycle that was asked for begins and ends.
_ANSWER: Final = 60.0
#: Seconds that a prediction may take: what runs for days must not hang on an ad of a stranger.
LONGEST: Final = 600.0
#: Seconds from a capture until a cycle begins that is asked for at once.
PROMPT: Final = 0.7
#: Of how many seconds it is tried whether a cycle that began in them would have gone as predicted.
_SECONDS: Final = 3
#: A little more than a second.
_SECOND: Final = 1.1
#: Seconds before a cycle is due at which the pool is captured, besides what that takes.
_LEAD: Final = 1.0
_PREDICTING: Final = threading.Lock()
#: How many of the last captures and predictions tell what the next ones take.
_RECENT: Final = 5


@define(eq=False)
class Predicted:
    """A capture and what the next cycle does by it, if it begins ``at`` that time."""

    capture: LiveCapture
    result: CycleResult
    at: float


@define(eq=False)
class FollowedCycle:
    """A cycle: what was predicted from which capture, what was captured after it."""

    before: Predicted
    after: LiveCapture
    outcome: PredictedCycle


def predict(
    capture: LiveCapture,
    config: Path | None = None,
    *,
    at: float | None = None,
    where: str = "",
    told: Callable[[WhatIf | None], object] = lambda what_if: None,
) -> CycleResult:
    """What the next cycle of a captured pool does; raises ``InputError``.

    ``config``: a configuration that is read on top of the pool's own, for the startds of machines
    by the condition ``where``; ``told`` gets what it changes besides the policy.  ``at``: when the
    cycle begins, without it at the time of the capture.  Raises ``LimitError`` for what takes
    ``LONGEST``.
    """
    with opened(capture, config, where=where) as pool:
        told(pool.what_if)
        now = pool.facts.now if at is None else at
        return negotiate(pool.snapshot, pool.policy, now=now, rng=Random(0), costs=pool.costs)


@contextlib.contextmanager
def opened(
    capture: LiveCapture, config: Path | None = None, *, where: str = ""
) -> Iterator[Capture]:
    """A captured pool to ask, of which nothing is kept afterwards; the same arguments and errors.

    Those of several pools come one after the other: what is computed has one interpreter.
    """
    with temporary("shadow") as place:
        folder = Path(place, "pool")
        capture.write(folder)
        paths = CapturePaths(folder, where=where)
        if config is not None:
            paths = evolve(paths, overlays=(config,), before=(ConfigPaths(),))
        with _PREDICTING, limits(time=LONGEST):
            try:
                yield read_capture(paths)
            finally:
                forget()
                forget_texts()
                families.cache_clear()


def followed_version(capture: LiveCapture) -> Version:
    """The version that is followed for a captured pool: that which its negotiator tells."""
    ads = tuple(LocatedAd(ad, Source("", "negotiator")) for ad in capture.ads("negotiator"))
    return pool_version(CaptureReader(CapturePaths(None, ads={"negotiator": ads})))


def judged(before: LiveCapture, after: LiveCapture, predicted: CycleResult) -> PredictedCycle:
    """How a prediction went; uncertain, if it would have come true of another second.

    Priorities age by whole seconds, and policies compare times: which second a cycle begins in is
    not known before.
    """
    outcome = compare(before, after, predicted)
    if outcome.exact or not outcome.still:
        return outcome
    for second in range(outcome.time, outcome.time + _SECONDS):
        if compare(before, after, predict(before, at=float(second))).exact:
            said = "what this cycle does depends on the second in which it begins"
            return evolve(outcome, uncertain=(*outcome.uncertain, said))
    return outcome


def _said(problem: Exception) -> str:
    """What is waited for; a place that takes no more files is one such thing."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename or tempfile.gettempdir()}: {problem.strerror.lower()}"
    return str(problem)


@define(eq=False)
class Shadow:
    """Follows one pool.

    ``ask``: have the negotiator begin each cycle; ``say``: is told what is waited for; ``started``:
    gets the first capture, ``captured`` each; ``tick``: is called again and again while a cycle is
    waited for; ``pause``: waits for some seconds; ``alive``: is called whenever something has been
    got on with.
    """

    daemons: Bindings
    say: Callable[[str], object]
    ask: bool = False
    settle: float = SETTLE
    memory: Memory = field(factory=Memory)
    started: Callable[[LiveCapture], object] = lambda capture: None
    captured: Callable[[LiveCapture], object] = lambda capture: None
    tick: Callable[[], object] = lambda: None
    # `time.sleep` is looked up when it is called.
    pause: Pause = lambda span: time.sleep(span)
    alive: Callable[[], object] = lambda: None
    #: What the last captures and predictions took, in seconds.
    _captures: deque[float] = field(factory=lambda: deque(maxlen=_RECENT))
    _predictions: deque[float] = field(factory=lambda: deque(maxlen=_RECENT))
    #: By how much our clock is ahead of the negotiator's.
    _skew: float = 0.0
    _troubled: float = _PATIENCE[0]

    def cycles(self) -> Iterator[FollowedCycle]:
        """The cycles that follow, without end; raises ``RightError`` where we may not ask."""
        before: Predicted | None = None
        first = True
        while True:
            self.alive()
            try:
                if before is None:
                    before = self._predicted()
                if first:
                    self.started(before.capture)
                    first = False
                before, after = self._await_cycle(before)
                yield FollowedCycle(before, after, judged(before.capture, after, before.result))
                before = self._again(after)
                self._troubled = _PATIENCE[0]
            except RightError:
                raise
            except (DaemonError, InputError, LimitError, OSError) as problem:
                checkpoint("following a pool")
                self.say(f"waiting: {_said(problem)}")
                self.tick()
                before = None
                self.pause(self._troubled)
                self._troubled = min(2 * self._troubled, _PATIENCE[1])

    def _predicted(self) -> Predicted:
        """Capture the pool while no cycle runs, and predict the next one."""
        capture = self._take()
        if not capture.manifest["cycle"].get("steady"):
            capture = self._take()
        if not capture.manifest["cycle"].get("told", True):
            # The next cycle could not be told from the last one.
            raise DaemonError("negotiator: it does not say when its last cycle was")
        if not capture.parts.get("slots"):
            # A collector that has been restarted: the machines tell it of themselves again.
            raise DaemonError("the collector has no ad of a slot")
        return self._again(capture)

    def _take(self) -> LiveCapture:
        """The pool now."""
        began = time.monotonic()
        capture = take(self.daemons, self.memory)
        self._captures.append(time.monotonic() - began)
        self.captured(capture)
        self.alive()
        return capture

    def _again(self, capture: LiveCapture) -> Predicted:
        """What a capture says of the cycle after it."""
        began = time.monotonic()
        at = self._begins(capture)
        result = predict(capture, at=at)
        tidy()
        self._predictions.append(time.monotonic() - began)
        return Predicted(capture, result, at)

    def _begins(self, capture: LiveCapture) -> float:
        """When the cycle after a capture begins, by the negotiator's clock.

        When it is due, if that is soon; otherwise it is begun early, now.
        """
        now = capture.ended - self._skew
        soon = now + self._lead() + _SECOND
        when = due(capture.manifest["cycle"])
        return when if not self.ask and now < when <= soon else now + PROMPT

    def _lead(self) -> float:
        """Seconds before a cycle is due at which the pool is captured.

        One slow answer among quick ones does not count: it would make all later captures old.
        """
        took = (median_low(times) for times in (self._captures, self._predictions) if times)
        return sum(took) + _LEAD

    def _await_cycle(self, before: Predicted) -> tuple[Predicted, LiveCapture]:
        """The last prediction before the next cycle, and a capture after it."""
        negotiator = find_daemons(self.daemons, self.memory).negotiator
        if negotiator is None:
            raise DaemonError("no negotiator has an ad in the collector")
        if self.ask:
            before = self._ask_for(before, negotiator)
        asked = time.monotonic()
        last: Record = before.capture.manifest["cycle"]
        while not newer(last, cycle := last_cycle(self.daemons, negotiator)):
            self.alive()
            now = time.time()
            until = due(before.capture.manifest["cycle"]) + self._skew - self._lead()
            if not self.ask and now >= until > before.capture.ended:
                before = self._predicted()
                if newer(last, before.capture.manifest["cycle"]):
                    # It came while the pool was captured, which therefore shows what it left.
                    raise DaemonError("a cycle began during the capture; it is left out")
            if self.ask and time.monotonic() - asked > _ANSWER:
                # A negotiator that refuses the command says nothing.
                text = f"negotiator: no cycle within {_ANSWER:g} s of asking"
                raise DaemonError(f"{text}; that takes more rights than READ")
            self.tick()
            self.pause(_POLL)
        self._skew = skew(float(cycle.get("end", 0)), time.time())
        after = self._after(before)
        if "time" not in after.manifest["cycle"]:
            # It has been restarted, or nobody could ask it.
            raise DaemonError("negotiator: it does not tell of the cycle any more; it is left out")
        return before, after

    def _ask_for(self, before: Predicted, negotiator: Located) -> Predicted:
        """Capture, and have the negotiator begin a cycle at once."""
        before = self._predicted()
        # Cycles are told apart by the second in which they began.
        if 0 <= time.time() - before.capture.manifest["cycle"].get("time", 0) < _SECOND:
            self.pause(_SECOND)
        self.daemons.cycle(negotiator)
        return before

    def _after(self, before: Predicted) -> LiveCapture:
        """The pool when the matches of a cycle have become claims.

        Schedds ask for them one after another: what the negotiator counts and no schedd has yet is
        waited for, until the next cycle is near or the patience for it ends.
        """
        self.pause(self.settle)
        after, wait = self._take(), self.settle
        cycle: Record = after.manifest["cycle"]
        wanted = {(match.submitter, match.slot) for match in before.result.matches}
        for _ in range(_LOOKS):
            lacking = cycle.get("matches", 0) - len(new_matches(before.capture, after, wanted))
            wait *= 2
            if lacking <= 0 or self._now() + wait + self._lead() >= due(cycle):
                break
            self.pause(wait)
            later = self._take()
            if newer(cycle, later.manifest["cycle"]):
                break
            after = later
        return after

    def _now(self) -> float:
        """The time by the negotiator's clock."""
        return time.time() - self._skew
