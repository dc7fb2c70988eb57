"""Holds loaded slot ads in pool order as columns, and makes the ads when one is asked for."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from classad import ClassAd
from classad.loading.columns import LoadedColumns
from classad.table import Table


class LoadedSlots(Sequence[ClassAd]):
    """Slot ads in pool order.  Whoever asks for one may change it: the columns end there."""

    def __init__(self, loaded: LoadedColumns, order: array[int], names: list[str]) -> None:
        """``order``: the rows in pool order; ``names``: of the slots, in that order."""
        self.loaded = loaded
        self.order = order
        self.names = names
        self._ads: tuple[ClassAd, ...] | None = None
        self._table: Table | None = None

    def table(self) -> Table | None:
        """The columns as a table; None once an ad may have been changed."""
        if self._ads is not None:
            return None
        if self._table is None:
            self._table = Table.from_columns(self.loaded)
        return self._table

    def __reduce__(self) -> tuple[type[tuple[ClassAd, ...]], tuple[list[ClassAd]]]:
        """Pickled as the ads alone: the columns are views of the text of a file."""
        return tuple, (list(self._ads or self._made()),)

    def __len__(self) -> int:
        return len(self.order)

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
            self._ads = self._made()
        return self._ads

    def _made(self) -> tuple[ClassAd, ...]:
        by_row = list(self.loaded.to_ads(ClassAd))
        return tuple([by_row[row] for row in self.order])
