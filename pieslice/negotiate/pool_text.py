"""Writes the tables of a pool as text and as CSV.

Decides titles, numbers and columns for people, and what a cell is in CSV.

Inputs: ``PoolTable`` values; for the table of quotas a ``CycleResult``.  Outputs: blocks for
``pieslice.reports.layout``, or text.  Follows: RFC 4180 with line feeds for CSV; ``condor_userprio
-quotas`` for the quotas, times in UTC.
"""

from __future__ import annotations

from time import gmtime
from typing import Final

from negotiator.model.result import CycleResult
from pieslice.priorities.options import COLUMNS, Options
from pieslice.priorities.rows import Row
from pieslice.priorities.table import View, render
from pieslice.reports.layout import Block, Column, Drawn, Line, Table, rounded
from pieslice.reports.pool_tables import Cell, PoolTable, surplus_policy

#: Columns that hold a part of one.
_PARTS: Final = frozenset(("fill", "fill_after", "share"))
_NAMES: Final = frozenset(
    ("user", "group", "machine", "submitter", "schedd", "slot", "preempted", "surplus")
)
_BRIEF: Final = {
    "effective": "eff",
    "claimed": "claim",
    "preempted": "preempt",
    "requested": "asked",
}
#: What is left out of a table that is too wide: the highest number first.
_DROPPED: Final = {
    "seq": 9, "pie": 9, "spin": 8, "schedd": 7, "of": 6, "count": 5,
    "real_prio": 9, "ceiling": 8, "floor": 7, "prio_factor": 6, "running_jobs": 5,
    "refused": 4, "lost_weight": 4, "subtree_quota": 4, "by_rank": 3, "by_priority": 3, "free": 2,
    "idle_jobs": 2, "claimed": 2, "claimed_after": 2, "group": 1,
}  # fmt: skip


def table_blocks(table: PoolTable) -> list[Block]:
    """A heading and the table."""
    if not table.rows:
        return [Line(f"{table.title}: none", heading=True)]
    columns = tuple(_column(name, table, place) for place, name in enumerate(table.columns))
    rows = tuple(
        tuple(_cell(value, name) for value, name in zip(row, table.columns, strict=True))
        for row in table.rows
    )
    return [Line(table.title, heading=True), Table(columns, rows)]


def _column(name: str, table: PoolTable, place: int) -> Column:
    title, _, unit = name.partition("_")
    if name in _PARTS:
        unit = f"{unit} %".strip()
    numbers = any(isinstance(row[place], int | float) for row in table.rows)
    return Column(
        title,
        unit.replace("_", " "),
        right=numbers,
        drop=_DROPPED.get(name, 0),
        brief=_BRIEF.get(title, ""),
        brief_unit=_BRIEF.get(unit, ""),
        name=name in _NAMES,
        prose=name == "reason",
    )


def _cell(value: Cell, name: str) -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value * 100:.1f}" if name in _PARTS else rounded(value)


def quota_blocks(result: CycleResult) -> list[Block]:
    """The quotas as ``condor_userprio -quotas`` prints them."""
    if len(result.groups) <= 1:
        return [Line("quotas: no groups are configured", heading=True)]
    rows = [
        Row(
            item.name,
            item.name,
            True,
            quota=item.config_quota,
            effective_quota=item.quota,
            subtree_quota=item.subtree_quota,
            sort_key=item.sort_key or 0.0,
            surplus=surplus_policy(item.autoregroup, item.accept_surplus),
            requested=item.requested,
            in_use=item.usage_after,
        )
        for item in result.groups
    ]
    rows += [Row(item.name, item.group, False) for item in result.submitters]
    quotas = COLUMNS["quotas"]
    options = Options(set(quotas), set(quotas))

    def draw(room: int) -> list[str]:
        return render(rows, options, View(int(result.now), gmtime, room=room)).splitlines()

    return [Line("quotas", heading=True), Drawn(draw)]
