"""Takes the constants out of expressions, so that those which differ in nothing else are one.

What can be taken out are numbers and strings in plain spelling, where an operator or function gets
them as a value.  What is left is a *template*: it is read and planned once, and the constants
become attributes, of the rows or of the partner, that no ad has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Any, Final, NamedTuple

from classad.evaluation.functions import RAW, lookup_function
from classad.language.values import Scalar
from classad.syntax.nodes import Binary, Call, Conditional, Literal, Node, Parens, Unary

#: Numbers and strings that are what they look like.
_CONSTANT: Final = re.compile(
    r'("[^"\\\n]*"|(?<![\w.])(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,15})?(?![\w.]))', re.ASCII
)
#: What lets a text be read otherwise: escapes, quoted names, comments.
_STRANGE: Final = re.compile(r"[\"'\\]|//|/\*")
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


class Template:
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


def _replaced(node: Any, given: dict[int, Node]) -> Node:
    kind = node.__class__
    if kind is Literal and id(node) in given:
        return given[id(node)]
    if kind not in _TAKEN:
        return node  # type: ignore[no-any-return]
    return with_children(node, [_replaced(part, given) for part in node.children()])


def with_children(node: Any, parts: Sequence[Node]) -> Node:
    """An operator's or a function's node with other operands."""
    kind = node.__class__
    if kind is Call:
        return Call(node.name, tuple(parts))
    found: Node = kind(node.operator, *parts) if kind is Unary or kind is Binary else kind(*parts)
    return found
