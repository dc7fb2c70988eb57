"""Flattens ``Requirements`` against their own ad as the negotiator does when a cycle begins.

What is known then stays as it is, whatever the other ad says or the cycle changes.  Follows the
vectors (``eval``, functions of the negotiator and ``CurrentRank`` in requirements).
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Final, Protocol

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.evaluate import EvalContext
from classad.evaluation.functions import CHANCE, USAGE, lookup_function
from classad.syntax.nodes import Node
from negotiator.expressions.known import KnownExpressions

#: What the cycle overwrites, in the ads that have another attribute.
OVERWRITTEN: Final = {"currentrank": "PreemptingRank"}


class AdSet(Protocol):
    """Some ads whose attributes are looked at together; sets of them are bits of an integer."""

    def trees(self, name: str) -> Iterable[tuple[int, Expression]]:
        """The expressions that ads have for an attribute, each with a number."""

    def having_tree(self, name: str, numbers: Set[int]) -> int:
        """The ads that have one of the expressions with these numbers."""

    def having(self, name: str) -> int:
        """The ads that have an attribute."""


@frozen(eq=False)
class _OneAd:
    ad: ClassAd

    def trees(self, name: str) -> Iterable[tuple[int, Expression]]:
        value = self.ad.raw(name)
        return ((0, value),) if isinstance(value, Expression) else ()

    def having_tree(self, name: str, numbers: Set[int]) -> int:
        return 1

    def having(self, name: str) -> int:
        return int(self.ad.raw(name) is not None)


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
        if before.__class__ is not Expression or not self._matters(ad):
            return None
        flat = flatten(ad, before, inline=True, context=self._context)
        return _form(flat.tree, flat.value) if flat.ok else None

    def _matters(self, ad: ClassAd) -> bool:
        if ad._chained is None and all(ad.raw(name) is None for name in OVERWRITTEN.values()):
            steady = self._steady
            trees = [v for v in ad._attrs.values() if v.__class__ is Expression]
            if not any(self._is_unsteady(v) for v in trees if id(v) not in steady):
                return False
        return bool(self.to_flatten(_OneAd(ad), ("requirements",)))

    def to_flatten(self, ads: AdSet, names: Iterable[str]) -> int:
        """The ads, as bits, whose requirements can be others when they are flattened now.

        An expression that ``names`` lead to calls an unsteady function, or reads what is
        overwritten later.
        """
        found = 0
        seen: set[str] = set()
        todo = [*names]
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            unsteady = set()
            for number, tree in ads.trees(name):
                mentioned, varies = self.look(tree)
                todo += mentioned
                if varies:
                    unsteady.add(number)
            if unsteady:
                found |= ads.having_tree(name, unsteady)
            if name in OVERWRITTEN:
                found |= ads.having(OVERWRITTEN[name])
        return found

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
