"""Finds the names that the expressions of slots want from other ads, once for each expression.

The rule is ``wanted`` of ``negotiator.expressions.known``, asked of all rows that have the
expression.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

from attr import Factory, define

from classad.ads.expression import Expression
from classad.analysis.mentions import references_of
from classad.loading.columns import LoadedColumns
from classad.table import Rows, Table
from classad.table.arrays import flag, pick, rows_of
from negotiator.expressions.known import external_names_of, wanted
from negotiator.pool.slots import Slot

_WEIGHT: Final = "slotweight"


def external_names_in(
    slots: Sequence[Slot], table: Table, loaded: LoadedColumns, changed: bool
) -> set[str]:
    """What the expressions of slots want; those that the cycle has changed are looked at alone.

    ``changed``: whether there can be such slots.
    """
    alone = [
        slot
        for slot in (slots if changed else ())
        if slot.copied is not None or (slot.changes and not slot.changes.keys() <= {_WEIGHT})
    ]
    usual = slots
    if alone:
        apart = set(map(id, alone))
        usual = [slot for slot in slots if id(slot) not in apart]
    weighed = [slot for slot in usual if slot.changes] if changed else []
    size = len(table)
    rows, own = (
        (1 << size) - 1 if len(some) == size else Rows.of(size, [slot.row for slot in some]).bits
        for some in (usual, weighed)
    )
    finder = _Finder(table, loaded, rows, own)
    for name in table.store.open_names:
        codes, values = table.cells(name)
        finder.look(codes, values, rows & ~own if name == _WEIGHT else rows)
    if weighed:
        finder.look(array("i", bytes(4 * size)), [weighed[0].changes[_WEIGHT][1]], own)
    return finder.found | external_names_of(slot.ad for slot in alone)


@define(eq=False)
class _Finder:
    """``rows``: those looked at; ``weighed``: those that have the negotiator's ``SlotWeight``."""

    table: Table
    loaded: LoadedColumns
    rows: int
    weighed: int
    found: set[str] = Factory(set)
    _missing: dict[str, int] = Factory(dict)

    def look(self, codes: array[int], values: Sequence[object], rows: int) -> None:
        """Look at the expressions that some rows have for an attribute."""
        live = set(codes) if rows.bit_count() == len(codes) else set(pick(codes, rows_of(rows)))
        mentioning: dict[str, list[int]] = {}
        target: set[str] = set()
        for code in live:
            value = values[code]
            if isinstance(value, Expression):
                refs = references_of(value.node)
                target |= refs.target
                for name in refs.bare:
                    mentioning.setdefault(name, []).append(code)

        def lacks(name: str) -> bool:
            without = rows & self._without(name)
            if not without:
                return False
            flags = bytearray(len(values))
            for code in mentioning[name]:
                flags[code] = 1
            return bool(without & flag(codes, None, bytes(flags), len(codes)))

        self.found |= wanted(target, mentioning.keys() - self.found, lacks)

    def _without(self, name: str) -> int:
        """The rows that have not got an attribute."""
        if name not in self._missing:
            column = self.loaded.column(name)
            if column is None:
                missing = self.rows
            elif column.present == self.loaded.n_rows:
                missing = 0
            else:
                codes, values = self.table.cells(name)
                absent = bytes(value is None for value in values)
                missing = flag(codes, None, absent, len(codes))
            self._missing[name] = missing & ~self.weighed if name == _WEIGHT else missing
        return self._missing[name]
