"""Defines what an answer can do: be printed, shown in a notebook, become data, become a frame.

Inputs: the blocks and fields of each answer.  Outputs: text, HTML, dictionaries, frames of pandas
and Polars, tables of Arrow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from typing import Any, ClassVar, Final, SupportsIndex, overload

from attr import evolve, frozen

from classad import ClassAd
from classad.analysis.mentions import references_of
from classad.evaluate import evaluate
from classad.extras import load
from classad.source import Source
from pieslice.reports.document import Document, members
from pieslice.reports.layout import Block, Line, TextColumn, TextTable, render_plain, rounded
from pieslice.reports.versions import with_version
from pieslice.terminal import DEFAULT_WIDTH, printable
from policy.language.expressions import parse

#: Rows of a table that are shown, and at the prompt of Python; its data and frames have all.
_SHOWN_ROWS: Final = 50
_REPR_ROWS: Final = 10
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
        from pieslice.reports.html import html_of

        return html_of(self.report())

    @property
    def tables(self) -> list[str]:
        """The names of its tables."""
        members = ((name, getattr(type(self), name)) for name in dir(type(self)))
        return [
            name
            for name, member in members
            if isinstance(member, property)
            and getattr(member.fget, "__annotations__", {}).get("return") == DataTable.__name__
        ]


@frozen(eq=False, repr=False)
class DataTable(Result):
    """Rows under column names: a sequence of dictionaries.

    A number gives a row, a slice a table, a name a column; ``filter`` and ``sort`` give tables.
    Whatever reads Arrow streams reads it: ``polars.DataFrame(table)``.
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

    def filter(
        self, wanted: str | Callable[[dict[str, Cell]], bool] = "true", /, **equal: Cell
    ) -> DataTable:
        """The rows of which a ClassAd expression over the columns is true, or a function.

        ``equal``: what some columns are.  Raises ``KeyError`` for a column that there is not.
        """
        places = {self._place(name): value for name, value in equal.items()}
        holds = self._condition(wanted) if isinstance(wanted, str) else wanted
        rows = (
            row
            for row, data in zip(self.rows, self, strict=True)
            if all(row[place] == value for place, value in places.items()) and holds(data)
        )
        return evolve(self, rows=tuple(rows))

    def _condition(self, text: str) -> Callable[[dict[str, Cell]], bool]:
        tree = parse(text, Source(text, "<filter>"))
        mentioned = references_of(tree.node)
        for name in sorted(mentioned.bare | mentioned.mine | mentioned.target):
            self._place(name)
        return lambda row: evaluate(tree, ClassAd(row)) is True

    def sort(self, *names: str, descending: bool = False) -> DataTable:
        """The rows in the order of some columns, what is None last.

        Raises ``KeyError`` for a column that there is not.
        """
        rows = list(self.rows)
        for place in map(self._place, reversed(names)):
            rows.sort(key=partial(_order, place), reverse=descending)
            rows.sort(key=partial(_is_none, place))
        return evolve(self, rows=tuple(rows))

    def _place(self, name: str) -> int:
        """Where a column stands; names of expressions are those of attributes, in any case."""
        for place, column in enumerate(self.columns):
            if column.casefold() == name.casefold():
                return place
        raise KeyError(f"there is no column `{name}`; there are {', '.join(self.columns)}")

    def summary(self) -> str:
        return f"{self.title}: {len(self)} rows, {len(self.columns)} columns"

    def blocks(self) -> Sequence[Block]:
        return table_blocks(self, _SHOWN_ROWS)

    def __repr__(self) -> str:
        blocks = [Line(self.summary()), *table_blocks(self, _REPR_ROWS)[1:]]
        # The option is one of commands.
        text = render_plain(blocks, DEFAULT_WIDTH).replace("not shown (--wide): ", "not shown: ")
        return text.removesuffix("\n")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    def to_pandas(self) -> object:
        """A pandas ``DataFrame``."""
        return load("pandas").DataFrame(list(self.rows), columns=list(self.columns))

    def to_polars(self) -> object:
        """A Polars ``DataFrame``."""
        return load("polars").DataFrame(self._by_column(), strict=False)

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table``; of a column that has texts and numbers all are texts."""
        return load("pyarrow").table(
            {name: _of_one_kind(cells) for name, cells in self._by_column().items()}
        )

    def _by_column(self) -> dict[str, list[Cell]]:
        return {name: self[name] for name in self.columns}


def _order(place: int, row: Sequence[Cell]) -> tuple[bool, Cell]:
    """What sorts a column: numbers before texts."""
    cell = row[place]
    return isinstance(cell, str), 0 if cell is None else cell


def _is_none(place: int, row: Sequence[Cell]) -> bool:
    return row[place] is None


def _cell(value: object) -> Cell:
    found = value.value if isinstance(value, Enum) else value
    assert found is None or isinstance(found, Cell)
    return found


def _of_one_kind(cells: list[Cell]) -> Sequence[Cell]:
    texts = sum(isinstance(cell, str) for cell in cells)
    if texts in (0, len(cells) - cells.count(None)):
        return cells
    return [None if cell is None else str(cell) for cell in cells]


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
