"""What a command imports: people wait for it before anything is read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pieslice.cli import LASTING, build_parser
from pieslice.command_line import commands_of

ROOT = Path(__file__).parents[2]
CAMPUS = "examples/campus"

#: How many of our modules each command may import.  A command that needs more says why in the
#: commit that changes its number; modules that few questions need are imported by these.
MOST = {
    "--help": 58,
    "eval 1+1": 74,
    f"select {CAMPUS}/slots.ads -af Name": 113,
    f"negotiate {CAMPUS}": 259,
    f"negotiate {CAMPUS} --json": 264,
    f"why {CAMPUS} 14.0": 295,
    f"rank {CAMPUS} 14.0": 290,
    f"quotas {CAMPUS}": 287,
    f"diff {CAMPUS} -D PRIORITY_HALFLIFE=7": 309,
    f"userprio {CAMPUS}": 241,
    f"forecast {CAMPUS}": 238,
    f"check {CAMPUS}/condor_config": 332,
    f"check --format github {CAMPUS}/condor_config": 190,
    f"policy explain {CAMPUS}/condor_config": 229,
}
#: What takes long to import, and no command needs that answers about files.
HEAVY = {
    "_hashlib", "asyncio", "ctypes", "lark", "numpy", "pandas", "polars", "pyarrow", "shtab",
    "socket", "ssl", "subprocess", "tempfile", "zipfile",
}  # fmt: skip

PROGRAM = """
import contextlib, io, json, sys
before = set(sys.modules)
with contextlib.redirect_stdout(io.StringIO()):
    from pieslice.cli import main
    try:
        code = main(sys.argv[1:])
    except SystemExit as ended:
        code = ended.code
print(json.dumps([code, sorted(set(sys.modules) - before)]))
"""


@pytest.mark.parametrize("words", MOST)
def test_a_command_imports_no_more_modules_than_it_may(words: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            f"import sys; sys.path.insert(0, '.'){PROGRAM}",
            *words.split(),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    code, imported = json.loads(done.stdout)
    assert code in (0, 1), done.stderr
    assert sorted(HEAVY.intersection(imported)) == []
    rooms = ("classad", "policy", "negotiator", "pieslice")
    ours = [name for name in imported if name.partition(".")[0] in rooms]
    assert len(ours) <= MOST[words], f"{len(ours)} modules"


@pytest.mark.parametrize(("words", "rarely"), [("eval 1+1", True), ("--debug fuzz -h", False)])
def test_a_short_command_seldom_searches_for_garbage_and_not_at_its_end(
    words: str, rarely: bool
) -> None:
    ask = (
        "import gc, sys; usual = gc.get_threshold()[0]; from pieslice.cli import program\n"
        "try: code = program()\nexcept SystemExit as ended: code = ended.code\n"
        "print(code, gc.get_threshold()[0] > usual, gc.get_freeze_count() > 10_000)"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask, *words.split()],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == f"0 {rarely} True"


def test_what_may_last_are_commands() -> None:
    assert set(LASTING) < set(commands_of(build_parser()))
