"""Keeps a second writer out of a file: a lock beside it, held as long as its process lives.

Inputs: the path of what is written.  Outputs: the lock, which `<path>.lock` stands for; the system
lets go of it when the process ends, however it ends, so an old lock file is no obstacle.
Follows: the library filelock, which asks each system in its own way.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


class BusyError(Exception):
    """Another process is writing to the file or folder."""


def hold(path: Path) -> BaseFileLock:
    """The lock of a file or folder, taken; `release` lets go of it.  Raises ``BusyError``."""
    from filelock import FileLock, Timeout

    # One lock may be taken in one thread and let go of in another, as a descriptor may.
    lock = FileLock(path.with_name(path.name + ".lock"), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BusyError(f"{path}: another process is writing to it") from None
    return lock
