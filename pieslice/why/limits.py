"""Finds which limits a job and its submitter were under, which of them binds, and says so.

Decides which of several limits is the one that binds, and which are used up.

Inputs: a halted cycle, the result of the whole cycle, its events.  Outputs: ``Limits``,
``SubmitterCourse``, both in slot weights; ``LimitUse``; blocks for ``pieslice.reports.layout``.
Follows: the negotiator's log, which prints the same numbers for every submitter.
"""

from __future__ import annotations

from attr import define, field, frozen

from negotiator.jobs.requests import Request
from negotiator.matching.board import Board, CycleBegan, CycleEnded, Event, Offer, Watch
from negotiator.matching.candidate import NOTHING_REFUSED
from negotiator.model.arithmetic import DBL_MAX
from negotiator.model.result import CycleResult, SubmitterTurn
from pieslice.reports.layout import Block, Line, short


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


@frozen
class LimitUse:
    """A concurrency limit that something uses: how much before and after a cycle, of how much."""

    name: str
    before: float
    after: float
    maximum: float

    @property
    def full(self) -> bool:
        """Whether nothing of it is left."""
        return self.after >= self.maximum


@define(eq=False)
class LimitWatch:
    """Watches a cycle for the concurrency limits that are in use; ``inner`` watches as well."""

    inner: Watch
    _before: dict[str, float] = field(factory=dict)
    _states: list[tuple[str, float, float]] = field(factory=list)

    def __call__(self, event: Event) -> None:
        """See ``Watch``."""
        self.inner(event)
        match event:
            case CycleBegan(board=board):
                self._before = {name: count for name, count, _ in board.concurrency.states()}
            case CycleEnded(board=board):
                self._states = board.concurrency.states()

    @property
    def found(self) -> tuple[LimitUse, ...]:
        """Those of a cycle that has ended, by name."""
        return tuple(
            LimitUse(name, self._before.get(name, 0.0), count, maximum)
            for name, count, maximum in sorted(self._states)
        )


def concurrency_states(board: Board, request: Request) -> tuple[ConcurrencyState, ...]:
    """The limits that the request itself names, as the negotiator counts them at that moment."""
    text = request.ad.get_string("ConcurrencyLimits", context=board.context)
    if text == NOTHING_REFUSED:
        return (ConcurrencyState('"" (always refused)', 0.0, 1.0, 0.0),)
    states = [] if text is None else board.concurrency.state_of(text)
    return tuple(ConcurrencyState(*state) for state in states)


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


# --- the submitter in the whole cycle -------------------------------------------------------------


@frozen
class TurnCourse:
    """One turn of the submitter: what it might use, what it used, what happened."""

    group: str | None
    spin: int
    limit: float
    used: float
    events: tuple[str, ...]


@frozen
class SubmitterCourse:
    """How the submitter fared.  ``known``: it takes part in the cycle at all.

    ``skipped``: why its group had no turn, round by round.
    """

    known: bool
    group: str | None
    turns: tuple[TurnCourse, ...]
    skipped: tuple[str, ...]


def submitter_course(result: CycleResult, submitter: str | None, schedd: str) -> SubmitterCourse:
    """All turns of a submitter, and why its group had none."""
    summary = next((item for item in result.submitters if item.name == submitter), None)
    turns = tuple(
        TurnCourse(pie.group, spin.spin, turn.limit, turn.used, tuple(e.value for e in turn.events))
        for pie in result.pies
        for spin in pie.spins
        for turn in spin.turns
        if (turn.name, turn.schedd) == (submitter, schedd)
    )
    if summary is None:
        return SubmitterCourse(False, None, turns, ())
    skipped = dict.fromkeys(
        f"round {event.round}: {event.skipped}"
        for round_ in result.rounds
        for event in round_.events
        if event.group == summary.group and event.skipped is not None
    )
    return SubmitterCourse(True, summary.group, turns, tuple(skipped))


# --- words ----------------------------------------------------------------------------------------


def amount(weight: float) -> str:
    """A slot weight."""
    # A zero of its own sign is none.
    return "unlimited" if weight >= DBL_MAX else short(round(weight, 2) + 0.0)


def limit_of(limit: float, unclaimed: float) -> str:
    """A submitter limit, and what of it may be free slots if that is less."""
    text = amount(limit)
    return text if unclaimed >= limit else f"{text} ({amount(unclaimed)} in free slots)"


def limit_blocks(limits: Limits, *, full_told: bool) -> list[Block]:
    """The limits as lines.  ``full_told``: the verdict says which concurrency limits are full."""
    blocks: list[Block] = []
    if limits.share is not None and limits.pie is not None:
        limit = limit_of(limits.limit, limits.limit_unclaimed)
        used, pie, usage = (amount(value) for value in (limits.used, limits.pie, limits.usage))
        text = f"  submitter limit {limit}, {used} used in this session"
        share = f"{limits.share * 100:.1f}% of slot weight {pie}, {usage} in use"
        blocks.append(Line(f"{text}: {limits.bound_by} ({share})"))
    if limits.rank_only:
        blocks.append(
            Line("  limit reached: only slots whose startd RANK prefers the job are considered")
        )
    for state in limits.concurrency:
        if full_told and state.full:
            continue
        full = "full" if state.full else "has room"
        text = f"{short(state.in_use)} of {short(state.maximum)} in use, needs {short(state.wants)}"
        level = "bad" if state.full else ""
        blocks.append(Line(f"  concurrency limit {state.name}: {full} ({text})", level=level))
    return blocks
