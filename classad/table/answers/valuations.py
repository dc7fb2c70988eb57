"""Valuations: what an expression is for every row, kept as codes or numbers.

What is decided here: when a valuation found before still holds; that what an operator makes of two
operands needs to be known once for each pair of their values, where these are fewer than the
combinations of all that the expression mentions.
Inputs: expressions, partners.  Outputs: codes with values, arrays of doubles.
Never here: how a value becomes a number (an argument), order, what an operator means.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final
from weakref import WeakValueDictionary

from classad.ads.expression import Expression as ExprTree
from classad.binding.ad import ClassAd
from classad.evaluate import evaluate
from classad.evaluation.state import EvalContext
from classad.language.operators import ARITHMETIC, BINARY, EQUALITY, EXACT, ORDER
from classad.language.values import UNDEFINED
from classad.syntax.nodes import Binary
from classad.table.answers.predicates import kind_of
from classad.table.answers.results import Held, Told, Valuation, Variant, columns_of, is_wide
from classad.table.answers.sums import Convert, Sums
from classad.table.answers.verdicts import SEVERAL
from classad.table.arrays.arrays import number_pairs, pick, pick_numbers, rows_of
from classad.table.arrays.doubles import Doubles
from classad.table.dependence.partner import Partner, key_of
from classad.table.dependence.plans import Group, Plan, make_plan
from classad.table.expressions.shapes import Shape, bare
from classad.table.memory.budget import Budget, Notes
from classad.table.sampling.sampler import Sampler
from classad.table.store.columns import PLAIN
from classad.table.store.parts import Joint
from classad.table.store.store import Store

#: Codes that are kept for other partners.
_ARRANGED: Final = 50
#: Values up to which it is looked for an equal valuation.
_ALIKE: Final = 200
#: Operators that look at both operands, and give an error for an error.
_STRICT: Final = ARITHMETIC | ORDER | EQUALITY
_NUMBERS: Final = frozenset({bool, int, float})


class Valuations:
    """The valuations of a table."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self._store = store
        self._budget = budget
        self._variants: Notes[tuple[int, bool], list[Variant]] = Notes(budget)
        self._places: Notes[tuple[int, ...], array[int]] = Notes(budget)
        #: The codes of plans by their groups.
        self._codes: Notes[Any, array[int]] = Notes(budget)
        #: Valuations by what they consist of, as long as somebody holds them.
        self._alike: WeakValueDictionary[Any, Valuation] = WeakValueDictionary()
        self.sums = Sums(self, budget)

    def forget(self, names: set[str] | None, split: set[str] | None = None) -> None:
        """Columns have changed; None: all of them; ``split``: those whose expressions have."""
        for variants in self._variants.values():
            for variant in variants:
                for home in (variant.valuations, variant.sums):
                    self._budget.drop(
                        home, lambda held: names is None or not held.columns.isdisjoint(names)
                    )
                for group in [group for plan in variant.plans.values() for group in plan.groups]:
                    if names is None or not names.isdisjoint(group.columns):
                        self._budget.drop(group.told)
        self._alike.clear()
        self._codes.drop()
        self._places.drop()
        self.sums.forget()
        if names is None:
            self._variants.drop()
        elif split:
            for variants in self._variants.values():
                for variant in variants:
                    if any(_uses(plan, split) for plan in variant.plans.values()):
                        variant.plans.drop()

    def numbers(
        self,
        tree: ExprTree,
        of_row: bool,
        partner: Partner,
        convert: Convert,
        wanted: int,
    ) -> array[float]:
        """What an expression is for every row, converted.

        ``wanted``: the rows that matter, which are asked one by one if need be.
        """
        held, table, codes = self._coded(tree, of_row, partner, convert, wanted)
        if codes is None:
            return table
        found = held.result.numbers.get(convert)
        if found is None:
            found = held.result.numbers[convert] = pick_numbers(table, codes)
            self._grown(held, found)
        return found

    def coded_numbers(
        self,
        tree: ExprTree,
        of_row: bool,
        partner: Partner,
        convert: Convert,
        wanted: int,
    ) -> tuple[array[float], array[int] | None]:
        """The same as numbers by code and the code of every row; None: a number for each row."""
        _, table, codes = self._coded(tree, of_row, partner, convert, wanted)
        return table, codes

    def _coded(
        self,
        tree: ExprTree,
        of_row: bool,
        partner: Partner,
        convert: Convert,
        wanted: int,
    ) -> tuple[Held, array[float], array[int] | None]:
        shape = self._store.shapes.of_tree(tree)
        odd = self._store.odd_for(partner.ad)
        held = None if odd else self.sums.find(shape, of_row, partner, convert)
        held = held or self._find(shape, of_row, partner)
        found = held.result
        table = found.tables.get(convert)
        if table is None:
            if isinstance(found, Doubles):
                table = convert.of_doubles(found.values)  # type: ignore[attr-defined]
                found.values = None
            else:
                table = _converted(found.values, convert)
            found.tables[convert] = table
            self._grown(held, table)
        if isinstance(found, Valuation):
            odd |= found.odd
        if not odd:
            return held, table, found.codes
        assert found.codes is not None
        out = pick_numbers(table, found.codes)
        for row in rows_of(odd & wanted):
            out[row] = convert(self._ask(tree, of_row, partner.ad, row, partner.context))
        return held, out, None

    def _grown(self, held: Held, numbers: array[float]) -> None:
        held.cost += 8 * len(numbers)
        self._budget.spent += 8 * len(numbers)

    def codes(
        self, tree: ExprTree, of_row: bool, partner: Partner, bits: int
    ) -> tuple[array[int], list[Any]]:
        """What an expression is for every row."""
        found = self.valuation(self._store.shapes.of_tree(tree), of_row, partner)
        values = _Values()
        numbers = array("i", map(values.number, found.values))
        codes = pick(numbers, found.codes)
        odd = found.odd | self._store.odd_for(partner.ad)
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

    def variants(self, shape: Shape, of_row: bool) -> list[Variant]:
        """The ways in which an expression has depended on partners."""
        found = self._variants.get((shape.uid, of_row))
        if found is None:
            found = self._variants.keep((shape.uid, of_row), [], 800)
        return found

    def valuation(self, shape: Shape, of_row: bool, partner: Partner) -> Valuation:
        """What an expression is for every row."""
        found = self._find(shape, of_row, partner).result
        assert isinstance(found, Valuation)
        return found

    def _find(self, shape: Shape, of_row: bool, partner: Partner) -> Held:
        variants = self.variants(shape, of_row)
        for variant in variants:
            held = variant.valuations.get(variant.key(partner))
            if held is not None:
                held.used = self._budget.now
                return held
        variant, plan = self.planned(shape, of_row, partner, variants)
        found = self._make(shape, of_row, partner, plan)
        held = Held(found, found.cost)
        self._budget.add(variant.valuations, variant.key(partner), held)
        return held

    def planned(
        self, shape: Shape, of_row: bool, partner: Partner, variants: list[Variant]
    ) -> tuple[Variant, Plan]:
        """The plan, which is the same for partners that differ in plain values only."""
        for variant in variants:
            kinds = tuple([kind_of(partner.key(name)) for name in variant.asked])
            known = variant.plans.get(kinds)
            if known is not None:
                return variant, known
        plan = make_plan(shape, of_row, self._store.everything, partner, self._store)
        for variant in variants:
            if (variant.asked, variant.clock) == (plan.asked, plan.clock):
                break
        else:
            variant = Variant(plan, self._budget)
            variants.append(variant)
        kinds = tuple([kind_of(partner.key(name)) for name in plan.asked])
        size = 2000 + len(plan.groups) * (1500 + 800 * shape.size)
        variant.plans.keep(kinds, plan, size)
        return variant, plan

    def _make(self, shape: Shape, of_row: bool, partner: Partner, plan: Plan) -> Valuation:
        columns = columns_of(plan)
        node = bare(shape.node)
        if (
            node.__class__ is Binary
            and node.operator in _STRICT
            and not any(group.odd for group in plan.groups)
            and is_wide(plan)
        ):
            left, right = (
                self.valuation(self.operand(side), of_row, partner)
                for side in (node.left, node.right)
            )
            return _combined(node.operator, left, right, columns)
        return self._sampled(Sampler(shape, of_row, partner, None), plan, columns)

    def operand(self, node: Any) -> Shape:
        """The shape of an operand."""
        return self._store.shapes.of_part(node)

    def _sampled(self, sampler: Sampler, plan: Plan, columns: frozenset[str]) -> Valuation:
        """The valuation by evaluating what the groups of the plan say."""
        joints: list[Joint | None] = []
        odd = 0
        values: list[Any] = [None] if any(group.odd for group in plan.groups) else []
        first: list[int] = []
        for group in plan.groups:
            if group.odd:
                odd |= group.part.bits
                joints.append(None)
                first.append(0)
                continue
            told = self._told(sampler, plan, group)
            joints.append(told.joint)
            first.append(len(values))
            values += told.results
        alike = None if odd else _told_apart(plan, values)
        found = None if alike is None else self._alike.get(alike)
        if found is None:
            codes, shared = self._placed(plan, joints, first)
            found = Valuation(codes, values, odd, columns)
            found.shared = shared
            if alike is not None:
                found.alike = alike
                self._alike[alike] = found
        return found

    def _told(self, sampler: Sampler, plan: Plan, group: Group) -> Told:
        """What a group says; one of several keeps it for partners that are the same to it."""
        if len(plan.groups) < SEVERAL or plan.clock:
            return Told(*sampler.results(group)[:2])
        key = key_of(group.asked)(sampler.partner.keys)
        told: Told | None = group.told.get((key,))
        if told is None:
            told = Told(*sampler.results(group)[:2])
            self._budget.add(group.told, (key,), told)
        else:
            told.used = self._budget.now
        return told

    def _placed(
        self, plan: Plan, joints: Sequence[Joint | None], first: Sequence[int]
    ) -> tuple[array[int], bool]:
        """The codes of the groups in the order of the rows; whether others have the same.

        ``first``: the first code of each group.  They are the same for all partners.
        """
        key = tuple(
            [
                (group.part.uid, start, None if joint is None else group.columns)
                for group, joint, start in zip(plan.groups, joints, first, strict=True)
            ]
        )
        known = self._codes.get(key)
        shared = known is not None
        if known is None:
            pieces = [
                array("i", (start,)) * group.part.bits.bit_count()
                if joint is None
                else pick(array("i", range(start, start + len(joint.samples))), joint.codes)
                for group, joint, start in zip(plan.groups, joints, first, strict=True)
            ]
            if len(self._codes) >= _ARRANGED:
                self._codes.drop()
            known = self._in_place(plan, pieces)
            self._codes.keep(key, known, 300 + 4 * len(known))
        return known, shared

    def _in_place(self, plan: Plan, pieces: Sequence[array[int]]) -> array[int]:
        """What the groups have one after the other, in the order of the rows."""
        if len(pieces) == 1:
            return pieces[0]
        whole = array("i")
        for piece in pieces:
            whole.extend(piece)
        key = tuple([group.part.uid for group in plan.groups])
        places = self._places.get(key)
        if places is None:
            places = array("i", bytes(4 * len(whole)))
            self._places.keep(key, places, 300 + 4 * len(whole))
            rows = (row for group in plan.groups for row in group.part.rows or ())
            for place, row in enumerate(rows):
                places[row] = place
        return pick(whole, places)


def _told_apart(plan: Plan, values: list[Any]) -> Any:
    """What tells a valuation from others; None if there are too many values to look at."""
    if len(values) > _ALIKE or any(value.__class__ not in PLAIN for value in values):
        return None
    where = tuple([(group.part.uid, group.columns) for group in plan.groups])
    told = [(v.__class__, repr(v) if v.__class__ is float else v) for v in values]
    return where, tuple(told)


def _uses(plan: Plan, names: set[str]) -> bool:
    return any(not names.isdisjoint(group.columns) for group in plan.groups)


def _combined(
    operator: str, left: Valuation, right: Valuation, columns: frozenset[str]
) -> Valuation:
    """What an operator makes of two operands."""
    codes, first = number_pairs(left.codes, right.codes)
    one = list(map(left.values.__getitem__, pick(left.codes, first)))
    other = list(map(right.values.__getitem__, pick(right.codes, first)))
    operate = BINARY[operator].implementation
    compute = EXACT.get(operator)
    if compute is not None:
        values = [
            compute(a, b) if a.__class__ in _NUMBERS and b.__class__ in _NUMBERS else operate(a, b)
            for a, b in zip(one, other, strict=True)
        ]
        if _within_range(values):
            return Valuation(codes, values, 0, columns)
    return Valuation(codes, list(map(operate, one, other)), 0, columns)


def _within_range(values: list[Any]) -> bool:
    """Whether no number is too large to be what Python makes of it."""
    whole = [value for value in values if value.__class__ is int]
    if whole and not (min(whole) >= -(2**63) and max(whole) < 2**63):
        return False
    return math.inf not in values


def _converted(values: Iterable[Any], convert: Convert) -> array[float]:
    """The numbers of values; those that no row has are None, which is no value."""
    there = [UNDEFINED if value is None else value for value in values]
    many: Callable[[list[Any]], array[float]] | None = getattr(convert, "many", None)
    return many(there) if many is not None else array("d", map(convert, there))


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
