"""Keeps what became of a pool's cycles in a file, so that counting goes on after a restart.

A line of JSON for each cycle is appended; what a kill left of a last line is cut off.  A file that
has become large is set aside, its totals stay in the first line of the next one.  A file that
cannot be written, on a full disk for example, ends nothing: that is said once, and again when it
can be written; the totals of the time between are then added to the log.

Inputs: outcomes.  Outputs: files; raises ``OSError`` where a log cannot be read at the start.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from attr import define, field

from pieslice.data import JsonData
from pieslice.shadow.outcome import Outcome, outcome_of, total
from pieslice.shadow.report import RECENT

#: Bytes from which a file is set aside; there is one such file.
LARGE: Final = 20_000_000


@contextlib.contextmanager
def ended_in_order() -> Iterator[None]:
    """Ends what is done inside at SIGTERM as at Ctrl-C: with what there is to say at the end."""

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what a signal does
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@define(eq=False)
class Unwritten:
    """What cannot be written at the moment; ``say`` is told when that begins and when it ends."""

    say: Callable[[str], object]
    _known: set[str] = field(factory=set)

    def try_to(self, name: str, write: Callable[[], object]) -> bool:
        """Write something, and say whether that went well."""
        try:
            write()
        except BrokenPipeError:
            raise
        except OSError as problem:
            if name not in self._known:
                self._known.add(name)
                why = (problem.strerror or str(problem)).lower()
                self.say(f"{name}: {why}; going on without it")
            return False
        if name in self._known:
            self._known.remove(name)
            self.say(f"{name}: is written again")
        return True


@define(eq=False)
class Lines:
    """A file of JSON lines that only grows, and stays small."""

    path: Path
    large: int = LARGE

    def read(self) -> list[JsonData]:
        """The whole lines that are objects; what a kill left of a last one is cut off."""
        if not self.path.exists():
            return []
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(self.path, whole)
        found = []
        for line in data[:whole].splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if isinstance(line, dict)]

    def append(self, data: Mapping[str, object], first: Mapping[str, object]) -> None:
        """Add a line; ``first``: the line of totals before it, of a file that begins with it."""
        if self.path.exists() and self.path.stat().st_size > self.large:
            os.replace(self.path, f"{self.path}.1")
            self._write(first)
        self._write(data)

    def _write(self, data: Mapping[str, object]) -> None:
        size = self.path.stat().st_size if self.path.exists() else 0
        try:
            with self.path.open("ab") as stream:
                stream.write(json.dumps(data).encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                os.truncate(self.path, size)  # half a line would spoil the next one
            raise


@define(eq=False)
class Log:
    """The totals of all cycles, the last of them, and the file that has them, if there is one."""

    path: Path | None = None
    large: int = LARGE
    totals: dict[str, int] = field(factory=lambda: dict(total(())))
    recent: deque[Outcome] = field(factory=lambda: deque(maxlen=RECENT))
    #: The totals of cycles that could not be written.
    _unwritten: dict[str, int] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for line in [] if self.path is None else Lines(self.path).read():
            try:
                if "totals" in line:
                    before = {name: int(number) for name, number in line["totals"].items()}
                    for name in self.totals:
                        self.totals[name] += before.get(name, 0)
                else:
                    self._count(outcome_of(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a line that this version did not write

    def add(self, outcome: Outcome) -> None:
        """Count a cycle, and note it in the file; raises ``OSError`` if that cannot be written."""
        self._count(outcome)
        if self.path is None:
            return
        more = total([outcome])
        lines = Lines(self.path, self.large)
        before = {name: self.totals[name] - number for name, number in more.items()}
        try:
            if self._unwritten:
                lines.append({"totals": self._unwritten}, {"totals": {}})
                self._unwritten = {}
            lines.append(outcome.data(), {"totals": before})
        except OSError:
            kept = self._unwritten
            self._unwritten = {name: kept.get(name, 0) + number for name, number in more.items()}
            raise

    def _count(self, outcome: Outcome) -> None:
        for name, more in total([outcome]).items():
            self.totals[name] += more
        self.recent.append(outcome)


def replace(path: Path, text: str) -> None:
    """Write a file beside its place and rename it: readers see the old one or the new one."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
