"""Reads and writes compressed files.

A compressed file that is cut off or damaged gives the text before the cut, and says so; one that
unpacks to more than a limit is cut there, so that a small file cannot fill the memory.

Inputs: a stream of bytes, the name of a compression.  Outputs: ``Unpacked``, a stream of bytes.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import IO, Any, Final, TypeAlias

from classad.errors import ClassAdOSError, Diagnostic
from classad.language.bounds import checkpoint, unpacked_limit

#: What is read at a time; zstd makes at most 32,000 times as much of it.
_PIECE: Final = 1 << 16
_ZSTD_PIECE: Final = 1 << 10

#: Reads some bytes, at most so many; and what it raises where the file is damaged.
_Reader: TypeAlias = tuple[Callable[[int], bytes], tuple[type[Exception], ...]]


class Unpacked(io.RawIOBase):
    """The text of a compressed stream; ``cut`` says why it ends before its end, if it does."""

    def __init__(self, packed: IO[bytes], compression: str) -> None:
        super().__init__()
        self._read, self._damage = _reader(packed, compression)
        self._limit = unpacked_limit()
        self._left = b""
        self._bytes = 0
        self._lines = 0
        self.cut = ""

    def readable(self) -> bool:
        """True: that is all it is for."""
        return True

    def readinto(self, into: Any) -> int:
        """Fill a buffer; nothing comes from behind a cut."""
        if not self._left and not self.cut:
            self._left = self._next()
        piece, self._left = self._left[: len(into)], self._left[len(into) :]
        into[: len(piece)] = piece
        return len(piece)

    def _next(self) -> bytes:
        checkpoint("unpacking a file")
        try:
            piece = self._read(_PIECE)
        except EOFError:
            self.cut = "the file is cut off"
            return b""
        except self._damage:
            self.cut = "the file is damaged"
            return b""
        if self._bytes + len(piece) > self._limit:
            self.cut = "more is not unpacked"
            piece = piece[: self._limit - self._bytes]
        self._bytes += len(piece)
        self._lines += piece.count(b"\n")
        return piece

    def diagnostic(self, name: str) -> Diagnostic | None:
        """What is said of the file if it was cut."""
        if not self.cut:
            return None
        place = f"in line {self._lines + 1}, behind {self._bytes} bytes"
        message = f"{name}: the unpacked text ends {place}: {self.cut}"
        return Diagnostic(message, help="the ads before that are read", lost="rest")


def _reader(packed: IO[bytes], compression: str) -> _Reader:
    if compression == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=packed).read1, (zlib.error, gzip.BadGzipFile)
    if compression == "xz":
        import lzma

        return lzma.LZMAFile(packed).read1, (lzma.LZMAError,)
    if compression == "bzip2":
        import bz2

        return bz2.BZ2File(packed).read1, (OSError, ValueError)
    module = _zstd_module()
    if hasattr(module, "ZstdFile"):  # pragma: no cover - Python 3.14 and newer
        return module.ZstdFile(packed).read1, (module.ZstdError,)
    frames = _zstd_frames(packed, module)
    return (lambda _: next(frames, b"")), (module.ZstdError,)


def _zstd_frames(packed: IO[bytes], module: Any) -> Iterator[bytes]:
    """What the frames of a stream unpack to; ``EOFError`` if the last one is not whole.

    The readers of the package take the end of the file for the end of the frame.
    """
    frame: Any = None
    while data := packed.read(_ZSTD_PIECE):
        while data:
            if frame is None:
                frame = module.ZstdDecompressor().decompressobj()
            piece = frame.decompress(data)
            data = b""
            if frame.eof:
                data, frame = frame.unused_data, None
            if piece:
                yield piece
    if frame is not None:
        raise EOFError


def create_zstd(path: str) -> Any:
    """A new file of bytes, compressed."""
    return _zstd_module().open(path, "wb")


def _zstd_module() -> Any:
    for module in ("compression.zstd", "zstandard"):
        try:
            return import_module(module)
        except ImportError:
            continue
    raise ClassAdOSError(
        "zstd needs Python 3.14 or the package zstandard: pip install 'pieslice[zstd]'"
    )
