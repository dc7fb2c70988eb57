"""Looks names up: in one ad, its chained parents, the enclosing ads, the match context.

Inputs: the ad to start from, the folded name, the evaluation's state.  Outputs: what was found,
the ad that holds it and the ad it is to be evaluated in.
Follows: section 5 of the language notes; the layout of HTCondor's match ad; vectors
``scope.jsonl``, ``chained.jsonl``, ``strict.jsonl``, ``match.jsonl``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression, parsed
from classad.evaluation.context import NO_CONTEXT, EvalContext
from classad.language.bounds import EvaluationFailure, NeedExact
from classad.language.names import SPECIAL

#: What ``find`` gives: the stored value or expression, its holder, and where to evaluate it.
LocatedAttribute = tuple[Stored, Ad, Ad]


class Scopes:
    """The ads of one evaluation.

    The attributes have class-level defaults because most evaluations never write one: creating the
    state costs nothing then.  ``left`` and ``right`` are the two ads of a match context.
    """

    context: EvalContext = NO_CONTEXT
    left: Ad | None = None
    right: Ad | None = None
    #: The ad in which the evaluation started; kept by the exact evaluator only.
    start: Ad | None = None
    #: What is outermost there: None for the match ad, or what is around ``start``.
    root_ad: Ad | None = None
    #: Ads visited by a function, each with the ad whose TARGET they share (``EvalState.visit``).
    guests: tuple[tuple[Ad, Ad], ...] = ()
    _now: float | None = None
    _scopes: tuple[Ad, Ad] | None = None

    def now(self) -> float:
        """Seconds since 1970 UTC, the same throughout one evaluation."""
        if self._now is None:
            self._now = self.context.now
            if self._now is None:
                raise EvaluationFailure("the evaluation was given no clock")
        return self._now


def own(ad: Ad, key: str) -> tuple[Stored, Ad] | None:
    """The attribute in the ad itself or a chained parent, with its holder."""
    holder: Ad | None = ad
    while holder is not None:
        value = holder._attrs.get(key)
        if value is not None:
            return value, holder
        holder = holder._chained
    return None


def find(start: Ad, key: str, state: Scopes) -> LocatedAttribute | None:
    """Look a name up from ``start`` outward; None if nothing has it."""
    current: Ad | None = start
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
    return None


def find_unscoped(start: Ad, key: str, state: Scopes) -> LocatedAttribute | None:
    """As ``find``; what neither MY nor TARGET's surroundings have is looked for in the other ad.

    For an ad that a function visits that is the partner of the ad around it (``opposite``).
    """
    found = find(start, key, state)
    if found is None and state.left is not None and not state.context.strict:
        other = opposite(start, state)
        found = None if other is None else find(other, key, state)
    return found


def searched(start: Ad, key: str, state: Scopes, *, unscoped: bool) -> list[Ad]:
    """The ads in which ``find`` or ``find_unscoped`` looks for a name that no ad has, in order."""
    ads = _passed(start, key, state)
    if unscoped and state.left is not None and not state.context.strict:
        other = opposite(start, state)
        ads += [] if other is None else _passed(other, key, state)
    return ads


def _passed(start: Ad, key: str, state: Scopes) -> list[Ad]:
    ads: list[Ad] = []
    current: Ad | None = start
    while current is not None:
        holder: Ad | None = current
        while holder is not None:
            ads.append(holder)
            holder = holder._chained
        current = None if key == "parent" else enclosing(current, state)
    return ads


def opposite(ad: Ad, state: Scopes) -> Ad | None:
    """The other ad of the match, seen from one of the two or from a guest of one."""
    for guest, home in reversed(state.guests):
        if ad is guest:
            ad = home
    return state.right if ad is state.left else state.left if ad is state.right else None


def enclosing(ad: Ad, state: Scopes) -> Ad | None:
    """The lexically enclosing ad; for the two ads of a match, their side of the match ad."""
    if state.left is not None:
        if ad is state.left:
            return match_scopes(state)[0]
        if ad is state.right:
            return match_scopes(state)[1]
    return ad._parent


def outermost(state: Scopes) -> Ad:
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


def root_around(ad: Ad, state: Scopes) -> Ad | None:
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


def _special(current: Ad, outer: Ad | None, key: str, state: Scopes) -> Ad | int | None:
    if key == "self" or (key == "my" and not state.context.strict):
        return current
    if key == "parent":
        return outer
    if key == "root" or key == "toplevel":
        return outermost(state)
    if key == "currenttime" and not state.context.strict:
        return int(state.now())
    return None


def match_scopes(state: Scopes) -> tuple[Ad, Ad]:
    """The enclosing contexts of the two ads of a match, inside one match ad."""
    if state._scopes is None:
        assert state.left is not None
        assert state.right is not None
        state._scopes = build_match_scopes(state.left, state.right)
    return state._scopes


#: Attributes of the match ad, and of the context of either ad in it.
_MATCH: Final = {
    "symmetricMatch": "RIGHT.requirements && LEFT.requirements",
    "leftMatchesRight": "RIGHT.requirements",
    "rightMatchesLeft": "LEFT.requirements",
    "leftRankValue": "LEFT.rank",
    "rightRankValue": "RIGHT.rank",
}
_LEFT: Final = {"ad": ".LEFT", "my": ".LEFT", "other": ".RIGHT", "target": ".RIGHT"}
_RIGHT: Final = {"ad": ".RIGHT", "my": ".RIGHT", "other": ".LEFT", "target": ".LEFT"}


@cache
def _expressions() -> tuple[Ad, ...]:
    """The match ad and the two contexts, without what belongs to a match."""
    ads = []
    for texts in (_MATCH, _LEFT, _RIGHT):
        ad = Ad()
        for name, text in texts.items():
            ad.insert(name, Expression.from_node(parsed(text)))
        ads.append(ad)
    return tuple(ads)


def _like(pattern: Ad) -> Ad:
    """Another ad with these attributes, none of which belongs to its ad."""
    ad = Ad()
    ad._attrs, ad._names = pattern._attrs.copy(), pattern._names.copy()
    return ad


def build_match_scopes(left: Ad, right: Ad) -> tuple[Ad, Ad]:
    """The left and right context of a match.

    The ads themselves are not touched: which ad is enclosed by which context is known to the state
    of the evaluation only, so that one ad can take part in many matches, also at the same time.
    """
    outer_trees, left_trees, right_trees = _expressions()
    outer = _like(outer_trees)
    contexts = []
    for side, ad, name, trees in (
        ("LEFT", left, "lCtx", left_trees),
        ("RIGHT", right, "rCtx", right_trees),
    ):
        context = _like(trees)
        context._parent = outer
        outer.attach(name, context)
        outer.attach(side, ad)
        contexts.append(context)
    return contexts[0], contexts[1]
