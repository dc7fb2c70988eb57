"""Shows a table the slots of a cycle as its rows: ads with what the cycle has changed."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from classad import ClassAd
from classad.table.store.placed import NOWHERE
from classad.table.store.store import Store
from negotiator.columns.slots import ColumnSlots
from negotiator.pool.slots import Slot


class PlacedAds:
    """Slots that are rows of another table; see ``classad.table.store.placed.Placed``."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.names: set[str] = set()
        self.places: array[int] = array("i")
        self.base: Store
        self._slots: Mapping[int, Slot] = {}
        self._nobody = ClassAd()

    def show(self, slots: ColumnSlots, numbers: Sequence[int]) -> dict[int, Slot]:
        """The slots that are the rows from now on, by the number of the row."""
        self._slots = found = dict(zip(numbers, slots, strict=True))
        self.base, self.names = slots.rows.table.store, set(slots.changed)
        self.places = slots.places()
        if len(found) != self.size:
            places = array("i", [NOWHERE]) * self.size
            for number, place in zip(numbers, self.places, strict=True):
                places[number] = place
            self.places = places
        return found

    def ad(self, row: int) -> ClassAd:
        """The ad of a row."""
        slot = self._slots.get(row)
        return self._nobody if slot is None else slot.ad

    def changed(self, name: str) -> dict[int, object]:
        """What the cycle has made of an attribute, by row."""
        found = {}
        for row, slot in self._slots.items():
            if name in slot.changes:
                found[row] = slot.changes[name][1]
            elif slot.copied is not None:
                found[row] = slot.copied._attrs.get(name)
        return found
