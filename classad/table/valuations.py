"""Valuations: what an expression is for every row, kept as codes or numbers.

What is decided here: when a valuation found before still holds.
Inputs: expressions, partners.  Outputs: codes with values, arrays of doubles.
Never here: how a value becomes a number (an argument), order.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from classad.ad import ClassAd
from classad.evaluate import evaluate
from classad.expr import ExprTree
from classad.state import EvalContext
from classad.table.budget import Budget
from classad.table.columns import PLAIN
from classad.table.moving import rows_of, spread
from classad.table.partner import Partner
from classad.table.plans import Plan, make_plan
from classad.table.shapes import Shape
from classad.table.store import Store
from classad.table.tables import Results, Sampler


class Valuation:
    """The results of each group of a plan, and the numbers made of them."""

    __slots__ = ("columns", "cost", "made", "numbers", "used")

    def __init__(self, plan: Plan, made: list[tuple[Any, Results | None]]) -> None:
        self.made = made
        self.columns = frozenset[str]().union(*(group.columns for group in plan.groups))
        self.numbers: dict[Callable[[Any], float], array[float]] = {}
        self.used = 0
        self.cost = 300 + 40 * sum(len(r.results) for _, r in made if r is not None)


class _Variant:
    __slots__ = ("asked", "clock", "odd", "valuations")

    def __init__(self, plan: Plan) -> None:
        self.asked = plan.asked
        self.clock = plan.clock
        self.valuations: dict[tuple[Any, ...], Valuation] = {}


class Valuations:
    """The valuations of a table."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self._store = store
        self._budget = budget
        self._variants: dict[tuple[int, bool], list[_Variant]] = {}

    def forget(self, names: set[str] | None) -> None:
        """Columns have changed; None: all of them."""
        for variants in self._variants.values():
            for variant in variants:
                self._budget.drop(
                    variant.valuations,
                    lambda v: names is None or not v.columns.isdisjoint(names),
                )
        if names is None:
            self._variants.clear()

    def numbers(
        self,
        tree: ExprTree,
        of_row: bool,
        partner: Partner,
        bits: int,
        convert: Callable[[Any], float],
    ) -> array[float]:
        """What an expression is for every row, converted."""
        found = self._find(tree, of_row, partner)
        known = found.numbers.get(convert)
        if known is not None:
            return known
        out = array("d", bytes(8 * self._store.size))
        odd = self._store.odd_for(partner.ad)
        for part, made in found.made:
            if made is None:
                odd |= part.bits
                continue
            results = array("d", [0.0 if r is None else convert(r) for r in made.results])
            if made.joint is None:
                codes = array("i", bytes(4 * part.bits.bit_count()))
            else:
                codes = made.joint.codes
            spread(codes, part.rows, results, out)
        for row in rows_of(odd & bits):
            out[row] = convert(self._ask(tree, of_row, partner.ad, row, partner.context))
        if not odd:
            found.numbers[convert] = out
            found.cost += 8 * len(out)
            self._budget.spent += 8 * len(out)
        return out

    def codes(
        self, tree: ExprTree, of_row: bool, partner: Partner, bits: int
    ) -> tuple[array[int], list[Any]]:
        """What an expression is for every row."""
        found = self._find(tree, of_row, partner)
        codes = array("i", bytes(4 * self._store.size))
        values = _Values()
        odd = self._store.odd_for(partner.ad)
        for part, made in found.made:
            if made is None:
                odd |= part.bits
                continue
            numbers = [values.number(result) for result in made.results]
            rows = range(part.size) if part.rows is None else part.rows
            if made.joint is None:
                for row in rows:
                    codes[row] = numbers[0]
            else:
                for row, code in zip(rows, made.joint.codes, strict=True):
                    codes[row] = numbers[code]
        for row in rows_of(odd & bits):
            value = self._ask(tree, of_row, partner.ad, row, partner.context)
            codes[row] = values.number(value)
        return codes, values.values

    def one_by_one(
        self, tree: ExprTree, of_row: bool, target: ClassAd | None, bits: int, context: EvalContext
    ) -> tuple[array[int], list[Any]]:
        """The same by asking every row."""
        codes = array("i", bytes(4 * self._store.size))
        values = _Values()
        for row in rows_of(bits):
            codes[row] = values.number(self._ask(tree, of_row, target, row, context))
        return codes, values.values or [None]

    def _ask(
        self, tree: ExprTree, of_row: bool, target: ClassAd | None, row: int, context: EvalContext
    ) -> Any:
        ad = self._store.ad(row)
        my, other = (ad, target) if of_row else (target, ad)
        return evaluate(tree, my, other, context=context)

    def _find(self, tree: ExprTree, of_row: bool, partner: Partner) -> Valuation:
        shape = self._store.shapes.of_tree(tree)
        variants = self._variants.setdefault((shape.uid, of_row), [])
        for variant in variants:
            found = variant.valuations.get(_key(variant, partner))
            if found is not None:
                found.used = self._budget.now
                return found
        return self._make(shape, of_row, partner, variants)

    def _make(
        self, shape: Shape, of_row: bool, partner: Partner, variants: list[_Variant]
    ) -> Valuation:
        plan = make_plan(shape, of_row, self._store.everything, partner, self._store)
        for variant in variants:
            if (variant.asked, variant.clock) == (plan.asked, plan.clock):
                break
        else:
            variant = _Variant(plan)
            variants.append(variant)
        sampler = Sampler(shape, of_row, partner, None)
        made = [
            (group.part, None if group.odd else sampler.results(group)) for group in plan.groups
        ]
        found = Valuation(plan, made)
        self._budget.add(variant.valuations, _key(variant, partner), found)
        return found


def _key(variant: _Variant, partner: Partner) -> tuple[Any, ...]:
    key = tuple([partner.key(name) for name in variant.asked])
    return (*key, partner.context.now, partner.context.tz) if variant.clock else key


class _Values:
    """Values by number, equal plain ones once."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        """The number of a value."""
        kind = value.__class__
        key: Any = id(value)
        if kind in PLAIN:
            key = (kind, repr(value)) if kind is float else (kind, value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.values)
            self.values.append(value)
        return number
