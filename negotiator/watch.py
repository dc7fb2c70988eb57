"""Looking on while a cycle runs.

Decision here: which moments of a cycle an onlooker is told about.  Inputs: a ``Watch`` handed to
``negotiate``.  Outputs: its methods are called; what they return is not looked at.  A cycle with an
onlooker that leaves the board alone decides what it decides without one.

Never here: explanations (see ``negotiator.why``).
Follows: nothing; the real negotiator has only its log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from negotiator.board import Board
    from negotiator.candidates import Allowance, Asker, Candidate
    from negotiator.quotasteps import QuotaStep
    from negotiator.requests import QueuedJob, Request
    from negotiator.result import Rejection
    from negotiator.session import SessionTerms


class Watch:
    """An onlooker that does nothing; those that want something override a method."""

    def started(self, board: Board) -> None:
        """All is prepared, nothing has been decided."""

    def quota(self, step: QuotaStep) -> None:
        """The arithmetic of quotas has done a step."""

    def offered(
        self,
        board: Board,
        terms: SessionTerms,
        request: Request,
        asker: Asker,
        allowance: Allowance,
    ) -> None:
        """A slot is about to be looked for; the request has its ephemeral attributes."""

    def taken(self, candidate: Candidate, job: QueuedJob | None) -> None:
        """The request offered last got a slot, which the schedd gave to ``job``."""

    def refused(self, rejection: Rejection) -> None:
        """The request offered last got no slot."""

    def ended(self, board: Board, terms: SessionTerms, allowance: Allowance) -> None:
        """A session is over."""

    def finished(self, board: Board) -> None:
        """The cycle is over."""
