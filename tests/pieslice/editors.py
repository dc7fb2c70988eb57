"""An editor as the language server sees it: a process that sends messages and reads them.

Everything that the server sends is held to the types of the protocol.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from lsprotocol import converters, types

CONVERTER = converters.get_converter()
#: Seconds that anything may take on a machine that is busy.
PATIENCE = 30.0


class LspError(Exception):
    """An error that the server answered with."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]
        assert not error.get("data"), "an error shows no trace"
        assert "\n" not in error["message"], "it is one line"


class Editor:
    """One editor with its server."""

    def __init__(self, folder: Path | None = None, **settings: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pieslice", "lsp", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.answers: dict[Any, queue.Queue[dict[str, Any]]] = {}
        self.notes: queue.Queue[dict[str, Any]] = queue.Queue()
        self.seen: list[dict[str, Any]] = []
        self.asked: dict[Any, str] = {}
        self.number = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.folder, self.settings = folder, settings

    def start(self, **capabilities: Any) -> dict[str, Any]:
        """Say hello, as every editor does."""
        answer = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": None if self.folder is None else self.folder.as_uri(),
                "capabilities": capabilities,
                "initializationOptions": self.settings,
            },
        )
        self.tell("initialized", {})
        return answer

    def __enter__(self) -> Editor:
        self.start()
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process.stdin and not self.process.stdin.closed:
            self.end()

    def end(self) -> str:
        """Go as an editor should; what the server wrote beside the protocol."""
        if self.process.poll() is None:
            self.ask("shutdown", None)
            self.tell("exit", None)
        return self.gone()

    def gone(self) -> str:
        """Wait for the end of the server."""
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.reader.join(PATIENCE)
            said = self.process.stderr.read().decode() if self.process.stderr else ""
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream is not None:
                    stream.close()
        return said

    # --- messages ---------------------------------------------------------------------------------

    def raw(self, body: bytes) -> None:
        """Send bytes behind a right header."""
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def send(self, **message: Any) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def tell(self, method: str, params: Any) -> None:
        self.send(method=method, params=params)

    def ask_later(self, method: str, params: Any) -> int:
        """Send a request; its number."""
        self.number += 1
        self.asked[self.number] = method
        self.answers[self.number] = queue.Queue()
        self.send(id=self.number, method=method, params=params)
        return self.number

    def answer(self, number: int | None) -> Any:
        """The answer to a request, as the protocol has it."""
        message = self.answers.setdefault(number, queue.Queue()).get(timeout=PATIENCE)
        if "error" in message:
            raise LspError(message["error"])
        kind = types.METHOD_TO_TYPES[self.asked[number]][1]
        CONVERTER.structure(message, kind)
        return message["result"]

    def ask(self, method: str, params: Any) -> Any:
        return self.answer(self.ask_later(method, params))

    def note(self, method: str, **wanted: Any) -> dict[str, Any]:
        """The next notification, or request of the server, of a kind, with these parameters."""
        while True:
            for message in self.seen:
                params: dict[str, Any] = message.get("params") or {}
                if message["method"] == method and all(
                    params[name] == value for name, value in wanted.items()
                ):
                    self.seen.remove(message)
                    return params
            self.seen.append(self.notes.get(timeout=PATIENCE))

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            name, _, value = header.partition(b":")
            assert name == b"Content-Length", header
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(int(value)))
            if "method" in message:
                CONVERTER.structure(message, types.METHOD_TO_TYPES[message["method"]][0])
                if "id" in message:
                    self.send(id=message["id"], result=None)
                self.notes.put(message)
            else:
                self.answers.setdefault(message["id"], queue.Queue()).put(message)

    # --- files ------------------------------------------------------------------------------------

    def open(self, path: Path, text: str | None = None, language: str = "condor-config") -> str:
        """Open a file, with a text that is not saved if one is given; its address."""
        text = path.read_text() if text is None else text
        document = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return path.as_uri()

    def change(self, uri: str, *changes: dict[str, Any]) -> None:
        document = {"uri": uri, "version": 2}
        params = {"textDocument": document, "contentChanges": list(changes)}
        self.tell("textDocument/didChange", params)

    def marks(self, uri: str) -> list[dict[str, Any]]:
        """The next findings that are shown of a file."""
        params = self.note("textDocument/publishDiagnostics", uri=uri)
        return params["diagnostics"]  # type: ignore[no-any-return]

    def at(self, uri: str, line: int, column: int) -> dict[str, Any]:
        return {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}}
