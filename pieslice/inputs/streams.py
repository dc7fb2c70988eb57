"""Lets commands that read a file more than once read standard input and pipes.

What comes through a pipe is kept in a temporary file, which takes its place: ``-`` and
``<(generate)`` are files like others.

Inputs: arguments.  Outputs: the same, names of files that can be opened again.
"""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
from typing import IO, TYPE_CHECKING, Final

from pieslice.writing import naming

if TYPE_CHECKING:
    from pathlib import Path

#: Standard input as a file.
_INPUT: Final = "/dev/stdin"
#: Where shells have a pipe that they have opened, under its number.
_OPENED: Final = ("/dev/fd", "/proc/self/fd")
#: The files in the place of pipes, which last as long as the process.
_KEPT: Final[list[IO[bytes]]] = []


def may_be_streams(parser: argparse.ArgumentParser, *names: str) -> None:
    """Say which arguments may be ``-`` or a pipe."""
    known: tuple[str, ...] = parser.get_default("streams") or ()
    parser.set_defaults(streams=(*known, *names))


def name_streams(args: argparse.Namespace) -> None:
    """Put files in the place of standard input and of pipes, in the arguments that may be some."""
    known: dict[str, str] = {}

    def taken(value: str | Path) -> str | Path:
        text = str(value)
        if text not in known:
            known[text] = _readable(text)
        return type(value)(known[text])

    for name in getattr(args, "streams", None) or ():
        value = getattr(args, name, None)
        if isinstance(value, list):
            setattr(args, name, [taken(item) for item in value])
        elif value is not None:
            setattr(args, name, taken(value))


def _readable(text: str) -> str:
    """A name that can be opened again for what a name stands for."""
    path = _INPUT if text == "-" else text
    if not _is_pipe(path):
        return path
    try:
        return _kept(path)
    except io.UnsupportedOperation:  # standard input is none of the system's
        return text


def _is_pipe(path: str) -> bool:
    """Whether a path is read once only: standard input, or a pipe that is open already."""
    folder, _, name = path.rpartition("/")
    if path != _INPUT and not (folder in _OPENED and name.isdecimal()):
        return False
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or (path == _INPUT and stat.S_ISCHR(kind))


def _kept(path: str) -> str:
    """The name of a file with all that a pipe gives, under the name of the pipe if possible."""
    import shutil
    import tempfile

    found = tempfile.NamedTemporaryFile(prefix="pieslice-")  # noqa: SIM115 - lasts longer
    _KEPT.append(found)
    with naming(path):
        if path == _INPUT:
            number = sys.stdin.fileno()
            shutil.copyfileobj(sys.stdin.buffer, found)
        else:
            number = int(path.rpartition("/")[2])
            with open(os.dup(number), "rb") as stream:
                shutil.copyfileobj(stream, found)
    found.flush()
    if not sys.platform.startswith("linux"):
        return found.name
    # Here opening such a name again begins at the beginning of the file behind it.
    os.dup2(found.fileno(), number)
    return path
