"""Shows a line on a terminal while something takes long.

After one second: the name of a stage and the seconds it has taken; or, of work that can be counted,
the share that is done, how far it is in its own words and the time that is left.  The line is gone
when the stage ends.

Inputs: a stream and stages as context managers.  Outputs: nothing unless the stream is a terminal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final, TypeAlias

from attr import define

#: Seconds after which a stage shows up, and between updates.
PATIENCE = 1.0
#: Erases the line.
_CLEAR: Final = "\r\x1b[K"
#: Takes how much is done of the whole, and that in words.
Moved: TypeAlias = Callable[[float, str], None]


@define
class _Count:
    """How much of a stage is done, 0 to 1, in words, and what was done when it began."""

    share: float = 0.0
    told: str = ""
    begun_at: float | None = None


class Progress:
    """Stages of a run; ``stream`` is usually standard error."""

    def __init__(self, stream: IO[str] | None, patience: float | None = None) -> None:
        self.stream = stream if stream is not None and stream.isatty() else None
        self.patience = PATIENCE if patience is None else patience
        self._lock = threading.Lock()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let the block write to the same terminal, on a line of its own."""
        with self._lock:
            if self.stream is not None:
                self.stream.write(_CLEAR)
            yield

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Show ``name`` while the block runs longer than the patience."""
        with self._watched(name, None):
            yield

    @contextmanager
    def counted(self, name: str, total: float) -> Iterator[Moved]:
        """Show how much of ``total`` is done while the block runs longer than the patience."""
        count = _Count()

        def moved(done: float, told: str) -> None:
            count.share, count.told = done / total if total else 1.0, told
            if count.begun_at is None:
                count.begun_at = count.share

        with self._watched(name, count):
            yield moved

    @contextmanager
    def _watched(self, name: str, count: _Count | None) -> Iterator[None]:
        if self.stream is None:
            yield
            return
        done = threading.Event()
        worker = threading.Thread(
            target=self._watch, args=(self.stream, name, count, done), daemon=True
        )
        worker.start()
        try:
            yield
        finally:
            done.set()
            worker.join()

    def _watch(
        self, stream: IO[str], name: str, count: _Count | None, done: threading.Event
    ) -> None:
        began = time.monotonic()
        shown = False
        while not done.wait(self.patience):
            shown = True
            with self._lock:
                stream.write(_CLEAR + _line(name, count, time.monotonic() - began))
                stream.flush()
        if shown:
            stream.write(_CLEAR)
            stream.flush()


def _line(name: str, count: _Count | None, seconds: float) -> str:
    if count is None:
        return f"{name} ... {seconds:.0f} s"
    parts = [f"{name} {count.share:4.0%}", count.told, _left(count, seconds)]
    return "  ".join(part for part in parts if part)


def _left(count: _Count, seconds: float) -> str:
    """The time that is left if it goes on as fast as until now."""
    done = count.share - (count.begun_at or 0.0)
    if done <= 0:
        return ""
    return f"{duration(seconds / done * (1 - count.share))} left"


def duration(seconds: float) -> str:
    """A time in the unit that fits: ``41 s``, ``3 min``, ``2.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
