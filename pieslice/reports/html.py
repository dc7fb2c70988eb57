"""Shows a report as HTML, for notebooks.

Decides the tags of each block; names are escaped, and what would steer a terminal is harmless here,
too.

Inputs: blocks.  Outputs: a fragment of HTML without styles of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from pieslice.reports.layout import Block, Drawn, Line, TextTable, Wrapped
from pieslice.terminal import DEFAULT_WIDTH, printable


def html_of(blocks: Iterable[Block]) -> str:
    """The blocks one below the other."""
    return "<div>" + "".join(part for block in blocks for part in _parts(block)) + "</div>"


def _text(text: str) -> str:
    return escape(printable(text))


def _parts(block: Block) -> Iterator[str]:
    if isinstance(block, TextTable):
        yield from _table(block)
    elif isinstance(block, Drawn):
        lines = "\n".join(map(_text, block.draw(DEFAULT_WIDTH)))
        yield f"<pre>{lines}</pre>"
    elif isinstance(block, Wrapped):
        words = " ".join(map(_text, block.words))
        yield f'<div style="margin-left: {block.indent}ch">{_text(block.label)} {words}</div>'
    elif block.text:
        yield _line(block)


def _line(line: Line) -> str:
    text = _text(line.text.lstrip())
    indent = len(line.text) - len(line.text.lstrip())
    if line.heading:
        text = f"<strong>{text}</strong>"
    style = f' style="margin-left: {indent}ch"' if indent else ""
    return f"<div{style}>{text}</div>"


def _table(table: TextTable) -> Iterator[str]:
    yield "<table><thead><tr>"
    for column in table.columns:
        yield f"<th>{_text(f'{column.title} {column.unit}'.strip())}</th>"
    yield "</tr></thead><tbody>"
    for row in table.rows:
        cells = (
            f'<td style="text-align: {"right" if column.right else "left"}">{_text(cell)}</td>'
            for column, cell in zip(table.columns, row, strict=True)
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table>"
