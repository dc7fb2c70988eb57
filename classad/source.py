"""Holds texts that errors can point into.

Inputs: a text, the name of the file it came from and the line it starts on.  Outputs: line and
column of an offset (1-based, columns in characters) and the excerpt with a caret line below it.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from itertools import accumulate
from typing import Final

#: Longest line that an excerpt shows whole.
WIDTH: Final = 70
#: Characters of a text whose lines are noted at most.
_LONG: Final = 1 << 20


class Source:
    """A piece of text with a name.  ``first_line`` is the number of its first line in the file.

    ``quoted``: whether excerpts may show its lines.
    """

    __slots__ = ("_begins", "_last", "first_column", "first_line", "name", "quoted", "text")

    def __init__(
        self, text: str, name: str = "<expression>", *, first_line: int = 1, first_column: int = 1
    ) -> None:
        self.text = text
        self.name = name
        self.first_line = first_line
        self.first_column = first_column
        self.quoted = True
        #: Where each line begins, once somebody has asked for a place in a text that is not long.
        self._begins: list[int] = []
        #: An offset of a long one, and how many lines end before it: others are counted from there.
        self._last = 0, 0

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both from 1) of a character offset."""
        offset = max(0, min(offset, len(self.text)))
        begin, row = self.text.rfind("\n", 0, offset) + 1, self.lines_before(offset)
        shift = self.first_column if row == 0 else 1
        return self.first_line + row, offset - begin + shift

    def lines_before(self, offset: int) -> int:
        """How many lines end before a character."""
        if len(self.text) <= _LONG:
            if not self._begins:
                lengths = (len(line) + 1 for line in self.text.split("\n"))
                self._begins = list(accumulate(lengths, initial=0))
            return bisect_right(self._begins, offset, hi=len(self._begins) - 1) - 1
        near, row = self._last
        if offset < near:
            row -= self.text.count("\n", offset, near)
        else:
            row += self.text.count("\n", near, offset)
        self._last = offset, row
        return row

    def line_at(self, offset: int) -> tuple[str, int]:
        """The text of the line holding ``offset`` and the offset where that line begins."""
        offset = max(0, min(offset, len(self.text)))
        begin = self.text.rfind("\n", 0, offset) + 1
        stop = self.text.find("\n", offset)
        return self.text[begin : len(self.text) if stop < 0 else stop], begin

    def excerpt(self, start: int, end: int) -> str:
        """The line with its number, and below it ``^~~~`` under ``start:end`` of that line.

        Of a long line only the surroundings are shown, and no control character gets out.
        """
        if not self.quoted:
            return f"   {self.position(start)[0]} | (not shown)"
        line, begin = self.line_at(start)
        left = max(0, min(start - begin, len(line)))
        right = max(left, min(end - begin, len(line)))
        before, marked, after = line[:left], line[left:right], line[right:]
        if len(line) > WIDTH:
            marked = marked if len(marked) <= 40 else marked[:37] + "..."
            room = max(15, WIDTH - len(marked) - len(before))
            after = after if len(after) <= room else after[: room - 3] + "..."
            room = WIDTH - len(marked) - len(after)
            before = before if len(before) <= room else "..." + before[3 - room :]
        before, marked, after = _visible(before), _visible(marked), _visible(after)
        number = str(self.position(start)[0])
        lead = "".join("\t" if c == "\t" else " " * _cells(c) for c in before)
        marks = "^" + "~" * (max(1, sum(map(_cells, marked))) - 1)
        margin = " " * len(number)
        return f"   {number} | {before}{marked}{after}\n   {margin} | {lead}{marks}"


def _visible(text: str) -> str:
    """The text with a replacement character for what would move the cursor or worse."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)


def _cells(char: str) -> int:
    """How many terminal columns a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
