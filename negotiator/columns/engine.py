"""Finding the candidates of a request among all slots at once.

Decision here: none that testing slot by slot would not make (see
``negotiator.matching.candidates``); tests
compare the two on every recorded pool.  A test of the negotiator is one set of slots here: those
that match, those somebody holds, those whose startd prefers the request.  Slots whose ads change
within the cycle are tested one by one, and a request is left to the reference engine where random
numbers are drawn, which have an order, or ranks are NaN, which have none.  Inputs: as for any
engine.  Outputs: candidates in order, made when they are wanted.

Never here: what an expression means (``classad.table``), limits across slots.
Follows: the order of tests in the negotiator as the vectors show it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from attr import define

from classad import ClassAd
from classad.ads.ad import as_string
from classad.ads.expression import Expression as ExprTree
from classad.evaluate import EvalContext
from classad.syntax.nodes import Binary, Literal, Parens
from classad.table import Rows, Table
from classad.table.arrays.arrays import rows_of, without
from classad.table.dependence.partner import Partner
from negotiator.columns.chance import UnsureError, without_chance
from negotiator.columns.order import LazyEntries
from negotiator.columns.rank_keys import KeyMaker, Keys, Passed
from negotiator.columns.slot_sets import SlotSets, Weighed
from negotiator.jobs.requests import Request
from negotiator.matching.board import Board, Found
from negotiator.matching.candidate import Allowance, Asker, Candidate, Tally
from negotiator.matching.candidates import (
    consider,
    limits_depend_on_slot,
    outranks,
    per_slot_limits_have_room,
    rank_keys,
    spoken_for,
)
from negotiator.matching.engine import REFERENCE, Listed, SlotsLeft
from negotiator.matching.preemption import Refusal, rank_compared
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot
from policy.model import NegotiatorPolicy

_T = TypeVar("_T")
_TRUE: Final = Literal(True)


def _exactly(expr: ExprTree) -> ExprTree:
    """An expression that holds where the given one is true, and not a number, say."""
    return ExprTree.from_node(Binary("=?=", Parens(expr.node), _TRUE))


@define(eq=False)
class _Ask:
    """A request under way.  ``refused``: the slots before each test and those that passed it."""

    board: Board
    context: EvalContext
    request: ClassAd
    partner: Partner
    asker: Asker
    allowance: Allowance
    refused: list[tuple[Refusal, int, int]]

    def refuse(self, cause: Refusal, before: int, behind: int = 0) -> None:
        """Note what a test did; how many that are is worked out when somebody wants to know."""
        if before and before is not behind:
            self.refused.append((cause, before, behind))

    def without(self, cause: Refusal, bits: int, unwanted: int) -> int:
        """Slots without those that a test refuses."""
        refused = bits & unwanted
        if not refused:
            return bits
        self.refuse(cause, refused)
        return bits ^ refused

    def count(self, tally: Tally, among: int | None = None) -> None:
        """Tell the tally how many slots were refused."""
        for cause, before, behind in self.refused:
            if among is None:
                tally.refuse(cause, before, behind)
            else:
                tally.refuse(cause, before & among, behind & among)


class ColumnFound:
    """Candidates that stand in columns."""

    def __init__(self, keys: Keys, slots: Mapping[int, Slot]) -> None:
        self._keys = keys
        self._slots = slots

    def entries(self) -> LazyEntries:
        """See ``Found``."""
        return LazyEntries(self._keys, self.candidate)

    def first_best(self) -> Candidate | None:
        """See ``Found``."""
        return self.entries().first_in_order()

    def candidate(self, row: int) -> Candidate:
        """The candidate that a row is."""
        slot, keys = self._slots[row], self._keys
        return Candidate(row, slot, keys.at(row), keys.kind(row), slot.weight)


class ColumnEngine:
    """Tests all slots at once."""

    def __init__(self, slots: Mapping[int, Slot], table: Table, policy: NegotiatorPolicy) -> None:
        """``slots``: prepared for the cycle, by the rows that they are in the table."""
        self._slots = slots
        self._table = table
        self._policy = policy
        self._size = len(table)
        enlarged = policy.consider_preemption and policy.allow_pslot_preemption
        self._rows = array("i", slots)
        self._odd = self._set_of(
            row
            for row, slot in slots.items()
            if slot.resources or slot.reevaluated or (enlarged and slot.partitionable)
        )
        self._contexts: tuple[EvalContext, EvalContext] | None = None
        self._dynamic: int | None = None
        self._schedds: SlotSets[str | None] | None = None
        self._others: dict[str, int] = {}
        self._users = self._sets_by([slot.user for slot in slots.values()])
        self._held = self._users.where(_is_somebody)
        self._heavy = Weighed(self._sets_by([slot.weight for slot in slots.values()]))
        self._families = self._sets_by([slot.families for slot in slots.values()])
        ranked = slots.items() if policy.ignore_job_ranks else ()
        fixed = {row: slot.fixed_ranks or (0.0, 0.0) for row, slot in ranked}
        self._ranks_are_numbers = all(pre == pre and post == post for pre, post in fixed.values())
        self._keys = KeyMaker(self._table, policy, self._held, fixed)
        wanted = policy.preemption_requirements
        self._allowed = None if wanted is None else _exactly(wanted)
        self._prefers, self._accepts = rank_compared(">"), rank_compared(">=")

    def find(
        self, board: Board, request: Request, asker: Asker, allowance: Allowance, tally: Tally
    ) -> Found:
        """See ``Engine``."""
        assert isinstance(board.slots, SlotsLeft)
        left = board.slots.bits
        odd = left & self._odd
        context = self._guarded(board.context)
        partner = self._table.partner(request.ad, context)
        ask = _Ask(board, context, request.ad, partner, asker, allowance, [])
        try:
            if not self._ranks_are_numbers:
                raise UnsureError
            passed = self._passed(ask, left ^ odd if odd else left)
            keys = self._keys.keys(partner, passed)
            each = odd or limits_depend_on_slot(request.ad, ask.context)
        except UnsureError:
            return REFERENCE.find(board, request, asker, allowance, tally)
        if each or board.policy.ignore_job_ranks:
            return Listed(self._one_by_one(ask, passed, keys, odd, tally))
        ask.count(tally)
        return ColumnFound(keys, self._slots)

    def _guarded(self, context: EvalContext) -> EvalContext:
        if self._contexts is None or self._contexts[0] is not context:
            self._contexts = (context, without_chance(context))
        return self._contexts[1]

    # --- the tests ------------------------------------------------------------------------------

    def _passed(self, ask: _Ask, bits: int) -> Passed:
        """The slots that pass every test."""
        for families in self._families.values:
            if not families & ask.asker.families:
                bits = ask.without(Refusal.ADDRESS, bits, self._families.of(families))
        bits = ask.without(Refusal.OTHER_SCHEDD, bits, self._of_other_schedds(ask))
        if self._policy.allow_pslot_preemption:
            bits = ask.without(Refusal.DYNAMIC, bits, self._spoken_for(ask))
        within = Rows(self._size, bits)
        matched = self._table.match_surely(ask.partner, within=within)
        if matched is None:
            raise UnsureError
        ask.refuse(Refusal.REQUIREMENTS, bits, matched.bits)
        return self._within_limits(ask, self._by_kind(ask, matched.bits))

    def _of_other_schedds(self, ask: _Ask) -> int:
        """Claimed partitionable slots of schedds other than the one that asks."""
        if self._schedds is None:
            context = ask.context
            named = [
                as_string(slot.value("RemoteScheddName", context))
                if slot.partitionable and slot.raw("RemoteScheddName") is not None
                else None
                for slot in self._slots.values()
            ]
            self._schedds = self._sets_by(named)
        mine = ask.asker.schedd
        found = self._others.get(mine)
        if found is None:
            found = self._schedds.where(lambda name: name is not None and name != mine)
            self._others[mine] = found
        return found

    def _spoken_for(self, ask: _Ask) -> int:
        if self._dynamic is None:
            context = ask.context
            self._dynamic = self._set_of(
                row for row, slot in self._slots.items() if spoken_for(slot, context)
            )
        return self._dynamic

    def _by_kind(self, ask: _Ask, bits: int) -> Passed:
        """How the asker can get the slots that match."""
        rank_only = ask.asker.rank_only
        if not self._policy.consider_preemption:
            if rank_only:
                ask.refuse(Refusal.NOT_OCCUPIED, bits)
            return Passed(0 if rank_only else bits)
        held = bits & self._held
        free = bits ^ held
        if rank_only:
            ask.refuse(Refusal.NOT_OCCUPIED, free)
            free = 0
        if not held:
            return Passed(free)
        prefers = self._table.select_all(self._prefers, ask.partner)
        by_rank = self._where(ask, self._prefers, held) if prefers is None else held & prefers.bits
        preferring = None if prefers is None else prefers.bits
        rest = held ^ by_rank
        if rank_only:
            ask.refuse(Refusal.RANK_NOT_HIGHER, rest)
            return Passed(by_rank, by_rank, 0, preferring)
        other = without(rest, self._users.of(ask.asker.submitter))
        under = without(other, self._of_betters(ask))
        allowed = self._where(ask, self._allowed, under)
        accepted = self._where(ask, self._accepts, allowed)
        ask.refuse(Refusal.SAME_USER, rest, other)
        ask.refuse(Refusal.PRIORITY, other, under)
        ask.refuse(Refusal.PREEMPTION_REQUIREMENTS, under, allowed)
        ask.refuse(Refusal.STARTD_RANK, allowed, accepted)
        return Passed(free | by_rank | accepted, by_rank, accepted, preferring)

    def _of_betters(self, ask: _Ask) -> int:
        """The slots of users whose priority forbids it, in a dialect that goes by that."""
        if not self._policy.dialect.better_priority_preempts:
            return 0
        return self._users.where(
            lambda user: user is not None and outranks(ask.board, user, ask.asker)
        )

    def _where(self, ask: _Ask, expr: ExprTree | None, bits: int) -> int:
        """The slots in which an expression is true of the request."""
        if expr is None or not bits:
            return bits
        within = Rows(self._size, bits)
        return self._table.select(expr, ask.partner, within=within).bits

    def _within_limits(self, ask: _Ask, passed: Passed) -> Passed:
        """Without the slots that would cost more than is still allowed."""
        permits, over, priority = ask.allowance.permits, 0, passed.by_priority
        heavy = self._heavy.too_heavy(partial(permits, MatchKind.NONE))
        if heavy:
            over = heavy & (passed.bits ^ (passed.by_rank | priority))
        if priority:
            over |= priority & self._heavy.too_heavy(partial(permits, MatchKind.PRIORITY))
        if not over:
            return passed
        ask.refuse(Refusal.SUBMITTER_LIMIT, over)
        left = passed.bits ^ over
        return Passed(left, passed.by_rank, without(priority, over), passed.preferring)

    # --- what cannot be done at once --------------------------------------------------------------

    def _one_by_one(
        self, ask: _Ask, passed: Passed, keys: Keys, odd: int, tally: Tally
    ) -> list[Candidate]:
        """The candidates in pool order, with tests whose outcome depends on the slots before."""
        board, request, found = ask.board, ask.request, []
        weight = 0.0
        for row in self._in_order(board, passed.bits | odd, reordered=odd != 0):
            slot = self._slots[row]
            candidate = self._candidate(ask, passed, keys, row, odd, tally)
            if candidate is None or not per_slot_limits_have_room(board, slot, request, tally):
                continue
            if odd >> row & 1:
                ranks = rank_keys(board, slot, request, candidate.kind)
                candidate = candidate.with_keys(ranks)
            found.append(candidate)
            weight += slot.weight
            if board.policy.ignore_job_ranks and weight > ask.allowance.limit:
                ask.count(tally, self._up_to(board, row))
                return found
        ask.count(tally)
        return found

    def _in_order(self, board: Board, bits: int, *, reordered: bool) -> Iterable[int]:
        """Rows in pool order, which slots leave that stay in the pool after a match."""
        if not reordered:
            return rows_of(bits)
        chosen = set(rows_of(bits))
        return [row for row in board.slots if row in chosen]

    def _up_to(self, board: Board, row: int) -> int:
        """The slots that are left up to a row, in pool order."""
        seen = list(board.slots)
        return Rows.of(self._size, seen[: seen.index(row) + 1]).bits

    def _candidate(
        self, ask: _Ask, passed: Passed, keys: Keys, row: int, odd: int, tally: Tally
    ) -> Candidate | None:
        """The candidate that a row is; without ranks, or None, if it is an odd one."""
        board, slot = ask.board, self._slots[row]
        if not odd >> row & 1:
            return Candidate(row, slot, keys.at(row), keys.kind(row), slot.weight)
        found = consider(board, row, slot, ask.request, ask.asker)
        if isinstance(found, Candidate) and not ask.allowance.permits(found.kind, found.cost):
            found = Refusal.SUBMITTER_LIMIT
        if isinstance(found, Refusal):
            tally.refused[found] += 1
            return None
        return found

    # --- sets of slots ----------------------------------------------------------------------------

    def _set_of(self, rows: Iterable[int]) -> int:
        return Rows.of(self._size, rows).bits

    def _sets_by(self, values: Sequence[_T]) -> SlotSets[_T]:
        """The slots by some value of theirs."""
        return SlotSets(self._rows, self._size, values)


def _is_somebody(user: str | None) -> bool:
    return user is not None
