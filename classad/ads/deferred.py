"""The part of an expression that the evaluator works with.

It stands below ``classad.ads.expression`` so that evaluation states and lists can tell an
expression from a value without knowing the Python interface.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from classad.syntax.nodes import Node

#: What a compiled expression is: ``run(ad, state) -> value``.
Run = Callable[[Any, Any], Any]


#: How a text is read, as csrc/kernels.h numbers it: strings in old syntax, strict semantics, text
#: behind a complete expression ignored.
OLD: Final = 1
STRICT: Final = 2
PREFIX: Final = 4


class Unbuilt:
    """A text that is known to be an expression, in place of its syntax tree.

    ``how``: a sum of the three above.  ``value``: it is a literal, a list or an ad.
    """

    __slots__ = ("_node", "how", "text", "value")

    def __init__(self, text: str, how: int, value: bool) -> None:
        self.text = text
        self.how = how
        self.value = value
        self._node: Node | None = None

    def node(self) -> Node:
        """The tree, made at the first call."""
        if self._node is None:
            from classad.syntax.native import parse

            self._node = parse(self.text, self.how)
        assert self._node is not None
        return self._node


class Deferred:
    """An unevaluated expression and its compiled form; ``compile`` fills in all but ``_node``.

    ``_node``: the syntax tree, or the text that it is made from when it is first needed.
    ``run``: the closure, None before compilation.  ``mark``: what tells this expression from others
    among those under way.  ``height``: levels it can need.  ``size``: nodes it can visit once.
    ``constructs``: it contains a list or an ad, which remember the ad they were made in.
    ``modest``: it is compiled and evaluates nothing that could need a state of its own, unless an
    attribute turns out to be an expression.
    """

    __slots__ = ("__weakref__", "_node", "constructs", "height", "mark", "modest", "run", "size")

    _node: Node | Unbuilt
    run: Run | None
    mark: object
    height: int
    size: int
    constructs: bool
    modest: bool

    @property
    def node(self) -> Node:
        """The syntax tree.  The text stays: it is the cheapest way to tell expressions apart."""
        node = self._node
        return node.node() if isinstance(node, Unbuilt) else node

    def compile(self) -> Run:
        """Translate the syntax tree into a closure and measure it."""
        from classad.compiled.compiler import compile_tree

        return compile_tree(self)
