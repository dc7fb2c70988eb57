"""Sums and products of valuations as doubles, which is what ranks are wanted as.

What is decided here: what of an expression is added up column by column: sums and products that
have many values; anything else in them is evaluated as ever.  It is done once for each combination
of values that rows have, if these are fewer than the rows.  Partners for whom all of that has the
same values share one result.
Inputs: expressions, partners, valuations.  Outputs: doubles, or nothing where these do not do.
Never here: arithmetic (classad/table/arrays/doubles.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakValueDictionary

from classad.syntax.nodes import Binary
from classad.table.answers.results import Held, Valuation, columns_of, is_wide
from classad.table.arrays.arrays import number_pairs, pick
from classad.table.arrays.doubles import OPERATORS, Doubles, combined
from classad.table.dependence.partner import Partner
from classad.table.dependence.plans import Plan
from classad.table.expressions.shapes import Shape, bare
from classad.table.memory.budget import Budget, Notes

if TYPE_CHECKING:
    from classad.table.answers.valuations import Valuations

#: Makes the number of a value.
Convert = Callable[[Any], float]


#: Combinations of codes that are remembered.
_MANY: Final = 16


class _Term(NamedTuple):
    """A sum or product of two others, or what is none."""

    shape: Shape
    operator: str = ""
    left: _Term | None = None
    right: _Term | None = None


class _Joint(NamedTuple):
    """The combinations of several codes that rows have.

    ``given``: the codes, kept so that their identity stays their own; ``codes``: the combination of
    each row; ``parts``: for each of those given its code in each combination.
    """

    given: tuple[array[int], ...]
    codes: array[int]
    parts: list[array[int]]

    @classmethod
    def of(cls, given: tuple[array[int], ...]) -> _Joint:
        """The combinations."""
        codes, first = given[0], array("i")
        for other in given[1:]:
            codes, first = number_pairs(codes, other)
        return cls(given, codes, [pick(some, first) for some in given])


class Sums:
    """The sums and products of a table."""

    def __init__(self, valuations: Valuations, budget: Budget) -> None:
        self._valuations = valuations
        self._budget = budget
        #: Results by what they consist of, as long as somebody holds them.
        self._made: WeakValueDictionary[Any, Doubles] = WeakValueDictionary()
        self._terms: Notes[int, tuple[Plan, _Term]] = Notes(budget)
        self._joints: Notes[tuple[int, ...], _Joint] = Notes(budget)

    def forget(self) -> None:
        """Columns have changed."""
        self._joints.drop()
        self._made.clear()
        self._terms.drop()

    def find(self, shape: Shape, of_row: bool, partner: Partner, convert: Convert) -> Held | None:
        """The numbers of a sum or product; None if it is none, or doubles do not do."""
        node = bare(shape.node)
        if node.__class__ is not Binary or node.operator not in OPERATORS:
            return None
        variants = self._valuations.variants(shape, of_row)
        for variant in variants:
            key = variant.key(partner)
            held = variant.sums.get(key)
            if held is not None and isinstance(held.result, Doubles):
                if not held.result.serves(convert):
                    continue
                held.used = self._budget.now
                return held
            if key in variant.valuations:
                return None
        if not hasattr(convert, "of_doubles"):
            return None
        variant, plan = self._valuations.planned(shape, of_row, partner, variants)
        leaves = self._leaves(self._term(shape, of_row, partner), of_row, partner)
        found = self._find(shape, of_row, partner, plan, leaves, convert)
        if found is None:
            return None
        held = Held(found, 300)
        self._budget.add(variant.sums, variant.key(partner), held)
        return held

    def _find(
        self,
        shape: Shape,
        of_row: bool,
        partner: Partner,
        plan: Plan,
        leaves: list[Valuation],
        convert: Convert,
    ) -> Doubles | None:
        """The numbers, perhaps those that have been found for others before."""
        if len(leaves) == 1:
            return None
        # A leaf that is part of the key stays what it is meanwhile.
        parts = [leaf if leaf.alike is None else leaf.alike for leaf in leaves]
        signature = (shape.uid, of_row, *parts)
        found = self._made.get(signature)
        if found is not None and found.serves(convert):
            return found
        term, joint = self._term(shape, of_row, partner), self._joint(leaves)
        few = 2 * len(joint.parts[0]) < len(joint.codes)
        found = _doubles_of(term, _numbers_at(leaves, joint.parts) if few else _numbers_of(leaves))
        if found is not None:
            found.codes = joint.codes if few else None
            found.columns = columns_of(plan)
            self._made[signature] = found
        return found

    def _joint(self, leaves: list[Valuation]) -> _Joint:
        """The combinations of values that rows have; codes are often the same for many partners."""
        given = tuple([leaf.codes for leaf in leaves])
        key = tuple(map(id, given))
        found = self._joints.get(key)
        if found is None:
            if len(self._joints) >= _MANY:
                self._joints.drop()
            found = _Joint.of(given)
            self._joints.keep(key, found, 300 + 4 * len(found.codes) * (1 + len(given)))
        return found

    def _term(self, shape: Shape, of_row: bool, partner: Partner) -> _Term:
        """What an expression consists of."""
        variants = self._valuations.variants(shape, of_row)
        plan = self._valuations.planned(shape, of_row, partner, variants)[1]
        known = self._terms.get(id(plan))
        if known is None:
            node, term = bare(shape.node), _Term(shape)
            if (
                node.__class__ is Binary
                and node.operator in OPERATORS
                and not any(group.odd for group in plan.groups)
                and is_wide(plan)
            ):
                left, right = (
                    self._term(self._valuations.operand(side), of_row, partner)
                    for side in (node.left, node.right)
                )
                term = _Term(shape, node.operator, left, right)
            known = self._terms.keep(id(plan), (plan, term), 500)
        return known[1]

    def _leaves(self, term: _Term, of_row: bool, partner: Partner) -> list[Valuation]:
        """The values of what is added and multiplied, from left to right."""
        if term.left is None or term.right is None:
            return [self._valuations.valuation(term.shape, of_row, partner)]
        left = self._leaves(term.left, of_row, partner)
        return left + self._leaves(term.right, of_row, partner)


def _numbers_of(leaves: list[Valuation]) -> Iterator[Doubles | None]:
    for leaf in leaves:
        found = leaf.doubles
        if found is None:
            numbers = leaf.as_numbers()
            found = None if numbers is None else numbers.at(leaf.codes)
            # Many are what one partner needs, and are wanted once.
            leaf.doubles = found if leaf.used else None
            leaf.used = True
        yield found


def _numbers_at(leaves: list[Valuation], codes: Sequence[array[int]]) -> Iterator[Doubles | None]:
    for leaf, places in zip(leaves, codes, strict=True):
        numbers = leaf.as_numbers()
        yield None if numbers is None else numbers.at(places)


def _doubles_of(term: _Term, leaves: Iterator[Doubles | None]) -> Doubles | None:
    if term.left is None or term.right is None:
        return next(leaves)
    left = _doubles_of(term.left, leaves)
    right = _doubles_of(term.right, leaves)
    return None if left is None or right is None else combined(term.operator, left, right)
