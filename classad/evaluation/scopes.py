"""Where a name is looked for: one ad, its chained parents, the enclosing ads, the match context.

Inputs: the ad to start from, the folded name, the evaluation's state.  Outputs: what was found,
the ad that holds it and the ad it is to be evaluated in.
Never here: evaluation of what was found.
Follows: section 5 of the language notes; vectors ``scope.jsonl``, ``chained.jsonl``,
``strict.jsonl``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classad.language.limits import NeedExact
from classad.language.names import SPECIAL

if TYPE_CHECKING:
    from classad.ads.ad import ClassAd
    from classad.evaluation.state import EvalState

#: What ``find`` gives: the stored value or expression, its holder, and where to evaluate it.
Found = tuple[Any, "ClassAd", "ClassAd"]


def own(ad: ClassAd, key: str) -> tuple[Any, ClassAd] | None:
    """The attribute in the ad itself or a chained parent, with its holder."""
    holder: ClassAd | None = ad
    while holder is not None:
        value = holder._attrs.get(key)
        if value is not None:
            return value, holder
        holder = holder._chained
    return None


def find(start: ClassAd, key: str, state: EvalState) -> Found | None:
    """Look a name up from ``start`` outward; None if nothing has it."""
    current: ClassAd | None = start
    while current is not None:
        hit = own(current, key)
        if hit is not None:
            return hit[0], hit[1], current
        outer = enclosing(current, state)
        if key in SPECIAL:
            special = _special(current, outer, key, state)
            if special is not None:
                return special, current, current
            if key == "parent":
                return None
        current = outer
        if current is start:
            return None
    return None


def find_unscoped(start: ClassAd, key: str, state: EvalState) -> Found | None:
    """As ``find``; what neither MY nor TARGET's surroundings have is looked for in the other ad.

    For an ad that a function visits that is the partner of the ad around it (``opposite``).
    """
    found = find(start, key, state)
    if found is None and state.left is not None and not state.context.strict:
        other = opposite(start, state)
        found = None if other is None else find(other, key, state)
    return found


def searched(start: ClassAd, key: str, state: EvalState, *, unscoped: bool) -> list[ClassAd]:
    """The ads in which ``find`` or ``find_unscoped`` looks for a name that no ad has, in order."""
    ads = _passed(start, key, state)
    if unscoped and state.left is not None and not state.context.strict:
        other = opposite(start, state)
        ads += [] if other is None else _passed(other, key, state)
    return ads


def _passed(start: ClassAd, key: str, state: EvalState) -> list[ClassAd]:
    ads: list[ClassAd] = []
    current: ClassAd | None = start
    while current is not None:
        holder: ClassAd | None = current
        while holder is not None:
            ads.append(holder)
            holder = holder._chained
        current = None if key == "parent" else enclosing(current, state)
        if current is start:
            break
    return ads


def opposite(ad: ClassAd, state: EvalState) -> ClassAd | None:
    """The other ad of the match, seen from one of the two or from a guest of one."""
    for guest, home in reversed(state.guests):
        if ad is guest:
            ad = home
    return state.right if ad is state.left else state.left if ad is state.right else None


def enclosing(ad: ClassAd, state: EvalState) -> ClassAd | None:
    """The lexically enclosing ad; for the two ads of a match, their side of the match ad."""
    if state.left is not None:
        if ad is state.left:
            return match_scopes(state)[0]
        if ad is state.right:
            return match_scopes(state)[1]
    return ad._parent


def outermost(state: EvalState) -> ClassAd:
    """What a leading dot, ``root`` and ``toplevel`` mean: the outermost ad around the first one.

    Ads that a function visits, and ads of which an attribute is asked for by subscript, have their
    own: copies stand alone.
    """
    if state.root_ad is not None:
        return state.root_ad
    if state.left is not None:
        outer = match_scopes(state)[0]._parent
        assert outer is not None
        return outer
    if state.start is None:
        raise NeedExact  # only the exact evaluator keeps account of it
    current = state.start
    while current._parent is not None and current._parent is not state.start:
        current = current._parent
    return current


def root_around(ad: ClassAd, state: EvalState) -> ClassAd | None:
    """The outermost ad around an ad; None if it belongs to the match, whose ad is outermost."""
    current, left = ad, state.left
    while True:
        if left is not None and (current is left or current is state.right):
            return None
        outer = current._parent
        if outer is None or outer is ad:
            break
        current = outer
    scopes = state._scopes
    return None if scopes is not None and current is scopes[0]._parent else current


def _special(current: ClassAd, outer: ClassAd | None, key: str, state: EvalState) -> Any:
    if key == "self" or (key == "my" and not state.context.strict):
        return current
    if key == "parent":
        return outer
    if key == "root" or key == "toplevel":
        return outermost(state)
    if key == "currenttime" and not state.context.strict:
        return int(state.now())
    return None


def match_scopes(state: EvalState) -> tuple[ClassAd, ClassAd]:
    """The enclosing contexts of the two ads of a match, inside one match ad."""
    if state._scopes is None:
        from classad.evaluation.match_ad import build_match_scopes

        state._scopes = build_match_scopes(state.left, state.right)
    return state._scopes
