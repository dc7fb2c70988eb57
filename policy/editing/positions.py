"""Converts between offsets in characters and the lines and columns that editors count.

Editors count from 0, columns in units of UTF-16 (two for a letter outside the basic plane), and
lines that end with a newline, a carriage return, or both.
Inputs: a text, positions that may be outside it, which are cut.  Outputs: offsets, positions.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import Final, NamedTuple

from classad.patterns import late_regex

_END: Final = late_regex(r"\r\n|\n|\r")
_LAST_OF_BASIC_PLANE: Final = "\uffff"


class Position(NamedTuple):
    """A line and a column, both from 0."""

    line: int
    column: int


class Positions:
    """The positions in one text; ``utf16``: columns are units of UTF-16, else characters."""

    def __init__(self, text: str, *, utf16: bool = True) -> None:
        self.text: Final = text
        self.utf16: Final = utf16 and not text.isascii()

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(found.end() for found in _END.finditer(self.text))]

    def _line(self, number: int) -> str:
        """A line without its end."""
        begin = self._lines[number]
        behind = self._lines[number + 1] if number + 1 < len(self._lines) else len(self.text)
        return self.text[begin:behind].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; what is behind the end of a line or the text is cut."""
        if line < 0:
            return 0
        if line >= len(self._lines):
            return len(self.text)
        text = self._line(line)
        column = max(0, column)
        if self.utf16:
            units = text.encode("utf-16-le", "surrogatepass")[: 2 * column]
            column = len(units.decode("utf-16-le", "ignore"))
        return self._lines[line] + min(column, len(text))

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._lines, offset) - 1
        column = offset - self._lines[line]
        if self.utf16:
            before = self.text[self._lines[line] : offset]
            column += sum(letter > _LAST_OF_BASIC_PLANE for letter in before)
        return Position(line, column)
