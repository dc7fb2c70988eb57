"""Which job attributes a pool finds significant, found column by column.

Decision here: none that ``negotiator.jobs.autoclusters.significant_attributes`` would not make
slot by
slot: an expression is looked at once, whichever slots have it.  Inputs: the slots of a cycle, the
expressions of the policy.  Outputs: names in lower case.

Never here: autoclusters.
Follows: ``negotiator.jobs.autoclusters``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from attr import Factory, define

from classad.ads.expression import Expression as ExprTree
from classad.analysis.mentions import references_of
from classad.loading.columns import LoadedColumns
from classad.table import Rows, Table
from classad.table.arrays.arrays import flag, pick, rows_of
from negotiator.columns.slots import ColumnSlots
from negotiator.jobs.autoclusters import NEVER, significant_attributes
from negotiator.pool.slots import Slot

_WEIGHT = "slotweight"


def significant_in(
    slots: Sequence[Slot], policy_expressions: Iterable[ExprTree | None]
) -> frozenset[str]:
    """The negotiator's list before the settings are applied."""
    if not isinstance(slots, ColumnSlots) or slots.rows.loaded is None:
        return significant_attributes((slot.ad for slot in slots), policy_expressions)
    one_by_one = slots[:1]
    alone = [
        slot
        for slot in slots
        if slot.copied is not None or (slot.changes and not slot.changes.keys() <= {_WEIGHT})
    ]
    usual: list[Slot] = slots
    if alone:
        apart = set(map(id, alone))
        usual = [slot for slot in slots if id(slot) not in apart]
    one_by_one += alone
    names = _wanted(usual, slots.rows.table, slots.rows.loaded)
    ads = (slot.ad for slot in one_by_one)
    return names | significant_attributes(ads, policy_expressions)


def _wanted(slots: list[Slot], table: Table, loaded: LoadedColumns) -> frozenset[str]:
    """What the expressions of slots mention that the slots themselves have not."""
    weighed = [slot for slot in slots if slot.changes]
    size = len(table)
    everything = (1 << size) - 1
    rows, own = (
        everything if len(some) == size else Rows.of(size, [s.row for s in some]).bits
        for some in (slots, weighed)
    )
    finder = _Finder(table, loaded, rows, own)
    for name in table.store.open_names:
        codes, values = table.column(name)
        finder.look(codes, values, rows & ~own if name == _WEIGHT else rows)
    if weighed:
        finder.look(array("i", bytes(4 * size)), [weighed[0].changes[_WEIGHT][1]], own)
    return frozenset(finder.found - NEVER)


@define(eq=False)
class _Finder:
    """``rows``: those looked at; ``weighed``: those that have the negotiator's ``SlotWeight``."""

    table: Table
    loaded: LoadedColumns
    rows: int
    weighed: int
    found: set[str] = Factory(set)
    _missing: dict[str, int] = Factory(dict)

    def look(self, codes: array[int], values: list[Any], rows: int) -> None:
        """Look at the expressions that some rows have for an attribute."""
        live = set(codes) if rows.bit_count() == len(codes) else set(pick(codes, rows_of(rows)))
        mentioning: dict[str, list[int]] = {}
        for code in live:
            if values[code].__class__ is ExprTree:
                refs = references_of(values[code].node)
                self.found |= refs.target
                for name in refs.bare:
                    mentioning.setdefault(name, []).append(code)
        for name, some in mentioning.items():
            without = rows & self._without(name)
            if name not in self.found and without:
                flags = bytearray(len(values))
                for code in some:
                    flags[code] = 1
                if without & flag(codes, None, bytes(flags), len(codes)):
                    self.found.add(name)

    def _without(self, name: str) -> int:
        """The rows that have not got an attribute."""
        known = self._missing.get(name)
        if known is None:
            known = self._missing[name] = self._look_for(name)
        return known

    def _look_for(self, name: str) -> int:
        column = self.loaded.column(name)
        if column is None:
            missing = self.rows
        elif column.present == self.loaded.n_rows:
            missing = 0
        else:
            codes, values = self.table.column(name)
            absent = bytes(value is None for value in values)
            missing = flag(codes, None, absent, len(codes))
        return missing & ~self.weighed if name == _WEIGHT else missing
