"""Keeps the slots of a snapshot as rows of a table, and makes the ad of a row when it is wanted.

The rows of a file stand for its ads as long as nobody has asked for one of them, who might change
it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from classad import ClassAd
from classad.loading.columns import LoadedColumns
from classad.table import Table
from negotiator.expressions.visible import Mentions
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.pool.fetch import Fact


class SlotRows:
    """Slots as rows; see ``negotiator.pool.slots.SlotSource``.

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
        #: What is told by values alone: it stays as long as the rows do.  There are few facts.
        self.facts: dict[Fact[Any], tuple[array[int], list[Any]]] = {}
        self._made: dict[int, ClassAd] = {}

    @classmethod
    def of(cls, ads: Sequence[ClassAd]) -> SlotRows:
        """The rows of ads; those of loaded ones are kept."""
        if isinstance(ads, LoadedSlots) and (table := ads.table()) is not None:
            known = _KEPT.get(ads)
            if known is None:
                known = _KEPT[ads] = cls(table, ads.order, ads.loaded, ads.names)
            return known
        return cls(Table(ads), array("i", range(len(ads))))

    def ad(self, row: int) -> ClassAd:
        """The ad of a row that was loaded, only to be looked at."""
        ad = self._made.get(row)
        if ad is None:
            assert self.loaded is not None
            ad = self._made[row] = self.loaded.ad(row, ClassAd)
        return ad

    def cell(self, key: str, row: int) -> object:
        """What a row has for an attribute (a folded name)."""
        store = self.table.store
        if not store.has(key):
            return None
        column = store.built(key)
        # A column for the sake of one cell would cost more than the whole ad.
        return store.peek(key, (row,))[0] if column is None else column.cell(row)


#: The rows of loaded slots, for as long as these live.
_KEPT: Final[WeakKeyDictionary[LoadedSlots, SlotRows]] = WeakKeyDictionary()
