"""Shows a line on a terminal while something takes long.

After one second of a stage, its name and the seconds it has taken; of work whose end is known, the
share that is done and the time that is left.  The line is gone when the work ends.

Inputs: a stream and stages as context managers, or what is done of how much.  Outputs: nothing
unless the stream is a terminal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

#: Seconds after which a stage shows up, and between updates.
PATIENCE: Final = 1.0


class Progress:
    """Stages of a run; ``stream`` is usually standard error."""

    def __init__(self, stream: IO[str] | None, patience: float = PATIENCE) -> None:
        self.stream = stream if stream is not None and stream.isatty() else None
        self.patience = patience

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Show ``name`` while the block runs longer than the patience."""
        if self.stream is None:
            yield
            return
        done = threading.Event()
        worker = threading.Thread(target=self._watch, args=(name, done), daemon=True)
        worker.start()
        try:
            yield
        finally:
            done.set()
            worker.join()

    def _watch(self, name: str, done: threading.Event) -> None:
        stream = self.stream
        if stream is None:
            return
        began = time.monotonic()
        shown = False
        while not done.wait(self.patience):
            shown = True
            stream.write(f"\r\x1b[K{name} ... {time.monotonic() - began:.0f} s")
            stream.flush()
        if shown:
            stream.write("\r\x1b[K")
            stream.flush()


class Share:
    """Work that is done step by step, from ``begin`` to ``total``."""

    def __init__(
        self,
        stream: IO[str],
        name: str,
        total: float,
        begin: float = 0,
        patience: float = PATIENCE,
    ) -> None:
        self.stream = stream if stream.isatty() else None
        self.name = name
        self.total = total
        self.begin = self.done = begin
        self.patience = patience
        self.began = self.told = time.monotonic()
        self.shown = False

    def speed(self) -> float:
        """How much is done in a second."""
        return (self.done - self.begin) / max(time.monotonic() - self.began, 1e-9)

    def moved(self, done: float, note: str = "") -> None:
        """So much is done now; ``note`` stands between the share and the time that is left."""
        self.done = done
        now = time.monotonic()
        if self.stream is None or now - self.told < self.patience:
            return
        self.told, self.shown = now, True
        share = done / self.total if self.total else 1.0
        left = (self.total - done) / max(self.speed(), 1e-9)
        parts = [f"{self.name} {share:4.0%}", *([note] if note else []), f"{_span(left)} left"]
        self.stream.write(f"\r\x1b[K{', '.join(parts)}")
        self.stream.flush()

    def ended(self) -> None:
        """Take the line away."""
        if self.stream is not None and self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self.shown = False


def _span(seconds: float) -> str:
    minutes, seconds = divmod(int(min(seconds, 359_999)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"
