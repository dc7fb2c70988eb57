"""The column engines of one cycle after another, which keep what need not be found out again.

Decision here: which row of the table a slot is.  A slot keeps its row from cycle to cycle as long
as rows in rising order are slots in pool order; new slots get spare rows behind all others.  What
has changed in the rows since the cycle before the table finds out by itself.  Inputs: the slots of
a cycle, the policy, which may be another one.  Outputs: a ``ColumnEngine``.

Never here: what is decided by the columns.
Follows: nothing; it is bookkeeping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from classad.ad import ClassAd
from classad.table import Table
from negotiator.columns import ColumnEngine
from negotiator.engine import Engine, SlotsLeft
from negotiator.slots import Slot
from policy.model import NegotiatorPolicy


class ColumnEngines:
    """Gives every cycle a column engine; see ``negotiator.engine.Engines``."""

    def __init__(self, *, lasting: bool) -> None:
        """``lasting``: whether to keep rows for slots to come."""
        self._lasting = lasting
        self._names: dict[str, int] = {}
        self._ads: _Ads | None = None
        self._table: Table | None = None

    def prepare(self, slots: Sequence[Slot], policy: NegotiatorPolicy) -> tuple[SlotsLeft, Engine]:
        """See ``negotiator.engine.Engines``."""
        rows = None if self._ads is None else self._rows(slots, self._ads.size)
        if rows is None or self._table is None or self._ads is None:
            spare = len(slots) // 4 + 16 if self._lasting else 0
            self._names = {slot.name: row for row, slot in enumerate(slots)}
            placed = dict(enumerate(slots))
            self._ads = _Ads(len(slots) + spare)
            self._ads.show(placed)
            self._table = Table.over(self._ads)
        else:
            placed = dict(zip(rows, slots, strict=True))
            self._names.update((slot.name, row) for row, slot in placed.items())
            self._ads.show(placed)
            self._table.refresh()
        return SlotsLeft(placed), ColumnEngine(placed, self._table, policy)

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


class _Ads:
    """The ads of slots as rows of a table; a copy that has the cycle's changes is made at need."""

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

    def cells(self, name: str, rows: Sequence[int]) -> list[Any]:
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
