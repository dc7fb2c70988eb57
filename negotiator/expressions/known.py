"""Tells what expressions mention and how they are written, once for each object.

An expression is taken apart at its ``&&``: those of many jobs are made of few conjuncts, and of
these many differ in constants only, of which one is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from classad import ClassAd
from classad.ads.ad import is_value
from classad.ads.expression import Expression
from classad.analysis.mentions import ReferencedNames, references_of
from classad.formats.unparse import unparse, unparse_value
from classad.language.rules import PREFIX
from classad.syntax.lazy import LazyExpression
from classad.syntax.native import parse
from classad.syntax.nodes import AdExpr, walk
from classad.table.expressions.conjuncts import (
    MARK,
    Rest,
    conjuncts_in,
    constants_of,
)
from negotiator.expressions.memo import ExpressionMemo, by_text, by_tree


class KnownExpression(NamedTuple):
    """What is known of an expression.

    ``trees``: its conjuncts; ``own``: the names it mentions that may be those of its own ad;
    ``text``: the same for the same syntax tree.
    """

    trees: tuple[Expression, ...]
    own: frozenset[str]
    text: str


@by_tree
def look_at(tree: Expression) -> KnownExpression:
    """What is known of an expression."""
    return _taken_apart(tree) or _look(tree)


def conjuncts_of(tree: Expression) -> tuple[Expression, ...] | None:
    """What its text joins with ``&&``, which others may share; None if the text does not tell."""
    joined = _taken_apart(tree)
    return None if joined is None or len(joined.trees) == 1 else joined.trees


@by_tree
def references_in(tree: Expression) -> ReferencedNames:
    """What an expression refers to."""
    return references_of(tree.node)


def own_names_of(tree: Expression) -> frozenset[str]:
    """The names it mentions that may be those of its own ad, in lower case."""
    return (_taken_apart(tree) or _look(tree)).own


def _look(tree: Expression) -> KnownExpression:
    refs = references_in(tree)
    return KnownExpression((tree,), refs.bare | refs.mine, unparse(tree.node))


def _taken_apart(tree: Expression) -> KnownExpression | None:
    """What is known of an expression from its conjuncts.

    An expression is printed in the order in which it is written, whatever binds tighter.
    """
    unbuilt: object = tree._node
    return _joined(unbuilt.text, unbuilt.how) if unbuilt.__class__ is LazyExpression else None


@by_text
def _joined(text: str, how: int) -> KnownExpression | None:
    *parts, last = conjuncts_in(text)
    looks = [_part(part, how & ~PREFIX) for part in parts]
    looks.append(_part(last, how))
    found = [look for look in looks if look is not None]
    if len(found) < len(looks):
        return None
    return KnownExpression(
        tuple([look.trees[0] for look in found]),
        frozenset().union(*[look.own for look in found]),
        " && ".join([look.text for look in found]),
    )


class _Form(NamedTuple):
    """What is known of texts that differ in constants only.

    ``pieces``: what is printed before, between and behind the constants.  ``value``: they are
    literals or lists.
    """

    own: frozenset[str]
    pieces: list[str]
    value: bool

    def look(self, text: str, how: int, values: Sequence[object]) -> KnownExpression:
        """What is known of one of them."""
        around = zip(self.pieces, [*map(unparse_value, values), ""], strict=True)
        tree = Expression.from_node(LazyExpression(text, how, self.value))
        return KnownExpression((tree,), self.own, "".join(chain.from_iterable(around)))


class _Forms:
    """The forms of pieces of texts."""

    def __init__(self) -> None:
        self._known: ExpressionMemo[tuple[Rest, int], _Form | None] = ExpressionMemo()

    def look(self, text: str, how: int) -> KnownExpression | None:
        """What is known of a piece; None if it is no expression by itself."""
        left = constants_of(text)
        # A zero is printed without the minus before it.
        if left is None or not left[1] or (0 in left[1] and "-" in text):
            return self._read(text, how)
        rest, values = left
        form = self._known.get((rest, how))
        if form is not None:
            return form.look(text, how, values)
        found = self._read(text, how)
        if found is not None and (rest, how) not in self._known:
            self._known.keep((rest, how), _form(found, values))
        return found

    def _read(self, text: str, how: int) -> KnownExpression | None:
        node = parse(text, how & ~PREFIX) or parse(text, how)
        return None if node is None else _look(Expression.from_node(node))


def _form(known: KnownExpression, values: Sequence[object]) -> _Form | None:
    """What others are that are alike; None if not each constant is printed where it is written."""
    printed, (tree,) = constants_of(known.text), known.trees
    if printed is None or printed[1] != values or AdExpr in map(type, walk(tree.node)):
        return None  # an ad's attributes are printed in an order of their own
    return _Form(known.own, printed[0][0].split(MARK), is_value(tree))


_part: Final = by_text(_Forms().look)


# --- names that are wanted of the ad that an ad meets ---------------------------------------------


def wanted(target: Iterable[str], bare: Iterable[str], lacks: Callable[[str], bool]) -> set[str]:
    """The names read from the other ad: those of TARGET, and bare ones that the own ad lacks."""
    return {*target, *filter(lacks, bare)}


def external_names(ad: ClassAd, trees: Iterable[Expression | None]) -> set[str]:
    """The names that expressions in ``ad`` read from the other ad."""
    found: set[str] = set()
    lacks = _lacking(ad)
    for tree in trees:
        if tree is not None:
            refs = references_in(tree)
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
            refs = [references_in(tree) for tree in trees]
            target = frozenset[str]().union(*(each.target for each in refs))
            known[key] = (trees, frozenset[str]().union(*(each.bare for each in refs)))
        own = ad._attrs
        bare = [name for name in known[key][1] - found if name not in own]
        found |= wanted(target, bare, _lacking(ad))
    return found


def _lacking(ad: ClassAd) -> Callable[[str], bool]:
    return lambda name: ad.raw(name) is None
