"""Finds the candidates of a request: the engine that tests slot after slot, and what engines are.

Every engine finds the same candidates with the same keys and refuses the same slots for the same
causes; this one is the definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.jobs.lists import KnownJobs
from negotiator.jobs.requests import Request
from negotiator.matching.board import Board, Candidates, Engine, Entries
from negotiator.matching.candidate import Allowance, Candidate, Refusal, Requester, Tally
from negotiator.matching.candidates import scan
from negotiator.matching.conditions import Ask
from negotiator.matching.rank import better
from negotiator.model.arithmetic import best_first
from negotiator.pool.fetch import fetch_slots
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy


class RankedList:
    """Candidates in a list, every one of them ranked."""

    def __init__(self, candidates: list[Candidate]) -> None:
        self.candidates = candidates

    def entries(self) -> list[Candidate]:
        """See ``Candidates``."""
        found = self.candidates
        if len(found) < 2:
            return found
        columns = list(zip(*(candidate.keys for candidate in found), strict=True))
        return [found[i] for i in best_first(columns)]

    def first_best(self) -> Candidate | None:
        """See ``Candidates``."""
        best: Candidate | None = None
        for candidate in self.candidates:
            if best is None or better(candidate.keys, best.keys):
                best = candidate
        return best


class ReferenceEngine:
    """Tests each slot by itself."""

    def find(
        self, board: Board, request: Request, asker: Requester, allowance: Allowance, tally: Tally
    ) -> RankedList:
        """See ``Engine``."""
        return RankedList(list(scan(board, request.ad, asker, allowance, tally)))


REFERENCE: Final = ReferenceEngine()


def find(
    board: Board, request: Request, asker: Requester, allowance: Allowance, tally: Tally
) -> Candidates:
    """The candidates for a request, by the board's engine if it has one."""
    engine: Engine = board.engine or REFERENCE
    return engine.find(board, request, asker, allowance, tally)


@runtime_checkable
class SetEngine(Protocol):
    """An engine that tests many slots at once."""

    def refused(self, ask: Ask, matching: Iterable[int]) -> dict[int, Refusal]:
        """See ``refused``."""


def refused(ask: Ask, matching: Iterable[int]) -> dict[int, Refusal]:
    """Why slots that are left are refused, by position, where the engine need not look at each.

    ``matching``: the positions of those of which both requirements are true.
    """
    return refused_by(ask.board.engine, ask, matching)


def refused_by(engine: object, ask: Ask, matching: Iterable[int]) -> dict[int, Refusal]:
    """The same by the word of an engine, whichever the board has."""
    return engine.refused(ask, matching) if isinstance(engine, SetEngine) else {}


def all_of(entries: Entries, start: int = 0) -> Iterator[Candidate]:
    """The entries from a place on."""
    return (entries[place] for place in range(start, len(entries)))


class Engines:
    """Makes the engines of one cycle after another, here the reference engine for each of them.

    Others may keep what they learn on the way.
    """

    @property
    def jobs(self) -> KnownJobs:
        """What is known of jobs from the cycles before, here nothing."""
        return KnownJobs()

    def fetch(
        self,
        ads: Sequence[ClassAd],
        claims: Mapping[str, int],
        policy: NegotiatorPolicy,
        context: EvalContext,
        read: bool,
    ) -> Slots:
        """The slots of a cycle; see ``negotiator.pool.fetch.fetch_slots``.

        ``read``: jobs or the policy may read the requirements of slots as a value.
        """
        return fetch_slots(ads, claims, policy, context, read)

    def prepare(self, slots: Slots, policy: NegotiatorPolicy) -> tuple[dict[int, Slot], Engine]:
        """An engine for slots that are prepared for a cycle, in pool order, and their positions."""
        return dict(enumerate(slots)), REFERENCE
