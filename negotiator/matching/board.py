"""Holds the state of a cycle under way: the slots left, the match list, the decisions so far.

Here is also what stages share with each other: the terms of a session, what an engine finds, what
happens in a cycle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, TypeAlias

from attr import Factory, define, field, frozen

from classad.evaluate import EvalContext
from negotiator.accounting.accountant import Accountant
from negotiator.groups.quotas import QuotaStep
from negotiator.groups.tree import GroupTree
from negotiator.jobs.offers import Offers
from negotiator.jobs.requests import JobList, QueuedJob, Request
from negotiator.jobs.submitters import Submitter
from negotiator.matching.candidate import Allowance, Candidate, Requester, Tally
from negotiator.matching.concurrency_limits import ConcurrencyCounts
from negotiator.matching.rank import better
from negotiator.matching.stopwatch import Stopwatch
from negotiator.model.departures import DepartureLog
from negotiator.model.result import (
    Match,
    Pie,
    PoolNumbers,
    Rejection,
    TrimmedSlot,
    TurnEvent,
    TurnOutcome,
)
from negotiator.model.snapshot import Resource
from negotiator.pool.addresses import ANY
from negotiator.pool.partitionable import ChildClaims, Enlarged
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy


class SessionTerms(NamedTuple):
    """What a session is held under: limits in slot weights, the group negotiating, if any."""

    submitter: str
    schedd: str
    priority: float
    group: str | None
    limit: float
    limit_unclaimed: float
    ceiling_left: int
    ignore_limit: bool
    #: The lowest and highest ``JobPrio`` of the jobs that take part; None for all.
    job_prios: tuple[int, int] | None = None
    #: The kinds of address the schedd has.
    families: frozenset[int] = ANY
    #: When the session ends at the latest, in seconds since the cycle began.
    deadline: float = math.inf


class SessionEnd(NamedTuple):
    """How a session ended and what its matches cost."""

    outcome: TurnOutcome
    used: float
    events: tuple[TurnEvent, ...]


class Entries(Protocol):
    """Candidates, best first; an implementation may sort no further than it is read."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Candidate: ...


class Candidates(Protocol):
    """The candidates of a request."""

    def entries(self) -> Entries:
        """All of them best first, equal ones in the order of the negotiator's sort."""

    def first_best(self) -> Candidate | None:
        """The first of the best in pool order."""


class Engine(Protocol):
    """Finds the candidates of a request among the slots that are not matched yet."""

    def find(
        self, board: Board, request: Request, asker: Requester, allowance: Allowance, tally: Tally
    ) -> Candidates:
        """The candidates for a request; ``tally`` is told how many slots each test refused."""


#: What requests must have in common to share a list.
Key = tuple[int, str, str, float, bool]


@define(eq=False)
class MatchList:
    """Candidates for the requests of one autocluster, best first, used up from the front."""

    key: Key
    entries: Entries
    tally: Tally
    taken: int = field(default=0)

    def pop(self) -> Candidate | None:
        """The next entry, which is then gone."""
        if self.taken >= len(self.entries):
            return None
        self.taken += 1
        return self.entries[self.taken - 1]

    def put_back(self, candidate: Candidate) -> None:
        """Insert at the front, then behind every entry that the candidate is better than.

        That is the wrong way round, but it is what the negotiator does: a slot that has become
        less attractive stays in front.
        """
        # Every engine tests slots that may stay one by one, which makes a list.
        entries = self.entries
        assert isinstance(entries, list)
        place = self.taken
        while place < len(entries) and better(candidate.keys, entries[place].keys):
            place += 1
        entries.insert(place, candidate)

    def peek(self) -> Candidate | None:
        """The next entry."""
        return self.entries[self.taken] if self.taken < len(self.entries) else None


@define(eq=False)
class Board:
    """``slots``: those not matched yet, in pool order, by their position in the pool."""

    policy: NegotiatorPolicy
    context: EvalContext
    accountant: Accountant
    tree: GroupTree
    concurrency: ConcurrencyCounts
    numbers: PoolNumbers
    jobs: Mapping[tuple[str, str], JobList]
    slots: dict[int, Slot] = field(factory=dict)
    #: Finds the candidates of a request; without one every slot is tested by itself.
    engine: Engine | None = None
    #: The same slots, matched ones included.
    pool: Slots = Factory(Slots)
    #: Trimmed ones too.
    fetched: Slots = Factory(lambda self: self.pool, takes_self=True)
    child_claims: ChildClaims = Factory(ChildClaims)
    #: The submitters with jobs, those that are ``skipped`` included.
    submitters: list[Submitter] = field(factory=list)
    trimmed: list[TrimmedSlot] = field(factory=list)
    #: The slots whose claims are charged, the records of those matched and not claimed yet, by key,
    #: and what everybody used when the cycle began.
    charged: list[Slot] = field(factory=list)
    waiting: Mapping[str, Resource] = field(factory=dict)
    usage_before: Mapping[str, float] = field(factory=dict)
    match_list: MatchList | None = None
    #: Partitionable slots whose ads hold resources of their children while the list is kept.
    enlarged: list[Enlarged] = field(factory=list)
    matches: list[Match] = field(factory=list)
    #: The concurrency limits that each match was counted for.
    limits: list[str] = field(factory=list)
    rejections: list[Rejection] = field(factory=list)
    pies: list[Pie] = field(factory=list)
    #: Sessions whose first requests were fetched ahead, by submitter, schedd and range of JobPrio.
    offers_ahead: dict[tuple[str, str, tuple[int, int] | None], Offers] = field(factory=dict)
    #: The spin of the pie under way, from 1 on; the index of the pie is ``len(pies)``.
    spin: int = field(init=False, repr=False)
    #: For what a schedd evaluates: it has neither the negotiator's functions nor its user maps.
    schedd_context: EvalContext = Factory(lambda self: self.context, takes_self=True)
    #: Is called with all that happens.
    watch: Watch | None = None
    #: How many requests have been offered and how many sessions have ended so far.
    offers: int = field(default=0, init=False)
    sessions: int = field(default=0, init=False)
    stopwatch: Stopwatch = Factory(Stopwatch)
    departures: DepartureLog = Factory(DepartureLog)
    #: How many slots the submitter limit refused when slots were last looked at.  A request that is
    #: refused for its concurrency limits leaves the count of the one before, as the real one does.
    limit_refusals: int = field(init=False, repr=False)
    #: What refused slots when they were last looked at in the session; a request that is refused
    #: without looking goes by it.
    refusals: Tally = Factory(Tally)
    _by_name: dict[str, Slot] | None = field(default=None, init=False)

    @property
    def by_name(self) -> dict[str, Slot]:
        """The slots of the pool by name, trimmed ones included."""
        if self._by_name is None:
            self._by_name = {slot.name: slot for slot in self.fetched}
        return self._by_name

    @property
    def taking_part(self) -> list[Submitter]:
        """The submitters that are not skipped."""
        return [submitter for submitter in self.submitters if not submitter.skipped]

    def drop_match_list(self) -> None:
        """Forget the candidates of the last request."""
        self.match_list = None
        for change in self.enlarged:
            change.restore()
        self.enlarged.clear()

    def tell(self, event: Event) -> None:
        """Call who watches."""
        if self.watch is not None:
            self.watch(event)


# --- what happens in a cycle ----------------------------------------------------------------------


@frozen(eq=False)
class CycleBegan:
    """All is prepared, nothing has been decided."""

    board: Board


@define(eq=False)
class Offer:
    """A slot is about to be looked for; the request has its ephemeral attributes.

    ``number``: of the offers of the cycle, from 1, the same in each run of it.  ``hypothetical``:
    the request was not really offered then.
    """

    number: int
    board: Board
    terms: SessionTerms
    request: Request
    asker: Requester
    allowance: Allowance
    hypothetical: bool = False


@frozen(eq=False)
class Taken:
    """The request offered last got a slot, which the schedd gave to ``job``, None if to nobody."""

    candidate: Candidate
    job: QueuedJob | None


@frozen(eq=False)
class Answered:
    """A request got slots for ``served`` jobs, and no more.  ``last``: the session ends."""

    terms: SessionTerms
    request: Request
    served: int
    last: bool


@frozen(eq=False)
class SessionEnded:
    """A session is over; ``offers`` is what the schedd offered in it.

    ``number``: of the sessions of the cycle, from 1.
    """

    number: int
    board: Board
    terms: SessionTerms
    allowance: Allowance
    offers: Offers
    end: SessionEnd


@frozen(eq=False)
class CycleEnded:
    """Nothing more will be decided."""

    board: Board


#: A rejection is that of the request offered last.
Event: TypeAlias = (
    CycleBegan | QuotaStep | Offer | Taken | Rejection | Answered | SessionEnded | CycleEnded
)
#: Who watches a cycle; the board is the state of the cycle itself, not to be changed.
Watch: TypeAlias = Callable[[Event], None]


@define(eq=False)
class Placements:
    """Watches which job got the slot of each match, None where the match came to nothing."""

    jobs: list[QueuedJob | None] = field(factory=list)

    def __call__(self, event: Event) -> None:
        """See ``Watch``."""
        if isinstance(event, Taken):
            self.jobs.append(event.job)


@define(eq=False)
class CycleWatch:
    """Watches a cycle for what is needed to go on from it."""

    placements: Placements = field(factory=Placements)
    board: Board | None = None

    def __call__(self, event: Event) -> None:
        """See ``Watch``."""
        self.placements(event)
        if isinstance(event, CycleEnded):
            self.board = event.board
