"""The five keys of many candidates at once.

Decision here: none that ``negotiator.rank`` would not make slot by slot.  A rank is a column of
numbers, found by the table once for each distinct combination of what it depends on.  Inputs: the
table of the slots, a request, who passed the tests.  Outputs: ``Keys``: the keys of any row.

Never here: order, the tests.  A rank that is NaN, which no order can be told of, is refused.
Follows: ``negotiator.rank``.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from functools import cache
from operator import ne
from typing import Any, Final, TypeAlias

from attr import frozen

from classad.expr import ExprTree
from classad.nodes import Reference
from classad.table import Rows, Table
from classad.table.moving import best_rows, pick_numbers, settle
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

    def kinds(self, rows: Sequence[int]) -> list[MatchKind]:
        """The same for many rows, for each of which a set would be shifted as a whole."""
        size = max(max(rows, default=0), self.held.bit_length()) // 8 + 1
        by_rank, by_priority = (
            bits.to_bytes(size, "little") for bits in (self.by_rank, self.by_priority)
        )
        return [
            MatchKind.RANK
            if by_rank[row >> 3] >> (row & 7) & 1
            else MatchKind.PRIORITY
            if by_priority[row >> 3] >> (row & 7) & 1
            else MatchKind.NONE
            for row in rows
        ]


@frozen(eq=False)
class Keys:
    """The keys of the rows that passed.  ``preemption``: of those that somebody holds."""

    passed: Passed
    pre_job: Key
    job: Key
    post_job: Key
    preemption: Key

    def of(self, row: int) -> RankKeys:
        """The keys of a row."""
        kind = self.passed.kind(row)
        return RankKeys(
            _at(self.pre_job, row),
            _at(self.job, row),
            _at(self.post_job, row),
            KIND_ORDER[kind],
            -FLT_MAX if kind is MatchKind.NONE else _at(self.preemption, row),
        )

    def best(self, k: int) -> list[int]:
        """The best rows, best first; equal ones in row order."""
        passed = self.passed
        columns = [key for key in (self.pre_job, self.job, self.post_job) if isinstance(key, array)]
        if not passed.held:
            return best_rows(passed.bits, columns, k)
        found = best_rows(passed.bits & ~passed.held, columns, k)
        if isinstance(self.preemption, array):
            columns.append(self.preemption)
        for bits in (passed.by_rank, passed.by_priority):
            found += best_rows(bits, columns, k)
        found.sort()
        found.sort(key=self.of, reverse=True)
        return found[:k]

    def gather(self, rows: array[int]) -> list[array[float]]:
        """The keys of some rows that differ, column by column."""
        keys = (self.pre_job, self.job, self.post_job)
        found = [pick_numbers(key, rows) for key in keys if isinstance(key, array)]
        if self.passed.held:
            kinds = self.passed.kinds(rows)
            found.append(array("d", [KIND_ORDER[kind] for kind in kinds]))
            ranks = (
                -FLT_MAX if kind is MatchKind.NONE else _at(self.preemption, row)
                for kind, row in zip(kinds, rows, strict=True)
            )
            found.append(array("d", ranks))
        return found


def _at(key: Key, row: int) -> float:
    return key[row] if isinstance(key, array) else key


class KeyMaker:
    """Makes the keys of requests."""

    def __init__(
        self, table: Table, policy: NegotiatorPolicy, fixed: Mapping[int, tuple[float, float]]
    ) -> None:
        """``fixed``: pre-job and post-job rank of each row, for when jobs' ranks are ignored."""
        self._table = table
        self._size = len(table)
        self._policy = policy
        self._fixed: tuple[Key, Key] | None = None
        if policy.ignore_job_ranks:
            pairs = [fixed.get(row, (0.0, 0.0)) for row in range(self._size)]
            before, after = (array("d", [pair[i] for pair in pairs]) for i in (0, 1))
            self._fixed = (before, after)

    def keys(self, request: Partner, passed: Passed) -> Keys:
        """The keys of the rows that passed; raises ``UnsureError``."""
        if self._fixed is not None:
            pre_job, post_job = self._fixed
            return Keys(passed, pre_job, 1.0, post_job, -FLT_MAX)
        policy, bits = self._policy, passed.bits
        if not bits:
            return Keys(passed, 0.0, 0.0, 0.0, 0.0)
        return Keys(
            passed,
            self._policy_key(policy.pre_job_rank, request, bits),
            self._job_key(request, bits),
            self._policy_key(policy.post_job_rank, request, bits),
            self._policy_key(policy.preemption_rank, request, passed.held),
        )

    def _policy_key(self, expr: ExprTree | None, request: Partner, bits: int) -> Key:
        if expr is None or not bits:
            return -DBL_MAX
        return self._table.numbers(
            expr, request, row_is="my", convert=policy_number, within=Rows(self._size, bits)
        )

    def _job_key(self, request: Partner, bits: int) -> Key:
        assert request.ad is not None
        rank = request.ad.raw("Rank")
        if rank is not None and rank.__class__ is not ExprTree:
            return job_number(rank)
        return self._table.numbers(
            _rank_of_slot() if rank is None else rank,
            request,
            row_is="my" if rank is None else "target",
            convert=job_number,
            within=Rows(self._size, bits),
        )
