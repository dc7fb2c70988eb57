"""Finds where reading can go on behind text that does not parse: at the next attribute or ad.

Brackets and strings are all that is looked at.  A string that its line does not close could hold
anything, and so could brackets that do not match: then the ad is lost, and the next one is taken to
begin where a line begins with its bracket, indented no more than the lost one.

Inputs: a text, a form, a place.  Outputs: places, or None where none is safe.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final, Generic, NamedTuple

from classad.errors import Diagnostic, Lost
from classad.formats.common import A, Errors, check_errors, note_bytes, report
from classad.source import Source


class Misread(Exception):  # noqa: N818 - never leaves the readers
    """Text that is not in the form, and where it stands."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message, self.start, self.end = message, start, end

    def diagnostic(self, source: Source, lost: Lost) -> Diagnostic:
        """What is said of it, and what it costs."""
        return Diagnostic(self.message, source, self.start, self.end, lost=lost)


class Shape(NamedTuple):
    """What ends an attribute in a form, what an ad begins with, and what else is to be told."""

    marks: re.Pattern[str]
    separator: str
    opening: str


_COMMENT: Final = r"//[^\n]*|/\*.*?\*/"
# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
JSON: Final = Shape(
    re.compile(rf'"(?:[^"\\\n]++|\\[^\n]|(?!))*+"|{_COMMENT}|[\[\]{{}},"]', re.DOTALL), ",", "{"
)
NEW: Final = Shape(
    re.compile(
        rf""""(?:[^"\\\n]++|\\[^\n]|(?!))*+"|'(?:[^'\\\n]++|\\[^\n]|(?!))*+'|{_COMMENT}|[\[\]{{}}();"']""",
        re.DOTALL,
    ),
    ";",
    "[",
)
#: What an ad in XML begins with.
XML: Final = "<c>"
_TAG: Final = re.compile(r"<(/?)(a|c|l)(?:\s[^<>]*?)?(/?)>")
_CLOSING: Final = {"[": "]", "{": "}", "(": ")"}
#: How far in front of an ad its line may begin.
_MOST_INDENTED: Final = 200


def attribute_end(text: str, position: int, shape: Shape, limit: int) -> int | None:
    """Where the separator or the bracket stands that ends the attribute at ``position``."""
    expected: list[str] = []
    for found in shape.marks.finditer(text, position, limit):
        mark = found[0]
        if len(mark) > 1:
            continue
        if mark in _CLOSING:
            expected.append(_CLOSING[mark])
        elif mark in "\"'":
            return None
        elif mark == shape.separator:
            if not expected:
                return found.start()
        elif not expected:
            return found.start()
        elif expected.pop() != mark:
            return None
    return None


def element_end(text: str, position: int, limit: int) -> int | None:
    """Where reading goes on behind the attribute in XML at ``position``, if its end is clear."""
    open_: list[str] = []
    for found in _TAG.finditer(text, position, limit):
        close, name, empty = found.groups()
        if empty:
            continue
        if not close:
            open_.append(name)
        elif not open_:
            return found.start() if name == "c" else None
        elif open_.pop() != name:
            return None
        elif not open_:
            return found.end()
    return None


class Beginnings:
    """The places of a text at which ads seem to begin, found one after the other."""

    def __init__(self, text: str, opening: str) -> None:
        self._text = text
        self._opening = opening
        #: The last answer: from where, for which indentation, and what was found.
        self._last = (0, -1, 0)

    def next(self, lost: int) -> int | None:
        """Where the first ad behind the one at ``lost`` begins."""
        begin = self._text.rfind("\n", max(0, lost - _MOST_INDENTED), lost) + 1
        indent = lost - begin if not self._text[begin:lost].strip(" \t,") else 0
        asked, width, place = self._last
        if width != indent or not asked <= lost < place:
            pattern = rf"^[ \t]{{0,{indent}}}(?:,[ \t]*)?(?={re.escape(self._opening)})"
            found = re.compile(pattern, re.MULTILINE).search(self._text, lost + 1)
            place = len(self._text) if found is None else found.end()
            self._last = (lost, indent, place)
        return place if place < len(self._text) else None


class Recovering(ABC, Generic[A]):
    """A reader of ads that goes on behind what does not parse; ``position``: where it reads next.

    What does not parse costs its attribute, else its ad, else the rest of the text; that only if
    the caller is to be warned, else nothing more is read.  ``begun``: where the ad begins that is
    read; ``over``: there is no other one.
    """

    def __init__(
        self,
        source: Source,
        opening: str,
        position: int,
        diagnostics: list[Diagnostic] | None,
        errors: Errors,
    ) -> None:
        check_errors(errors)
        self.source = source
        self.position = position
        self.diagnostics = diagnostics
        self.errors = errors
        self.begun = position
        self.over = False
        self._beginnings = Beginnings(source.text, opening)

    def ads(self) -> Iterator[A]:
        """The ads from the position on."""
        note_bytes(self.source, self.diagnostics, self.errors)
        while not self.over:
            self.begun = self.position
            try:
                ad = self.next_ad()
            except Misread as problem:
                self.over = not self.lose_ad(problem, self.begun)
                continue
            if ad is not None:
                yield ad

    @abstractmethod
    def next_ad(self) -> A | None:
        """The ad that comes next; None for what stands between ads, and at the end."""

    @abstractmethod
    def attribute_end(self, begin: int, limit: int) -> int | None:
        """Where to go on behind the attribute at ``begin``; None if its end is not clear."""

    def lose_ad(self, problem: Misread, begin: int) -> bool:
        """Report what costs the ad at ``begin``; False if there is nothing to go on with."""
        behind = self._beginnings.next(begin) if self.errors == "warn" else None
        self._lose(problem, "rest" if behind is None else "ad")
        if behind is None:
            return False
        self.position = behind
        return True

    def lose_attribute(self, problem: Misread, begin: int) -> bool:
        """The same for the attribute at ``begin``; False, and nothing said, if its ad is lost."""
        if self.errors != "warn":
            return False
        end = self.attribute_end(begin, self._beginnings.next(begin) or len(self.source.text))
        if end is None:
            return False
        self._lose(problem, "attribute")
        self.position = end
        return True

    def _lose(self, problem: Misread, lost: Lost) -> None:
        report(problem.diagnostic(self.source, lost), self.diagnostics, self.errors)
