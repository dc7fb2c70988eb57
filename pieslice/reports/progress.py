"""Shows a line on a terminal while a stage takes long.

After one second of a stage, its name and the seconds it has taken; gone when the stage ends.

Inputs: a stream and stages as context managers.  Outputs: nothing unless the stream is a terminal.
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
