"""The state of a cycle under way: what is left of the slots, what has been decided so far.

Decision here: none; this is what the stages share.  Everything in it lives for one cycle.

Never here: rules.
Follows: nothing; it is bookkeeping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attr import Factory, define, field

from classad.evaluate import EvalContext
from negotiator.accounting import Accountant
from negotiator.concurrency import ConcurrencyCounts
from negotiator.departures import DepartureLog
from negotiator.groups import GroupTree
from negotiator.pslots import Enlarged
from negotiator.requests import JobList
from negotiator.result import Match, Pie, PoolNumbers, Rejection
from negotiator.slots import Slot
from negotiator.stopwatch import Stopwatch
from negotiator.watch import Watch
from policy.model import NegotiatorPolicy

if TYPE_CHECKING:
    from negotiator.engine import Engine
    from negotiator.matchlist import MatchList


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
    pool: Sequence[Slot] = ()
    match_list: MatchList | None = None
    #: Partitionable slots whose ads hold resources of their children while the list is kept.
    enlarged: list[Enlarged] = field(factory=list)
    matches: list[Match] = field(factory=list)
    rejections: list[Rejection] = field(factory=list)
    pies: list[Pie] = field(factory=list)
    #: The spin of the pie under way; its index is ``len(pies)``.
    spin: int = 0
    #: For what a schedd evaluates: it has neither the negotiator's functions nor its user maps.
    schedd_context: EvalContext = Factory(lambda self: self.context, takes_self=True)
    #: Who is told what happens; nobody as a rule.
    watch: Watch = Factory(Watch)
    stopwatch: Stopwatch = Factory(Stopwatch)
    departures: DepartureLog = Factory(DepartureLog)
    #: How many slots the submitter limit refused when slots were last looked at.  A request that is
    #: refused for its concurrency limits leaves the count of the one before, as the real one does.
    limit_refusals: int = 0
    _by_name: dict[str, Slot] | None = field(default=None, init=False)

    @property
    def by_name(self) -> dict[str, Slot]:
        """The slots of the pool by name."""
        if self._by_name is None:
            self._by_name = {slot.name: slot for slot in self.pool}
        return self._by_name

    def drop_match_list(self) -> None:
        """Forget the candidates of the last request."""
        self.match_list = None
        for change in self.enlarged:
            change.restore()
        self.enlarged.clear()
