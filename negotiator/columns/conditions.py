"""Asks conditions of sets of slots: a way for each kind of condition of ``matching.conditions``.

A set is one integer, whose bit r stands for row r of the table.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from struct import pack
from typing import Any, Final, Generic, TypeAlias, TypeVar

from attr import Factory, define, field

from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.language.operators import ORDER
from classad.syntax.nodes import Binary, Literal, Parens
from classad.table import Rows, Table
from classad.table.arrays import bits_of, flag, rows_of, without
from classad.table.expressions.partner import Partner
from classad.table.memo import Answers
from classad.table.shapes import text_of
from negotiator.columns.chance import UnsureError
from negotiator.matching.candidate import Refusal, Tally
from negotiator.matching.conditions import (
    UNEQUAL,
    Ask,
    BothRequirements,
    Condition,
    EnoughToConsume,
    ExactlyTrue,
    OfAsker,
    OfSlot,
    Pair,
    WithinLimit,
)
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot
from policy.model import NegotiatorPolicy

T = TypeVar("T")
_TRUE: Final = Literal(True)
#: So many sets are remembered for a condition.
_MANY: Final = 256
#: Slots up to which a set is put together one by one.
_FEW: Final = 16


@define(eq=False)
class SetAsk(Ask):
    """A request that is asked of sets of slots."""

    table: Table = field(kw_only=True)
    #: What is known of the request, whoever is left: it may be that of one like it.
    answers: Answers = Factory(Answers)
    #: Causes, with the slots before each test and those that passed it.
    refused: list[tuple[Refusal, int, int]] = Factory(list)
    _partner: Partner | None = None

    @property
    def partner(self) -> Partner:
        """The request as the rows of the table see it."""
        if self._partner is None:
            self._partner = self.table.partner(self.request, self.context)
        return self._partner

    def count(self, tally: Tally, among: int | None = None) -> None:
        """Tell the tally how many slots were refused; ``among``: the slots that were looked at."""
        sets = self.refused
        if among is not None:
            sets = [(cause, before & among, behind & among) for cause, before, behind in sets]
        tally.refuse(sets)


#: The slots of a set (the last argument) that can be had in a way, of which a condition is true.
Way: TypeAlias = Callable[[SetAsk, MatchKind, int], int]


def every_slot(  # pragma: no cover - engines know it and pass it over
    ask: SetAsk, kind: MatchKind, bits: int
) -> int:
    """The way of a condition that is true of all slots."""
    return bits


def _exactly(expr: Expression) -> Expression:
    """An expression that holds where the given one is true, and not a number, say."""
    node = expr.node
    if isinstance(node, Binary) and node.operator in ORDER:
        return expr
    return Expression.from_node(Binary("=?=", Parens(node), _TRUE))


class SlotSets(Generic[T]):
    """The slots by a value of theirs.  A set is an integer, whose bit r stands for row r."""

    def __init__(self, rows: array[int], size: int, values: Sequence[T]) -> None:
        """``rows``: those that are slots, rising, of a table of ``size``."""
        self._rows = rows
        self._size = size
        self._numbers = {value: code for code, value in enumerate(dict.fromkeys(values))}
        codes = map(self._numbers.__getitem__, values)
        # An array looks at what it is made of one by one, in several times the time.
        self._codes = array("i", pack(f"{len(values)}i", *codes))

    @property
    def values(self) -> Iterable[T]:
        """The values that there are."""
        return self._numbers

    def of(self, value: T) -> int:
        """The slots with a value."""
        code = self._numbers.get(value)
        if code is None:
            return 0
        rows = self._by_code[code]
        if len(rows) > _FEW:
            return bits_of(array("i", rows), self._size)
        return sum([1 << row for row in rows])

    @cached_property
    def _by_code(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self._numbers]
        for row, code in zip(self._rows, self._codes, strict=True):
            found[code].append(row)
        return found

    def where(self, chosen: Callable[[T], bool]) -> int:
        """The slots with certain values."""
        table = bytes(map(chosen, self._numbers))
        rows = None if len(self._rows) == self._size else self._rows
        return flag(self._codes, rows, table, self._size) if any(table) else 0


class Conditions:
    """Asks the slots of one cycle."""

    def __init__(self, slots: Mapping[int, Slot], table: Table, policy: NegotiatorPolicy) -> None:
        self._slots = slots
        self._rows = array("i", slots)
        self._table = table
        self._size = len(table)
        self._policy = policy
        self._sets: dict[object, SlotSets[Hashable]] = {}
        #: Where answers have the rows, slots or not, in which expressions are true.
        self.questions: dict[Condition, object] = {}

    def way(self, condition: Condition) -> Way:
        """How a condition is asked of a set of slots."""
        return _WAYS.get(type(condition), Conditions._one_by_one)(self, condition)

    def _of_slot(self, condition: OfSlot[Any, Any]) -> Way:
        by_of, goes_with = condition.by, condition.goes_with
        #: The slots of which the condition is not true, by what matters of the asker.
        known: dict[Hashable, int] = {}

        def unlike(by: Hashable, context: EvalContext) -> int:
            sets = self._sets_by(condition, context)
            equal = goes_with is UNEQUAL
            if len(known) >= _MANY:
                known.clear()
            found = sets.of(by) if equal else sets.where(lambda value: not goes_with(value, by))
            return known.setdefault(by, found)

        def way(ask: SetAsk, kind: MatchKind, bits: int) -> int:
            by = by_of(ask)
            unwanted = known.get(by)
            if unwanted is None:
                unwanted = unlike(by, ask.context)
            return without(bits, unwanted) if unwanted else bits

        return way

    def _sets_by(self, condition: OfSlot[Any, Any], context: EvalContext) -> SlotSets[Hashable]:
        """The slots by something that they are for the whole cycle."""
        found = self._sets.get(condition.value)
        if found is None:
            values = list(map(condition.value_in(context), self._slots.values()))
            found = self._sets[condition.value] = SlotSets(self._rows, self._size, values)
        return found

    def _of_asker(self, condition: OfAsker) -> Way:
        return lambda ask, kind, bits: bits if condition.true(ask) else 0

    def _matching(self, condition: Condition) -> Way:
        table, size = self._table, self._size

        def way(ask: SetAsk, kind: MatchKind, bits: int) -> int:
            known = ask.answers.get(condition)
            if known is None:
                table.count_request()
                known = table.matching.by_columns(ask.partner)
                if known is None:
                    matched = table.match_surely(ask.partner, within=Rows(size, bits))
                    if matched is None:
                        raise UnsureError
                    return matched.bits
                ask.answers[condition] = known
            for rows in known:
                bits &= rows
            return bits

        return way

    def _within_limit(self, condition: Condition) -> Way:
        weights = [slot.weight for slot in self._slots.values()]
        sets = SlotSets(self._rows, self._size, weights)
        # A weight is permitted if a greater one is; whatever is no number comes before all others.
        falling = sorted(sets.values, key=lambda weight: (weight != weight, weight), reverse=True)
        #: The slots of the first so many weights.
        known: dict[int, int] = {}

        def way(ask: SetAsk, kind: MatchKind, bits: int) -> int:
            assert ask.permits is not None
            permits = partial(ask.permits, kind)
            if all(map(permits, falling[:1])):
                return bits
            heavy = bisect_left(falling, True, key=permits)
            if heavy not in known:
                known[heavy] = sets.where(set(falling[:heavy]).__contains__)
            return without(bits, known[heavy])

        return way

    def _exactly_true(self, condition: ExactlyTrue) -> Way:
        """The slots of a set for which an expression of the policy is true."""
        given = condition.expr(self._policy)
        if given is None:
            return every_slot
        expr, table, size = _exactly(given), self._table, self._size
        question = self.questions[condition] = text_of(expr)

        def way(ask: SetAsk, kind: MatchKind, bits: int) -> int:
            known = ask.answers.get(question)
            if known is None:
                found = table.select_all(expr, ask.partner)
                if found is None:
                    return table.select(expr, ask.partner, within=Rows(size, bits)).bits
                known = ask.answers[question] = found.bits
            return bits & known

        return way

    def _one_by_one(self, condition: Condition) -> Way:
        """The slots of a set, each of them asked, for want of another way."""

        def way(ask: SetAsk, kind: MatchKind, bits: int) -> int:
            passes = condition.ready(ask)
            if passes is None:
                return bits
            chosen = []
            for row in rows_of(bits):
                slot = self._slots[row]
                if passes(Pair(slot, ask.request, slot.weight, None, kind)):
                    chosen.append(row)
            return Rows.of(self._size, chosen).bits

        return way


#: How a condition is asked of a set of slots, by its kind.
_WAYS: Final[Mapping[type, Callable[[Conditions, Any], Way]]] = {
    OfSlot: Conditions._of_slot,
    OfAsker: Conditions._of_asker,
    ExactlyTrue: Conditions._exactly_true,
    BothRequirements: Conditions._matching,
    WithinLimit: Conditions._within_limit,
    # Slots with a consumption policy are tested one by one.
    EnoughToConsume: lambda conditions, condition: every_slot,
}
