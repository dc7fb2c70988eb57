"""Measures reading slot ads from text: this package and HTCondor's classad2, alternating in a run.

Run: ``python benchmarks/bench_parse.py [ADS ...]``, by default ``1000 8000``.  First expressions:
``ExprTree(text)`` alone, which here leaves the tree for later, and with printing it, which needs
the tree; microseconds.  Then ads; they come from
``make_pool.py`` (seed 1): long form, about 210 attributes each.  Each row first says whether both
read the same ads (every attribute of every ad printed in old syntax), then the best times and
classad2's time divided by ours (above 1: ours is faster).  classad2 comes with the ``htcondor``
wheel; without it only our own column is printed.  It is quadratic in the length of the text.
Times are CPU times, best of several; on a shared machine they vary, and no test looks at them.
A table, then JSON lines; seconds there.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import classad

HERE = Path(__file__).parent


def peer() -> Any:
    """The real library, in daemon mode, or None."""
    try:
        import_module("htcondor2")  # before classad2, which it switches to the daemons' semantics
        return import_module("classad2")
    except ImportError:
        return None


def slot_ads(count: int) -> list[str]:
    """The texts of that many generated slot ads."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(HERE / "make_pool.py"), "--slots", str(count)]
        command += ["--jobs", "1", "--autoclusters", "1", "--seed", "1", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        text = (Path(folder) / "slots.ads").read_text(encoding="utf-8")
    return [piece + "\n" for piece in text.split("\n\n") if piece.strip()]


def best(run: Callable[[], object], rounds: int) -> float:
    """Least CPU seconds of several runs."""
    least = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        run()
        least = min(least, time.process_time() - begin)
    return least


ROWS: list[dict[str, Any]] = []


def note(name: str, same: bool, ours: float, theirs: float) -> None:
    """The JSON line of a comparison, for the end."""
    row = {"row": name, "same": same, "ours_s": ours, "classad2_s": theirs}
    ROWS.append(row | {"ratio": theirs / ours})


def compare(name: str, read: Callable[[Any], list[Any]], rounds: int, other: Any) -> None:
    """Print one row."""
    ours = best(lambda: read(classad), rounds)
    if other is None:
        ROWS.append({"row": name, "ours_s": ours})
        print(f"{name:34} {'':5} {ours * 1000:11.1f}")
        return
    theirs = best(lambda: read(other), max(1, rounds // 2))
    same = [ad.printOld() for ad in read(classad)] == [ad.printOld() for ad in read(other)]
    note(name, same, ours, theirs)
    print(
        f"{name:34} {'yes' if same else 'NO':5} {ours * 1000:11.1f} {theirs * 1000:13.1f}"
        f" {theirs / ours:7.2f}"
    )


#: 281 bytes, as condor_submit writes them.
REQUIREMENTS = (
    '(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX")'
    ' && (versionGE(split(TARGET.CondorVersion)[1],"25.12.0") || (TARGET.Disk >= RequestDisk))'
    " && (TARGET.Memory >= RequestMemory) && (TARGET.Cpus>=1)"
    " && ((TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer))"
)
EXPRESSIONS = {
    "literal": "1024",
    "comparison": "Memory >= 1024",
    f"Requirements, {len(REQUIREMENTS)} bytes": REQUIREMENTS,
}


def expressions(other: Any) -> None:
    """Rows for single expressions, the sides in turns."""
    print(f"{'':42} {'same':5} {'ours, us':>11} {'classad2, us':>13} {'ratio':>7}")
    for (name, text), printed in product(EXPRESSIONS.items(), (False, True)):
        label = f"ExprTree{', str' if printed else ''}: {name}"
        sides = [classad] if other is None else [classad, other]
        times: list[list[float]] = [[], []]
        for _ in range(5):
            for side, found in zip(sides, times, strict=False):
                tree = side.ExprTree
                run = (lambda: str(tree(text))) if printed else (lambda: tree(text))  # noqa: B023
                timer = timeit.Timer(run, timer=time.process_time)
                found.append(timer.timeit(2000) / 2000 * 1e6)
        if other is None:
            ROWS.append({"row": label, "ours_s": min(times[0]) / 1e6})
            print(f"{label:42} {'':5} {min(times[0]):11.2f}")
            continue
        same = str(classad.ExprTree(text)) == str(other.ExprTree(text))
        ours, theirs = map(min, times)
        note(label, same, ours / 1e6, theirs / 1e6)
        print(f"{label:42} {'yes' if same else 'NO':5} {ours:11.2f} {theirs:13.2f}", end="")
        print(f" {theirs / ours:7.2f}")


def main(counts: list[int]) -> None:
    """Print the tables."""
    other = peer()
    expressions(other)
    print(f"{'':34} {'same':5} {'ours, ms':>11} {'classad2, ms':>13} {'ratio':>7}")
    for count in counts:
        pieces = slot_ads(count)
        text = "\n".join(pieces)
        rounds = 4 if count <= 1000 else 2
        compare(
            f"parseAds, {len(pieces)} ads, {len(text) / 1e6:.1f} MB",
            lambda side, text=text: list(side.parseAds(text, side.ParserType.Old)),
            rounds,
            other,
        )
        some = pieces[:1000]
        compare(
            f"parseOne, {len(some)} ads one by one",
            lambda side, some=some: [side.parseOne(piece, side.ParserType.Old) for piece in some],
            rounds,
            other,
        )
    about = {"machine": platform.machine(), "python": platform.python_version(), "seed": 1}
    for row in ROWS:
        print(json.dumps(about | row))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [1000, 8000])
