"""Keeps the columns of files of ads in a folder, so that they are not loaded twice.

What is kept of a file counts as long as its path, its size, its time of change and the hash of its
first and last bytes are the same; what was cut, damaged, or written by another version is not used.
Nothing here is ever needed: every file of the folder may be deleted at any time, and a folder that
cannot be written is none.

Inputs: paths of files in long form.  Outputs: what ``load_file`` gives for them.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final, NamedTuple

from classad.files.ads import load_file
from classad.loading.columns import LoadedColumns

#: Bytes that all that is kept may have.
MOST: Final = 2 << 30
#: A file that changed so shortly before its columns were kept, in nanoseconds, may change again
#: without another time of change.
_SETTLED: Final = 2_000_000_000
#: Bytes at either end of a file that are hashed.
_END: Final = 1 << 16
_SUFFIX: Final = ".columns"


class _Text(NamedTuple):
    """What tells a file from others, and from what it was."""

    path: str
    size: int
    changed: int
    ends: str

    @classmethod
    def of(cls, path: Path) -> _Text:
        """Raises ``OSError``."""
        from hashlib import blake2b

        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            ends = blake2b(file.read(_END), digest_size=16)
            file.seek(max(about.st_size - _END, 0))
            ends.update(file.read(_END))
        return cls(os.path.realpath(path), about.st_size, about.st_mtime_ns, ends.hexdigest())


class ColumnCache:
    """Loads files, and keeps their columns."""

    def __init__(self, folder: Path, version: str, *, most: int = MOST) -> None:
        """``version``: of the program, whose columns are its own; ``most``: bytes in all."""
        self._folder = folder
        self._version = version
        self._most = most

    def load(self, path: Path) -> LoadedColumns:
        """The columns of a file in long form, see ``load_file``, which says what it raises."""
        text = _Text.of(path)
        kept, mark = self._place(text)
        found = self._kept(kept, mark)
        if found is not None:
            found.text_name = os.fspath(path)
            return found
        found = load_file(path)
        with contextlib.suppress(OSError):
            if _Text.of(path) == text:
                self._keep(kept, mark, found, text)
        return found

    def _place(self, text: _Text) -> tuple[Path, bytes]:
        """Where the columns of a file are kept, and what they begin with."""
        from hashlib import blake2b

        name = blake2b(os.fsencode(text.path), digest_size=16).hexdigest()
        mark = blake2b(repr((self._version, *text)).encode(), digest_size=16).hexdigest()
        return self._folder / f"{name}{_SUFFIX}", mark.encode()

    def _kept(self, kept: Path, mark: bytes) -> LoadedColumns | None:
        import mmap

        from classad.loading.packed import unpacked

        try:
            with kept.open("rb") as file:
                about = os.fstat(file.fileno())
                if about.st_uid != getattr(os, "getuid", lambda: about.st_uid)():
                    return None
                data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError):  # there is none, or it is empty
            return None
        found = unpacked(data, mark)
        if found is not None:
            with contextlib.suppress(OSError):
                os.utime(kept)  # what was used last is kept longest
        return found

    def _keep(self, kept: Path, mark: bytes, loaded: LoadedColumns, text: _Text) -> None:
        """Write what will be found; raises ``OSError``."""
        import tempfile

        from classad.loading.packed import packed

        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self._folder)
        try:
            with open(descriptor, "wb") as file:
                settled = os.fstat(descriptor).st_mtime_ns - text.changed >= _SETTLED
                pieces = packed(loaded, mark) if settled else None
                if pieces is None or sum(map(len, pieces)) > self._most:
                    return
                file.writelines(pieces)
            os.replace(name, kept)
            self._make_room(kept)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(name)

    def _make_room(self, newest: Path) -> None:
        """Let go of what was used least lately."""
        found = [(path.stat(), path) for path in self._folder.glob(f"*{_SUFFIX}")]
        found.sort(key=lambda one: (one[1] == newest, one[0].st_mtime_ns))
        total = sum(about.st_size for about, _ in found)
        for about, path in found:
            if total <= self._most:
                break
            path.unlink(missing_ok=True)
            total -= about.st_size
