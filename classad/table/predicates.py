"""Predicates: for which rows an expression is true, false or an error, as bits.

What is decided here: how the bits of an expression follow from those of its operands, for the
logical operators, and when that is worth while; when a result found before still holds.  An
evaluation that fails counts as an error, which nothing in logic that gets to see it makes true.
Inputs: shapes, parts, partners.  Outputs: ``Verdict`` objects.
Never here: the value of anything but ``&& || ! ?:`` and ``ifThenElse``.
Follows: the tables of logic in classad/operators.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from classad.nodes import Binary, Call, Conditional, Unary
from classad.scopes import fold_name
from classad.table.budget import Budget
from classad.table.columns import Column
from classad.table.comparisons import COMPARISONS, bare
from classad.table.moving import flag
from classad.table.partner import Asked, Partner, counts_as_value, key_of
from classad.table.parts import Part
from classad.table.plans import Plan, make_plan
from classad.table.shapes import Shape
from classad.table.store import Store
from classad.table.tables import BAD, FALSE, TRUE, Sampler, logical

#: Combinations from which on it matters for which rows a verdict is wanted.
_COSTLY: Final = 256
#: Combinations up to which an expression is evaluated as a whole.
_WHOLE: Final = 64


class Verdict:
    """What an expression is for the rows of a part: bits of those where it is true, false, error.

    ``odd``: rows that have to be asked one by one; they are in none of the others.  ``columns``:
    what the verdict was made from.  ``chance``: asking the odd rows draws random numbers.
    """

    __slots__ = (
        "bad", "chance", "columns", "cost", "false", "odd", "passing", "true", "used", "within"
    )  # fmt: skip

    def __init__(
        self, true: int, false: int, bad: int, odd: int = 0, columns: frozenset[str] = frozenset()
    ) -> None:
        self.true = true
        self.false = false
        self.bad = bad
        self.odd = odd
        self.columns = columns
        self.chance = False
        #: The rows that it tells of; None for all.
        self.within: int | None = None
        #: The rows of the whole table that it does not rule out; None for all.
        self.passing: int | None = None
        self.used = 0
        bits = true.bit_length() + false.bit_length() + bad.bit_length() + odd.bit_length()
        self.cost = 300 + bits // 7


class _Variant:
    """Verdicts that depend on the same names of the partner."""

    __slots__ = ("asked", "clock", "key_of", "plans", "verdicts")

    def __init__(self, plan: Plan) -> None:
        self.asked = plan.asked
        self.key_of = key_of(plan.asked)
        self.clock = plan.clock
        self.verdicts: dict[tuple[Any, ...], Verdict] = {}
        self.plans: dict[tuple[Any, ...], Plan] = {}


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
        if found.within is None or (within is not None and not within & ~found.within):
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
        """How many evaluations its verdict would take, about."""
        known = self.known(partner)
        if known is not None and known.within is None:
            return 0
        if self.shape.uid in self._book.light:
            return 1
        return self._effort(self._planned(partner)[1])

    def _effort(self, plan: Plan) -> int:
        node = bare(self.shape.node)
        compares = node.__class__ is Binary and node.operator in COMPARISONS
        most = 1
        for group in plan.groups:
            varying = [name for name in group.columns if not group.part.constant(name)]
            if group.odd or len(varying) > 3 or not varying or (compares and len(varying) == 1):
                continue
            most = max(most, len(group.part.joint(tuple(varying)).samples))
        if most == 1:
            self._book.light.add(self.shape.uid)
        return most

    def _make(self, partner: Partner, within: int | None) -> Verdict:
        variant, plan = self._planned(partner)
        key = variant.key_of(partner.keys)
        if variant.clock:
            key = (key, partner.context.now, partner.context.tz)
        if within is not None and self._effort(plan) <= _COSTLY:
            within = None
        found = self._evaluate(plan, partner, within)
        passing = found.true | found.odd | self.outside
        found.passing = None if passing == self._store.everything.bits else passing
        self._book.budget.add(variant.verdicts, key, found)
        return found

    def _planned(self, partner: Partner) -> tuple[_Variant, Plan]:
        """The plan, which is the same for partners that differ in plain values only."""
        for variant in self.variants:
            kinds = tuple([kind_of(partner.key(name)) for name in variant.asked])
            known = variant.plans.get(kinds)
            if known is not None:
                return variant, known
        plan = make_plan(self.shape, self.of_row, self.part, partner, self._store, self._open)
        for variant in self.variants:
            if (variant.asked, variant.clock) == (plan.asked, plan.clock):
                break
        else:
            variant = _Variant(plan)
            self.variants.append(variant)
        variant.plans[tuple([kind_of(partner.key(name)) for name in plan.asked])] = plan
        return variant, plan

    def _evaluate(self, plan: Plan, partner: Partner, within: int | None) -> Verdict:
        columns = frozenset[str]().union(*(group.columns for group in plan.groups))
        self.columns |= columns
        if not any(group.odd for group in plan.groups) and self._is_wide(plan):
            found = self._composed(partner, columns, within)
            if found is not None:
                return found
        sampler = Sampler(self.shape, self.of_row, partner, logical)
        true = false = bad = odd = 0
        whole = True
        for group in plan.groups:
            part = group.part
            if group.odd:
                odd |= part.bits
                continue
            joint, results, all_told = sampler.results(group, within)
            whole &= all_told
            if joint is None:
                bits = [part.bits if results[0] == wanted else 0 for wanted in (TRUE, FALSE, BAD)]
            else:
                bits = [
                    _flagged(joint.codes, part, results, wanted) for wanted in (TRUE, FALSE, BAD)
                ]
            true, false, bad = true | bits[0], false | bits[1], bad | bits[2]
        found = Verdict(true, false, bad, odd, columns)
        found.chance = plan.random
        found.within = None if whole else within
        return found

    # --- logic ----------------------------------------------------------------------------------

    def _is_wide(self, plan: Plan) -> bool:
        """Whether there are too many combinations to evaluate them all."""
        for group in plan.groups:
            size = 1
            for name in group.columns:
                size *= group.part.cardinality(name)
            if size > _WHOLE:
                return True
        return False

    def _composed(
        self, partner: Partner, columns: frozenset[str], within: int | None
    ) -> Verdict | None:
        """The verdict from those of the operands, if the expression is one of logic."""
        node = bare(self.shape.node)
        if isinstance(node, Binary) and node.operator in ("&&", "||"):
            operands: tuple[Any, ...] = (node.left, node.right)
        elif isinstance(node, Unary) and node.operator == "!":
            operands = (node.operand,)
        elif isinstance(node, Conditional):
            operands = (node.condition, node.then, node.otherwise)
        elif isinstance(node, Call) and fold_name(node.name) == "ifthenelse":
            operands = node.args
            if len(operands) != 3:
                return None
        else:
            return None
        parts = [self._operand(operand).verdict(partner, within) for operand in operands]
        if any(part.odd for part in parts):
            return None
        found = self._logic(node, parts, columns)
        found.within = within if any(part.within is not None for part in parts) else None
        return found

    def _logic(self, node: Any, parts: list[Verdict], columns: frozenset[str]) -> Verdict:
        if len(parts) == 1:
            (a,) = parts
            return Verdict(a.false, a.true, a.bad, 0, columns)
        if len(parts) == 3:
            c, a, b = parts
            true = c.true & a.true | c.false & b.true
            false = c.true & a.false | c.false & b.false
            return Verdict(true, false, c.bad | c.true & a.bad | c.false & b.bad, 0, columns)
        a, b = parts
        if isinstance(node, Binary) and node.operator == "&&":
            false = a.false | b.false & ~a.bad
            return Verdict(a.true & b.true, false, a.bad | b.bad & ~a.false, 0, columns)
        true = a.true | b.true & ~a.bad
        return Verdict(true, a.false & b.false, a.bad | b.bad & ~a.true, 0, columns)

    def _operand(self, node: Any) -> Predicate:
        shape = self._book.part_shape(self.shape, node)
        return self._book.predicate(shape, self.of_row, self.part, self._open)


def kind_of(key: Any) -> Any:
    """What of a partner's attribute matters to a plan: of a plain value that there is one."""
    return key is not None and (counts_as_value(key) or key)


#: Tables that leave a 1 where there was the result.
_ONLY: Final = {wanted: bytes(r == wanted for r in range(256)) for wanted in (TRUE, FALSE, BAD)}


def _flagged(codes: Any, part: Part, results: bytearray | bytes, wanted: int) -> int:
    """The rows with one of the results."""
    if wanted not in results:
        return 0
    table = bytes(results.translate(_ONLY[wanted]))
    if 0 not in table:
        return part.bits
    return flag(codes, part.rows, table, part.size)


class Book:
    """The predicates of a table, one for equal expressions."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self.store = store
        self.budget = budget
        self._predicates: dict[Any, Predicate] = {}
        #: Shapes that have never taken many evaluations.
        self.light: set[int] = set()
        self._part_shapes: dict[int, tuple[Any, Shape]] = {}

    def predicate(
        self, shape: Shape, of_row: bool, part: Part, open_names: frozenset[str] = frozenset()
    ) -> Predicate:
        """The predicate of an expression for a part."""
        key = (shape.uid, of_row, part.uid, open_names)
        found = self._predicates.get(key)
        if found is None:
            found = Predicate(shape, of_row, part, self.store, self, open_names)
            self._predicates[key] = found
        return found

    def give(self, name: str, cells: Sequence[Any] | Column) -> None:
        """Let rows have something that their ads have not."""
        if self.store.give(name, cells):
            self.forget({name})

    def part_shape(self, whole: Shape, node: Any) -> Shape:
        """The shape of an operand of a shape."""
        known = self._part_shapes.get(id(node))
        if known is None:
            from classad.unparse import unparse

            shape = self.store.shapes.of_node(node, (unparse(node), -1))
            known = self._part_shapes[id(node)] = (node, shape)
        return known[1]

    def forget(self, names: set[str] | None, split: set[str] | None = None) -> None:
        """Columns have changed; None: expressions in them, so everything is to be found anew.

        ``split``: the columns in which expressions have changed, where that is known.
        """
        if names is None:
            self._predicates.clear()
            self.light.clear()
            self.budget.clear()
            return
        for predicate in self._predicates.values():
            if predicate.columns.isdisjoint(names):
                continue
            if split and not predicate.columns.isdisjoint(split):
                for variant in predicate.variants:
                    self.budget.drop(variant.verdicts, lambda _: True)
                predicate.variants.clear()
                predicate.columns.clear()
                continue
            for variant in predicate.variants:
                self.budget.drop(variant.verdicts, lambda v: not v.columns.isdisjoint(names))


__all__ = ["Asked", "Book", "Predicate", "Verdict"]
