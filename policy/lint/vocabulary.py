"""Keeps known names by their words, beginnings and ends, to find those that another may mean."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from itertools import chain
from sys import maxunicode
from typing import Final, NamedTuple, TypeVar

from classad import patterns
from classad.patterns import late_regex

_WORDS: Final = late_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
DIGITS: Final = late_regex(r"\d+")
#: An index of more names is kept from one run of a command to the next.
_MANY: Final = 200
#: Of fewer names there is none.
_FEW: Final = 50
_EDGE: Final = 3
#: The digit in place of others.
_NUMBER: Final = "9"

#: The words of a name.
Words = tuple[str, ...]


@lru_cache(maxsize=10_000)
def words(name: str) -> Words:
    """The words of a name, case-folded: of ``RemoteWallClockTime``, of ``MAX_JOBS_RUNNING``."""
    letters = name.replace("_", "")
    if letters.isascii() and letters.isalpha() and (letters.isupper() or letters.islower()):
        return tuple(filter(None, name.casefold().split("_")))
    return tuple(map(str.casefold, _WORDS.findall(name)))


class _Index(NamedTuple):
    """Names by parts of them, which are case-folded."""

    #: In the order of their letters from the first, and from the last.
    onwards: list[str]
    backwards: list[str]
    numbers: frozenset[str]
    by_end: dict[str, list[str]]
    by_words: dict[Words, str]
    #: Their words by how many these are and the first or last of them.
    by_first: dict[tuple[int, str], list[Words]]
    by_last: dict[tuple[int, str], list[Words]]


def _indexed(text: str) -> tuple[object, ...]:
    """What an index has of the names that are the lines of a text."""
    names = text.split("\n")
    by_words = {words(name): name for name in reversed(names)}
    some = list(filter(None, by_words))
    return (
        sorted(names, key=str.casefold),
        sorted(names, key=_turned),
        frozenset(DIGITS.findall(text)),
        grouped(names, lambda name: name.casefold().partition("_")[2]),
        by_words,
        grouped(some, lambda theirs: (len(theirs), theirs[0])),
        grouped(some, lambda theirs: (len(theirs), theirs[-1])),
    )


class Vocabulary:
    """Known names, by their words and lengths."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: Final = tuple(names)
        #: The last words that were asked about: several questions about one name follow.
        self._beside: tuple[Words, list[tuple[int, Words]]] = (), []

    @cached_property
    def folded(self) -> frozenset[str]:
        """The names, case-folded."""
        return frozenset(map(str.casefold, self.names))

    @cached_property
    def index(self) -> _Index:
        """The names by parts of them."""
        text = "\n".join(self.names)
        # Each run of a command has the same thousands of macros.
        is_kept = len(self.names) > _MANY
        return _Index._make(patterns.kept(text, _indexed) if is_kept else _indexed(text))

    @property
    def by_words(self) -> dict[Words, str]:
        """The names by their words; of several with the same ones the first."""
        return self.index.by_words

    def beginning_as(self, name: str) -> list[str]:
        """The names that have the first characters of another one, in any case."""
        return _beginning(name[:_EDGE].casefold(), self.index.onwards, str.casefold)

    def near(self, name: str) -> list[str]:
        """Those of which a name of ``SHORTEST`` characters or more may be one edit away."""
        if len(self.names) < _FEW:
            return list(self.names)
        folded = name.casefold()
        half = len(folded) // 2
        # One edit leaves the first half as it is, or what stands behind the second's first letter.
        begun = _beginning(folded[:half], self.index.onwards, str.casefold)
        return begun + _beginning(folded[half + 1 :][::-1], self.index.backwards, _turned)

    def shape(self, name: str) -> str:
        """The name with others in place of its numbers where no known name has one of these, so
        that what it may mean is the same."""
        if name.replace("_", "").isalpha():
            return name
        shape = DIGITS.sub(lambda number: _NUMBER * len(number[0]), name)
        numbers = DIGITS.findall(f"{name}_{shape}")
        return shape if self.index.numbers.isdisjoint(numbers) else name

    def beside(self, mine: Words) -> list[tuple[int, Words]]:
        """The words of names that differ from these in one place, with that place."""
        if self._beside[0] != mine:
            self._beside = mine, self._differing(mine)
        return self._beside[1]

    @cached_property
    def _words(self) -> frozenset[str]:
        """The words of all names: most that an administrator thinks of are none."""
        return frozenset(chain.from_iterable(self.by_words))

    def _differing(self, mine: Words) -> list[tuple[int, Words]]:
        own = [at for at, word in enumerate(mine) if word not in self._words]
        found: list[tuple[int, Words]] = []
        for at in (own or range(len(mine))) if len(own) < 2 else ():
            before, behind = mine[:at], mine[at + 1 :]
            alike = [one for one in self._like(mine, len(mine)) if one[:at] == before]
            found += [(at, one) for one in alike if one[at + 1 :] == behind and one[at] != mine[at]]
        return found

    def with_one_more(self, mine: Words) -> list[Words]:
        """The words of names that have these, and one more."""
        if not self._words.issuperset(mine):
            return []
        are_there = set(mine).issubset
        return [
            theirs
            for theirs in filter(are_there, self._like(mine, len(mine) + 1))
            if any(theirs[:at] + theirs[at + 1 :] == mine for at in range(len(theirs)))
        ]

    def _like(self, mine: Words, count: int) -> Iterable[Words]:
        """The words of names of so many, of which the first or the last is one of these."""
        if count <= 1:
            return self._alone
        begun = self.index.by_first.get((count, mine[0]), [])
        ended = self.index.by_last.get((count, mine[-1]), ())
        return begun + [one for one in ended if one[0] != mine[0]]

    @cached_property
    def _alone(self) -> list[Words]:
        """The words of names of one word."""
        return [theirs for theirs in self.by_words if len(theirs) == 1]

    def reordered(self, mine: Words) -> list[Words]:
        """The words of names that are the same ones in another order."""
        if not self._words.issuperset(mine):
            return []
        ordered, are_mine = sorted(mine), set(mine).issuperset
        found = (self.index.by_first.get((len(mine), word), ()) for word in dict.fromkeys(mine))
        alike = filter(are_mine, chain.from_iterable(found))
        return self.in_order([one for one in alike if sorted(one) == ordered and one != mine])

    def in_order(self, some: list[Words]) -> list[Words]:
        """Some words of names, in the order of the names."""
        if len(some) < 2:
            return some
        wanted = set(some)
        return [one for one in self.by_words if one in wanted]


_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


def _turned(name: str) -> str:
    """The letters of a name from the last one on."""
    return name.casefold()[::-1]


def _beginning(begin: str, ordered: list[str], key: Callable[[str], str]) -> list[str]:
    """The names of which the key, that they are in the order of, has a beginning."""
    first = bisect_left(ordered, begin, key=key)
    return ordered[first : bisect_left(ordered, f"{begin}{chr(maxunicode)}", first, key=key)]


def grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """The items by their keys."""
    found: dict[_Key, list[_Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


@lru_cache(maxsize=64)
def vocabulary(names: tuple[str, ...]) -> Vocabulary:
    """The same names again are the same vocabulary: reports of one pool ask for few of them."""
    return Vocabulary(names)
