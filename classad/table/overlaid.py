"""Rows that are ads with a few attributes changed, without a copy of each ad.

What is decided here: nothing; a row is what its owner says.
Inputs: an ``Overlaid``.  Outputs: a store of its rows.
Never here: evaluation, what was changed and why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from classad.ad import ClassAd
from classad.table.columns import Column
from classad.table.store import Store


class Overlaid(Protocol):
    """Ads, and what of them is otherwise in the rows.

    ``names``: the folded names of attributes that some row may have otherwise.
    """

    @property
    def ads(self) -> Sequence[ClassAd]:
        """The ads without the changes."""

    @property
    def names(self) -> Collection[str]: ...

    def ad(self, row: int) -> ClassAd:
        """A row as an ad, with the changes."""

    def cells(self, name: str, rows: Sequence[int]) -> list[Any]:
        """What some rows have for one of the ``names``."""


class OverlaidStore(Store):
    """The rows of an ``Overlaid``."""

    def __init__(self, source: Overlaid) -> None:
        super().__init__(source.ads)
        self._source = source
        self.names.update(source.names)

    def ad(self, row: int) -> ClassAd:
        return self._source.ad(row)

    def ads_of(self, rows: Sequence[int]) -> Iterator[ClassAd]:
        return map(self._source.ad, rows)

    def cells(self, name: str, rows: Sequence[int]) -> list[Any]:
        if name in self._source.names:
            return self._source.cells(name, rows)
        return super().cells(name, rows)

    def _column(self, name: str) -> Column:
        if name in self._source.names:
            return Column.of(name, self._source.cells(name, range(self.size)))
        return super()._column(name)
