"""Values from syntax trees and back: what ads and lists keep.

Inputs: nodes, values.  Outputs: literal values, ``ListValue`` and ``ClassAd`` objects whose members
are plain values or unevaluated ``ExprTree`` objects, and the nodes that print as a given value.
Never here: evaluation.
Follows: "lists and ads evaluate to themselves", section 4 of the language notes.
"""

from __future__ import annotations

from typing import Any

from classad.ads.ad import ClassAd, CopiedAd
from classad.ads.deferred import Unbuilt
from classad.ads.expression import ExprTree
from classad.ads.lists import ListValue
from classad.errors import ClassAdTypeError
from classad.language.times import int32_of_real
from classad.language.values import AbsTime, RelTime, Value
from classad.syntax.nodes import AdExpr, ListExpr, Literal, Node

_SCALARS = frozenset({bool, int, float, str, Value, AbsTime, RelTime})


def item_of(node: Any) -> Any:
    """What an ad keeps for a member: the value of a literal, else an expression.

    A relative-time literal stays an expression because it evaluates to a real.
    """
    if node.__class__ is Literal:
        value = node.value
        if value.__class__ is not RelTime:
            return value
    return ExprTree.from_node(node)


def make_list(node: ListExpr, scope: ClassAd | None) -> ListValue:
    """The list that a list expression is, in ``scope``."""
    # Most members are literals, of which there can be many.
    items = [
        item.value
        if item.__class__ is Literal and item.value.__class__ is not RelTime
        else _built(item, scope)
        for item in node.items
    ]
    return ListValue(items, scope)


def _built(node: Any, scope: ClassAd | None) -> Any:
    """A list member: ads and lists in it belong to the scope where they are written."""
    if node.__class__ is ListExpr:
        return make_list(node, scope)
    if node.__class__ is AdExpr:
        return make_ad(node, scope)
    return item_of(node)


def make_ad(node: AdExpr, parent: ClassAd | None) -> ClassAd:
    """The ad that an ad expression is, nested in ``parent``."""
    ad = ClassAd()
    ad._parent = parent
    for name, value in node.attributes:
        ad.insert(name, item_of(value))
    return ad


def stored_form(tree: ExprTree, ad: ClassAd) -> Any:
    """What ``ad`` keeps for an attribute given as an expression."""
    node: Any = tree._node
    if node.__class__ is Unbuilt:
        if not node.value:
            return tree
        node = tree.node
    kind = node.__class__
    if kind is Literal:
        value = node.value
        return tree if value.__class__ is RelTime else value
    if kind is ListExpr:
        return make_list(node, ad)
    if kind is AdExpr:
        return make_ad(node, ad)
    return tree


def is_value(tree: ExprTree) -> bool:
    """Whether an ad keeps this expression as a value, but for a relative time."""
    node: Any = tree._node
    if node.__class__ is Unbuilt:
        return bool(node.value)
    return node.__class__ is Literal or node.__class__ is ListExpr or node.__class__ is AdExpr


def prepared(value: Any, ad: ClassAd) -> Any:
    """What ``ad`` keeps for an attribute given as a value that is not a plain scalar."""
    if value.__class__ is ExprTree:
        return stored_form(value, ad)
    if value.__class__ is RelTime:
        return ExprTree.from_node(Literal(value))
    if isinstance(value, ListValue):
        return _list_for(value, ad)
    if isinstance(value, ClassAd):
        return _ad_for(value, ad)
    raise ClassAdTypeError(f"an attribute cannot hold a Python `{type(value).__name__}`")


def rescoped(value: Any, ad: ClassAd) -> Any:
    """A stored value for a copy that is ``ad``."""
    return value if value.__class__ is ExprTree else prepared(value, ad)


def _list_for(value: ListValue, scope: ClassAd | None, computed: bool = False) -> ListValue:
    return ListValue([_nested(item, scope) for item in value.items], scope, computed)


def _ad_for(value: ClassAd, parent: ClassAd | None) -> ClassAd:
    twin = value.duplicate()
    twin._parent = parent
    return twin


def _nested(item: Any, scope: ClassAd | None) -> Any:
    if item.__class__ is ListValue:
        return _list_for(item, scope)
    return _ad_for(item, scope) if isinstance(item, ClassAd) else item


def detached(value: Any, computed: bool) -> Any:
    """A value as a copy that nothing encloses, if it is a list or an ad.

    ``computed``: of the other type, which ``ad["name"]`` gives.
    """
    if value.__class__ is ListValue:
        return _list_for(value, None, computed)
    if isinstance(value, ClassAd):
        return CopiedAd(value) if computed else _ad_for(value, None)
    return value


def computed_member(value: Any) -> Any:
    """What a list that is made of values keeps for one: a relative time turns into a literal.

    As such it has whole seconds, 32 bits of them, and evaluates to a real.
    """
    if value.__class__ is RelTime:
        return ExprTree.from_node(Literal(RelTime(float(int32_of_real(value.secs)))))
    return value


def node_of_value(value: Any) -> Node:
    """The syntax tree that stands for a ClassAd value."""
    if value.__class__ in _SCALARS:
        literal: Any = value
        return Literal(literal)
    if value.__class__ is ExprTree:
        node: Node = value.node
        return node
    if isinstance(value, ListValue):
        return ListExpr(tuple(node_of_value(item) for item in value.items))
    if isinstance(value, ClassAd):
        names = value._names
        return AdExpr(
            tuple((names[key], node_of_value(item)) for key, item in value._attrs.items())
        )
    raise ClassAdTypeError(f"a Python `{type(value).__name__}` is no ClassAd value")
