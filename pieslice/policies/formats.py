"""Writes findings for people, programs, code scanning and GitHub annotations.

Findings of one cause are one block in reports that people read.

Inputs: diagnostics.  Outputs: text.  The SARIF report follows version 2.1.0, the annotations
GitHub's workflow commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

from attr import frozen

from classad.errors import Diagnostic, Edit
from classad.patterns import late_regex
from pieslice.command_line import installed_version
from pieslice.data import JsonObject, indented
from pieslice.policies.checked import Checked
from pieslice.reports.document import Document, plain, version_data
from pieslice.terminal import WIDE, printable
from policy.knobs.reading import EXPANDED
from policy.lint.causes import file_of
from policy.lint.finding import ERROR, NOTE, WARNING, Finding

#: Where the findings are described, from the top of the source.
_PAGE: Final = "docs/findings.md"
#: What a link to a heading leaves out of it.
_NO_ANCHOR: Final = late_regex(r"[^\w\- ]")
_GITHUB: Final = {ERROR: "error", WARNING: "warning", NOTE: "notice"}


@frozen
class Checks(Document):
    """What was found in configurations."""

    schema: ClassVar[str] = "pieslice/checks/1"
    checks: Sequence[Checked]


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
            from pieslice.policies.blocks import report_lines  # which no other form needs

            lines.extend(report_lines(result, every, width))
    return "\n".join(lines)


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
    index = {id_: at for at, id_ in enumerate(known)}
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
                "results": [_result(found, index) for one in results for found in one.all_findings],
            }
        ],
    }


def _result(finding: Diagnostic, index: Mapping[str, int]) -> JsonObject:
    text = finding.message + (f"; {finding.help}" if finding.help else "")
    result: JsonObject = {
        "ruleId": finding.id,
        "ruleIndex": index.get(finding.id or "", -1),
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
    (line, column), (last, end) = map(edit.source.position, (edit.start, edit.end))
    region = {"startLine": line, "startColumn": column, "endLine": last, "endColumn": end}
    replacement = {"deletedRegion": region, "insertedContent": {"text": edit.text}}
    change = {"artifactLocation": {"uri": edit.source.name}, "replacements": [replacement]}
    return {"description": {"text": text}, "artifactChanges": [change]}
