"""Keeps the results of a sweep: a line for each point as it is done, and one table in the end.

Decides the columns of the table, and that a sweep which was interrupted loses no point: every line
is on the disk before the next, and half a line is none.

Inputs: outcomes.  Outputs: ``points.jsonl`` and ``table.csv`` in the folder of the sweep; text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pieslice.data import JsonData, Record
from pieslice.reports.csv import csv_text
from pieslice.reports.layout import Block, Line, TextColumn, TextTable
from pieslice.runreport.metrics import RUN, cell, number_column
from pieslice.sweeps.grid import Point
from pieslice.sweeps.work import PointResult
from pieslice.writing import naming

#: Of the numbers of a run those that are printed, with shorter titles.
SHOWN: Final = {
    "utilisation": "utilisation",
    "completed": "completed",
    "preemptions": "preempted",
    "badput_hours": "badput (h)",
    "wait_mean": "mean wait (s)",
    "wait_95": "95 % wait (s)",
    "jain_index": "Jain's index",
}
#: What is left out of a table that is too wide: the highest number first.
_DROPPED: Final = {"jain_index": 3, "wait_95": 2, "badput_hours": 1}
_DIGITS: Final = {metric.key: metric.digits for metric in RUN}


class Results:
    """The outcomes of a sweep, in a folder if there is one."""

    def __init__(self, folder: Path | None) -> None:
        """Take up what an earlier run of the sweep has left."""
        self._path = None if folder is None else folder / "points.jsonl"
        self.found: dict[str, JsonData] = {}
        if self._path is not None and self._path.is_file():
            whole, _, rest = self._path.read_text(encoding="utf-8").rpartition("\n")
            for line in whole.splitlines():
                data = json.loads(line)
                self.found[data["key"]] = data
            if rest:
                os.truncate(self._path, len(f"{whole}\n".encode()) if whole else 0)

    def done(self, point: Point) -> bool:
        """Whether a point has been simulated."""
        return self.found.get(point.key, {}).get("summary") is not None

    def add(self, outcome: PointResult) -> None:
        """Keep an outcome."""
        data = {
            "key": outcome.point.key,
            "tries": outcome.tries,
            "error": outcome.error,
            "summary": outcome.summary,
        }
        self.found[outcome.point.key] = data
        if self._path is not None:
            with naming(self._path), self._path.open("ab") as file:
                file.write(f"{json.dumps(data)}\n".encode())
                file.flush()
                os.fsync(file.fileno())


def rows(points: Sequence[Point], results: Results) -> list[JsonData]:
    """A row for each point in the order of the grid."""
    found = []
    for point in points:
        data = results.found.get(point.key, {})
        summary = data.get("summary") or {}
        row = {**point.row, "tries": data.get("tries", 0), "error": data.get("error", "not done")}
        row |= {metric.key: summary.get(metric.key) for metric in RUN}
        for kind in ("users", "groups"):
            for name, numbers in summary.get(kind, {}).items():
                row[f"{name} usage_hours"] = numbers["usage_hours"]
                if kind == "users":
                    row[f"{name} wait_mean"] = numbers["wait_mean"]
        found.append(row)
    return found


def columns_of(table: Sequence[Record]) -> tuple[str, ...]:
    """All columns that any row has."""
    return tuple(dict.fromkeys(name for row in table for name in row))


def as_csv(table: Sequence[Record]) -> str:
    """The table as text, the columns first."""
    columns = columns_of(table)
    return csv_text([columns, *([row.get(name) for name in columns] for row in table)])


def blocks_of(table: Sequence[Record], names: Sequence[str]) -> list[Block]:
    """What is varied and the numbers that matter most; failures below."""
    varied = [name for name in names if len({row[name] for row in table}) > 1]
    columns = (
        *(TextColumn(name, right=True, name=True) for name in varied),
        *(number_column(key, title, _DROPPED) for key, title in SHOWN.items()),
    )
    cells = tuple(
        (
            *(str(row[name]) for name in varied),
            *(cell(row[key], _DIGITS[key]) for key in SHOWN),
        )
        for row in table
    )
    blocks: list[Block] = [TextTable(columns, cells, indent=0)]
    for row in table:
        if row["error"]:
            place = " ".join(f"{name}={row[name]}" for name in names)
            blocks.append(Line(f"failed after {row['tries']} tries: {place}: {row['error']}"))
    return blocks
