"""Caches the intersection of several predicates' rows, keyed by the attributes that they read.

Predicates that ask a partner for the same attributes, or for some of them, are kept together:
partners that differ in one attribute then differ in few of the sets that have to be intersected.
So are, after some partners, all those that have told these the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

from classad.table.answers.predicates import Predicate, Verdict
from classad.table.dependence.partner import INSTANT, Asked, Partner, Results
from classad.table.memory.budget import Budget

#: Partners after which it is seen which verdicts have been the same for all.
ENOUGH: Final = 64


class JointVerdicts(Results[Verdict]):
    """The joint verdicts of predicates that all have to hold."""

    __slots__ = ("predicates", "variants")

    def __init__(self, predicates: Sequence[Predicate], budget: Budget) -> None:
        super().__init__((), budget)
        self.predicates = predicates
        self.variants = -1

    def ask(self, partner: Partner) -> Verdict:
        """The joint verdict about a partner that none was found for."""
        found = passing_all([each.verdict(partner) for each in self.predicates])
        variants = sum([len(predicate.ways) for predicate in self.predicates])
        if variants != self.variants:  # they have asked for more than the key tells
            self.forget()
            asked = chain.from_iterable(map(_asked_by, self.predicates))
            self.ask_for(tuple(dict.fromkeys(asked)))
            self.variants = variants
        return self.keep(partner, found)


def _asked_by(predicate: Predicate) -> frozenset[Asked]:
    """The attributes of partners that a predicate has read."""
    return frozenset(chain.from_iterable(way.asked for way in predicate.ways))


def grouped(
    predicates: Sequence[Predicate], partner: Partner, budget: Budget
) -> list[JointVerdicts]:
    """The predicates by the attributes that they read of such a partner."""
    reading: dict[frozenset[Asked], list[Predicate]] = {}
    for predicate in predicates:
        predicate.verdict(partner)
        reading.setdefault(_asked_by(predicate), []).append(predicate)
    homes: dict[frozenset[Asked], list[Predicate]] = {}
    for asked in sorted(reading, key=len, reverse=True):
        # What the clock decides is to be found anew at each instant, and nothing else.
        fit = (home for home in homes if asked <= home and (INSTANT in home) == (INSTANT in asked))
        homes.setdefault(next(fit, asked), []).extend(reading[asked])
    return [JointVerdicts(those, budget) for those in homes.values()]


def joined(joint: list[JointVerdicts], budget: Budget) -> list[JointVerdicts]:
    """Those with a single verdict as one, and the others."""
    alike = [each for each in joint if len(each.known) == 1 and INSTANT not in each.asked]
    for each in alike:
        each.forget()
    whole = JointVerdicts([it for each in alike for it in each.predicates], budget)
    return [whole, *(each for each in joint if each not in alike)]


def passing_all(verdicts: Sequence[Verdict]) -> Verdict:
    """The joint verdict; its ``passing`` is None if all rows pass."""
    passing: int | None = None
    opaque, chance = 0, False
    for verdict in verdicts:
        own = verdict.passing
        if own is not None:
            passing = own if passing is None else passing & own
        if verdict.opaque:
            opaque |= verdict.opaque
            chance |= verdict.chance
    found = Verdict(0, 0, 0, opaque)
    found.passing = passing
    found.chance = chance
    found.cost += 0 if passing is None else passing.bit_length() // 7
    return found
