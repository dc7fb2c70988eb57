"""Makes the column engines of one cycle after another, which keep what need not be found out again.

A slot keeps its row from cycle to cycle as long as rows in rising order are slots in pool order:
slots that are rows of loaded columns have the place that they have in the pool; of others new ones
get spare rows behind all others.  What has changed in the rows since the cycle before the table
finds out by itself.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from operator import ge
from typing import Final

from classad import ClassAd
from classad.evaluate import EvalContext
from classad.evaluation.functions import load
from classad.table import Table
from classad.table.arrays.arrays import pick
from classad.table.memory.budget import DEFAULT
from negotiator.columns.engine import ColumnEngine, SlotsLeft
from negotiator.columns.fetch import fetch_columns
from negotiator.columns.rows import SlotRows
from negotiator.columns.slot_ads import ListedAds, PlacedAds
from negotiator.columns.slots import ColumnSlots
from negotiator.matching.board import Engine
from negotiator.pool.fetch import fetch_slots
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy

#: Bytes of results that are kept for later, for each slot: those of a cycle should fit.
_PER_SLOT: Final = 4096


class ColumnEngines:
    """Gives every cycle a column engine; see ``negotiator.matching.engine.Engines``."""

    def __init__(self, *, lasting: bool) -> None:
        """``lasting``: whether there are other cycles to come."""
        self._lasting = lasting
        load()  # the functions of the language, which every cycle asks for
        self._names: dict[str, int] = {}
        self._ads: ListedAds | PlacedAds | None = None
        self._table: Table | None = None
        #: The place in the pool of each row of loaded slots.
        self._pool: tuple[SlotRows, array[int]] | None = None

    def fetch(
        self,
        ads: Sequence[ClassAd],
        claims: Mapping[str, int],
        policy: NegotiatorPolicy,
        context: EvalContext,
        read: bool = False,
    ) -> Slots:
        """See ``negotiator.matching.engine.Engines``."""
        found = fetch_columns(SlotRows.of(ads), claims, policy, context, read)
        return fetch_slots(ads, claims, policy, context) if found is None else found

    def prepare(self, slots: Slots, policy: NegotiatorPolicy) -> tuple[dict[int, Slot], Engine]:
        """See ``negotiator.matching.engine.Engines``."""
        if isinstance(slots, ColumnSlots) and (slots.rows.lasting or not self._lasting):
            placed, table = self._place(slots)
        else:
            placed, table = self._list(slots)
        self._table = table
        return SlotsLeft(placed), ColumnEngine(placed, table, policy)

    # --- slots that are rows already ------------------------------------------------------------

    def _place(self, slots: ColumnSlots) -> tuple[dict[int, Slot], Table]:
        """Slots that are rows of another table, with their places here."""
        places, size = self._places(slots)
        placed = dict(zip(places, slots, strict=True))
        known = self._ads
        if isinstance(known, PlacedAds) and known.rows is slots.rows and known.size == size:
            known.show(placed, slots)
            assert self._table is not None
            self._table.refresh()
            return placed, self._table
        self._ads = PlacedAds(slots.rows, size)
        self._ads.show(placed, slots)
        return placed, Table.placed(self._ads, budget=max(DEFAULT, _PER_SLOT * size))

    def _places(self, slots: ColumnSlots) -> tuple[Sequence[int], int]:
        """The place of each slot, and how many places there are."""
        if self._lasting:
            rows = slots.rows
            if self._pool is None or self._pool[0] is not rows:
                of_row = array("i", bytes(4 * len(rows.table)))
                for place, row in enumerate(rows.order):
                    of_row[row] = place
                self._pool = (rows, of_row)
            found = pick(self._pool[1], slots.places())
            if not any(map(ge, found, islice(found, 1, None))):
                return found, len(rows.order)
        return range(len(slots)), len(slots)

    # --- slots that are ads ---------------------------------------------------------------------

    def _list(self, slots: Sequence[Slot]) -> tuple[dict[int, Slot], Table]:
        """Slots that are ads, with their rows."""
        known = self._ads
        if isinstance(known, ListedAds) and self._table is not None:
            rows = self._rows(slots, known.size)
            if rows is not None:
                placed = dict(zip(rows, slots, strict=True))
                self._names.update((slot.name, row) for row, slot in placed.items())
                known.show(placed)
                self._table.refresh()
                return placed, self._table
        spare = len(slots) // 4 + 16 if self._lasting else 0
        self._names = {slot.name: row for row, slot in enumerate(slots)}
        placed = dict(enumerate(slots))
        self._ads = ListedAds(len(slots) + spare)
        self._ads.show(placed)
        budget = max(DEFAULT, _PER_SLOT * self._ads.size)
        return placed, Table.over(self._ads, budget=budget)

    def _rows(self, slots: Sequence[Slot], size: int) -> list[int] | None:
        """The rows of slots; None if they do not fit into those that there are."""
        rows: list[int] = []
        spare = max(self._names.values(), default=-1) + 1
        for slot in slots:
            row = self._names.get(slot.name)
            if row is None:
                row, spare = spare, spare + 1
            if row >= size or (rows and row <= rows[-1]):
                return None
            rows.append(row)
        return rows
