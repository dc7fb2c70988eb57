"""Keeps the outcomes of a shadow's cycles in a file, so that the score goes on after a restart.

A line of JSON for each cycle is appended; what a kill left of a last line is cut off.  A file that
has become large is set aside, its totals stay in the first line of the next one.

Inputs: outcomes.  Outputs: files; raises ``OSError``.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attr import define, field

from pieslice.shadow.outcome import Outcome, outcome_of, total
from pieslice.shadow.report import RECENT

#: Bytes from which a file is set aside; there is one such file.
LARGE: Final = 20_000_000


@define(eq=False)
class Log:
    """The totals of all cycles, the last of them, and the file that has them, if there is one."""

    path: Path | None = None
    large: int = LARGE
    totals: dict[str, int] = field(factory=lambda: dict(total(())))
    recent: deque[Outcome] = field(factory=lambda: deque(maxlen=RECENT))

    def __attrs_post_init__(self) -> None:
        if self.path is not None and self.path.exists():
            self._resume(self.path)

    def add(self, outcome: Outcome) -> None:
        """Count a cycle, and note it in the file."""
        self._count(outcome)
        if self.path is None:
            return
        if self.path.exists() and self.path.stat().st_size > self.large:
            os.replace(self.path, f"{self.path}.1")
            before = {name: self.totals[name] - more for name, more in total([outcome]).items()}
            _append(self.path, {"totals": before})
        _append(self.path, outcome.data())

    def _count(self, outcome: Outcome) -> None:
        for name, more in total([outcome]).items():
            self.totals[name] += more
        self.recent.append(outcome)

    def _resume(self, path: Path) -> None:
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with path.open("r+b") as stream:
                stream.truncate(whole)
        for line in data[:whole].splitlines():
            try:
                found = json.loads(line)
                if "totals" in found:
                    before = {name: int(number) for name, number in found["totals"].items()}
                    for name in self.totals:
                        self.totals[name] += before.get(name, 0)
                else:
                    self._count(outcome_of(found))
            except (ValueError, KeyError, TypeError):
                continue  # a line that this version did not write


def _append(path: Path, data: Mapping[str, object]) -> None:
    with path.open("ab") as stream:
        stream.write(json.dumps(data).encode() + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def replace(path: Path, text: str) -> None:
    """Write a file beside its place and rename it: readers see the old one or the new one."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
