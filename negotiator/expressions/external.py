"""Finds the names that expressions of an ad want from the ad that it meets."""

from __future__ import annotations

from collections.abc import Iterable

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.mentions import references_of


def external_names(ad: ClassAd, trees: Iterable[Expression | None]) -> set[str]:
    """What expressions in ``ad`` want: what has the scope TARGET, or none and is not in the ad."""
    found: set[str] = set()
    for tree in trees:
        if tree is not None:
            refs = references_of(tree.node)
            found |= refs.target
            found.update(name for name in refs.bare if ad.raw(name) is None)
    return found


def external_names_of(ads: Iterable[ClassAd]) -> set[str]:
    """What all expressions of some ads want; ads of one kind share their expressions."""
    found: set[str] = set()
    #: By the expressions' identities; they are kept so that these stay theirs.
    known: dict[tuple[int, ...], tuple[list[Expression], frozenset[str]]] = {}
    for ad in ads:
        trees = [value for value in ad._attrs.values() if value.__class__ is Expression]
        key = tuple(map(id, trees))
        if key not in known:
            refs = [references_of(tree.node) for tree in trees]
            found.update(*(each.target for each in refs))
            known[key] = (trees, frozenset[str]().union(*(each.bare for each in refs)))
        own = ad._attrs
        new = [name for name in known[key][1] - found if name not in own]
        found.update(name for name in new if ad.raw(name) is None)
    return found
