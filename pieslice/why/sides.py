"""Says what one of two cycles that are compared is: its name, its numbers, its configuration.

Inputs: a ``CycleResult``, a ``WhatIf``.  Outputs: ``CycleSide``.
"""

from __future__ import annotations

from collections import Counter

from classad.records import field, frozen
from negotiator.model.arithmetic import add_up
from negotiator.model.result import CycleResult, MatchKind
from pieslice.reports.document import INLINE, SPARSE
from pieslice.reports.layout import plural, short
from pieslice.reports.whatif import WhatIfData
from policy.versions import Followed


@frozen
class CycleTotals:
    """A cycle in a few numbers."""

    slots: int
    matches: int
    free: int
    by_rank: int
    by_priority: int
    weight: float
    rejections: int

    @classmethod
    def of(cls, result: CycleResult) -> CycleTotals:
        """The numbers of one cycle."""
        kinds = Counter(match.kind for match in result.matches)
        return cls(
            result.pool.slots,
            len(result.matches),
            kinds[MatchKind.NONE],
            kinds[MatchKind.RANK],
            kinds[MatchKind.PRIORITY],
            add_up(match.cost for match in result.matches),
            len(result.rejections),
        )

    @property
    def text(self) -> str:
        """All of them in a line."""
        kinds = f"{self.free} free, {self.by_rank} by rank, {self.by_priority} by priority"
        matches = f"{plural(self.matches, 'match')} of weight {short(self.weight)} ({kinds})"
        return f"{plural(self.slots, 'slot')}, {matches}, {plural(self.rejections, 'rejection')}"


@frozen
class CycleSide:
    """One of two cycles: what it is called, the version that it follows, its numbers.

    ``what_if``: what its configuration changes besides the policy of the negotiator.
    """

    name: str
    followed: Followed = field(metadata=INLINE)
    totals: CycleTotals
    what_if: WhatIfData | None = field(default=None, metadata=SPARSE)

    @property
    def title(self) -> str:
        """The name and the numbers."""
        return f"{self.name}: {self.totals.text}"
