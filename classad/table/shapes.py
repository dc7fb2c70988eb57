"""Finds which attributes can have an influence on the value of an expression.

An expression is evaluated *row by row* if knowing them is not enough: it looks at the match as such
(``.LEFT``, ``parent``, a bare ``TARGET``), or prints or parses expressions.  It is of the
*clock* if the instant or the zone matters, *random* if chance may.  Equal expressions have one
``Shape``.  Follows classad/evaluation/scopes.py for what a name can reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from classad.ads.ad import node_of_value
from classad.ads.expression import Expression
from classad.compiled.compiler import measure
from classad.evaluation.functions import CHANCE, CLOCK, ZONE, Where, lookup_function, may_move
from classad.formats.unparse import unparse
from classad.language.names import UNUSUAL, fold_name
from classad.syntax.lazy import LazyExpression
from classad.syntax.nodes import AdExpr, Call, ListExpr, Node, Reference
from classad.table.memo import Budget, Memo

#: Where a name is looked for: in the ad of the expression, in the other one, in the one and else in
#: the other, in any of them.
MINE: Final = 0
OTHERS: Final = 1
EITHER: Final = 2
BOTH: Final = 3


class Shape:
    """An expression and what it mentions.

    ``names``: (where, folded name) pairs.  ``exact``: it can see the expression of an attribute
    instead of its value.
    """

    __slots__ = (
        "clock",
        "exact",
        "height",
        "names",
        "node",
        "random",
        "row_by_row",
        "size",
        "tree",
        "uid",
    )

    def __init__(self, uid: int, tree: Expression) -> None:
        self.uid = uid
        self.tree = tree
        self.node: Any = tree.node
        self.row_by_row = self.clock = self.random = self.exact = False
        names: set[tuple[int, str]] = set()
        for where, name in self._walk(self.node):
            names.add((where, name))
        if self.exact and may_move(self.node):
            names = {(BOTH, name) for _, name in names}
        self.names = tuple(sorted(names))
        # Compiled when it is first evaluated by itself: many never are.
        self.height, self.size, *_ = measure(self.node)

    def _walk(self, root: Node) -> Iterator[tuple[int, str]]:
        """The names, with everything else noted on the way."""
        todo: list[tuple[Node, bool]] = [(root, False)]
        while todo:
            node, anywhere = todo.pop()
            inside = anywhere
            if isinstance(node, Reference):
                found = self._reference(node)
                if found is not None:
                    yield (BOTH if anywhere else found), fold_name(node.name)
                    if found != BOTH:
                        continue
            elif isinstance(node, Call):
                inside |= self._call(fold_name(node.name))
            elif isinstance(node, AdExpr | ListExpr):
                inside = True  # members are evaluated wherever they are wanted
            todo.extend((child, inside) for child in node.children())

    def _reference(self, node: Reference) -> int | None:
        """Where the name of a reference is looked for; None if it is none to be looked for."""
        name = fold_name(node.name)
        if node.absolute:
            self.row_by_row = self.random = True  # what it leads to is not known
            return None
        if name in UNUSUAL:
            if name != "currenttime":
                self.row_by_row = self.random = True
                return None
            self.clock = True
        scope = scope_of(node)
        if scope is None:
            return BOTH
        return {"": EITHER, "my": MINE, "target": OTHERS}[scope]

    def _call(self, name: str) -> bool:
        """Note what a function does; whether it evaluates its arguments elsewhere."""
        function = lookup_function(name)
        if function is None:
            self.row_by_row = True
            return False
        self.clock |= function.varies_with(CLOCK, ZONE)
        self.random |= function.varies_with(CHANCE)
        # All that an argument mentions is known wherever it is evaluated.
        inside = Where.IN_EACH in function.where
        self.exact |= inside
        self.row_by_row |= function.observed or bool(function.ever_reads & ~(CLOCK | ZONE))
        return inside


class Shapes:
    """The expressions met so far: equal ones have one shape."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget = Budget() if budget is None else budget
        self._uids = count()
        self._by_text: Memo[object, Shape] = Memo(budget)
        #: By the identities of trees, nodes and values, which are kept so that these stay theirs.
        self._by_object: Memo[int, tuple[object, Shape]] = Memo(budget)
        #: The attributes of partners, and ``INSTANT``, that anything has read; none is forgotten.
        self.read: set[str] = set()
        #: Attributes that some partner was asked for and does not have.
        self.absent: Memo[str | tuple[str], None] = Memo(budget)
        #: Those of which the expression was asked for, as it was asked.
        self.exactly: dict[str, tuple[str]] = {}

    def forget(self) -> None:
        """Forget all; the numbers of shapes do not come again."""
        for notes in (self._by_text, self._by_object, self.absent):
            notes.drop()
        self.exactly.clear()

    def of(self, cell: Any) -> Shape:
        """The shape of an expression, a part of one, or a list or ad with expressions in it."""
        known = self._by_object.get(id(cell))
        if known is None:
            if cell.__class__ is Expression:
                text = text_of(cell)
                shape = self._by_text.get(text) or self.of_node(cell.node, text)
            elif isinstance(cell, Node):
                shape = self.of_node(cell)
            else:
                shape = self.of_nested(cell)
            known = self._by_object.keep(id(cell), (cell, shape), 300)
        return known[1]

    def of_nested(self, value: Any) -> Shape:
        """The shape of a list or ad, which may be another one when it is looked at again."""
        node = node_of_value(value)
        return self.of_node(node, ("value", unparse(node)))

    def of_node(self, node: Node, text: object = None) -> Shape:
        """The shape of a syntax tree; ``text``: what tells it from others, if that is known."""
        text = (unparse(node), -1) if text is None else text
        shape = self._by_text.get(text)
        if shape is None:
            # A tree of its own: which attribute is under way is told by the object.
            shape = Shape(next(self._uids), Expression.from_node(node))
            self._by_text.keep(text, shape, 1200 + 700 * shape.size)
        return shape


def text_of(tree: Expression) -> tuple[str, int]:
    """What tells an expression from others: equal texts read in the same way are equal."""
    node: Any = tree._node
    if node.__class__ is LazyExpression:
        return (node.text, node.how)
    return (unparse(node), -1)


def name_in(node: Node, *scopes: str) -> str:
    """The attribute that a node is nothing but a reference to, looked for as said, or nothing.

    ``scopes``: those of ``scope_of``.
    """
    if not isinstance(node, Reference) or scope_of(node) not in scopes:
        return ""
    name = fold_name(node.name)
    return "" if name in UNUSUAL else name


def scope_of(node: Reference) -> str | None:
    """Where a reference looks: ``my``, ``target``, empty if it does not say; else None."""
    if node.absolute:
        return None
    return node.scope if node.base is None or node.scope in ("my", "target") else None
