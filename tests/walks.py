"""Counts the functions and files of the product that four calls pass: ``python -m tests.walks``.

A measure of grain, for who changes the structure: how much a newcomer would have to open to follow
one call.  What a module does while it is imported is not counted.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import classad
from pieslice.cli import main

ROOT = Path(__file__).parents[1]
ROOMS = tuple(f"{ROOT / room}/" for room in ("classad", "policy", "negotiator", "pieslice"))
#: What stands for code that is no function.
_PLAIN = ("<module>", "<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>")


def walk(call: Callable[[], object]) -> tuple[int, int]:
    """How many functions of the product ``call`` passes, and in how many files."""
    passed: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            passed.add(frame.f_code)

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        sys.setprofile(note)
        try:
            call()
        finally:
            sys.setprofile(None)
    ours = [code for code in passed if code.co_filename.startswith(ROOMS)]
    functions = [code for code in ours if code.co_name not in _PLAIN]
    return len(functions), len({code.co_filename for code in functions})


def walks() -> dict[str, Callable[[], object]]:
    """The calls, by what they are."""
    config = Path(tempfile.mkdtemp()) / "condor_config"
    config.write_text("PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterPrio\nA = 1\n", "utf-8")
    return {
        'classad.ExprTree("1 + size({2, 3})").eval()': lambda: classad.ExprTree(
            "1 + size({2, 3})"
        ).eval(),
        "pieslice check (two lines)": lambda: main(["check", str(config)]),
        "pieslice negotiate examples/tour": lambda: main(["negotiate", "examples/tour"]),
        "pieslice why examples/tour 11.0": lambda: main(["why", "examples/tour", "11.0"]),
    }


if __name__ == "__main__":
    print("functions  files  call")
    for name, call in walks().items():
        functions, files = walk(call)
        print(f"{functions:9}  {files:5}  {name}")
