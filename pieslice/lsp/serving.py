"""Greets an editor, takes its settings, and hands on its questions, until it goes.

What goes wrong is an error of the protocol in one line.
Inputs: messages on standard input.  Outputs: messages on standard output.
"""

from __future__ import annotations

import logging
import os
import sys
from asyncio import get_running_loop
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Final, TypeAlias

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from pieslice.data import Content
from pieslice.lsp.protocol import RequestFailed
from pieslice.lsp.server import Server, in_one_line, spare_what_stays
from pieslice.lsp.settings import settings_of

#: What takes a message of an editor.
Handler: TypeAlias = Callable[[Server, Content], object]
#: Where its questions are answered: imported when the editor has been greeted.
_ANSWERS: Final = "pieslice.lsp.answers"
#: See there.
_SHOW: Final = "pieslice.show"
#: Seconds that an answer may take.
_LONGEST: Final = 2.0
#: Seconds after which a check lets an answer go first: a message passes from thread to thread
#: several times, and waits so long each time.
_SWITCH: Final = 0.0005
_TRIGGERS: Final = ["$", "(", ".", ":", '"']
_WATCHED: Final = ("**/condor_config*", "**/*.conf", "**/pieslice.toml", "**/config.d/*")


def _initialized(server: Server, params: types.InitializedParams) -> None:
    server.loop = get_running_loop()
    server.checker.submit("import", _get_ready, 0.0)
    server.checker.start()
    server.lenses.start()
    capabilities = server.client_capabilities.workspace
    watched = capabilities and capabilities.did_change_watched_files
    if watched and watched.dynamic_registration:
        globs = [types.FileSystemWatcher(glob) for glob in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(globs)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("watched", method, options)
        server.client_register_capability(types.RegistrationParams([registration]))


def _get_ready() -> None:
    """Import what answers."""
    import_module(_ANSWERS)
    spare_what_stays()


def _initialize(server: Server, params: types.InitializeParams) -> None:
    _take_settings(server, params.initialization_options)


def _settings_changed(server: Server, params: types.DidChangeConfigurationParams) -> None:
    # Editors without settings send an object without ours, which says nothing.
    if isinstance(params.settings, dict) and "pieslice" in params.settings:
        _take_settings(server, params.settings["pieslice"])
        server.everything_again()


def _take_settings(server: Server, values: object) -> None:
    from pieslice.lsp.lens import PoolLens

    server.settings, wrong = settings_of(values)
    for text in wrong:
        server.show(text)
    pool = os.path.abspath(os.path.join(next(iter(server.folders), ""), server.settings.pool))
    server.changes.clear()
    server.lens = PoolLens(pool) if server.settings.pool else None
    if server.lens is not None:
        server.checker.submit("pool", partial(_count, server, pool), 0.0)


def _count(server: Server, pool: str) -> None:
    from pieslice.lsp.project import attributes_of

    try:
        server.counted = attributes_of(pool)
    except Exception as problem:
        server.tell(partial(server.show, f"pool {pool}: {in_one_line(problem)}"))


def _files_changed(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    server.everything_again()


def _show(server: Server, uri: str, line: int, column: int) -> None:
    at = types.Position(int(line), int(column))
    params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=types.Range(at, at))
    server.window_show_document(params)


#: Messages by the protocol, who takes them, and how they are offered.
_TAKEN: Final[tuple[tuple[str, Handler], ...]] = (
    (types.INITIALIZE, _initialize),
    (types.INITIALIZED, _initialized),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, _settings_changed),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _files_changed),
)
#: The same of questions, each with the function that answers it.
_QUESTIONS: Final[tuple[tuple[str, str, object], ...]] = (
    (types.TEXT_DOCUMENT_HOVER, "tell_word", None),
    (
        types.TEXT_DOCUMENT_COMPLETION,
        "complete",
        types.CompletionOptions(trigger_characters=_TRIGGERS),
    ),
    (types.TEXT_DOCUMENT_DEFINITION, "define", None),
    (types.TEXT_DOCUMENT_REFERENCES, "list_references", None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, "mark_all", None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, "prepare", None),
    (types.TEXT_DOCUMENT_RENAME, "rename_all", types.RenameOptions(prepare_provider=True)),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "outline", None),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, "fold", None),
    (types.TEXT_DOCUMENT_CODE_ACTION, "code_actions", None),
    (types.TEXT_DOCUMENT_CODE_LENS, "lens", None),
)


def make_server(version: str) -> Server:
    """A server with all that it answers."""
    server = Server(version)
    for name, handler in _TAKEN:
        server.feature(name)(_answer(server, handler))
    for name, answer, options in _QUESTIONS:
        server.feature(name, options)(_answer(server, partial(_ask, answer)))
    server.command(_SHOW)(partial(_show, server))
    return server


def _ask(answer: str, server: Server, params: Content) -> object:
    """The answer to a question, in no more time than it may take."""
    from classad.language.bounds import limits

    with limits(time=_LONGEST):
        return getattr(import_module(_ANSWERS), answer)(server, params)


def _answer(server: Server, handler: Handler) -> Callable[..., object]:
    """A handler that says in one line what goes wrong."""

    def answer(params: Content) -> object:
        try:
            return handler(server, params)
        except JsonRpcException:
            raise
        except Exception as problem:
            logging.getLogger(__name__).debug("", exc_info=True)
            raise RequestFailed(in_one_line(problem)) from None

    return answer


def serve(version: str, *, debug: bool = False) -> bool:
    """Serve one editor until it goes; whether it said so before."""
    logging.basicConfig(level=logging.DEBUG if debug else logging.CRITICAL, stream=sys.stderr)
    sys.setswitchinterval(_SWITCH)
    server, out = make_server(version), sys.stdout
    # Nothing but messages goes out; the server closes what it writes to.
    sys.stdout = sys.stderr
    try:
        server.start_io(sys.stdin.buffer, os.fdopen(os.dup(out.fileno()), "wb"))
    finally:
        sys.stdout = out
    return bool(server.protocol.was_shut_down)
