"""Evaluates an expression once for each distinct combination of the values that it reads.

Over many combinations it runs as a program on vectors.  A reference becomes what it leads to where
that is the same for all rows of a group: a column, a value of the partner, nothing, or an
expression whose own references are followed in the same way.  All operands are evaluated, also
where an evaluation might not get to them: functions take values and leave nothing behind.  If
anything fails as a whole there is no result, and the evaluator takes the combinations one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from attr import frozen

from classad.ads.ad import Ad, ListValue
from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.evaluation.functions import (
    EAGER,
    RAW,
    Booleans,
    InlineForm,
    form_of,
    lookup_function,
    may_move,
)
from classad.evaluation.reference import subscript
from classad.language.bounds import EvaluationFailure, NeedExact
from classad.language.names import UNUSUAL, fold_name
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.syntax import nodes
from classad.syntax.nodes import Node
from classad.table.expressions.partner import Partner, PartnerItem, counts_as_value
from classad.table.expressions.plans import PlannedRows
from classad.table.shapes import Shape, name_in, scope_of
from classad.table.store.columns import PLAIN, Joint, Part, put_cell
from classad.table.vectors import (
    NotVectorized,
    Vector,
    apply,
    binary,
    conditional,
    count_holding,
    logical,
    unary,
)

#: Nodes that a program may be made of.
_SIZE = 300


class ListMembers:
    """The ads of many lists, one list after the other.

    The value of an expression in such an ad follows from what that ad has and from values of the
    partner if every name that it mentions is a plain value there; a name that the ad lacks is the
    partner's, unless rows have it, too.
    ``ends``: how many there are up to each list, with 0 before the first; ``exceptions``: by place
    the result where there is no list.
    """

    def __init__(self, lists: Sequence[Any]) -> None:
        self.ads: list[Ad] = []
        self.ends = array("i", [0])
        self.exceptions: dict[int, Any] = {}
        for place, value in enumerate(lists):
            if value.__class__ is ListValue:
                # Lists with expressions in them never come here.
                self.ads += [item for item in value.items if item.__class__ is Ad]
            else:
                self.exceptions[place] = 0 if value is UNDEFINED else ERROR
            self.ends.append(len(self.ads))
        self._columns: dict[str, tuple[Vector, int]] = {}

    @classmethod
    def of(cls, lists: Vector) -> ListMembers:
        """The members of a vector's values."""
        found: ListMembers | None = lists.memo.get("members")
        if found is None:
            found = lists.memo["members"] = cls(lists.values())
        return found

    def column(self, name: str, row_too: bool, partner: Partner) -> Vector:
        """What each ad has for a name, or else the partner."""
        known = self._columns.get(name)
        if known is None:
            cells: list[Any] = [ad._attrs.get(name) for ad in self.ads]
            if not PLAIN.issuperset(map(type, cells)):
                raise NotVectorized
            missing = cells.count(None)
            if missing:
                cells = [UNDEFINED if cell is None else cell for cell in cells]
            known = self._columns[name] = Vector.of(cells), missing
        found, missing = known
        if missing and row_too:
            raise NotVectorized
        if not (missing and partner.has(name)):
            return found
        if missing < len(self.ads):
            raise NotVectorized
        return partner.vector(name)

    def count(self, judged: bytes | bytearray) -> Vector:
        """For each list the number of ads in which something holds."""
        found = count_holding(judged, self.ends)
        if not self.exceptions:
            return found
        counts = found.values()
        for place, value in self.exceptions.items():
            counts[place] = value
        return Vector.of(counts)


class ProgramInputs(NamedTuple):
    """What a program runs on; ``names``: the columns whose combinations there are.

    ``members``: the ads in lists, where the program is inside of them.
    """

    partner: Partner
    part: Part
    names: tuple[str, ...]
    members: ListMembers | None = None


#: Makes the vector of a node for some inputs.
Step = Callable[[ProgramInputs], Vector]


def run(program: Step, inputs: ProgramInputs) -> Vector | None:
    """The values for the combinations; None if they have to be found one by one."""
    try:
        found = program(inputs)
    except (NotVectorized, EvaluationFailure, NeedExact, RecursionError):
        inputs.partner.evaluator.renew()
        return None
    return found if found.step else None


def program_of(shape: Shape, of_row: bool, group: PlannedRows, partner: Partner) -> Step | None:
    """The program of an expression for a group of rows; None if it cannot have one."""
    try:
        return _Compiler(group, partner).step(shape.node, of_row)
    except (
        NotVectorized,
        RecursionError,
    ):  # the latter: values that refer to others in a long chain
        return None


@frozen
class _Cell:
    """The rows' column; ``further``: where a row has nothing the partner's attribute counts."""

    name: str
    further: bool

    def __call__(self, inputs: ProgramInputs) -> Vector:
        part, name = inputs.part, self.name
        if part.has_expressions(name):
            raise NotVectorized
        known = name in inputs.names
        found, missing = part.vector(inputs.names, name) if known else part.alike(name)
        if self.further and missing and inputs.partner.has(name):
            raise NotVectorized
        return found


class _Compiler:
    """Compiles expressions of the rows of a group and of a partner."""

    def __init__(self, group: PlannedRows, partner: Partner) -> None:
        self.part = group.part
        self.columns = frozenset(group.columns)
        self.partner = partner
        self.size = 0
        #: Whether it is inside of an expression that is evaluated in the ads of lists.
        self.inside = False
        #: The values of attributes that are being compiled: one that refers to itself is not.
        self._open: set[tuple[int, bool]] = set()

    def step(self, node: Node, of_row: bool) -> Step:
        """The step for a node of an expression in a row's ad, or in the partner."""
        self.size += 1
        if self.size > _SIZE:
            raise NotVectorized
        if isinstance(node, nodes.Literal):
            return _constant(Vector.constant(node.evaluated))
        if isinstance(node, nodes.Reference):
            return self._member(node) if self.inside else self._reference(node, of_row)
        if isinstance(node, nodes.Parens):
            return self.step(node.inner, of_row)
        if isinstance(node, nodes.Call):
            return self._call(node, of_row)
        if not isinstance(node, nodes.Unary | nodes.Binary | nodes.Conditional | nodes.Subscript):
            raise NotVectorized
        parts = [self.step(part, of_row) for part in node.children()]
        if isinstance(node, nodes.Subscript):
            return _subscript(*parts)
        if isinstance(node, nodes.Conditional):
            return _operation(conditional, parts)
        operator = unary if isinstance(node, nodes.Unary) else binary
        return _operation(partial(operator, node.operator), parts)

    # --- functions ------------------------------------------------------------------------------

    def _call(self, node: nodes.Call, of_row: bool) -> Step:
        form = form_of(node.name, len(node.args))
        if form is InlineForm.COUNT:
            return self._counting(node, of_row)
        function = lookup_function(node.name, self.partner.context)
        if function is not None and function.laziness is RAW:
            return self._fixed(node, of_row)
        parts = [self.step(part, of_row) for part in node.args]
        if form is InlineForm.CHOICE:
            return _operation(conditional, parts)
        if function is not lookup_function(node.name):
            raise NotVectorized  # one of the context, or none by its rules
        if function is None or function.laziness is not EAGER or not function.accepts(len(parts)):
            raise NotVectorized
        impl, bulk = function.impl, function.bulk

        def call(inputs: ProgramInputs) -> Vector:
            given = [part(inputs) for part in parts]
            values = None if bulk is None else bulk(given)
            if values is not None:
                return (
                    Vector.booleans(values) if values.__class__ is Booleans else Vector.of(values)
                )
            return apply(partial(impl, inputs.partner.evaluator.state), given)

        return call

    def _fixed(self, node: nodes.Call, of_row: bool) -> Step:
        """What looks at expressions, if these are the partner's alone.

        The startd's own test of RequestDisk is one, so most pools have it.
        """
        shape = self.partner.shapes.of(node)
        items = [(name, self.partner.item(name)) for _, name in shape.names]
        varied = shape.row_by_row or shape.random or self.inside or self._moves(node, of_row)
        if varied or any(name in self.columns or self._reads(item) for name, item in items):
            raise NotVectorized

        def fixed(inputs: ProgramInputs) -> Vector:
            partner, (row, _) = inputs.partner, inputs.part.base(())
            my, target = (row, partner.mine) if of_row else (partner.mine, row)
            assert my is not None
            return Vector.constant(partner.evaluator.value(shape.tree, my, target))

        return fixed

    def _moves(self, node: nodes.Call, of_row: bool) -> bool:
        """Whether what follows a call may be evaluated in another ad, see ``may_move``.

        It is not if the call is in the partner's ad, which has the attribute that is searched for.
        """
        first = node.args[0] if node.args else None
        if of_row or not isinstance(first, nodes.Reference) or scope_of(first) not in ("", "my"):
            return may_move(node)
        return may_move(*node.args) or not self.partner.has(fold_name(first.name))

    def _reads(self, item: PartnerItem) -> bool:
        """Whether an attribute of the partner is not the same whatever the rows are."""
        return (
            item.row_by_row or item.random or not self.columns.isdisjoint(item.rows | item.around)
        )

    # --- references -----------------------------------------------------------------------------

    def _reference(self, node: nodes.Reference, of_row: bool) -> Step:
        name, scope = fold_name(node.name), scope_of(node)
        if name in UNUSUAL or scope is None:
            raise NotVectorized
        if scope:
            return self._cell(name, False) if (scope == "my") == of_row else self._attribute(name)
        if of_row:
            return self._cell(name, True)
        return self._attribute(name) if self.partner.has(name) else self._cell(name, False)

    def _attribute(self, name: str) -> Step:
        """What the partner has."""
        if counts_as_value(self.partner.key(name)):
            return lambda inputs: inputs.partner.vector(name)
        value = self.partner.raw(name)
        if not isinstance(value, Expression):
            raise NotVectorized
        return self._value(value.node, False)

    def _value(self, node: Node, of_row: bool) -> Step:
        """The step for the value of an attribute."""
        value = id(node), of_row
        if value in self._open:
            raise NotVectorized
        self._open.add(value)
        step = self.step(node, of_row)
        self._open.remove(value)
        return step

    def _cell(self, name: str, further: bool) -> Step:
        """What the rows have; if they have nothing, with ``further`` what the partner has."""
        if name not in self.columns:
            return self._attribute(name) if further else _constant(Vector.constant(UNDEFINED))
        if self.part.constant(name):
            cell = self.part.cell(name)
            if isinstance(cell, Expression):
                return self._value(cell.node, True)
        return _Cell(name, further)

    # --- expressions in the ads of lists --------------------------------------------------------

    def _counting(self, node: nodes.Call, of_row: bool) -> Step:
        """``countMatches`` of the partner's expression in lists of the rows."""
        if of_row or self.inside:
            raise NotVectorized
        lists = self.step(node.args[1], of_row)
        if not isinstance(lists, _Cell):
            raise NotVectorized
        counted = _counted(node.args[0], self.partner)
        self.inside = True
        inner = self.step(counted, of_row)
        self.inside = False

        def count(inputs: ProgramInputs) -> Vector:
            given = lists(inputs)
            members = ListMembers.of(given)
            judged = bytearray()
            if members.ads:
                held = inner(inputs._replace(members=members))
                judged = held.judged() if held.step else held.judged() * len(members.ads)
            found = members.count(judged)
            found.step = given.step
            return found

        return count

    def _member(self, node: nodes.Reference) -> Step:
        """What the ads in lists have, or else the partner."""
        name = name_in(node, "")
        if not name or not counts_as_value(self.partner.key(name)):
            raise NotVectorized
        row_too = name in self.columns

        def member(inputs: ProgramInputs) -> Vector:
            assert inputs.members is not None
            return inputs.members.column(name, row_too, inputs.partner)

        return member


def _constant(value: Vector) -> Step:
    return lambda inputs: value


def _operation(operator: Callable[..., Vector], parts: list[Step]) -> Step:
    return lambda inputs: operator(*[part(inputs) for part in parts])


def _subscript(base: Step, index: Step) -> Step:
    def select(inputs: ProgramInputs) -> Vector:
        state = inputs.partner.evaluator.state
        parts = (base(inputs), index(inputs))
        return apply(lambda a, b: subscript(a, b, state), parts)

    return select


def _counted(node: Node, partner: Partner) -> Node:
    """The expression, of the partner, that a call of ``countMatches`` evaluates in each ad.

    Not where the attribute that it names is found elsewhere, for the list is evaluated there.
    """
    if not isinstance(node, nodes.Reference):
        return node
    name = name_in(node, "", "my")
    tree = partner.raw(name) if name else None
    if not isinstance(tree, Expression) or not partner.takes_constants:
        raise NotVectorized
    return tree.node


#: From so many combinations on it pays to make an expression ready first.
MANY = 12


class Valued:
    """The values of combinations.

    ``cost``: as of a ``Result`` (classad/table/memo.py).
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

    def judged(self, group: PlannedRows) -> tuple[Joint | None, bytes | bytearray]:
        """What each combination counts as in logic; one thing for all rows without a ``Joint``."""
        joint, found = self._found(group)
        return joint, found.judged() if isinstance(found, Vector) else bytes(map(logical, found))

    def values(self, group: PlannedRows) -> Valued:
        """The value of each combination."""
        joint, found = self._found(group)
        return Valued(joint, found if isinstance(found, Vector) else Vector.of(found))

    def _found(self, group: PlannedRows) -> tuple[Joint | None, Vector | list[ClassAdValue]]:
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
            made = run(program, ProgramInputs(self.partner, group.part, names))
            if made is not None:
                return joint, made
        found = []
        for cells in joint.samples:
            for name, cell in zip(names, cells, strict=True):
                put_cell(row, name, cell)
            found.append(self._value(row))
        return joint, found

    def _ready(self, group: PlannedRows) -> _Ready:
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
