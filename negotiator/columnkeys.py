"""The five keys of many candidates at once.

Decision here: none that ``negotiator.rank`` would not make slot by slot.  A rank is a column of
numbers, found by the table once for each distinct combination of what it depends on.  Inputs: the
table of the slots, a request, who passed the tests.  Outputs: ``Keys``: the keys of any row.

Never here: order, the tests.  A rank that is NaN, which no order can be told of, is refused.
Follows: ``negotiator.rank``.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from operator import ne
from typing import Any, Final, TypeAlias

from attr import frozen

from classad.expr import ExprTree
from classad.kernels import top_k
from classad.nodes import Reference
from classad.table import Table
from classad.table.moving import kinds_of, masked, pick_numbers, rows_of, settle
from classad.table.partner import Partner
from negotiator.arithmetic import DBL_MAX, FLT_MAX, float32
from negotiator.chance import UnsureError
from negotiator.rank import KIND_ORDER, RankKeys
from negotiator.result import MatchKind
from policy.model import NegotiatorPolicy

#: A key: the same for all rows, or a column of them.
Key: TypeAlias = "float | array[float]"

_NUMBERS: Final[frozenset[type[Any]]] = frozenset({float, int, bool})


class _PolicyNumber:
    """Values as ranks of the negotiator's own (see ``rank.policy_rank``)."""

    def __call__(self, value: Any) -> float:
        if value.__class__ not in _NUMBERS:
            return -DBL_MAX
        return _sure(float32(float(value)))

    def many(self, values: list[Any]) -> array[float]:
        """The same for many values."""
        others = [place for place, value in enumerate(values) if value.__class__ not in _NUMBERS]
        if others:
            values = [value if value.__class__ in _NUMBERS else 0.0 for value in values]
        found = array("d", array("f", values))
        if any(map(ne, found, found)):
            raise UnsureError
        for place in others:
            found[place] = -DBL_MAX
        return found

    def of_doubles(self, values: array[float]) -> array[float]:
        """The same for numbers, NaN standing for what is none."""
        return settle(values, True, -DBL_MAX)


class _JobNumber:
    """Values as a job's rank (see ``rank.job_rank``)."""

    def __call__(self, value: Any) -> float:
        return _sure(float(value)) if value.__class__ in _NUMBERS else 0.0

    def of_doubles(self, values: array[float]) -> array[float]:
        """The same for numbers, NaN standing for what is none."""
        return settle(values, False, 0.0)


def _sure(number: float) -> float:
    if number != number:
        raise UnsureError
    return number


#: One object each: the table keeps numbers by it.
policy_number: Final = _PolicyNumber()
job_number: Final = _JobNumber()

#: The fourth key of the kinds that ``kinds_of`` numbers: nobody's, by rank, by priority.
_ORDERS: Final = array(
    "d", [KIND_ORDER[kind] for kind in (MatchKind.NONE, MatchKind.RANK, MatchKind.PRIORITY)]
)


@cache
def _rank_of_slot() -> ExprTree:
    """What ranks a request that has no ``Rank`` at all."""
    return ExprTree.from_node(Reference("Rank", base=Reference("MY")))


@frozen(eq=False)
class Passed:
    """Rows that passed the tests, and those of them that somebody holds, by kind."""

    bits: int
    by_rank: int = 0
    by_priority: int = 0

    @property
    def held(self) -> int:
        """The rows that somebody holds."""
        return self.by_rank | self.by_priority

    def kind(self, row: int) -> MatchKind:
        """How a row can be had."""
        if self.by_rank >> row & 1:
            return MatchKind.RANK
        return MatchKind.PRIORITY if self.by_priority >> row & 1 else MatchKind.NONE


@frozen(eq=False)
class Keys:
    """The keys of the rows that passed, place by place: ``rows`` rise."""

    rows: array[int]
    pre_job: Key
    job: Key
    post_job: Key
    kind: Key = KIND_ORDER[MatchKind.NONE]
    preemption: Key = -FLT_MAX

    def of(self, row: int) -> RankKeys:
        """The keys of a row."""
        return self.at(bisect_left(self.rows, row))

    def at(self, place: int) -> RankKeys:
        """The keys of the row at a place."""
        keys = (self.pre_job, self.job, self.post_job, self.kind, self.preemption)
        return RankKeys(*[key[place] if isinstance(key, array) else key for key in keys])

    def columns(self) -> list[array[float]]:
        """The keys that differ; the first column decides first."""
        keys = (self.pre_job, self.job, self.post_job, self.kind, self.preemption)
        return [key for key in keys if isinstance(key, array)]

    def best(self, k: int) -> list[int]:
        """The places of the best rows, best first; equal ones in row order."""
        columns = self.columns()
        return top_k(columns, k) if columns else list(range(min(k, len(self.rows))))


class KeyMaker:
    """Makes the keys of requests."""

    def __init__(
        self, table: Table, policy: NegotiatorPolicy, fixed: Mapping[int, tuple[float, float]]
    ) -> None:
        """``fixed``: pre-job and post-job rank of each row, for when jobs' ranks are ignored."""
        self._table = table
        self._size = len(table)
        self._policy = policy
        self._fixed: tuple[array[float], array[float]] | None = None
        if policy.ignore_job_ranks:
            pairs = [fixed.get(row, (0.0, 0.0)) for row in range(self._size)]
            before, after = (array("d", [pair[i] for pair in pairs]) for i in (0, 1))
            self._fixed = (before, after)

    def keys(self, request: Partner, passed: Passed) -> Keys:
        """The keys of the rows that passed; raises ``UnsureError``."""
        kind: Key = KIND_ORDER[MatchKind.NONE]
        preemption: Key = -FLT_MAX
        if passed.held:
            rows, kinds = kinds_of(passed.bits, passed.by_rank, passed.by_priority)
            kind = pick_numbers(_ORDERS, kinds)
            preemption = self._preemption_key(request, rows, kinds)
        else:
            rows = rows_of(passed.bits)
        if self._fixed is not None:
            before, after = (pick_numbers(ranks, rows) for ranks in self._fixed)
            return Keys(rows, before, 1.0, after, kind, preemption)
        policy = self._policy
        if not rows:
            return Keys(rows, 0.0, 0.0, 0.0)
        return Keys(
            rows,
            self._policy_key(policy.pre_job_rank, request, rows),
            self._job_key(request, rows),
            self._policy_key(policy.post_job_rank, request, rows),
            kind,
            preemption,
        )

    def _policy_key(self, expr: ExprTree | None, request: Partner, rows: array[int]) -> Key:
        if expr is None:
            return -DBL_MAX
        return self._table.numbers_at(expr, request, rows, convert=policy_number)

    def _job_key(self, request: Partner, rows: array[int]) -> Key:
        assert request.ad is not None
        rank = request.ad.raw("Rank")
        if rank is not None and rank.__class__ is not ExprTree:
            return job_number(rank)
        return self._table.numbers_at(
            _rank_of_slot() if rank is None else rank,
            request,
            rows,
            row_is="my" if rank is None else "target",
            convert=job_number,
        )

    def _preemption_key(self, request: Partner, rows: array[int], kinds: array[int]) -> Key:
        """The fifth key, which only rows have that somebody holds."""
        if self._fixed is not None:
            return -FLT_MAX
        ranks = self._policy_key(self._policy.preemption_rank, request, rows)
        if not isinstance(ranks, array):
            ranks = array("d", [ranks]) * len(rows)
        return masked(kinds, ranks, -FLT_MAX)
