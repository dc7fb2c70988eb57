"""Finds the state of the concurrency limits that a request asks for.

Inputs: the board of a cycle, a request.  Outputs: a ``ConcurrencyState`` for each limit.  Follows:
the negotiator's counts at that moment.
"""

from __future__ import annotations

from attr import frozen

from negotiator.jobs.requests import Request
from negotiator.matching.board import Board
from negotiator.matching.candidate import NOTHING_REFUSED


@frozen
class ConcurrencyState:
    """One concurrency limit: ``in_use`` of ``maximum``, the job ``wants`` so much more."""

    name: str
    in_use: float
    wants: float
    maximum: float

    @property
    def full(self) -> bool:
        """Whether the job does not fit."""
        return self.in_use + self.wants > self.maximum


def concurrency_states(board: Board, request: Request) -> tuple[ConcurrencyState, ...]:
    """The limits that the request itself names."""
    text = request.ad.get_string("ConcurrencyLimits", context=board.context)
    if text == NOTHING_REFUSED:
        return (ConcurrencyState('"" (always refused)', 0.0, 1.0, 0.0),)
    states = [] if text is None else board.concurrency.state_of(text)
    return tuple(ConcurrencyState(*state) for state in states)
