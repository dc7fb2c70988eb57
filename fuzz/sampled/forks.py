"""Tries a change in a fork of a process that has loaded the tests already: seconds, not a minute.

Decides whether a change can be made to functions that are loaded: it alters only what is in their
bodies.  What is computed when a module is loaded keeps what it was, so that a change that no test
sees here may be seen by ``trial``.

Inputs: a file, its changed text, names of tests.  Outputs: ``Outcome``, None where it can't be
tried here.  POSIX only.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, TracebackType
from typing import Any, Final

import pytest

from fuzz.mutants import ROOT
from fuzz.sampled.trial import Outcome

#: Seconds that tests may take in addition to ten times what they usually take.
_AT_LEAST: Final = 30.0
_TIMES: Final = 10.0
#: What a code object has inside a function.
_OPTIMIZED: Final = 0x1
#: Where a server answers.
_ANSWERS: Final = "PIESLICE_FUZZ_ANSWERS"


class Forks:
    """A server that has loaded tests, and what it answers."""

    def __init__(
        self, root: Path, tests: Sequence[str], seconds: Mapping[str, float], memory: int
    ) -> None:
        self._seconds = seconds
        self._passing: dict[str, bool] = {}
        answers, told = os.pipe()
        files = sorted({test.partition("::")[0] for test in tests})
        path = os.pathsep.join([str(root), str(ROOT)])
        environment = {**os.environ, "PYTHONPATH": path, _ANSWERS: str(told)}
        self._server = subprocess.Popen(
            [sys.executable, "-m", "fuzz.sampled.forks", str(memory), *files], cwd=root,
            env=environment, text=True, stdin=subprocess.PIPE, pass_fds=[told],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(told)
        self._answers = os.fdopen(answers, encoding="utf-8")
        #: Their names.
        self.tests = frozenset(self._read())

    def __enter__(self) -> Forks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.killpg(self._server.pid, signal.SIGKILL)
        self._server.communicate()
        self._answers.close()

    def try_out(self, file: str, changed: str, tests: Sequence[str]) -> Outcome | None:
        """Run tests until one sees the change; None where it is none of a function's body."""
        left = list(tests)
        while True:
            answer = self._ask(file, changed, left)
            if answer["what"] == "elsewhere":
                return None
            if answer["what"] == "passed":
                return Outcome(False, f"{len(left)} tests")
            if answer["what"] != "failed":
                return Outcome(True, answer["what"])
            test = answer["test"]
            if self._passes(test):
                return Outcome(True, f"{test}: {answer['message']}")
            left.remove(test)

    def _passes(self, test: str) -> bool:
        if test not in self._passing:
            self._passing[test] = self._ask("", "", [test])["what"] == "passed"
        return self._passing[test]

    def _ask(self, file: str, changed: str, tests: Sequence[str]) -> Any:
        limit = _AT_LEAST + _TIMES * sum(self._seconds.get(test, 1.0) for test in tests)
        asked = {"file": file, "changed": changed, "tests": tests, "limit": limit}
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        line = self._answers.readline()
        if not line:
            raise RuntimeError("the tests cannot be loaded")
        return json.loads(line)


# ---- the server


class _Server:
    """Answers instead of running the tests that pytest has collected."""

    def __init__(self, questions: Iterator[str], answers: int, memory: int) -> None:
        self._questions, self._answers, self._memory = questions, answers, memory
        self._failed: tuple[str, str] | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: [item] for item in session.items}
        self._answer(list(items))
        for item in session.items:
            items.setdefault(item.nodeid.partition("::")[0], []).append(item)
        for line in self._questions:
            asked = json.loads(line)
            chosen = [item for test in asked["tests"] for item in items.get(test, ())]
            self._answer(_in_a_fork(partial(self._run, asked, chosen), asked["limit"]))
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self._failed is None:
            text = str(report.longrepr).strip().splitlines()
            self._failed = report.nodeid, " ".join(text[-1:])[:200]

    def _answer(self, answer: object) -> None:
        os.write(self._answers, (json.dumps(answer) + "\n").encode())

    def _run(self, asked: Any, items: Sequence[pytest.Item]) -> dict[str, str]:
        resource.setrlimit(resource.RLIMIT_AS, (self._memory, self._memory))
        if asked["file"] and not _planted(asked["file"], asked["changed"]):
            return {"what": "elsewhere"}
        for number, item in enumerate(items):
            following = items[number + 1] if number + 1 < len(items) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed is not None:
                return {"what": "failed", "test": self._failed[0], "message": self._failed[1]}
        return {"what": "passed"}


def _in_a_fork(work: Callable[[], dict[str, str]], limit: float) -> dict[str, str]:
    """Run something in a fork; what it answers within ``limit`` seconds."""
    answers, told = os.pipe()
    child = os.fork()
    if child == 0:  # never comes back
        os.setsid()
        os.write(told, json.dumps(work()).encode() + b"\n")
        os._exit(0)
    os.close(told)
    said = b""
    until = time.monotonic() + limit
    while (
        not said.endswith(b"\n")
        and select.select([answers], [], [], max(0.0, until - time.monotonic()))[0]
    ):
        piece = os.read(answers, 1 << 16)
        if not piece:
            break
        said += piece
    late = time.monotonic() >= until
    if late:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what its tests have started
    os.close(answers)
    if said:
        return dict(json.loads(said))
    return {"what": "takes too long" if late else f"ended with status {status}"}


# ---- changes of what is loaded


def _planted(file: str, changed: str) -> bool:
    """Give the functions of a file that are loaded their changed bodies; whether that is all."""
    path = Path(file).absolute()
    before = compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
    after = compile(changed, str(path), "exec", dont_inherit=True)
    pairs: list[tuple[CodeType, CodeType]] = []
    if not _paired(before, after, pairs):
        return False
    importlib.import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    by_code = dict(pairs)
    found = False
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.endswith(file):
            new = by_code.get(thing.__code__)
            if new is not None:
                thing.__code__ = new
                found = True
    return found


def _paired(before: CodeType, after: CodeType, pairs: list[tuple[CodeType, CodeType]]) -> bool:
    """Pair what changed inside functions; False if something else changed."""
    inside, then = _codes(before), _codes(after)
    if before.co_flags & _OPTIMIZED:
        if before != after:
            if before.co_freevars != after.co_freevars:
                return False
            pairs.append((before, after))
        if len(inside) == len(then):
            for one, other in zip(inside, then, strict=True):
                _paired(one, other, pairs)
        return True
    if len(inside) != len(then) or _outside(before) != _outside(after):
        return False
    return all(_paired(one, other, pairs) for one, other in zip(inside, then, strict=True))


def _codes(code: CodeType) -> list[CodeType]:
    return [it for it in code.co_consts if isinstance(it, CodeType)]


def _outside(code: CodeType) -> tuple[object, ...]:
    """What a module or the body of a class does, but for the functions in it."""
    # By their texts: 1 is not True, and 0.0 not -0.0.
    constants = [repr(it) for it in code.co_consts if not isinstance(it, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames


def serve(memory: int, files: Sequence[str]) -> int:
    """Load tests, then answer."""
    answers = int(os.environ.pop(_ANSWERS))
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    server = _Server(iter(questions.readline, ""), answers, memory)
    return int(pytest.main([*options, *files], plugins=[server]))


if __name__ == "__main__":
    sys.exit(serve(int(sys.argv[1]), [file for file in sys.argv[2:] if Path(file).exists()]))
