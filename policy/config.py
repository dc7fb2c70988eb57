"""Reads a configuration from all its sources in their order, and looks macros up in it.

Which files are read when, what the environment and the machine contribute, and how a reader with a
subsystem and a local name sees the outcome.
Inputs: the root file's name, ``Sources``, the built-in tables, environment, machine facts, clock
and random numbers, all as arguments (``policy.io`` gets them).  Outputs: ``Config``.  A mistake in
a configuration raises nothing; ``diagnostics`` has them all.
Follows: source order of 25.14.1 (golden vectors ``sources``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar, cast

from attr import Factory, evolve, field, frozen

from classad.builtins.pcre import GaveUp, Pattern, compile_pattern
from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.source import Source
from policy.language import expressions
from policy.language.about import NOT_READ, NOT_RUN, About
from policy.language.conditions import ConditionError, holds
from policy.language.directives import hole_in
from policy.language.functions import Functions
from policy.language.host import HostFacts
from policy.language.macros import ExpansionError, Known
from policy.language.reader import Place, Reader, ReadingStopped
from policy.language.scope import Expanded, Scope
from policy.language.sources import MemorySources, ProgramsNotRun, Sources
from policy.language.statements import is_identifier
from policy.language.table import (
    COMMAND_LINE_ORIGIN,
    DETECTED_ORIGIN,
    ENVIRONMENT_ORIGIN,
    Context,
    Definition,
    MacroTable,
)
from policy.language.templates import Templates
from policy.versions import NEWEST, Version

if TYPE_CHECKING:
    from random import Random

__all__ = ["Config", "Library", "config_from_mapping", "load_config"]

_ENVIRONMENT_PREFIX = "_CONDOR_"
_BETWEEN_FILES = late_regex(r"[,\s]+")
_AUTO_USE = late_regex(r"AUTO_USE_([A-Za-z]+)_(\w+)", re.IGNORECASE)


@frozen
class Library:
    """What a version of HTCondor has built in: default texts by macro name, and templates."""

    defaults: Mapping[str, str] = Factory(dict)
    templates: Templates = Factory(Templates)
    version: Version = NEWEST


_Made = TypeVar("_Made")


@frozen
class Config:
    """A configuration that was read.

    ``complete`` is False when the reading stopped at an error, as every daemon and tool of
    HTCondor would; ``texts`` are those of the files that were read, in this order.  ``version`` is
    that of the reader; ``sources`` is where other files are that it names, such as maps.
    """

    scope: Scope
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    complete: bool
    texts: tuple[Source, ...]
    version: Version = NEWEST
    sources: Sources = field(factory=MemorySources, eq=False, repr=False)
    #: The file and line of each condition that was looked at and is false.
    false_conditions: frozenset[tuple[str, int]] = field(default=frozenset(), eq=False, repr=False)
    #: Values as this reader has them, which nothing changes any more.
    _known: Known = field(factory=dict, init=False, eq=False, repr=False)
    _expanded: dict[int, tuple[Definition, Expanded]] = field(
        factory=dict, init=False, eq=False, repr=False
    )
    _others: dict[tuple[str, str | None], Config] = field(
        factory=dict, init=False, eq=False, repr=False
    )
    _made: dict[object, object] = field(factory=dict, init=False, eq=False, repr=False)
    #: Knobs as this reader has them, by ``id()`` and macro; see ``policy.knobs.reading``.
    readings: dict[tuple[int, str], tuple[object, object]] = field(
        factory=dict, init=False, eq=False, repr=False
    )

    @property
    def context(self) -> Context:
        """Who is reading."""
        return self.scope.context

    def seen_by(self, subsystem: str, local_name: str | None = None) -> Config:
        """The same definitions for another reader.

        References resolved while loading (a macro in its own value) stay as they were resolved.
        """
        reader, own = (subsystem, local_name), self.context
        if reader == (own.subsystem, own.local_name):
            return self
        if reader not in self._others:
            scope = self.scope.seen_by(Context(subsystem, local_name))
            self._others[reader] = evolve(self, scope=scope)
        return self._others[reader]

    def once(self, make: Callable[[Config], _Made]) -> _Made:
        """What a function makes of it; made once, since nothing of it changes any more."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("_Made", self._made[make])

    def lookup(self, name: str) -> Definition | None:
        """The definition that counts for ``name``: where it was set, to what, and before that."""
        return self.scope.lookup(name)

    def expand(self, definition: Definition) -> Expanded:
        """The value of a definition; raises ``ExpansionError`` if it has no end."""
        kept = self._expanded.get(id(definition))
        if kept is not None:
            return kept[1]
        found = self.scope.expand_definition(definition, self._known)
        if found.lasting:
            self._expanded[id(definition)] = definition, found
        return found

    def text(self, name: str) -> str | None:
        """The expanded value of ``name``; None when undefined or empty, as the tools say."""
        definition = self.lookup(name)
        return None if definition is None else self.expand(definition).text or None

    def is_assumed(self, definition: Definition) -> bool:
        """Does a value come from the machine, of which the caller has told nothing?"""
        unknown = HostFacts().detected(self.context)
        try:
            used = [definition, *(one for _, one in self.scope.used_by(definition) if one)]
        except ExpansionError:
            return False
        return any(
            one.origin == DETECTED_ORIGIN and unknown.get(one.name) == one.raw for one in used
        )

    def names(self) -> list[str]:
        """Names that the configuration sets, sorted without case."""
        return sorted((entry.name for entry in self.scope.table), key=str.casefold)


def load_config(
    root: str | None,
    sources: Sources,
    library: Library,
    *,
    folder: str | None = None,
    context: Context | None = None,
    environment: Mapping[str, str] | None = None,
    extra: Iterable[tuple[str, str]] = (),
    overlays: Iterable[str] = (),
    host: HostFacts | None = None,
    now: float = 0.0,
    rng: Random | None = None,
    keep_going: bool = False,
    leave_out: bool = False,
) -> Config:
    """Read a configuration from its root file (None: no root file, defaults only).

    ``folder``: a folder of configuration files that stands in for the root file.
    ``overlays``: files that are read after all those and the environment.
    ``extra``: names and texts that are assigned after all files.
    ``leave_out``: go on without local files that are not here and programs that are not run, where
    a daemon would end.
    """
    host = host or HostFacts()
    environment = environment or {}
    context = context or Context()
    diagnostics: list[Diagnostic] = []

    def report(message: str) -> None:
        diagnostics.append(Diagnostic(message, severity="warning"))

    functions = Functions(
        environment=environment,
        numbers=_numbers(rng),
        evaluate=expressions.evaluator(now),
        unparse=expressions.unparse,
        report=report,
        directory=host.working_directory,
    )
    scope = Scope(MacroTable(library.defaults), context, functions)
    how = (keep_going, leave_out, library.version)
    reader = Reader(scope, sources, library.templates, diagnostics, *how)
    complete = True
    try:
        _Loading(reader, host, environment, tuple(extra), folder, tuple(overlays)).run(root)
    except ReadingStopped:
        complete = False
    read = (tuple(reader.files), complete, tuple(reader.texts))
    false = frozenset(reader.false)
    return Config(scope, tuple(diagnostics), *read, library.version, sources, false)


def _numbers(rng: Random | None) -> Callable[[], Random]:
    """Gives random numbers, without others the same each time; most files need none."""

    @cache
    def generator() -> Random:
        from random import Random

        return rng or Random(0)

    return generator


def config_from_mapping(
    values: Mapping[str, str],
    library: Library,
    *,
    context: Context | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> Config:
    """A configuration from names and texts, as if each were one assignment.

    ``more``: names and contents of files that are read after them.
    """
    text = "".join(f"{name} = {value}\n" for name, value in values.items())
    sources = MemorySources({"<mapping>": text, **more})
    return load_config(
        "<mapping>", sources, library, context=context, overlays=more, keep_going=True
    )


#: What says which files there are: a definition of them counts before these are read, too.
_WHERE_FILES_ARE: Final = frozenset(
    (
        *("LOCAL_CONFIG_FILE", "REQUIRE_LOCAL_CONFIG_FILE"),
        *("LOCAL_CONFIG_DIR", "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"),
    )
)


@frozen
class _Loading:
    """The steps of reading a configuration."""

    reader: Reader
    host: HostFacts
    environment: Mapping[str, str]
    extra: tuple[tuple[str, str], ...] = ()
    folder: str | None = None
    overlays: tuple[str, ...] = ()

    def run(self, root: str | None) -> None:
        context = self.reader.scope.context
        self._put_all(self.host.detected(context))
        if root is not None:
            folder, slash, _ = root.rpartition("/")
            self._put_all({"CONFIG_ROOT": folder or slash or "."})
            self._read(root, required=True)
        self._put_all({"HOSTNAME": self.host.hostname, "FULL_HOSTNAME": self.host.full_hostname})
        self._extra(_WHERE_FILES_ARE)
        self._local_directories()
        self._user_file()
        self._environment()
        for path in self.overlays:
            self._read(path, required=True)
        self._extra()
        self._put_all(self.host.specials(context))
        self._persistent_files(context)
        self._auto_use()

    def _local_directories(self) -> None:
        """LOCAL_CONFIG_DIR and LOCAL_CONFIG_FILE, and the former again if that changed it."""
        if self.folder is not None:
            self._put_all({"CONFIG_ROOT": self.folder, "LOCAL_CONFIG_DIR": self.folder})
        first = self._value("LOCAL_CONFIG_DIR")
        # A folder that was named may have blanks in its name, a macro's value may not.
        self._directories(_split(first) if self.folder is None else [self.folder])
        self._local_files()
        second = self._value("LOCAL_CONFIG_DIR")
        if second != first:
            self._directories(_split(second))

    def _user_file(self) -> None:
        """The user's own file; an administrator has none."""
        name = self._value("USER_CONFIG_FILE")
        if not name or self.host.is_admin:
            return
        if not name.startswith("/"):
            if not self.host.home:
                return
            name = f"{self.host.home}/.condor/{name}"
        self._read(name, required=False)

    def _persistent_files(self, context: Context) -> None:
        """What condor_config_val -set left: a list of names, and a file for each."""
        if not self._switched_on("ENABLE_PERSISTENT_CONFIG"):
            return
        folder = self._value("PERSISTENT_CONFIG_DIR")
        if not folder:
            return
        top = f"{folder}/.config.{context.local_name or context.subsystem}"
        before = self.reader.scope.table.get("RUNTIME_CONFIG_ADMIN")
        self._read(top, required=False)
        listed = self.reader.scope.table.get("RUNTIME_CONFIG_ADMIN")
        if listed is not None and listed is not before:
            for name in _split(self._value("RUNTIME_CONFIG_ADMIN")):
                self._read(f"{top}.{name}", required=True)

    def _switched_on(self, name: str) -> bool:
        return self._value(name).strip().casefold() in ("true", "1")

    def _put_all(self, values: Mapping[str, str]) -> None:
        table = self.reader.scope.table
        for name, value in values.items():
            if value:
                previous = table.get(name)
                table.put(Definition(name, value, DETECTED_ORIGIN, previous=previous))

    def _value(self, name: str) -> str:
        definition = self.reader.scope.lookup(name)
        if definition is None:
            return ""
        try:
            return self.reader.scope.expand_definition(definition).text
        except ExpansionError as endless:
            self.reader.problem(_at(definition, str(endless)))
            return ""

    def _read(self, path: str, required: bool, named_by: str = "") -> None:
        """Read a file, or a program's output; ``named_by`` is the macro that names it."""
        read: Callable[[str], str | None] = self.reader.sources.read
        if path.endswith("|"):
            path, read = path[:-1].strip(), self.reader.sources.run
        if self.reader.sources.forbids(path):
            message = f"`{path}` is outside the folder of the configuration and not read"
            self._left_out(message, named_by, "P912", "without --no-outside-includes it is")
            return
        try:
            text = read(path)
        except ProgramsNotRun:
            help_text = "--allow-commands runs it; -D gives a macro of it a value"
            message = f"the program `{path}` is not run"
            self._left_out(message, named_by, "P910", help_text, About(kind=NOT_RUN, names=(path,)))
            return
        if text is not None:
            self.reader.read_file(self.reader.sources.place(path), text)
        elif required and named_by:
            help_text = f"-D {named_by}=... names another one, or none"
            undefined = self.reader.scope.undefined_in(f"$({named_by})")
            said = None if undefined else About(kind=NOT_READ, names=(path,))
            if undefined:
                help_text = f"{hole_in(undefined)}; {help_text}"
            else:
                help_text += "; --installed-at says where a copied configuration lay"
            message = f"cannot read configuration `{path}`"
            self._left_out(message, named_by, "P912", help_text, said)
        elif required:
            self._cannot(f"cannot read configuration `{path}`", named_by)

    def _left_out(
        self, message: str, named_by: str, id_: str, help_text: str, about: About | None = None
    ) -> None:
        """Go on without a source, and say so."""
        definition = self.reader.scope.lookup(named_by) if named_by else None
        found = Diagnostic(message) if definition is None else _at(definition, message)
        found.about = about
        if self.reader.leave_out:
            found.severity, found.id, found.help = "warning", id_, help_text
        self.reader.problem(found)

    def _cannot(self, message: str, named_by: str) -> None:
        definition = self.reader.scope.lookup(named_by) if named_by else None
        found = Diagnostic(message) if definition is None else _at(definition, message)
        self.reader.problem(found)

    def _directories(self, directories: Sequence[str]) -> None:
        macro = "LOCAL_CONFIG_DIR_EXCLUDE_REGEXP"
        entry = self.reader.scope.lookup(macro)
        if not directories and (entry is None or entry.is_builtin):
            return
        pattern = self._value(macro)
        excluded = compile_pattern(pattern, "") if pattern else None
        if pattern and excluded is None:
            self._cannot(f"{macro} `{pattern}`: not a regular expression", macro)
        for directory in directories:
            paths = self.reader.sources.list_files(directory) or []
            for path in sorted(paths, key=lambda p: p.encode("utf-8", "surrogateescape")):
                name = path.rpartition("/")[2]
                if excluded is None or not _found(excluded, name):
                    self._read(path, required=True)

    def _local_files(self) -> None:
        done: list[str] = []
        todo = _files(self._value("LOCAL_CONFIG_FILE"))
        while todo:
            path = todo.pop(0)
            done.append(path)
            required = self._value("REQUIRE_LOCAL_CONFIG_FILE")[:1] not in ("f", "F")
            self._read(path, required, "LOCAL_CONFIG_FILE")
            todo = [p for p in _files(self._value("LOCAL_CONFIG_FILE")) if p not in done]

    def _environment(self) -> None:
        scope = self.reader.scope
        for variable, value in self.environment.items():
            if not variable.upper().startswith(_ENVIRONMENT_PREFIX):
                continue
            name = variable[len(_ENVIRONMENT_PREFIX) :]
            if is_identifier(name):
                raw = scope.resolve_self(name, value)
                previous = scope.table.get(name)
                scope.table.put(Definition(name, raw, ENVIRONMENT_ORIGIN, previous=previous))

    def _extra(self, only: Container[str] | None = None) -> None:
        """Definitions after all files; ``only`` those of some macros, in upper case."""
        scope = self.reader.scope
        for name, value in self.extra:
            if only is not None and name.upper() not in only:
                continue
            source = Source(f"{name} = {value}", COMMAND_LINE_ORIGIN)
            start, end = len(source.text) - len(value), len(source.text)
            scope.table.put(
                Definition(
                    name,
                    scope.resolve_self(name, value),
                    COMMAND_LINE_ORIGIN,
                    source=source,
                    start=start,
                    end=end,
                    written=value,
                    previous=scope.table.get(name),
                )
            )

    def _auto_use(self) -> None:
        for entry in list(self.reader.scope.table):
            name = entry.name
            found = _AUTO_USE.fullmatch(name) if name[:1] in "aA" else None
            if found is None:
                continue
            if self._holds(entry):
                self._apply(found[1], found[2], entry)

    def _holds(self, entry: Definition) -> bool:
        """Is the condition that an entry is true?  What is wrong with it is said of its text."""
        diagnostics = self.reader.diagnostics
        before = len(diagnostics)
        try:
            return bool(entry.raw) and holds(entry.raw, self.reader.world())
        except (ConditionError, ExpansionError) as mistake:
            diagnostics.append(Diagnostic(str(mistake), severity="warning"))
            return False
        finally:
            for found in diagnostics[before:]:
                found.source, found.start, found.end = entry.source, entry.start, entry.end

    def _apply(self, category: str, name: str, entry: Definition) -> None:
        template = self.reader.templates.find(category, name)
        if template is None:
            message = f"no template `{name}` in category {category}"
            self.reader.diagnostics.append(_at(entry, message, severity="warning"))
            return

        label = f"{template.category}:{template.name}"
        source = Source(template.with_arguments(None), f"use {label}")
        self.reader.read_source(source, Place(entry.origin, 1, entry.line, label))


def _found(pattern: Pattern, name: str) -> bool:
    try:
        return pattern.matches(name.encode("utf-8", "surrogateescape"))
    except GaveUp:
        return False


def _files(text: str) -> list[str]:
    """What LOCAL_CONFIG_FILE names: a program with its arguments before a bar, or files."""
    whole = text.strip()
    return [whole] if whole.endswith("|") else _split(whole)


def _split(text: str) -> list[str]:
    return [part for part in _BETWEEN_FILES.split(text) if part]


def _at(definition: Definition, message: str, severity: str = "error") -> Diagnostic:
    return Diagnostic(
        message, definition.source, definition.start, definition.end, severity=severity
    )
