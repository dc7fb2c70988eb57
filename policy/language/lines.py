"""Joins the physical lines of a configuration text into logical lines.

What continues, what is a comment, which white space survives and what the ``#opt:`` pragmas
switch, including the character that a comment inside a continuation leaks, and that a last line
without a newline is taken as it stands: nothing is trimmed, nothing continues.
Inputs: one text with its name (``classad.source.Source``).  Outputs: ``LogicalLine``, each with
the number of its *last* physical line, as the tools report it, and the way back to the file's
characters; blank and comment lines do not come out.
Follows: the chapter on the configuration language of the HTCondor manual, and where that and
condor_config_val 25.14.1 differ, the latter (golden vectors ``continuation`` and ``lines``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from classad.patterns import late_regex
from classad.source import Source

#: What the C library's isspace() takes for white space; str.strip() would take more.
BLANKS = " \t\n\v\f\r"


class LogicalLine(NamedTuple):
    """A line after joining.

    ``line`` is the number of its last physical line; ``pieces`` pairs an offset in ``text``
    with the offset of the same character in ``source.text``.  ``leak`` is where a comment stands
    whose last character got into the text.
    """

    text: str
    source: Source
    line: int
    pieces: tuple[tuple[int, int], ...]
    leak: int | None = None

    def offset(self, position: int) -> int:
        """Where character ``position`` of the logical line is in the source text."""
        at, *others = self.pieces
        if not others:
            return at[1] + position
        for piece in others:
            if piece[0] > position:
                break
            at = piece
        return at[1] + position - at[0]


class LineReader:
    """Logical lines of one source; ``strict`` is set by the pragma ``#opt:strict``.

    ``is_file``: the text is a file's, or a program's; templates need no newline at their end.
    ``start``: the character that reading begins with, the first one of a line.
    ``open_end`` is where a last line begins that has no newline and would mean something else
    with one.
    """

    def __init__(self, source: Source, *, is_file: bool = True, start: int = 0) -> None:
        self.source = source
        self.strict = False
        self.line = source.lines_before(start) if start else 0
        self.open_end: int | None = None
        self._is_file = is_file
        self._old_comments = False
        self._unended = False
        self._at = start

    def __iter__(self) -> Iterator[LogicalLine]:
        while True:
            found = self._next()
            if found is None:
                found = self._joined()
                if found is None:
                    return
                if found.text.startswith("#"):
                    self._pragma(found.text)
                    continue
                if not found.text.strip(BLANKS):
                    continue
            yield found

    def _pragma(self, text: str) -> None:
        if text == "#opt:oldcomment":
            self._old_comments = True
        elif text == "#opt:newcomment":
            self._old_comments = False
        elif text == "#opt:strict":
            self.strict = True

    def _physical(self) -> tuple[str, int] | None:
        """The next physical line without surrounding blanks, and where it begins."""
        text, at = self.source.text, self._at
        if at >= len(text):
            return None
        stop = text.find("\n", at)
        self.line += 1
        self._unended = stop < 0 and self._is_file
        stop = len(text) if stop < 0 else stop
        self._at = stop + 1
        if self._unended:
            return text[at:], at
        raw = text[at:stop].rstrip(BLANKS)
        bare = raw.lstrip(BLANKS)
        return bare, at + len(raw) - len(bare)

    def _next(self) -> LogicalLine | None:
        """The next logical line behind comments and blank lines, if it is one line of the text."""
        text = self.source.text
        while not self._old_comments and (stop := text.find("\n", self._at)) >= 0:
            bare = text[self._at : stop].strip(BLANKS)
            if not bare or bare[0] == "#":
                self.line, self._at = self.line + 1, stop + 1
                if bare.startswith("#opt:"):
                    self._pragma(bare)
            elif bare[-1] == "\\":
                break
            else:
                begin = text.find(bare, self._at)
                self.line, self._at = self.line + 1, stop + 1
                return LogicalLine(bare, self.source, self.line, ((0, begin),))
        return None

    def _joined(self) -> LogicalLine | None:
        """The next one, perhaps empty, where lines may go on, or comments are those of old."""
        joined = ""
        pieces: list[tuple[int, int]] = []
        leak = None
        while (physical := self._physical()) is not None:
            bare, begin = physical
            if not bare and not pieces and not self._unended:
                continue
            if bare.startswith("#") and not pieces and not self._old_comments:
                self._pragma(bare)
                continue
            if self._unended:
                self._look_at_end(bare, begin, bool(pieces))
            elif bare.startswith("#") and not self._old_comments:
                # Only the last character of the comment is looked at: a backslash goes on,
                # anything else ends up in the value.
                if not bare.endswith("\\"):
                    leak = begin
                begin += len(bare) - 1
                bare = bare[-1]
            pieces.append((len(joined), begin))
            if self._unended or not bare.endswith("\\"):
                return LogicalLine(joined + bare, self.source, self.line, tuple(pieces), leak)
            joined += bare[:-1]
        if not pieces:
            return None
        return LogicalLine(joined, self.source, self.line, tuple(pieces))

    def _look_at_end(self, raw: str, begin: int, continued: bool) -> None:
        bare = raw.strip(BLANKS)
        if bare and (bare != raw or bare.endswith("\\") or (continued and bare.startswith("#"))):
            self.open_end = begin


_CONDITION: Final = late_regex(r"^[ \t\v\f\r:]*(?:el)?if\b", re.IGNORECASE | re.MULTILINE)


@lru_cache(maxsize=16)
def lines_with_conditions(source: Source) -> tuple[LogicalLine, ...]:
    """The logical lines of a text that has an ``if``, read once; none of another text."""
    return tuple(LineReader(source)) if _CONDITION.search(source.text) else ()
