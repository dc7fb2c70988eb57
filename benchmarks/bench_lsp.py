"""Measures what somebody at an editor waits for: the language server, as an editor talks to it.

Run: ``python benchmarks/bench_lsp.py [--lines N]``, by default a configuration of 2,000 lines.
Seconds on the clock, as an editor sees them: from the start of the server to its greeting, the best
of three; from a key to the marks of the whole text (150 ms of it the pause), the median of six;
the answer to a hover and to a completion while nothing else is done, the median; and of those that
are asked for while checks run the worst.  Beside it stands whether the marks are the findings of
``policy.lint``, by line and number.  A table, then JSON lines.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from queue import Queue
from random import Random
from statistics import median
from threading import Thread
from typing import Any

from bench_cycle import pace

from policy.io import read_config
from policy.lint.verdict import examine

KEYS = 6
SLIP = "GROUP_QUOTA_DYNAMC_group_{2} = 0.0002"
MARKS = "textDocument/publishDiagnostics"
QUESTIONS = ("textDocument/hover", "textDocument/completion")


def text_of(lines: int) -> str:
    """A configuration as sites have them, with a slip in every hundredth line."""
    kinds = (
        "GROUP_QUOTA_DYNAMIC_group_{0} = 0.0001",
        "SITE_LIMIT_{0} = $(NUM_CPUS) * {0}",
        "JOB_LIMIT_{0} = TARGET.RequestMemory < 1024 * {0} && TARGET.RequestCpus <= Cpus",
        "LICENSE_{0}_LIMIT = $(SITE_LIMIT_{1})",
        "# what follows is for rack {0}",
    )
    names = ", ".join(f"group_{number}" for number in range(0, lines, len(kinds)))
    written = [f"GROUP_NAMES = {names}"]
    for number in range(lines - 1):
        first = number - number % len(kinds)
        kind = SLIP if number % 100 == 99 else kinds[number % len(kinds)]
        written.append(kind.format(number, first + 1, first))
    return "\n".join(written) + "\n"


class Editor:
    """Starts a server and talks to it."""

    def __init__(self) -> None:
        begun = time.perf_counter()
        words = [sys.executable, "-m", "pieslice", "lsp"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.told: Queue[tuple[float, dict[str, Any]]] = Queue()
        self.ids = count(1)
        Thread(target=self._listen, daemon=True).start()
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.greeted = time.perf_counter() - begun

    def _listen(self) -> None:
        assert self.process.stdout is not None
        size = 0
        while line := self.process.stdout.readline():
            if line.lower().startswith(b"content-length"):
                size = int(line.split(b":")[1])
            elif line == b"\r\n":
                self.told.put((time.perf_counter(), json.loads(self.process.stdout.read(size))))

    def say(self, method: str, params: Any, **more: int) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params} | more).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> tuple[float, list[tuple[float, Any]]]:
        """Seconds until an answer, and the marks that came before it, with their moments."""
        number, begun, marks = next(self.ids), time.perf_counter(), []
        self.say(method, params, id=number)
        while True:
            moment, message = self.told.get(timeout=60)
            if message.get("method") == MARKS:
                marks.append((moment, message["params"]["diagnostics"]))
            if message.get("id") == number and "method" not in message:
                return moment - begun, marks

    def marks(self) -> tuple[float, Any]:
        """The next marks, and their moment."""
        while True:
            moment, message = self.told.get(timeout=60)
            if message.get("method") == MARKS:
                return moment, message["params"]["diagnostics"]

    def leave(self) -> None:
        """End the server."""
        self.ask("shutdown", None)
        self.say("exit", None)
        self.process.wait()


def typed(editor: Editor, uri: str, version: int) -> float:
    """Type a key at the top of a text; its moment."""
    top = {"line": 0, "character": 0}
    change = {"range": {"start": top, "end": top}, "text": "#" if version % 2 else "\n"}
    moment = time.perf_counter()
    document = {"uri": uri, "version": version}
    editor.say("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    return moment


def question(editor: Editor, uri: str, random: Random, lines: int) -> tuple[float, Any]:
    """Ask about some place of a text."""
    where = {"line": random.randrange(KEYS, lines), "character": 3}
    method = random.choice(QUESTIONS)
    return editor.ask(method, {"textDocument": {"uri": uri}, "position": where})


def measured(path: Path, lines: int) -> list[dict[str, Any]]:
    """The rows of a file."""
    greetings = []
    for _ in range(3):
        editor = Editor()
        greetings.append(editor.greeted)
        if len(greetings) < 3:
            editor.leave()
    editor.say("initialized", {})
    uri, text, random = path.as_uri(), path.read_text(), Random(1)
    document = {"uri": uri, "languageId": "condor-config", "version": 1, "text": text}
    editor.say("textDocument/didOpen", {"textDocument": document})
    _, first = editor.marks()
    quiet = [question(editor, uri, random, lines)[0] for _ in range(60)]
    waits, busy = [], []
    for key in range(KEYS):
        begun, marked = typed(editor, uri, 2 + key), False
        while not marked:
            seconds, marks = question(editor, uri, random, lines)
            busy.append(seconds)
            marked = bool(marks)
            waits += [moment - begun for moment, _ in marks[:1]]
            time.sleep(0.01)
    editor.leave()
    config = read_config(str(path), subsystem="NEGOTIATOR", keep_going=True)
    findings = {(one.line - 1, one.id) for one in examine(config, asked=False).findings if one.id}
    marks = {(one["range"]["start"]["line"], one["code"]) for one in first if "code" in one}
    return [
        {"what": "greeting", "seconds": min(greetings)},
        {"what": "key to marks", "seconds": median(waits), "same": marks == findings != set()},
        {"what": "answer", "seconds": median(quiet)},
        {"what": "answer in a check", "seconds": max(busy)},
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="The language server, as an editor sees it.")
    parser.add_argument("--lines", type=int, default=2000)
    lines = parser.parse_args().lines
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "site.conf")
        path.write_text(text_of(lines))
        rows = measured(path, lines)
    loop = pace()
    for row in rows:
        same = {True: "same", False: "DIFFERENT", None: ""}[row.get("same")]
        print(f"{row['what']:28} {row['seconds']:8.4f} s  {same}", flush=True)
    print(f"a loop that is always the same: {1000 * loop:.0f} ms")
    about = {"machine": platform.machine(), "python": platform.python_version(), "lines": lines}
    for row in rows:
        print(json.dumps(about | {"loop": loop} | row))
    return int(any(row.get("same") is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
