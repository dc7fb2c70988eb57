"""The slots of a snapshot as rows of a table.

Decision here: when the rows of a file may stand for its ads: as long as nobody has asked for one
of them, who might change it.  Inputs: ads, or loaded columns and the order of the pool.  Outputs:
``SlotRows``; ``LoadedSlots``, which are a sequence of ads all the same.

Never here: what a slot is, evaluation.
Follows: nothing; it is bookkeeping.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, overload

from classad import ClassAd
from classad.loading.columns import LoadedColumns
from classad.table import Table
from negotiator.columns.visible import Mentions


class SlotRows:
    """Slots as rows.

    ``order``: the row of each slot, in pool order.  ``names``: of the slots in pool order, if all
    of them are plain strings.  ``lasting``: whether other cycles will have the same rows.
    """

    def __init__(
        self,
        table: Table,
        order: array[int],
        loaded: LoadedColumns | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.table = table
        self.order = order
        self.names = names
        self.loaded = loaded
        self.lasting = loaded is not None
        self.mentions = Mentions()
        self._made: dict[int, ClassAd] = {}

    @classmethod
    def of(cls, ads: Sequence[ClassAd]) -> SlotRows:
        """The rows of ads; those of loaded ones are kept."""
        rows = ads.rows() if isinstance(ads, LoadedSlots) else None
        return cls(Table(ads), array("i", range(len(ads)))) if rows is None else rows

    def ad(self, row: int) -> ClassAd:
        """The ad of a row, only to be looked at."""
        if self.loaded is None:
            return self.table.ad(row)
        ad = self._made.get(row)
        if ad is None:
            ad = self._made[row] = self.loaded.ad(row, ClassAd)
        return ad

    def cell(self, key: str, row: int) -> Any:
        """What a row has for an attribute (a folded name)."""
        store = self.table.store
        if not store.has(key):
            return None
        column = store.built(key)
        # A column for the sake of one cell would cost more than the whole ad.
        return store.cells(key, (row,))[0] if column is None else column.cell(row)


class LoadedSlots(Sequence[ClassAd]):
    """Loaded slot ads in pool order; they are made when one is asked for, and may be changed."""

    def __init__(self, loaded: LoadedColumns, order: array[int], names: list[str]) -> None:
        """``order``: the rows in pool order; ``names``: of the slots, in that order."""
        self.loaded = loaded
        self._order = order
        self._names = names
        self._ads: tuple[ClassAd, ...] | None = None
        self._rows: SlotRows | None = None

    def rows(self) -> SlotRows | None:
        """The slots as rows; None once an ad of them may have been changed."""
        if self._ads is not None:
            return None
        if self._rows is None:
            table = Table.from_columns(self.loaded)
            self._rows = SlotRows(table, self._order, self.loaded, self._names)
        return self._rows

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int, /) -> ClassAd: ...

    @overload
    def __getitem__(self, place: slice, /) -> tuple[ClassAd, ...]: ...

    def __getitem__(self, place: int | slice, /) -> ClassAd | tuple[ClassAd, ...]:
        return self._all()[place]

    def __iter__(self) -> Iterator[ClassAd]:
        return iter(self._all())

    def _all(self) -> tuple[ClassAd, ...]:
        if self._ads is None:
            by_row = list(self.loaded.to_ads(ClassAd))
            self._ads = tuple([by_row[row] for row in self._order])
        return self._ads
