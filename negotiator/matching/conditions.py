"""Says what a test of candidates is made of: a cause, who is concerned, and a condition.

There are few kinds of condition.  Each knows how it is asked of one slot (``ready``); an engine
that asks many slots at once has a way of its own for each kind, and asks slot by slot if it has
none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import attrgetter, ne
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from attr import define, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from negotiator.matching.board import Board
from negotiator.matching.candidate import Refusal, Requester
from negotiator.model.result import MatchKind
from negotiator.pool.consumption import Amounts, consumed, cost_of, request_for
from negotiator.pool.slots import Slot, meets
from policy.model import NegotiatorPolicy

V = TypeVar("V", bound=Hashable)
B = TypeVar("B", bound=Hashable)


@define(eq=False)
class Ask:
    """A request that slots are tested for; ``permits``: the limit test, None to leave it out."""

    board: Board
    request: ClassAd
    asker: Requester
    context: EvalContext
    permits: Callable[[MatchKind, float], bool] | None = None


@define(eq=False)
class Pair:
    """A slot and a request that are tested for each other.

    ``request``: as the slot's requirements see it; ``amounts``: what it would take of a slot with a
    consumption policy.
    """

    slot: Slot
    request: ClassAd
    cost: float
    amounts: Amounts | None = None
    kind: MatchKind = MatchKind.NONE


#: A condition made ready for one request; None if it is true of every slot.
Ready: TypeAlias = "Callable[[Pair], bool] | None"


class Condition(Protocol):
    """Something that has to be true of a slot and a request."""

    def ready(self, ask: Ask) -> Ready:
        """The condition for all slots of one request."""


@frozen(eq=False)
class OfSlot(Generic[V, B]):
    """A value that the slot has all through the cycle ``goes_with`` one of the request.

    ``value``: the name of a field of the slot, or a function that finds it.
    """

    value: str | Callable[[Slot, EvalContext], V]
    goes_with: Callable[[V, B], bool]
    by: Callable[[Ask], B]

    def value_in(self, context: EvalContext) -> Callable[[Slot], V]:
        """Finds the value of a slot."""
        value = self.value
        return attrgetter(value) if isinstance(value, str) else lambda slot: value(slot, context)

    def ready(self, ask: Ask) -> Ready:
        """See ``Condition``."""
        value, goes_with, by = self.value_in(ask.context), self.goes_with, self.by(ask)
        return lambda pair: goes_with(value(pair.slot), by)


@frozen(eq=False)
class OfAsker:
    """A condition on the submitter and the request alone, the same for all slots."""

    true: Callable[[Ask], bool]

    def ready(self, ask: Ask) -> Ready:
        """See ``Condition``."""
        return None if self.true(ask) else lambda pair: False


@frozen(eq=False)
class ExactlyTrue:
    """An expression of the policy is true of slot (MY) and request, or there is none."""

    expr: Callable[[NegotiatorPolicy], Expression | None]

    def ready(self, ask: Ask) -> Ready:
        """See ``Condition``."""
        expr, request, context = self.expr(ask.board.policy), ask.request, ask.context
        if expr is None:
            return None
        return lambda pair: evaluate(expr, pair.slot.ad, request, context=context) is True


@frozen(eq=False)
class EnoughToConsume:
    """A slot with a consumption policy has what the request would take of it."""

    def ready(self, ask: Ask) -> Ready:
        """See ``Condition``."""
        request, context = ask.request, ask.context

        def passes(pair: Pair) -> bool:
            slot = pair.slot
            if not slot.resources:
                return True
            amounts = pair.amounts = consumed(slot.ad, slot.resources, request, context)
            if amounts is None:
                return False
            pair.request = request_for(request, amounts)
            pair.cost = cost_of(slot.ad, amounts, context)
            return True

        return passes


@frozen(eq=False)
class BothRequirements:
    """The requirements of either ad are true of the other."""

    def ready(self, ask: Ask) -> Ready:
        """See ``Condition``."""
        context = ask.context

        def passes(pair: Pair) -> bool:
            ad, request = pair.slot.ad, pair.request
            return meets(ad, request, context) and meets(request, ad, context)

        return passes


@frozen(eq=False)
class WithinLimit:
    """The submitter limit permits the cost of the match."""

    def ready(self, ask: Ask) -> Ready:
        """See ``Condition``."""
        permits = ask.permits
        return None if permits is None else lambda pair: permits(pair.kind, pair.cost)


def nothing(ask: Ask) -> None:
    """For conditions on the slot alone."""


class CandidateTest(NamedTuple):
    """A test that refuses slots for a ``cause`` unless the condition is true.

    ``kinds``: who is concerned: slots that can be had in these ways; None: every slot, before it is
    known in which way.  ``made``: whether it is made at all under a policy.
    """

    cause: Refusal
    condition: Condition
    kinds: frozenset[MatchKind] | None = None
    made: Callable[[NegotiatorPolicy], bool] = lambda policy: True


ALWAYS: Final = OfAsker(lambda ask: True)
#: Which a set of slots by value can be asked for at once.
UNEQUAL: Final = ne
