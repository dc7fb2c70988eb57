"""Evaluates an expression for many combinations at once, operation by operation, on vectors.

All operands are evaluated, also where an evaluation might not get to them: functions take values
and leave nothing behind.  If anything fails as a whole there is no result, and the combinations are
evaluated one after the other instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from classad.evaluation.functions import EAGER, Booleans, Form, form_of, lookup_function
from classad.evaluation.reference import subscript
from classad.language.limits import EvaluationFailure, NeedExact
from classad.language.values import ClassAdValue
from classad.syntax.nodes import Binary, Call, Literal, Node, Subscript, Unary
from classad.table.arrays.vectors import Vector, apply, binary, conditional, unary
from classad.table.dependence.partner import Partner
from classad.table.dependence.plans import Group
from classad.table.expressions.shapes import Shape
from classad.table.sampling.list_members import Members
from classad.table.sampling.preparation import (
    Cell,
    Counting,
    Fixed,
    Given,
    Member,
    Reduction,
    Unknown,
)
from classad.table.store.parts import Part


class Inputs(NamedTuple):
    """What a program runs on; ``names``: the columns whose combinations there are.

    ``members``: the ads in lists, where the program is inside of them.
    """

    partner: Partner
    part: Part
    names: tuple[str, ...]
    members: Members | None = None

    def column(self, cell: Cell) -> Vector:
        """The cells of a column in each combination."""
        part, name = self.part, cell.name
        if part.has_expressions(name):
            raise Unknown
        found, missing = part.vector(self.names, name) if name in self.names else part.alike(name)
        if cell.further and missing and self.partner.has(name):
            raise Unknown
        return found


#: Makes the vector of a node for some inputs.
Step = Callable[[Inputs], Vector]


class Program:
    """An expression as steps."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self._run = _step(root)

    def run(self, inputs: Inputs) -> Vector | None:
        """The values for the combinations; None if they have to be found one by one."""
        found = self._found(inputs)
        return None if found is None or not found.step else found

    def shared(self, inputs: Inputs) -> ClassAdValue | None:
        """The value of an expression that is the same for all combinations."""
        found = self._found(inputs)
        return None if found is None else found.shared()

    def _found(self, inputs: Inputs) -> Vector | None:
        try:
            return self._run(inputs)
        except (Unknown, EvaluationFailure, NeedExact, RecursionError):
            inputs.partner.evaluator.renew()
            return None


def program_of(shape: Shape, of_row: bool, group: Group, partner: Partner) -> Program | None:
    """The program of an expression for a group of rows; None if it cannot have one."""
    if shape.node is None:
        return None
    try:
        return Program(Reduction(group, partner).node(shape.node, of_row))
    except (Unknown, RecursionError):  # the latter: attributes of the rows go in circles
        return None


def _step(node: Node) -> Step:
    if isinstance(node, Literal):
        constant = Vector.constant(node.evaluated)
        return lambda inputs: constant
    if isinstance(node, Cell):
        return lambda inputs: inputs.column(node)
    if isinstance(node, Given):
        return lambda inputs: inputs.partner.vector(node.name)
    if isinstance(node, Fixed):
        return partial(_fixed, node)
    if isinstance(node, Member):
        return partial(_member, node)
    if isinstance(node, Counting):
        return _counting(node.lists, _step(node.inner))
    parts = [_step(child) for child in node.children()]
    if isinstance(node, Subscript):
        return _subscript(*parts)
    form = form_of(node.name, len(node.args)) if isinstance(node, Call) else None
    if isinstance(node, Call) and form is not Form.CHOICE:
        return _call(node, parts)
    operator: Callable[..., Vector] = conditional
    if isinstance(node, Unary | Binary):
        operator = partial(unary if isinstance(node, Unary) else binary, node.operator)
    return lambda inputs: operator(*[part(inputs) for part in parts])


def _subscript(base: Step, index: Step) -> Step:
    def run(inputs: Inputs) -> Vector:
        state = inputs.partner.evaluator.state
        parts = (base(inputs), index(inputs))
        return apply(lambda a, b: subscript(a, b, state), parts)

    return run


def _call(node: Call, parts: list[Step]) -> Step:
    function = lookup_function(node.name)
    if function is None or function.laziness is not EAGER or not function.accepts(len(parts)):
        raise Unknown
    impl, bulk = function.impl, function.bulk

    def run(inputs: Inputs) -> Vector:
        given = [part(inputs) for part in parts]
        values = None if bulk is None else bulk(given)
        if values is not None:
            return Vector.booleans(values) if values.__class__ is Booleans else Vector.of(values)
        return apply(partial(impl, inputs.partner.evaluator.state), given)

    return run


def _fixed(node: Fixed, inputs: Inputs) -> Vector:
    partner, (row, _) = inputs.partner, inputs.part.base(())
    my, target = (row, partner.mine) if node.of_row else (partner.mine, row)
    assert my is not None
    return Vector.constant(partner.evaluator.value(node.shape.tree, my, target))


def _member(node: Member, inputs: Inputs) -> Vector:
    """What the ads in lists have, or else the partner."""
    assert inputs.members is not None
    return inputs.members.column(node.name, node.row_too, inputs.partner)


def _counting(lists: Cell, inner: Step) -> Step:
    def run(inputs: Inputs) -> Vector:
        given = inputs.column(lists)
        members = Members.of(given)
        judged = bytearray()
        if members.ads:
            held = inner(inputs._replace(members=members))
            judged = held.judged() if held.step else held.judged() * len(members.ads)
        found = members.count(judged)
        found.step = given.step
        return found

    return run


__all__ = ["Inputs", "Program", "program_of"]
