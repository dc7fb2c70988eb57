"""Predicates: for which rows an expression is true, false or an error, as bits.

What is decided here: how the bits of an expression follow from those of its operands, for the
logical operators, and when that is worth while; when a result found before still holds.  An
evaluation that fails counts as an error, which nothing in logic that gets to see it makes true.
Inputs: shapes, parts, partners.  Outputs: ``Verdict`` objects.
Never here: the value of anything but ``&& || ! ?:`` and ``ifThenElse``.
Follows: the tables of logic in classad/language/operators.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from classad.evaluation.functions import Form, form_of
from classad.language.operators import COMPARISONS, LOGIC
from classad.syntax.nodes import Binary, Call, Conditional, Unary
from classad.table.answers.verdicts import Verdict, Way, in_one, verdict_of
from classad.table.arrays.arrays import without
from classad.table.dependence.partner import Asked, Partner, key_of
from classad.table.dependence.plans import Plan, make_plan
from classad.table.expressions.shapes import Shape, bare
from classad.table.memory.budget import Budget, Notes
from classad.table.sampling.sampler import Sampler, logical
from classad.table.store.columns import Column
from classad.table.store.parts import Part
from classad.table.store.store import Store

#: Combinations from which on it matters for which rows a verdict is wanted.
_COSTLY: Final = 256


class _Variant:
    """Verdicts that depend on the same names of the partner."""

    __slots__ = ("asked", "clock", "key_of", "verdicts", "ways")

    def __init__(self, plan: Plan, budget: Budget) -> None:
        self.asked = plan.asked
        self.key_of = key_of(plan.asked)
        self.clock = plan.clock
        self.verdicts: dict[tuple[Any, ...], Verdict] = {}
        self.ways: Notes[tuple[Any, ...], Way] = Notes(budget)

    def forget(self, budget: Budget, unwanted: Callable[[Verdict], bool] | None) -> None:
        """Columns have changed."""
        budget.drop(self.verdicts, unwanted)
        for way in self.ways.values():
            way.forget(budget)


class Predicate:
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
        self.shape = shape
        self.of_row = of_row
        self.part = part
        self.columns: set[str] = set()
        self._store = store
        self._book = book
        self._open = open_names
        self._operands = _operands(bare(shape.node))
        self.variants: list[_Variant] = []
        #: The rows that it says nothing about.
        self.outside = store.everything.bits ^ part.bits

    def verdict(self, partner: Partner, within: int | None = None) -> Verdict:
        """For which rows it holds against a partner.

        ``within``: of others it need not tell the first time, if that saves much.
        """
        found = self.known(partner)
        if found is None:
            return self._make(partner, within)
        if found.within is None or (within is not None and within & found.within == within):
            return found
        return self._make(partner, None)

    def known(self, partner: Partner) -> Verdict | None:
        """The verdict, if it has been found before; perhaps of some rows only."""
        keys = partner.keys
        for variant in self.variants:
            key = variant.key_of(keys)
            if variant.clock:
                key = (key, partner.context.now, partner.context.tz)
            found = variant.verdicts.get(key)
            if found is not None:
                found.used = self._book.budget.now
                return found
        return None

    def effort(self, partner: Partner) -> int:
        """How many evaluations its verdict would take, about, if it is not known."""
        if self.shape.uid in self._book.light:
            return 1
        return self._effort(self._planned(partner)[1])

    def _effort(self, way: Way) -> int:
        if not way.effort:
            node = bare(self.shape.node)
            compares = node.__class__ is Binary and node.operator in COMPARISONS
            most = 1
            for group in way.plan.groups:
                varying = [name for name in group.columns if not group.part.constant(name)]
                few = not varying or (compares and len(varying) == 1)
                if not (group.odd or few or len(varying) > 3):
                    most = max(most, len(group.part.joint(tuple(varying)).samples))
            if most == 1:
                self._book.light.add(self.shape.uid)
            way.effort = most
        return way.effort

    def _make(self, partner: Partner, within: int | None) -> Verdict:
        variant, way = self._planned(partner)
        key = variant.key_of(partner.keys)
        if variant.clock:
            key = (key, partner.context.now, partner.context.tz)
        alone = way.alone
        if alone is not None:
            sampler = Sampler(self.shape, self.of_row, partner, logical)
            found = way.answer(sampler.value(alone), self.part, self.outside)
        else:
            if within is not None and self._effort(way) <= _COSTLY:
                within = None
            found = self._evaluate(way, partner, within)
            passing = found.true
            if found.odd or self.outside:
                passing |= found.odd | self.outside
                found.cost += passing.bit_length() // 7
            found.passing = None if passing == self._store.everything.bits else passing
        self._book.budget.add(variant.verdicts, key, found)
        return found

    def _planned(self, partner: Partner) -> tuple[_Variant, Way]:
        """The plan, which is the same for partners that differ in plain values only."""
        keys = partner.keys
        for variant in self.variants:
            known = variant.ways.get(tuple([kind_of(keys[name]) for name in variant.asked]))
            if known is not None:
                return variant, known
        plan = make_plan(self.shape, self.of_row, self.part, partner, self._store, self._open)
        for variant in self.variants:
            if (variant.asked, variant.clock) == (plan.asked, plan.clock):
                break
        else:
            variant = _Variant(plan, self._book.budget)
            self.variants.append(variant)
        kinds = tuple([kind_of(keys[name]) for name in plan.asked])
        size = 2000 + len(plan.groups) * (1500 + 800 * self.shape.size)
        way = variant.ways.keep(kinds, Way(plan), size)
        self.columns |= way.columns
        return variant, way

    def _evaluate(self, way: Way, partner: Partner, within: int | None) -> Verdict:
        sampler = Sampler(self.shape, self.of_row, partner, logical)
        groups = way.plan.groups
        if self._operands and not way.odd and way.wide:
            at_once = sampler.at_once(groups[0]) if len(groups) == 1 else None
            if at_once is not None:
                found = verdict_of(groups[0].part, at_once)
                found.columns = way.columns
                return found
            composed = self._composed(partner, way.columns, within)
            if composed is not None:
                return composed
        verdicts: list[Verdict] = []
        whole = True
        for place, group in enumerate(groups):
            if group.odd:
                continue
            key, told = way.told(place, partner)
            if told is None:
                results = sampler.results(group, within)
                told = verdict_of(group.part, results)
                whole &= results.whole
                if key is not None and results.whole:
                    self._book.budget.add(group.told, key, told)
            else:
                told.used = self._book.budget.now
            verdicts.append(told)
        found = Verdict(*in_one(verdicts, self.part.bits), way.odd, way.columns)
        found.count(groups[0].part.bits if len(groups) == 1 else self.part.bits)
        found.chance = way.plan.random
        found.within = None if whole else within
        return found

    # --- logic ----------------------------------------------------------------------------------

    def _composed(
        self, partner: Partner, columns: frozenset[str], within: int | None
    ) -> Verdict | None:
        """The verdict from those of the operands; None if some rows have to be asked."""
        node = bare(self.shape.node)
        parts = [self._operand(operand).verdict(partner, within) for operand in self._operands]
        if any(part.odd for part in parts):
            return None
        found = self._logic(node, parts, columns)
        found.count(parts[0].told)
        found.within = within if any(part.within is not None for part in parts) else None
        return found

    def _logic(self, node: Any, parts: list[Verdict], columns: frozenset[str]) -> Verdict:
        if len(parts) == 1:
            (a,) = parts
            return Verdict(a.false, a.told, a.bad, 0, columns)
        if len(parts) == 3:
            c, a, b = parts
            true = c.true & a.true | c.false & b.true
            told = c.bad | c.true & a.told | c.false & b.told
            return Verdict(true, told, c.bad | c.true & a.bad | c.false & b.bad, 0, columns)
        a, b = parts
        if isinstance(node, Binary) and node.operator == "&&":
            true, bad = a.true & b.true, a.bad | without(b.bad, a.false)
            settled = a.false | b.false
        else:
            true, bad = a.true | without(b.true, a.bad), a.bad | without(b.bad, a.true)
            settled = true
        # Where both are told so is the result; where one is not, only if the other decides.
        told = a.told if a.told == b.told else a.told & b.told | settled | bad
        return Verdict(true, told, bad, 0, columns)

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


def kind_of(key: Any) -> Any:
    """What of a partner's attribute matters to a plan: of a plain value that there is one."""
    return key is not None and (key[0].__class__ is type or key)


class Book:
    """The predicates of a table, one for equal expressions."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self.store = store
        self.budget = budget
        self._predicates: Notes[Any, Predicate] = Notes(budget)
        #: Shapes that have never taken many evaluations.
        self.light: set[int] = set()

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
            self.light.clear()
            self.budget.clear()
            return
        for predicate in self._predicates.values():
            if predicate.columns.isdisjoint(names):
                continue
            if split and not predicate.columns.isdisjoint(split):
                for variant in predicate.variants:
                    variant.forget(self.budget, None)
                predicate.variants.clear()
                predicate.columns.clear()
                continue
            for variant in predicate.variants:
                variant.forget(self.budget, lambda v: not v.columns.isdisjoint(names))


__all__ = ["Asked", "Book", "Predicate", "Verdict"]
