"""Keeps simulated time within a cycle, and says when a time limit ends a session.

These are NEGOTIATOR_MAX_TIME_PER_CYCLE, _SUBMITTER, _SCHEDD and _PIESPIN, in the order in which the
negotiator looks at them.  By default no request takes any time, so that only limits of 0 are
reached.  The negotiator's clock has whole seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attr import Factory, define, field, frozen

from negotiator.model.result import TurnEvent

_NEVER: Final = float("inf")
_EVENTS: Final = (TurnEvent.SUBMITTER_TIME, TurnEvent.SCHEDD_TIME, TurnEvent.CYCLE_TIME)


@frozen
class RequestCosts:
    """Seconds that offering a request takes; ``of_schedd``: by ``ScheddName`` where it differs."""

    seconds: float = 0.0
    of_schedd: Mapping[str, float] = Factory(dict)

    def of(self, schedd: str) -> float:
        """What a request of a schedd takes."""
        return self.of_schedd.get(schedd, self.seconds)


@define(eq=False)
class Stopwatch:
    """The time since the cycle began, and who has taken how much of it.

    ``limits``: the seconds that a submitter ad, a schedd and the cycle may take, as in ``_EVENTS``;
    ``turn``: those that a single turn may take.
    """

    costs: RequestCosts = Factory(RequestCosts)
    limits: tuple[float, float, float] = (_NEVER, _NEVER, _NEVER)
    turn: float = _NEVER
    seconds: float = 0.0
    #: Whole seconds since the cycle began.
    now: int = 0
    _by_submitter: dict[tuple[str, str], int] = field(factory=dict)
    _by_schedd: dict[str, int] = field(factory=dict)

    def spend(self, schedd: str) -> None:
        """Count the time of one offered request of a schedd."""
        cost = self.costs.of(schedd)
        if cost:
            self.seconds += cost
            self.now = int(self.seconds)

    def finished(self, submitter: str, schedd: str, began: int) -> None:
        """Count the time of a session that began at ``began``."""
        taken = self.now - began
        if not taken:
            return
        key = (submitter, schedd)
        self._by_submitter[key] = self._by_submitter.get(key, 0) + taken
        self._by_schedd[schedd] = self._by_schedd.get(schedd, 0) + taken

    def used_up(self, submitter: str, schedd: str) -> TurnEvent | None:
        """The time limit that keeps a submitter from another session, if any."""
        left = self._left(submitter, schedd)
        if min(left) > 0:
            return None
        return next(event for event, seconds in zip(_EVENTS, left, strict=True) if seconds <= 0)

    def deadline(self, submitter: str, schedd: str) -> float:
        """The time at which a session that begins now ends at the latest."""
        return self.now + min(self.turn, *self._left(submitter, schedd))

    def _left(self, submitter: str, schedd: str) -> tuple[float, float, float]:
        """The seconds that are left of each limit, in the order of ``_EVENTS``."""
        if not self.seconds:
            return self.limits
        of_submitter, of_schedd, of_cycle = self.limits
        return (
            of_submitter - self._by_submitter.get((submitter, schedd), 0),
            of_schedd - self._by_schedd.get(schedd, 0),
            of_cycle - self.now,
        )
