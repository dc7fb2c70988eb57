"""Reduces an expression to columns, values of the partner and operations on them.

A reference is replaced by what it leads to where that is the same for all rows of a group: a
column, a value of the partner, nothing, or an expression whose own references are replaced in the
same way.  ``countMatches`` of the partner's expression in lists of the rows becomes a node of its
own, with references to what the ads in those lists have.
"""

from __future__ import annotations

from attr import frozen

from classad.ads.expression import Expression
from classad.evaluation.functions import RAW, Form, form_of, lookup_function
from classad.language.names import UNUSUAL, fold_name
from classad.language.values import UNDEFINED
from classad.syntax.nodes import (
    Binary,
    Call,
    Conditional,
    Literal,
    Node,
    Parens,
    Reference,
    Subscript,
    Unary,
)
from classad.table.dependence.partner import Item, Partner, counts_as_value
from classad.table.dependence.plans import Group
from classad.table.expressions.shapes import Shape, scope_of

#: Nodes that a reduced expression may have.
_SIZE = 300
_NOTHING = Literal(UNDEFINED)


class Unknown(Exception):  # noqa: N818 - leaves the reduction, is no error
    """Something that cannot be done for many combinations at once."""


@frozen(eq=False)
class Given(Node):
    """A value of the partner."""

    name: str


@frozen(eq=False)
class Fixed(Node):
    """What an expression is that reads nothing of the rows."""

    shape: Shape
    of_row: bool


@frozen(eq=False)
class Cell(Node):
    """The rows' column; ``further``: where a row has nothing the partner's attribute counts."""

    name: str
    further: bool


@frozen(eq=False)
class Member(Node):
    """An attribute of the ad in a list; ``row_too``: rows have one of that name."""

    name: str
    row_too: bool


@frozen(eq=False)
class Counting(Node):
    """How many ads of a list an expression holds in."""

    lists: Cell
    inner: Node

    def children(self) -> tuple[Node, ...]:
        return (self.lists, self.inner)


class Reduction:
    """Reduces expressions of the rows of a group and of a partner."""

    def __init__(self, group: Group, partner: Partner) -> None:
        self.part = group.part
        self.columns = frozenset(group.columns)
        self.partner = partner
        self.size = 0
        #: Whether it is inside of an expression that is evaluated in the ads of lists.
        self.inside = False

    def node(self, node: Node, of_row: bool) -> Node:
        """A node of an expression in a row's ad, or in the partner."""
        self.size += 1
        if self.size > _SIZE:
            raise Unknown
        if isinstance(node, Literal):
            return node
        if isinstance(node, Reference):
            return self._member(node) if self.inside else self._reference(node, of_row)
        if isinstance(node, Parens):
            return self.node(node.inner, of_row)
        if isinstance(node, Unary):
            return Unary(node.operator, self.node(node.operand, of_row))
        if isinstance(node, Binary):
            left, right = self.node(node.left, of_row), self.node(node.right, of_row)
            return Binary(node.operator, left, right)
        if isinstance(node, Conditional):
            return Conditional(*[self.node(part, of_row) for part in node.children()])
        if isinstance(node, Subscript):
            return Subscript(self.node(node.base, of_row), self.node(node.index, of_row))
        if isinstance(node, Call):
            return self._call(node, of_row)
        raise Unknown

    def _call(self, node: Call, of_row: bool) -> Node:
        if form_of(node.name, len(node.args)) is Form.COUNT:
            return self._counting(node, of_row)
        function = lookup_function(node.name, self.partner.context)
        if function is None:
            raise Unknown
        if function.laziness is RAW:
            return self._fixed(node, of_row)
        return Call(node.name, tuple([self.node(part, of_row) for part in node.args]))

    def _fixed(self, node: Call, of_row: bool) -> Node:
        """What looks at expressions, if these are the partner's alone.

        The startd's own test of RequestDisk is one, so most pools have it.
        """
        shape = self.partner.shapes.of_part(node)
        items = [(name, self.partner.item(name)) for _, name in shape.names]
        varied = shape.opaque or shape.random or self.inside
        if varied or any(name in self.columns or self._reads(item) for name, item in items):
            raise Unknown
        return Fixed(shape, of_row)

    def _reads(self, item: Item) -> bool:
        """Whether an attribute of the partner is not the same whatever the rows are."""
        return item.opaque or item.random or not self.columns.isdisjoint(item.rows | item.around)

    def _reference(self, node: Reference, of_row: bool) -> Node:
        name, scope = fold_name(node.name), scope_of(node)
        if name in UNUSUAL or scope is None:
            raise Unknown
        if scope:
            return self._cell(name, False) if (scope == "my") == of_row else self._attribute(name)
        if of_row:
            return self._cell(name, True)
        return self._attribute(name) if self.partner.has(name) else self._cell(name, False)

    def _attribute(self, name: str) -> Node:
        """What the partner has."""
        if counts_as_value(self.partner.key(name)):
            return Given(name)
        value = self.partner.raw(name)
        if not isinstance(value, Expression):
            raise Unknown
        return self.node(value.node, False)

    def _cell(self, name: str, further: bool) -> Node:
        """What the rows have; if they have nothing, with ``further`` what the partner has."""
        if name not in self.columns:
            return self._attribute(name) if further else _NOTHING
        if self.part.constant(name):
            cell = self.part.cell(name)
            if isinstance(cell, Expression):
                return self.node(cell.node, True)
        return Cell(name, further)

    # --- expressions in the ads of lists --------------------------------------------------------

    def _counting(self, node: Call, of_row: bool) -> Node:
        if of_row or self.inside:
            raise Unknown
        lists = self.node(node.args[1], of_row)
        if not isinstance(lists, Cell):
            raise Unknown
        counted = _counted(node.args[0], self.partner)
        self.inside = True
        inner = self.node(counted, of_row)
        self.inside = False
        return Counting(lists, inner)

    def _member(self, node: Reference) -> Node:
        name = fold_name(node.name)
        if name in UNUSUAL or scope_of(node) != "":
            raise Unknown
        if not counts_as_value(self.partner.key(name)):
            raise Unknown
        return Member(name, name in self.columns)


def _counted(node: Node, partner: Partner) -> Node:
    """The expression, of the partner, that a call of ``countMatches`` evaluates in each ad.

    Not where the attribute that it names is found elsewhere, for the list is evaluated there.
    """
    if not isinstance(node, Reference):
        return node
    name = fold_name(node.name)
    if scope_of(node) not in ("", "my") or name in UNUSUAL:
        raise Unknown
    tree = partner.raw(name)
    if not isinstance(tree, Expression) or not partner.takes_constants:
        raise Unknown
    return tree.node


__all__ = ["Cell", "Counting", "Fixed", "Given", "Member", "Reduction", "Unknown"]
