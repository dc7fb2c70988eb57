"""Finds the names that expressions of an ad want from the ad that it meets."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.mentions import references_of


def wanted(target: Iterable[str], bare: Iterable[str], lacks: Callable[[str], bool]) -> set[str]:
    """The names read from the other ad: those of TARGET, and bare ones that the own ad lacks."""
    return {*target, *filter(lacks, bare)}


def external_names(ad: ClassAd, trees: Iterable[Expression | None]) -> set[str]:
    """The names that expressions in ``ad`` read from the other ad."""
    found: set[str] = set()
    lacks = _lacking(ad)
    for tree in trees:
        if tree is not None:
            refs = references_of(tree.node)
            found |= wanted(refs.target, refs.bare, lacks)
    return found


def external_names_of(ads: Iterable[ClassAd]) -> set[str]:
    """The same for all expressions of some ads; ads of one kind share their expressions."""
    found: set[str] = set()
    #: By the expressions' identities; they are kept so that these stay theirs.
    known: dict[tuple[int, ...], tuple[list[Expression], frozenset[str]]] = {}
    for ad in ads:
        trees = [value for value in ad._attrs.values() if value.__class__ is Expression]
        key = tuple(map(id, trees))
        target = frozenset[str]()
        if key not in known:
            refs = [references_of(tree.node) for tree in trees]
            target = frozenset[str]().union(*(each.target for each in refs))
            known[key] = (trees, frozenset[str]().union(*(each.bare for each in refs)))
        own = ad._attrs
        bare = [name for name in known[key][1] - found if name not in own]
        found |= wanted(target, bare, _lacking(ad))
    return found


def _lacking(ad: ClassAd) -> Callable[[str], bool]:
    return lambda name: ad.raw(name) is None
