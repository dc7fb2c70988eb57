"""Keeps a ClassAd transaction log on disk, with one writer.

Every transaction is appended in one piece and fsynced before ``commit`` returns, so that a kill at
any instant loses at most the transaction in the making.  The file is never changed in place: what a
crash left behind its last whole transaction is dropped by writing the rest to ``<file>.tmp``,
fsyncing it and renaming it over the file, and compaction does the same.  A lock (``<file>.lock``)
keeps a second writer out.

Inputs: a path, records, the time (seconds since the epoch) for the header of a new file.
Outputs: the file; ``log`` is the table as it stands on disk.
Follows: the files of HTCondor 25.14.1.  The real negotiator takes no lock: use a copy of its file,
or stop it first.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from classad.files.lock import hold
from classad.files.log import (
    LogRecord,
    TransactionLog,
    compacted_lines,
    header,
    read_transaction_log,
    transaction_text,
)
from classad.language.values import from_bytes, to_bytes

#: How every descriptor is opened: on Windows bytes are kept as they are only if this is said.
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
#: What ``MAX_ACCOUNTANT_DATABASE_SIZE`` is without a configuration, in bytes.
MAX_SIZE: Final = 1_000_000


def read_log_file(path: Path) -> TransactionLog:
    """Replay a file without writing to it.  Raises ``OSError`` and ``DamagedLogError``."""
    return read_transaction_log(from_bytes(path.read_bytes()), str(path))


class LogFile:
    """An open log; a context manager.  Raises ``BusyError`` and ``DamagedLogError``."""

    def __init__(self, path: Path, *, now: int, max_size: int = MAX_SIZE) -> None:
        self.path = path
        self.max_size = max_size
        self._lock = hold(path)
        self._fd = -1
        try:
            self._fd = os.open(path, _FLAGS, 0o644)
            data = _read_all(self._fd)
            self.log = read_transaction_log(from_bytes(data), str(path))
            if not data:
                self.log.apply(header(1, now))
                self._append(header(1, now).line())
                _sync_folder(path)
            elif self.log.sound < len(from_bytes(data)):
                self.log.created = now if self.log.created is None else self.log.created
                self.compact()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> LogFile:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file and its lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._lock.release()

    def commit(self, records: Sequence[LogRecord]) -> None:
        """Append the records as one transaction (none: nothing) and wait for the disk."""
        text = transaction_text(records)
        if not text:
            return
        self._append(text)
        for record in records:
            self.log.apply(record)
        self.log.transactions += 1
        if os.fstat(self._fd).st_size > self.max_size:
            self.compact()
            self.max_size = max(self.max_size, 2 * os.fstat(self._fd).st_size)

    def compact(self) -> None:
        """Write what counts to a new file and put it in the place of the old one."""
        temporary = self.path.with_name(self.path.name + ".tmp")
        try:
            _write_new(temporary, self.path, to_bytes("".join(compacted_lines(self.log))))
            # Windows renames over no open file.  If it fails, the old file goes on.
            os.close(self._fd)
            try:
                os.replace(temporary, self.path)
            finally:
                self._fd = os.open(self.path, _FLAGS, 0o644)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(self.path)
        self.log.sequence += 1
        self.log.transactions = 0

    def _append(self, text: str) -> None:
        size = os.fstat(self._fd).st_size
        try:
            _write_all(self._fd, to_bytes(text))
            os.fsync(self._fd)
        except BaseException:
            # Take back the part that was written, so that what comes next is not lost with it; if
            # even that fails, the next reader drops the part and the transaction never was.
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, size)
            raise


def _write_new(path: Path, like: Path, data: bytes) -> None:
    """A new file, on the disk, with the rights of another one."""
    import shutil

    fd = os.open(path, _FLAGS | os.O_TRUNC, 0o644)
    try:
        shutil.copymode(like, path)
        _write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)


def _read_all(fd: int) -> bytes:
    with os.fdopen(os.dup(fd), "rb") as stream:
        stream.seek(0)
        return stream.read()


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _sync_folder(path: Path) -> None:
    """Make a new name durable; Windows opens no folders, and does so by itself."""
    if os.name == "nt":  # pragma: no cover - Windows only
        return
    fd = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
