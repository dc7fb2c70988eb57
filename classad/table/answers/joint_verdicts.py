"""Caches the intersection of several predicates' rows, keyed by the attributes that they read.

Predicates that ask a partner for the same attributes, or for some of them, are kept together:
partners that differ in one attribute then differ in few of the sets that have to be intersected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from classad.table.answers.predicates import Book, Predicate
from classad.table.answers.verdicts import Verdict
from classad.table.dependence.partner import Asked, Partner, key_of


def names_asked(predicates: Iterable[Predicate]) -> tuple[Asked, ...]:
    """The attributes of partners that some predicates have read."""
    variants = [variant.asked for predicate in predicates for variant in predicate.ways]
    return tuple(dict.fromkeys(chain.from_iterable(variants)))


def count_variants(predicates: Iterable[Predicate]) -> int:
    """How many ways of asking the predicates have found so far."""
    return sum([len(predicate.ways) for predicate in predicates])


class _Group:
    """Predicates that read the same attributes of partners, and their joint verdicts by these."""

    __slots__ = ("clock", "key_of", "known", "predicates", "variants")

    def __init__(self, asked: Iterable[Asked], clock: bool) -> None:
        self.key_of = key_of(sorted(asked, key=repr))
        self.clock = clock
        self.predicates: list[Predicate] = []
        self.variants = 0
        self.known: dict[object, Verdict] = {}


class Together:
    """The joint verdicts of predicates that all have to hold."""

    def __init__(self, book: Book, predicates: Sequence[Predicate]) -> None:
        self.predicates = predicates
        self._book = book
        self._groups: list[_Group] = []
        self._stale = bool(predicates)

    def forget(self) -> None:
        """Forget the joint verdicts: those of the predicates may have changed."""
        for group in self._groups:
            self._book.budget.drop(group.known)

    def passing(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those that pass, those to be evaluated one by one, and whether by chance.

        Among those to be asked may be rows that are none of these.
        """
        if self._stale:
            self._regroup(partner)
        keys, now = partner.keys, self._book.budget.now
        odd, chance = 0, False
        for group in self._groups:
            key = group.key_of(keys)
            if group.clock:
                key = (key, partner.context.now, partner.context.tz)
            verdict = group.known.get(key)
            if verdict is None:
                verdict = self._ask(group, key, partner)
            verdict.used = now
            own = verdict.passing
            if own is not None:
                bits &= own
            if verdict.odd:
                odd |= verdict.odd
                chance |= verdict.chance
        return bits, odd, chance

    def _ask(self, group: _Group, key: object, partner: Partner) -> Verdict:
        found = passing_all([each.verdict(partner) for each in group.predicates])
        if count_variants(group.predicates) == group.variants:
            self._book.budget.add(group.known, key, found)
        else:
            self._stale = True  # they have asked for more than the key tells
        return found

    def _regroup(self, partner: Partner) -> None:
        """Group the predicates by the attributes that they read."""
        self.forget()
        groups: dict[tuple[frozenset[Asked], bool], _Group] = {}
        asking = []
        for predicate in self.predicates:
            predicate.verdict(partner)
            clock = any(variant.clock for variant in predicate.ways)
            asking.append((frozenset(names_asked((predicate,))), clock))
        wholes: list[tuple[frozenset[Asked], bool]] = []
        for asked, clock in sorted(set(asking), key=lambda one: len(one[0]), reverse=True):
            if not any(clock == other and asked <= whole for whole, other in wholes):
                wholes.append((asked, clock))
                groups[asked, clock] = _Group(asked, clock)
        for predicate, (asked, clock) in zip(self.predicates, asking, strict=True):
            home = next(one for one in wholes if one[1] == clock and asked <= one[0])
            groups[home].predicates.append(predicate)
        self._groups = list(groups.values())
        for group in self._groups:
            group.variants = count_variants(group.predicates)
        self._stale = False


def passing_all(verdicts: Sequence[Verdict]) -> Verdict:
    """The joint verdict; its ``passing`` is None if all rows pass."""
    passing: int | None = None
    odd, chance = 0, False
    for verdict in verdicts:
        own = verdict.passing
        if own is not None:
            passing = own if passing is None else passing & own
        if verdict.odd:
            odd |= verdict.odd
            chance |= verdict.chance
    found = Verdict(0, 0, 0, odd)
    found.passing = passing
    found.chance = chance
    found.cost += 0 if passing is None else passing.bit_length() // 7
    return found
