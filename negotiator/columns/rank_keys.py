"""The five keys of many candidates at once.

Decision here: none that ``negotiator.matching.rank`` would not make slot by slot.  A rank is a
column of
numbers, found by the table once for each distinct combination of what it depends on.  Inputs: the
table of the slots, a request, who passed the tests.  Outputs: ``Keys``: the keys of any row.

Never here: order, the tests.  A rank that is NaN, which no order can be told of, is refused.
Follows: ``negotiator.matching.rank``.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import cache, cached_property
from operator import ne
from typing import Any, Final, TypeAlias

from attr import define

from classad.ads.expression import Expression as ExprTree
from classad.kernels import Key, sort_rows, top_rows
from classad.syntax.nodes import Reference
from classad.table import Rows, Table
from classad.table.arrays.arrays import mark, rows_of, settle
from classad.table.dependence.partner import Partner
from negotiator.columns.chance import UnsureError
from negotiator.matching.rank import KIND_ORDER, RankKeys
from negotiator.model.arithmetic import DBL_MAX, FLT_MAX, float32
from negotiator.model.result import MatchKind
from policy.model import NegotiatorPolicy

#: What decides: a number, the same for all rows, or a key of each.
Rank: TypeAlias = "float | Key"

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

#: The kinds of match by the numbers that stand for them here.
_KINDS: Final = (MatchKind.NONE, MatchKind.RANK, MatchKind.PRIORITY)
_BY_RANK: Final = _KINDS.index(MatchKind.RANK)
_BY_PRIORITY: Final = _KINDS.index(MatchKind.PRIORITY)
#: So many sets of rows that prefer requests are remembered.
_MANY: Final = 64
#: The fourth key of each kind.
_ORDERS: Final = array("d", [KIND_ORDER[kind] for kind in _KINDS])


@cache
def _rank_of_slot() -> ExprTree:
    """What ranks a request that has no ``Rank`` at all."""
    return ExprTree.from_node(Reference("Rank", base=Reference("MY")))


@define(eq=False)
class Passed:
    """Rows that passed the tests, and those of them that somebody holds, by kind.

    ``preferring``: all that rank the request higher than their job, held or not, if that is known;
    the same set for requests that are the same to them.
    """

    bits: int
    by_rank: int = 0
    by_priority: int = 0
    preferring: int | None = None


@define(eq=False)
class Keys:
    """The keys of the rows that passed; ``rows`` rise, of ``size`` that there are.

    ``kinds``: the number of the kind of match that each row is; None if nobody holds any.
    """

    rows: array[int]
    size: int
    pre_job: Rank
    job: Rank
    post_job: Rank
    kinds: bytearray | None = None
    preemption: Rank = -FLT_MAX

    def at(self, row: int) -> RankKeys:
        """The keys of a row."""
        ranks = (self.pre_job, self.job, self.post_job, self.preemption)
        pre, job, post, preemption = [r.at(row) if isinstance(r, Key) else r for r in ranks]
        return RankKeys(pre, job, post, KIND_ORDER[self.kind(row)], preemption)

    def kind(self, row: int) -> MatchKind:
        """How a row can be had."""
        return _KINDS[self.kinds[row]] if self.kinds else MatchKind.NONE

    def best(self, k: int) -> list[int]:
        """The best rows, best first; equal ones in their order."""
        return top_rows(self._columns(), self.size, self.rows, k)

    def first(self, k: int) -> list[int]:
        """The first rows in the order of the negotiator's sort, which shuffles equal ones."""
        return sort_rows(self._columns(), self.size, self.rows, k)

    def _columns(self) -> list[Key]:
        """The keys in which rows differ; the first one decides first."""
        kind = None if self.kinds is None else Key(_ORDERS, None, self.kinds, _ORDERS[0], True)
        keys = (self.pre_job, self.job, self.post_job, kind, self.preemption)
        return [key for key in keys if isinstance(key, Key)]


class KeyMaker:
    """Makes the keys of requests."""

    def __init__(
        self,
        table: Table,
        policy: NegotiatorPolicy,
        held: int,
        fixed: Mapping[int, tuple[float, float]],
    ) -> None:
        """``held``: the rows that somebody holds.

        ``fixed``: pre-job and post-job rank of each row, for when jobs' ranks are ignored.
        """
        self._table = table
        self._size = len(table)
        self._policy = policy
        self._held = held
        #: The kinds by the set of those who prefer requests.
        self._by_rank: dict[int, tuple[int, bytearray]] = {}
        self._fixed: tuple[Key, Key] | None = None
        if policy.ignore_job_ranks:
            pairs = [fixed.get(row, (0.0, 0.0)) for row in range(self._size)]
            before, after = (Key(array("d", [pair[i] for pair in pairs])) for i in (0, 1))
            self._fixed = (before, after)

    def keys(self, request: Partner, passed: Passed) -> Keys:
        """The keys of the rows that passed; raises ``UnsureError``."""
        rows, size = rows_of(passed.bits), self._size
        kinds = self._kinds(passed)
        if self._fixed is not None:
            before, after = self._fixed
            return Keys(rows, size, before, 1.0, after, kinds)
        policy = self._policy
        if not rows:
            return Keys(rows, size, 0.0, 0.0, 0.0)
        preemption: Rank = -FLT_MAX
        if kinds is not None:
            held = Passed(passed.by_rank | passed.by_priority)
            preemption = self._policy_rank(policy.preemption_rank, request, held)
            if isinstance(preemption, Key):
                preemption = Key(preemption.values, preemption.codes, kinds, -FLT_MAX)
        return Keys(
            rows,
            size,
            self._policy_rank(policy.pre_job_rank, request, passed),
            self._job_rank(request, passed),
            self._policy_rank(policy.post_job_rank, request, passed),
            kinds,
            preemption,
        )

    def _kinds(self, passed: Passed) -> bytearray | None:
        """The number of the kind of match of each row that passed."""
        by_rank = passed.by_rank
        if not by_rank:
            return self._by_priority if passed.by_priority else None
        preferring = passed.preferring
        _, kinds = self._by_rank.get(id(preferring), (None, None))
        if kinds is None:
            kinds = self._by_priority.copy()
            if preferring is not None:
                # The set is kept, so that its identity is its own.
                self._by_rank[id(preferring)] = preferring, kinds
                if len(self._by_rank) > _MANY:
                    del self._by_rank[next(iter(self._by_rank))]
                by_rank = self._held & preferring
            mark(kinds, rows_of(by_rank), _BY_RANK)
        return kinds

    @cached_property
    def _by_priority(self) -> bytearray:
        """The kinds if whatever is held can be had by priority only."""
        kinds = bytearray(self._size)
        mark(kinds, rows_of(self._held), _BY_PRIORITY)
        return kinds

    def _policy_rank(self, expr: ExprTree | None, request: Partner, passed: Passed) -> Rank:
        if expr is None:
            return -DBL_MAX
        within = Rows(self._size, passed.bits)
        return Key(*self._table.coded_numbers(expr, request, convert=policy_number, within=within))

    def _job_rank(self, request: Partner, passed: Passed) -> Rank:
        assert request.ad is not None
        rank = request.ad.raw("Rank")
        if rank is not None and rank.__class__ is not ExprTree:
            return job_number(rank)
        return Key(
            *self._table.coded_numbers(
                _rank_of_slot() if rank is None else rank,
                request,
                row_is="my" if rank is None else "target",
                convert=job_number,
                within=Rows(self._size, passed.bits),
            )
        )
