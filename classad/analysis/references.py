"""Finds the attributes that an expression depends on: those of its own ad and those of other ads.

Inputs: an expression and the ad it would be evaluated in.  Outputs: names, and whether the search
went to its end; HTCondor gives up at a cycle and at a selection from something that is no ad.
Follows: section 8 of the language notes; vectors ``flatten_refs.jsonl``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from classad.ads.ad import Ad, ListValue, Stored, node_of_value
from classad.ads.expression import Expression
from classad.evaluate import as_tree
from classad.evaluation.reference import ReferenceState, value_of
from classad.evaluation.scopes import LocatedAttribute, find, outermost, own
from classad.evaluation.state import NO_CONTEXT, EvalContext, EvalState
from classad.language.bounds import EvaluationFailure, more_frames
from classad.language.names import fold_name
from classad.language.values import UNDEFINED
from classad.syntax import nodes
from classad.syntax.nodes import Node
from classad.syntax.unparse import unparse


class References(NamedTuple):
    """``names`` are those found, up to the place where the search gave up if not ``ok``."""

    ok: bool
    names: list[str]


def external_references(
    ad: Ad,
    expr: Expression | Node | str,
    *,
    full_names: bool = False,
    context: EvalContext | None = None,
) -> References:
    """Names that ``ad`` does not define, in the spelling of their first use, sorted caselessly.

    Attributes of ``ad`` are followed into their expressions; all branches count.  ``TARGET.x`` is
    ``TARGET``, or ``TARGET.x`` with ``full_names``.
    """
    return _walk(_External(ad, full_names, context), as_tree(expr, context).node, ad)


def internal_references(
    ad: Ad, expr: Expression | Node | str, *, context: EvalContext | None = None
) -> References:
    """Attributes of ``ad`` that the expression uses, directly or through others."""
    return _walk(_Internal(ad, context), as_tree(expr, context).node, ad)


def external_names(attribute: LocatedAttribute, state: EvalState) -> list[str] | None:
    """The full external references of what a look-up found, in the scopes of an evaluation."""
    walker = _External(attribute[2], True, state.context)
    walker.state.left, walker.state.right = state.left, state.right
    return list(walker.names.values()) if _ends(walker.follow, attribute) else None


def _walk(walker: _Walker, node: Node, ad: Ad) -> References:
    ok = _ends(walker.visit, node, ad)
    return References(ok, [walker.names[key] for key in sorted(walker.names)])


def _ends(search: Callable[..., None], *given: object) -> bool:
    """Whether a search went to its end."""
    with more_frames():
        try:
            search(*given)
        except (EvaluationFailure, RecursionError):
            return False
    return True


class _Walker:
    """The common part: descend into operands, lists, nested ads and attributes' expressions."""

    def __init__(self, ad: Ad, context: EvalContext | None) -> None:
        self.root = ad
        self.names: dict[str, str] = {}
        self.active: list[Expression] = []
        self.state = ReferenceState(context or NO_CONTEXT)
        self.state.start = ad

    def add(self, name: str) -> None:
        """Note a name; the first spelling stays."""
        self.names.setdefault(fold_name(name), name)

    def visit(self, node: Node, ad: Ad) -> None:
        """Collect from a node whose names are looked up in ``ad``."""
        if node.__class__ is nodes.Reference:
            self.reference(node, ad)
            return
        for child in node.children():
            self.visit(child, ad)

    def reference(self, node: nodes.Reference, ad: Ad) -> None:
        """Collect from a reference."""
        raise AssertionError("each walker has its own rule")

    def look_up(self, node: nodes.Reference, base: Stored, ad: Ad) -> LocatedAttribute | None:
        """What a reference finds; ``base`` is its evaluated base, if it has one."""
        key = fold_name(node.name)
        if node.base is not None:
            if not isinstance(base, Ad):
                raise EvaluationFailure("a name is selected from something that is no ad")
            return find(base, key, self.state)
        return find(outermost(self.state) if node.absolute else ad, key, self.state)

    def follow(self, attribute: LocatedAttribute) -> None:
        """Collect from what was found."""
        value, _, current = attribute
        if value.__class__ is Expression:
            if any(value is other for other in self.active):
                raise EvaluationFailure("an attribute refers to itself")
            self.active.append(value)
            self.visit(value.node, current)
            self.active.pop()
        elif value.__class__ is ListValue:
            self.visit(node_of_value(value), current)
        elif isinstance(value, Ad) and value._parent is current:
            self.nested(value, current)

    def nested(self, value: Ad, current: Ad) -> None:
        """Collect from a nested ad that an attribute holds; its names count as the outer ad's."""
        for item in value._attrs.values():
            if isinstance(item, Ad):
                self.nested(item, current)
            else:
                self.follow((item, value, current))


class _External(_Walker):
    def __init__(self, ad: Ad, full_names: bool, context: EvalContext | None) -> None:
        super().__init__(ad, context)
        self.full_names = full_names

    def reference(self, node: nodes.Reference, ad: Ad) -> None:
        base = None
        if node.base is not None:
            base = value_of(node.base, ad, self.state)
            if base is UNDEFINED:
                if self.full_names:
                    self.add(unparse(node))
                else:
                    self.visit(node.base, ad)
                return
        found = self.look_up(node, base, ad)
        if found is None:
            self.add(node.name)
        else:
            self.follow(found)


class _Internal(_Walker):
    #: Whether names in nested ads count; not in one that is there to select from.
    _inside = True

    def visit(self, node: Node, ad: Ad) -> None:
        if self._inside or node.__class__ is not nodes.AdExpr:
            super().visit(node, ad)

    def nested(self, value: Ad, current: Ad) -> None:
        if self._inside:
            super().nested(value, current)

    def reference(self, node: nodes.Reference, ad: Ad) -> None:
        base = None
        if node.base is not None:
            before, self._inside = self._inside, False
            self.visit(node.base, ad)
            self._inside = before
            base = value_of(node.base, ad, self.state)
            if base is UNDEFINED:
                return
        found = self.look_up(node, base, ad)
        if found is None:
            return
        if found[2] is self.root and own(self.root, fold_name(node.name)) is not None:
            self.add(node.name)
        self.follow(found)
