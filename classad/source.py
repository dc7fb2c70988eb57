"""Texts that errors can point into.

Inputs: a text, the name of the file it came from and the line it starts on.  Outputs: line and
column of an offset (1-based, columns in characters) and the excerpt with a caret line below it.
Never here: files are opened elsewhere; this module only names them.
"""

from __future__ import annotations

import unicodedata


class Source:
    """A piece of text with a name.  ``first_line`` is the number of its first line in the file."""

    __slots__ = ("first_column", "first_line", "name", "text")

    def __init__(
        self, text: str, name: str = "<expression>", *, first_line: int = 1, first_column: int = 1
    ) -> None:
        self.text = text
        self.name = name
        self.first_line = first_line
        self.first_column = first_column

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both from 1) of a character offset."""
        offset = max(0, min(offset, len(self.text)))
        begin = self.text.rfind("\n", 0, offset) + 1
        row = self.text.count("\n", 0, offset)
        shift = self.first_column if row == 0 else 1
        return self.first_line + row, offset - begin + shift

    def line_at(self, offset: int) -> tuple[str, int]:
        """The text of the line holding ``offset`` and the offset where that line begins."""
        offset = max(0, min(offset, len(self.text)))
        begin = self.text.rfind("\n", 0, offset) + 1
        stop = self.text.find("\n", offset)
        return self.text[begin : len(self.text) if stop < 0 else stop], begin

    def excerpt(self, start: int, end: int) -> str:
        """The line with its number, and below it ``^~~~`` under ``start:end`` of that line."""
        line, begin = self.line_at(start)
        number = str(self.position(start)[0])
        margin = " " * len(number)
        left = max(0, min(start - begin, len(line)))
        width = max(1, min(end - begin, len(line)) - left)
        lead = "".join("\t" if c == "\t" else " " * _cells(c) for c in line[:left])
        marks = "^" + "~" * (max(1, sum(map(_cells, line[left : left + width]))) - 1)
        return f"   {number} | {line}\n   {margin} | {lead}{marks}"


def _cells(char: str) -> int:
    """How many terminal columns a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
