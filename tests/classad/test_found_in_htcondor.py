"""docs/found-in-htcondor.md: what is said of the real library is what it does, twice over."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cases import every_case

PAGE = Path(__file__).parents[2] / "docs" / "found-in-htcondor.md"
EXAMPLE = re.compile(r"^### ([^\n]+)\n\n```python\n(.*?)```\n\n- Seen: ([^\n]+)\n", re.M | re.S)
PREAMBLE = re.compile(r"^```python\n(.*?)```", re.M | re.S)
#: Seconds of computing after which nothing is expected any more.
PATIENCE = 1
#: What a run that ends in another way than by printing is called.
ENDS = {
    -signal.SIGSEGV: "segmentation fault",
    -signal.SIGABRT: "abort",
    -signal.SIGXCPU: "no end",
    -signal.SIGKILL: "no end",
}
CHANGING = "something else each time"
#: What is evaluated before: in some builds of Python memory that nobody has written to looks alike
#: in every process that did the same until then.
BEFORE = ("", "", 'ExprTree("formatTime(1)").eval()\n', 'ExprTree("strcat(1, 2)").eval()\n')


def found() -> list[tuple[str, str, str]]:
    return [match.groups() for match in EXAMPLE.finditer(PAGE.read_text(encoding="utf-8"))]  # type: ignore[misc]


def outcome(code: str) -> str:
    limit = f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, ({PATIENCE}, {PATIENCE}))\n"
    preamble = PREAMBLE.search(PAGE.read_text(encoding="utf-8"))
    assert preamble is not None
    whole = limit + preamble[1] + code
    done = subprocess.run(
        [sys.executable, "-c", whole], capture_output=True, check=False, encoding="utf-8",
        errors="replace",
    )  # fmt: skip
    if done.returncode == 1:
        return done.stderr.strip().splitlines()[-1].partition(":")[0]
    if done.returncode:
        return ENDS.get(done.returncode, f"exit status {done.returncode}")
    return f"`{' '.join(done.stdout.split())}`"


def test_every_example_is_understood() -> None:
    examples = found()
    text = PAGE.read_text(encoding="utf-8")
    assert len(examples) == text.count("\n### ") == text.count("\n- Should be: ")
    register = (PAGE.parents[1] / "DIVERGENCES.md").read_text(encoding="utf-8")
    assert all(f"## {number} " in register for number in re.findall(r"D-\d{3}", text))


@pytest.mark.live
@pytest.mark.slow
@every_case("name, code, seen", found(), name=lambda item: item[0])
def test_the_real_library_does_so_twice(name: str, code: str, seen: str) -> None:
    if find_spec("classad2") is None:
        pytest.skip("the real ClassAd library is not installed")
    if seen == CHANGING:
        outcomes = {outcome(before + code) for before in BEFORE}
        assert len(outcomes) > 1 or outcomes == {"UnicodeDecodeError"}
    else:
        assert [outcome(code) for _ in range(2)] == [seen, seen]
