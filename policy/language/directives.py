"""Reads the keyword statements ``include``, ``error`` and ``warning``.

``include``: options, target and the text of the target, through ``Sources``.  ``error`` and
``warning``: the diagnostic.  Reading the included text in its place is ``policy.language.reader``'s
part.  No cache file of a program's output is ever written.
Follows: condor_config_val 25.14.1 (golden vectors ``include``, ``errors``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from classad.errors import Diagnostic
from policy.language.lines import BLANKS, LogicalLine
from policy.language.scope import Scope
from policy.language.sources import ProgramsNotRun, Sources
from policy.language.statements import Statement, StatementError

#: Why a file is not read.
_CONFINED: Final = "--no-outside-includes: files outside are not read"


#: Why no file fits what looks like a pattern.
NO_PATTERNS: Final = "include takes one file; LOCAL_CONFIG_DIR takes folders, and reads all in them"
#: Findings of what is left out: a program that is not run, a file that is not here.
LEFT_OUT: Final = ("P910", "P912")
#: What only the machine knows that reads: the home of the user condor, where LOCAL_DIR is.
_OF_THE_MACHINE: Final = ("TILDE",)


def hole_in(undefined: Sequence[str]) -> str:
    """Why a path with macros that nobody defines may be another one."""
    home = [name for name in undefined if name.upper() in _OF_THE_MACHINE]
    if home:
        return f"`$({home[0]})` is the home of the account condor, which is not known here"
    return f"`$({undefined[0]})` is not defined"


class LeftOutError(StatementError):
    """An include of what is not known here, which may be left out; ``id`` is the finding."""

    id: str


class ProgramNotRunError(LeftOutError):
    """A program that an include names and that is not run."""

    id = LEFT_OUT[0]

    def __init__(self, program: str, end: int) -> None:
        help_text = "put the output of the program in a file and include that, or give"
        super().__init__(f"`{program}` is not run", 0, end, f"{help_text} --allow-commands")
        self.program = program


class NotHereError(LeftOutError):
    """A file in a folder that only the machine knows that reads."""

    id = LEFT_OUT[1]


class FolderError(StatementError):
    """A folder in place of a file: the daemons read nothing of it, and go on."""


class Include(NamedTuple):
    """An ``include`` statement; ``target`` is expanded: a file, or with ``command`` a program.

    ``undefined`` are the macros in it that nobody defines."""

    target: str
    optional: bool
    command: bool
    start: int
    end: int
    undefined: tuple[str, ...] = ()

    @property
    def is_pattern(self) -> bool:
        """Does it look like the names of several files?  Files may have such names, too."""
        return not self.command and "*" in self.target

    def text(self, sources: Sources, scope: Scope) -> str | None:
        """What the target holds or prints; None where it is missing and may be.

        Raises ``StatementError``: what daemons refuse; ``FolderError``: what they pass over."""
        if not self.command and sources.forbids(self.target):
            message = f"`{self.target}` is outside the folder of the configuration"
            raise StatementError(message, self.start, self.end, _CONFINED)
        text = self._output(sources) if self.command else sources.read(self.target)
        may_be_folder = text is None and not self.command and bool(self.target)
        if may_be_folder and sources.list_files(self.target) is not None:
            message = f"`{self.target}` is a folder, and nothing in it is read"
            raise FolderError(message, self.start, self.end, NO_PATTERNS)
        if text is None and not self.optional:
            kind = "run" if self.command else "read"
            advice = None if self.command else _beside_root(self.target, sources, scope)
            if self.undefined:
                advice = hole_in(self.undefined)
            elif self.is_pattern:
                advice = NO_PATTERNS
            said = (f"cannot {kind} `{self.target}`", self.start, self.end, advice)
            if any(name.upper() in _OF_THE_MACHINE for name in self.undefined):
                raise NotHereError(*said)
            raise StatementError(*said)
        return text

    def _output(self, sources: Sources) -> str | None:
        try:
            return sources.run(self.target)
        except ProgramsNotRun:
            raise ProgramNotRunError(self.target, self.end) from None


def parse_include(statement: Statement, line: LogicalLine, scope: Scope) -> Include:
    """The statement with its target expanded; raises ``StatementError``."""
    whole = len(line.text)
    optional, command, rest = _options(statement.words)
    if rest:
        raise StatementError(f"`{rest}` is not an option of include", 0, whole)
    target = scope.expand(statement.value)
    if target.rstrip(BLANKS).endswith("|"):
        command, target = True, target.rstrip(BLANKS)[:-1].strip(BLANKS)
    undefined = tuple(scope.undefined_in(statement.value))
    return Include(target, optional, command, statement.value_start, whole, undefined)


def _options(words: str) -> tuple[bool, bool, str]:
    """Is a missing target fine, is it a program, and the words not understood."""
    rest = words.split()
    optional = command = False
    if rest and rest[0] in ("ifexist", "ifexists"):
        optional, rest = True, rest[1:]
    if rest and rest[0] in ("command", "output"):
        command, rest = True, rest[1:]
        if len(rest) >= 2 and rest[0] == "into":
            # The cache file would only be read by the next start; it is neither used nor made.
            rest = rest[2:]
    return optional, command, " ".join(rest)


def _beside_root(target: str, sources: Sources, scope: Scope) -> str | None:
    """What to write if the file lies in the folder of the root file."""
    root = scope.lookup("CONFIG_ROOT")
    if root is None or target.startswith("/"):
        return None
    if sources.read(f"{root.raw}/{target}") is None:
        return None
    return (
        "a relative name is looked for in the folder that the daemon runs in; "
        f"`$(CONFIG_ROOT)/{target}` is beside the root file"
    )


def announcement(statement: Statement, text: str, line: LogicalLine) -> Diagnostic:
    """What an ``error`` or ``warning`` statement says, with its expanded ``text``."""
    start, end = line.offset(0), line.offset(len(line.text) - 1) + 1
    message = f"the configuration says `{text}`"
    return Diagnostic(message, line.source, start, end, severity=statement.name)
