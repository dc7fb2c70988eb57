"""Runs rules on the ad of a job.

Inputs: rules, a job, its variables.  Outputs: the job's ad, changed in place, with
``TransformRun``: what each line did, what it complained of, and what ended the run.
Follows: condor_transform_ads, condor_job_router_info and condor_schedd 25.14.1 (vectors
``transforms``); what makes those loop or crash is an error (DIVERGENCES.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final

from attr import define, field, frozen

from classad.ads.ad import Stored
from classad.ads.expression import Expression
from classad.builtins.pcre import PatternMatch
from classad.errors import Diagnostic
from classad.evaluate import evaluate
from classad.patterns import late_regex
from policy.language.conditions import ConditionError, NestingError, OpenConditionals, World
from policy.language.macros import ExpansionError
from policy.language.statements import is_identifier
from policy.transforms.detached import evaluated_text
from policy.transforms.job import ChangedAttribute, TransformedJob, macro_text
from policy.transforms.lines import (
    Command,
    ConditionalLine,
    Foreign,
    MacroAssignment,
    TransformLine,
    UnknownCommand,
)
from policy.transforms.patterns import compiled, matching, replaced
from policy.transforms.rules import Rules, beginning, expression, syntax_error
from policy.transforms.variables import Variables
from policy.versions import NEWEST, Version

#: A name that COPY and RENAME may give.
_NAME: Final = late_regex(r"[A-Za-z_][A-Za-z0-9_]*")


class FaultKind(Enum):
    """What is wrong with a line."""

    EXPRESSION = "no expression"
    NAME = "no name of an attribute"
    REGEX = "no regular expression"
    FUNCTION = "a macro function with a wrong argument"
    UNKNOWN = "no command"
    ARGUMENTS = "an argument is missing"
    PATTERN = "no pattern"
    CONDITION = "no condition"
    STRUCTURE = "if, elif, else and endif do not belong together"
    BLOCK = "a block without its end"
    VARIABLE = "no name of a variable"
    MACROS = "an expansion without an end"


@frozen
class TransformFault:
    """What a diagnostic of a run is about: ``name`` is the first argument of the command."""

    kind: FaultKind
    keyword: str = ""
    name: str = ""


@frozen
class TransformStep:
    """What a line did: ``changes`` of attributes, or the variable that it defined.

    ``text`` is the argument that counted, its macros expanded.
    """

    line: TransformLine
    keyword: str
    name: str
    text: str = ""
    changes: tuple[ChangedAttribute, ...] = ()


@define(eq=False)
class TransformRun:
    """The run of rules on a job.

    ``applied``: its REQUIREMENTS were met.  ``complaints``: lines that were left out, for what is
    wrong with them.  ``failure``: what ended the run; the job is lost then.
    """

    rules: Rules
    applied: bool = True
    steps: list[TransformStep] = field(factory=list)
    complaints: list[Diagnostic] = field(factory=list)
    failure: Diagnostic | None = None


class Failed(Exception):  # noqa: N818 - ends a run, and is caught in this module
    """A line that ends the run."""

    def __init__(
        self,
        line: TransformLine,
        kind: FaultKind,
        message: str,
        start: int = 0,
        end: int | None = None,
    ) -> None:
        super().__init__(message)
        form = line.form
        about = (
            TransformFault(kind, form.keyword, form.first)
            if isinstance(form, Command)
            else TransformFault(kind)
        )
        self.diagnostic = Diagnostic(message, *line.spot(start, end), about=about)


def meets_requirements(rules: Rules, variables: Variables) -> bool:
    """Whether a job is one that rules are for; those without REQUIREMENTS are for all."""
    if rules.requirements is None:
        return True
    if rules.condition is None:
        return False
    value = evaluate(rules.condition, variables.job.ad, context=variables.context)
    return is_truth(value)


def is_truth(value: Stored) -> bool:
    """Whether a value counts as true: boolean true, or a number other than 0."""
    return value.__class__ in (bool, int, float) and bool(value)


def run(rules: Rules, variables: Variables, version: Version = NEWEST) -> TransformRun:
    """Run rules on the job of some variables, if their REQUIREMENTS are met."""
    course = TransformRun(rules)
    if not meets_requirements(rules, variables):
        course.applied = False
        return course
    return run_lines(rules, variables, version, course)


def run_lines(
    rules: Rules,
    variables: Variables,
    version: Version = NEWEST,
    course: TransformRun | None = None,
) -> TransformRun:
    """Run rules, whatever their REQUIREMENTS."""
    course = TransformRun(rules) if course is None else course
    runner = Runner(course, variables.job, variables, version)
    try:
        runner.run(rules.lines)
    except Failed as failed:
        course.failure = failed.diagnostic
    return course


def check_lines(rules: Rules, variables: Variables, version: Version = NEWEST) -> TransformRun:
    """Look at rules without a job, as the router does when it reads a route.

    Variables get their values, conditions see no attributes; commands do nothing, and only a
    missing first argument and a faulty pattern are found.
    """
    course = TransformRun(rules)
    try:
        Runner(course, variables.job, variables, version, is_check=True).run(rules.lines)
    except Failed as failed:
        course.failure = failed.diagnostic
    return course


@define(eq=False)
class Runner:
    """Runs lines one after the other; ``is_check``: without a job."""

    course: TransformRun
    job: TransformedJob
    variables: Variables
    version: Version
    is_check: bool = False
    nesting: OpenConditionals = field(factory=OpenConditionals)
    line: TransformLine = field(init=False)

    def run(self, lines: tuple[TransformLine, ...]) -> None:
        """Run them all; raises ``Failed``."""
        rest = iter(lines)
        self.variables.report = self._report
        opened: list[TransformLine] = []
        for line in rest:
            self.line = line
            depth = self.nesting.depth
            form = line.inside if depth else line.form
            try:
                if isinstance(form, ConditionalLine):
                    self._conditional(form, opened)
                elif self.nesting.live:
                    self._statement(form, rest)
            except NestingError as mistake:
                raise Failed(line, FaultKind.STRUCTURE, str(mistake)) from None
            except ConditionError as mistake:
                raise Failed(line, FaultKind.CONDITION, str(mistake)) from None
            except ExpansionError as mistake:
                raise Failed(line, FaultKind.MACROS, str(mistake)) from None
        if self.nesting.depth:
            raise Failed(opened[-1], FaultKind.STRUCTURE, "there is no `endif` for this `if`")

    def _report(self, message: str) -> None:
        self._complain(FaultKind.FUNCTION, message)

    def _complain(
        self, kind: FaultKind, message: str, start: int = 0, end: int | None = None
    ) -> None:
        """Note a line that is left out, or done in part."""
        form = self.line.form
        about = (
            TransformFault(kind, form.keyword, form.first)
            if isinstance(form, Command)
            else TransformFault(kind)
        )
        spot = self.line.spot(start, end)
        found = Diagnostic(message, *spot, severity="warning", about=about)
        self.course.complaints.append(found)

    def _conditional(self, form: ConditionalLine, opened: list[TransformLine]) -> None:
        if form.word == "if":
            opened.append(self.line)
        elif form.word == "endif" and opened:
            opened.pop()
        variables = self.variables
        world = World(
            variables.expand, variables.is_defined, lambda name: False, self.version, self._is_true
        )
        self.nesting.step(form.word, form.condition, world)

    def _is_true(self, text: str) -> bool:
        """Is a text that is no condition an expression that is true?  Text behind it is ignored."""
        tree = None if self.is_check else beginning(text, old=True)
        if tree is None:
            return False
        return is_truth(evaluate(tree, self.job.ad, context=self.variables.context))

    def _statement(self, form: object, rest: Iterator[TransformLine]) -> None:
        if isinstance(form, Command):
            self._command(form)
        elif isinstance(form, MacroAssignment):
            self._assignment(form, rest)
        elif isinstance(form, Foreign):
            if form.word != "warning" or not form.text:
                raise Failed(
                    self.line, FaultKind.UNKNOWN, f"`{form.word}` is no statement of a transform"
                )
        elif isinstance(form, UnknownCommand):
            word = form.word
            raise Failed(self.line, FaultKind.UNKNOWN, f"`{word}` is no command", 0, len(word))

    def _assignment(self, form: MacroAssignment, rest: Iterator[TransformLine]) -> None:
        name = self.variables.expand(form.name)
        value = form.value
        if name[:1] in ("+", "-") and name[1:]:
            value = "" if name[0] == "-" else value
            name = f"MY.{name[1:]}"
        if not is_identifier(name):
            message = f"`{name}` is no name of a variable"
            raise Failed(self.line, FaultKind.VARIABLE, message, 0, len(form.name))
        if form.tag is not None:
            body = []
            for line in rest:
                if line.text == form.tag:
                    break
                body.append(line.text)
            else:
                message = f"there is no `{form.tag}` that ends the block"
                raise Failed(self.line, FaultKind.BLOCK, message)
            value = "\n".join(body)
        self.variables.assign(name, value, form.joiner)

    def _command(self, form: Command) -> None:
        keyword = form.keyword
        if keyword == "TRANSFORM":
            return
        if not form.first:
            raise Failed(self.line, FaultKind.ARGUMENTS, f"{keyword} needs an argument")
        if form.malformed:
            message = "a pattern is `/pattern/`, behind it perhaps i, m, U or g"
            end = form.first_at + len(form.first)
            raise Failed(self.line, FaultKind.PATTERN, message, form.first_at, end)
        if self.is_check:
            self.course.steps.append(TransformStep(self.line, keyword, form.first))
            return
        if form.lacks:
            message = f"{keyword} needs two arguments, and there is one"
            raise Failed(self.line, FaultKind.ARGUMENTS, message)
        text = self.variables.expand(form.rest) if keyword != "DELETE" else ""
        changes = _DOING[keyword](self, form, text)
        if changes is not None:
            self.course.steps.append(TransformStep(self.line, keyword, form.first, text, changes))

    # --- the commands -----------------------------------------------------------------------------

    def _set(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        tree = expression(text)
        if tree is None:
            self._no_expression(form, text, evaluated=False)
            return None
        return (self.job.set(form.first, Expression.sharing(tree)),)

    def _default(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        return () if self.job.get(form.first) is not None else self._set(form, text)

    def _evalset(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        value = self._value(form, text)
        return None if value is None else (self.job.set(form.first, value),)

    def _evalmacro(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        value = self._value(form, text)
        if value is None:
            return None
        self.variables.put(form.first, macro_text(value))
        return ()

    def _value(self, form: Command, text: str) -> Stored:
        """The value of the expression that a text begins with, None where it begins with none."""
        tree = evaluated_text(text)
        if tree is None:
            self._no_expression(form, text, evaluated=True)
            return None
        return evaluate(tree, self.job.ad, context=self.variables.context)

    def _no_expression(self, form: Command, text: str, *, evaluated: bool) -> None:
        """Complain of an argument that is no expression."""
        what = f"{form.keyword} {form.first} is left out"
        found = syntax_error(self.line, what, text, form.rest_at, evaluated=evaluated)
        found.severity = "warning"
        found.about = TransformFault(FaultKind.EXPRESSION, form.keyword, form.first)
        if text != form.rest:
            found.help = f"it is `{text}`" if text.strip() else "it is empty"
        self.course.complaints.append(found)

    def _copy(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        return self._moved(form, text, self._copied)

    def _rename(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        return self._moved(form, text, self._renamed)

    def _moved(
        self, form: Command, text: str, move: Callable[[str, str], list[ChangedAttribute]]
    ) -> tuple[ChangedAttribute, ...] | None:
        if form.pattern is None:
            return tuple(move(form.first, text))
        changes: list[ChangedAttribute] = []
        for name, match in self._matching(form) or ():
            changes += move(name, replaced(text, name, match))
        return tuple(changes)

    def _matching(self, form: Command) -> list[tuple[str, PatternMatch]] | None:
        assert form.pattern is not None
        if compiled(form.pattern, form.options) is None:
            message = f"`{form.first}` is no regular expression, so the line is left out"
            self._complain(FaultKind.REGEX, message, form.first_at, form.first_at + len(form.first))
            return None
        return matching(form.pattern, form.options, self.job.names())

    def _copied(self, name: str, to: str) -> list[ChangedAttribute]:
        value = self.job.get(name)
        if value is None or not _NAME.fullmatch(to):
            return []
        return [self.job.set(to, _again(value))]

    def _renamed(self, name: str, to: str) -> list[ChangedAttribute]:
        value = self.job.get(name)
        if not _NAME.fullmatch(to):
            message = f"RENAME {name}: `{to}` is no name of an attribute, so it keeps its own"
            self._complain(FaultKind.NAME, message)
            return []
        if value is None:
            return []
        gone = self.job.delete(name)
        new = self.job.set(to, _again(value))
        return [new] if gone is None else [gone, new]

    def _delete(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        if form.pattern is None:
            names = [form.first]
        else:
            names = [name for name, _ in self._matching(form) or ()]
        return tuple(change for name in names if (change := self.job.delete(name)) is not None)

    def _nothing(self, form: Command, text: str) -> tuple[ChangedAttribute, ...] | None:
        return None


_DOING: Final = {
    "SET": Runner._set, "DEFAULT": Runner._default, "EVALSET": Runner._evalset,
    "EVALMACRO": Runner._evalmacro, "COPY": Runner._copy, "RENAME": Runner._rename,
    "DELETE": Runner._delete, "NAME": Runner._nothing, "REQUIREMENTS": Runner._nothing,
    "UNIVERSE": Runner._nothing,
}  # fmt: skip


def _again(value: Stored) -> Stored:
    """A value for another attribute: no two have the same expression."""
    return Expression.sharing(value) if isinstance(value, Expression) else value
