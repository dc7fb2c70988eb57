"""Finding the candidates of a request: the interface, and the engine that looks at slot after slot.

Decision here: none; every engine finds the same candidates with the same keys and refuses the same
slots for the same causes.  ``reference`` is the definition: it tests each slot by itself.
``columns`` (see ``negotiator.columns.engine``) asks all slots at once.  Inputs: the board, a
request, who asks.  Outputs: ``Found``, and counts in a tally.

Never here: which candidate is taken.
Follows: nothing; it is bookkeeping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from classad.table import Rows
from negotiator.matching.board import Engine, Entries, Found
from negotiator.matching.candidate import Allowance, Asker, Candidate, Tally
from negotiator.matching.candidates import scan
from negotiator.model.std_sort import best_first
from negotiator.pool.slots import Slot, fetch_slots

if TYPE_CHECKING:
    from classad import ClassAd
    from classad.evaluate import EvalContext
    from negotiator.jobs.requests import Request
    from negotiator.matching.board import Board
    from policy.model import NegotiatorPolicy


class SlotsLeft(dict[int, Slot]):
    """The slots not matched yet by their position in the pool, in pool order.

    ``bits``: the same positions as a set: bit p stands for position p.
    """

    def __init__(self, slots: Mapping[int, Slot]) -> None:
        """``slots``: by rising positions."""
        super().__init__(slots)
        size = next(reversed(self), -1) + 1
        whole = size == len(self)
        self.bits = (1 << size) - 1 if whole else Rows.of(size, slots).bits

    def __setitem__(self, position: int, slot: Slot) -> None:
        super().__setitem__(position, slot)
        self.bits |= 1 << position

    def __delitem__(self, position: int) -> None:
        super().__delitem__(position)
        self.bits ^= 1 << position


class Listed:
    """Candidates that have all been looked at."""

    def __init__(self, candidates: list[Candidate]) -> None:
        self.candidates = candidates

    def entries(self) -> list[Candidate]:
        """See ``Found``."""
        found = self.candidates
        if len(found) < 2:
            return found
        columns = list(zip(*(candidate.keys for candidate in found), strict=True))
        return [found[i] for i in best_first(columns)]

    def first_best(self) -> Candidate | None:
        """See ``Found``."""
        best: Candidate | None = None
        for candidate in self.candidates:
            if best is None or candidate.keys > best.keys:
                best = candidate
        return best


class ReferenceEngine:
    """Tests each slot by itself."""

    def find(
        self, board: Board, request: Request, asker: Asker, allowance: Allowance, tally: Tally
    ) -> Listed:
        """See ``Engine``."""
        return Listed(list(scan(board, request.ad, asker, allowance, tally)))


REFERENCE: Final = ReferenceEngine()


def find(board: Board, request: Request, asker: Asker, allowance: Allowance, tally: Tally) -> Found:
    """The candidates for a request, by the board's engine if it has one."""
    engine: Engine = board.engine or REFERENCE
    return engine.find(board, request, asker, allowance, tally)


def all_of(entries: Entries, start: int = 0) -> Iterator[Candidate]:
    """The entries from a place on."""
    return (entries[place] for place in range(start, len(entries)))


class Engines(Protocol):
    """Makes the engines of one cycle after another; may keep what it learns on the way."""

    def fetch(
        self,
        ads: Sequence[ClassAd],
        claims: Mapping[str, int],
        policy: NegotiatorPolicy,
        context: EvalContext,
    ) -> Sequence[Slot]:
        """The slots of a cycle; see ``negotiator.pool.slots.fetch_slots``."""

    def prepare(self, slots: Sequence[Slot], policy: NegotiatorPolicy) -> tuple[SlotsLeft, Engine]:
        """An engine for slots that are prepared for a cycle, in pool order, and their positions."""


class ReferenceEngines:
    """Gives every cycle the reference engine."""

    def fetch(
        self,
        ads: Sequence[ClassAd],
        claims: Mapping[str, int],
        policy: NegotiatorPolicy,
        context: EvalContext,
    ) -> Sequence[Slot]:
        """See ``Engines``."""
        return fetch_slots(ads, claims, policy, context)

    def prepare(self, slots: Sequence[Slot], policy: NegotiatorPolicy) -> tuple[SlotsLeft, Engine]:
        """See ``Engines``."""
        return SlotsLeft(dict(enumerate(slots))), REFERENCE
