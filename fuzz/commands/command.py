"""Runs commands on damaged files, in this process, and writes down what ends as none may end.

A case is made from the seed and its number alone.  What is wrong stands in ``verdict``.

Inputs: the arguments of ``python -m fuzz commands``.  Outputs: findings; exit code 1 if any.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fuzz.commands.case import Case, draw
from fuzz.commands.shop import make
from fuzz.commands.verdict import Shop, wrong

_FOUND: Final = Path("build/fuzz")


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments say."""
    args = _parser().parse_args(arguments)
    here = Path.cwd()
    counts: Counter[str] = Counter()
    begun, found, number = time.monotonic(), 0, args.first - 1
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        shop = Shop(Path(folder))
        os.chdir(folder)
        before = dict(os.environ)
        os.environ.update(NO_COLOR="1", COLUMNS="100")
        try:
            for number in range(args.first, args.first + args.count):
                tried = draw(args.seed, number, shop.folder, args.only)
                problem = wrong(tried, shop)
                counts[tried.words[0]] += 1
                if problem:
                    found += 1
                    path = _write(tried, here / args.found / f"commands-{args.seed}-{number}")
                    print(
                        f"{number}: {str(tried)[:300]!r}: {problem[:300]!r}\n  {path}", flush=True
                    )
                if args.seconds and time.monotonic() - begun > args.seconds:
                    break
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)
    done = number - args.first + 1
    each = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    print(
        f"commands: {done} cases from {args.first} on, seed {args.seed}: {found} problems ({each})"
    )
    return 1 if found else 0


def _write(tried: Case, path: Path) -> Path:
    shutil.rmtree(path, ignore_errors=True)
    files = {**tried.files, "words": str(tried).encode("utf-8", "surrogateescape")}
    for name, data in {**files, "stdin": tried.piped}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz commands",
        description="Run commands on damaged files: none may end in an internal error.",
    )
    parser.add_argument("--seed", type=int, default=1, help="which cases (default 1)")
    parser.add_argument(
        "--first", type=int, default=0, metavar="N", help="number of the first case"
    )
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="cases (default 1000)")
    parser.add_argument("--seconds", type=float, metavar="S", help="end after so many seconds")
    parser.add_argument("--only", default="", metavar="WORDS", help="commands that begin so")
    parser.add_argument(
        "--found", type=Path, default=_FOUND, metavar="DIR", help="where files of findings are kept"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
