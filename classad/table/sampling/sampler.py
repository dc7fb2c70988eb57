"""Evaluates an expression once for each distinct combination of the values that it reads.

A comparison of one column with a value is searched (``comparisons``), an expression over many
combinations runs as a program on vectors (``programs``); the evaluator does the rest, one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.language.operators import COMPARISONS
from classad.language.values import ClassAdValue
from classad.table.arrays.vectors import Vector, logical
from classad.table.dependence.partner import Partner
from classad.table.dependence.plans import Group
from classad.table.expressions.shapes import Shape, bare
from classad.table.sampling.comparisons import Comparison
from classad.table.sampling.programs import Inputs, Program, program_of
from classad.table.store.parts import Joint, put_cell

#: From so many combinations on it pays to make an expression ready first.
MANY = 12


class Judged(NamedTuple):
    """What combinations count as in logic; ``joint``: None if all rows have the one there is."""

    joint: Joint | None
    results: bytes | bytearray


class Valued:
    """The values of combinations.

    ``cost``, ``used``: as of a ``Result`` (classad/table/memory/budget.py).
    """

    __slots__ = ("cost", "joint", "results", "used")

    def __init__(self, joint: Joint | None, results: Vector) -> None:
        self.joint = joint
        self.results = results
        self.cost = 300 + 20 * len(results)
        self.used = 0


class _Ready:
    """What was made of an expression for a group of rows, whoever the partner is."""

    def __init__(self, program: Program | None, comparison: Comparison | None) -> None:
        self.program = program
        self.comparison = comparison
        #: The ad of what all rows have, and the same with trees of its own.
        self.apart: tuple[ClassAd, ClassAd] | None = None


class Sampler:
    """Evaluates a shape in the combinations that a group of rows has."""

    def __init__(self, shape: Shape, of_row: bool, partner: Partner) -> None:
        self.shape = shape
        self.of_row = of_row
        self.partner = partner

    def judged(self, group: Group) -> Judged:
        """What each combination counts as in logic."""
        row, varying = self._base(group)
        if not varying:
            return Judged(None, bytes((logical(self._value(row)),)))
        joint = group.part.joint(varying)
        if len(varying) == 1 and getattr(bare(self.shape.node), "operator", "") in COMPARISONS:
            comparison = self._ready(group).comparison
            if comparison is not None:
                found = comparison.judged(varying[0], group, joint, self.partner)
                if found is not None:
                    return Judged(joint, found)
        made = self._at_once(group, varying, joint)
        if made is not None:
            return Judged(joint, made.judged())
        return Judged(joint, bytes(map(logical, self._one_by_one(row, varying, joint))))

    def values(self, group: Group) -> Valued:
        """The value of each combination."""
        row, varying = self._base(group)
        if not varying:
            return Valued(None, Vector.of([self._value(row)]))
        joint = group.part.joint(varying)
        made = self._at_once(group, varying, joint)
        if made is None:
            made = Vector.of(list(self._one_by_one(row, varying, joint)))
        return Valued(joint, made)

    def _base(self, group: Group) -> tuple[ClassAd, tuple[str, ...]]:
        """An ad of what all rows have, and the names of the columns in which they differ."""
        row, varying = group.part.base(group.columns)
        if group.circular:
            ready = self._ready(group)
            if ready.apart is None or ready.apart[0] is not row:
                ready.apart = row, _with_own_trees(row)
            row = ready.apart[1]
        return row, varying

    def _ready(self, group: Group) -> _Ready:
        found = group.ready
        if not isinstance(found, _Ready):
            program = program_of(self.shape, self.of_row, group, self.partner)
            found = group.ready = _Ready(
                program, None if program is None else Comparison.of(program)
            )
        return found

    def _at_once(self, group: Group, names: tuple[str, ...], joint: Joint) -> Vector | None:
        """The values of many combinations; None if they are to be found one by one."""
        if joint.size < MANY:
            return None
        program = self._ready(group).program
        return None if program is None else program.run(Inputs(self.partner, group.part, names))

    def _one_by_one(
        self, row: ClassAd, names: tuple[str, ...], joint: Joint
    ) -> Iterator[ClassAdValue]:
        for cells in joint.samples:
            for name, cell in zip(names, cells, strict=True):
                put_cell(row, name, cell)
            yield self._value(row)

    def _value(self, row: ClassAd) -> ClassAdValue:
        """The value for one combination."""
        partner = self.partner
        my, target = (row, partner.mine) if self.of_row else (partner.mine, row)
        assert my is not None
        value: ClassAdValue = partner.evaluator.value(self.shape.tree, my, target)
        return value


def _with_own_trees(row: ClassAd) -> ClassAd:
    """The same ad, in which no expression is another attribute's too: that is what tells a circle.

    See ``Store.trees_apart``.
    """
    own = ClassAd()
    for name, cell in row._attrs.items():
        put_cell(
            own, name, Expression.from_node(cell.node) if isinstance(cell, Expression) else cell
        )
    return own
