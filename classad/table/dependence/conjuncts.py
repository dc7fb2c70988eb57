"""Splits expressions into conjuncts, and finds those that differ in nothing but constants.

A text is split before it is parsed, where that can be done, and a piece without its constants is
understood as others are that leave the same.  So only what is new in a text is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from classad.ads.expression import Expression
from classad.evaluation.functions import may_move, names_search
from classad.language.values import Scalar
from classad.syntax.native import parse
from classad.syntax.nodes import Binary, Literal, Node, Parens, Reference
from classad.syntax.unbuilt import Unbuilt
from classad.syntax.ways import PREFIX
from classad.table.expressions.conjunct_texts import conjuncts_in
from classad.table.expressions.shapes import Shape, Shapes, name_in, text_of
from classad.table.expressions.templates import (
    Constant,
    Template,
    constants_of,
    ends_of,
    places_of,
)
from classad.table.memory.budget import Notes


class Conjunct(NamedTuple):
    """``name``: the own attribute that it consists of, or nothing.  ``template``: what it is
    without its ``values``; None if that cannot be told, but then there is its ``node``.
    """

    name: str
    level: int
    node: Node | None
    template: Template | None
    values: tuple[Scalar, ...]


_SELF: Final = Reference("MY")


class _Piece(NamedTuple):
    """A conjunct of all texts that leave the same; ``constants``: which of the text's it has."""

    name: str
    level: int
    template: Template
    constants: tuple[Constant, ...]


class Splits:
    """The conjuncts of the expressions met so far."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        budget = shapes.budget
        self._known: Notes[object, list[Conjunct]] = Notes(budget)
        #: By text, how it is read and levels above it.
        self._parts: Notes[tuple[str, int, int], list[Conjunct]] = Notes(budget)
        self._pieces: Notes[object, list[_Piece]] = Notes(budget)
        #: For parts of texts without their constants the places of those that have to stay.
        self._fixed: Notes[object, tuple[int, ...]] = Notes(budget)
        self._templates: Notes[object, Template] = Notes(budget)
        self._with_names: Notes[tuple[int, str, int], tuple[Shape, list[str]]] = Notes(budget)

    def of(self, tree: Expression) -> list[Conjunct]:
        """The conjuncts of an expression, from left to right."""
        text = text_of(tree)
        found = self._known.get(text)
        if found is None:
            found = self._split(tree, text)
            self._known.keep(text, found, 500 + 8 * len(found))
        return found

    def shape(self, conjunct: Conjunct) -> Shape:
        """A conjunct with the constants that it has."""
        if conjunct.node is not None:
            return self._shapes.of(conjunct.node)
        template = conjunct.template
        assert template is not None
        if not template.literals:
            return self.shape_with(template, "", 0)[0]
        node = template.node(list(map(Literal, conjunct.values)))
        return self._shapes.of_node(node)

    def shape_with(self, template: Template, where: str, number: int) -> tuple[Shape, list[str]]:
        """A template with attributes for constants, and the names of these.

        ``where`` and ``number`` tell them from those of other uses.
        """
        key = (template.uid, where, number)
        found = self._with_names.get(key)
        if found is None:
            names = template.names(where, number)
            node = template.node([Reference(name, base=_SELF) for name in names])
            shape = self._shapes.of_node(node)
            found = self._with_names.keep(key, (shape, names), 400 + 80 * len(names))
        return found

    def _split(self, tree: Expression, text: tuple[str, int]) -> list[Conjunct]:
        if tree._node.__class__ is not Unbuilt:
            return self._whole(tree)
        found: list[Conjunct] = []
        parts = conjuncts_in(text[0])
        how = text[1] & ~PREFIX
        for number, part in enumerate(parts):
            # Each of several is an operand of those to its right.
            key = (part, how, len(parts) - max(number, 1))
            conjuncts = self._parts.get(key)
            if conjuncts is None:
                conjuncts = self._conjuncts_of(*key)
                if conjuncts is None:
                    return self._whole(tree)
                self._parts.keep(key, conjuncts, 1200 + len(part) + 200 * len(conjuncts))
            found += conjuncts
        return found

    def _whole(self, tree: Expression) -> list[Conjunct]:
        """The conjuncts of an expression of which more than the text has to be looked at."""
        return [
            Conjunct(name_in(node, "", "my"), level, node, None, ())
            for node, level in _conjuncts_of(tree.node)
        ]

    def _conjuncts_of(self, text: str, how: int, above: int) -> list[Conjunct] | None:
        """The conjuncts of a part of a text; None if it is no expression."""
        left = constants_of(text)
        if left is None:
            root = parse(text, how)
            if root is None:
                return None
            whole = self._whole(Expression.from_node(root))
            return [each._replace(level=each.level + above) for each in whole]
        values, key = left[1], (left[0], how)
        fixed = self._fixed.get(key)
        pieces = None
        if fixed is not None:
            pieces = self._pieces.get((*key, *_kept(values, fixed)))
        if pieces is None:
            root = parse(text, how)
            if root is None:
                return None
            fixed, pieces = self._understood(root, text, how, len(values))
            self._fixed.keep(key, fixed, 300 + 8 * len(fixed))
            self._pieces.keep((*key, *_kept(values, fixed)), pieces, 800 + 300 * len(pieces))
        return [
            Conjunct(
                piece.name,
                piece.level + above,
                None,
                piece.template,
                tuple([constant.of(values) for constant in piece.constants]),
            )
            for piece in pieces
        ]

    def _understood(
        self, root: Node, text: str, how: int, count: int
    ) -> tuple[tuple[int, ...], list[_Piece]]:
        """The constants of a text that have to stay, and its conjuncts without the others."""
        ends = ends_of(text)
        pieces: list[_Piece] = []
        free: set[int] = set()
        searches = names_search(text)
        for node, level in _conjuncts_of(root) if searches else _operands_of(root):
            # Where the evaluation has moved to constants are not found by names of the row.
            found = () if searches and may_move(node) else places_of(text, ends, node)
            places = sorted(found, key=lambda one: one[1].place)
            free.update(constant.place for _, constant in places)
            template = self._template(node, text, how, [literal for literal, _ in places])
            constants = tuple([constant for _, constant in places])
            pieces.append(_Piece(name_in(node, "", "my"), level, template, constants))
        return tuple([place for place in range(count) if place not in free]), pieces

    def _template(self, node: Node, text: str, how: int, literals: list[Literal]) -> Template:
        """The template of a conjunct: one for all that are spelled alike."""
        spelled, at = [], node.start
        for literal in literals:
            spelled += [text[at : literal.start], literal.value.__class__.__name__]
            at = literal.end
        key = (*spelled, text[at : node.end], how)
        found = self._templates.get(key)
        if found is None:
            found = self._templates.keep(key, Template(node, literals), 600 + 100 * len(literals))
        return found


def _kept(values: list[Scalar], fixed: tuple[int, ...]) -> list[tuple[type, str]]:
    return [(values[place].__class__, repr(values[place])) for place in fixed]


def _conjuncts_of(root: Node) -> list[tuple[Node, int]]:
    """The nodes that are conjuncts, in their order, with the levels above them.

    None where what follows one of them is evaluated elsewhere: the root is the only one then.
    """
    found = list(_operands_of(root))
    return [(root, 0)] if may_move(*[node for node, _ in found[:-1]]) else found


def _operands_of(root: Node) -> Iterator[tuple[Node, int]]:
    """What ``&&`` joins, with the levels above it."""
    todo: list[tuple[Node, int]] = [(root, 0)]
    while todo:
        node, level = todo.pop()
        if isinstance(node, Parens):
            todo.append((node.inner, level + 1))
        elif isinstance(node, Binary) and node.operator == "&&":
            todo.append((node.right, level + 1))
            todo.append((node.left, level + 1))
        else:
            yield node, level


__all__: Final = ["Conjunct", "Splits"]
