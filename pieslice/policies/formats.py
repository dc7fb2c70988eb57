"""Writes findings for people, programs, code scanning and GitHub annotations.

Findings of one cause are one block in reports that people read.

Inputs: diagnostics.  Outputs: text.  The SARIF report follows version 2.1.0, the annotations
GitHub's workflow commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from attr import Factory, frozen

from classad.errors import Diagnostic, Edit
from classad.patterns import late_regex
from pieslice.command_line import installed_version
from pieslice.data import JsonObject, indented
from pieslice.policies.blocks import blocks, brought_lines, worst_first
from pieslice.policies.texts import (
    counted,
    host_line,
    not_judged,
    old_names,
    verdict_lines,
    wrapped_lines,
)
from pieslice.reports.document import Document, plain, shape, shape_text, version_data, view
from pieslice.reports.output import WIDE
from pieslice.terminal import printable
from policy.explain.roles import Host
from policy.explain.sentences import listing
from policy.knobs.reading import EXPANDED
from policy.lint.causes import file_of
from policy.lint.endings import Daemon
from policy.lint.finding import ERROR, NOTE, WARNING, Finding
from policy.lint.findings import brought
from policy.lint.fragments import Fragment
from policy.lint.upgrade import DEFAULT
from policy.lint.verdict import Upgrade, Verdict
from policy.versions import Followed

if TYPE_CHECKING:
    from pieslice.fuzzing.behaviour import Behaviour
    from pieslice.policies.reloads import Reload

#: Where the findings are described, from the top of the source.
_PAGE: Final = "docs/findings.md"
#: What a link to a heading leaves out of it.
_NO_ANCHOR: Final = late_regex(r"[^\w\- ]")
#: Causes that the text shows unless all are asked for.
_FIRST_PAGE: Final = 3
_GITHUB: Final = {ERROR: "error", WARNING: "warning", NOTE: "notice"}


@frozen
class Checked:
    """One configuration that was checked."""

    path: str
    verdicts: tuple[Verdict, ...]
    findings: tuple[Diagnostic, ...]
    fragment: Fragment | None = None
    #: The version whose rules were followed, and what another one changes.
    followed: Followed = Factory(Followed)
    upgrade: Upgrade | None = None
    host: Host | None = None
    #: What a search for slots and jobs that break the policy found; None: nobody asked for it.
    behaviour: Behaviour | None = None
    #: The running configuration that is to be replaced, and what that changes.
    reload: tuple[str, Reload] | None = None

    @property
    def starts(self) -> bool:
        """Would all daemons start, also those of the version that is asked about?"""
        after = self.upgrade is None or self.upgrade.starts
        return after and all(verdict.starts for verdict in self.verdicts)

    @property
    def not_judged(self) -> tuple[str, ...]:
        """The daemons of DAEMON_LIST that no verdict is given on."""
        return not_judged(self.host, self.verdicts)

    @property
    def shown(self) -> list[ShownFinding]:
        """The findings as JSON has them."""
        return [*map(ShownFinding, self.findings)]

    @property
    def changes(self) -> ShownUpgrade | None:
        """What the other version changes, as JSON has it."""
        return None if self.upgrade is None else ShownUpgrade(self.upgrade)

    @property
    def reloading(self) -> Reload | None:
        """What the new configuration changes for daemons that run, as JSON has it."""
        return None if self.reload is None else self.reload[1]

    @property
    def all_findings(self) -> tuple[Diagnostic, ...]:
        """The findings, and behind them what the other version changes."""
        return (*self.findings, *(() if self.upgrade is None else self.upgrade.findings))

    def count(self, severity: str) -> int:
        """How many findings have this severity, without what other files or programs bring."""
        found = (one for one in self.all_findings if one.severity == severity)
        return sum(not brought(one) for one in found)


@frozen
class ShownEdit:
    """A repair: what is replaced, from a character up to the one that stays, and by what."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    @classmethod
    def of(cls, edit: Edit) -> ShownEdit:
        """The places of an edit in lines and columns."""
        first, last = map(edit.source.position, (edit.start, edit.end))
        return cls(edit.source.name, *first, *last, edit.text)


@view("id severity file=.file line column message help edit=.edit")
class ShownFinding:
    """A finding: its place, what is wrong, what would help."""

    found: Diagnostic

    @property
    def file(self) -> str | None:
        """The file that it is in."""
        return file_of(self.found)

    @property
    def edit(self) -> ShownEdit | None:
        """What repairs it, where that is known."""
        return None if self.found.edit is None else ShownEdit.of(self.found.edit)


@view("from=old to=new verdicts findings=.findings")
class ShownUpgrade:
    """What changes from one version to another: verdicts that are others, and findings."""

    step: Upgrade

    @property
    def findings(self) -> list[ShownFinding]:
        """The findings as JSON has them."""
        return [*map(ShownFinding, self.step.findings)]


@frozen
class Checks(Document):
    """The same of several configurations."""

    schema: ClassVar[str] = "pieslice/checks/1"
    checks: Sequence[Checked]


shape(Verdict, "daemon starts status text")
shape_text(Daemon, Fragment)
shape(
    Checked,
    "path =followed starts host verdicts not_judged fragment findings=shown upgrade?=changes"
    " behaviour? reload?=reloading",
)
shape(Host, "roles=role_names daemons")


def report(
    results: Sequence[Checked],
    format_: str,
    known: Mapping[str, Finding],
    *,
    every: bool = False,
    width: int = WIDE,
) -> str:
    """All results as text, json, sarif or github, without a final newline.

    ``every``: all findings in the text, not only the worst; ``width``: of the text.
    """
    if format_ == "json":
        return Checks(results).to_json().removesuffix("\n")
    if format_ == "sarif":
        return indented(_sarif(results, known))
    lines: list[str] = []
    for result in results:
        if format_ == "github":
            lines.extend(_annotations(result))
        else:
            lines.extend(wrapped_lines(_text(result, every), width))
    return "\n".join(lines)


def _text(result: Checked, every: bool) -> Iterable[str]:
    yield f"{result.path}: {result.followed}"
    if result.host is not None and result.host.listed is not None:
        yield f"{result.path}: {host_line(result.host)}"
    for text in verdict_lines(result.verdicts, result.not_judged):
        yield f"{result.path}: {text}"
    if result.fragment is not None and not result.fragment.asked:
        why = f"{result.fragment}; say --no-fragment if no other file completes it"
        yield f"{result.path}: taken for a fragment: {why}"
    elsewhere = [*brought_lines(result.findings, result.path)]
    if elsewhere:
        yield f"{result.path}: not in these files: {listing(elsewhere)}"
    found = blocks([one for one in result.findings if not brought(one)])
    shown = found if every or len(found) <= _FIRST_PAGE else worst_first(found)[:_FIRST_PAGE]
    for block in shown:
        yield from block.lines()
    if result.upgrade is not None:
        yield from _upgrade(result.path, result.upgrade)
    if result.reload is not None:
        from pieslice.policies.reloads import reload_lines

        running, found_ = result.reload
        yield f"{result.path}: reloaded where {running} runs:"
        yield from (f"  {line}" for line in reload_lines(running, found_))
    counts = [
        counted(count, word) for word in (ERROR, WARNING, NOTE) if (count := result.count(word))
    ]
    old = len(old_names(result.findings))
    counts += [f"{old} of them old names"] if old > 1 else []
    left = len(found) - len(shown)
    tail = (
        f"; these are the worst {len(shown)} of {len(found)} causes, --all shows all"
        if left
        else ""
    )
    behaviour = result.behaviour
    if behaviour is not None:
        yield from behaviour.lines(result.path)
        counts += [behaviour.count] if behaviour.count else []
    yield f"{result.path}: {', '.join(counts) or 'no findings'}{tail if left else ''}"
    if behaviour is not None:
        yield f"{result.path}: not looked at: {behaviour.left_out}"


def _upgrade(path: str, step: Upgrade) -> Iterable[str]:
    """What another version changes: all of it."""
    what = counted(len(step.findings), "change") if step.findings else "no changes"
    yield f"{path}: {step.old} -> {step.new}: {what}"
    for text in verdict_lines(step.verdicts):
        yield f"{path}: in {step.new}: {text}"
    defaults = [found for found in step.findings if found.id == DEFAULT.id]
    for block in blocks([found for found in step.findings if found.id != DEFAULT.id]):
        yield from block.lines()
    for found in defaults:
        yield found.headline()


def _is_expanded(finding: Diagnostic) -> bool:
    """Do its columns count in the expanded value, which the file does not have?"""
    return finding.source is not None and finding.source.name.endswith(EXPANDED)


def _columns(finding: Diagnostic) -> tuple[int, int]:
    """First column, and the one behind the last, in the first line."""
    assert finding.source is not None
    begin = finding.column or 1
    text, start = finding.source.line_at(finding.start)
    stop = min(finding.end, start + len(text))
    return begin, begin + max(1, stop - finding.start)


def _help(finding: Finding) -> str:
    """What a finding means, with its examples and the link to its place in the page."""
    examples = f"```text\n{finding.bad}```\n\nright:\n\n```text\n{finding.good}```\n"
    return f"{finding.doc}\n\n{examples}\n[{finding.id}]({_PAGE}#{_anchor(finding)})"


def _anchor(finding: Finding) -> str:
    """The heading of a finding in its page, as the page's headings are linked."""
    words = _NO_ANCHOR.sub("", f"{finding.id}: {finding.title}".lower())
    return words.replace(" ", "-")


def _annotations(result: Checked) -> Iterable[str]:
    for verdict in result.verdicts:
        if verdict.qualified and verdict.cause is not None and verdict.cause.source is not None:
            place = f"file={_property(file_of(verdict.cause) or '')},line={verdict.cause.line}"
            kind = "error" if not verdict.starts else "warning"
            yield f"::{kind} {place}::{_data(verdict.text)}"
    for found in result.all_findings:
        if found.source is None:
            continue  # an annotation stands at a line
        words = [f"file={_property(file_of(found) or '')}", f"line={found.line}"]
        if not _is_expanded(found):
            words.append(f"col={_columns(found)[0]}")
        words.append(f"title={_property(found.id or '')}")
        text = found.message + (f"; {found.help}" if found.help else "")
        yield f"::{_GITHUB[found.severity]} {','.join(words)}::{_data(text)}"


def _data(text: str) -> str:
    lines = text.replace("%", "%25").replace("\r", "%0D").split("\n")
    return "%0A".join(map(printable, lines))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _sarif(results: Sequence[Checked], known: Mapping[str, Finding]) -> JsonObject:
    rules = [
        {
            "id": found.id,
            "shortDescription": {"text": found.title},
            "fullDescription": {"text": found.doc},
            "help": {"text": found.doc, "markdown": _help(found)},
            "defaultConfiguration": {"level": found.severity},
        }
        for found in known.values()
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "pieslice",
                        "version": installed_version(),
                        "rules": rules,
                    }
                },
                "properties": {
                    "verdicts": [
                        {
                            "path": one.path,
                            **version_data(one.followed),
                            "verdicts": plain(one.verdicts),
                            "fragment": plain(one.fragment),
                        }
                        for one in results
                    ]
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(found, list(known)) for one in results for found in one.all_findings
                ],
            }
        ],
    }


def _result(finding: Diagnostic, ids: list[str]) -> JsonObject:
    text = finding.message + (f"; {finding.help}" if finding.help else "")
    result: JsonObject = {
        "ruleId": finding.id,
        "ruleIndex": ids.index(finding.id) if finding.id in ids else -1,
        "level": finding.severity,
        "message": {"text": text},
    }
    if finding.source is not None:
        region: JsonObject = {"startLine": finding.line}
        if not _is_expanded(finding):
            region["startColumn"], region["endColumn"] = _columns(finding)
        place = {"artifactLocation": {"uri": file_of(finding)}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    if finding.edit is not None:
        result["fixes"] = [_fix(finding.help or text, finding.edit)]
    return result


def _fix(text: str, edit: Edit) -> JsonObject:
    row = ShownEdit.of(edit)
    region = {
        "startLine": row.line,
        "startColumn": row.column,
        "endLine": row.end_line,
        "endColumn": row.end_column,
    }
    replacement = {"deletedRegion": region, "insertedContent": {"text": edit.text}}
    change = {"artifactLocation": {"uri": row.file}, "replacements": [replacement]}
    return {"description": {"text": text}, "artifactChanges": [change]}
