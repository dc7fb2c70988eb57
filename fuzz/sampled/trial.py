"""Runs tests on a copy of the sources in which something is changed, and tells which test saw it.

Decides when a change counts as seen: a test fails that does not fail where nothing is changed, a
file of tests cannot be loaded any more, Python ends by a signal, or a test takes much longer.

Inputs: a file, its changed text, names of tests.  Outputs: ``Outcome``.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from fuzz.mutants import build, copy_to

#: Seconds that any tests may take, and how many times longer than usual.
_AT_LEAST: Final = 90.0
_TIMES: Final = 10.0
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (.*)$", re.MULTILINE)
_TOO_LONG: Final = re.compile(r"^Timeout \(", re.MULTILINE)


class Outcome(NamedTuple):
    """Whether something saw a change, and what."""

    caught: bool
    by: str


class _Run(NamedTuple):
    #: None: it had to be stopped.
    status: int | None
    text: str


class Copy:
    """A copy of the sources, in which one change is planted at a time."""

    def __init__(self, folder: Path, seconds: Mapping[str, float]) -> None:
        copy_to(folder)
        self._folder = folder
        self._seconds = seconds
        #: Tests by whether they pass where nothing is changed.
        self._passing: dict[str, bool] = {}

    def prepare(self, tests: Sequence[str]) -> list[str]:
        """Compile what the tests need; the tests that there are."""
        # By content: a changed file may have the size and the second of the one before.
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "."],
            cwd=self._folder, check=False, capture_output=True,
        )  # fmt: skip
        files = {test.partition("::")[0] for test in tests}
        files = {name for name in files if (self._folder / name).exists()}
        run = self._pytest(sorted(files), 1000, "--collect-only", bytecode=True)
        if run.status not in (0, 5):
            raise RuntimeError(f"the tests cannot be loaded: {run.text[-2000:]}")
        # Of an unknown test pytest says the name alone, without its parameters.
        there = files.union(run.text.splitlines())
        return [test for test in tests if test in there]

    def try_out(self, file: str, changed: str, batches: Iterable[Sequence[str]]) -> Outcome:
        """Run batches of tests until one sees the change."""
        passed = 0
        for tests in batches:
            outcome, left = self._seen(file, changed, tests)
            if outcome is not None:
                return outcome
            passed += left
        return Outcome(False, f"{passed} tests")

    def _seen(self, file: str, changed: str, tests: Sequence[str]) -> tuple[Outcome | None, int]:
        """What sees it, and how many tests count: those do not that fail anyway."""
        failing: list[str] = []
        while True:
            with self._planted(file, changed) as there:
                if not there:
                    return Outcome(True, "it does not compile"), 0
                run = self._pytest(tests, self._limit(tests), without=failing)
            if run.status in (0, 5):
                return None, len(tests) - len(failing)
            if run.status is None or _TOO_LONG.search(run.text):
                usual = self._pytest(tests, self._limit(tests), without=failing)
                return Outcome(usual.status is not None, "takes too long"), 0
            test, message = _first(run.text, tests)
            if not test:
                last = " ".join(run.text.strip().splitlines()[-1:])
                return Outcome(True, f"status {run.status}: {last}"), 0
            if self._passes(test):
                return Outcome(True, f"{test}: {message}"), 0
            failing.append(test)

    @contextmanager
    def _planted(self, file: str, changed: str) -> Iterator[bool]:
        """A change, as long as it is wanted; whether it compiles."""
        path = self._folder / file
        before = path.read_bytes()
        path.write_bytes(changed.encode())
        in_c = path.suffix == ".c"
        try:
            yield not in_c or build(self._folder)
        finally:
            path.write_bytes(before)
            if in_c:
                build(self._folder)

    def _limit(self, tests: Sequence[str]) -> float:
        return _AT_LEAST + _TIMES * sum(self._seconds.get(test, _AT_LEAST) for test in tests)

    def _passes(self, test: str) -> bool:
        """Does a test pass where nothing is changed?"""
        if test not in self._passing:
            self._passing[test] = self._pytest([test], self._limit([test])).status == 0
        return self._passing[test]

    def _pytest(
        self,
        tests: Sequence[str],
        limit: float,
        *options: str,
        without: Sequence[str] = (),
        bytecode: bool = False,
    ) -> _Run:
        listing = self._folder / "tests.txt"
        left_out = [f"--deselect={test}" for test in without]
        listing.write_text("\n".join([*left_out, *tests]), encoding="utf-8")
        longest = max((self._seconds.get(test, _AT_LEAST) for test in tests), default=0.0)
        environment = {**os.environ, "PYTHONPATH": ".", "COLUMNS": "200"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if not bytecode:  # it would stay when the change is gone
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        with subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
             "-p", "no:xdist", "-m", "not slow",
             "-o", f"faulthandler_timeout={_AT_LEAST + _TIMES * longest}",
             "-o", "faulthandler_exit_on_timeout=true", *options, f"@{listing}"],
            cwd=self._folder, env=environment, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                text = process.communicate(timeout=limit)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # and what the tests have started
                return _Run(None, "")
        return _Run(process.returncode, text)


def _first(text: str, tests: Sequence[str]) -> tuple[str, str]:
    """The test that failed first, and its message."""
    for line in _FAILED.findall(text):
        known = [it for it in tests if "::" in it and line.startswith(it)]
        test = max(known, key=len) if known else line.partition(" - ")[0]
        if "::" in test:
            return test, line[len(test) :].removeprefix(" - ")
    return "", ""
