"""Divides the text of a transform or route into lines, and says of each what it is.

A line is a conditional, an assignment to a variable, the begin of a ``@=`` block, a command, or
nothing that is known.  What a line means is decided here once; whether it is wrong matters only
where it is run, so nothing here is an error.
Inputs: a text, or the definition of a macro that holds one.  Outputs: ``TransformLine``, each with
the way to the characters of its file.
Follows: condor_transform_ads 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from attr import define, field

from classad.patterns import late_regex
from classad.source import Source
from policy.language import conditions
from policy.language.lines import BLANKS, LineReader, LogicalLine
from policy.language.table import Definition

#: Which routes there are in which order, and of which jobs the router takes notice.
ROUTE_NAMES: Final = "JOB_ROUTER_ROUTE_NAMES"
CONSTRAINT: Final = "JOB_ROUTER_SOURCE_JOB_CONSTRAINT"

#: A source and a stretch of it.
Spot: TypeAlias = tuple[Source, int, int]

#: The commands, each with the number of words that it needs behind it.
COMMANDS: Final = {
    "SET": 2, "DEFAULT": 2, "EVALSET": 2, "EVALMACRO": 2, "COPY": 2, "RENAME": 2, "DELETE": 1,
    "NAME": 1, "REQUIREMENTS": 1, "UNIVERSE": 1, "TRANSFORM": 0,
}  # fmt: skip
#: Those that are taken out before anything runs.
ENVELOPE: Final = frozenset({"NAME", "REQUIREMENTS", "UNIVERSE", "TRANSFORM"})
#: Those whose first word may be a pattern.
PATTERNED: Final = frozenset({"COPY", "RENAME", "DELETE"})
#: Those whose first word loses a sign that is glued to it.
_GLUED: Final = frozenset({"SET", "DEFAULT", "EVALSET", "EVALMACRO"})
#: Statements of a configuration that are none of a transform.
FOREIGN: Final = frozenset({"use", "include", "error", "warning"})

_ASSIGNMENT: Final = late_regex(
    r"(?P<name>[^ \t\n\v\f\r=:]+)[ \t]*"
    r"(?:(?P<block>@=)|\+(?P<mark>[,;|&*]?)(?P=mark)?=|=)"
)
_WORD: Final = late_regex(r"[^ \t]+")
_QUOTED: Final = late_regex(r"""(["'])(.*?)\1(?=[ \t]|$)""")
_PATTERN: Final = late_regex(r"/([^/]*)/([^ \t]*)")
_FOREIGN: Final = late_regex(r"@?(use|include|error|warning)\b[^=:]*:", re.IGNORECASE)


class ConditionalLine(NamedTuple):
    """``if``, ``elif``, ``else`` or ``endif``, with the condition."""

    word: str
    condition: str


class MacroAssignment(NamedTuple):
    """``name = value``; ``joiner``: what ``+=`` puts between the values, None for ``=``.

    ``tag``: the value is the lines up to one that is ``@tag``.
    """

    name: str
    value: str
    joiner: str | None = None
    tag: str | None = None


class Command(NamedTuple):
    """``keyword first rest``; ``pattern`` and ``options`` are those of ``/pattern/options``.

    ``first_at`` and ``rest_at``: where they begin in the line.  ``malformed``: the pattern has no
    end or no such options.
    """

    keyword: str
    first: str
    rest: str
    first_at: int
    rest_at: int
    pattern: str | None = None
    options: str = ""
    malformed: bool = False

    @property
    def lacks(self) -> bool:
        """Does it have fewer words than it needs?"""
        needed = COMMANDS[self.keyword]
        return (needed > 0 and not self.first) or (needed > 1 and not self.rest)


class Foreign(NamedTuple):
    """A statement that only a configuration has: ``include``, ``use``, ``error``, ``warning``."""

    word: str
    text: str


class UnknownCommand(NamedTuple):
    """A line that begins with no command."""

    word: str


Form: TypeAlias = ConditionalLine | MacroAssignment | Command | Foreign | UnknownCommand


@define(eq=False, slots=False)
class TransformLine:
    """A logical line.

    ``owner``: the definition whose value it is, where it is not known which characters of the file
    are its own: it is put together from macros.
    """

    logical: LogicalLine
    owner: Definition | None = None
    text: str = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.text = self.logical.text.strip(BLANKS)

    @cached_property
    def form(self) -> Form:
        """What it is outside of blocks."""
        return form_of(self.text)

    @cached_property
    def inside(self) -> Form:
        """What it is within a conditional, where a colon may stand before it."""
        return form_of(self.text[1:]) if self.text.startswith(":") else self.form

    def spot(self, start: int = 0, end: int | None = None) -> Spot:
        """Where characters of the text stand in the file; by default all of them."""
        end = len(self.text) if end is None else end
        if self.owner is not None and self.owner.source is not None:
            return _within(self.owner, self.text[start:end])
        last = max(start, min(end, len(self.text)) - 1)
        shift = len(self.logical.text) - len(self.logical.text.lstrip(BLANKS))
        source = self.logical.source
        return source, self.logical.offset(start + shift), self.logical.offset(last + shift) + 1


def form_of(text: str) -> Form:
    """What a line is."""
    bare = text[1:] if text.startswith(":") else text
    word = conditions.keyword(bare)
    if word is not None and (bare is text or word[0] == "if"):
        return ConditionalLine(*word)
    found = _ASSIGNMENT.match(text)
    # What is taken out before a run is looked for first, and stops at a plain sign only.
    if found is not None and not (_has_plus(found) and found["name"].upper() in ENVELOPE):
        return _assignment(text, found)
    foreign = _FOREIGN.match(text)
    if foreign is not None:
        return Foreign(foreign[1].lower(), text[foreign.end() :].strip(BLANKS))
    return _command(text)


def _has_plus(match: re.Match[str]) -> bool:
    return not match["block"] and "+" in match[0][len(match["name"]) :]


def _assignment(text: str, match: re.Match[str]) -> MacroAssignment:
    name, value = match["name"], text[match.end() :].strip(BLANKS)
    if match["block"]:
        return MacroAssignment(name, value, tag=f"@{value}")
    if match[0].endswith("+=") or match["mark"]:
        mark = match["mark"]
        doubled = match[0].count(mark) == 2 if mark else False
        return MacroAssignment(name, value, f" {mark}{mark} " if doubled else mark or " ")
    return MacroAssignment(name, value)


def _command(text: str) -> Form:
    word = _WORD.match(text)
    keyword = "" if word is None else word[0].upper()
    if word is None or keyword not in COMMANDS:
        return UnknownCommand(text if word is None else word[0])
    at = _skip(text, word.end())
    if keyword in ENVELOPE:
        return Command(keyword, text[at:], "", at, len(text))
    if keyword in PATTERNED and text.startswith("/", at):
        return _patterned(text, keyword, at)
    quoted = _QUOTED.match(text, at)
    malformed = False
    if quoted is None and text[at : at + 1] in ("'", '"') and text[at] not in text[at + 1 :]:
        # A quote that nothing closes takes the rest of the line.
        return Command(keyword, text[at + 1 :], "", at, len(text))
    if quoted is not None:
        first, end = quoted[2], quoted.end()
        malformed = keyword in PATTERNED and first.startswith("/")
    else:
        plain = _WORD.match(text, at)
        first, end = ("", at) if plain is None else (plain[0], plain.end())
        if keyword in _GLUED and len(first) > 1 and first[-1] in "=,":
            first = first[:-1]
    rest = _behind(text, end)
    return Command(keyword, first, text[rest:], at, rest, malformed=malformed)


def _patterned(text: str, keyword: str, at: int) -> Command:
    found = _PATTERN.match(text, at)
    if found is None or set(found[2]) - set("imUg"):
        word = _WORD.match(text, at)
        assert word is not None
        rest = _behind(text, word.end())
        return Command(keyword, word[0], text[rest:], at, rest, malformed=True)
    rest = _behind(text, found.end())
    return Command(keyword, found[0], text[rest:], at, rest, found[1], found[2])


def _behind(text: str, at: int) -> int:
    """Where the second argument begins, behind a sign that stands alone."""
    at = _skip(text, at)
    if text[at : at + 1] in ("=", ",") and text[at + 1 : at + 2] in ("", " ", "\t"):
        at = _skip(text, at + 1)
    return at


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


# --- texts ----------------------------------------------------------------------------------------


def lines_of(source: Source) -> list[TransformLine]:
    """The lines of a file of rules, without blank ones and comments."""
    return _lines(LineReader(source))


def lines_of_definition(definition: Definition) -> list[TransformLine]:
    """The lines of a macro's value; each knows its place in the file where that can be told."""
    value = Source(definition.raw, definition.place())
    lines = _lines(LineReader(value, is_file=False))
    written = _written(definition)
    if [line.text for line in written] == [line.text for line in lines]:
        return written
    return [TransformLine(line.logical, definition) for line in lines]


def _written(definition: Definition) -> list[TransformLine]:
    """The lines of the file that a definition was read from."""
    source, begin, end = definition.source, definition.start, definition.end
    if source is None:
        return []
    first, start = source.line_at(begin)
    reader = LineReader(source, start=start)
    if "@=" not in first:
        return [_behind_sign(logical, definition.raw.strip(BLANKS)) for logical, _ in
                zip(reader, range(1), strict=False)]  # fmt: skip
    body: list[LogicalLine] = []
    for logical in reader:
        if logical.offset(0) >= end:
            break
        body.append(logical)
    return _lines(body[1:])


def _behind_sign(logical: LogicalLine, text: str) -> TransformLine:
    """The value at the end of the line of an assignment."""
    at = logical.text.rfind(text) if text else -1
    if at < 0:
        return TransformLine(logical)
    pieces = [(0, logical.offset(at))]
    pieces += [(offset - at, place) for offset, place in logical.pieces if offset > at]
    return TransformLine(LogicalLine(text, logical.source, logical.line, tuple(pieces)))


def _within(definition: Definition, text: str) -> Spot:
    """Where a definition has a text; all of its value where it has it not."""
    source, start, end = definition.source, definition.start, definition.end
    assert source is not None
    at = source.text.find(text, start, end) if text else -1
    return (source, start, max(end, start + 1)) if at < 0 else (source, at, at + len(text))


def _lines(read: Iterable[LogicalLine]) -> list[TransformLine]:
    return [TransformLine(logical) for logical in read]
