"""Looks up attribute references of compiled expressions, by short ways of ``evaluation.scopes``.

Inputs: the ad, the state and a folded name that is none of the special ones.  Outputs: values.
The shortcuts hold in daemon mode only; strict evaluation never comes here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classad.ads.ad import Ad, ListValue, Stored, computed_member, detached
from classad.evaluation.scopes import find
from classad.language.values import ERROR, UNDEFINED

if TYPE_CHECKING:
    from classad.evaluation.state import EvalState


def select(base: Stored, key: str, ad: Ad, state: EvalState) -> Stored:
    """The attribute ``key`` of an evaluated base: of an ad, or of each member of a list."""
    if isinstance(base, Ad):
        found = None if base.computed else find(base, key, state)
        if found is None:
            return UNDEFINED
        return state.dereference(found[0], found[2], found[1])
    if base.__class__ is ListValue:
        return ListValue([_select_member(item, key, ad, base.scope, state) for item in base.items])
    return UNDEFINED if base is UNDEFINED else ERROR


def _select_member(item: Stored, key: str, ad: Ad, home: Ad | None, state: EvalState) -> Stored:
    """The attribute of one member of a list, which is evaluated here, not where the list is."""
    value = select(state.member(item, ad, home), key, ad, state)
    return computed_member(detached(value, computed=False))
