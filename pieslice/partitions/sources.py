"""Finds the parts of a table: files and their row groups, partitions, tables.

Decides what counts as a table in parts.

Inputs: a path, a Dask dataframe, tables.  Outputs: loaders, in the order of the rows.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol, TypeAlias, runtime_checkable

from attr import frozen

from classad import Table
from classad.extras import load


class NotATableError(TypeError):
    """What was given is no table in parts."""


class SendablePart(Protocol):
    """A part of a table; it can be sent to a worker."""

    def table(self) -> Table:
        """Its rows."""


class Delayed(Protocol):
    """A frame that is not there yet, as Dask's own."""

    def compute(self, *, scheduler: str) -> object:
        """The frame."""


@runtime_checkable
class Collection(Protocol):
    """A dataframe in partitions, as Dask's own."""

    def to_delayed(self) -> Iterable[Delayed]:
        """Its partitions."""


#: A Parquet file or a folder of them, a Dask dataframe, or tables in memory: of ads, or frames.
Slots: TypeAlias = str | os.PathLike[str] | Collection | Table | Iterable[Table]


@frozen
class ParquetPart:
    """A row group of a Parquet file, which the workers see under the same path."""

    path: str
    group: int

    def table(self) -> Table:
        with load("pyarrow.parquet").ParquetFile(self.path) as file:
            return Table.from_arrow(file.read_row_group(self.group))


@frozen(eq=False)
class TablePart:
    """A table in memory."""

    found: Table

    def table(self) -> Table:
        return self.found


@frozen(eq=False)
class FramePart:
    """A frame, or one that is computed when it is asked for."""

    frame: object

    def table(self) -> Table:
        frame = self.frame
        # On a worker, Dask has put the frame in its place.
        compute = getattr(frame, "compute", None)
        return Table.from_pandas(frame if compute is None else compute(scheduler="synchronous"))


def parts_of(slots: Slots) -> list[SendablePart]:
    """All parts; raises ``OSError`` for a path without any Parquet file."""
    if isinstance(slots, str | os.PathLike):
        return [*_row_groups(Path(slots))]
    if isinstance(slots, Table):
        return [TablePart(slots)]
    if isinstance(slots, Collection):
        return [FramePart(frame) for frame in slots.to_delayed()]
    if hasattr(slots, "__arrow_c_stream__"):
        return [TablePart(Table.from_arrow(slots))]
    return [_table_part(table) for table in slots]


#: What is said of other files.
_NO_PARQUET: Final = "this is no whole Parquet file; classad.Table.from_file reads files of ads"


def _table_part(table: object) -> TablePart:
    if not isinstance(table, Table):
        kind = type(table).__name__
        raise NotATableError(
            f"slots: a part is a Table, not {kind}; `classad.Table(ads)` makes one of ads"
        )
    return TablePart(table)


def _row_groups(path: Path) -> Iterable[SendablePart]:
    parquet = load("pyarrow.parquet")
    path.stat()  # names what is not there
    files = sorted(path.glob("**/*.parquet")) if path.is_dir() else [path]
    if not files:
        raise FileNotFoundError(2, "no Parquet file in it", str(path))
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                count = opened.metadata.num_row_groups
        except load("pyarrow").ArrowInvalid:
            raise OSError(errno.EINVAL, _NO_PARQUET, str(file)) from None
        full = str(file.resolve())
        yield from (ParquetPart(full, group) for group in range(count))
