"""Runs a command in this process and says what is wrong with what it did.

Wrong is: an exception or an internal error, memory or stack that ran out, an exit status that no
command has, a failure without a word, a loss with status 0, characters that steer a terminal, more
than a minute, a file that is changed or left behind by a command that does not write it, a file
that is no longer what it was though the command refused.

Inputs: ``Case``, the shop.  Outputs: a line, empty if nothing is wrong.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import shutil
import signal
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import IO, Final

from fuzz.commands.case import Case, Output

_STATUSES: Final = (0, 1, 2)
#: Seconds that one command may take; each works on a few kilobytes.
_SECONDS: Final = 60
_STEERING: Final = ("Cc", "Cf", "Zl", "Zp")
#: What is printed where nothing else has dealt with a failure.
_LAST_WORDS: Final = (
    "internal error", "Traceback (most", "pieslice: error: the input is nested too deeply",
    "pieslice: error: the memory is exhausted",
)  # fmt: skip
_UNPACK: Final[dict[bytes, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": gzip.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
    b"BZh": bz2.decompress,
}
#: Where commands may leave what they like; the second is a folder for `simulate -o -`, and a file
#: for `simulate --report -`; the third is there once a command that takes it made it.
_FREE: Final = "out"
_NAMELESS: Final = "-"
_ABSENT: Final = "missing"
_KEPT: Final = f"{_FREE}/kept"


class _TooSlow(BaseException):
    """A command takes too long; no Exception, which the command would describe."""


class _Printed(io.TextIOWrapper):
    """A file that keeps what is printed; a terminal for commands that ask."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__(tempfile.TemporaryFile(), encoding="utf-8")  # noqa: SIM115 - closed with it
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def text(self) -> str:
        self.seek(0)
        return self.read()


class Shop:
    """The folder of the files, and what they are when nothing is damaged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sound = self._read()

    def _read(self) -> dict[str, bytes]:
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}

    def damage(self, files: Mapping[str, bytes]) -> None:
        """Put the damaged files in their places, and one where commands may write."""
        for name, data in {**files, _KEPT: b"kept\n"}.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(data)

    def mend(self, tried: Case, refused: bool) -> str:
        """What became of the files, which are made whole again."""
        expected = {**self._sound, **tried.files, _KEPT: b"kept\n"}
        found = self._read()
        may_write = tried.writes if not refused else ()
        problem = ""
        for name in sorted(expected.keys() | found.keys()):
            if found.get(name) == expected.get(name):
                continue
            if name == _KEPT and not refused:
                continue
            if name.startswith((f"{_FREE}/", f"{_NAMELESS}/")) and name != _KEPT:
                continue
            if name.startswith(f"{_ABSENT}/") and not refused:
                continue
            if name == _NAMELESS and _asks_for_nameless(tried):
                continue
            if not name.startswith(may_write):
                change = "leaves" if name not in expected else "changes"
                problem = problem or f"{change} {name}{' though it refuses' if refused else ''}"
        for name in found.keys() - self._sound.keys():
            (self.folder / name).unlink()
        for free in (_FREE, _NAMELESS, _ABSENT):
            shutil.rmtree(self.folder / free, ignore_errors=True)
        for name, data in self._sound.items():
            if found.get(name) != data:
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / name).write_bytes(data)
        return problem


def wrong(tried: Case, shop: Shop) -> str:
    """What is wrong with what the command does; empty if nothing is."""
    shop.damage(tried.files)
    refused = False
    problem = ""
    try:
        code, out, err = _run(tried)
        refused = code == 2 and tried.output is not Output.FULL
        problem = _verdict(tried, code, out, err)
    except _TooSlow:
        problem = f"takes more than {_SECONDS} s"
    except Exception as raised:
        problem = f"{type(raised).__name__}: {raised}"
    left = shop.mend(tried, refused)
    return problem or left


def _run(tried: Case) -> tuple[int, str, str]:
    from pieslice.cli import main

    err = io.StringIO()
    with _input(tried.piped), _output(tried.output) as out:
        try:
            with redirect_stdout(out), redirect_stderr(err), _alarm():
                code = main(tried.words)
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        printed = out.text() if isinstance(out, _Printed) else ""
    return code, printed, err.getvalue()


@contextmanager
def _input(data: bytes) -> Iterator[None]:
    """The standard input of this process, as Python and as the system know it."""
    kept, before = os.dup(0), sys.stdin
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        os.dup2(file.fileno(), 0)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - put back below
    try:
        yield
    finally:
        sys.stdin = before
        os.dup2(kept, 0)
        os.close(kept)


@contextmanager
def _output(kind: Output) -> Iterator[IO[str]]:
    """A stream of the kind; an error of closing it is the command's, which should have flushed."""
    if kind in (Output.TERMINAL, Output.PIPE):  # progress is shown on terminals only
        with _Printed(terminal=kind is Output.TERMINAL) as printed:
            yield printed
    elif kind is Output.FULL:
        with open("/dev/full", "w", encoding="utf-8") as full:
            yield full
    else:
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "w", encoding="utf-8") as pipe:
            yield pipe


def _verdict(tried: Case, code: int, out: str, err: str) -> str:
    for line in err.splitlines():
        if any(words in line for words in _LAST_WORDS):
            return line
    if code not in _STATUSES:
        return f"exit status {code}"
    if code == 2 and "error" not in err:
        return "exit status 2 without a word"
    shown = tried.output in (Output.TERMINAL, Output.PIPE)
    if code == 1 and shown and not (out.strip() or err.strip()):
        return "exit status 1 without a word"
    on_terminal = err + (out if tried.output is Output.TERMINAL else "")
    steering = {
        character
        for character in on_terminal.replace("\n", "").replace("\t", "")
        if unicodedata.category(character) in _STEERING
    }
    if steering:
        return f"prints {sorted(steering)!r}"
    if code == 0 and tried.output is not Output.LEFT and _has_losses(tried):
        return "loses the rest of a damaged file with exit status 0"
    return ""


def _asks_for_nameless(tried: Case) -> bool:
    """Whether `-` is the value of an option."""
    return any(word == _NAMELESS or word.endswith(f"={_NAMELESS}") for word in tried.words)


def _has_losses(tried: Case) -> bool:
    """Whether a file of ads is cut or broken for sure, so that not all of it can be read."""
    if tried.words[0] != "select" or "--limit" in tried.words or "-limit" in tried.words:
        return False
    for name, data in (*tried.files.items(), (tried.words[1], tried.piped)):
        unpack = next((way for mark, way in _UNPACK.items() if data.startswith(mark)), None)
        try:
            text = data if unpack is None else unpack(data)
        except (OSError, EOFError, ValueError, lzma.LZMAError):
            return True
        except Exception:  # what else the unpackers raise for damaged bytes
            return True
        if name == "ads.json" and _is_unfinished(text.decode("utf-8", "surrogateescape").rstrip()):
            return True
    return False


def _is_unfinished(text: str) -> bool:
    """Whether JSON ends before it is complete; what the reader is lenient about is no loss."""
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return bool(text) and (problem.pos >= len(text) or problem.msg.startswith("Unterminated"))
    except (RecursionError, ValueError):  # the latter: a number of thousands of digits
        return False
    return False


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
