"""Answers with priorities and usage: what ``pieslice userprio`` prints, and programs get.

Inputs: accounting ads, the options of condor_userprio, the times.  Outputs: ``Priorities``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from attr import evolve, frozen

from pieslice.priorities.options import Options
from pieslice.priorities.report import AccountingSource, answer
from pieslice.priorities.rows import Row, rows_of
from pieslice.priorities.table import StateView, is_active
from pieslice.reports.document import shape
from pieslice.reports.layout import Block, Drawn, plural
from pieslice.reports.result import DataTable, Result
from pieslice.terminal import DEFAULT_WIDTH

shape(
    Row,
    "name group is_group priority real_priority factor in_use usage begin last floor ceiling"
    " quota effective_quota subtree_quota requested surplus",
)


@frozen(eq=False, repr=False)
class Priorities(Result):
    """What condor_userprio would print: priorities, usage and quotas of users and groups."""

    schema: ClassVar[str] = "pieslice/userprio/1"
    source: AccountingSource
    options: Options
    view: StateView

    @property
    def records(self) -> DataTable:
        """All records, shown or not; usage in weighted seconds, times since the epoch."""
        return DataTable.of("records", Row, self._rows)

    @property
    def _rows(self) -> list[Row]:
        return rows_of(self.source.records())

    @property
    def too_old(self) -> bool:
        """Whether the table is empty because no record was used in the time that is shown."""
        form = self.options
        if form.autoformat is not None or form.json or form.modular or form.long:
            return False
        rows = self._rows
        return bool(rows) and not any(is_active(row, self.view.active_from) for row in rows)

    def summary(self) -> str:
        return plural(len(self.source.records()), "record")

    def text(self, width: int | None = DEFAULT_WIDTH) -> str:
        """What the command prints; without a width as wide as condor_userprio makes it."""
        return answer(self.source, self.options, evolve(self.view, room=width))

    def blocks(self) -> Sequence[Block]:
        return [Drawn(lambda width: self.text(width).split("\n"), indent=0)]


shape(Priorities, "last_update=source.last_update records=_rows")
