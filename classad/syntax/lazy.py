"""Keeps the text of an expression in place of its syntax tree, until somebody asks for the tree.

Most expressions of a pool are copies of others, and of many only the text is ever compared; so the
parser in C says whether a text is an expression, and its nodes are made when they are needed.  This
module is light on purpose: the nodes and the parser are imported with the first text.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from classad.syntax.native import Leaves
    from classad.syntax.nodes import Node


class LazyExpression:
    """A text that is known to be an expression.

    ``how``: a sum of ways of reading (``classad.language.rules``).  ``value``: it is a literal, a
    list or an ad.
    """

    __slots__ = ("_leaves", "_node", "how", "text", "value")
    _leaves: Leaves | None

    def __init__(self, text: str, how: int, value: bool) -> None:
        self.text = text
        self.how = how
        self.value = value
        self._node: Node | None = None

    def node(self) -> Node:
        """The tree, made at the first call."""
        if self._node is None:
            self._node = _native().parse(self.text, self.how)
        assert self._node is not None
        return self._node

    def leaves(self) -> Leaves | None:
        """The members of a list or an ad of literals and names, which needs no tree; or None.

        They are read once: the slots of a pool have copies.
        """
        try:
            return self._leaves
        except AttributeError:
            self._leaves = read_leaves(self.text, self.how)
            return self._leaves


@cache
def _native() -> ModuleType:
    """The parser in C, which is loaded with the first text."""
    from classad.syntax import native

    return native


def parse_lazily(text: str, how: int = 0) -> LazyExpression | None:
    """The expression, if the C parser takes it and it is short enough to be read twice."""
    is_value = _native().look(text, how)
    return None if is_value is None else LazyExpression(text, how, is_value)


def read_leaves(text: str, how: int = 0) -> Leaves | None:
    """The members of a list or an ad of literals and names; None for all else."""
    found: Leaves | None = _native().leaves(text, how)
    return found
