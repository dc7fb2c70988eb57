"""Evaluates an expression once for each distinct combination of the values that it reads.

An expression over many combinations runs as a program on vectors (``programs``); the evaluator does
the rest, one by one.
"""

from __future__ import annotations

from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.language.values import ClassAdValue
from classad.table.arrays.vectors import Vector, logical
from classad.table.dependence.partner import Partner
from classad.table.dependence.plans import Group
from classad.table.expressions.shapes import Shape
from classad.table.sampling.programs import Inputs, Step, program_of, run
from classad.table.store.parts import Joint, put_cell

#: From so many combinations on it pays to make an expression ready first.
MANY = 12


class Valued:
    """The values of combinations.

    ``cost``: as of a ``Result`` (classad/table/memory/budget.py).
    """

    __slots__ = ("cost", "joint", "results")

    def __init__(self, joint: Joint | None, results: Vector) -> None:
        self.joint = joint
        self.results = results
        self.cost = 300 + 20 * len(results)


class _Ready:
    """What was made of an expression for a group of rows, whoever the partner is."""

    def __init__(self, program: Step | None) -> None:
        self.program = program
        #: The ad of what all rows have, and the same with trees of its own.
        self.apart: tuple[ClassAd, ClassAd] | None = None


class Sampler:
    """Evaluates a shape in the combinations that a group of rows has."""

    def __init__(self, shape: Shape, of_row: bool, partner: Partner) -> None:
        self.shape = shape
        self.of_row = of_row
        self.partner = partner

    def judged(self, group: Group) -> tuple[Joint | None, bytes | bytearray]:
        """What each combination counts as in logic; one thing for all rows without a ``Joint``."""
        joint, found = self._found(group)
        return joint, found.judged() if isinstance(found, Vector) else bytes(map(logical, found))

    def values(self, group: Group) -> Valued:
        """The value of each combination."""
        joint, found = self._found(group)
        return Valued(joint, found if isinstance(found, Vector) else Vector.of(found))

    def _found(self, group: Group) -> tuple[Joint | None, Vector | list[ClassAdValue]]:
        """The combinations and their values."""
        row, names = group.part.base(group.columns)
        if group.circular:
            ready = self._ready(group)
            if ready.apart is None or ready.apart[0] is not row:
                ready.apart = row, _with_own_trees(row)
            row = ready.apart[1]
        if not names:
            return None, [self._value(row)]
        joint = group.part.joint(names)
        program = None if joint.size < MANY else self._ready(group).program
        if program is not None:
            made = run(program, Inputs(self.partner, group.part, names))
            if made is not None:
                return joint, made
        found = []
        for cells in joint.samples:
            for name, cell in zip(names, cells, strict=True):
                put_cell(row, name, cell)
            found.append(self._value(row))
        return joint, found

    def _ready(self, group: Group) -> _Ready:
        found = group.ready
        if not isinstance(found, _Ready):
            program = program_of(self.shape, self.of_row, group, self.partner)
            found = group.ready = _Ready(program)
        return found

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
