"""Carries out the statements of configuration texts on a macro table.

What each statement does, in which order its parts are expanded, and what stops the reading.
Inputs: texts through ``Sources``, templates, the scope.  Outputs: the filled table, diagnostics,
the list of files read.  ``policy.config`` decides which files belong to a configuration.
Follows: condor_config_val 25.14.1.  Unlike it, a program named by ``include command`` is only run
by a ``Sources`` that chooses to, and no cache file is ever written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from attr import define, field

from classad.errors import Diagnostic, suggest
from classad.language.bounds import allowance, glance, too_large
from classad.patterns import late_regex
from classad.source import Source
from policy.language import conditions, statements
from policy.language.about import AFTER_ELSE, ELIF, NOT_RUN, UNQUOTED, About
from policy.language.conditions import AfterElseError, ConditionError, OpenConditionals, World
from policy.language.directives import (
    LEFT_OUT,
    NO_PATTERNS,
    FolderError,
    Include,
    LeftOutError,
    ProgramNotRunError,
    announcement,
    parse_include,
)
from policy.language.lines import BLANKS, LineReader, LogicalLine
from policy.language.macros import ExpansionError
from policy.language.scope import Scope
from policy.language.sources import Sources
from policy.language.statements import Statement, StatementError
from policy.language.table import Definition
from policy.language.templates import Template, Templates, split_list
from policy.versions import NEWEST, Version

#: Includes and templates may nest one level less.
MAX_DEPTH: Final = 20
#: The macro, in lower case, that `:` may still be used with.
_COLON_ALLOWED: Final = "runbenchmarks"
_MISTAKES = (StatementError, ConditionError, ExpansionError)


#: The finding about a template of which a version's text is not recorded.
UNRECORDED: Final = "P913"
#: What is said of a line of a file that is not quoted.
_NO_CONFIGURATION: Final = "this line does not read as configuration; its file is not quoted"
_ELSE_IF: Final = late_regex(r"(else-?if|elsif)\b", re.IGNORECASE)
_FROM_NUL: Final = late_regex(r"\0[^\n]*\n?")


class ReadingStopped(Exception):  # noqa: N818 - a signal between levels, not shown to anybody
    """The reading ended at an error that is already among the diagnostics."""


class Used(NamedTuple):
    """A ``use`` statement of a file: the template that it names, and where it stands."""

    label: str
    source: Source
    start: int
    end: int

    def said(self, text: str, severity: str) -> Diagnostic:
        """What an ``error`` or ``warning`` of the template, or of one that it uses, says."""
        verb = "ends in an error" if severity == "error" else "warns"
        message = f"`use {self.label}` {verb}: {text}"
        return Diagnostic(message, self.source, self.start, self.end, severity=severity)


@define
class Place:
    """Where statements come from: a file, or a template used in one (then with its name)."""

    origin: str
    depth: int
    use_line: int | None = None
    template: str | None = None
    #: The statement of the file that the template was used by, perhaps through other templates.
    used: Used | None = None


@define
class Reader:
    """Reads texts into ``scope.table``.

    With ``keep_going`` a bad statement is reported and skipped; without, reading ends there, as
    HTCondor does it.  With ``leave_out`` programs that are not run end nothing.
    """

    scope: Scope
    sources: Sources
    templates: Templates
    diagnostics: list[Diagnostic]
    keep_going: bool = False
    leave_out: bool = False
    #: The version that conditions ask for.
    version: Version = NEWEST
    files: list[str] = field(factory=list)
    #: The texts of the files.
    texts: list[Source] = field(factory=list)
    #: The file and line of each condition that was looked at and is false.
    false: list[tuple[str, int]] = field(factory=list)
    #: How many lines there were so far.
    lines: int = 0

    def count(self, line: LogicalLine) -> None:
        """Count a line; raises ``LimitError`` if there are more than their definitions may take."""
        self.lines += 1
        if self.lines * _LINE > allowance(0):
            size = sum(len(source.text) for source in self.texts)
            if self.lines * _LINE > allowance(size):
                raise too_large(f"{line.source.name}:{line.line}", size)

    @property
    def has_left_out(self) -> bool:
        """Is a file or the output of a program missing that daemons have?"""
        return any(one.id in LEFT_OUT for one in self.diagnostics)

    def world(self) -> World:
        """What conditions see."""

        def is_defined(name: str) -> bool:
            entry = self.scope.lookup(name)
            return entry is not None and bool(entry.raw)

        return World(self.scope.expand, is_defined, self.templates.has, self.version)

    def read_file(self, path: str, text: str, depth: int = 0) -> None:
        """Read the text of a file."""
        self.files.append(path)
        if "\0" in text:
            text = self._without_nul(path, text)
        source = Source(text, path)
        self.texts.append(source)
        before = len(self.diagnostics)
        try:
            self.read_source(source, Place(path, depth))
        finally:
            if self.sources.outside(path):
                _keep_to_itself(source, self.diagnostics[before:])

    def _without_nul(self, path: str, text: str) -> str:
        """The text as a C program sees it: NUL hides the rest of its line and the newline."""
        at = text.index("\0")
        message = "a NUL byte ends this line, and the next line is joined to it"
        help_text = None if text.count("\0") == 1 else f"there are {text.count(chr(0))} of them"
        place = Source(text, path), at, at + 1
        self.diagnostics.append(
            Diagnostic(message, *place, severity="warning", id="P106", help=help_text)
        )
        return _FROM_NUL.sub("", text)

    def read_source(self, source: Source, place: Place) -> None:
        """Read a text in place."""
        Pass(self, place, LineReader(source, is_file=place.template is None)).run()

    def problem(self, diagnostic: Diagnostic) -> None:
        """Record an error; stop unless told to keep going."""
        self.diagnostics.append(diagnostic)
        if diagnostic.severity == "error" and not self.keep_going:
            raise ReadingStopped


def _keep_to_itself(source: Source, said: Iterable[Diagnostic]) -> None:
    """Quote nothing of a file from elsewhere that is no configuration: it may be a secret."""
    own = [item for item in said if item.source is source]
    for item in own:
        source.quoted = False
        item.message, item.help, item.edit = _NO_CONFIGURATION, None, None
        item.about = About(kind=UNQUOTED)


#: Bytes of the definition on a line, with what is known of it.
_LINE: Final = 900


def _meant(name: str, known: Iterable[str]) -> str | None:
    meant = suggest(name, known)
    return None if meant is None else f"did you mean `{meant}`?"


def _is_if(text: str) -> bool:
    word = conditions.keyword(text)
    return word is not None and word[0] == "if"


@define
class Pass:
    """One text being read: its conditionals and its open ``@=`` block."""

    reader: Reader
    place: Place
    lines: LineReader
    nesting: OpenConditionals = field(factory=OpenConditionals)
    block: tuple[Statement, LogicalLine, list[str]] | None = None
    opened: list[LogicalLine] = field(factory=list)

    def run(self) -> None:
        """Read to the end."""
        for line in self.lines:
            glance("reading a configuration")
            self.reader.count(line)
            if self.lines.open_end is not None:
                self._open_end(self.lines.open_end)
            before = len(self.reader.diagnostics)
            try:
                self._line(line)
            except _MISTAKES as mistake:
                self._mistake(line, mistake)
            if len(self.reader.diagnostics) > before:
                self._place_reports(line, before)
        self._finish()

    def _place_reports(self, line: LogicalLine, before: int) -> None:
        """Say of what the functions of a name or a condition reported in which line it is."""
        for found in self.reader.diagnostics[before:]:
            if found.source is None:
                found.source, found.start = line.source, line.offset(0)
                found.end = line.offset(len(line.text) - 1) + 1

    def _open_end(self, begin: int) -> None:
        """Warn of a last line that means something else for want of a newline."""
        message = "the last line has no newline, so it is neither trimmed nor continued"
        place = self.lines.source, begin, len(self.lines.source.text)
        found = Diagnostic(message, *place, severity="warning", id="P105", help="end it")
        self.reader.diagnostics.append(found)

    def _mistake(self, line: LogicalLine, mistake: Exception, severity: str = "error") -> None:
        start, end, help_text = 0, len(line.text), None
        about = About()
        if isinstance(mistake, StatementError):
            start, end, help_text = mistake.start, mistake.end, mistake.help
        if isinstance(mistake, ExpansionError):
            about = About(circle=tuple(map(str.casefold, mistake.chain)))
        elif isinstance(mistake, AfterElseError):
            about = About(kind=AFTER_ELSE)
        elif isinstance(mistake, ProgramNotRunError):
            about = About(kind=NOT_RUN, names=(mistake.program,))
        found = Diagnostic(
            str(mistake),
            line.source,
            line.offset(start),
            line.offset(max(start, end - 1)) + 1,
            severity=severity,
            help=help_text,
            about=about,
        )
        self.reader.problem(found)

    def _finish(self) -> None:
        if self.block is not None:
            statement, opening, _ = self.block
            self._unended(statement.end_tag, opening)
        if self.nesting.depth:
            self._unended("endif", self.opened[-1])

    def _unended(self, end: str, opening: LogicalLine) -> None:
        """Report what the file ends within, where it begins."""
        start, stop = opening.offset(0), opening.offset(len(opening.text) - 1) + 1
        found = Diagnostic(f"file ends before `{end}`", opening.source, start, stop)
        self.reader.problem(found)

    def _line(self, line: LogicalLine) -> None:
        if self.block is not None:
            self._block_line(line)
            return
        text = line.text
        # Old readers took `:if ...` for an assignment; a new one does not see that colon, nor
        # one before any statement inside.
        shift = int(text.startswith(":") and (self.nesting.depth > 0 or _is_if(text[1:])))
        word = conditions.keyword(text[shift:])
        if word is not None:
            if word[0] == "if":
                # Before its condition is read: one that cannot be read is open, too.
                self.opened.append(line)
            elif word[0] == "endif" and self.opened:
                self.opened.pop()
            self._behind(line, *word)
            asks = self.nesting.asks(word[0])
            try:
                self.nesting.step(*word, self.reader.world())
            finally:
                if asks and not self.nesting.live:
                    self.reader.false.append((line.source.name, line.line))
            return
        if not self.nesting.live:
            found = _ELSE_IF.match(text)
            if found is not None:
                self._slip(
                    line, f"`{found[1]}` is no keyword, so the line is skipped", elif_meant=True
                )
            return
        statement = statements.parse(text[shift:])
        if statement is not None:
            self._statement(statement, line, shift)

    def _behind(self, line: LogicalLine, word: str, rest: str) -> None:
        """Report what stands behind a keyword that takes nothing, and is no comment."""
        rest = rest.strip(BLANKS)
        if word in ("else", "endif") and rest and not rest.startswith("#"):
            meant = word == "else" and _is_if(rest)
            self._slip(line, f"`{rest}` behind `{word}` is ignored", elif_meant=meant)

    def _slip(self, line: LogicalLine, message: str, *, elif_meant: bool) -> None:
        """Report a line that daemons pass over in silence, wholly or in part."""
        start, stop = line.offset(0), line.offset(len(line.text) - 1) + 1
        found = Diagnostic(message, line.source, start, stop, severity="warning")
        if elif_meant:
            found.help, found.about = "did you mean `elif`?", About(kind=ELIF)
        self.reader.problem(found)

    def _block_line(self, line: LogicalLine) -> None:
        assert self.block is not None
        statement, opening, body = self.block
        if line.text != statement.end_tag:
            body.append(line.text)
            return
        self.block = None
        self._assign(statement, "\n".join(body), line, opening.offset(0), line.offset(0))

    def _oddities(self, statement: Statement, line: LogicalLine) -> None:
        """Warn of what HTCondor takes in silence."""
        notes = self.reader.diagnostics
        if statement.words and statement.name and statement.operator != "keyword":
            start = line.text.find(statement.words, len(statement.name))
            place = line.source, line.offset(start), line.offset(start) + len(statement.words)
            message = f"`{statement.words}` is ignored: only the first word is the name"
            notes.append(Diagnostic(message, *place, severity="warning", id="P102"))
        if line.leak is not None:
            place = line.source, line.leak, line.leak + 1
            message = "this comment ends the value, and its last character becomes part of it"
            help_text = "end a comment inside a continuation with a backslash, too"
            notes.append(Diagnostic(message, *place, severity="warning", id="P103", help=help_text))

    def _statement(self, statement: Statement, line: LogicalLine, shift: int) -> None:
        self._oddities(statement, line)
        if statement.operator == "keyword":
            self._keyword(statement, line)
        elif statement.operator == "@=":
            self.block = (statement, line, [])
        else:
            if statement.operator == ":":
                self._colon(statement, line)
            start = line.offset(shift + statement.value_start)
            end = line.offset(len(line.text) - 1) + 1
            self._assign(statement, statement.value, line, start, max(start, end))

    def _keyword(self, statement: Statement, line: LogicalLine) -> None:
        """Carry out ``include``, ``use``, ``error`` or ``warning``."""
        scope = self.reader.scope
        if statement.name == "include":
            self._include(parse_include(statement, line, scope), line)
        elif statement.name == "use":
            self._use(scope.expand(statement.words).strip(BLANKS), statement.value, line)
        else:
            text = scope.expand(statement.value)
            if statement.name == "warning" and self.place.template:
                # In a template it is also an assignment to a macro of that name.
                self._assign(statement, text, line, line.offset(0), line.offset(0))
            used = self.place.used
            said = announcement(statement, text, line)
            if statement.name == "error" and self.nesting.depth and self.reader.has_left_out:
                said.severity, said.help = "warning", "what was left out decides whether it does"
            self.reader.problem(said if used is None else used.said(text, said.severity))

    def _include(self, include: Include, line: LogicalLine) -> None:
        """Read an included text one level down."""
        if self.place.depth + 1 >= MAX_DEPTH:
            raise StatementError("includes nested too deep", 0, include.end)
        sources = self.reader.sources
        try:
            text = include.text(sources, self.reader.scope)
        except FolderError as folder:
            self._mistake(line, folder, "warning")
            return
        except LeftOutError as refusal:
            if not self.reader.leave_out:
                raise
            self._mistake(line, refusal, "warning")
            self.reader.diagnostics[-1].id = refusal.id
            return
        if text is not None:
            self.reader.read_file(sources.place(include.target), text, self.place.depth + 1)
        elif include.is_pattern:
            message = f"`{include.target}` is the name of one file, and there is none of that name"
            mistake = StatementError(message, include.start, include.end, NO_PATTERNS)
            self._mistake(line, mistake, "warning")

    def _colon(self, statement: Statement, line: LogicalLine) -> None:
        """Assignment with a colon is an old way; only one name may still use it silently.

        Where it is an error, that name gets the warning.
        """
        silent = statement.name.lower() == _COLON_ALLOWED
        if self.lines.strict and not silent:
            raise StatementError("assignment with `:` is not allowed here", 0, len(line.text))
        if self.lines.strict or not silent:
            if not statement.name:
                raise StatementError("a statement cannot begin with `:` here", 0, 1)
            message = f"`:` assigns here as `=` does, and `{statement.name}` is no keyword"
            mistake = StatementError(message, 0, len(line.text), "write `=`")
            self._mistake(line, mistake, "warning")

    def _assign(
        self, statement: Statement, value: str, line: LogicalLine, start: int, end: int
    ) -> None:
        scope = self.reader.scope
        name = scope.expand(statement.name)
        if not name:
            message = "a statement begins with the name of a macro"
            message += ", without a colon in front" if line.text.startswith(":") else ""
            raise StatementError(message, 0, len(line.text))
        if not statements.is_identifier(name):
            raise StatementError(f"`{name}` is not a macro name", 0, len(statement.name))
        written = value
        if statement.operator == "+=":
            base = scope.table.exact(name)
            if base is not None and base.raw:
                value = base.raw + statement.joiner + value
        definition = Definition(
            name=name,
            raw=scope.resolve_self(name, value),
            origin=self.place.origin,
            line=self.place.use_line or line.line,
            source=line.source,
            start=start,
            end=end,
            written=written,
            template=self._template_line(line),
            previous=scope.table.get(name),
        )
        scope.table.put(definition)

    def _template_line(self, line: LogicalLine) -> str | None:
        return f"{self.place.template}+{line.line}" if self.place.template else None

    def _use(self, category: str, listed: str, line: LogicalLine) -> None:
        """Read the templates of a ``use`` statement."""
        templates = self.reader.templates
        if not templates.has_category(category):
            message = f"`{category}` is not a template category"
            raise StatementError(message, 0, len(line.text), _meant(category, templates.categories))
        end = line.offset(len(line.text) - 1) + 1
        for name, arguments in split_list(listed):
            template = templates.find(category, name)
            if template is None:
                message = f"no template `{name}` in category {category}"
                meant = _meant(name, templates.names(category))
                raise StatementError(message, 0, len(line.text), meant)
            label = f"{template.category}:{template.name}"
            if self.place.depth + 1 >= MAX_DEPTH:
                raise StatementError(f"`use {label}` nested too deep", 0, len(line.text))
            place = Place(
                self.place.origin,
                self.place.depth + 1,
                self.place.use_line or line.line,
                label,
                self.place.used or Used(label, line.source, line.offset(0), end),
            )
            self._unrecorded(template, place)
            source = Source(template.with_arguments(arguments), f"use {label}")
            self.reader.read_source(source, place)

    def _unrecorded(self, template: Template, place: Place) -> None:
        """Say at the line of the file that the text of a template is only likely."""
        if template.unrecorded and place.used is not None:
            found = place.used.said("", "warning")
            found.message = f"`use {place.template}`: {template.unrecorded}"
            found.id = UNRECORDED
            self.reader.diagnostics.append(found)
