"""Writes rows as CSV, for spreadsheets and programs.

Decides how a cell is written: numbers with all their digits, nothing for what is not there, of
texts every character but those that steer a terminal or end a line, which are escapes as in text.

Inputs: rows of plain values.  Outputs: text.  Follows: RFC 4180, with newlines at ends of lines.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from typing import IO

from pieslice.terminal import printable


def write_csv(rows: Iterable[Iterable[object]], out: IO[str]) -> None:
    """Write the rows one by one, each on one line."""
    csv.writer(out, lineterminator="\n").writerows(
        [printable(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """The same as one text."""
    stream = StringIO()
    write_csv(rows, stream)
    return stream.getvalue()
