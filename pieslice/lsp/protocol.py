"""The protocol of language servers as every editor speaks it, strict about what goes out.

Columns are counted in UTF-16, texts are kept by the server, a request always has an answer, and
what goes wrong is told in one line, never with a trace.
Inputs: messages.  Outputs: calls of the server, answers.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from pieslice.data import Content, JsonData

_REQUEST_FAILED: Final = -32803
_NOT_INITIALIZED: Final = -32002
_INVALID_REQUEST: Final = -32600
_INVALID_PARAMS: Final = -32602
_PARSE_ERROR: Final = -32700


class Texts(Protocol):
    """What keeps the texts that are open in an editor."""

    def opened(self, document: types.TextDocumentItem) -> None:
        """Take the text of a file that was opened."""

    def changed(self, uri: str, changes: list[types.TextDocumentContentChangeEvent]) -> None:
        """Carry out changes of a text."""

    def closed(self, uri: str) -> None:
        """Forget the text of a file that was closed."""


class RequestFailed(JsonRpcException):  # type: ignore[misc]
    """An answer that there is not, and why."""

    def __init__(self, message: str, code: int = _REQUEST_FAILED) -> None:
        super().__init__(message=message, code=code)


class EditorProtocol(LanguageServerProtocol):  # type: ignore[misc]
    """The protocol with columns in UTF-16, texts kept by the server, and errors without traces."""

    _server: Texts

    def structure_message(self, data: JsonData) -> Content:
        """A message as a value; one that is none is answered."""
        try:
            return super().structure_message(data)
        except Exception:
            if "id" in data and "method" in data:
                self._refuse(data["id"], f"not what {data['method']} takes", _INVALID_PARAMS)
            raise

    def handle_message(self, message: Content) -> None:
        """Handle a message; behind ``shutdown`` each request is refused."""
        identity = getattr(message, "id", None)
        is_request = identity is not None and hasattr(message, "method")
        if is_request and self._shutdown:
            self._refuse(identity, "the server was shut down", _INVALID_REQUEST)
        elif is_request and self._workspace is None and message.method != types.INITIALIZE:
            self._refuse(identity, "the server is not initialized", _NOT_INITIALIZED)
        else:
            super().handle_message(message)

    @property
    def was_shut_down(self) -> bool:
        """Has the editor asked for the end?"""
        return bool(self._shutdown)

    def refuse_unreadable(self) -> None:
        """Answer what is no message, and has no number."""
        error = {"code": _PARSE_ERROR, "message": "this is no JSON"}
        self._send_data({"jsonrpc": "2.0", "id": None, "error": error})

    def _refuse(self, identity: Content, why: str, code: int) -> None:
        self._send_response(identity, error=types.ResponseError(code, why))

    def _send_response(self, msg_id: Content, result: object = None, error: Content = None) -> None:
        if error is not None:
            error.data = None
        super()._send_response(msg_id, result, error)

    @lsp_method(types.INITIALIZE)  # type: ignore[untyped-decorator]
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[object, object, object]:
        """Take the one way of counting that every editor knows."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)  # type: ignore[untyped-decorator]
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Keep the text of a file."""
        self._server.opened(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)  # type: ignore[untyped-decorator]
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Change the text of a file."""
        self._server.changed(params.text_document.uri, params.content_changes)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)  # type: ignore[untyped-decorator]
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget the text of a file."""
        self._server.closed(params.text_document.uri)
