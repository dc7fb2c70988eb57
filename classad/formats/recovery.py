"""Finds where reading can go on behind text that does not parse: at the next attribute or ad.

Brackets and strings are all that is looked at.  A string that its line does not close could hold
anything, and so could brackets that do not match: then the ad is lost, and the next one is taken to
begin where a line begins with its bracket, indented no more than the lost one.

Inputs: a text, a form, a place.  Outputs: places, or None where none is safe.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, Final, Generic, NamedTuple

from classad.ads.ad import Stored, item_of
from classad.errors import ClassAdParseError, Diagnostic, Lost
from classad.formats.common import (
    MAX_EXPRESSIONS,
    A,
    Errors,
    MemoryUse,
    Names,
    Reporting,
    note_bytes,
    weight,
    with_line_ends,
)
from classad.source import Source


class Misread(Exception):  # noqa: N818 - never leaves the readers
    """Text that is not in the form, and where it stands."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message, self.start, self.end = message, start, end


class RecoveryMarks(NamedTuple):
    """What an ad begins and ends with in a form, what ends an attribute, and all that matters."""

    marks: re.Pattern[str]
    separator: str
    opening: str
    closing: str


_COMMENT: Final = r"//[^\n]*|/\*.*?\*/"
# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
JSON: Final = RecoveryMarks(
    re.compile(rf'"(?:[^"\\\n]++|\\[^\n]|(?!))*+"|{_COMMENT}|[\[\]{{}},"]', re.DOTALL),
    ",",
    "{",
    "}",
)
NEW: Final = RecoveryMarks(
    re.compile(
        rf""""(?:[^"\\\n]++|\\[^\n]|(?!))*+"|'(?:[^'\\\n]++|\\[^\n]|(?!))*+'|{_COMMENT}|[\[\]{{}}();"']""",
        re.DOTALL,
    ),
    ";",
    "[",
    "]",
)
_CLOSING: Final = {"[": "]", "{": "}", "(": ")"}
#: How far in front of an ad its line may begin.
_MOST_INDENTED: Final = 200


def scalar_of(match: re.Match[str], words: Mapping[str, Stored]) -> Stored:
    """The scalar of an attribute that was matched as a whole, by the name of its group."""
    kind = match.lastgroup
    text = match[kind or ""]
    if kind == "int":
        return int(text)
    if kind == "string":
        return text
    return words[text] if kind == "word" else float(text)


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


class Recovering(Reporting, ABC, Generic[A]):
    """A reader of ads that goes on behind what does not parse; ``position``: where it reads next.

    What does not parse costs its attribute, else its ad, else the rest of the text; that only if
    the caller is to be warned, else nothing more is read.  ``begun``: where the ad begins that is
    read; ``over``: there is no other one.
    """

    #: What an ad begins with; how attributes end, unless the form has a rule of its own.
    opening: ClassVar[str]
    shape: ClassVar[RecoveryMarks]

    def __init__(
        self,
        new: Callable[[], A],
        text: str,
        name: str = "<text>",
        diagnostics: list[Diagnostic] | None = None,
        errors: Errors = "warn",
        position: int = 0,
        tz: str | None = None,
        memory: MemoryUse | None = None,
    ) -> None:
        """``new`` makes an empty ad; ``tz``: zone of time literals; ``memory``: of a whole file."""
        super().__init__(diagnostics, errors)
        self.new = new
        self.whole = text
        self.source = Source(text, name)
        self.position = position
        self.tz = tz
        self.begun = position
        self.over = False
        self.memory = MemoryUse(name, len(text), len(text)) if memory is None else memory
        self.names = Names(self.memory)
        self._beginnings = Beginnings(text, self.opening)
        #: Text of an expression -> what an ad stores for it.
        self._expressions: dict[str, Stored] = {}

    @classmethod
    def read(
        cls,
        source: str | Iterable[str],
        name: str = "<text>",
        diagnostics: list[Diagnostic] | None = None,
        *,
        new: Callable[[], A],
        errors: Errors = "warn",
        tz: str | None = None,
    ) -> Iterator[A]:
        """The ads of a text or of lines; ``new`` makes an empty one.

        What does not parse is a diagnostic; without ``errors="warn"`` nothing more is read after
        it.  ``tz``: the zone of time literals that name none (None is UTC).
        """
        text = source if isinstance(source, str) else "".join(with_line_ends(source))
        return cls(new, text, name, diagnostics, errors, tz=tz).ads()

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

    def attribute_end(self, begin: int, limit: int) -> int | None:
        """Where to go on behind the attribute at ``begin``; None if its end is not clear."""
        expected: list[str] = []
        for found in self.shape.marks.finditer(self.whole, begin, limit):
            mark = found[0]
            if len(mark) > 1:
                continue
            if mark in _CLOSING:
                expected.append(_CLOSING[mark])
            elif mark in "\"'":
                return None
            elif not expected:
                return found.start() if mark in self.shape[1:] else None
            elif mark != self.shape.separator and expected.pop() != mark:
                return None
        return None

    def next_beginning(self, begin: int) -> int:
        """Where the ad behind the one at ``begin`` seems to begin, else the end of the text."""
        return self._beginnings.next(begin) or len(self.source.text)

    def lose_ad(self, problem: Misread | ClassAdParseError, begin: int) -> bool:
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
        end = self.attribute_end(begin, self.next_beginning(begin))
        if end is None:
            return False
        self._lose(problem, "attribute")
        self.position = end
        return True

    def expression_of(self, text: str, *, prefix: bool = False) -> tuple[Stored | None, str]:
        """What an ad stores for the text of an expression, and what is wrong with it, if anything.

        None: it is no expression.  ``prefix``: text behind one is ignored, as it is behind a
        conditional.  Without fault it is kept for its copies.
        """
        known = self._expressions.get(text)
        if known is not None:
            return known, ""
        from classad.syntax.parser import parse_expression

        try:
            known = item_of(parse_expression(text, whole=True, tz=self.tz))
        except ClassAdParseError as problem:
            found = problem.diagnostic
            message = str(problem) if found is None else found.message
            message = f"{message} in expression `{text}`"
        else:
            if len(self._expressions) >= MAX_EXPRESSIONS:
                self._expressions.clear()
            self._expressions[text] = known
            self.memory.add(weight(known))
            return known, ""
        try:
            return item_of(parse_expression(text, prefix=prefix, tz=self.tz)), message
        except ClassAdParseError:
            return None, message

    def _lose(self, problem: Misread | ClassAdParseError, lost: Lost) -> None:
        if isinstance(problem, ClassAdParseError):
            found = problem.diagnostic or Diagnostic(str(problem))
            found.lost = lost
        else:
            found = Diagnostic(problem.message, self.source, problem.start, problem.end, lost=lost)
        self.report(found)
