"""Asks the tests of the cycle what they say of one slot after another.

Inputs: a halted cycle.  Outputs: a ``Candidate``, or the test that refuses the slot.  Follows:
``negotiator.matching.candidates``, whose ordered table of tests decides.
"""

from __future__ import annotations

from attr import frozen

from negotiator.matching.board import Offer
from negotiator.matching.candidate import Candidate, Refusal, Tally
from negotiator.matching.candidates import Tester, per_slot_limits_have_room
from negotiator.matching.conditions import Ask


@frozen(eq=False)
class Verdicts:
    """The tests, made ready for the request of a halted cycle.

    ``kept_list``: its candidates come from the list of a request before.
    """

    halted: Offer
    tester: Tester
    kept_list: bool
    positions: dict[str, int]

    @classmethod
    def at(cls, halted: Offer, *, kept_list: bool) -> Verdicts:
        """What is said of the request of the halted cycle."""
        positions = {slot.name: position for position, slot in halted.board.slots.items()}
        return cls(halted, _tester(halted), kept_list, positions)

    def of_request(self, halted: Offer, *, matched: bool) -> Verdicts:
        """The same of another request at the same moment; ``matched``: as if slots matched it."""
        return Verdicts(halted, _tester(halted, matched=matched), False, self.positions)

    def without_limits(self, name: str) -> Candidate | Refusal:
        """What the cycle says of a slot that is left, as if no limit were reached."""
        board = self.halted.board
        position = self.positions[name]
        before = len(board.enlarged)
        found = self.tester.verdict(position, board.slots[position])
        for change in board.enlarged[before:]:
            change.restore()
        del board.enlarged[before:]
        return found

    def of(self, name: str) -> Candidate | Refusal:
        """What the cycle says of a slot that is left."""
        board, allowance = self.halted.board, self.halted.allowance
        found = self.without_limits(name)
        if isinstance(found, Refusal):
            return found
        permits = allowance.permits_cached if self.kept_list else allowance.permits
        if not permits(found.kind, found.cost):
            return Refusal.SUBMITTER_LIMIT
        if not per_slot_limits_have_room(board, found.slot, self.halted.request.ad, Tally()):
            return Refusal.CONCURRENCY_LIMIT
        return found


def _tester(halted: Offer, *, matched: bool = False) -> Tester:
    ask = Ask(halted.board, halted.request.ad, halted.asker, halted.board.context)
    return Tester(ask, matched=matched)
