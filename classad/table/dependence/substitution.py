"""Expressions reduced to what varies: the form in which one is evaluated for thousands of values.

What is decided here: when a reference may be replaced by what it leads to.  It may where that is
known, in the other ad or because all rows of a group have it: a plain value, nothing, or an
expression, whose own references are replaced in the same way.  What is left are references to
columns, of plain values, and the evaluation needs no ad but one with those.
Inputs: a shape, a group of rows, a partner.  Outputs: an ``ExprTree`` or None.
Never here: evaluation, what a function does.
Follows: classad/evaluation/scopes.py.
"""

from __future__ import annotations

from typing import Any, Final

from classad.ads.expression import Expression as ExprTree
from classad.evaluation.functions import RAW, lookup_function
from classad.language.names import UNUSUAL, fold_name
from classad.language.values import UNDEFINED
from classad.syntax.nodes import (
    Binary,
    Call,
    Conditional,
    ListExpr,
    Literal,
    Node,
    Parens,
    Reference,
    Subscript,
    Unary,
)
from classad.table.dependence.partner import Partner
from classad.table.dependence.plans import Group
from classad.table.expressions.shapes import Shape
from classad.table.store.columns import PLAIN

#: Nodes that a reduced expression may have.
_SIZE: Final = 300
NOTHING: Final = Literal(UNDEFINED)


class Unknown(Exception):  # noqa: N818 - leaves the reduction, is no error
    """Something that may not be replaced."""


def reduced(shape: Shape, of_row: bool, group: Group, partner: Partner) -> ExprTree | None:
    """The expression with all that is known put in its place; None if that may not be done."""
    if shape.exact or shape.node is None:
        return None
    try:
        return ExprTree.from_node(Reduction(group, partner).node(shape.node, of_row))
    except (Unknown, RecursionError):  # the latter: attributes of the rows go in circles
        return None


class Reduction:
    """Replaces what is known; ``attribute`` and ``cell`` say what that is."""

    def __init__(self, group: Group, partner: Partner) -> None:
        self.group = group
        self.part = group.part
        self.columns = frozenset(group.columns)
        self.partner = partner
        self.size = 0

    def node(self, node: Any, of_row: bool) -> Node:
        """A node of an expression in a row's ad, or in the partner."""
        self.size += 1
        if self.size > _SIZE:
            raise Unknown
        kind = node.__class__
        if kind is Literal:
            return node  # type: ignore[no-any-return]
        if kind is Reference:
            return self.reference(node, of_row)
        if kind is Parens:
            return self.node(node.inner, of_row)
        if kind is Unary:
            return Unary(node.operator, self.node(node.operand, of_row))
        if kind is Binary:
            left, right = self.node(node.left, of_row), self.node(node.right, of_row)
            return Binary(node.operator, left, right)
        if kind is Conditional:
            parts = [self.node(part, of_row) for part in node.children()]
            return Conditional(*parts)
        if kind is Subscript:
            return Subscript(self.node(node.base, of_row), self.node(node.index, of_row))
        if kind is Call:
            function = lookup_function(node.name, self.partner.context)
            if function is None or function.laziness is RAW:
                raise Unknown
            return Call(node.name, tuple([self.node(part, of_row) for part in node.args]))
        if kind is ListExpr and all(part.__class__ is Literal for part in node.items):
            return node  # type: ignore[no-any-return]
        raise Unknown

    def reference(self, node: Any, of_row: bool) -> Node:
        name, base = fold_name(node.name), node.base
        if node.absolute or name in UNUSUAL:
            raise Unknown
        if base is None:
            if of_row:
                return self.cell(name, True)
            return self.attribute(name) if self.partner.has(name) else self.cell(name, False)
        plain = base.__class__ is Reference and base.base is None and not base.absolute
        scope = fold_name(base.name) if plain else ""
        if scope not in ("my", "target"):
            raise Unknown
        return self.cell(name, False) if (scope == "my") == of_row else self.attribute(name)

    def attribute(self, name: str) -> Node:
        """What the partner has."""
        value = self.partner.raw(name)
        if value is None:
            return NOTHING
        if value.__class__ in PLAIN:
            return _literal(value)
        if value.__class__ is not ExprTree:
            raise Unknown
        return self.node(value.node, False)

    def cell(self, name: str, further: bool) -> Node:
        """What the rows have; if they have nothing, with ``further`` what the partner has."""
        if name not in self.columns:
            return self.attribute(name) if further else NOTHING
        if self.part.constant(name):
            cell = self.part.cell(name)
            if cell is None:
                return self.attribute(name) if further else NOTHING
            if cell.__class__ in PLAIN:
                return _literal(cell)
            if cell.__class__ is not ExprTree:
                raise Unknown
            return self.node(cell.node, True)
        view = self.part.view(name)
        if not self.part.is_plain(name):
            raise Unknown
        if further and self.partner.has(name) and None in (view.values[c] for c in view.used):
            raise Unknown
        return Reference(name)


def _literal(value: Any) -> Node:
    return Literal(value)
