"""Writes the folder of a run: events, series, summary, and a checkpoint to go on from.

Decides the files and their columns, and that a run that was killed goes on as if it had not been: a
checkpoint says how long the files were, and what came after is cut off.

Inputs: events, series, checkpoints.  Outputs: ``events`` and ``series`` as CSV or JSON lines,
``summary.json``, ``run.json``, ``checkpoint.json``, and on request Parquet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Final

from classad.extras import load
from classad.files.lock import hold
from pieslice.data import Record
from pieslice.reports.csv import csv_text
from pieslice.writing import naming

EVENT_COLUMNS: Final = ("time", "event", "user", "job", "slot", "detail", "origin")
SERIES_COLUMNS: Final = (
    "time", "kind", "name", "usage", "running", "idle", "real_priority", "effective_priority",
    "quota",
)  # fmt: skip


class RunFolder:
    """An open run; ``lengths`` cuts the files of an earlier one to what a checkpoint knows.

    Raises ``BusyError`` while another process writes to the folder.
    """

    def __init__(self, folder: Path, form: str, lengths: Mapping[str, int] | None = None) -> None:
        #: Two processes would write into each other's files.
        self._lock = hold(folder / "run")
        self.folder = folder
        self.form = form
        self._files: dict[str, IO[bytes]] = {}
        self._columns: dict[str, Sequence[str]] = {}
        for name, columns in (("events", EVENT_COLUMNS), ("series", SERIES_COLUMNS)):
            path = folder / f"{name}.{form}"
            file = path.open("wb" if lengths is None else "r+b")
            self._files[name] = file
            self._columns[name] = columns
            if lengths is not None:
                # A run that an earlier version began goes on with the columns that it had.
                self._columns[name] = _begun_with(path, form) or columns
                file.truncate(lengths[name])
                file.seek(lengths[name])
            elif form == "csv":
                self._row(name, columns)

    def _row(self, name: str, values: Sequence[object]) -> None:
        self._put(name, csv_text([values]))

    def _put(self, name: str, text: str) -> None:
        with naming(self._files[name].name):
            self._files[name].write(text.encode())

    def write(self, name: str, values: Sequence[object]) -> None:
        """Add a row to ``events`` or ``series``."""
        columns = self._columns[name]
        if self.form == "csv":
            self._row(name, values[: len(columns)])
            return
        line = json.dumps(dict(zip(columns, values, strict=False)))
        self._put(name, f"{line}\n")

    def checkpoint(self, data: Record) -> None:
        """Put a state aside; the files are on the disk before it."""
        lengths = {}
        for name, file in self._files.items():
            with naming(file.name):
                file.flush()
                os.fsync(file.fileno())
            lengths[name] = file.tell()
        write_json(self.folder / "checkpoint.json", {"lengths": lengths, **data}, indent=None)

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            with naming(file.name):
                file.close()
        self._lock.release()

    def remove(self) -> None:
        """Remove what a new run has written, once it is closed."""
        written = [Path(file.name) for file in self._files.values()]
        for path in (*written, self.folder / "run.json", self.folder / "run.lock"):
            path.unlink(missing_ok=True)


def _begun_with(path: Path, form: str) -> Sequence[str]:
    """The columns of a file; none of one that has no row.  Later versions add some at the end."""
    with path.open(encoding="utf-8") as file:
        first = file.readline()
    if not first:
        return ()
    return list(json.loads(first)) if form == "jsonl" else first.rstrip("\r\n").split(",")


def write_json(path: Path, data: Record, indent: int | None = 1) -> None:
    """Replace a file in one step."""
    temporary = path.with_name(path.name + ".tmp")
    with naming(path), temporary.open("w", encoding="utf-8") as file:
        json.dump(data, file, indent=indent)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def write_parquet(folder: Path, form: str) -> None:
    """Copy events and series to Parquet files; raises ``ImportError`` without pyarrow."""
    load("pyarrow")
    parts = {name: import_module(f"pyarrow.{name}") for name in ("csv", "json", "parquet")}
    for name in ("events", "series"):
        source = folder / f"{name}.{form}"
        table = parts["csv"].read_csv(source) if form == "csv" else parts["json"].read_json(source)
        parts["parquet"].write_table(table, folder / f"{name}.parquet")
