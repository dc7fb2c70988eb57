"""Builds the match ad that two matched ads live in, as far as expressions can see it.

Inputs: the two ads.  Outputs: the two contexts between them and the match ad.  The ads themselves
are not touched: which ad is enclosed by which context is known to the evaluation's state only, so
that one ad can take part in many matches, also at the same time.
Follows: the layout of HTCondor's match ad; vectors ``match.jsonl`` and ``scope.jsonl``.
"""

from __future__ import annotations

from functools import cache

from classad.ads.ad import Ad
from classad.ads.expression import Expression
from classad.syntax.nodes import Binary, Node, Reference


def _path(*names: str, absolute: bool = False) -> Node:
    node: Node = Reference(names[0], absolute=absolute)
    for name in names[1:]:
        node = Reference(name, base=node)
    return node


@cache
def _expressions() -> tuple[Ad, Ad, Ad]:
    """Attributes of the match ad and of the left and right context."""
    both = Binary("&&", _path("RIGHT", "requirements"), _path("LEFT", "requirements"))
    outer: dict[str, Node] = {
        "symmetricMatch": both,
        "leftMatchesRight": _path("RIGHT", "requirements"),
        "rightMatchesLeft": _path("LEFT", "requirements"),
        "leftRankValue": _path("LEFT", "rank"),
        "rightRankValue": _path("RIGHT", "rank"),
    }
    here, there = _path("LEFT", absolute=True), _path("RIGHT", absolute=True)
    left = {"ad": here, "my": here, "other": there, "target": there}
    right = {"ad": there, "my": there, "other": here, "target": here}
    return _trees(outer), _trees(left), _trees(right)


def _trees(nodes: dict[str, Node]) -> Ad:
    ad = Ad()
    for name, node in nodes.items():
        ad.insert(name, Expression.from_node(node))
    return ad


def _like(pattern: Ad) -> Ad:
    """Another ad with these attributes, none of which belongs to its ad."""
    ad = Ad()
    ad._attrs, ad._names = pattern._attrs.copy(), pattern._names.copy()
    return ad


def build_match_scopes(left: Ad, right: Ad) -> tuple[Ad, Ad]:
    """The left and right context of a match."""
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
