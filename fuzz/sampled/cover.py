"""Finds out which tests run which lines, and how long each takes.

Inputs: the tests.  Outputs: ``Cover``, kept as a file, since it takes a whole run of the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from attr import frozen

if TYPE_CHECKING:
    from coverage import CoverageData

#: Lines that an expression may have.
_LOOK_BACK: Final = 12
ROOMS: Final = ("classad", "policy", "negotiator", "pieslice")


@frozen
class Cover:
    """By file and line the tests that run it, as numbers; seconds by test."""

    tests: Sequence[str]
    seconds: Sequence[float]
    lines: dict[str, dict[int, list[int]]]

    def running(self, file: str, line: int) -> list[str]:
        """The tests that run a line, the quickest first.

        A line that runs at import is anything to all tests that run something of its file.  Of an
        expression over lines only some may have been seen: the line before stands for the others.
        """
        of_file = self.lines.get(file, {})
        seen = next((it for it in range(line, line - _LOOK_BACK, -1) if it in of_file), line)
        found = of_file.get(seen, [])
        if seen in of_file and not found:
            found = list({test for tests in of_file.values() for test in tests})
        return [self.tests[number] for number in sorted(found, key=self.seconds.__getitem__)]

    def carried_over(self, earlier: Mapping[str, str], now: Mapping[str, str]) -> Cover:
        """The same where files have changed since; ``earlier``, ``now``: their texts.

        A line that is new is run by the tests that ran the last one before it that is not.
        """
        found = dict(self.lines)
        for file, of_file in self.lines.items():
            before, after = earlier.get(file), now.get(file)
            if before is not None and after is not None and before != after:
                found[file] = _carried_over(of_file, before.splitlines(), after.splitlines())
        return Cover(self.tests, self.seconds, found)

    def save(self, path: Path) -> None:
        """Write it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {"tests": self.tests, "seconds": self.seconds, "lines": self.lines}
        path.write_text(json.dumps(data), encoding="utf-8")


def _carried_over(
    of_file: Mapping[int, list[int]], before: Sequence[str], after: Sequence[str]
) -> dict[int, list[int]]:
    """The tests by the lines of a file as it is now."""
    found: dict[int, list[int]] = {}
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _, first, last, start, stop in matcher.get_opcodes():
        for offset in range(stop - start):
            # What stands in the place of other lines is run by those that ran these, one by one.
            line = min(first + offset, max(first, last - 1)) + 1 if last > first else first
            if line in of_file:
                found[start + offset + 1] = of_file[line]
    return found


def load(path: Path) -> Cover:
    """Read it back."""
    data = json.loads(path.read_text(encoding="utf-8"))
    lines = {
        file: {int(line): numbers for line, numbers in of_file.items()}
        for file, of_file in data["lines"].items()
    }
    return Cover(data["tests"], data["seconds"], lines)


def measure(root: Path, tests: Iterable[str]) -> Cover:
    """Run tests with coverage; raises ``CalledProcessError`` if they fail."""
    from coverage import CoverageData

    with tempfile.TemporaryDirectory() as name:
        data, report = Path(name, "data"), Path(name, "report.xml")
        rooms = [f"--cov={room}" for room in ROOMS]
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider",
             "-m", "not slow", *rooms, "--cov-context=test", "--cov-report=",
             f"--junitxml={report}", "-o", "junit_duration_report=total", *tests],
            cwd=root, check=True, env=_environment(data),
        )  # fmt: skip
        found = CoverageData(str(data))
        found.read()
        return _cover(root, found, _seconds(report))


def _environment(data: Path) -> dict[str, str]:
    return {**os.environ, "COVERAGE_FILE": str(data), "PYTHONPATH": "."}


def _seconds(report: Path) -> dict[str, float]:
    """How long each test took, by the name that it is run by."""
    return {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}": float(
            case.get("time", 0)
        )
        for case in ElementTree.parse(report).iter("testcase")
    }


def _cover(root: Path, data: CoverageData, seconds: dict[str, float]) -> Cover:
    numbers = {test: number for number, test in enumerate(seconds)}
    lines: dict[str, dict[int, list[int]]] = {}
    for file in data.measured_files():
        of_file = lines.setdefault(str(Path(file).relative_to(root)), {})
        for line, contexts in data.contexts_by_lineno(file).items():
            tests = {context.rpartition("|")[0] for context in contexts}
            of_file[line] = sorted(numbers[test] for test in tests if test in numbers)
    return Cover(list(seconds), list(seconds.values()), lines)
