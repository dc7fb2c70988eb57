"""Finds which limits a job was under, and which of them binds.

Decides which of several limits is the one that binds.

Inputs: a halted cycle, the result of the whole cycle.  Outputs: ``Limits`` and
``Standing``; all in slot weights.  Follows: the negotiator's log, which prints the same numbers for
every submitter.
"""

from __future__ import annotations

from attr import frozen

from negotiator.matching.board import Offer
from negotiator.model.result import CycleResult, SubmitterTurn
from pieslice.why.requests.concurrency import ConcurrencyState, concurrency_states


@frozen
class Limits:
    """The limits of the session.  ``limit`` is for slots that are held, ``limit_unclaimed`` for
    free ones; ``pie`` is what is divided, ``share`` the part of the submitter (0 to 1).

    ``bound_by``: what made the limit; ``rank_only``: the limit is used up and only slots whose
    startd ranks the job higher may be had.
    """

    effective_priority: float
    group: str | None
    group_quota: float | None
    share: float | None
    pie: float | None
    usage: float
    limit: float
    limit_unclaimed: float
    used: float
    ceiling: int
    rank_only: bool
    bound_by: str | None
    concurrency: tuple[ConcurrencyState, ...]

    @property
    def full(self) -> tuple[str, ...]:
        """The concurrency limits that have no room for the job."""
        return tuple(state.name for state in self.concurrency if state.full)

    @property
    def refuse(self) -> bool:
        """Whether a limit is the reason, so that more slots that match would be no help."""
        return self.rank_only or bool(self.full)


@frozen
class Turn:
    """One turn of the submitter: what it might use, what it used, what happened."""

    group: str | None
    spin: int
    limit: float
    used: float
    events: tuple[str, ...]


@frozen
class Standing:
    """How the submitter fared.  ``known``: it takes part in the cycle at all.

    ``skipped``: why its group had no turn, round by round.
    """

    known: bool
    group: str | None
    turns: tuple[Turn, ...]
    skipped: tuple[str, ...]


def limits(halted: Offer, result: CycleResult) -> Limits:
    """The limits that the offered request is under."""
    board, terms, allowance = halted.board, halted.terms, halted.allowance
    turn, pie = _turn(halted, result)
    return Limits(
        effective_priority=terms.priority,
        group=terms.group,
        group_quota=None if terms.group is None else board.tree[terms.group].quota,
        share=None if turn is None else turn.share,
        pie=pie,
        usage=board.accountant.usage(terms.submitter),
        limit=allowance.limit,
        limit_unclaimed=allowance.limit_unclaimed,
        used=allowance.used,
        ceiling=board.accountant.ceiling(terms.submitter),
        rank_only=halted.asker.rank_only,
        bound_by=None if turn is None or pie is None else _bound_by(halted, turn, pie),
        concurrency=concurrency_states(board, halted.request),
    )


def _turn(halted: Offer, result: CycleResult) -> tuple[SubmitterTurn | None, float | None]:
    """The turn under way as the whole cycle has it, and the size of its pie."""
    board, terms = halted.board, halted.terms
    if len(board.pies) >= len(result.pies) or board.spin < 1:
        return None, None
    pie = result.pies[len(board.pies)]
    size = board.numbers.pie if pie.quota is None else min(board.numbers.pie, float(pie.quota))
    turns = pie.spins[board.spin - 1].turns
    mine = (turn for turn in turns if (turn.name, turn.schedd) == (terms.submitter, terms.schedd))
    return next(mine, None), size


def _bound_by(halted: Offer, turn: SubmitterTurn, pie: float) -> str:
    """What makes the limit as small as it is."""
    share = max(turn.share * pie - turn.usage, 0.0)
    if turn.ceiling_left < min(turn.limit, share):
        return "its ceiling"
    if round(turn.limit, 2) < 0:
        return "submitters before took that much more than was left of the pie"
    if turn.limit < share * (1 - 1e-9):
        return "what is left of the pie"
    if turn.limit_unclaimed < turn.limit * (1 - 1e-9):
        return "what is left of the group quota"
    if pie < halted.board.numbers.pie:
        return "its pie slice of the group limit"
    return "its pie slice of the pool"


def standing(result: CycleResult, submitter: str | None, schedd: str) -> Standing:
    """All turns of a submitter, and why its group had none."""
    summary = next((item for item in result.submitters if item.name == submitter), None)
    turns = tuple(
        Turn(pie.group, spin.spin, turn.limit, turn.used, tuple(e.value for e in turn.events))
        for pie in result.pies
        for spin in pie.spins
        for turn in spin.turns
        if (turn.name, turn.schedd) == (submitter, schedd)
    )
    skipped: dict[str, None] = {}
    if summary is not None:
        for round_ in result.rounds:
            for event in round_.events:
                if event.group == summary.group and event.skipped is not None:
                    skipped[f"round {event.round}: {event.skipped}"] = None
    group = None if summary is None else summary.group
    return Standing(summary is not None, group, turns, tuple(skipped))
