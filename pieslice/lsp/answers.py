"""Answers what editors ask, one function a question.

All of it is answered at once, of the configuration as it was read last and the text as it is now.
Inputs: the server, what an editor asks.  Outputs: types of the protocol; raise ``RequestFailed``.
"""

from __future__ import annotations

import os
from typing import Final

from lsprotocol import types

from classad.errors import Edit
from classad.source import Source
from pieslice.lsp import shown
from pieslice.lsp.project import CheckedConfig, read
from pieslice.lsp.protocol import RequestFailed
from pieslice.lsp.server import Server, path_of
from policy.editing import actions, completions, hovers, names, outlines
from policy.editing.names import Occurrence
from policy.editing.positions import Positions

#: Goes to a place, for editors that cannot do so themselves.
SHOW: Final = "pieslice.show"


def at(server: Server, uri: str) -> tuple[CheckedConfig, Source, Positions]:
    """The configuration of a file, and its text as it is now."""
    path = path_of(uri)
    text = server.texts.get(path)
    if text is None:
        raise RequestFailed(f"{path} is not open")
    checked = server.checks.get(path)
    if checked is None:
        checked = server.checks[path] = read(path, server.settings, server.folders, server.texts)
    return checked, Source(text, checked.source_name(path)), Positions(text)


def spot(
    server: Server, params: types.TextDocumentPositionParams
) -> tuple[CheckedConfig, Source, Positions, int]:
    """The same with the offset of a position."""
    checked, source, positions = at(server, params.text_document.uri)
    return (
        *(checked, source, positions),
        positions.offset(params.position.line, params.position.character),
    )


def location(server: Server, place: Occurrence) -> types.Location:
    """A place in a file."""
    where = shown.range_of(Positions(place.source.text), place.start, place.end)
    return types.Location(server.uri_of(os.path.abspath(place.source.name)), where)


def edit_of(server: Server, several: list[Edit]) -> types.WorkspaceEdit:
    """Edits of files."""
    changes: dict[str, list[types.TextEdit]] = {}
    for one in several:
        place = location(server, Occurrence(one.source, one.start, one.end))
        changes.setdefault(place.uri, []).append(types.TextEdit(place.range, one.text))
    return shown.edits(changes)


def tell_word(server: Server, params: types.HoverParams) -> types.Hover | None:
    """What is known of a word."""
    path = path_of(params.text_document.uri)
    if server.ads.get(path):
        positions = Positions(server.texts[path])
        offset = positions.offset(params.position.line, params.position.character)
        found = hovers.expression_hover(positions.text, offset, server.counted)
    else:
        checked, source, positions, offset = spot(server, params)
        found = hovers.hover(checked.config, source, offset, server.counted)
    if found is None:
        return None
    told = server.client_capabilities.text_document
    formats = told.hover.content_format if told and told.hover else None
    markdown = formats is None or types.MarkupKind.Markdown in formats
    return shown.hover(found, positions, markdown=markdown)


def complete(server: Server, params: types.CompletionParams) -> types.CompletionList:
    """What may be written."""
    if server.ads.get(path_of(params.text_document.uri)):
        return types.CompletionList(is_incomplete=False, items=[])
    checked, source, positions, offset = spot(server, params)
    found = completions.completions(checked.config, source, offset, server.counted)
    return shown.completion(found, positions)


def define(server: Server, params: types.DefinitionParams) -> list[types.Location]:
    """Where a name is defined."""
    checked, source, _, offset = spot(server, params)
    return [location(server, one) for one in names.definitions(checked.config, source, offset)]


def list_references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    """Where a name stands."""
    checked, source, _, offset = spot(server, params)
    found = names.references(checked.config, source, offset)
    wanted = params.context.include_declaration
    return [location(server, one) for one in found if wanted or not one.sets]


def mark_all(
    server: Server, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """Where a name stands in the same file."""
    checked, source, positions, offset = spot(server, params)
    found = names.references(checked.config, source, offset)
    kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
    return [
        types.DocumentHighlight(shown.range_of(positions, one.start, one.end), kinds[one.sets])
        for one in found
        if one.source.name == source.name
    ]


def prepare(server: Server, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
    """The name that would be another one."""
    checked, source, positions, offset = spot(server, params)
    try:
        found = names.renamable(checked.config, source, offset)
    except names.CannotRename as reason:
        raise RequestFailed(str(reason)) from None
    where = shown.range_of(positions, found.start, found.end)
    return types.PrepareRenamePlaceholder(where, found.name)


def rename_all(server: Server, params: types.RenameParams) -> types.WorkspaceEdit:
    """The edits for another name."""
    checked, source, _, offset = spot(server, params)
    try:
        return edit_of(server, names.rename(checked.config, source, offset, params.new_name))
    except names.CannotRename as reason:
        raise RequestFailed(str(reason)) from None


def outline(server: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """The outline of a file."""
    _, source, positions = at(server, params.text_document.uri)
    return shown.symbols(outlines.symbols(source.text), positions)


def fold(server: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """What of a file can be folded."""
    _, source, _ = at(server, params.text_document.uri)
    return shown.folds(outlines.folds(source.text))


def lens(server: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    """What an edit changes in the pool."""
    checked, _, positions = at(server, params.text_document.uri)
    said = server.changes.get(checked.root)
    where = shown.range_of(positions, 0, 0)
    return [types.CodeLens(where, command=types.Command(said, ""))] if said else []


def code_actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about findings."""
    if server.ads.get(path_of(params.text_document.uri)):
        return []
    checked, source, positions = at(server, params.text_document.uri)
    start = positions.offset(params.range.start.line, params.range.start.character)
    end = positions.offset(params.range.end.line, params.range.end.character)
    found = []
    config, findings = checked.config, checked.findings
    for one in actions.actions(config, findings, source, start, max(start, end)):
        action = types.CodeAction(one.title, kind=types.CodeActionKind.QuickFix)
        if one.edit is not None:
            action.edit, action.is_preferred = edit_of(server, [one.edit]), one.mends or None
        if one.found is not None:
            place = actions.place_of(one.found) or names.Occurrence(source, start, end)
            where = shown.range_of(positions, place.start, place.end)
            action.diagnostics = [shown.diagnostic(one.found, where)]
        if one.show is not None:
            place = location(server, one.show)
            line, column = place.range.start.line, place.range.start.character
            action.command = types.Command(one.title, SHOW, arguments=[place.uri, line, column])
            action.kind = types.CodeActionKind.Empty
        found.append(action)
    return found
