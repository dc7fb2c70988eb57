"""Fetches an attribute for compiled expressions where the shortest way does not find it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classad.ads.ad import Ad as ClassAd
from classad.ads.expression import Expression as ExprTree
from classad.evaluation.scopes import find, find_unscoped, own
from classad.evaluation.selection import select
from classad.language.values import UNDEFINED

if TYPE_CHECKING:
    from classad.evaluation.state import EvalState


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
