"""Checks evaluation in ads that are chained, stand in others, or both, on either side of a match.

Attributes are taken out of each ad, so that names lead from one ad to the next.

Inputs: cases of ``classad.strategies``.  Outputs: none; a check raises.
"""

from __future__ import annotations

from classad import ClassAd, ExprTree
from classad.evaluate import evaluate_exactly, evaluate_full
from classad.strategies.texts import NAMES
from fuzz.language import CONTEXT, same_value, written_whole

#: An expression; the ads on one side, which may be of another one and stand in a third one, and so
#: on the other side, for each the text and a bit for each attribute that it goes without; whether
#: there is another side at all.
ScopeCase = tuple[str, list[tuple[str, int]], list[tuple[str, int]], bool]


def scopes_agree(case: ScopeCase) -> None:
    """The reference evaluator and both grains of the compiled form find the same value."""
    expression, mine, theirs, matched = case
    for way in ("by operations", "as a whole"):
        # Anew each time: an ad keeps what was compiled of its attributes.
        my, target = _ads(mine), _ads(theirs) if matched else None
        left = None if target is None else my
        wanted = evaluate_exactly(ExprTree(expression), my, left, target, CONTEXT)
        tree = ExprTree(expression)
        if way == "as a whole" and not written_whole(tree):
            continue
        found = evaluate_full(tree, my, target, context=CONTEXT)
        same_value(wanted, found, (way, *case))
        # Once more: what an evaluation leaves behind must not be seen by the next one.
        same_value(wanted, evaluate_full(tree, my, target, context=CONTEXT), (way, "again", *case))


def _ads(parts: list[tuple[str, int]]) -> ClassAd:
    """The first ad; the second one is its parent by chain, the third one that by nesting."""
    first, *others = (_without(text, wanting) for text, wanting in parts)
    for number, other in enumerate(others):
        if number == 0:
            first.chain(other)
        else:
            first._parent = other
    return first


def _without(text: str, wanting: int) -> ClassAd:
    ad = ClassAd(text)
    for place, name in enumerate(NAMES):
        if wanting >> place & 1:
            ad.pop(name, None)
    return ad
