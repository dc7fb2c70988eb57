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
from classad.syntax.nodes import Binary, Call, Conditional, Literal, Node, Subscript, Unary
from classad.table.arrays.vectors import Live, Vector, apply, binary, conditional, unary
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
Step = Callable[[Inputs, Live], Vector]


class Program:
    """An expression as steps."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self._run = _step(root)

    def run(self, inputs: Inputs, live: Live) -> Vector | None:
        """The values for the combinations that matter; None if they have to be found one by one."""
        found = self._found(inputs, live)
        return None if found is None or not found.step else found

    def shared(self, inputs: Inputs) -> ClassAdValue | None:
        """The value of an expression that is the same for all combinations."""
        found = self._found(inputs, None)
        return None if found is None else found.shared()

    def _found(self, inputs: Inputs, live: Live) -> Vector | None:
        try:
            return self._run(inputs, live)
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
        return lambda inputs, live: constant
    if isinstance(node, Cell):
        return lambda inputs, live: inputs.column(node)
    if isinstance(node, Given):
        return lambda inputs, live: inputs.partner.vector(node.name)
    if isinstance(node, Fixed):
        return partial(_fixed, node)
    if isinstance(node, Member):
        return partial(_member, node)
    if isinstance(node, Counting):
        return _counting(node.lists, _step(node.inner))
    parts = [_step(child) for child in node.children()]
    if isinstance(node, Unary):
        return _unary(node.operator, *parts)
    if isinstance(node, Binary):
        return _binary(node.operator, *parts)
    if isinstance(node, Conditional):
        return _conditional(*parts)
    if isinstance(node, Subscript):
        return _subscript(*parts)
    if isinstance(node, Call):
        if form_of(node.name, len(node.args)) is Form.CHOICE:
            return _conditional(*parts)
        return _call(node, parts)
    raise Unknown


def _unary(symbol: str, operand: Step) -> Step:
    return lambda inputs, live: unary(symbol, operand(inputs, live), live)


def _binary(symbol: str, left: Step, right: Step) -> Step:
    return lambda inputs, live: binary(symbol, left(inputs, live), right(inputs, live), live)


def _conditional(condition: Step, then: Step, otherwise: Step) -> Step:
    return lambda inputs, live: conditional(
        condition(inputs, live), then(inputs, live), otherwise(inputs, live), live
    )


def _subscript(base: Step, index: Step) -> Step:
    def run(inputs: Inputs, live: Live) -> Vector:
        state = inputs.partner.evaluator.state
        parts = (base(inputs, live), index(inputs, live))
        return apply(lambda a, b: subscript(a, b, state), parts, live)

    return run


def _call(node: Call, parts: list[Step]) -> Step:
    function = lookup_function(node.name)
    if function is None or function.laziness is not EAGER or not function.accepts(len(parts)):
        raise Unknown
    impl, bulk = function.impl, function.bulk

    def run(inputs: Inputs, live: Live) -> Vector:
        given = [part(inputs, live) for part in parts]
        values = None if bulk is None else bulk(given, live)
        if values is not None:
            return Vector.booleans(values) if values.__class__ is Booleans else Vector.of(values)
        return apply(partial(impl, inputs.partner.evaluator.state), given, live)

    return run


def _fixed(node: Fixed, inputs: Inputs, live: Live) -> Vector:
    partner, (row, _) = inputs.partner, inputs.part.base(())
    my, target = (row, partner.mine) if node.of_row else (partner.mine, row)
    assert my is not None
    return Vector.constant(partner.evaluator.value(node.shape.tree, my, target))


def _member(node: Member, inputs: Inputs, live: Live) -> Vector:
    """What the ads in lists have, or else the partner."""
    assert inputs.members is not None
    return inputs.members.column(node.name, node.row_too, inputs.partner)


def _counting(lists: Cell, inner: Step) -> Step:
    def run(inputs: Inputs, live: Live) -> Vector:
        given = inputs.column(lists)
        members = Members.of(given)
        judged = bytearray()
        if members.ads:
            held = inner(inputs._replace(members=members), None)
            judged = held.judged() if held.step else held.judged() * len(members.ads)
        found = members.count(judged)
        found.step = given.step
        return found

    return run


__all__ = ["Inputs", "Program", "program_of"]
