"""Splits expressions into conjuncts, and finds those that differ in nothing but constants.

A text is split before it is parsed, where that can be done, and a piece without its constants is
understood as others are that leave the same.  So only what is new in a text is parsed.

Constants are numbers and strings in plain spelling, where an operator or function gets them as a
value.  Without them an expression is a *template*: it is read and planned once, and the constants
become attributes, of the rows or of the partner, that no ad has.

A text with quoted names, escapes or comments, which can hide anything, is left whole; so is one
that has ``&&`` in a string, or beside it an operator that binds less.  What follows a call that may
move the evaluation to another ad stays with it.  The pieces need not be expressions: if one is not,
the text as a whole has to be read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, compress, count, repeat
from typing import Any, Final, NamedTuple

from classad.ads.expression import Expression
from classad.evaluation.functions import RAW, lookup_function, may_move, names_search
from classad.language.rules import PREFIX
from classad.language.values import Scalar
from classad.patterns import late_regex
from classad.syntax.lazy import LazyExpression
from classad.syntax.native import parse
from classad.syntax.nodes import Binary, Call, Conditional, Literal, Node, Parens, Reference, Unary
from classad.table.memo import Memo
from classad.table.shapes import Shape, Shapes, name_in, text_of

#: What can hide operators and brackets from a look at the text; inside a string it does no harm.
_HIDING: Final = ("\\", "'", "//", "/*")
#: What brackets change in how many are open.
_CHANGES: Final = dict.fromkeys("([{", 1) | dict.fromkeys(")]}", -1)
#: What stands for ``||`` where a text is reduced to its operators and brackets.
_OR: Final = "\1"
#: Operators that bind less than ``&&``.
_WEAK: Final = frozenset({_OR, "?", ":"})
_OTHERS: Final = dict.fromkeys(set(range(128)) - {ord(c) for c in (*_CHANGES, *_WEAK)})
#: More brackets than a text has.
_NOWHERE: Final = sys.maxsize


@lru_cache(maxsize=1000)
def conjuncts_in(text: str) -> Sequence[str]:
    """The texts of its conjuncts from left to right; itself if it has but one, or if in doubt."""
    if "&&" not in text:
        return (text,)
    found: list[str] = []
    begun: list[str] = []
    depth, moving = 0, -1
    for part in text.split("&&"):
        # Texts of many jobs are made of few pieces.
        stretch = _stretch(part)
        if stretch is None or depth + stretch.lowest <= 0:
            return (text,)
        depth += stretch.depth
        begun.append(part)
        if stretch.moves and moving < 0:
            moving = len(found)
        if not depth:
            found.append("&&".join(begun).strip(" "))
            begun.clear()
    if begun:
        return (text,)
    return found if moving < 0 else [*found[:moving], " && ".join(found[moving:])]


class _Stretch(NamedTuple):
    """What a text between two ``&&`` does to those around it.

    ``depth``: the brackets that it leaves open; ``lowest``: the fewest that are open at an operator
    that binds less.  ``moves``: what follows may be evaluated in another ad.
    """

    depth: int
    lowest: int
    moves: bool


@lru_cache(maxsize=1000)
def _stretch(part: str) -> _Stretch | None:
    """None if that cannot be told."""
    if part.count('"') % 2 or any(map(part.__contains__, _HIDING)):
        return None
    bare = " ".join(part.split('"')[::2])
    marks = bare.replace("||", _OR).translate(_OTHERS)
    depths = list(accumulate(map(_CHANGES.get, marks, repeat(0)), initial=0))
    lowest = min(compress(depths[1:], map(_WEAK.__contains__, marks)), default=_NOWHERE)
    return _Stretch(depths[-1], lowest, names_search(part))


#: Numbers and strings that are what they look like.
_CONSTANT: Final = late_regex(
    r'("[^"\\\n]*"|(?<![\w.])(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,15})?(?![\w.]))', re.ASCII
)
#: What lets a text be read otherwise: escapes, quoted names, comments.
_STRANGE: Final = late_regex(r"[\"'\\]|//|/\*")
#: The beginning of the names of constants, which no attribute's has.
MARK: Final = "\0"
#: A text without its constants, and the types of these.
Rest = tuple[Any, ...]


class Constant(NamedTuple):
    """Which of a text's constants, and whether a minus before it belongs to it."""

    place: int
    negative: bool

    def of(self, values: Sequence[Any]) -> Any:
        """Its value in a text."""
        value = values[self.place]
        return -value if self.negative else value


@lru_cache(maxsize=1000)
def constants_of(text: str) -> tuple[Rest, list[Scalar]] | None:
    """What a text is without its constants, and these; None if that cannot be told."""
    pieces = _CONSTANT.split(text)
    rest = MARK.join(pieces[::2])
    if _STRANGE.search(rest):
        return None
    values = list(map(_value, pieces[1::2]))
    return (rest, *map(type, values)), values


def _value(text: str) -> Any:
    if text[0] == '"':
        return text[1:-1]
    return float(text) if "." in text else int(text)


def ends_of(text: str) -> dict[int, tuple[int, int]]:
    """For the ends of a text's constants which one it is, and where it begins."""
    return {m.end(): (place, m.start()) for place, m in enumerate(_CONSTANT.finditer(text))}


def places_of(
    text: str, found: dict[int, tuple[int, int]], node: Node
) -> list[tuple[Literal, Constant]]:
    """The constants among the nodes of an expression, which is (a part of) the text's.

    ``found``: the text's ``ends_of``.
    """
    places = []
    for literal in _literals(node):
        place, start = found.get(literal.end, (-1, 0))
        sign = text[literal.start : start]
        if place >= 0 and (not sign or sign.strip() == "-"):
            places.append((literal, Constant(place, bool(sign))))
    return places


def _literals(root: Node) -> Iterator[Literal]:
    """The literals that something gets as values."""
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        kind = node.__class__
        if kind is Literal:
            yield node
        elif kind is Call:
            function = lookup_function(node.name)
            if function is not None and function.laziness is not RAW:
                todo.extend(node.args)
        elif kind in OPERATORS:
            todo.extend(node.children())


OPERATORS: Final = frozenset({Binary, Unary, Conditional, Parens})
_TAKEN: Final = OPERATORS | {Call}


#: No number comes twice: the names of constants are made of it.
_UIDS: Final = count()


class ExpressionTemplate:
    """An expression without its constants.  ``literals``: where they stand in its tree."""

    def __init__(self, node: Node, literals: Sequence[Literal]) -> None:
        self.uid = next(_UIDS)
        self._node = node
        self.literals = [id(literal) for literal in literals]

    def node(self, given: Sequence[Node]) -> Node:
        """The tree with other nodes in place of its constants."""
        return _replaced(self._node, dict(zip(self.literals, given, strict=True)))

    def names(self, where: str, number: int) -> list[str]:
        """Names for its constants."""
        return [f"{MARK}{where}{self.uid}.{number}.{place}" for place in range(len(self.literals))]


def _replaced(root: Any, given: dict[int, Node]) -> Node:
    """The tree with other nodes in place of literals, by the identity of these.

    Without recursion: a chain of operators has no end.
    """
    parents: list[Any] = []
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        kind = node.__class__
        if kind in _TAKEN:
            parents.append(node)
            todo.extend(node.children())
    made = dict(given)
    for node in reversed(parents):
        parts = [made.get(id(part), part) for part in node.children()]
        made[id(node)] = with_children(node, parts)
    found: Node = made.get(id(root), root)
    return found


def with_children(node: Any, parts: Sequence[Node]) -> Node:
    """An operator's or a function's node with other operands."""
    kind = node.__class__
    if kind is Call:
        return Call(node.name, tuple(parts))
    found: Node = kind(node.operator, *parts) if kind is Unary or kind is Binary else kind(*parts)
    return found


class Conjunct(NamedTuple):
    """``name``: the own attribute that it consists of, or nothing.  ``template``: what it is
    without its ``values``; None if that cannot be told, but then there is its ``node``.
    """

    name: str
    level: int
    node: Node | None
    template: ExpressionTemplate | None
    values: tuple[Scalar, ...]


_SELF: Final = Reference("MY")


class _Piece(NamedTuple):
    """A conjunct of all texts that leave the same; ``constants``: which of the text's it has."""

    name: str
    level: int
    template: ExpressionTemplate
    constants: tuple[Constant, ...]


class Splits:
    """The conjuncts of the expressions met so far."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes
        budget = shapes.budget
        self._known: Memo[object, list[Conjunct]] = Memo(budget)
        #: By text, how it is read and levels above it.
        self._parts: Memo[tuple[str, int, int], list[Conjunct]] = Memo(budget)
        self._pieces: Memo[object, list[_Piece]] = Memo(budget)
        #: For parts of texts without their constants the places of those that have to stay.
        self._fixed: Memo[object, tuple[int, ...]] = Memo(budget)
        self._templates: Memo[object, ExpressionTemplate] = Memo(budget)
        self._with_names: Memo[tuple[int, str, int], tuple[Shape, list[str]]] = Memo(budget)

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

    def shape_with(
        self, template: ExpressionTemplate, where: str, number: int
    ) -> tuple[Shape, list[str]]:
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
        if tree._node.__class__ is not LazyExpression:
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

    def _template(
        self, node: Node, text: str, how: int, literals: list[Literal]
    ) -> ExpressionTemplate:
        """The template of a conjunct: one for all that are spelled alike."""
        spelled, at = [], node.start
        for literal in literals:
            spelled += [text[at : literal.start], literal.value.__class__.__name__]
            at = literal.end
        key = (*spelled, text[at : node.end], how)
        found = self._templates.get(key)
        if found is None:
            found = self._templates.keep(
                key, ExpressionTemplate(node, literals), 600 + 100 * len(literals)
            )
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
