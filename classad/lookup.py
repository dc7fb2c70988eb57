"""Attribute references of compiled expressions: the short ways of ``classad.scopes``.

Inputs: the ad, the state and a folded name that is none of the special ones.  Outputs: values.
The shortcuts hold in daemon mode only; strict evaluation never comes here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classad.ad import ClassAd
from classad.expr import ExprTree
from classad.lists import ListValue
from classad.scopes import find, find_unscoped, own
from classad.values import ERROR, UNDEFINED

if TYPE_CHECKING:
    from classad.state import EvalState


def fetch_plain(ad: ClassAd, state: EvalState, key: str) -> Any:
    """An unscoped name that ``ad`` itself does not hold as a value."""
    value = ad._attrs.get(key)
    if value is None:
        if state.left is None:
            if ad._chained is None and ad._parent is None:
                return UNDEFINED
        elif ad._chained is None:
            other = state.right if ad is state.left else state.left if ad is state.right else None
            if other is not None:
                return stored(other, state, key)
        found = find_unscoped(ad, key, state)
        return UNDEFINED if found is None else state.dereference(found[0], found[2], found[1])
    return value if value.__class__ is not ExprTree else state.follow(value, ad, ad)


def stored(ad: ClassAd, state: EvalState, key: str) -> Any:
    """The attribute of one of the two ads of a match, evaluated there."""
    value = ad._attrs.get(key)
    if value is None:
        if ad._chained is None:
            return UNDEFINED
        hit = own(ad, key)
        return UNDEFINED if hit is None else state.dereference(hit[0], ad, hit[1])
    return value if value.__class__ is not ExprTree else state.follow(value, ad, ad)


def fetch_target(ad: ClassAd, state: EvalState, key: str) -> Any:
    """``TARGET.key``."""
    if state.left is not None and ad._chained is None and "target" not in ad._attrs:
        if ad is state.left:
            return stored(state.right, state, key)  # type: ignore[arg-type]
        if ad is state.right:
            return stored(state.left, state, key)
    found = find(ad, "target", state)
    if found is None:
        return UNDEFINED
    return select(state.dereference(found[0], found[2], found[1]), key, ad, state)


def fetch_my(ad: ClassAd, state: EvalState, key: str) -> Any:
    """``MY.key``."""
    hit = own(ad, "my")
    if hit is not None:
        return select(state.dereference(hit[0], ad, hit[1]), key, ad, state)
    return select(ad, key, ad, state)


def select(base: Any, key: str, ad: ClassAd, state: EvalState) -> Any:
    """The attribute ``key`` of an evaluated base: of an ad, or of each member of a list."""
    if isinstance(base, ClassAd):
        found = None if base.computed else find(base, key, state)
        if found is None:
            return UNDEFINED
        return state.dereference(found[0], found[2], found[1])
    if base.__class__ is ListValue:
        return ListValue([_select_member(item, key, ad, base.scope, state) for item in base.items])
    return UNDEFINED if base is UNDEFINED else ERROR


def _select_member(item: Any, key: str, ad: ClassAd, home: ClassAd | None, state: EvalState) -> Any:
    """The attribute of one member of a list, which is evaluated here, not where the list is."""
    from classad.build import computed_member, detached

    value = select(state.member(item, ad, home), key, ad, state)
    return computed_member(detached(value, computed=False))
