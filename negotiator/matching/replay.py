"""Notes what is found for the requests of a cycle, and finds it again when the cycle is run again.

A cycle that is run again up to some moment goes the way that it went: candidates that were found
among all slots at once need not be looked for, except those that are to be looked at more closely.
Where slots are tested one by one, which may draw random numbers or change ads, it is done again.

Inputs: the engines of the cycle.  Outputs: engines for the same cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attr import define, field, frozen

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.jobs.lists import KnownJobs
from negotiator.jobs.requests import Request
from negotiator.matching.board import Board, Candidates, Engine, Entries
from negotiator.matching.candidate import Allowance, Candidate, Refusal, Requester, Tally
from negotiator.matching.conditions import Ask
from negotiator.matching.engine import Engines, RankedList, refused_by
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy


@define(eq=False)
class _NotedSearch:
    """Candidates, and which of them were looked at: by place, and the first of the best.

    ``refused``: how many slots each test refused.
    """

    found: Candidates | None
    refused: Mapping[Refusal, int]
    size: int = 0
    seen: dict[int, Candidate] = field(factory=dict)
    first: Candidate | None = None
    _entries: Entries = ()

    def entries(self) -> Entries:
        """See ``Candidates``."""
        assert self.found is not None, "it is noted in the cycle itself"
        self._entries = self.found.entries()
        self.size = len(self._entries)
        return self

    def first_best(self) -> Candidate | None:
        """See ``Candidates``."""
        assert self.found is not None, "it is noted in the cycle itself"
        self.first = self.found.first_best()
        return self.first

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int) -> Candidate:
        found = self.seen[place] = self._entries[place]
        return found

    def end(self) -> None:
        """Keep what was looked at alone."""
        self.found, self._entries = None, ()


@frozen(eq=False)
class _RepeatedSearch:
    """What was noted, of the slots of another run of the cycle; ``slots``: by position."""

    noted: _NotedSearch
    slots: Mapping[int, Slot]

    def entries(self) -> Entries:
        """See ``Candidates``."""
        return self

    def first_best(self) -> Candidate | None:
        """See ``Candidates``."""
        first = self.noted.first
        return None if first is None else self._made(first)

    def __len__(self) -> int:
        return self.noted.size

    def __getitem__(self, place: int) -> Candidate:
        return self._made(self.noted.seen[place])

    def _made(self, candidate: Candidate) -> Candidate:
        return candidate._replace(slot=self.slots[candidate.position])


@define(eq=False)
class NotedSearches:
    """What was found in a cycle, search by search; None for what is to be done again."""

    searches: list[_NotedSearch | None] = field(factory=list)

    def end(self) -> None:
        """The cycle is over."""
        for noted in self.searches:
            if noted is not None:
                noted.end()
                noted.seen = {place: _placeless(one) for place, one in noted.seen.items()}
                noted.first = None if noted.first is None else _placeless(noted.first)


def _placeless(candidate: Candidate) -> Candidate:
    """A candidate without its slot, which lives as long as its cycle."""
    return candidate._replace(slot=_NO_SLOT)


_NO_SLOT: Final = Slot(None, "", 0.0, 0, False, None, None)


@frozen(eq=False)
class _NotingEngine:
    """An engine that notes what it finds."""

    engine: Engine
    noted: NotedSearches

    def find(
        self, board: Board, request: Request, asker: Requester, allowance: Allowance, tally: Tally
    ) -> Candidates:
        """See ``Engine``."""
        found = self.engine.find(board, request, asker, allowance, tally)
        if isinstance(found, RankedList):
            self.noted.searches.append(None)
            return found
        noted = _NotedSearch(found, dict(tally.refused))
        self.noted.searches.append(noted)
        return noted

    def refused(self, ask: Ask, matching: Sequence[int]) -> dict[int, Refusal]:
        """See ``negotiator.matching.engine.refused``."""
        return refused_by(self.engine, ask, matching)


@define(eq=False)
class _ReplayingEngine:
    """An engine that finds what was noted, but for the requests of one submitter at a schedd."""

    engine: Engine
    noted: NotedSearches
    apart: tuple[str, str]
    slots: Mapping[int, Slot]
    searches: int = 0

    def find(
        self, board: Board, request: Request, asker: Requester, allowance: Allowance, tally: Tally
    ) -> Candidates:
        """See ``Engine``."""
        known = self.noted.searches[self.searches : self.searches + 1]
        self.searches += 1
        if not known or known[0] is None or (asker.submitter, asker.schedd) == self.apart:
            return self.engine.find(board, request, asker, allowance, tally)
        tally.refused.update(known[0].refused)
        return _RepeatedSearch(known[0], self.slots)

    def refused(self, ask: Ask, matching: Sequence[int]) -> dict[int, Refusal]:
        """See ``negotiator.matching.engine.refused``."""
        return refused_by(self.engine, ask, matching)


@frozen(eq=False)
class RepeatingEngines(Engines):
    """Engines that note what is found in a cycle, or find it again.

    ``apart``: a submitter and its schedd, for whom slots are looked for again; None: all are noted.
    """

    engines: Engines
    noted: NotedSearches
    apart: tuple[str, str] | None = None

    @property
    def jobs(self) -> KnownJobs:
        """See ``Engines``."""
        return self.engines.jobs

    def fetch(
        self,
        ads: Sequence[ClassAd],
        claims: Mapping[str, int],
        policy: NegotiatorPolicy,
        context: EvalContext,
        read: bool,
    ) -> Slots:
        """See ``Engines``."""
        return self.engines.fetch(ads, claims, policy, context, read)

    def prepare(self, slots: Slots, policy: NegotiatorPolicy) -> tuple[dict[int, Slot], Engine]:
        """See ``Engines``."""
        left, engine = self.engines.prepare(slots, policy)
        if self.apart is None:
            return left, _NotingEngine(engine, self.noted)
        return left, _ReplayingEngine(engine, self.noted, self.apart, dict(left))
