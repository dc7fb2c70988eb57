"""Fuzzes the C parser and the C loader, guided by coverage: ``python -m fuzz.nativefuzz``.

Decides how the harness is built (the kernels with the sanitizers and a call at every edge, which
any GCC or Clang can), how long it runs, what a failure leaves behind.

Inputs: ``fuzz/native``: the harness and a few seeds for each target.  Outputs: progress, and the
input that failed as a file. Exit codes: 0 nothing found, 1 something, 2 bad usage or no compiler
with sanitizers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent / "native"
SOURCES: Final = Path(__file__).parents[1] / "csrc"
FILES: Final = ("lex", "parse", "intern", "cells", "load")
FOUND: Final = Path("build/fuzz/native")
#: Inputs of one process; the next one begins with what was kept, and with another number.
RUNS: Final = 20_000
FLAGS: Final = (
    "-std=c11", "-O1", "-g", "-ffp-contract=off", "-fwrapv", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)  # fmt: skip
#: What a seed begins with: how a text is to be read, or where it is cut.
HEADS: Final = {"parse": (b"\x00", b"\x01", b"\x05", b"\x08"), "load": (b"\x00\x00", b"\x00\x1d")}


class CannotBuild(Exception):  # noqa: N818 - not a failure
    """There is no compiler here that can build the harness."""


def build(folder: Path) -> Path:
    """The harness, built in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CC", "cc")
    objects = [str(folder / f"{name}.o") for name in FILES]
    for name, target in zip(FILES, objects, strict=True):
        source = str(SOURCES / f"{name}.c")
        _run(compiler, *FLAGS, "-fsanitize-coverage=trace-pc", "-c", source, "-o", target)
    harness = folder / "harness"
    _run(compiler, *FLAGS, "-D_GNU_SOURCE", str(HERE / "harness.c"), *objects, "-o", str(harness))
    return harness


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as problem:
        raise CannotBuild(str(problem)) from None
    if done.returncode != 0:
        raise CannotBuild(done.stderr.strip() or f"{command[0]} failed")


def seeds(target: str, folder: Path) -> list[str]:
    """The committed seeds of a target as files of their own, with every head.

    All but the first copy of each lack the last line's end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = (HERE / f"{target}.seeds").read_bytes()
    parts = text.splitlines() if target == "parse" else text.split(b"----\n")
    paths = []
    for number, part in enumerate(parts):
        for place, head in enumerate(HEADS[target]):
            path = folder / f"seed-{number}-{place}"
            path.write_bytes(head + (part.rstrip(b"\n") if place else part))
            paths.append(str(path))
    return paths


def fuzz(harness: Path, target: str, *, seconds: float, seed: int, runs: int = RUNS) -> Path | None:
    """Run a target for some time; the input that failed, or None."""
    folder = harness.parent
    current = folder / f"{target}.current"
    files = seeds(target, folder / target)
    end = time.monotonic() + seconds
    while True:
        command = [str(harness), target, str(seed), str(runs), str(current), *files]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{target}: FAILED\n{done.stderr}")
            return _left(current, folder / f"{target}-{seed}.input")
        print(f"{target}, seed {seed}: {done.stdout.strip()}", flush=True)
        seed += 1
        if time.monotonic() >= end:
            return None


def _left(current: Path, to: Path) -> Path:
    """The input that was under way, which begins with its length."""
    data = current.read_bytes()
    to.write_bytes(data[2 : 2 + int.from_bytes(data[:2], "big")])
    return to


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.nativefuzz", description=__doc__)
    parser.add_argument("target", nargs="?", choices=[*HEADS], help="parse or load (default: both)")
    parser.add_argument("--seconds", type=float, default=60.0, help="time for each target")
    parser.add_argument("--seed", type=int, default=1, help="number of the first process")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="one input, once more")
    args = parser.parse_args(arguments)
    if args.replay is not None and args.target is None:
        parser.error("--replay needs the target")
    try:
        harness = build(FOUND)
    except CannotBuild as problem:
        print(f"the harness cannot be built here: {problem}", file=sys.stderr)
        return 2
    if args.replay is not None:
        current = str(FOUND / "replayed")
        return min(subprocess.call([harness, args.target, "1", "0", current, args.replay]), 1)
    failed = 0
    for target in [args.target] if args.target else HEADS:
        left = fuzz(harness, target, seconds=args.seconds, seed=args.seed)
        if left is not None:
            failed = 1
            print(f"  again: python -m fuzz.nativefuzz {target} --replay {left}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
