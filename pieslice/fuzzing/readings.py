"""Finds what an expression reads of both ads, and which of it matters for its value.

An attribute matters if the value is another one without it.  An undefined value is no different
when more is missing; there an attribute matters if its being an error makes an error of the value.
What does not matter is left out one by one, so of two clauses that are both enough one remains:
that which is blamed.

Inputs: an expression and decorated ads.  Outputs: ``Readings``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from attr import evolve, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.mentions import references_of
from classad.evaluate import EvalContext, evaluate
from classad.language.values import ERROR, UNDEFINED
from classad.syntax.nodes import Reference, walk
from pieslice.fuzzing.schema import AdValue
from pieslice.fuzzing.study import clauses
from policy.ephemeral import find_ephemeral
from policy.lint.trees import names

#: A side, ``my`` or ``target``, and a case-folded name.
Place = tuple[str, str]
MY: Final = "my"
TARGET: Final = "target"


@frozen(eq=False)
class Readings:
    """An evaluation with what it read.

    ``my``, ``target``: by name as the expression spells it, a plain value or an expression;
    ``added``: names of those that the negotiator adds.
    """

    tree: Expression
    context: EvalContext
    my: Mapping[str, AdValue]
    target: Mapping[str, AdValue]
    added: frozenset[str]
    value: AdValue

    def places(self) -> frozenset[Place]:
        """Where all that was read is."""
        return frozenset((side, name.casefold()) for side, name, _ in self._rows())

    def ads(self) -> tuple[ClassAd, ClassAd]:
        """MY and TARGET with nothing but what was read."""
        return self._ads(self.places())

    def enough(self) -> Expression:
        """The first clause that is true, of those of which one is enough."""
        ads = self.ads()
        for clause in clauses(self.tree):
            if evaluate(clause, *ads, context=self.context) is True:
                return clause
        return self.tree

    def mattering(self, kept: frozenset[str] = frozenset()) -> frozenset[Place]:
        """The places without which the value is another one; names in ``kept`` always are."""
        shown = set(self.places())
        if not alike(self._value(shown), self.value):
            return frozenset(shown)
        for place in self._order(kept):
            less = shown - {place}
            if self._same_without(less, place):
                shown = less
        return frozenset(shown)

    def only(self, shown: Iterable[Place]) -> Readings:
        """Without what is not to be shown, unless that gives another value."""
        wanted = frozenset(shown)
        if not alike(self._value(wanted), self.value):
            return self
        found: dict[str, dict[str, AdValue]] = {MY: {}, TARGET: {}}
        for side, name, value in self._rows():
            if (side, name.casefold()) in wanted:
                found[side][name] = value
        left = found[MY].keys() | found[TARGET].keys()
        return evolve(self, my=found[MY], target=found[TARGET], added=self.added & left)

    def _rows(self) -> list[tuple[str, str, AdValue]]:
        return [(MY, *row) for row in self.my.items()] + [
            (TARGET, *row) for row in self.target.items()
        ]

    def _order(self, kept: frozenset[str]) -> list[Place]:
        """What may go: what the clause that is enough does not read first, added ones last."""
        blamed: frozenset[str] = frozenset()
        if self.value is True:
            blamed = frozenset(names(self.enough().node))
        added = {name.casefold() for name in self.added}
        found = [place for place in self.places() if place[1] not in kept]
        return sorted(found, key=lambda place: (place[1] in blamed, place[1] in added, place))

    def _same_without(self, shown: set[Place], place: Place) -> bool:
        if not alike(self._value(shown), self.value):
            return False
        return self.value is not UNDEFINED or self._value(shown, place) is UNDEFINED

    def _value(self, shown: Iterable[Place], broken: Place | None = None) -> AdValue:
        found: AdValue = evaluate(self.tree, *self._ads(shown, broken), context=self.context)
        return found

    def _ads(self, shown: Iterable[Place], broken: Place | None = None) -> tuple[ClassAd, ClassAd]:
        wanted, ads = frozenset(shown), {MY: ClassAd(), TARGET: ClassAd()}
        for side, name, value in self._rows():
            if (side, name.casefold()) == broken:
                ads[side].insert(name, ERROR)
            elif (side, name.casefold()) in wanted:
                ads[side].insert(name, value)
        return ads[MY], ads[TARGET]


def alike(one: AdValue, other: AdValue) -> bool:
    """Whether two values are the same, kind and all."""
    return one.__class__ is other.__class__ and (one is other or one == other)


def read(tree: Expression, my: ClassAd, target: ClassAd | None, context: EvalContext) -> Readings:
    """Evaluate, and see what is read; definitions of attributes are followed."""
    ads: dict[str, ClassAd] = {MY: my, TARGET: target or ClassAd()}
    found: dict[str, dict[str, AdValue]] = {MY: {}, TARGET: {}}
    added: set[str] = set()
    seen: set[Place] = set()
    todo = [(MY, tree)]
    while todo:
        side, current = todo.pop()
        for where, name in _places(current, side, ads):
            raw = ads[where].raw(name)
            if raw is None or (where, name.casefold()) in seen:
                continue
            seen.add((where, name.casefold()))
            if find_ephemeral(name) is not None:
                added.add(name)
                raw = ads[where].evaluate_attr(name, None, context)
            found[where][name] = raw
            if raw.__class__ is Expression:
                todo.append((where, raw))
    value = evaluate(tree, my, target, context=context)
    mine, other = (dict(sorted(found[side].items())) for side in (MY, TARGET))
    return Readings(tree, context, mine, other, frozenset(added), value)


def _places(tree: Expression, side: str, ads: dict[str, ClassAd]) -> list[Place]:
    """Where the names of an expression are found, as it spells them."""
    refs = references_of(tree.node)
    spelled = {n.name.casefold(): n.name for n in walk(tree.node) if isinstance(n, Reference)}
    other = TARGET if side == MY else MY
    found = []
    for key in sorted(refs.bare | refs.mine | refs.target):
        if key in refs.mine or (key in refs.bare and ads[side].raw(key) is not None):
            found.append((side, spelled[key]))
        if key in refs.target or (key in refs.bare and ads[side].raw(key) is None):
            found.append((other, spelled[key]))
    return found
