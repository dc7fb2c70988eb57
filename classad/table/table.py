"""Defines ``Table``: many ads that are matched, selected and ranked together.

``match`` gives the rows for which ``classad.match.symmetric_match`` says yes, ``select`` and
``evaluate`` what ``classad.evaluate`` gives in each row.  What is common to rows, and to partners
that are the same to an expression, is evaluated once; the rest row by row.  Without a context the
clock is the machine's, and stands still for the length of a call.  A Python function of an ad is
called once for each distinct combination of what it reads and what the expressions of that mention.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.binding.batch import _number, _standing, _tree_of
from classad.binding.python_values import RANK_HELP, SELECT_HELP, checked_ad
from classad.evaluate import evaluate
from classad.evaluation.state import EvalContext
from classad.kernels import Key, sort_rows, top_rows
from classad.language.names import fold_name
from classad.match import half_match, is_true, symmetric_match
from classad.table.answers.requirements import RowSide
from classad.table.arrays.arrays import NO_CODES, flag, pick, rows_of
from classad.table.contents import Holder
from classad.table.dependence.partner import Partner
from classad.table.expressions.shapes import OTHERS
from classad.table.rows import Rows
from classad.table.store.parts import put_cell

if TYPE_CHECKING:
    from classad.table.store.store import Store

_T = TypeVar("_T")
#: Which of the two ads an expression is evaluated in.
Seat = Literal["my", "target"]


class Table(Holder):
    """Ads, numbered from 0, that are matched, selected and ranked together.

    ``ads``: kept as they are; after a change to one call ``replace``.  ``budget``: how many bytes
    of results may be kept for later.

    >>> slots = Table(ClassAd({"Cpus": cpus, "Requirements": True}) for cpus in (1, 2, 8))
    >>> job = ClassAd("[RequestCpus = 2; Requirements = TARGET.Cpus >= RequestCpus; Rank = Cpus]")
    >>> list(slots.match(job)), list(slots.select("Cpus < 4")), slots.rank(job).tolist()
    ([1, 2], [0, 1], [1.0, 2.0, 8.0])
    """

    def partner(self, ad: ClassAd | None, context: EvalContext | None = None) -> Partner:
        """An ad about which several questions are to be asked; nothing must change meanwhile.

        In the place of the ad it saves looking at it anew; its context replaces that of the call.
        """
        standing = _standing(context)
        if standing.language is not self._language:
            self._follow(standing.language)
        return Partner(ad, standing, self._store)

    # --- matching -------------------------------------------------------------------------------

    def match(
        self, job: ClassAd, *, within: Rows | None = None, context: EvalContext | None = None
    ) -> Rows:
        """The rows that match a job: each accepts the other.

        ``within``: only these are looked at.
        """
        return self._match(job, within, _standing(context))

    def match_surely(self, job: Partner, *, within: Rows | None = None) -> Rows | None:
        """``match``; None if evaluating the requirements one by one could draw a random number."""
        if job.misleading:
            return None
        return self._decided(job, self._bits(within), (True, True), thorough=True)

    def match_many(
        self,
        jobs: Iterable[ClassAd],
        *,
        within: Rows | None = None,
        context: EvalContext | None = None,
    ) -> list[Rows]:
        """``match`` for many jobs."""
        standing = _standing(context)
        return [self._match(job, within, standing) for job in jobs]

    def accepted_by(
        self, job: ClassAd, *, within: Rows | None = None, context: EvalContext | None = None
    ) -> Rows:
        """The rows that a job accepts, whatever they say about the job."""
        return self._match(job, within, _standing(context), rows_side=False)

    def accepting(
        self, job: ClassAd, *, within: Rows | None = None, context: EvalContext | None = None
    ) -> Rows:
        """The rows that accept a job, whatever the job says about them."""
        return self._match(job, within, _standing(context), job_side=False)

    def _match(
        self,
        job: ClassAd,
        within: Rows | None,
        context: EvalContext,
        *,
        rows_side: bool = True,
        job_side: bool = True,
    ) -> Rows:
        checked_ad(job, ClassAd, "job", SELECT_HELP)
        bits, willing = self._bits(within), 0
        partner = self.partner(job, context)
        if not partner.misleading:
            found = self._decided(partner, bits, (job_side, rows_side))
            if found is not None:
                return found
            if job_side and rows_side:
                bits, willing = self._willing(partner, bits)
        return self._one_by_one(job, bits, context, (job_side, rows_side), willing)

    def _willing(self, partner: Partner, bits: int) -> tuple[int, int]:
        """The rows that have to be asked where random numbers decide, and those that accept a job.

        Rows that refuse it without a random number are not asked: the job's own requirements come
        second.
        """
        assert self._row_side is not None
        opaque = bits & partner.opaque
        accepting, ask, chance = self._row_side.accepting(partner, bits & ~opaque)
        if chance or self._row_side.opaque:
            return bits, 0
        return accepting | opaque, accepting & ~ask

    def _decided(
        self, partner: Partner, bits: int, sides: tuple[bool, bool], *, thorough: bool = False
    ) -> Rows | None:
        """The rows that match; None if random numbers decide.

        ``sides``: whether the job and whether the rows have a say.  ``thorough``: also None if
        random numbers would be drawn in vain.
        """
        self._count_request()
        job, context = partner.ad, partner.context
        assert job is not None
        job_side, rows_side = sides
        ask_job = ask_row = 0
        chance = False
        opaque = bits & partner.opaque
        if opaque:
            bits ^= opaque
        if rows_side:  # first, since more of it is known from other jobs
            if self._row_side is None:
                self._row_side = RowSide(self._book, self._splits)
            bits, ask_row, chance = self._row_side.accepting(partner, bits)
            chance |= thorough and self._row_side.opaque != 0
        if job_side and (bits or chance or thorough):
            bits, ask_job, by_chance = self._partner_side.accepted(partner, bits)
            chance |= by_chance
        if chance:
            return None
        ask_job &= bits
        ask_row &= bits
        if opaque:
            bits |= opaque
            ask_job |= opaque if job_side else 0
            ask_row |= opaque if rows_side else 0
        for row in rows_of(ask_job | ask_row):
            ad = self._store.ad(row)
            refused = ask_row >> row & 1 and not half_match(ad, job, context)
            if refused or (ask_job >> row & 1 and not half_match(job, ad, context)):
                bits ^= 1 << row
        return Rows(self._store.size, bits)

    def _one_by_one(
        self, job: ClassAd, bits: int, context: EvalContext, sides: tuple[bool, bool], willing: int
    ) -> Rows:
        """The same by asking every row; the ``willing`` ones are known to accept the job."""
        found = []
        job_side, rows_side = sides
        sure = set(rows_of(willing))
        for row in rows_of(bits):
            ad = self._store.ad(row)
            if row in sure:
                yes = half_match(job, ad, context)
            elif rows_side and job_side:
                yes = symmetric_match(job, ad, context)
            else:
                yes = half_match(ad, job, context) if rows_side else half_match(job, ad, context)
            if yes:
                found.append(row)
        return Rows.of(self._store.size, found)

    # --- expressions ----------------------------------------------------------------------------

    def select(
        self,
        expr: Expression | str,
        target: ClassAd | Partner | None = None,
        *,
        within: Rows | None = None,
        context: EvalContext | None = None,
    ) -> Rows:
        """The rows in which an expression is true, or a number that is not zero."""
        tree, bits = _tree_of(expr), self._bits(within)
        partner = target if isinstance(target, Partner) else self.partner(target, context)
        found, opaque = self._found(tree, partner)
        opaque &= bits
        bits &= found
        if opaque:
            bits ^= bits & opaque
            for row in rows_of(opaque):
                if is_true(evaluate(tree, self.ad(row), partner.ad, context=partner.context)):
                    bits |= 1 << row
        return Rows(self._store.size, bits)

    def select_all(self, expr: Expression, target: Partner) -> Rows | None:
        """``select`` among all rows; None if some of them have to be asked one by one.

        ``bits`` is one object for targets that are the same to the rows, as long as it is kept.
        """
        found, opaque = self._found(expr, target)
        return None if opaque else Rows(self._store.size, found)

    def _found(self, tree: Expression, partner: Partner) -> tuple[int, int]:
        """The rows in which an expression is true, and those that have to be asked one by one."""
        store = self._store
        if partner.misleading:
            return 0, store.everything.bits
        self._count_request()
        shape = store.shapes.of(tree)
        verdict = self._book.predicate(shape, True, store.everything).verdict(partner)
        return verdict.true, verdict.opaque | partner.opaque

    def evaluate(
        self,
        expr: Expression | str,
        target: ClassAd | None = None,
        *,
        row_is: Seat = "my",
        within: Rows | None = None,
        context: EvalContext | None = None,
    ) -> tuple[array[int], list[Any]]:
        """What an expression is for every row, as ``codes`` and ``values``.

        Row r has ``values[codes[r]]``, a value of the language, error where the evaluation fails.
        ``row_is``: which of the two ads the row is; with ``target`` the expression is evaluated in
        the target.  Codes of rows that are not ``within`` mean nothing.
        """
        standing, bits = _standing(context), self._bits(within)
        tree = _tree_of(expr)
        of_row = row_is == "my"
        target = ClassAd() if target is None and not of_row else target
        partner = self.partner(target, standing)
        if not partner.misleading:
            self._count_request()
        return self._valuations.codes(tree, of_row, partner, bits)

    def numbers(
        self,
        expr: Expression | str,
        target: ClassAd | Partner | None = None,
        *,
        row_is: Seat = "my",
        convert: Callable[[Any], float] = _number,
        within: Rows | None = None,
        context: EvalContext | None = None,
    ) -> array[float]:
        """What an expression is for every row, as a number.

        ``convert``: makes the number of a value, and is asked once for each distinct one; by
        default booleans count 0 and 1, what is no number 0.
        """
        tree = _tree_of(expr)
        of_row = row_is == "my"
        if not isinstance(target, Partner):
            target = self.partner(ClassAd() if target is None and not of_row else target, context)
        known, codes = self.coded_numbers(
            tree, target, row_is=row_is, convert=convert, within=within
        )
        return known if codes is None else pick(known, codes)

    def coded_numbers(
        self,
        expr: Expression,
        target: Partner,
        *,
        row_is: Seat = "my",
        convert: Callable[[Any], float] = _number,
        within: Rows | None = None,
    ) -> tuple[array[float], array[int] | None]:
        """``numbers`` as numbers by code, and the code of each row.

        The codes are None if there is a number for each row.
        """
        of_row, bits = row_is == "my", self._bits(within)
        if target.misleading:
            codes, values = self._valuations.codes(expr, of_row, target, bits)
            return array("d", map(convert, values)), codes
        self._count_request()
        return self._valuations.coded_numbers(expr, of_row, target, convert, bits)

    def sight(self, names: Iterable[str]) -> Sight:
        """What a function of some attributes can see of the rows through them."""
        return sight(self._store, names)

    def apply(
        self, fact: Callable[[ClassAd], _T], names: Iterable[str]
    ) -> tuple[array[int], list[_T]]:
        """What a function is for every row, as ``codes`` and ``values``.

        ``names``: the attributes that it looks at.  It is asked once for each distinct combination
        of what rows have for these and for all that they refer to, and given an ad that has
        nothing else; what it refers to in another ad, or to keep the ad, it must not count on.

        >>> slots = Table([ClassAd({"Cpus": 4}), ClassAd({"Cpus": 8}), ClassAd({"Cpus": 4})])
        >>> codes, values = slots.apply(lambda ad: ad["Cpus"] > 4, ["Cpus"])
        >>> [values[code] for code in codes]
        [False, True, False]
        """
        return apply(self._store, names, fact)

    def rank(
        self, job: ClassAd, *, within: Rows | None = None, context: EvalContext | None = None
    ) -> array[float]:
        """A job's ``Rank`` of every row, or the row's of the job if the job has none.

        What is no number counts 0, as in the negotiator.
        """
        rank = checked_ad(job, ClassAd, "job", RANK_HELP).raw("Rank")
        if rank is None:
            return self.numbers("Rank", job, row_is="my", within=within, context=context)
        if rank.__class__ is not Expression:
            return array("d", [_number(rank)]) * len(self)
        return self.numbers(rank, job, row_is="target", within=within, context=context)

    # --- order ----------------------------------------------------------------------------------

    def order(self, rows: Rows, keys: Sequence[array[float]]) -> list[int]:
        """Some rows, best first, in the order of GNU ``std::sort`` (see ``kernels.sort_order``)."""
        return sort_rows(list(map(Key, keys)), len(self), rows.numbers(), len(rows))

    def best(self, rows: Rows, keys: Sequence[array[float]], k: int = 1) -> list[int]:
        """The ``k`` best rows, best first; equal ones in their order."""
        return top_rows(list(map(Key, keys)), len(self), rows.numbers(), k)

    # --- what they have in common -----------------------------------------------------------------


T = TypeVar("T")


class Sight(NamedTuple):
    """``names``: the attributes that can be seen; ``opaque``: the rows to be asked one by one."""

    names: frozenset[str]
    opaque: int


def sight(store: Store, names: Iterable[str]) -> Sight:
    """The attributes that some attributes lead to within a row."""
    seen: set[str] = set()
    todo = [fold_name(name) for name in names]
    opaque = store.everything.bits if store.misleading else store.opaque
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        column = store.column(name)
        if column is None or not column.expressions:
            continue
        table = bytearray(len(column.values))
        for code in column.expressions:
            shape = store.shapes.of(column.values[code])
            table[code] = shape.opaque or shape.random
            todo += [other for where, other in shape.names if where != OTHERS]
        if any(table):
            opaque |= flag(column.codes, None, bytes(table), store.size)
    return Sight(frozenset(seen), opaque)


def apply(
    store: Store, names: Iterable[str], fact: Callable[[ClassAd], T]
) -> tuple[array[int], list[T]]:
    """What a function of some attributes is for every row, as codes and values."""
    seen, opaque = sight(store, names)
    if opaque == store.everything.bits:
        return array("i", range(store.size)), list(map(fact, store.ads_of(range(store.size))))
    there = tuple(sorted(name for name in seen if store.column(name) is not None))
    sample, varying = store.everything.base(there)
    if not varying:
        codes, values = NO_CODES * store.size, [fact(sample)]
    else:
        joint = store.everything.joint(varying)
        codes, values = joint.codes, []
        has = sample._attrs.get
        for cells in joint.samples:
            for name, cell in zip(varying, cells, strict=True):
                if has(name) is not cell:  # many are as in the combination before
                    put_cell(sample, name, cell)
            values.append(fact(sample))
        for name in varying:
            put_cell(sample, name, None)
    if opaque:
        rows = rows_of(opaque)
        codes = array("i", codes)
        for row, ad in zip(rows, store.ads_of(rows), strict=True):
            codes[row] = len(values)
            values.append(fact(ad))
    return codes, values
