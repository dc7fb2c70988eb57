"""Plants one bug after the other and counts those that are noticed: ``python -m fuzz.mutants``.

Decides how a bug is planted (in a copy of the sources, never in place) and when it counts as
caught: the command that should notice it fails.

Inputs: ``fuzz.mutations``.  Outputs: a line for each, the score. Exit codes: 0 at least
``--wanted`` caught, 1 fewer, 2 bad usage.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fuzz.mutations import MUTATIONS, Mutation

ROOT: Final = Path(__file__).parents[1]
#: Bugs that have to be caught: at most three of a hundred may survive.
WANTED: Final = len(MUTATIONS) - 3 * len(MUTATIONS) // 100
#: Bytes of address space for a command.
MEMORY: Final = 8 * 2**30
#: What a copy needs.
PARTS: Final = (
    "classad", "policy", "negotiator", "pieslice", "fuzz", "grammar", "csrc", "tests", "examples",
    "benchmarks", "docs", "CHANGELOG.md", "CONTRIBUTING.md", "DIVERGENCES.md", "README.md",
    "pyproject.toml", "setup.py", "LICENSE",
)  # fmt: skip
#: Seconds after which a planted bug that only makes things slow counts as caught.
PATIENCE: Final = 600


def copy_to(folder: Path) -> None:
    """Copy what a run needs."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)


def command(by: str) -> list[str]:
    """The command that should notice a bug."""
    kind, _, rest = by.partition(" ")
    python = [sys.executable, "-B"]
    if kind == "conform":
        return [*python, "-m", "pieslice", "conform", "--limit", "1", *rest.split()]
    if kind == "fuzz":
        return [*python, "-m", "fuzz", rest, "--profile", "ci", "--raw"]
    return [*python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *rest.split()]


def build(folder: Path) -> bool:
    """Build the C core of the copy; whether it was built."""
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--force"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def caught(mutation: Mutation, folder: Path) -> bool:
    """Plant a bug in the copy, run what should notice it, take it out again."""
    path = folder / mutation.file
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace(mutation.old, mutation.new), encoding="utf-8")
    in_c = path.suffix == ".c"
    try:
        if in_c and not build(folder):
            return True
        done = subprocess.run(
            command(mutation.by), cwd=folder, capture_output=True, check=False, timeout=PATIENCE
        )
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(before, encoding="utf-8")
        if in_c:
            build(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.mutants", description=__doc__)
    parser.add_argument("--wanted", type=int, default=WANTED, help="how many must be caught")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of bugs, from 1")
    args = parser.parse_args(arguments)
    chosen = [
        (number, mutation)
        for number, mutation in enumerate(MUTATIONS, 1)
        if not args.only or number in args.only
    ]
    score = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_to(folder)
        for number, mutation in chosen:
            found = caught(mutation, folder)
            score += found
            verdict = "caught" if found else "SURVIVES"
            print(f"{number:2} {verdict}: {mutation.file}: {mutation.by}", flush=True)
    print(f"{score} of {len(chosen)} caught")
    return 0 if score >= min(args.wanted, len(chosen)) else 1


if __name__ == "__main__":
    # A bug may take away a limit of memory; what runs into this one has noticed it.
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.exit(main())
