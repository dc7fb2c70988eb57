"""Runs commands on damaged files, in this process, and writes down what ends in an internal error.

A case is made from the seed and its number alone.  Wrong is: an exception, the words `internal
error`, an exit status that no command has, characters that steer a terminal, more than a minute.

Inputs: the arguments of ``python -m fuzz commands``.  Outputs: findings; exit code 1 if any.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final

from attr import frozen

from fuzz.commands.shop import COMMANDS, make
from fuzz.commands.tears import torn

_FOUND: Final = Path("build/fuzz")
_STATUSES: Final = (0, 1, 2)
#: Seconds that one command may take; each works on a few kilobytes.
_SECONDS: Final = 60
_STEERING: Final = ("Cc", "Cf", "Zl", "Zp")


class _TooSlow(BaseException):
    """A command takes too long; no Exception, which the command would describe."""


class _Terminal(io.StringIO):
    """What is printed to a terminal."""

    def isatty(self) -> bool:
        return True


@frozen
class Case:
    """A command and the damaged files, by their names in the shop."""

    words: str
    files: dict[str, bytes]


def case(seed: int, number: int, shop: Path, only: str = "") -> Case:
    """The case of a number."""
    chance = Random(f"{seed}:{number}")
    known = [command for command in COMMANDS if command.words.startswith(only)]
    command = chance.choices(known, [one.weight for one in known])[0]
    names = [name for name in command.files if (shop / name).is_file()]
    chosen = chance.sample(names, min(len(names), chance.choice((1, 1, 1, 2))))
    files = {name: torn((shop / name).read_bytes(), chance) for name in chosen}
    return Case(command.words, files)


def wrong(tried: Case, shop: Path) -> str:
    """What is wrong with what the command does; empty if nothing is."""
    kept = {name: (shop / name).read_bytes() for name in tried.files}
    made = shop / "run"
    saved = {path: path.read_bytes() for path in made.iterdir()} if " run" in tried.words else {}
    for name, data in tried.files.items():
        (shop / name).write_bytes(data)
    try:
        return _verdict(tried.words)
    finally:
        for path, data in saved.items():
            path.write_bytes(data)
        for name, data in kept.items():
            (shop / name).write_bytes(data)


def _verdict(words: str) -> str:
    from pieslice.cli import main

    out, err = _Terminal(), io.StringIO()  # progress is shown on terminals only
    try:
        with redirect_stdout(out), redirect_stderr(err), _alarm():
            code = main(shlex.split(words))
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    except _TooSlow:
        return f"takes more than {_SECONDS} s"
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    told = err.getvalue()
    for line in told.splitlines():
        if "internal error" in line:
            return line
    if code not in _STATUSES:
        return f"exit status {code}"
    steering = {
        character
        for character in (out.getvalue() + told).replace("\n", "").replace("\t", "")
        if unicodedata.category(character) in _STEERING
    }
    return f"prints {sorted(steering)!r}" if steering else ""


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments say."""
    args = _parser().parse_args(arguments)
    here = Path.cwd()
    counts: Counter[str] = Counter()
    begun, found, number = time.monotonic(), 0, args.first - 1
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder)
        make(shop)
        os.chdir(shop)
        before = dict(os.environ)
        os.environ.update(NO_COLOR="1", COLUMNS="100")
        try:
            for number in range(args.first, args.first + args.count):
                tried = case(args.seed, number, shop, args.only)
                problem = wrong(tried, shop)
                counts[tried.words.split()[0]] += 1
                if problem:
                    found += 1
                    path = _write(tried, here / args.found / f"commands-{args.seed}-{number}")
                    print(f"{number}: {tried.words}: {problem[:300]}\n  {path}", flush=True)
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
    for name, data in tried.files.items():
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
