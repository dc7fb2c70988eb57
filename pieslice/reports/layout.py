"""Lays out a report: lines, tables and wrapped lists, plain or for a terminal.

Decides widths, alignment and wrapping.

Inputs: blocks (``Line``, ``Table``, ``Wrapped``) and the width of the output in characters.
Outputs: text without trailing blanks (``render_plain``) or the same on a terminal through rich
(``print_rich``).  Both show the same words.  Follows: titles above their columns, numbers right,
text left, as the HTCondor tools print.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import IO, Final, TypeAlias

from attr import frozen

GAP: Final = 2
_CONTROL: Final = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


@frozen
class Line:
    """A line of text.  ``heading`` sets it apart, ``level`` colours it on a terminal."""

    text: str = ""
    heading: bool = False
    #: ``""``, ``good`` or ``bad``.
    level: str = ""


@frozen
class Column:
    """A column: the title, with its unit on a second line, and whether numbers stand in it."""

    title: str
    unit: str = ""
    right: bool = False


@frozen
class Table:
    """Rows of text under column titles."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    indent: int = 2


@frozen
class Wrapped:
    """Words after a label, continued on lines that begin under the first word."""

    label: str
    words: tuple[str, ...]
    indent: int = 4


Block: TypeAlias = Line | Table | Wrapped


def number(value: float | None, decimals: int = 2) -> str:
    """A number for a table: thousands unmarked, ``-`` for none, huge limits as ``unlimited``."""
    if value is None:
        return "-"
    if value >= 2**31 - 1 and value >= 1e300:
        return "unlimited"
    if abs(value) >= 1e15:
        return f"{value:.{decimals}e}"
    text = f"{value:.{decimals}f}"
    # What rounding leaves of a difference may be less than nothing.
    return text.removeprefix("-") if float(text) == 0 else text


def short(value: float | None) -> str:
    """A number without needless decimals: ``1000``, ``0.5``, ``1e+10``."""
    return "-" if value is None else f"{value:.10g}"


def printable(text: str) -> str:
    """``text`` with control characters as escapes: a name must not steer the terminal."""
    return text.translate(_CONTROL)


def render_plain(blocks: Iterable[Block], width: int) -> str:
    """The blocks as text; no line is cut, only words and lists are wrapped."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Line):
            lines += line_lines(block, width)
        elif isinstance(block, Table):
            lines += table_lines(block)
        else:
            lines += wrapped_lines(block, width)
    return "".join(line.rstrip() + "\n" for line in lines)


def line_lines(block: Line, width: int) -> list[str]:
    """The line, wrapped unless it is a heading."""
    text = printable(block.text)
    if block.heading or len(text) <= width:
        return [text]
    lead = " " * (len(text) - len(text.lstrip()) + 2)
    return textwrap.wrap(
        text, width, subsequent_indent=lead, break_long_words=False, break_on_hyphens=False
    )


def table_lines(table: Table) -> list[str]:
    """Titles, units where there are any, and the rows."""
    heads = [tuple(column.title for column in table.columns)]
    if any(column.unit for column in table.columns):
        heads.append(tuple(column.unit for column in table.columns))
    cells = [*heads, *(tuple(map(printable, row)) for row in table.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.columns))]
    return [_row(table, row, widths) for row in cells]


def _row(table: Table, row: Sequence[str], widths: Sequence[int]) -> str:
    parts = [
        cell.rjust(width) if column.right else cell.ljust(width)
        for column, cell, width in zip(table.columns, row, widths, strict=True)
    ]
    return " " * table.indent + (" " * GAP).join(parts).rstrip()


def wrapped_lines(block: Wrapped, width: int) -> list[str]:
    """The label and as many words per line as fit."""
    lead = " " * block.indent + block.label
    return textwrap.wrap(
        " ".join(map(printable, block.words)),
        max(width, len(lead) + 10),
        initial_indent=f"{lead}  " if block.label else lead,
        subsequent_indent=" " * (len(lead) + 2) if block.label else lead,
        break_long_words=False,
        break_on_hyphens=False,
    )


def print_rich(blocks: Iterable[Block], stream: IO[str], width: int) -> None:
    """Print the blocks on a terminal: headings bold, titles dim, findings coloured."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, width=width, highlight=False, soft_wrap=True)
    styles = {"good": "green", "bad": "yellow"}
    for block in blocks:
        if isinstance(block, Line):
            style = "bold" if block.heading else styles.get(block.level, "")
            for line in line_lines(block, width):
                console.print(Text(line, style=style))
        elif isinstance(block, Table):
            titles = 2 if any(column.unit for column in block.columns) else 1
            for index, line in enumerate(table_lines(block)):
                console.print(Text(line, style="dim" if index < titles else ""))
        else:
            for line in wrapped_lines(block, width):
                console.print(Text(line))
