"""Makes the five keys of many candidates at once: columns of numbers, by ``matching.rank.RANKS``.

A rank that is NaN, which no order can be told of, is refused.  Candidates are put in order from the
front, of which usually only the first few are ever wanted.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import cached_property
from typing import Final, Self, TypeAlias

from attr import define

from classad import ClassAd
from classad.kernels import OrderKey, sort_rows, top_rows
from classad.table import Rows, Table
from classad.table.arrays import mark, rows_of
from classad.table.shapes import text_of
from negotiator.columns.chance import UnsureError
from negotiator.columns.conditions import SetAsk
from negotiator.matching.candidate import NO_KEYS, Candidate
from negotiator.matching.rank import (
    JOB_NUMBER,
    KIND_ORDER,
    NOT_PREEMPTED,
    POLICY_NUMBER,
    RANKS,
    RankKeys,
    RankNumber,
    RankRule,
)
from negotiator.model.result import MatchKind
from negotiator.pool.slots import Slot
from policy.model import NegotiatorPolicy

#: What decides: a number, the same for all rows, or a key of each.
Rank: TypeAlias = "float | OrderKey"


class _Convert:
    """Makes ranks of values, ``number`` says how."""

    def __init__(self, number: RankNumber) -> None:
        self.number = number

    def __call__(self, value: object) -> float:
        found = self.number.of(value)
        if found != found:
            raise UnsureError
        return found


#: One object each: the table keeps numbers by it.
_CONVERT: Final = {number: _Convert(number) for number in (POLICY_NUMBER, JOB_NUMBER)}
#: The kinds of match by the numbers that stand for them here.
_KINDS: Final = (MatchKind.NONE, MatchKind.RANK, MatchKind.PRIORITY)
_BY_RANK: Final = _KINDS.index(MatchKind.RANK)
_BY_PRIORITY: Final = _KINDS.index(MatchKind.PRIORITY)
#: So many sets of rows that prefer requests are remembered.
_MANY: Final = 64
#: The fourth key of each kind.
_ORDERS: Final = array("d", [KIND_ORDER[kind] for kind in _KINDS])

#: So many are sorted at first, usually the first of them is enough; then so many times more.
_FIRST: Final = 16
_MORE: Final = 8


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
    preemption: Rank = NOT_PREEMPTED

    def at(self, row: int) -> RankKeys:
        """The keys of a row."""
        ranks = (self.pre_job, self.job, self.post_job, self.preemption)
        pre, job, post, preemption = [r.at(row) if isinstance(r, OrderKey) else r for r in ranks]
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

    def _columns(self) -> list[OrderKey]:
        """The keys in which rows differ; the first one decides first."""
        kind = None if self.kinds is None else OrderKey(_ORDERS, None, self.kinds, _ORDERS[0], True)
        keys = (self.pre_job, self.job, self.post_job, kind, self.preemption)
        return [key for key in keys if isinstance(key, OrderKey)]


class KeyMaker:
    """Makes the keys of requests."""

    def __init__(self, slots: Mapping[int, Slot], table: Table, policy: NegotiatorPolicy) -> None:
        """``slots``: by their rows in the table."""
        self._slots = slots
        self._table = table
        self._size = len(table)
        self._policy = policy
        #: What tells each rule from those of other policies.
        self._rules = [(rule, self._question(rule)) for rule in RANKS]
        #: The kinds by the set of those who prefer requests.
        self._by_rank: dict[int, tuple[int, bytearray]] = {}

    def _question(self, rule: RankRule) -> object:
        """What tells a rule from that of another policy; a request is told by itself."""
        scale = rule.scale(self._policy, ClassAd())
        return rule.name, scale if isinstance(scale, float) else text_of(scale.expr)

    def keys(self, ask: SetAsk, passed: Passed) -> Keys:
        """The keys of the rows that passed; raises ``UnsureError``."""
        rows, size = rows_of(passed.bits), self._size
        kinds = self._kinds(passed)
        # Who ignores the ranks of jobs looks at slots in their order, until there are enough.
        if not rows or self._policy.ignore_job_ranks:
            return Keys(rows, size, NO_KEYS.pre_job, NO_KEYS.job, NO_KEYS.post_job, kinds)
        preempted = passed.by_rank | passed.by_priority
        pre, job, post, preemption = [
            self._rank(
                rule, question, ask, preempted if rule.preempted_only else passed.bits, kinds
            )
            for rule, question in self._rules
        ]
        return Keys(rows, size, pre, job, post, kinds, preemption)

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
    def _held(self) -> int:
        """The rows that somebody holds."""
        held = [row for row, slot in self._slots.items() if slot.user is not None]
        return Rows.of(self._size, held).bits

    @cached_property
    def _by_priority(self) -> bytearray:
        """The kinds if whatever is held can be had by priority only."""
        kinds = bytearray(self._size)
        mark(kinds, rows_of(self._held), _BY_PRIORITY)
        return kinds

    def _rank(
        self, rule: RankRule, question: object, ask: SetAsk, among: int, kinds: bytearray | None
    ) -> Rank:
        """One key of some rows."""
        if rule.preempted_only and kinds is None:
            return NOT_PREEMPTED
        key: Rank | None = ask.answers.get(question)
        if key is None:
            key = self._found(rule, ask, among)
            if isinstance(key, float) or key.codes is not None:
                ask.answers[question] = key
        if rule.preempted_only and not isinstance(key, float):
            return OrderKey(key.values, key.codes, kinds, NOT_PREEMPTED)
        return key

    def _found(self, rule: RankRule, ask: SetAsk, among: int) -> Rank:
        """The same before anybody knows which rows are held."""
        scale = rule.scale(self._policy, ask.request)
        if isinstance(scale, float):
            if scale != scale:
                raise UnsureError
            return scale
        values, codes = self._table.coded_numbers(
            scale.expr,
            ask.partner,
            row_is="my" if scale.of_slot else "target",
            convert=_CONVERT[rule.number],
            within=Rows(self._size, among),
        )
        return OrderKey(values, codes)


class ColumnFound:
    """Candidates that stand in columns, best first; each is made when its place is asked for."""

    def __init__(self, keys: Keys, slots: Mapping[int, Slot]) -> None:
        """``slots``: by row."""
        self._size = len(keys.rows)
        self._keys = keys
        self._slots = slots
        self._made: list[Candidate] = []
        #: The rows at the front.
        self._order: list[int] = []

    def entries(self) -> Self:
        """See ``Found``."""
        return self

    def first_best(self) -> Candidate | None:
        """See ``Found``."""
        return self.candidate(self._keys.best(1)[0]) if self._size else None

    def candidate(self, row: int) -> Candidate:
        """The candidate that a row is."""
        slot, keys = self._slots[row], self._keys
        return Candidate(row, slot, keys.at(row), keys.kind(row), slot.weight)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: int) -> Candidate:
        if not 0 <= place < self._size:
            raise IndexError(place)
        while len(self._made) <= place:
            self._made.append(self.candidate(self._next(len(self._made))))
        return self._made[place]

    def _next(self, place: int) -> int:
        if place >= len(self._order):
            self._order = self._keys.first(max(_FIRST, _MORE * place))
        return self._order[place]
