"""What many predicates say together, kept for partners that are the same to them.

What is decided here: which predicates are kept together: those that ask a partner for the same
attributes, or for some of them.  Partners that differ in one attribute then differ in few of the
results that have to be put together, and none of the predicates is asked by itself.
Inputs: predicates, partners.  Outputs: rows that all of them let pass.
Never here: evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from classad.table.answers.predicates import Book, Predicate
from classad.table.answers.verdicts import Verdict
from classad.table.dependence.partner import Asked, Partner, key_of

#: Partners after which it is looked which groups have told all of them the same.
ALIKE = 64
#: Different things that those may tell together later on.
_SEVERAL: Final = 8


def names_asked(predicates: Iterable[Predicate]) -> tuple[Asked, ...]:
    """All that some predicates have asked partners for."""
    variants = [variant.asked for predicate in predicates for variant in predicate.ways]
    return tuple(dict.fromkeys(chain.from_iterable(variants)))


def count_variants(predicates: Iterable[Predicate]) -> int:
    """How many ways of asking the predicates have found so far."""
    return sum([len(predicate.ways) for predicate in predicates])


class _Group:
    """Predicates, and what they have said together by what they ask for."""

    __slots__ = ("asked", "clock", "joined", "key_of", "known", "predicates", "variants")

    def __init__(self, asked: Iterable[Asked], clock: bool) -> None:
        self.asked = sorted(asked, key=repr)
        self.key_of = key_of(self.asked)
        self.clock = clock
        #: Whether it is made of groups that had told all partners the same.
        self.joined = False
        self.predicates: list[Predicate] = []
        self.variants = 0
        self.known: dict[Any, Verdict] = {}


class Together:
    """Predicates that all have to hold."""

    def __init__(self, book: Book, predicates: Sequence[Predicate]) -> None:
        self.predicates = predicates
        self._book = book
        self._groups: list[_Group] = []
        self._stale = bool(predicates)
        #: Partners until groups are joined that have told all of them the same.
        self._left = ALIKE
        self._joining = True

    def forget(self) -> None:
        """What predicates say may have changed."""
        for group in self._groups:
            self._book.budget.drop(group.known)

    def passing(self, partner: Partner, bits: int) -> tuple[int, int, bool]:
        """Of some rows those that are let pass, those to be asked, and whether by chance.

        Among those to be asked may be rows that are none of these.
        """
        if self._stale:
            self._regroup(partner)
        self._left -= 1
        if self._left == 0 and self._joining:
            self._join()
        keys, now = partner.keys, self._book.budget.now
        odd, chance = 0, False
        for group in self._groups:
            key = group.key_of(keys)
            if group.clock:
                key = (key, partner.context.now, partner.context.tz)
            verdict = group.known.get(key)
            if verdict is None:
                verdict = self._ask(group, key, partner)
            else:
                verdict.used = now
            if verdict.passing is not None:
                bits &= verdict.passing
            if verdict.odd:
                odd |= verdict.odd
                chance |= verdict.chance
        return bits, odd, chance

    def _ask(self, group: _Group, key: Any, partner: Partner) -> Verdict:
        found = passing_all([each.verdict(partner) for each in group.predicates])
        if count_variants(group.predicates) == group.variants:
            self._book.budget.add(group.known, key, found)
        else:
            self._stale = True  # they have asked for more than the key tells
        if group.joined and len(group.known) > _SEVERAL:
            self._stale, self._joining = True, False  # it was too early to tell
        return found

    def _join(self) -> None:
        """Look those up as one that have told all partners the same."""
        alike = [group for group in self._groups if len(group.known) == 1 and not group.clock]
        whole = _Group({asked for group in alike for asked in group.asked}, False)
        whole.joined = True
        for group in alike:
            whole.predicates += group.predicates
            whole.variants += group.variants
            self._book.budget.drop(group.known)
        if alike:
            self._groups = [*(g for g in self._groups if g not in alike), whole]

    def _regroup(self, partner: Partner) -> None:
        """Put those together that ask for the same."""
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
        self._left = ALIKE
        for group in self._groups:
            group.variants = count_variants(group.predicates)
        self._stale = False


def passing_all(verdicts: Sequence[Verdict]) -> Verdict:
    """What is let pass by all; its ``passing`` is None if that is everything."""
    passing: int | None = None
    for verdict in verdicts:
        if verdict.passing is not None:
            passing = verdict.passing if passing is None else passing & verdict.passing
    odd, chance = 0, False
    for verdict in verdicts:
        odd |= verdict.odd
        chance |= verdict.chance
    found = Verdict(0, 0, 0, odd)
    found.passing = passing
    found.chance = chance
    found.cost += 0 if passing is None else passing.bit_length() // 7
    return found
