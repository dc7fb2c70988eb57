"""Says what runs of rules did: changes of attributes with the line that made each, and problems.

Inputs: courses of rules.  Outputs: attrs values, which are the fields of JSON, and lines of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attr import frozen

from classad.ads.ad import Ad, Stored
from classad.errors import Diagnostic
from classad.language.values import UNDEFINED
from pieslice.reports.layout import Block, Line, TextColumn, TextTable
from policy.transforms.job import text_of
from policy.transforms.running import TransformRun

#: The longest value that a table shows.
_SHOWN = 60


@frozen
class RulesProblem:
    """A problem; the place is null where none is known."""

    severity: str
    message: str
    file: str | None
    line: int | None
    column: int | None
    help: str | None


@frozen
class AttributeChange:
    """An attribute before and after, as ClassAd texts, null where the job has none."""

    attribute: str
    before: str | None
    after: str | None
    statement: str
    file: str
    line: int


@frozen
class RulesRun:
    """One transform or route on a job; ``applied``: its REQUIREMENTS were met."""

    name: str
    applied: bool
    changes: tuple[AttributeChange, ...]
    problems: tuple[RulesProblem, ...]


def said(finding: Diagnostic) -> RulesProblem:
    """A diagnostic for programs."""
    file = None if finding.source is None else finding.source.name
    return RulesProblem(
        finding.severity, finding.message, file, finding.line, finding.column, finding.help
    )


def rules_run(course: TransformRun) -> RulesRun:
    """What a course did."""
    problems = tuple(map(said, of_courses([course])))
    return RulesRun(course.rules.name, course.applied, tuple(_changes(course)), problems)


def _changes(course: TransformRun) -> Iterator[AttributeChange]:
    for step in course.steps:
        source, start, _ = step.line.spot()
        for change in step.changes:
            before, after = _text(change.before), _text(change.after)
            if before != after:
                yield AttributeChange(
                    change.attribute, before, after, step.line.text, source.name,
                    source.position(start)[0],
                )  # fmt: skip


def _text(value: Stored) -> str | None:
    return None if value is None else text_of(value)


def job_id(ad: Ad) -> str:
    """``Cluster.Proc`` of a job, with a question mark for what it lacks."""
    parts = (ad.raw(name) for name in ("ClusterId", "ProcId"))
    return ".".join("?" if part is None or part is UNDEFINED else str(part) for part in parts)


def owner_of(ad: Ad) -> str:
    """The owner of a job, empty where there is none."""
    owner = ad.raw("Owner")
    return owner if isinstance(owner, str) else ""


def long_form(ad: Ad) -> str:
    """An ad in long form, inherited attributes included, a blank line behind it."""
    values: dict[str, tuple[str, Stored]] = {}
    chain: list[Ad] = []
    current: Ad | None = ad
    while current is not None:
        chain.append(current)
        current = current._chained
    for one in reversed(chain):
        values |= {name.casefold(): (name, one.raw(name)) for name in one.names()}
    lines = [f"{name} = {text_of(value)}\n" for _, (name, value) in sorted(values.items())]
    return "".join(lines) + "\n"


def distinct(findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics, those that say the same of the same place once."""
    known: dict[object, Diagnostic] = {}
    for one in findings:
        name = None if one.source is None else one.source.name
        known.setdefault((one.message, name, one.start, one.end), one)
    return tuple(known.values())


def of_courses(courses: Iterable[TransformRun]) -> Iterator[Diagnostic]:
    """What runs complained of, and what ended them."""
    for course in courses:
        yield from course.complaints
        if course.failure is not None:
            yield course.failure


# --- text -----------------------------------------------------------------------------------------


def place(file: str | None, line: int | None) -> str:
    """``file:line`` of a change or a problem."""
    return "" if file is None else f"{file}:{line}"


def change_table(runs: Iterable[RulesRun], path: str) -> TextTable:
    """The changes of a job; lines of another file than ``path`` stand behind its name."""
    columns = (
        TextColumn("by", name=True, drop=1),
        TextColumn("attribute", name=True),
        TextColumn("before", prose=True),
        TextColumn("after", prose=True),
        TextColumn("line", name=True),
    )
    rows = tuple(
        (
            run.name, one.attribute, _cut(one.before), _cut(one.after),
            str(one.line) if one.file == path else place(one.file, one.line),
        )
        for run in runs
        for one in run.changes
    )  # fmt: skip
    return TextTable(columns, rows, indent=4)


def problem_lines(problems: Iterable[RulesProblem], indent: int = 4) -> list[Block]:
    """A line for each problem."""
    return [
        Line(f"{' ' * indent}{place(one.file, one.line)}: {one.message}".replace(": : ", ": "))
        for one in problems
    ]


def _cut(text: str | None) -> str:
    if text is None:
        return "-"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def alike(jobs: Sequence[str]) -> str:
    """The ids of jobs to which the same happened."""
    if len(jobs) <= 3:
        return ", ".join(jobs)
    return f"{jobs[0]}, {jobs[1]} and {len(jobs) - 2} more"
