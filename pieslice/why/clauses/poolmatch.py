"""Matches one request with all slots of a cycle at once, those matched earlier included.

Inputs: a halted cycle, a request.  Outputs: ``PoolMatch``: the slots as rows, the clauses counted,
the rows that match.  Follows: ``negotiator.matching.conditions``, whose tests decide for slots
with a consumption policy.
"""

from __future__ import annotations

from collections.abc import Iterable

from attr import evolve, frozen

from classad import ClassAd
from classad.table import Rows
from negotiator.matching.board import Offer
from negotiator.matching.conditions import Ask, BothRequirements, Pair
from pieslice.why.clauses.table import ClauseKey, ClauseTable, Counted, Pairs
from pieslice.why.requests.moments import request_for


@frozen(eq=False)
class PoolMatch:
    """A request and the slots of a cycle.  ``there``: those that are not matched yet."""

    table: ClauseTable
    clauses: tuple[Counted, ...]
    matching: Rows
    there: Rows

    @property
    def pairs(self) -> Pairs:
        """The request against the slots."""
        return self.table.pairs

    def without(self, dropped: Iterable[ClauseKey]) -> Rows:
        """The slots that match if some clauses are not there."""
        gone = frozenset(dropped)
        if not gone:
            return self.matching
        found = self.pairs.all
        for clause in self.clauses:
            if clause.key not in gone:
                found = found - clause.failing
        return found

    def groups(self) -> list[tuple[tuple[Counted, ...], Rows]]:
        """The slots that do not match, by the clauses that refuse them; fewest clauses first."""
        rest = self.pairs.all - self.pairs.lacking - self.matching
        found: list[tuple[tuple[Counted, ...], Rows]] = [((), rest)] if rest else []
        for clause in self.clauses:
            parts = []
            for failed, rows in found:
                refused = rows & clause.failing
                if refused:
                    parts.append(((*failed, clause), refused))
                if len(refused) < len(rows):
                    parts.append((failed, rows - refused))
            found = parts
        return sorted(
            (group for group in found if group[0]),
            key=lambda group: (len(group[0]), -len(group[1])),
        )


def match_pool(
    halted: Offer, known: frozenset[str] = frozenset(), like: PoolMatch | None = None
) -> PoolMatch:
    """The request of a halted cycle.  ``like``: a match of another request at the same moment."""
    board = halted.board
    ask = Ask(board, halted.request.ad, halted.asker, board.context)
    pairs = Pairs.of(ask, list(board.pool), None if like is None else like.pairs.table)
    table = ClauseTable(pairs, known) if like is None else like.table.for_request(pairs)
    size = len(pairs.slots)
    apart = Rows.of(size, pairs.seen)
    matching = pairs.table.match(ask.request, within=pairs.all - apart, context=ask.context)
    meets = BothRequirements().ready(ask)
    for row in apart - pairs.lacking:
        slot = pairs.slots[row]
        if meets is None or meets(Pair(slot, pairs.seen[row], slot.weight)):
            matching.add(row)
    if like is None:
        left = {slot.name for slot in board.slots.values()}
        there = Rows.of(size, (row for row, slot in enumerate(pairs.slots) if slot.name in left))
    else:
        there = like.there
    return PoolMatch(table, tuple(table.requirements()), matching, there)


def with_job(halted: Offer, ad: ClassAd) -> Offer:
    """The same moment if the first job of the request had another ad."""
    board, terms = halted.board, halted.terms
    jobs = board.jobs[terms.submitter, terms.schedd]
    job = evolve(halted.request.jobs[0], ad=ad)
    if jobs.shown is not None:
        job.autocluster = jobs.shown.autocluster_of(ad)
    return evolve(halted, request=request_for(board, terms, job))
