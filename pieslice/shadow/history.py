"""Keeps the captures of a shadow in a history: those before and after each cycle.

What is wrong with the history, a full disk for example, is said once, and the shadow goes on: it
is written again when it can be.

Inputs: a path, captures.  Outputs: the history; raises ``HistoryError`` where it cannot be opened.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from pieslice.live.capture import LiveCapture
from pieslice.recording.store import HistoryError, Recorder

_DAY: Final = 86_400.0
_MB: Final = 1_000_000

#: Takes a capture, and says whether it is kept.
Keep: TypeAlias = Callable[[LiveCapture], bool]


@contextlib.contextmanager
def keeping(
    path: Path | None,
    days: float | None,
    say: Callable[[str], object],
    megabytes: float | None = None,
) -> Iterator[Keep]:
    """A function that keeps captures, for so many days, in so much; nothing without a path."""
    if path is None:
        yield lambda capture: True
        return
    with Recorder(path) as recorder:
        if recorder.dropped is not None:
            say(f"{path}: {recorder.dropped}")

        troubled = full = False
        size = None if megabytes is None else round(megabytes * _MB)

        def keep(capture: LiveCapture) -> bool:
            nonlocal troubled, full
            if recorder.last is not None and recorder.last.time == capture.ended:
                # The one after a cycle is often the one before the next.
                return True
            try:
                recorder.append(capture.ended, dict(capture.files()))
                if days is not None:
                    recorder.bound(seconds=days * _DAY)
                if size is not None and recorder.bound(size=size) and not full:
                    full = True
                    say(f"{path}: is full; the oldest captures are dropped")
            except HistoryError as problem:
                if not troubled:
                    say(str(problem))
                troubled = True
            else:
                if troubled:
                    say(f"{path}: is written again")
                troubled = False
            return not troubled

        yield keep
