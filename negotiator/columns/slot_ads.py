"""Shows a table the slots of a cycle as its rows: ads with what the cycle has changed."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from classad import ClassAd
from classad.table.store.reordered import NOWHERE
from classad.table.store.store import Store
from negotiator.columns.rows import SlotRows
from negotiator.columns.slots import ColumnSlots
from negotiator.pool.slots import Slot


class ListedAds:
    """Slots of which the ads are there; see ``classad.table.store.overlay.Overlaid``."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.ads: list[ClassAd] = []
        self.names: set[str] = set()
        self._slots: Mapping[int, Slot] = {}
        self._nobody = ClassAd()

    def show(self, slots: Mapping[int, Slot]) -> None:
        """The slots that are the rows from now on."""
        self._slots = slots
        self.ads = [self._nobody] * self.size
        self.names = set()
        for row, slot in slots.items():
            self.ads[row] = slot.unchanged
            self.names.update(slot.changes)

    def ad(self, row: int) -> ClassAd:
        """The ad of a row."""
        slot = self._slots.get(row)
        return self._nobody if slot is None else slot.ad

    def cells(self, name: str, rows: Sequence[int]) -> list[object]:
        """What some rows have for an attribute."""
        # Not from ``ads``: somebody may have had a copy made, which has the changes since.
        slots = map(self._slots.get, rows)
        return [
            None
            if slot is None
            else slot.changes[name][1]
            if name in slot.changes
            else slot.unchanged._attrs.get(name)
            for slot in slots
        ]


class PlacedAds:
    """Slots that are rows of another table; see ``classad.table.store.reordered.Placed``."""

    def __init__(self, rows: SlotRows, size: int) -> None:
        self.rows = rows
        self.size = size
        self.base: Store = rows.table.store
        self.places: array[int] = array("i")
        self.names: set[str] = set()
        self._slots: Mapping[int, Slot] = {}
        self._nobody = ClassAd()

    def show(self, placed: Mapping[int, Slot], slots: ColumnSlots) -> None:
        """The slots that are the rows from now on: the same by row, and all of them."""
        self._slots = placed
        self.names = set(slots.changed)
        if len(placed) == self.size:
            self.places = slots.places()
        else:
            self.places = array("i", [NOWHERE]) * self.size
            for row, slot in placed.items():
                self.places[row] = slot.row

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
