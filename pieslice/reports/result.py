"""Defines what an answer can do: be printed, shown in a notebook, become data, become a frame.

Inputs: the blocks and fields of each answer.  Outputs: text, HTML, dictionaries, frames of pandas
and Polars, tables of Arrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import ClassVar, Final, SupportsIndex, overload

from attr import frozen

from classad.extras import load
from pieslice.reports.document import Document, members
from pieslice.reports.html import html_of
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, render_plain, rounded
from pieslice.reports.versions import with_version
from pieslice.terminal import DEFAULT_WIDTH, printable

#: Rows of a table that are shown; its data and frames have all.
_SHOWN_ROWS: Final = 50
#: Columns that hold a part of one.
_PARTS: Final = frozenset(("fill", "fill_after", "share"))
#: Columns that a table keeps for which nothing says what is left out.
_MOST: Final = 11
#: Columns of text that is no name, and stays whole.
_WHOLE: Final = frozenset(("job", "kind", "reason"))
#: Titles and units where the whole ones take the room of data.
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
    "idle_gpus": 9, "autocluster": 9, "idle_memory": 8, "idle_cpus": 8, "usable_gpus": 7,
    "never": 7, "usable_memory": 3, "idle_jobs": 2, "claimed": 2, "claimed_after": 2, "group": 1,
}  # fmt: skip
#: What stands in a table.
Cell = str | int | float | bool | None


class Result(Document, ABC):
    """An answer.  ``str`` is what the command prints."""

    @abstractmethod
    def blocks(self) -> Sequence[Block]:
        """The answer for people, without the version."""

    @abstractmethod
    def summary(self) -> str:
        """The answer in a few words."""

    def report(self) -> Sequence[Block]:
        """The answer for people; below its title which version it follows."""
        return with_version(self.blocks(), self.followed)

    def text(self, width: int = DEFAULT_WIDTH) -> str:
        """What the command prints."""
        return render_plain(self.report(), width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {printable(self.summary())}>"

    def _repr_html_(self) -> str:
        return html_of(self.report())


@frozen(eq=False, repr=False)
class DataTable(Result):
    """Rows under column names: a sequence of dictionaries.

    A number gives a row, a slice a table, a name a column.
    """

    schema: ClassVar[str] = "pieslice/table/1"
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, title: str, kind: type, items: Iterable[object], names: str = "") -> DataTable:
        """Values of one class under the members that JSON shows of it, or those ``names``."""
        known = {member.name: member for member in members(kind) or ()}
        columns = tuple(names.split() or known)
        rows = (tuple(_cell(known[name].of(item)) for name in columns) for item in items)
        return cls(title, columns, tuple(rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    @overload
    def __getitem__(self, wanted: str) -> list[Cell]: ...
    @overload
    def __getitem__(self, wanted: slice) -> DataTable: ...
    @overload
    def __getitem__(self, wanted: SupportsIndex) -> dict[str, Cell]: ...
    def __getitem__(
        self, wanted: str | slice | SupportsIndex
    ) -> list[Cell] | DataTable | dict[str, Cell]:
        """A column, some rows or a row; raises ``KeyError`` or ``IndexError``."""
        if isinstance(wanted, slice):
            return DataTable(self.title, self.columns, self.rows[wanted])
        if not isinstance(wanted, str):
            return dict(zip(self.columns, self.rows[wanted], strict=True))
        if wanted not in self.columns:
            raise KeyError(f"there is no column `{wanted}`; there are {', '.join(self.columns)}")
        place = self.columns.index(wanted)
        return [row[place] for row in self.rows]

    def summary(self) -> str:
        return f"{self.title}: {len(self)} rows, {len(self.columns)} columns"

    def blocks(self) -> Sequence[Block]:
        return table_blocks(self, _SHOWN_ROWS)

    def to_pandas(self) -> object:
        """A pandas ``DataFrame``."""
        return load("pandas").DataFrame(list(self.rows), columns=list(self.columns))

    def to_polars(self) -> object:
        """A Polars ``DataFrame``."""
        return load("polars").DataFrame(self._by_column(), strict=False)

    def to_arrow(self) -> object:
        """A ``pyarrow.Table``."""
        return load("pyarrow").table(self._by_column())

    def _by_column(self) -> dict[str, list[Cell]]:
        return {name: self[name] for name in self.columns}


def _cell(value: object) -> Cell:
    found = value.value if isinstance(value, Enum) else value
    assert found is None or isinstance(found, Cell)
    return found


def table_blocks(table: DataTable, limit: int | None = None) -> list[Block]:
    """A heading and the table, ``limit`` rows of it."""
    if not table.rows:
        return [Line(f"{table.title}: none", heading=True)]
    columns = tuple(_column(name, table[name], place) for place, name in enumerate(table.columns))
    rows = tuple(tuple(map(_shown, row, table.columns)) for row in table.rows[:limit])
    left = len(table) - len(rows)
    more = [Line(f"  and {left} more rows")] if left else []
    return [Line(table.title, heading=True), TextTable(columns, rows), *more]


def _column(name: str, cells: Sequence[Cell], place: int) -> TextColumn:
    """The column of a name: what stands behind its first word is its unit."""
    title, _, unit = name.partition("_")
    unit = f"{unit} %" if name in _PARTS else unit
    numbers = any(isinstance(cell, int | float) for cell in cells)
    return TextColumn(
        title,
        unit.replace("_", " ").strip(),
        right=numbers,
        drop=_DROPPED.get(name, max(place - _MOST, 0)),
        brief=_BRIEF.get(title, ""),
        brief_unit=_BRIEF.get(unit, ""),
        name=not numbers and name not in _WHOLE,
        prose=name == "reason",
    )


def _shown(value: Cell, name: str) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value * 100:.1f}" if name in _PARTS else rounded(value)
