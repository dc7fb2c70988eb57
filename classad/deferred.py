"""The part of an expression that the evaluator works with.

It stands below ``classad.expr`` so that evaluation states and lists can tell an expression from a
value without knowing the Python interface.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classad.nodes import Node

#: What a compiled expression is: ``run(ad, state) -> value``.
Run = Callable[[Any, Any], Any]


class Deferred:
    """An unevaluated expression and its compiled form; ``compile`` fills in all but ``_node``.

    ``run``: the closure, None before compilation.  ``mark``: what tells this expression from others
    among those under way.  ``height``: levels it can need.  ``size``: nodes it can visit once.
    ``constructs``: it contains a list or an ad, which remember the ad they were made in.
    ``modest``: it is compiled and evaluates nothing that could need a state of its own, unless an
    attribute turns out to be an expression.
    """

    __slots__ = ("__weakref__", "_node", "constructs", "height", "mark", "modest", "run", "size")

    _node: Node
    run: Run | None
    mark: object
    height: int
    size: int
    constructs: bool
    modest: bool

    @property
    def node(self) -> Node:
        """The syntax tree."""
        return self._node

    def compile(self) -> Run:
        """Translate the syntax tree into a closure and measure it."""
        from classad.compiler import compile_tree

        return compile_tree(self)
