"""Plants changes that chance draws and counts those that no test sees: ``python -m fuzz.sampled``.

Needs the dependency group ``mutants`` (coverage).  The first run, and ``--again``, runs all tests
with coverage, which takes a quarter of an hour, and keeps in ``--cover`` which tests run which
lines.  A change is caught when a test that runs its line fails, or takes ten times as long.

Outputs: a line for each survivor, a table by room.  Exit codes: 0 at most ``--allowed`` of a
hundred survive, 1 more, 2 bad usage.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from fuzz.mutants import ROOT, copy_to
from fuzz.sampled.changes import Change, changes
from fuzz.sampled.cover import Cover, load, measure
from fuzz.sampled.equivalent import EQUIVALENT

COVER: Final = ROOT / "build" / "fuzz" / "cover.json"
#: What decides, evaluates, charges or writes.
DECIDING: Final = (
    "classad/ads", "classad/analysis", "classad/binding", "classad/builtins", "classad/compiled",
    "classad/evaluation", "classad/files", "classad/formats", "classad/language",
    "classad/loading", "classad/syntax", "classad/table", "policy", "negotiator",
    "pieslice/forecast", "pieslice/priorities", "pieslice/simulation", "pieslice/why",
)  # fmt: skip
#: What makes tables when it is run by hand, and generators for tests.
LEFT_OUT: Final = ("strategies", "make_table.py", "cli.py")
#: Seconds of tests that a change gets.
PATIENCE: Final = 120.0


def deciding(root: Path) -> list[str]:
    """The files that are changed."""
    found = (path for part in DECIDING for path in (root / part).rglob("*.py"))
    names = (str(path.relative_to(root)) for path in found)
    return sorted(name for name in names if not any(part in name for part in LEFT_OUT))


def drawn(root: Path, seed: int, count: int, only: str) -> list[tuple[str, Change]]:
    """Changes, each as likely as any other."""
    everything = [
        (file, change)
        for file in deciding(root)
        if only in file
        for change in changes((root / file).read_text(encoding="utf-8"))
    ]
    return random.Random(seed).sample(everything, min(count, len(everything)))


def chosen(tests: Sequence[str], cover: Cover) -> Iterator[str]:
    """As many of the quickest tests as fit the patience."""
    seconds = dict(zip(cover.tests, cover.seconds, strict=True))
    spent = 0.0
    for test in tests:
        spent += seconds[test]
        if spent > PATIENCE:
            return
        if test.isprintable():
            yield test


def caught(folder: Path, file: str, change: Change, tests: Sequence[str]) -> bool:
    """Plant a change in the copy, run the tests, take it out again."""
    path = folder / file
    before = path.read_text(encoding="utf-8")
    path.write_text(change.applied(before), encoding="utf-8")
    listing = folder / "tests.txt"
    listing.write_text("\n".join(tests), encoding="utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
             "-p", "no:xdist", f"@{listing}"],
            cwd=folder, capture_output=True, check=False, timeout=10 * PATIENCE,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(before, encoding="utf-8")
    # 4: a file of tests cannot even be imported.
    return done.returncode in (1, 2, 3, 4)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.sampled", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="changes to draw (100)")
    parser.add_argument("--only", default="", help="a part of the names of files")
    parser.add_argument("--room", default="", help="of the changes drawn, only those of this folder")
    parser.add_argument("--cover", type=Path, default=COVER, help="where the coverage is kept")
    parser.add_argument("--again", action="store_true", help="measure the coverage anew")
    parser.add_argument("--allowed", type=float, default=3.0, help="survivors of a hundred (3)")
    args = parser.parse_args(arguments)
    if args.again or not args.cover.is_file():
        measure(ROOT, ()).save(args.cover)
    cover = load(args.cover)
    planted: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_to(folder)
        for file, change in drawn(ROOT, args.seed, args.count, args.only):
            if not file.startswith(args.room):
                continue
            text = (ROOT / file).read_text(encoding="utf-8")
            if (file, text.splitlines()[change.line - 1].strip(), change.kind) in EQUIVALENT:
                continue
            tests = list(chosen(cover.running(file, change.line), cover))
            room = file.partition("/")[0]
            planted[room] += 1
            if not tests or not caught(folder, file, change, tests):
                survived[room] += 1
                why = f"{len(tests)} tests" if tests else "no test runs this line"
                print(f"SURVIVES {file}:{change.line}: {change.shown(text)} ({why})", flush=True)
    for room in planted:
        print(f"{room}: {planted[room] - survived[room]} of {planted[room]} caught")
    share = 100 * survived.total() / max(1, planted.total())
    print(f"{survived.total()} of {planted.total()} survive ({share:.1f} %)")
    return 0 if share <= args.allowed else 1


if __name__ == "__main__":
    sys.exit(main())
