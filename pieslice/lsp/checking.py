"""Runs checks one after another beside the server, the newest of each kind only.

Inputs: jobs by key.  Outputs: none; a job hands on what it found itself.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

#: Seconds after the last key before a check begins.
PAUSE: Final = 0.15


class Checker(threading.Thread):
    """A thread that ends with the process, whatever it does."""

    def __init__(self) -> None:
        super().__init__(name="pieslice check", daemon=True)
        self._due: dict[str, tuple[float, Callable[[], object]]] = {}
        self._changed = threading.Condition()

    def submit(self, key: str, job: Callable[[], object], pause: float = PAUSE) -> None:
        """Run a job after a pause, instead of one with the same key that has not begun."""
        with self._changed:
            self._due[key] = monotonic() + pause, job
            self._changed.notify()

    def is_newest(self, key: str) -> bool:
        """Has nothing been submitted under a key since its job began?"""
        with self._changed:
            return key not in self._due

    def run(self) -> None:
        """Wait and work for ever."""
        while True:
            job = self._next()
            try:
                job()
            except Exception:
                # The next one may do better.
                logging.getLogger(__name__).exception("a job ended early")

    def _next(self) -> Callable[[], object]:
        with self._changed:
            while True:
                if not self._due:
                    self._changed.wait()
                    continue
                key = min(self._due, key=lambda one: self._due[one][0])
                left = self._due[key][0] - monotonic()
                if left <= 0:
                    return self._due.pop(key)[1]
                self._changed.wait(left)
