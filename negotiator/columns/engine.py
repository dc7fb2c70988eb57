"""Finds the candidates of a request among all slots at once.

The tests are those of ``negotiator.matching.candidates``, each asked of a set of slots.  Slots
whose ads change within the cycle are tested one by one.  A request is left to the reference engine
where random numbers are drawn, which have an order, or ranks are NaN, which have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import attrgetter
from typing import Final

from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.syntax.lazy import LazyExpression
from classad.table import Rows, Table
from classad.table.arrays import rows_of, without
from classad.table.expressions.partner import INSTANT
from negotiator.columns.chance import UnsureError, without_chance
from negotiator.columns.conditions import Conditions, SetAsk, Way, every_slot
from negotiator.columns.rank_keys import ColumnFound, KeyMaker, Keys, Passed
from negotiator.jobs.requests import CARRIED, Request
from negotiator.matching.board import Board, Candidates
from negotiator.matching.candidate import Allowance, Candidate, Refusal, Requester, Tally
from negotiator.matching.candidates import (
    CANDIDATE_TESTS,
    MATCHING,
    Tester,
    gathered,
    limits_depend_on_slot,
)
from negotiator.matching.conditions import Ask
from negotiator.matching.engine import REFERENCE, RankedList
from negotiator.matching.preemption import STARTD_PREFERS, match_kinds
from negotiator.matching.rank import Ranker
from negotiator.model.result import MatchKind
from negotiator.pool.ephemeral import TOLD_TO_REQUESTS
from negotiator.pool.fetch import changing
from negotiator.pool.slots import Slot
from negotiator.versions.negotiator import SCANNED_SLOTS
from policy.model import NegotiatorPolicy


class SlotsLeft(dict[int, Slot]):
    """The slots not matched yet by their position in the pool, in pool order.

    ``bits``: the same positions as a set: bit p stands for position p.
    """

    def __init__(self, slots: Mapping[int, Slot]) -> None:
        """``slots``: by rising positions."""
        super().__init__(slots)
        size = next(reversed(self), -1) + 1
        whole = size == len(self)
        self.bits = (1 << size) - 1 if whole else Rows.of(size, slots).bits

    def __setitem__(self, position: int, slot: Slot) -> None:
        super().__setitem__(position, slot)
        self.bits |= 1 << position

    def __delitem__(self, position: int) -> None:
        super().__delitem__(position)
        self.bits ^= 1 << position


def _left(ask: SetAsk, tests: Iterable[tuple[Refusal, Way]], kind: MatchKind, bits: int) -> int:
    """The slots of a set that pass some tests; those that do not are noted."""
    for cause, passing in tests:
        if not bits:
            break
        left = passing(ask, kind, bits)
        if left is not bits:
            ask.refused.append((cause, bits, left))
            bits = left
    return bits


class AlikeRequests:
    """Tells requests that are the same to all slots and to the policy.

    They are of one autocluster, with the same requirements to go by, and what else they have is the
    same as far as anything reads it.
    """

    def __init__(self, table: Table) -> None:
        self._shapes = table.store.shapes
        self._read = -1
        self._besides: list[str] = []
        self._clock = False

    def key(self, request: Request, context: EvalContext) -> tuple[object, ...] | None:
        """What those like a request have; None if it is not known which these are."""
        attrs = request.ad._attrs
        wanted = attrs.get("requirements")
        if request.kind is None or wanted.__class__ is not Expression:
            return None
        node = wanted._node
        text = (node.text, node.how) if node.__class__ is LazyExpression else id(wanted)
        read = self._shapes.read
        if len(read) != self._read:
            self._read, self._clock = len(read), INSTANT in read
            self._besides = sorted(_BESIDES & read)
        values = list(map(attrs.get, self._besides))
        kinds = tuple(map(type, values))
        if not _TELLING.issuperset(kinds):
            return None
        when = (context.now, context.tz) if self._clock else ()
        return (request.kind, text, context.language.since, kinds, *values, *when)


#: What requests have that does not tell their autocluster.
_BESIDES: Final = CARRIED | TOLD_TO_REQUESTS | {"autoclusterid"}
#: Classes of values that are the same to everybody if they are equal.
_TELLING: Final = frozenset({str, int, bool, float, type(None)})


class ColumnEngine:
    """Tests all slots at once."""

    def __init__(
        self,
        slots: Mapping[int, Slot],
        table: Table,
        policy: NegotiatorPolicy,
        *,
        lasting: bool = False,
    ) -> None:
        """``slots``: prepared for the cycle, by the rows that they are in the table.

        ``lasting``: answers are kept for other cycles.
        """
        self._slots = slots
        self._table = table
        self._size = len(table)
        known = [map(attrgetter(what), slots.values()) for what in changing(policy)]
        self._opaque = Rows.of(self._size, compress(slots, map(any, zip(*known, strict=True)))).bits
        self._contexts: tuple[EvalContext, EvalContext] | None = None
        conditions = Conditions(slots, table, policy)
        way = conditions.way
        tests = [test for test in CANDIDATE_TESTS if test.made(policy)]
        all_ways = [(test.cause, way(test.condition), test.kinds) for test in tests]
        ways = [it for it in all_ways if it[1] is not every_slot]
        self._first = [(cause, passing) for cause, passing, kinds in ways if kinds is None]
        self._kinds = [
            (
                kind,
                way(having),
                [(cause, it) for cause, it, kinds in ways if kinds and kind in kinds],
            )
            for kind, having in match_kinds(policy)
        ]
        self._preferring = conditions.questions.get(STARTD_PREFERS)
        self._keys = KeyMaker(slots, table, policy)
        self._alike = AlikeRequests(table) if lasting else None

    def find(
        self, board: Board, request: Request, asker: Requester, allowance: Allowance, tally: Tally
    ) -> Candidates:
        """See ``Engine``."""
        assert isinstance(board.slots, SlotsLeft)
        policy = board.policy
        if not (policy.consider_preemption or SCANNED_SLOTS.is_new(policy.version)):
            return REFERENCE.find(board, request, asker, allowance, tally)
        left = board.slots.bits
        opaque = left & self._opaque
        context, table = self._guarded(board.context), self._table
        ask = SetAsk(board, request.ad, asker, context, allowance.permits, table=table)
        alike = None if self._alike is None else self._alike.key(request, context)
        if alike is not None:
            ask.answers = table.matching.known(alike)
        known = len(ask.answers)
        try:
            passed = self._passed(ask, left ^ opaque if opaque else left)
            keys = self._keys.keys(ask, passed)
            each = opaque or limits_depend_on_slot(request.ad, ask.context)
        except UnsureError:
            return REFERENCE.find(board, request, asker, allowance, tally)
        if alike is not None and len(ask.answers) > known:
            # Kept, so that its identity stays its own.
            ask.answers["requirements"] = request.ad.raw("Requirements")
            table.matching.keep(alike, ask.answers)
        if each or board.policy.ignore_job_ranks:
            return RankedList(self._one_by_one(ask, allowance, passed, keys, opaque, tally))
        ask.count(tally)
        return ColumnFound(keys, self._slots)

    def refused(self, ask: Ask, matching: Iterable[int]) -> dict[int, Refusal]:
        """See ``negotiator.matching.engine.refused``."""
        board = ask.board
        assert isinstance(board.slots, SlotsLeft)
        context = self._guarded(ask.context)
        sets = SetAsk(board, ask.request, ask.asker, context, ask.permits, table=self._table)
        matched = Rows.of(self._size, matching).bits
        try:
            self._passed(sets, without(board.slots.bits, self._opaque), matched)
        except UnsureError:
            return {}
        return {
            row: cause for cause, before, behind in sets.refused for row in rows_of(before ^ behind)
        }

    def _guarded(self, context: EvalContext) -> EvalContext:
        if self._contexts is None or self._contexts[0] is not context:
            self._contexts = (context, without_chance(context))
        return self._contexts[1]

    def _passed(self, ask: SetAsk, bits: int, matched: int | None = None) -> Passed:
        """The slots that pass every test; ``matched``: those that match, if that is known."""
        first: Sequence[tuple[Refusal, Way]] = self._first
        if matched is not None:
            known: Way = lambda ask, kind, bits: bits & matched  # noqa: E731
            first = [(c, known if c is MATCHING else way) for c, way in first]
        bits = _left(ask, first, MatchKind.NONE, bits)
        if not bits:
            return Passed(0)
        of_kind = {}
        for kind, having, tests in self._kinds:
            those = having(ask, kind, bits) if bits else 0
            bits ^= those
            of_kind[kind] = those and _left(ask, tests, kind, those)
        by_rank, by_priority = of_kind.get(MatchKind.RANK, 0), of_kind.get(MatchKind.PRIORITY, 0)
        return Passed(
            of_kind[MatchKind.NONE] | by_rank | by_priority,
            by_rank,
            by_priority,
            ask.answers.get(self._preferring),
        )

    # --- what cannot be done at once --------------------------------------------------------------

    def _one_by_one(
        self,
        ask: SetAsk,
        allowance: Allowance,
        passed: Passed,
        keys: Keys,
        opaque: int,
        tally: Tally,
    ) -> list[Candidate]:
        """The candidates in pool order, with tests whose outcome depends on the slots before."""
        board, request = ask.board, ask.request
        there = ColumnFound(keys, self._slots)
        tester = Tester(Ask(board, request, ask.asker, board.context, ask.permits))
        seen = []

        def candidates() -> Iterator[Candidate]:
            for row in self._in_order(board, passed.bits | opaque, reordered=opaque != 0):
                if not opaque >> row & 1:
                    seen.append(row)
                    yield there.candidate(row)
                    continue
                found = tester.verdict(row, self._slots[row])
                if isinstance(found, Refusal):
                    tally.refused[found] += 1
                else:
                    seen.append(row)
                    yield found
            seen.clear()

        ranker = Ranker(board.policy, request, board.context)
        found = list(gathered(board, request, allowance, tally, candidates(), ranker))
        # If slots are left that nobody looked at they have not been refused.
        looked_at = None
        if seen:
            left = list(board.slots)
            looked_at = Rows.of(self._size, left[: left.index(seen[-1]) + 1]).bits
        ask.count(tally, looked_at)
        return found

    def _in_order(self, board: Board, bits: int, *, reordered: bool) -> Iterable[int]:
        """Rows in pool order, which slots leave that stay in the pool after a match."""
        if not reordered:
            return rows_of(bits)
        chosen = set(rows_of(bits))
        return [row for row in board.slots if row in chosen]
