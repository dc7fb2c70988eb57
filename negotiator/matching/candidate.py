"""Describes what a session may still take, who asks, a slot that a request can have or cannot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import repeat
from typing import ClassVar, Final, NamedTuple

from attr import define, field

from negotiator.matching.rank import RankKeys
from negotiator.model.result import Counters, MatchKind
from negotiator.pool.addresses import ANY
from negotiator.pool.consumption import Amounts
from negotiator.pool.slots import Slot


class Refusal(str):
    """Why a slot is no candidate for a request: a text, which is counted.

    The causes here are those that other code speaks of; a test may make one of its own.
    """

    __slots__ = ()

    ADDRESS: ClassVar[Refusal]
    OTHER_SCHEDD: ClassVar[Refusal]
    DYNAMIC: ClassVar[Refusal]
    CONSUMPTION: ClassVar[Refusal]
    REQUIREMENTS: ClassVar[Refusal]
    NOT_OCCUPIED: ClassVar[Refusal]
    RANK_NOT_HIGHER: ClassVar[Refusal]
    SAME_USER: ClassVar[Refusal]
    PRIORITY: ClassVar[Refusal]
    PREEMPTION_REQUIREMENTS: ClassVar[Refusal]
    STARTD_RANK: ClassVar[Refusal]
    SUBMITTER_LIMIT: ClassVar[Refusal]
    CONCURRENCY_LIMIT: ClassVar[Refusal]


Refusal.ADDRESS = Refusal("no address protocol in common with the schedd")
Refusal.OTHER_SCHEDD = Refusal("partitionable slot claimed by another schedd")
Refusal.DYNAMIC = Refusal("dynamic slot, matched through its partitionable slot")
Refusal.CONSUMPTION = Refusal("too little of a resource for its consumption policy")
Refusal.REQUIREMENTS = Refusal("requirements")
Refusal.NOT_OCCUPIED = Refusal("unclaimed, and only startd RANK preemption is allowed now")
Refusal.RANK_NOT_HIGHER = Refusal("startd RANK is not higher for this job")
Refusal.SAME_USER = Refusal("claimed by the same user")
Refusal.PRIORITY = Refusal("claimed by a user of better or equal priority")
Refusal.PREEMPTION_REQUIREMENTS = Refusal("PREEMPTION_REQUIREMENTS is not true")
Refusal.STARTD_RANK = Refusal("startd RANK is lower for this job")
Refusal.SUBMITTER_LIMIT = Refusal("submitter limit")
Refusal.CONCURRENCY_LIMIT = Refusal("concurrency limit")


@define
class Allowance:
    """What a session may still take.  ``unclaimed`` parts concern slots that nobody holds."""

    limit: float
    limit_unclaimed: float
    used: float = 0.0
    used_unclaimed: float = 0.0

    def permits(self, kind: MatchKind, cost: float) -> bool:
        """The limit test for a candidate that was just found."""
        if kind is MatchKind.RANK:
            return True
        if kind is MatchKind.PRIORITY:
            return permits(self.used, cost, self.limit)
        return permits(self.used_unclaimed, cost, self.limit_unclaimed)

    def permits_cached(self, kind: MatchKind, cost: float) -> bool:
        """The limit test for a candidate from a match list."""
        unclaimed = permits(self.used_unclaimed, cost, self.limit_unclaimed)
        if kind is MatchKind.NONE:
            return unclaimed
        return unclaimed or permits(self.used, cost, self.limit)


class Requester(NamedTuple):
    """Who asks: the submitter, its schedd, its effective priority, and in which mode.

    ``families``: the kinds of address the schedd has.
    """

    submitter: str
    schedd: str
    priority: float
    rank_only: bool
    families: frozenset[int] = ANY


class Candidate(NamedTuple):
    """A slot that a request can have.  ``position`` is the slot's place in the pool.

    ``amounts``: what the match takes of a slot with a consumption policy, which stays in the pool.
    ``first_kind``: that of a slot put back into a list when it was found, None for another one.
    """

    position: int
    slot: Slot
    keys: RankKeys
    kind: MatchKind
    cost: float
    amounts: Amounts | None = None
    first_kind: MatchKind | None = None

    @property
    def limited_as(self) -> MatchKind:
        """The kind that decides about its limit in a list: a slot's ad keeps that of the scan."""
        return self.kind if self.first_kind is None else self.first_kind


#: Concurrency limits that are refused in any case, as they were before anything else was.
NOTHING_REFUSED: Final = ""
#: Of a candidate that is not ranked yet.
NO_KEYS: Final = RankKeys(*repeat(math.nan, len(RankKeys._fields)))


class _Counts(dict[Refusal, int]):
    """How many slots were refused, by cause."""

    __slots__ = ()

    def __missing__(self, cause: Refusal) -> int:
        return 0


@define(eq=False)
class Tally:
    """How many slots each test refused; ``concurrency_text`` was refused last.

    Sets of slots are counted when somebody wants to know, which is when a request is rejected.
    """

    _counts: _Counts = field(factory=_Counts)
    concurrency_text: str = NOTHING_REFUSED
    #: The slots before a test and behind it, by cause.
    _sets: Sequence[tuple[Refusal, int, int]] = ()

    @property
    def refused(self) -> _Counts:
        """The number of slots by cause."""
        counts, sets, self._sets = self._counts, self._sets, ()
        for cause, before, behind in sets:
            counts[cause] += (before ^ behind).bit_count()
        return counts

    def number(self, cause: Refusal) -> int:
        """The number of slots that were refused for one cause."""
        sets = [(b ^ behind).bit_count() for other, b, behind in self._sets if other is cause]
        return self._counts.get(cause, 0) + sum(sets)

    def refuse(self, sets: Sequence[tuple[Refusal, int, int]]) -> None:
        """Take in the sets of slots before tests and of those that passed each, by cause."""
        self._sets = (*self._sets, *sets)

    def without(self, cause: Refusal) -> Tally:
        """The counts of the other causes."""
        other = Tally()
        other._counts.update((each, n) for each, n in self.refused.items() if each is not cause)
        return other

    def counters(self) -> Counters:
        """The counts as part of a result."""
        got = self.refused.get
        return Counters(
            concurrency_limit=got(Refusal.CONCURRENCY_LIMIT, 0),
            preemption_requirements=got(Refusal.PREEMPTION_REQUIREMENTS, 0),
            startd_rank=got(Refusal.STARTD_RANK, 0),
            submitter_limit=got(Refusal.SUBMITTER_LIMIT, 0),
            same_user=got(Refusal.SAME_USER, 0),
            requirements=got(Refusal.REQUIREMENTS, 0) + got(Refusal.CONSUMPTION, 0),
            priority=got(Refusal.PRIORITY, 0),
        )


def permits(used: float, cost: float, allowed: float) -> bool:
    """Whether a match of this cost keeps the limit; the first of a session may exceed it."""
    return used + cost <= allowed or (used <= 0 < allowed)
