"""Finds what is wrong with rules without a job: in every line, whatever branch it stands in.

What is found ends a run that comes to the line, or leaves the line out.
Inputs: rules.  Outputs: diagnostics whose ``about`` is a ``TransformFault``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import define, field

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.language.conditions import ConditionError, World, holds
from policy.language.statements import is_identifier
from policy.transforms.lines import (
    Command,
    ConditionalLine,
    Form,
    MacroAssignment,
    TransformLine,
    UnknownCommand,
)
from policy.transforms.patterns import compiled
from policy.transforms.rules import Rules, beginning
from policy.transforms.running import FaultKind, TransformFault
from policy.versions import NEWEST, Version


def faults(rules: Rules, version: Version = NEWEST) -> list[Diagnostic]:
    """What is wrong with the lines of some rules."""
    return list(_RuleWalk(version).of(rules.lines))


def statements(rules: Rules) -> Iterator[tuple[TransformLine, Form]]:
    """The lines of rules with what they are; the lines of blocks are left out."""
    tag: str | None = None
    depth = 0
    for line in rules.written:
        if tag is not None:
            tag = None if line.text == tag else tag
            continue
        form = line.inside if depth else line.form
        if isinstance(form, ConditionalLine):
            depth = max(0, depth + {"if": 1, "endif": -1}.get(form.word, 0))
        elif isinstance(form, MacroAssignment):
            tag = form.tag
        yield line, form


@define(eq=False)
class _RuleWalk:
    """A walk through all lines."""

    version: Version
    opened: list[TransformLine] = field(factory=list)
    #: For each open ``if`` whether ``else`` was seen.
    ended: list[bool] = field(factory=list)
    block: tuple[TransformLine, str] | None = None

    def of(self, lines: tuple[TransformLine, ...]) -> Iterator[Diagnostic]:
        for line in lines:
            if self.block is not None:
                self.block = None if line.text == self.block[1] else self.block
                continue
            form = line.inside if self.opened else line.form
            if isinstance(form, ConditionalLine):
                yield from self._conditional(line, form)
            elif isinstance(form, MacroAssignment):
                yield from self._assignment(line, form)
            elif isinstance(form, Command):
                yield from _command(line, form)
            elif isinstance(form, UnknownCommand):
                yield _at(
                    line, FaultKind.UNKNOWN, f"`{form.word}` is no command", 0, len(form.word)
                )
            elif form.word != "warning" or not form.text:
                message = f"`{form.word}` is no statement of a transform"
                yield _at(line, FaultKind.UNKNOWN, message, 0, len(form.word))
        if self.block is not None:
            yield _at(self.block[0], FaultKind.BLOCK, f"there is no `{self.block[1]}` that ends it")
        for line in self.opened:
            yield _at(line, FaultKind.STRUCTURE, "there is no `endif` for this `if`")

    def _conditional(self, line: TransformLine, form: ConditionalLine) -> Iterator[Diagnostic]:
        if form.word == "if":
            self.opened.append(line)
            self.ended.append(False)
        elif not self.opened:
            yield _at(line, FaultKind.STRUCTURE, f"`{form.word}` without `if`")
            return
        elif form.word == "endif":
            self.opened.pop()
            self.ended.pop()
        elif self.ended[-1]:
            yield _at(line, FaultKind.STRUCTURE, f"`{form.word}` after `else`")
        else:
            self.ended[-1] = form.word == "else"
        if form.word in ("if", "elif"):
            yield from self._condition(line, form)

    def _condition(self, line: TransformLine, form: ConditionalLine) -> Iterator[Diagnostic]:
        """A condition that is none; of one with references that is not known before."""
        condition = form.condition
        if "$" in condition:
            # Whatever the macros are: a comparison stays one.
            condition = _REFERENCE.sub("1", _REFERENCE.sub("1", condition))
            if "$" in condition or not _COMPARES.search(condition) or "version" in condition:
                return
        world = World(lambda text: text, lambda name: False, lambda name: False, self.version)
        try:
            holds(condition, world)
        except ConditionError as mistake:
            message = str(mistake)
            bare = form.condition.strip().removeprefix("!").strip()
            if not bare.isidentifier() and beginning(condition, old=True) is not None:
                message = f"where `{bare}` is not true the transform fails"
            yield _at(line, FaultKind.CONDITION, message)

    def _assignment(self, line: TransformLine, form: MacroAssignment) -> Iterator[Diagnostic]:
        if form.tag is not None:
            self.block = line, form.tag
        name = form.name.removeprefix("+").removeprefix("-")
        if "$" not in name and not is_identifier(name):
            message = f"`{form.name}` is no name of a variable"
            yield _at(line, FaultKind.VARIABLE, message, 0, len(form.name))


_REFERENCE: Final = late_regex(r"\$\w*\([^()]*\)")
_COMPARES: Final = late_regex(r"[<>=]")
#: Commands whose second argument is a name.
_NAMING: Final = frozenset(("COPY", "RENAME"))
_BLANK: Final = late_regex(r"\S\s+\S")


def _command(line: TransformLine, form: Command) -> Iterator[Diagnostic]:
    if form.keyword == "TRANSFORM":
        return
    end = form.first_at + len(form.first)
    if not form.first:
        yield _at(line, FaultKind.ARGUMENTS, f"{form.keyword} needs an argument")
    elif form.malformed:
        message = "a pattern is `/pattern/`, behind it perhaps i, m, U or g"
        yield _at(line, FaultKind.PATTERN, message, form.first_at, end)
    elif form.lacks:
        message = f"{form.keyword} needs two arguments, and there is one"
        yield _at(line, FaultKind.ARGUMENTS, message)
    elif form.keyword in _NAMING and form.pattern is None and _BLANK.search(form.rest):
        message = f"`{form.rest}` is no name of an attribute, so the line is left out"
        yield _at(line, FaultKind.NAME, message)
    elif form.pattern is not None and compiled(form.pattern, form.options) is None:
        message = f"`{form.first}` is no regular expression, so the line is left out"
        yield _at(line, FaultKind.REGEX, message, form.first_at, end)


def _at(
    line: TransformLine, kind: FaultKind, message: str, start: int = 0, end: int | None = None
) -> Diagnostic:
    form = line.form
    about = (
        TransformFault(kind, form.keyword, form.first)
        if isinstance(form, Command)
        else TransformFault(kind)
    )
    return Diagnostic(message, *line.spot(start, end), about=about)
