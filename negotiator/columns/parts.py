"""Tells the parts of claimed slots that the collector sends when nothing is preempted, by column.

Rows whose expressions are the same ones, wherever what is asked for leads, have the same attributes
in their parts: what these are is found once for all of them.  The definition is ``project`` of
``negotiator.pool.fetch``.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from classad.table.arrays import pick
from classad.table.store.columns import PLAIN
from classad.table.store.store import SCOPE_NAMES
from negotiator.columns.rows import SlotRows
from negotiator.pool.fetch import PROJECTED


def parts_of(rows: SlotRows, wanted: Sequence[int]) -> Iterator[tuple[array[int], frozenset[str]]]:
    """Rows of loaded columns with the attributes that there may be in their parts.

    Those for which columns do not tell are left out.
    """
    if wanted and rows.loaded is not None and not any(map(rows.table.has, SCOPE_NAMES)):
        yield from _alike(rows, array("i", wanted))


def _alike(rows: SlotRows, wanted: array[int]) -> Iterator[tuple[array[int], frozenset[str]]]:
    """Rows that have the same attributes in their parts, or lack them, with these."""
    table, mentions = rows.table, rows.mentions
    todo = [(wanted, frozenset[str](), PROJECTED)]
    while todo:
        members, seen, new = todo.pop()
        seen |= new
        columns = [table.cells(name) for name in new if table.has(name)]
        columns = [it for it in columns if not all(cell.__class__ in PLAIN for cell in it[1])]
        for some, values in _by_values(members, columns):
            met = [mentions.of(value) for value in values]
            if not any(one.shape.row_by_row for one in met):
                more = frozenset[str]().union(*(one.own for one in met)) - seen
                if more:
                    todo.append((some, seen, more))
                else:
                    yield some, seen


def _by_values(
    members: array[int], columns: list[tuple[array[int], list[Any]]]
) -> Iterator[tuple[array[int], list[object]]]:
    """Rows by what they have in some columns that is not plain, with that."""
    keys = []
    for codes, cells in columns:
        own = [-1 if cell.__class__ in PLAIN else code for code, cell in enumerate(cells)]
        keys.append(pick(pick(array("i", own), codes), members))
    if not keys:
        yield members, []
        return
    groups: dict[tuple[int, ...], list[int]] = {}
    for row, key in zip(members, zip(*keys, strict=True), strict=True):
        groups.setdefault(key, []).append(row)
    for key, some in groups.items():
        pairs = zip(columns, key, strict=True)
        yield array("i", some), [cells[code] for (_, cells), code in pairs if code >= 0]
