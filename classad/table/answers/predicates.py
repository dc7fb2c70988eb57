"""Finds the rows in which an expression is true, false or an error, as bits, and keeps them.

The bits of ``&& || ! ?:`` and ``ifThenElse`` follow from those of the operands where that saves
evaluations.  An evaluation that fails counts as an error, which nothing in logic that gets to see
it makes true.  Follows the tables of logic in classad/language/operators.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classad.evaluation.functions import Form, form_of
from classad.language.operators import LOGIC
from classad.syntax.nodes import Binary, Call, Conditional, Unary
from classad.table.answers.variants import Variants
from classad.table.answers.verdicts import Verdict, in_one, verdict_of
from classad.table.arrays.arrays import without
from classad.table.dependence.partner import Partner
from classad.table.dependence.plans import Group, Plan
from classad.table.expressions.shapes import Shape, bare
from classad.table.memory.budget import Budget, Notes
from classad.table.sampling.sampler import Sampler
from classad.table.store.columns import Column
from classad.table.store.parts import Part
from classad.table.store.store import Store


class Predicate(Variants[Verdict]):
    """A boolean expression of the rows of a part against any partner."""

    def __init__(
        self,
        shape: Shape,
        of_row: bool,
        part: Part,
        store: Store,
        book: Book,
        open_names: frozenset[str],
    ) -> None:
        super().__init__(shape, of_row, part, store, open_names)
        self._book = book
        self._operands = _operands(bare(shape.node))
        #: The rows that it says nothing about.
        self._outside = store.everything.bits ^ part.bits

    def verdict(self, partner: Partner) -> Verdict:
        """For which rows it holds against a partner."""
        found = self.known(partner)
        if found is None:
            way, plan = self.planned(partner)
            found = self._evaluate(plan, partner)
            found.rule_out(self._outside, self._store.everything.bits)
            way.keep(partner, found)
        return found

    def _evaluate(self, plan: Plan, partner: Partner) -> Verdict:
        if self._operands and not plan.opaque and plan.wide:
            composed = self._composed(partner, plan.columns)
            if composed is not None:
                return composed
        sampler = Sampler(self.shape, self.of_row, partner)

        def judge(group: Group) -> Verdict:
            return verdict_of(group.part, *sampler.judged(group))

        if len(plan.groups) == 1 and not plan.opaque:
            found = judge(plan.groups[0])
            found.columns = plan.columns
        else:
            parts = [group.result(partner, judge) for group in plan.groups if not group.opaque]
            found = Verdict(*in_one(parts, self.part.bits), plan.opaque, plan.columns)
            found.count(self.part.bits)
        found.chance = plan.random
        return found

    # --- logic ----------------------------------------------------------------------------------

    def _composed(self, partner: Partner, columns: frozenset[str]) -> Verdict | None:
        """The verdict from those of the operands; None if some rows have to be asked."""
        node = bare(self.shape.node)
        parts = [self._operand(operand).verdict(partner) for operand in self._operands]
        if any(part.opaque for part in parts):
            return None
        found = self._logic(node, parts, columns)
        found.count(parts[0].decided)
        return found

    def _logic(self, node: Any, parts: list[Verdict], columns: frozenset[str]) -> Verdict:
        if len(parts) == 1:
            (a,) = parts
            return Verdict(a.false, a.decided, a.bad, 0, columns)
        if len(parts) == 3:
            c, a, b = parts
            true = c.true & a.true | c.false & b.true
            decided = c.bad | c.true & a.decided | c.false & b.decided
            return Verdict(true, decided, c.bad | c.true & a.bad | c.false & b.bad, 0, columns)
        a, b = parts
        if isinstance(node, Binary) and node.operator == "&&":
            true, bad = a.true & b.true, a.bad | without(b.bad, a.false)
            settled = a.false | b.false
        else:
            true, bad = a.true | without(b.true, a.bad), a.bad | without(b.bad, a.true)
            settled = true
        # Where both are decided so is the result; where one is not, only if the other decides.
        decided = a.decided if a.decided == b.decided else a.decided & b.decided | settled | bad
        return Verdict(true, decided, bad, 0, columns)

    def _operand(self, node: Any) -> Predicate:
        shape = self._store.shapes.of_part(node)
        return self._book.predicate(shape, self.of_row, self.part, self._open)


def _operands(node: Any) -> tuple[Any, ...]:
    """The operands of an expression that is one of logic; of others none."""
    if isinstance(node, Binary) and node.operator in LOGIC:
        return (node.left, node.right)
    if isinstance(node, Unary) and node.operator == "!":
        return (node.operand,)
    if isinstance(node, Conditional):
        return (node.condition, node.then, node.otherwise)
    choice = isinstance(node, Call) and form_of(node.name, len(node.args)) is Form.CHOICE
    return node.args if choice else ()


class Book:
    """The predicates of a table, one for equal expressions."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self.store = store
        self.budget = budget
        self._predicates: Notes[object, Predicate] = Notes(budget)

    def predicate(
        self, shape: Shape, of_row: bool, part: Part, open_names: frozenset[str] = frozenset()
    ) -> Predicate:
        """The predicate of an expression for a part."""
        key = (shape.uid, of_row, part.uid, open_names)
        found = self._predicates.get(key)
        if found is None:
            found = Predicate(shape, of_row, part, self.store, self, open_names)
            self._predicates.keep(key, found, 1000)
        return found

    def give(self, name: str, cells: Sequence[Any] | Column) -> None:
        """Let rows have something that their ads have not."""
        if self.store.give(name, cells):
            self.forget({name})

    def forget(self, names: set[str] | None, split: set[str] | None = None) -> None:
        """Columns have changed; None: expressions in them, so everything is to be found anew.

        ``split``: the columns in which expressions have changed, where that is known.
        """
        if names is None:
            self._predicates.drop()
            self.budget.clear()
            return
        for predicate in self._predicates.values():
            predicate.forget(names, split)


__all__ = ["Book", "Predicate", "Verdict"]
