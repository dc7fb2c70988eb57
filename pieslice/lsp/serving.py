"""Answers what editors ask, one function a question, and runs the server.

All of it is answered at once, of the configuration as it was read last and the text as it is now.
What goes wrong is an error of the protocol in one line.  It ends with its client.
Inputs: messages on standard input.  Outputs: messages on standard output.
"""

from __future__ import annotations

import logging
import os
import sys
from asyncio import get_running_loop
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from classad.language.bounds import limits
from pieslice.data import Content
from pieslice.lsp import shown
from pieslice.lsp.project import attributes_of, settings_of
from pieslice.lsp.protocol import Failed
from pieslice.lsp.server import Server, in_one_line, path_of
from policy.editing import actions, completions, hovers, names, outlines
from policy.editing.positions import Positions

#: What answers a question of an editor.
Handler: TypeAlias = Callable[[Server, Content], object]
#: Goes to a place, for editors that cannot do so themselves.
SHOW: Final = "pieslice.show"
#: Seconds that an answer may take.
_LONGEST: Final = 2.0
_TRIGGERS: Final = ["$", "(", ".", ":", '"', " "]
_WATCHED: Final = ("**/condor_config*", "**/*.conf", "**/pieslice.toml", "**/config.d/*")


def _initialized(server: Server, params: types.InitializedParams) -> None:
    server.loop = get_running_loop()
    server.checker.start()
    capabilities = server.client_capabilities.workspace
    watched = capabilities and capabilities.did_change_watched_files
    if watched and watched.dynamic_registration:
        globs = [types.FileSystemWatcher(glob) for glob in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(globs)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("watched", method, options)
        server.client_register_capability(types.RegistrationParams([registration]))


def _initialize(server: Server, params: types.InitializeParams) -> None:
    _take_settings(server, params.initialization_options)


def _settings_changed(server: Server, params: types.DidChangeConfigurationParams) -> None:
    # Editors without settings send an object without ours, which says nothing.
    if isinstance(params.settings, dict) and "pieslice" in params.settings:
        _take_settings(server, params.settings["pieslice"])
        server.everything_again()


def _take_settings(server: Server, values: object) -> None:
    server.settings, wrong = settings_of(values)
    for text in wrong:
        server.show(text)
    if server.settings.pool:
        server.checker.submit("pool", partial(_count, server, server.settings.pool), 0.0)


def _count(server: Server, pool: str) -> None:
    try:
        server.counted = attributes_of(pool)
    except Exception as problem:
        server.tell(partial(server.show, f"pool {pool}: {in_one_line(problem)}"))


def _files_changed(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    server.everything_again()


def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    path = path_of(params.text_document.uri)
    if server.ads.get(path):
        positions = Positions(server.texts[path])
        offset = positions.offset(params.position.line, params.position.character)
        found = hovers.expression_hover(positions.text, offset, server.counted)
    else:
        checked, source, positions, offset = server.spot(params)
        found = hovers.hover(checked.config, source, offset, server.counted)
    if found is None:
        return None
    told = server.client_capabilities.text_document
    formats = told.hover.content_format if told and told.hover else None
    markdown = formats is None or types.MarkupKind.Markdown in formats
    return shown.hover(found, positions, markdown=markdown)


def _completion(server: Server, params: types.CompletionParams) -> types.CompletionList:
    if server.ads.get(path_of(params.text_document.uri)):
        return types.CompletionList(is_incomplete=False, items=[])
    checked, source, positions, offset = server.spot(params)
    found = completions.completions(checked.config, source, offset, server.counted)
    return shown.completion(found, positions)


def _definition(server: Server, params: types.DefinitionParams) -> list[types.Location]:
    checked, source, _, offset = server.spot(params)
    return [server.location(one) for one in names.definitions(checked.config, source, offset)]


def _references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    checked, source, _, offset = server.spot(params)
    found = names.references(checked.config, source, offset)
    wanted = params.context.include_declaration
    return [server.location(one) for one in found if wanted or not one.sets]


def _highlight(
    server: Server, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    checked, source, positions, offset = server.spot(params)
    found = names.references(checked.config, source, offset)
    kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
    return [
        types.DocumentHighlight(shown.range_of(positions, one.start, one.end), kinds[one.sets])
        for one in found
        if one.source.name == source.name
    ]


def _prepare_rename(
    server: Server, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder:
    checked, source, positions, offset = server.spot(params)
    try:
        found = names.renamable(checked.config, source, offset)
    except names.CannotRename as reason:
        raise Failed(str(reason)) from None
    where = shown.range_of(positions, found.start, found.end)
    return types.PrepareRenamePlaceholder(where, found.name)


def _rename(server: Server, params: types.RenameParams) -> types.WorkspaceEdit:
    checked, source, _, offset = server.spot(params)
    try:
        return server.edit(names.rename(checked.config, source, offset, params.new_name))
    except names.CannotRename as reason:
        raise Failed(str(reason)) from None


def _symbols(server: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    _, source, positions = server.at(params.text_document.uri)
    return shown.symbols(outlines.symbols(source.text), positions)


def _folds(server: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    _, source, _ = server.at(params.text_document.uri)
    return shown.folds(outlines.folds(source.text))


def _actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    if server.ads.get(path_of(params.text_document.uri)):
        return []
    checked, source, positions = server.at(params.text_document.uri)
    start = positions.offset(params.range.start.line, params.range.start.character)
    end = positions.offset(params.range.end.line, params.range.end.character)
    found = []
    config, findings = checked.config, checked.findings
    for one in actions.actions(config, findings, source, start, max(start, end)):
        action = types.CodeAction(one.title, kind=types.CodeActionKind.QuickFix)
        if one.edit is not None:
            action.edit, action.is_preferred = server.edit([one.edit]), one.mends or None
        if one.found is not None:
            place = actions.place_of(one.found) or names.Place(source, start, end)
            where = shown.range_of(positions, place.start, place.end)
            action.diagnostics = [shown.diagnostic(one.found, where)]
        if one.show is not None:
            place = server.location(one.show)
            line, column = place.range.start.line, place.range.start.character
            action.command = types.Command(one.title, SHOW, arguments=[place.uri, line, column])
            action.kind = types.CodeActionKind.Empty
        found.append(action)
    return found


def _show(server: Server, uri: str, line: int, column: int) -> None:
    at = types.Position(int(line), int(column))
    params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=types.Range(at, at))
    server.window_show_document(params)


_FEATURES: Final[tuple[tuple[str, Handler, object], ...]] = (
    (types.INITIALIZE, _initialize, None),
    (types.INITIALIZED, _initialized, None),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, _settings_changed, None),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _files_changed, None),
    (types.TEXT_DOCUMENT_HOVER, _hover, None),
    (
        types.TEXT_DOCUMENT_COMPLETION,
        _completion,
        types.CompletionOptions(trigger_characters=_TRIGGERS),
    ),
    (types.TEXT_DOCUMENT_DEFINITION, _definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, _references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlight, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True)),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols, None),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, _folds, None),
    (types.TEXT_DOCUMENT_CODE_ACTION, _actions, None),
)


def make_server(version: str) -> Server:
    """A server with all that it answers."""
    server = Server(version)
    for name, handler, options in _FEATURES:
        server.feature(name, options)(_answer(server, handler))
    server.command(SHOW)(partial(_show, server))
    return server


def _answer(server: Server, handler: Handler) -> Callable[..., object]:
    """A handler that takes no longer than it may, and says in one line what goes wrong."""

    def answer(params: Content) -> object:
        try:
            with limits(time=_LONGEST):
                return handler(server, params)
        except JsonRpcException:
            raise
        except Exception as problem:
            logging.getLogger(__name__).debug("", exc_info=True)
            raise Failed(in_one_line(problem)) from None

    return answer


def serve(version: str, *, debug: bool = False) -> bool:
    """Serve one editor until it goes; whether it said so before."""
    logging.basicConfig(level=logging.DEBUG if debug else logging.CRITICAL, stream=sys.stderr)
    server, out = make_server(version), sys.stdout
    # Nothing but messages goes out; the server closes what it writes to.
    sys.stdout = sys.stderr
    try:
        server.start_io(sys.stdin.buffer, os.fdopen(os.dup(out.fileno()), "wb"))
    finally:
        sys.stdout = out
    return bool(server.protocol.was_shut_down)
