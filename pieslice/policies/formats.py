"""Writes findings for people, programs, code scanning and GitHub annotations.

Inputs: diagnostics.  Outputs: text.  The SARIF report follows version 2.1.0, the annotations
GitHub's workflow commands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attr import Factory, frozen

from classad.errors import Diagnostic, Edit
from pieslice.command_line import installed_version
from pieslice.data import JsonObject
from pieslice.policies.blocks import blocks, worst_first
from pieslice.policies.texts import wrapped_lines
from pieslice.reports.document import document, json_text
from pieslice.reports.output import WIDE
from pieslice.reports.versions import version_data
from pieslice.terminal import printable
from policy.explain.sentences import listing
from policy.knobs.reading import EXPANDED
from policy.lint.causes import file_of
from policy.lint.finding import ERROR, NOTE, WARNING, Finding
from policy.lint.upgrade import DEFAULT
from policy.lint.verdict import Fragment, Upgrade, Verdict
from policy.versions import Followed

#: Where the findings are described, from the top of the source.
_PAGE: Final = "docs/findings.md"
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

    @property
    def starts(self) -> bool:
        """Would all daemons start, also those of the version that is asked about?"""
        after = self.upgrade is None or self.upgrade.starts
        return after and all(verdict.starts for verdict in self.verdicts)

    @property
    def all_findings(self) -> tuple[Diagnostic, ...]:
        """The findings, and behind them what the other version changes."""
        return (*self.findings, *(() if self.upgrade is None else self.upgrade.findings))

    def count(self, severity: str) -> int:
        """How many findings have this severity."""
        return sum(found.severity == severity for found in self.all_findings)


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
        data = document("checks", {"checks": [checked_data(result) for result in results]})
        return json_text(data).removesuffix("\n")
    if format_ == "sarif":
        return json.dumps(_sarif(results, known), indent=2)
    lines: list[str] = []
    for result in results:
        if format_ == "github":
            lines.extend(_annotations(result))
        else:
            lines.extend(wrapped_lines(_text(result, every), width))
    return "\n".join(lines)


def _text(result: Checked, every: bool) -> Iterable[str]:
    yield f"{result.path}: {result.followed}"
    for text in _verdicts(result.verdicts):
        yield f"{result.path}: {text}"
    if result.fragment is not None and not result.fragment.asked:
        why = f"{result.fragment}; say --no-fragment if no other file completes it"
        yield f"{result.path}: taken for a fragment: {why}"
    found = blocks(result.findings)
    shown = found if every or len(found) <= _FIRST_PAGE else worst_first(found)[:_FIRST_PAGE]
    for block in shown:
        yield from block.lines()
    if result.upgrade is not None:
        yield from _upgrade(result.path, result.upgrade)
    counts = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for word in (ERROR, WARNING, NOTE)
        if (count := result.count(word))
    ]
    left = len(found) - len(shown)
    tail = (
        f"; these are the worst {len(shown)} of {len(found)} causes, --all shows all"
        if left
        else ""
    )
    yield f"{result.path}: {', '.join(counts) or 'no findings'}{tail if left else ''}"


def _upgrade(path: str, step: Upgrade) -> Iterable[str]:
    """What another version changes: all of it."""
    count = len(step.findings)
    what = "1 change" if count == 1 else f"{count or 'no'} changes"
    yield f"{path}: {step.old} -> {step.new}: {what}"
    for text in _verdicts(step.verdicts):
        yield f"{path}: in {step.new}: {text}"
    defaults = [found for found in step.findings if found.id == DEFAULT.id]
    for block in blocks([found for found in step.findings if found.id != DEFAULT.id]):
        yield from block.lines()
    for found in defaults:
        yield found.headline()


def _verdicts(verdicts: Iterable[Verdict]) -> Iterable[str]:
    """What keeps daemons from starting, and in one line those that start without more ado."""
    same: dict[str, list[str]] = {}
    for one in sorted(verdicts, key=lambda one: not one.qualified):
        daemon = str(one.daemon)
        same.setdefault(one.text.removeprefix(daemon), []).append(daemon)
    return (f"{listing(daemons)}{rest}" for rest, daemons in same.items())


def _is_expanded(found: Diagnostic) -> bool:
    """Do its columns count in the expanded value, which the file does not have?"""
    return found.source is not None and found.source.name.endswith(EXPANDED)


def _columns(found: Diagnostic) -> tuple[int, int]:
    """First column, and the one behind the last, in the first line."""
    assert found.source is not None
    begin = found.column or 1
    text, start = found.source.line_at(found.start)
    stop = min(found.end, start + len(text))
    return begin, begin + max(1, stop - found.start)


def checked_data(result: Checked) -> JsonObject:
    """The result for programs."""
    data: JsonObject = {
        "path": result.path,
        **version_data(result.followed),
        "starts": result.starts,
        "verdicts": _verdict_rows(result.verdicts),
        "fragment": None if result.fragment is None else str(result.fragment),
        "findings": _finding_rows(result.findings),
    }
    step = result.upgrade
    if step is not None:
        data["upgrade"] = {
            "from": str(step.old),
            "to": str(step.new),
            "verdicts": _verdict_rows(step.verdicts),
            "findings": _finding_rows(step.findings),
        }
    return data


def _finding_rows(findings: Iterable[Diagnostic]) -> list[JsonObject]:
    return [
        {
            "id": found.id,
            "severity": found.severity,
            "file": file_of(found),
            "line": found.line,
            "column": found.column,
            "message": found.message,
            "help": found.help,
            "edit": None if found.edit is None else _edit_row(found.edit),
        }
        for found in findings
    ]


def _edit_row(edit: Edit) -> JsonObject:
    """A repair: what is replaced, from a character up to the one that stays, and by what."""
    (line, column), (end_line, end_column) = map(edit.source.position, (edit.start, edit.end))
    place = {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
    return {"file": edit.source.name, **place, "text": edit.text}


def _verdict_rows(verdicts: Iterable[Verdict]) -> list[JsonObject]:
    return [
        {
            "daemon": str(verdict.daemon),
            "starts": verdict.starts,
            "status": verdict.status,
            "text": verdict.text,
        }
        for verdict in verdicts
    ]


def _help(found: Finding) -> str:
    """What a finding means, with its examples and the link to its place in the page."""
    examples = f"```text\n{found.bad}```\n\nright:\n\n```text\n{found.good}```\n"
    return f"{found.doc}\n\n{examples}\n[{found.id}]({_PAGE}#{_anchor(found)})"


def _anchor(found: Finding) -> str:
    """The heading of a finding in its page, as the page's headings are linked."""
    words = re.sub(r"[^\w\- ]", "", f"{found.id}: {found.title}".lower())
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
                            "verdicts": _verdict_rows(one.verdicts),
                            "fragment": None if one.fragment is None else str(one.fragment),
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


def _result(found: Diagnostic, ids: list[str]) -> JsonObject:
    text = found.message + (f"; {found.help}" if found.help else "")
    result: JsonObject = {
        "ruleId": found.id,
        "ruleIndex": ids.index(found.id) if found.id in ids else -1,
        "level": found.severity,
        "message": {"text": text},
    }
    if found.source is not None:
        region: JsonObject = {"startLine": found.line}
        if not _is_expanded(found):
            region["startColumn"], region["endColumn"] = _columns(found)
        place = {"artifactLocation": {"uri": file_of(found)}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    if found.edit is not None:
        result["fixes"] = [_fix(found.help or text, found.edit)]
    return result


def _fix(text: str, edit: Edit) -> JsonObject:
    row = _edit_row(edit)
    region = {
        "startLine": row["line"],
        "startColumn": row["column"],
        "endLine": row["end_line"],
        "endColumn": row["end_column"],
    }
    replacement = {"deletedRegion": region, "insertedContent": {"text": edit.text}}
    change = {"artifactLocation": {"uri": row["file"]}, "replacements": [replacement]}
    return {"description": {"text": text}, "artifactChanges": [change]}
