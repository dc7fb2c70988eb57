"""Keeps what became of a pool's cycles in a file, so that counting goes on after a restart.

A line of JSON for each cycle is appended; what a kill left of a last line is cut off.  A file that
has become large is set aside in place of the one before, its totals stay in the first line of the
next one.  A file that
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
from pieslice.shadow.outcome import PredictedCycle, TotalName, outcome_of, total
from pieslice.shadow.report import RECENT

#: Bytes from which a file is set aside; there is one such file.
LARGE: Final = 20_000_000
_MB: Final = 1_000_000


def large_of(megabytes: float | None) -> int:
    """When a file is set aside, so that both take no more than that."""
    return LARGE if megabytes is None else max(int(megabytes * _MB / 2), 1)


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
    #: Is told when lines are dropped for the first time.
    say: Callable[[str], object] = lambda text: None
    _dropped: bool = False

    def read(self, *, repair: bool = True) -> Iterator[JsonData]:
        """The whole lines that are objects; ``repair``: cut off what a kill left of a last one.

        Nothing is read of what is no file: a device or a pipe need not come to an end.
        """
        if not self.path.is_file():
            return
        whole = 0
        with self.path.open("rb") as stream:
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                with contextlib.suppress(ValueError):
                    found = json.loads(line)
                    if isinstance(found, dict):
                        yield found
        if repair and whole < self.path.stat().st_size:
            os.truncate(self.path, whole)

    def append(self, data: Mapping[str, object], first: Mapping[str, object]) -> None:
        """Add a line; ``first``: the line of totals before it, of a file that begins with it."""
        line = json.dumps(data).encode() + b"\n"
        size = self.path.stat().st_size if self.path.exists() else 0
        if size and size + len(line) > self.large:
            aside = Path(f"{self.path}.1")
            if aside.exists() and not self._dropped:
                self._dropped = True
                self.say(f"{self.path}: is full; the oldest lines are dropped, the totals stay")
            os.replace(self.path, aside)
            self._write(json.dumps(first).encode() + b"\n")
        self._write(line)

    def _write(self, line: bytes) -> None:
        size = self.path.stat().st_size if self.path.exists() else 0
        try:
            with self.path.open("ab") as stream:
                stream.write(line)
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
    say: Callable[[str], object] = lambda text: None
    totals: dict[TotalName, int] = field(factory=lambda: total(()))
    recent: deque[PredictedCycle] = field(factory=lambda: deque(maxlen=RECENT))
    #: The totals of cycles that could not be written.
    _unwritten: dict[TotalName, int] = field(factory=dict)
    _lines: Lines | None = None

    def __attrs_post_init__(self) -> None:
        if self.path is not None:
            self._lines = Lines(self.path, self.large, self.say)
        for line in [] if self._lines is None else self._lines.read():
            self.take(line)

    def take(self, line: JsonData) -> None:
        """Count what a line of a log tells; one that this version did not write tells nothing."""
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            if "totals" in line:
                before = {name: int(number) for name, number in line["totals"].items()}
                for name in self.totals:
                    self.totals[name] += before.get(name, 0)
            else:
                self._count(outcome_of(line))

    def add(self, outcome: PredictedCycle) -> None:
        """Count a cycle, and note it in the file; raises ``OSError`` if that cannot be written."""
        self._count(outcome)
        if self._lines is None:
            return
        more = total([outcome])
        lines = self._lines
        before = {name: self.totals[name] - number for name, number in more.items()}
        try:
            if self._unwritten:
                lines.append({"totals": self._unwritten}, {"totals": {}})
                self._unwritten = {}
            lines.append(outcome.to_dict(), {"totals": before})
        except OSError:
            kept = self._unwritten
            self._unwritten = {name: kept.get(name, 0) + number for name, number in more.items()}
            raise

    def _count(self, outcome: PredictedCycle) -> None:
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
