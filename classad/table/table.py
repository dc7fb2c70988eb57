"""Defines ``Table``: many ads that are matched, selected and ranked together.

``match`` gives the rows for which ``classad.match.symmetric_match`` says yes, ``select`` and
``evaluate`` what ``classad.evaluate`` gives in each row.  What is common to rows, and to partners
that are the same to an expression, is evaluated once; the rest row by row.  Without a context the
clock is the machine's, and stands still for the length of a call.  A Python function of an ad is
called once for each distinct combination of what it reads and what the expressions of that mention.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.binding.ambient import zone_name
from classad.binding.batch import _number, _standing, _tree_of
from classad.binding.python_values import RANK_HELP, SELECT_HELP, checked_ad, known_name
from classad.evaluate import evaluate
from classad.evaluation.state import EvalContext
from classad.files.ads import load_ads
from classad.formats.common import Errors, check_errors
from classad.kernels import OrderKey, sort_rows, top_rows
from classad.language.names import fold_name
from classad.language.rules import NEWEST
from classad.loading.columns import LoadedColumns
from classad.match import is_true
from classad.table.answers.predicates import PredicateCache
from classad.table.answers.requirements import Matching
from classad.table.answers.valuations import (
    ReferencedColumns,
    Valuations,
    apply,
    referenced_columns,
)
from classad.table.arrays import Rows, pick, rows_of
from classad.table.expressions.partner import Partner
from classad.table.memo import DEFAULT
from classad.table.store.placed import Placed, PlacedStore
from classad.table.store.store import Store

if TYPE_CHECKING:
    from os import PathLike

    from classad.errors import Diagnostic
    from classad.formats.detect import Form

T = TypeVar("T")
#: Which of the two ads an expression is evaluated in.
Seat = Literal["my", "target"]


class Table:
    """Ads, numbered from 0, that are matched, selected and ranked together.

    ``ads``: kept as they are; after a change to one call ``replace``.  ``budget``: how many bytes
    of results may be kept for later.
    """

    def __init__(
        self,
        ads: Iterable[ClassAd] = (),
        *,
        budget: int = DEFAULT,
        loaded: Any = None,
        store: Store | None = None,
    ) -> None:
        rows = None if loaded is not None else list(ads)
        for ad in rows or ():
            checked_ad(ad, ClassAd, "a row of a table")
        self._store = Store(rows, loaded) if store is None else store
        self._budget = self._store.budget
        self._budget.limit = budget
        #: The rules by which all was found that is known.
        self._language = NEWEST
        self._begin()

    def _begin(self) -> None:
        """Know nothing yet."""
        self._requests = 0
        self._cache = PredicateCache(self._store, self._budget)
        self._valuations = Valuations(self._store, self._budget)
        #: Finds the rows that match jobs, and keeps what is known of jobs that come again.
        self.matching = Matching(self._cache)

    def count_request(self) -> None:
        """Count a request; what is known of expressions goes if it has become too much."""
        self._requests += 1
        if self._requests == 2:  # what a single one needs would be found anew for each
            self._budget.settle()
        if self._budget.noted > self._budget.most:
            self._start_again()
            self._requests = 1

    def _start_again(self) -> None:
        """Forget all that was found."""
        self._budget.clear()
        self._store.forget()
        self._budget.start_again()
        self._begin()

    @property
    def held(self) -> int:
        """How many bytes are kept for later answers, about."""
        return self._budget.held

    @classmethod
    def placed(cls, rows: Placed, *, budget: int = DEFAULT) -> Self:
        """Rows of another table in an order of their own, a few attributes of them changed."""
        return cls(store=PlacedStore(rows), budget=budget)

    @classmethod
    def from_columns(cls, loaded: LoadedColumns, *, budget: int = DEFAULT) -> Self:
        """The ads that ``classad.loading.long_form`` has read; none of them is made until it is
        wanted.
        """
        return cls(loaded=loaded, budget=budget)

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        form: Form | Literal["auto"] = "auto",
        *,
        diagnostics: list[Diagnostic] | None = None,
        errors: Errors | None = None,
        budget: int = DEFAULT,
    ) -> Self:
        """The ads of a file in any form, compressed or not; ``-`` is standard input.

        The arguments are those of ``read_ads``.
        """

        if errors is None:
            errors = "strict" if diagnostics is None else "warn"
        check_errors(errors)
        found = load_ads(path, form, errors=errors, diagnostics=diagnostics, tz=zone_name())
        if isinstance(found, list):
            return cls(found, budget=budget)
        if diagnostics is not None:
            diagnostics += found.diagnostics
        return cls(loaded=found, budget=budget)

    def __len__(self) -> int:
        return self._store.size

    @property
    def store(self) -> Store:
        """The columns, for tables that are ``placed`` over this one."""
        return self._store

    def ad(self, row: int) -> ClassAd:
        """The ad of a row."""
        return self._store.ad(row)

    def ads(self, rows: Rows | None = None) -> Iterator[ClassAd]:
        """The ads of some rows, or of all."""
        return self._store.ads_of(rows_of(self._bits(rows)))

    @property
    def names(self) -> list[str]:
        """The attributes that rows have, spelled as first met, in the order of the alphabet."""
        spelled = self._store.spelled()
        return [spelled.get(key, key) for key in sorted(self._store.names)]

    @property
    def keys(self) -> Collection[str]:
        """The attributes that rows have, in lower case."""
        return self._store.names

    def has(self, name: str) -> bool:
        """Whether some row has an attribute."""
        return self._store.has(fold_name(name))

    def column(self, name: str) -> tuple[array[int], list[Any]]:
        """What the rows have for an attribute, as ``codes`` and ``values``.

        Row r has ``values[codes[r]]``: a plain value, an ``ExprTree``, a list, an ad, or None if it
        has no such attribute.  The codes belong to the table.  ``KeyError``: no row has it.
        """
        return self.cells(known_name(name, self))

    def cells(self, name: str) -> tuple[array[int], list[Any]]:
        """What ``column`` gives, also for an attribute that no row has: None for each."""
        column = self._store.column(fold_name(name))
        if column is None:
            return array("i", bytes(4 * len(self))), [None]
        return column.codes, self._cells_out(column.values)

    def _cells_out(self, values: list[Any]) -> list[Any]:
        """What is handed out for cells: themselves, which belong to the table."""
        return values

    def _values_out(self, values: list[Any]) -> list[Any]:
        """What is handed out for values of expressions: themselves."""
        return values

    # --- changes --------------------------------------------------------------------------------

    def replace(self, row: int, ad: ClassAd) -> None:
        """Another ad for a row, or the same one after a change."""
        self.replace_many({row: ad})

    def replace_many(self, ads: Mapping[int, ClassAd]) -> None:
        """Other ads for some rows."""
        self._take_in(*self._store.replace_many(ads))

    def read_again(self, names: Iterable[str]) -> None:
        """Look again at attributes (folded names) that ads have got without ``replace``."""
        self._take_in(*self._store.read_again(names))

    def _take_in(self, changed: set[str], structural: bool) -> None:
        """Forget what follows from columns that have changed."""
        structural |= self.matching.lists_differ(changed)
        if changed or structural:
            differing = None if structural else changed
            self._cache.forget(differing)
            self._valuations.forget(differing)
            self.matching.forget(differing)

    def refresh(self) -> None:
        """Look again at all rows of a table that was ``placed`` over them."""
        assert isinstance(self._store, PlacedStore)
        changes = self._store.refresh()
        if changes.appeared or changes.names:
            names = None if changes.appeared else changes.names
            self._cache.forget(names, changes.split)
            self._valuations.forget(names, changes.split)
            self.matching.begin_again(names)

    def update(self, ads: Iterable[ClassAd], key: str = "Name") -> Rows:
        """Newer ads in place of those with the same ``Name``; the others become new rows.

        Returns the rows concerned.  A table that has grown takes no ``Rows`` made before, and has
        everything to find anew.
        """
        codes, values = self.cells(key)
        places: dict[object, int] = {}
        for row in range(len(self) - 1, -1, -1):
            value = values[codes[row]]
            if value.__class__ is str or value.__class__ is int:
                places[value] = row
        known: dict[int, ClassAd] = {}
        new: dict[object, ClassAd] = {}
        for ad in ads:
            value = ad.raw(key)
            if value.__class__ is not str and value.__class__ is not int:
                raise ValueError(f"an ad has no {key} to tell its row by")
            if value in places:
                known[places[value]] = ad
            else:
                new[value] = ad
        self.replace_many(known)
        concerned = list(known)
        if new:
            concerned += range(len(self), len(self) + len(new))
            self.__init__([*self.ads(), *new.values()], budget=self._budget.limit)  # type: ignore[misc]
        return Rows.of(len(self), concerned)

    def _bits(self, within: Rows | None) -> int:
        if within is None:
            return self._store.everything.bits
        if within.size != self._store.size:
            raise ValueError(f"rows of a table of {within.size} rows, not {self._store.size}")
        return within.bits

    # --- questions ------------------------------------------------------------------------------

    def partner(self, ad: ClassAd | None, context: EvalContext | None = None) -> Partner:
        """An ad about which several questions are to be asked; nothing must change meanwhile.

        In the place of the ad it saves looking at it anew; its context replaces that of the call.
        """
        standing = _standing(context)
        if standing.language is not self._language:
            self._language = standing.language
            self._start_again()
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
        if job.redefines_scope_names:
            return None
        self.count_request()
        found = self.matching.decided(job, self._bits(within), (True, True), thorough=True)
        return None if found is None else Rows(self._store.size, found)

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
        bits, sides = self._bits(within), (job_side, rows_side)
        partner = self.partner(job, context)
        if partner.redefines_scope_names:
            return Rows(self._store.size, self.matching.one_by_one(partner, bits, sides))
        self.count_request()
        return Rows(self._store.size, self.matching.matching(partner, bits, sides))

    # --- expressions ----------------------------------------------------------------------------

    def select(
        self,
        expr: Expression | str,
        target: ClassAd | Partner | None = None,
        *,
        row_is: Seat = "my",
        within: Rows | None = None,
        context: EvalContext | None = None,
    ) -> Rows:
        """The rows in which an expression is true, or a number that is not zero.

        ``row_is``: see ``evaluate``.
        """
        tree, bits, of_row = _tree_of(expr), self._bits(within), row_is == "my"
        target = ClassAd() if target is None and not of_row else target
        partner = target if isinstance(target, Partner) else self.partner(target, context)
        found, row_by_row = self._found(tree, partner, of_row)
        row_by_row &= bits
        bits &= found
        if row_by_row:
            bits ^= bits & row_by_row
            for row in rows_of(row_by_row):
                sides = (self.ad(row), partner.ad) if of_row else (partner.ad, self.ad(row))
                if is_true(evaluate(tree, *sides, context=partner.context)):
                    bits |= 1 << row
        return Rows(self._store.size, bits)

    def select_all(self, expr: Expression, target: Partner) -> Rows | None:
        """``select`` among all rows; None if some of them have to be asked one by one.

        ``bits`` is one object for targets that are the same to the rows, as long as it is kept.
        """
        found, row_by_row = self._found(expr, target)
        return None if row_by_row else Rows(self._store.size, found)

    def _found(self, tree: Expression, partner: Partner, of_row: bool = True) -> tuple[int, int]:
        """The rows in which an expression is true, and those that have to be asked one by one."""
        store = self._store
        if partner.redefines_scope_names:
            return 0, store.everything.bits
        self.count_request()
        shape = store.shapes.of(tree)
        verdict = self._cache.predicate(shape, of_row, store.everything).verdict(partner)
        return verdict.true, verdict.row_by_row | partner.row_by_row

    def evaluate(
        self,
        expr: Expression | str,
        target: ClassAd | Partner | None = None,
        *,
        row_is: Seat = "my",
        within: Rows | None = None,
        context: EvalContext | None = None,
    ) -> tuple[array[int], list[Any]]:
        """What an expression is for every row, as ``codes`` and ``values``.

        Row r has ``values[codes[r]]``, which is the error value where the evaluation fails.
        ``row_is``: which of the two ads the row is; with ``target`` the expression is evaluated in
        the target.  Codes of rows that are not ``within`` mean nothing.
        """
        tree, bits, of_row = _tree_of(expr), self._bits(within), row_is == "my"
        target = ClassAd() if target is None and not of_row else target
        partner = target if isinstance(target, Partner) else self.partner(target, context)
        if not partner.redefines_scope_names:
            self.count_request()
        codes, values = self._valuations.codes(tree, of_row, partner, bits)
        return codes, self._values_out(values)

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
        if target.redefines_scope_names:
            codes, values = self._valuations.codes(expr, of_row, target, bits)
            return array("d", map(convert, values)), codes
        self.count_request()
        return self._valuations.coded_numbers(expr, of_row, target, convert, bits)

    def referenced_columns(self, names: Iterable[str]) -> ReferencedColumns:
        """The columns that a function of some attributes can read through these."""
        return referenced_columns(self._store, names)

    sight = referenced_columns  # its name in former versions

    def apply(
        self, fact: Callable[[ClassAd], T], names: Iterable[str]
    ) -> tuple[array[int], list[T]]:
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
        return sort_rows(list(map(OrderKey, keys)), len(self), rows.numbers(), len(rows))

    def best(self, rows: Rows, keys: Sequence[array[float]], k: int = 1) -> list[int]:
        """The ``k`` best rows, best first; equal ones in their order."""
        return top_rows(list(map(OrderKey, keys)), len(self), rows.numbers(), k)
