"""Writes findings for people, programs, code scanning and GitHub annotations.

Inputs: diagnostics.  Outputs: text.  The SARIF report follows version 2.1.0, the annotations
GitHub's workflow commands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from pieslice.data import JsonObject
from policy.explain.sentences import listing
from policy.knobs.reading import EXPANDED
from policy.lint.finding import ERROR, NOTE, WARNING, Finding
from policy.lint.verdict import Verdict

_GITHUB: Final = {ERROR: "error", WARNING: "warning", NOTE: "notice"}


@frozen
class Checked:
    """One configuration that was checked."""

    path: str
    verdicts: tuple[Verdict, ...]
    findings: tuple[Diagnostic, ...]

    @property
    def starts(self) -> bool:
        """Would all daemons start?"""
        return all(verdict.starts for verdict in self.verdicts)

    def count(self, severity: str) -> int:
        """How many findings have this severity."""
        return sum(found.severity == severity for found in self.findings)


def report(results: Sequence[Checked], format_: str, known: Mapping[str, Finding]) -> str:
    """All results as text, json, sarif or github, without a final newline."""
    if format_ == "json":
        return json.dumps([_plain(result) for result in results], indent=2)
    if format_ == "sarif":
        return json.dumps(_sarif(results, known), indent=2)
    lines: list[str] = []
    for result in results:
        lines.extend(_annotations(result) if format_ == "github" else _text(result))
    return "\n".join(lines)


def _text(result: Checked) -> Iterable[str]:
    for text in _verdicts(result):
        yield f"{result.path}: {text}"
    for found in result.findings:
        yield found.render()
    counts = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for word in (ERROR, WARNING, NOTE)
        if (count := result.count(word))
    ]
    yield f"{result.path}: {', '.join(counts) or 'no findings'}"


def _verdicts(result: Checked) -> Iterable[str]:
    """What keeps daemons from starting, and in one line those that start without more ado."""
    yield from (one.text for one in result.verdicts if one.qualified)
    plain = [one for one in result.verdicts if not one.qualified]
    if plain:
        yield f"{listing(str(one.daemon) for one in plain)} would start"


def _file(found: Diagnostic) -> str | None:
    return None if found.source is None else found.source.name.removesuffix(EXPANDED)


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


def _plain(result: Checked) -> JsonObject:
    return {
        "path": result.path,
        "starts": result.starts,
        "verdicts": [
            {
                "daemon": str(verdict.daemon),
                "starts": verdict.starts,
                "status": verdict.status,
                "text": verdict.text,
            }
            for verdict in result.verdicts
        ],
        "findings": [
            {
                "id": found.id,
                "severity": found.severity,
                "file": _file(found),
                "line": found.line,
                "column": found.column,
                "message": found.message,
                "help": found.help,
            }
            for found in result.findings
        ],
    }


def _annotations(result: Checked) -> Iterable[str]:
    for verdict in result.verdicts:
        if not verdict.starts:
            yield f"::error file={_property(result.path)}::{_data(verdict.text)}"
    for found in result.findings:
        words = [f"title={_property(found.id or '')}"]
        if found.source is not None:
            words = [f"file={_property(_file(found) or '')}", f"line={found.line}", *words]
            if not _is_expanded(found):
                words.insert(2, f"col={_columns(found)[0]}")
        text = found.message + (f"; {found.help}" if found.help else "")
        yield f"::{_GITHUB[found.severity]} {','.join(words)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _sarif(results: Sequence[Checked], known: Mapping[str, Finding]) -> JsonObject:
    rules = [
        {
            "id": found.id,
            "shortDescription": {"text": found.title},
            "fullDescription": {"text": found.doc},
            "defaultConfiguration": {"level": found.severity},
        }
        for found in known.values()
    ]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "pieslice", "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(found, list(known)) for one in results for found in one.findings
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
        place = {"artifactLocation": {"uri": _file(found)}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    return result
