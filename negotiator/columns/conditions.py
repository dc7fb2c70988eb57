"""Asks conditions of sets of slots: a way for each kind of condition of ``matching.conditions``.

A set is one integer, whose bit r stands for row r of the table.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from itertools import repeat
from operator import attrgetter
from typing import Any, Final, TypeAlias

from attr import Factory, define

from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.language.operators import ORDER
from classad.syntax.nodes import Binary, Literal, Parens
from classad.table import Rows, Table
from classad.table.arrays.arrays import rows_of, without
from classad.table.dependence.partner import Partner
from negotiator.columns.chance import UnsureError
from negotiator.columns.slot_sets import SlotSets, Weighed
from negotiator.matching.candidate import Tally
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
from negotiator.matching.refusal import Refusal
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot
from policy.model import NegotiatorPolicy

_TRUE: Final = Literal(True)
#: So many sets are remembered for a condition.
_MANY: Final = 256


@define(eq=False)
class SetAsk(Ask):
    """A request that is asked of sets of slots."""

    partner: Partner | None = None
    #: Causes, with the slots before each test and those that passed it.
    refused: list[tuple[Refusal, int, int]] = Factory(list)
    #: The rows of the table, slots or not, in which expressions are true.
    everywhere: dict[Condition, int] = Factory(dict)

    def count(self, tally: Tally, among: int | None = None) -> None:
        """Tell the tally how many slots were refused; ``among``: the slots that were looked at."""
        for cause, before, behind in self.refused:
            if among is None:
                tally.refuse(cause, before, behind)
            else:
                tally.refuse(cause, before & among, behind & among)


#: The slots of a set (the last argument) that can be had in a way, of which a condition is true.
Way: TypeAlias = Callable[[SetAsk, MatchKind, int], int]


def _exactly(expr: Expression) -> Expression:
    """An expression that holds where the given one is true, and not a number, say."""
    node = expr.node
    if isinstance(node, Binary) and node.operator in ORDER:
        return expr
    return Expression.from_node(Binary("=?=", Parens(node), _TRUE))


class Conditions:
    """Asks the slots of one cycle."""

    def __init__(self, slots: Mapping[int, Slot], table: Table, policy: NegotiatorPolicy) -> None:
        self._slots = slots
        self._rows = array("i", slots)
        self._table = table
        self._size = len(table)
        self._policy = policy
        self._sets: dict[Callable[[Slot, EvalContext], Hashable], SlotSets[Hashable]] = {}
        self._unwanted: dict[Condition, dict[Hashable, int]] = {}
        self._exact: dict[Condition, Expression | None] = {}
        weights = list(map(attrgetter("weight"), slots.values()))
        self._heavy = Weighed(SlotSets(self._rows, self._size, weights))

    def way(self, condition: Condition) -> Way:
        """How a condition is asked of a set of slots."""
        return partial(_WAYS.get(type(condition), Conditions._one_by_one), self, condition)

    def _alike(self, condition: OfSlot[Any, Any], ask: SetAsk, kind: MatchKind, bits: int) -> int:
        return without(bits, self._unlike(ask, condition))

    def _of_asker(self, condition: OfAsker, ask: SetAsk, kind: MatchKind, bits: int) -> int:
        return bits if condition.true(ask) else 0

    def _matching(self, condition: Condition, ask: SetAsk, kind: MatchKind, bits: int) -> int:
        assert ask.partner is not None
        matched = self._table.match_surely(ask.partner, within=Rows(self._size, bits))
        if matched is None:
            raise UnsureError
        return matched.bits

    def _within_limit(self, condition: Condition, ask: SetAsk, kind: MatchKind, bits: int) -> int:
        assert ask.permits is not None
        return without(bits, self._heavy.too_heavy(partial(ask.permits, kind)))

    def _all(self, condition: Condition, ask: SetAsk, kind: MatchKind, bits: int) -> int:
        return bits

    def _unlike(self, ask: SetAsk, condition: OfSlot[Any, Any]) -> int:
        """The slots of which a condition is not true."""
        by, goes_with = condition.by(ask), condition.goes_with
        known = self._unwanted.setdefault(condition, {})
        found = known.get(by)
        if found is None:
            sets = self._sets_by(condition.value, ask.context)
            equal = goes_with is UNEQUAL
            found = sets.of(by) if equal else sets.where(lambda value: not goes_with(value, by))
            if len(known) >= _MANY:
                known.clear()
            known[by] = found
        return found

    def _sets_by(
        self, value: Callable[[Slot, EvalContext], Hashable], context: EvalContext
    ) -> SlotSets[Hashable]:
        """The slots by something that they are for the whole cycle."""
        found = self._sets.get(value)
        if found is None:
            values = list(map(value, self._slots.values(), repeat(context)))
            found = self._sets[value] = SlotSets(self._rows, self._size, values)
        return found

    def _exactly_true(self, condition: ExactlyTrue, ask: SetAsk, kind: MatchKind, bits: int) -> int:
        """The slots of a set for which an expression of the policy is true."""
        assert ask.partner is not None
        if condition not in self._exact:
            expr = condition.expr(self._policy)
            self._exact[condition] = None if expr is None else _exactly(expr)
        expr = self._exact[condition]
        if expr is None:
            return bits
        found = self._table.select_all(expr, ask.partner)
        if found is None:
            return self._table.select(expr, ask.partner, within=Rows(self._size, bits)).bits
        ask.everywhere[condition] = found.bits
        return bits & found.bits

    def _one_by_one(self, condition: Condition, ask: SetAsk, kind: MatchKind, bits: int) -> int:
        """The slots of a set, each of them asked, for want of another way."""
        passes = condition.ready(ask)
        if passes is None:
            return bits
        chosen = []
        for row in rows_of(bits):
            slot = self._slots[row]
            if passes(Pair(slot, ask.request, slot.weight, None, kind)):
                chosen.append(row)
        return Rows.of(self._size, chosen).bits


#: How a condition is asked of a set of slots, by its kind.
_WAYS: Final[Mapping[type, Callable[..., int]]] = {
    OfSlot: Conditions._alike,
    OfAsker: Conditions._of_asker,
    ExactlyTrue: Conditions._exactly_true,
    BothRequirements: Conditions._matching,
    WithinLimit: Conditions._within_limit,
    # Slots with a consumption policy are tested one by one.
    EnoughToConsume: Conditions._all,
}
