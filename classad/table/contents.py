"""Builds tables from ads and files of ads, hands out their ads, and replaces them."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from classad.binding.ad import ClassAd
from classad.binding.ambient import zone_name
from classad.binding.python_values import checked_ad, known_name
from classad.files.ads import load_ads
from classad.formats.common import Errors, check_errors
from classad.language.names import fold_name
from classad.language.rules import NEWEST, LanguageRules
from classad.loading.columns import LoadedColumns
from classad.table.answers.predicates import Book
from classad.table.answers.requirements import PartnerSide, RowSide
from classad.table.answers.valuations import Valuations
from classad.table.arrays.arrays import rows_of
from classad.table.dependence.conjuncts import Splits
from classad.table.memory.budget import DEFAULT
from classad.table.rows import Rows
from classad.table.store.placed import Placed, PlacedStore
from classad.table.store.store import Store

if TYPE_CHECKING:
    from os import PathLike

    from classad.errors import Diagnostic
    from classad.formats.common import Errors
    from classad.formats.detect import Form
    from classad.loading.columns import LoadedColumns


class Holder:
    """Ads as rows."""

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
        self._book = Book(self._store, self._budget)
        self._splits = Splits(self._store.shapes)
        self._valuations = Valuations(self._store, self._budget)
        self._row_side: RowSide | None = None
        self._partner_side = PartnerSide(self._book, self._splits)

    def _count_request(self) -> None:
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

    def _follow(self, language: LanguageRules) -> None:
        """Answer by other rules, by which all is to be found anew."""
        self._language = language
        self._start_again()

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

        ads, loaded = load(path, form, diagnostics, errors)
        return cls(ads, budget=budget, loaded=loaded)

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
        has no such attribute.  Both belong to the table.  ``KeyError``: no row has it.
        """
        return self.cells(known_name(name, self))

    def cells(self, name: str) -> tuple[array[int], list[Any]]:
        """What ``column`` gives, also for an attribute that no row has: None for each."""
        column = self._store.column(fold_name(name))
        if column is None:
            return array("i", bytes(4 * len(self))), [None]
        return column.codes, column.values

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
        structural |= self._partner_side.lists.touched(changed)
        if changed or structural:
            self._book.forget(None if structural else changed)
            self._valuations.forget(None if structural else changed)
            if self._row_side is not None and (structural or not self._row_side.survives(changed)):
                self._row_side = None
            if structural:
                self._partner_side = PartnerSide(self._book, self._splits)
            else:
                self._partner_side.forget()

    def refresh(self) -> None:
        """Look again at all rows of a table that was ``placed`` over them."""
        assert isinstance(self._store, PlacedStore)
        changes = self._store.refresh()
        if changes.appeared or changes.names:
            names = None if changes.appeared else changes.names
            self._book.forget(names, changes.split)
            self._valuations.forget(names, changes.split)
            self._row_side = None
            lists = self._partner_side.lists
            same = names is not None and not lists.touched(names)
            self._partner_side = PartnerSide(self._book, self._splits, lists if same else None)

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


def load(
    path: str | PathLike[str],
    form: Form | Literal["auto"],
    diagnostics: list[Diagnostic] | None,
    errors: Errors | None,
) -> tuple[list[ClassAd], LoadedColumns | None]:
    """The ads of a file, or its columns if it is in long form."""
    if errors is None:
        errors = "strict" if diagnostics is None else "warn"
    check_errors(errors)
    found = load_ads(path, form, errors=errors, diagnostics=diagnostics, tz=zone_name())
    if isinstance(found, list):
        return found, None
    if diagnostics is not None:
        diagnostics += found.diagnostics
    return [], found
