"""Flattens ``Requirements`` against their own ad as the negotiator does when a cycle begins.

What is known then stays as it is, whatever the other ad says or the cycle changes.  Follows the
vectors (``eval``, functions of the negotiator and ``CurrentRank`` in requirements).
"""

from __future__ import annotations

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.evaluate import EvalContext
from classad.evaluation.functions import CHANCE, USAGE, lookup_function
from classad.syntax.nodes import Node
from negotiator.expressions.known import KnownExpressions


class Flattener:
    """Flattens requirements; remembers what it learnt about expressions shared by many ads."""

    def __init__(self, context: EvalContext, expressions: KnownExpressions | None = None) -> None:
        self._context = context
        self._expressions = expressions or KnownExpressions()
        self._varying: dict[str, bool] = {}
        #: Expressions that call no unsteady function, kept so that their identities stay theirs.
        self._steady: dict[int, Expression] = {}

    def flatten(self, ad: ClassAd) -> None:
        """Replace the requirements if it matters."""
        flattened = self.flattened(ad)
        if flattened is not None:
            ad.insert("Requirements", flattened)

    def flattened(self, ad: ClassAd) -> object:
        """The requirements to go by if they are others than those in the ad, else None."""
        before = ad.raw("Requirements")
        if before.__class__ is not Expression or not self._matters(ad, before):
            return None
        flat = flatten(ad, before, inline=True, context=self._context)
        return _form(flat.tree, flat.value) if flat.ok else None

    def _matters(self, ad: ClassAd, tree: Expression) -> bool:
        """Whether the requirements call an unsteady function or see what is overwritten later."""
        overwritten = ad.raw("PreemptingRank") is not None
        own = ad._attrs.get if ad._chained is None else ad.raw
        if ad._chained is None and not overwritten:
            steady = self._steady
            trees = [v for v in ad._attrs.values() if v.__class__ is Expression]
            if not any(self._is_unsteady(v) for v in trees if id(v) not in steady):
                return False
        todo = [tree]
        seen: set[str] = set()
        while todo:
            names, unsteady = self.look(todo.pop())
            if unsteady or (overwritten and "currentrank" in names):
                return True
            todo += [value for value in map(own, names - seen) if isinstance(value, Expression)]
            seen |= names
        return False

    def _is_unsteady(self, tree: Expression) -> bool:
        """Whether an expression calls an unsteady function."""
        unsteady = self.look(tree)[1]
        if not unsteady:
            self._steady[id(tree)] = tree
        return unsteady

    def _varies(self, name: str) -> bool:
        """Whether a function, given constants, has another value later or in another scope."""
        known = self._varying.get(name)
        if known is None:
            function = lookup_function(name, self._context)
            known = function is not None and function.varies_with(CHANCE, USAGE)
            self._varying[name] = known
        return known

    def look(self, tree: Expression) -> tuple[frozenset[str], bool]:
        """The own names an expression mentions, and whether it calls an unsteady function."""
        known = self._expressions.of(tree)
        return known.own, any(map(self._varies, known.references.called))


def _form(tree: Node | None, value: object) -> object:
    return value if tree is None else Expression.from_node(tree)
