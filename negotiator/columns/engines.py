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
from classad.table.arrays import pick
from classad.table.memo import DEFAULT
from negotiator.columns.engine import ColumnEngine, SlotsLeft
from negotiator.columns.fetch import fetch_columns
from negotiator.columns.rows import SlotRows, WatchedRows, watched_rows
from negotiator.columns.slots import ColumnSlots, KeptTable, PlacedAds
from negotiator.jobs.lists import KnownJobs
from negotiator.matching.board import Engine
from negotiator.matching.engine import Engines
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.pool.slots import Slot, Slots
from policy.model import NegotiatorPolicy

#: Bytes of results that are kept for later, for each slot: those of a cycle should fit.
_PER_SLOT: Final = 4096
#: The same where several cycles share few, and what there is at least.
_SPARING: Final = 6144
_LEAST: Final = 16 * 2**20


class ColumnEngines(Engines):
    """Gives every cycle a column engine; see ``negotiator.matching.engine.Engines``."""

    def __init__(self, *, lasting: bool, sparing: bool = False) -> None:
        """``lasting``: whether other cycles are to come; ``sparing``: see ``make_engines``."""
        self._lasting = lasting
        self._sparing = sparing
        self._jobs = KnownJobs()
        load()  # the functions of the language, which every cycle asks for
        self._names: dict[str, int] = {}
        #: The names of slots in the cycle before, how many rows there were, and theirs.
        self._last: tuple[list[str], int, Sequence[int]] = [], 0, []
        self._ads: PlacedAds | None = None
        self._table: Table | None = None
        #: The rows of ads that are watched.
        self._watched: WatchedRows | None = None
        #: For questions about the slots of a cycle.
        self._asked = KeptTable(_LEAST)
        #: The place in the pool of each row of loaded slots.
        self._pool: tuple[SlotRows, array[int]] | None = None

    @property
    def jobs(self) -> KnownJobs:
        """See ``negotiator.matching.engine.Engines``."""
        return self._jobs

    def fetch(
        self,
        ads: Sequence[ClassAd],
        claims: Mapping[str, int],
        policy: NegotiatorPolicy,
        context: EvalContext,
        read: bool,
    ) -> Slots:
        """See ``negotiator.matching.engine.Engines``."""
        rows: SlotRows | None = None
        if self._lasting and not isinstance(ads, LoadedSlots):
            rows = self._watched = watched_rows(ads, self._watched)
        found = fetch_columns(rows or SlotRows.of(ads), claims, policy, context, read)
        if found is None:
            return super().fetch(ads, claims, policy, context, read)
        found.kept = self._asked if self._lasting else None
        return found

    def prepare(self, slots: Slots, policy: NegotiatorPolicy) -> tuple[dict[int, Slot], Engine]:
        """See ``negotiator.matching.engine.Engines``."""
        if not isinstance(slots, ColumnSlots):
            ads = SlotRows.of([slot.unchanged for slot in slots])
            changed = {name for slot in slots for name in slot.changes}
            slots = ColumnSlots(slots, ads, changed, ads.order)
        numbers, size = self._numbers(slots)
        known = self._ads
        if known is not None and self._table is not None and known.size == size:
            placed = known.show(slots, numbers)
            self._table.refresh()
        else:
            self._ads = PlacedAds(size)
            placed = self._ads.show(slots, numbers)
            budget = max(DEFAULT, _PER_SLOT * size)
            budget = max(_LEAST, _SPARING * size) if self._sparing else budget
            self._table = Table.placed(self._ads, budget=budget)
        engine = ColumnEngine(placed, self._table, policy, lasting=self._lasting)
        return SlotsLeft(placed), engine

    def _numbers(self, slots: ColumnSlots) -> tuple[Sequence[int], int]:
        """The row of each slot, and how many rows there are."""
        if not self._lasting:
            return range(len(slots)), len(slots)
        if slots.rows.loaded is not None:
            found, size = self._in_pool(slots), len(slots.rows.order)
            if not any(map(ge, found, islice(found, 1, None))):
                return found, size
            return range(len(slots)), len(slots)
        size = 0 if self._ads is None else self._ads.size
        names = [slot.name for slot in slots]
        if (names, size) == self._last[:2]:
            return self._last[2], size
        rows = self._by_name(names, size)
        if rows is None:
            rows, size = range(len(slots)), len(slots) + len(slots) // 4 + 16
            self._names.clear()
        self._names.update(zip(names, rows, strict=True))
        self._last = names, size, rows
        return rows, size

    def _in_pool(self, slots: ColumnSlots) -> array[int]:
        """The place in the pool of each slot that is a row of loaded columns."""
        rows = slots.rows
        if self._pool is None or self._pool[0] is not rows:
            of_row = array("i", bytes(4 * len(rows.table)))
            for place, row in enumerate(rows.order):
                of_row[row] = place
            self._pool = (rows, of_row)
        return pick(self._pool[1], slots.places())

    def _by_name(self, names: Sequence[str], size: int) -> Sequence[int] | None:
        """The rows of slots that are ads; None if they do not fit into those that there are."""
        rows: list[int] = []
        spare = max(self._names.values(), default=-1) + 1
        for name in names:
            row = self._names.get(name)
            if row is None:
                row, spare = spare, spare + 1
            if row >= size or (rows and row <= rows[-1]):
                return None
            rows.append(row)
        return rows
