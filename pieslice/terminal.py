"""Says what the stream of an answer takes: how wide, whether in colour, which characters.

Decides the width of files and pipes, when colours are used and which characters are printed as
escapes.  Every command asks here.

Inputs: a stream, the environment.  Outputs: a width, yes or no, text.  Follows: no-color.org and
force-color.org; where both are set, NO_COLOR is obeyed, as Python does.
"""

from __future__ import annotations

import io
import os
import sys
import unicodedata
from collections.abc import Callable
from typing import IO, Final, cast

#: The width of files and pipes.
DEFAULT_WIDTH: Final = 80
#: Wider than any answer.
WIDE: Final = 1_000_000
#: Controls, invisible characters that change the order of others, breaks of lines and paragraphs.
_STEERING: Final = frozenset(("Cc", "Cf", "Zl", "Zp"))


def terminal_width(stream: IO[str]) -> int:
    """The width of the terminal, or a width for files and pipes."""
    if not stream.isatty():
        return DEFAULT_WIDTH
    from shutil import get_terminal_size

    return get_terminal_size().columns


def in_colour(stream: IO[str]) -> bool:
    """Whether answers on this stream are coloured: on terminals, unless the environment decides."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _escape(code: int) -> str:
    if code < 256:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    # What JSON text has of characters below the blank is its own layout.
    if code < 0x20:
        return chr(code)
    units = chr(code).encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


class _Escapes(dict[int, str]):
    """What is printed for a character, found when it is first met."""

    def __init__(self, escape: Callable[[int], str]) -> None:
        super().__init__()
        self.escape = escape

    def __missing__(self, code: int) -> str:
        character = chr(code)
        steers = unicodedata.category(character) in _STEERING
        self[code] = shown = self.escape(code) if steers else character
        return shown


_ESCAPES: Final = _Escapes(_escape)
_JSON_ESCAPES: Final = _Escapes(_json_escape)


def printable(text: str) -> str:
    """``text`` with escapes for what steers a terminal: a name must not move the cursor."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def complain(text: str, err: IO[str] | None = None) -> None:
    """Print lines about what is wrong, to standard error unless a stream is given.

    Words of the user and of files come as escapes.
    """
    lines = "\n".join(map(printable, text.split("\n")))
    print(lines, file=sys.stderr if err is None else err, flush=True)


def printable_json(text: str) -> str:
    """JSON text with JSON's own escapes for the same characters: it says the same."""
    # Of ASCII, `json` leaves the one control above the blank as it is.
    plain = text.isascii() and "\x7f" not in text
    return text if plain else text.translate(_JSON_ESCAPES)


def harmless(stream: IO[str]) -> IO[str]:
    """The stream; if it is a terminal, one on which text from files is shown with escapes."""
    return cast("IO[str]", _Harmless(stream)) if stream.isatty() else stream


class _Harmless(io.TextIOBase):
    def __init__(self, terminal: IO[str]) -> None:
        super().__init__()
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Write text; of controls only the ends of lines are its own."""
        self._terminal.write("\n".join(map(printable, text.split("\n"))))
        return len(text)
