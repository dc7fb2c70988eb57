"""Makes messages of the language server protocol of what ``policy.editing`` and checks say.

Inputs: values, the positions in a text.  Outputs: types of the protocol.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final

from lsprotocol import types

from classad.errors import Diagnostic, LimitError
from classad.patterns import late_regex
from classad.source import Source
from pieslice.lsp.project import CheckedConfig, check_ads
from policy.editing.actions import place_of
from policy.editing.completions import Completions, Sort
from policy.editing.hovers import Hover
from policy.editing.outlines import Fold, Symbol
from policy.editing.positions import Positions
from policy.lint.finding import ERROR, NOTE, WARNING

#: The language of configurations, as editors name it.
LANGUAGE: Final = "condor-config"
_PAGE: Final = "https://pieslice.readthedocs.io/en/stable/findings.html"
_SEVERITIES: Final = {
    ERROR: types.DiagnosticSeverity.Error,
    WARNING: types.DiagnosticSeverity.Warning,
    NOTE: types.DiagnosticSeverity.Information,
}
_KINDS: Final = {
    Sort.MACRO: types.CompletionItemKind.Variable,
    Sort.KEYWORD: types.CompletionItemKind.Keyword,
    Sort.VALUE: types.CompletionItemKind.Value,
    Sort.FUNCTION: types.CompletionItemKind.Function,
    Sort.ATTRIBUTE: types.CompletionItemKind.Field,
    Sort.TEMPLATE: types.CompletionItemKind.Snippet,
    Sort.GROUP: types.CompletionItemKind.EnumMember,
    Sort.FINDING: types.CompletionItemKind.Reference,
}
_SYMBOLS: Final = {
    "section": types.SymbolKind.Namespace,
    "macro": types.SymbolKind.Variable,
    "condition": types.SymbolKind.Operator,
    "statement": types.SymbolKind.Module,
}
_MARKUP: Final = late_regex(r"([\\`*_{}\[\]<>#|~])")
#: Facts whose values are texts of a configuration.
_CODE: Final = frozenset(("default", "value here", "replaces"))


def range_of(positions: Positions, start: int, end: int) -> types.Range:
    """A stretch of a text."""
    return types.Range(position_of(positions, start), position_of(positions, end))


def position_of(positions: Positions, offset: int) -> types.Position:
    """A place in a text."""
    return types.Position(*positions.position(offset))


def diagnostic(found: Diagnostic, where: types.Range) -> types.Diagnostic:
    """A finding."""
    text = found.message if not found.help else f"{found.message}\nhelp: {found.help}"
    page = types.CodeDescription(f"{_PAGE}#{found.id.lower()}") if found.id else None
    severity = _SEVERITIES.get(found.severity, types.DiagnosticSeverity.Hint)
    return types.Diagnostic(
        where, text, severity=severity, code=found.id, code_description=page, source="pieslice"
    )


def hover(found: Hover, positions: Positions, *, markdown: bool) -> types.Hover:
    """What is known of a word."""
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    text = _markdown(found) if markdown else _plain(found)
    where = range_of(positions, found.start, found.end)
    return types.Hover(types.MarkupContent(kind, text), where)


def _markdown(found: Hover) -> str:
    parts = [_fenced(found.heading), _escaped(found.text)]
    facts = (
        f"- {_escaped(label)}: {_code(value) if label in _CODE else _escaped(value)}"
        for label, value in found.facts
    )
    parts.append("\n".join(facts))
    if found.example:
        parts.append(_fenced("\n".join(found.example)))
    return "\n\n".join(filter(None, parts))


def _plain(found: Hover) -> str:
    facts = [f"{label}: {value}" for label, value in found.facts]
    return "\n".join((found.heading, found.text, *facts, *found.example))


def _escaped(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _code(text: str) -> str:
    """Code within a line, in as many backticks as it needs."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{LANGUAGE}\n{text}\n{fence}"


def completion(found: Completions, positions: Positions) -> types.CompletionList:
    """What may be written."""
    where = range_of(positions, found.start, found.end)
    items = [
        types.CompletionItem(
            one.text,
            kind=_KINDS[one.sort],
            detail=one.detail or None,
            sort_text=f"{number:04}",
            filter_text=one.text,
            text_edit=types.TextEdit(where, one.text),
        )
        for number, one in enumerate(found.proposals)
    ]
    return types.CompletionList(is_incomplete=found.more, items=items)


def symbols(found: Iterable[Symbol], positions: Positions) -> list[types.DocumentSymbol]:
    """An outline."""
    return [
        types.DocumentSymbol(
            one.name or "?",
            _SYMBOLS[one.sort],
            range_of(positions, one.start, one.end),
            range_of(positions, one.name_start, one.name_end),
            detail=one.detail or None,
            children=symbols(one.below, positions),
        )
        for one in found
    ]


def folds(found: Iterable[Fold]) -> list[types.FoldingRange]:
    """What can be folded."""
    comment, region = types.FoldingRangeKind.Comment, types.FoldingRangeKind.Region
    return [
        types.FoldingRange(one.first, one.last, kind=comment if one.is_comment else region)
        for one in found
    ]


def edits(changes: Mapping[str, list[types.TextEdit]]) -> types.WorkspaceEdit:
    """Changes of several files, by their addresses."""
    return types.WorkspaceEdit(changes={uri: list(several) for uri, several in changes.items()})


def marks_of(found: CheckedConfig) -> dict[str, list[types.Diagnostic]]:
    """The findings of a check by the full paths of their files, with none for those without."""
    marks: dict[str, list[types.Diagnostic]] = {path: [] for path in found.paths}
    positions = {one.name: Positions(one.text) for one in found.config.texts}
    nowhere = range_of(Positions(""), 0, 0)
    # The root may be a folder of files.
    first = next(iter(found.paths), found.root)
    for one in found.findings:
        place = place_of(one)
        path = os.path.abspath(first if place is None else place.source.name)
        where = nowhere
        if place is not None:
            known = positions.get(place.source.name)
            if known is None or known.text != place.source.text:
                known = Positions(place.source.text)
            where = range_of(known, place.start, place.end)
        marks.setdefault(path, []).append(diagnostic(one, where))
    return marks


def ad_marks(text: str, path: str) -> list[types.Diagnostic]:
    """What is wrong with a text of ads, or with an expression."""
    try:
        found = check_ads(text, path)
    except (LimitError, RecursionError, ValueError) as problem:
        found = [Diagnostic(" ".join(str(problem).split()), Source(text, path))]
    return [diagnostic(one, _by_lines(one, text)) for one in found]


def _by_lines(found: Diagnostic, text: str) -> types.Range:
    """Where a finding is whose source is a part of a text."""
    lines = Positions(text)
    start = lines.offset((found.line or 1) - 1, (found.column or 1) - 1)
    return range_of(lines, start, min(len(text), start + max(1, found.end - found.start)))
