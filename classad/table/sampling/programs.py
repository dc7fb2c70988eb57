"""Programs: an expression evaluated for many combinations at once, node by node.

What is decided here: which nodes may be evaluated where an evaluation might not get to them: all
whose functions take values and leave nothing behind.  If any of it fails as a whole, the
combinations are evaluated one after the other instead.
Inputs: a shape, a group of rows, a partner.  Outputs: ``Program``, and vectors of values.
Never here: what an operator or function makes of values.
Follows: classad/table/dependence/substitution.py for what a reference leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from attr import frozen

from classad.ads.expression import ExprTree
from classad.evaluation.functions import EAGER, Booleans, Form, form_of, lookup_function
from classad.evaluation.reference import subscript
from classad.language.limits import EvaluationFailure, NeedExact
from classad.syntax.nodes import Binary, Call, Conditional, Literal, Node, Subscript, Unary, walk
from classad.table.arrays.vectors import Live, Vector, apply, binary, conditional, unary
from classad.table.dependence.partner import Partner, counts_as_value
from classad.table.dependence.plans import Group
from classad.table.dependence.substitution import NOTHING, Reduction, Unknown
from classad.table.expressions.shapes import Shape
from classad.table.sampling.list_members import Counting, Inside, Member, Members, counted
from classad.table.store.parts import Joint, Part


@frozen(eq=False)
class Given(Node):
    """A value of the partner."""

    name: str


@frozen(eq=False)
class Cell(Node):
    """The rows' column; ``further``: where a row has nothing the partner's attribute counts."""

    name: str
    further: bool


class Inputs(NamedTuple):
    """What a program runs on; ``names``: the columns that the joint combines.

    ``members``: the ads in lists, where the program is inside of them.
    """

    partner: Partner
    part: Part
    names: tuple[str, ...]
    joint: Joint
    members: Members | None = None

    def member(self, leaf: Member) -> Vector:
        """What the ads in lists have, or else the partner."""
        assert self.members is not None
        return self.members.column(leaf.name, leaf.row_too, self.partner)

    def column(self, name: str, further: bool) -> Vector:
        """The cells of a column in each combination."""
        part = self.part
        if part.has_expressions(name):
            raise Unknown
        if name in self.names:
            found, missing = part.vector(self.names, name)
        else:
            found, missing = part.alike(name)
        if further and missing and self.partner.has(name):
            raise Unknown
        return found


#: A node made ready: its vector for some inputs.
Step = Callable[[Inputs, Live], Vector]


class Program:
    """An expression made ready.  ``leaves``: the columns and partner's values that it reads."""

    def __init__(self, node: Node) -> None:
        self.root = node
        self.leaves: list[Cell | Given] = []
        #: The lists whose ads are counted, and what is read of those.
        self._inside: list[tuple[Cell, Member]] = []
        #: Whether there is nothing in it but operators.
        self.plain = True
        self._run = self._step(node)

    def known(self, inputs: Inputs) -> bool:
        """Whether running it for all combinations costs next to nothing."""
        try:
            return (
                self.plain
                and all(_leaf(leaf, inputs).known for leaf in self.leaves)
                and all(_reads(inputs, *one).known for one in self._inside)
            )
        except Unknown:
            return False

    def run(self, inputs: Inputs, live: Live) -> Vector | None:
        """The values for the combinations that matter; None if they have to be found one by one."""
        try:
            found = self._run(inputs, live)
        except (Unknown, EvaluationFailure, NeedExact, RecursionError):
            inputs.partner.evaluator.renew()
            return None
        return found if found.step else None

    def _step(self, node: Any) -> Step:
        kind = node.__class__
        if kind is Literal:
            constant = Vector.constant(node.evaluated)
            return lambda inputs, live: constant
        if kind is Cell or kind is Given:
            self.leaves.append(node)
            return lambda inputs, live: _leaf(node, inputs)
        if kind is Member:
            return lambda inputs, live: inputs.member(node)
        if kind is Counting:
            self._inside += [
                (node.lists, each) for each in walk(node.inner) if each.__class__ is Member
            ]
            return _counting(node.lists, self._step(node.inner))
        parts = [self._step(child) for child in node.children()]
        if kind is Unary:
            return _unary(node.operator, *parts)
        if kind is Binary:
            return _binary(node.operator, *parts)
        if kind is Conditional or (kind is Call and _is_choice(node)):
            return _conditional(*parts)
        self.plain = False
        if kind is Subscript:
            return _subscript(*parts)
        if kind is Call:
            return self._call(node, parts)
        raise Unknown

    def _call(self, node: Any, parts: list[Step]) -> Step:
        function = lookup_function(node.name)
        if function is None or function.laziness is not EAGER:
            raise Unknown
        if not function.accepts(len(parts)):
            raise Unknown
        impl, bulk = function.impl, function.bulk

        def run(inputs: Inputs, live: Live) -> Vector:
            given = [part(inputs, live) for part in parts]
            values = None if bulk is None else bulk(given, live)
            if values is not None:
                return (
                    Vector.booleans(values) if values.__class__ is Booleans else Vector.of(values)
                )
            return apply(partial(impl, inputs.partner.evaluator.state), given, live)

        return run


class Ready(NamedTuple):
    """A program and what it is to run on."""

    program: Program
    inputs: Inputs

    def known(self) -> bool:
        """Whether running it for all combinations costs next to nothing."""
        return self.program.known(self.inputs)

    def run(self, codes: Sequence[int] | None) -> Vector | None:
        """The values for some combinations, or all; None if they are to be found one by one."""
        whole = codes is None or len(codes) == len(self.inputs.joint.samples)
        return self.program.run(self.inputs, None if whole else codes)


def _leaf(node: Any, inputs: Inputs) -> Vector:
    if node.__class__ is Cell:
        return inputs.column(node.name, node.further)
    return inputs.partner.vector(node.name)


def _is_choice(node: Call) -> bool:
    return form_of(node.name, len(node.args)) is Form.CHOICE


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


def _reads(inputs: Inputs, lists: Cell, leaf: Member) -> Vector:
    """What is read of the ads of some lists."""
    members = Members.of(_leaf(lists, inputs))
    return inputs._replace(members=members).member(leaf)


def _counting(lists: Cell, inner: Step) -> Step:
    def run(inputs: Inputs, live: Live) -> Vector:
        given = _leaf(lists, inputs)
        members = Members.of(given)
        judged = bytearray()
        if members.ads:
            held = inner(inputs._replace(members=members), None)
            judged = held.judged() if held.step else held.judged() * len(members.ads)
        found = members.count(judged)
        found.step = given.step
        return found

    return run


# --- making them --------------------------------------------------------------------------------


class _Preparation(Reduction):
    """Leaves open what may differ between partners and rows of one plan."""

    def node(self, node: Any, of_row: bool) -> Node:
        if node.__class__ is not Call or form_of(node.name, len(node.args)) is not Form.COUNT:
            return super().node(node, of_row)
        if of_row:
            raise Unknown
        lists = self.node(node.args[1], of_row)
        if lists.__class__ is not Cell:
            raise Unknown
        inner = counted(node.args[0], self.partner)
        return Counting(lists, Inside(self.group, self.partner).node(inner, of_row))

    def attribute(self, name: str) -> Node:
        if counts_as_value(self.partner.key(name)):
            return Given(name)
        value = self.partner.raw(name)
        if value.__class__ is not ExprTree:
            raise Unknown
        return self.node(value.node, False)

    def cell(self, name: str, further: bool) -> Node:
        if name not in self.columns:
            return self.attribute(name) if further else NOTHING
        if self.part.constant(name):
            cell = self.part.cell(name)
            if cell.__class__ is ExprTree:
                return self.node(cell.node, True)
        return Cell(name, further)


def program_of(shape: Shape, of_row: bool, group: Group, partner: Partner) -> Program | None:
    """The program of an expression for a group of rows; None if it cannot have one."""
    memo = group.memo
    if "program" not in memo:
        memo["program"] = _made(shape, of_row, group, partner)
    found: Program | None = memo["program"]
    return found


def _made(shape: Shape, of_row: bool, group: Group, partner: Partner) -> Program | None:
    if shape.node is None:
        return None
    try:
        return Program(_Preparation(group, partner).node(shape.node, of_row))
    except (Unknown, RecursionError):  # the latter: attributes of the rows go in circles
        return None


__all__: Final = ["Inputs", "Program", "Ready", "program_of"]
