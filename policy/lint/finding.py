"""Declares what a finding is, with its check: the value behind each ``P`` number.

docs/findings.md, the rules of the SARIF report, the order of the checks and the tests of the
examples are made from these declarations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from attr import field, frozen

from classad.errors import Diagnostic, Edit, suggest
from classad.patterns import late_regex
from classad.source import Source
from policy.knobs.reading import EXPANDED, place
from policy.language.about import EVERY, About
from policy.language.table import Definition

if TYPE_CHECKING:
    from policy.config import Config
    from policy.knobs.declaration import Knob

ERROR: Final = "error"
WARNING: Final = "warning"
NOTE: Final = "note"
#: How far before a value its name is looked for, over continued lines.
_REACH: Final = 2000
_INDENTED: Final = late_regex(r"[ \t:]+")
_GOES_ON: Final = late_regex(r"[\w.]")


@frozen
class Repair:
    """Advice that can be carried out: ``was``, in the place or from it on, becomes ``text``."""

    text: str
    was: str
    help: str = ""

    def __str__(self) -> str:
        return self.help

    def edit(self, source: Source | None, start: int, end: int) -> Edit | None:
        """The repair of a place; None where no file has these characters as they stand."""
        if source is None or not source.quoted or source.name.endswith(EXPANDED):
            return None
        at = source.text.find(self.was, start, max(end, start + len(self.was)))
        return None if at < 0 else Edit(source, at, at + len(self.was), self.text)


@frozen
class Meant(Repair):
    """Advice to write something else."""

    def __str__(self) -> str:
        return f"did you mean `{self.text}`?"


#: What to do about a finding.
Advice = str | Repair | None


def meant(was: str, known: Iterable[str], otherwise: str | None = None) -> Advice:
    """The one known name that a name is a slip of, as advice; else other advice."""
    name = suggest(was, known)
    return otherwise if name is None else Meant(name, was)


class Per(Enum):
    """What a check looks at, one at a time."""

    #: ``check(view)``
    CONFIGURATION = auto()
    #: ``check(view, setting)``
    SETTING = auto()
    #: ``check(setting, item)``: the items of a list.
    ITEM = auto()
    #: ``check(one)``: an expression; and ``check(one, node)``: its nodes of a kind.
    EXPRESSION = auto()
    NODE = auto()
    REFERENCE = auto()
    LITERAL = auto()
    CALL = auto()
    BINARY = auto()
    COMPARISON = auto()


#: In ``after``: all checks.
EVERY_OTHER: Final = "*"


@frozen
class FindingCheck:
    """A function that yields findings, and what it is asked about.

    ``of``: a pattern for macros in upper case, or the knob, None for all.  ``after``: findings
    behind which it comes, and nothing is asked about an expression that has one of them.
    ``holding``: signs of which the value of a setting has one, as it is written or expanded.
    ``among``: what of the view gives its settings, where not the name of the macro tells.
    """

    function: Callable[..., Iterator[Diagnostic]]
    per: Per
    of: re.Pattern[str] | Knob | None = None
    after: tuple[str, ...] = ()
    holding: str = ""
    among: Callable[..., Iterable[object]] | None = None


class Joined(Enum):
    """What makes findings of one kind one cause in reports, where not what they say does."""

    #: The same advice would set them right.
    BY_HELP = auto()
    #: The same word is marked.
    BY_HOLE = auto()
    #: They are about one macro, items of one list for instance.
    BY_MACRO = auto()
    #: The same advice, or else one other macro that they need, a list that lost what it had.
    BY_NEED = auto()


@frozen
class Finding:
    """One kind of finding.

    ``bad`` is a whole small configuration that has it, ``good`` one that means the same and has
    no finding at all.  ``observed`` says what daemons of 25.14.1 were seen to do, where that is
    more than what holds for the whole section of docs/findings.md.  ``between``: a version that has
    the finding, or two of which the step from the first to the second has it; none for 25.14.1.
    ``elsewhere``: what other files may set right, so that it is a note in a fragment.  ``brought``:
    what such a note is about, with ``{name}`` and ``{needs}`` of ``About``: reports name it in one
    line, as nothing in these files is wrong.
    ``joined``: what makes several of them one cause, None for what they say.  ``check``
    finds it; None where checks of its module say several findings.
    """

    id: str
    title: str
    doc: str
    bad: str
    good: str
    severity: str = field(default=WARNING, kw_only=True)
    silenceable: bool = field(default=True, kw_only=True)
    observed: str = field(default="", kw_only=True)
    between: tuple[str, ...] = field(default=(), kw_only=True)
    elsewhere: bool = field(default=False, kw_only=True)
    brought: str = field(default="", kw_only=True)
    joined: Joined | None = field(default=None, kw_only=True)
    check: FindingCheck | None = field(default=None, kw_only=True)

    def at(
        self,
        message: str,
        source: Source | None,
        start: int,
        end: int,
        help: Advice = None,
        /,
        **about: Any,
    ) -> Diagnostic:
        """This finding at a place, an error where every daemon ends; ``about``: its fields."""
        edit = None
        if isinstance(help, Repair):
            if isinstance(help, Meant):
                about.setdefault("meant", help.text)
            edit, help = help.edit(source, start, end), str(help)
        return Diagnostic(
            *(message, source, start, end),
            severity=ERROR if about.get("ends") == EVERY else self.severity,
            id=self.id,
            help=help,
            edit=edit,
            about=About(**about),
        )

    def named(
        self, entry: Definition, message: str, help: Advice = None, /, **about: Any
    ) -> Diagnostic:
        """This finding about the name of a definition."""
        spot = name_place(entry)
        about = {"macro": entry.name, "definition": entry, **about}
        if spot is None:
            found = self.on(entry, message, help, **about)
            found.edit = None  # the name is no part of the place
            return found
        return self.at(message, *spot, help, **about)

    def on(
        self, entry: Definition, message: str, help: Advice = None, /, **about: Any
    ) -> Diagnostic:
        """This finding about a definition as such."""
        spot = place(entry, entry.raw)
        if entry.source is not None:
            spot = entry.source, entry.start, max(entry.end, entry.start + 1)
        about = {"macro": entry.name, "definition": entry, **about}
        return self.at(message, *spot, help, **about)


def looks_at(
    per: Per,
    of: str | Knob | None = None,
    after: tuple[str, ...] = (),
    holding: str = "",
    among: Callable[..., Iterable[object]] | None = None,
) -> Callable[[Callable[..., Iterator[Diagnostic]]], FindingCheck]:
    """Makes a check of a function that says several findings, or another way to have one."""
    pattern = _macros(of) if isinstance(of, str) else of
    return lambda function: FindingCheck(function, per, pattern, after, holding, among)


_SMALL: Final = late_regex(r"(\\.)|[a-z]")


@cache
def _macros(text: str) -> re.Pattern[str]:
    """The pattern for macros in upper case; one for checks that are about the same ones.

    One that minds case says several times faster that a macro is another one.
    """
    return late_regex(_SMALL.sub(lambda found: found[0] if found[1] else found[0].upper(), text))


def finding(
    *words: str,
    per: Per = Per.SETTING,
    of: str | Knob | None = None,
    after: tuple[str, ...] = (),
    holding: str = "",
    among: Callable[..., Iterable[object]] | None = None,
    **more: Any,
) -> Callable[[Callable[..., Iterator[Diagnostic]]], Finding]:
    """Declares a finding at its check; see ``Finding`` for the words.

    The name of the check is the finding then, so that it says ``level.at(...)``.
    """
    check = looks_at(per, of, after, holding, among)
    return lambda function: Finding(*words, check=check(function), **more)


def use_of(config: Config, entry: Definition) -> tuple[str, Source, int, int] | None:
    """The statement of the files by which a template has made a definition, and where it is."""
    for source in config.texts:
        if source.name == entry.origin and entry.line is not None:
            lines = source.text.split("\n")
            text = lines[entry.line - 1]
            start = sum(len(line) + 1 for line in lines[: entry.line - 1])
            start += len(text) - len(text.lstrip())
            return text.strip(), source, start, start + len(text.strip())
    return None


def name_place(entry: Definition) -> tuple[Source, int, int] | None:
    """Where a definition has its name: at the beginning of the last line before its value that
    begins with the name."""
    source = entry.source
    if source is None or entry.template is not None:
        return None
    text, wanted = source.text, entry.name.casefold()
    before = text.rfind("\n", 0, entry.start)
    farthest = before - _REACH
    while before >= max(farthest, -1):
        blanks = _INDENTED.match(text, before + 1)
        begin = before + 1 if blanks is None else blanks.end()
        end = min(begin + len(wanted), entry.start)
        if text[begin:end].casefold() == wanted and not _GOES_ON.match(text, end, entry.start):
            return source, begin, end
        before = text.rfind("\n", 0, before) if before >= 0 else farthest - 1
    return None


def is_put_together(entry: Definition) -> bool:
    """Is the name of a definition in a file made of macros, as ``$(SUBSYSTEM).MAX_LOG`` is?"""
    of_file = entry.source is not None and entry.template is None
    return of_file and name_place(entry) is None
