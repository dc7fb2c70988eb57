"""Measures loading long-form slot ads: this package and HTCondor's classad2, alternating in a run.

Run: ``python benchmarks/bench_load.py [ADS ...]``, by default ``1000 8000``.  The ads come from
``make_pool.py`` (seed 1), about 210 attributes and 6.9 kB each.  Rows: loading into columns
(``load_long``), loading and making every ad (``to_ads``), and ``parseAds``; against classad2's
``parseAds``, which is quadratic in the length of the text and is left out above 8,000 ads.  Each
row first says whether both hold the same ads (every attribute of every ad printed in old syntax).
Then growth: the rate at ten times as many ads against the rate (``--growth N``, by default 10000),
and the resident memory that the columns take for each ad, each load in a process of its own.
A table, then JSON lines.  Times are CPU times, best of several; no test looks at them.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import math
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import classad
from classad import kernels
from classad.loading.columns import LoadedColumns
from classad.loading.long_form import load_long

HERE = Path(__file__).parent
#: More ads than this classad2 is not asked to read.
PATIENCE = 8000


def peer() -> Any:
    """The real library, in daemon mode, or None."""
    try:
        import_module("htcondor2")  # before classad2, which it switches to the daemons' semantics
        return import_module("classad2")
    except ImportError:
        return None


def slots(count: int, folder: str) -> Path:
    """A file of that many generated slot ads."""
    command = [sys.executable, str(HERE / "make_pool.py"), "--slots", str(count)]
    command += ["--jobs", "1", "--autoclusters", "1", "--seed", "1", "--out", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return Path(folder) / "slots.ads"


def seconds(run: Callable[[], object]) -> float:
    """CPU seconds of one run."""
    gc.collect()
    begin = time.process_time()
    result = run()
    passed = time.process_time() - begin
    del result
    return passed


def alternating(
    ours: Callable[[], object], theirs: Callable[[], object] | None, rounds: int
) -> tuple[float, float | None]:
    """The best time of each, in turns; the slower side runs less often."""
    mine, other = [], []
    for turn in range(rounds):
        mine.append(seconds(ours))
        if theirs is not None and turn < max(1, rounds // 3):
            other.append(seconds(theirs))
    return min(mine), min(other) if other else None


def digest(ads: Iterable[Any]) -> str:
    """Tells whether two sides hold the same ads."""
    found = hashlib.sha256()
    for ad in ads:
        found.update("".join(sorted(ad.printOld().splitlines(keepends=True))).encode())
        found.update(b"\n")
    return found.hexdigest()


def compare(count: int, folder: str, other: Any) -> None:
    """The rows of one number of ads."""
    data = slots(count, folder).read_bytes()
    text = data.decode()
    old = classad.ParserType.Old
    ways: dict[str, Callable[[], Any]] = {
        "load_long": lambda: load_long(data),
        "load_long, to_ads": lambda: list(load_long(data).to_ads(classad.ClassAd)),
        "parseAds": lambda: list(classad.parseAds(text, old)),
    }
    theirs: Callable[[], Any] | None = None
    expected = ""
    if other is not None and count <= PATIENCE:
        theirs = lambda: list(other.parseAds(text, other.ParserType.Old))  # noqa: E731
        expected = digest(theirs())
    for name, way in ways.items():
        result = way()
        ads = result.to_ads(classad.ClassAd) if isinstance(result, LoadedColumns) else result
        same = not expected or digest(ads) == expected
        del result, ads
        mine, peers = alternating(way, theirs if name == "load_long" else None, 6)
        if peers is not None:
            base = peers
        report(count, len(data), name, mine, base if theirs else None, same if expected else None)


def report(
    count: int, size: int, name: str, mine: float, theirs: float | None, same: bool | None
) -> None:
    """One row, and the same as JSON for the end."""
    agreement = "-" if same is None else "yes" if same else "NO"
    line = (
        f"{name:20}{count:8}{agreement:>6}{mine:10.3f}{count / mine:10.0f}{size / mine / 1e6:8.0f}"
    )
    if theirs is not None:
        line += f"{theirs:12.3f}{theirs / mine:9.1f}"
    print(line, flush=True)
    row = {"row": name, "ads": count, "bytes": size, "same": same, "ours_s": mine}
    ROWS.append(row | {"classad2_s": theirs, "ratio": theirs and theirs / mine})


ROWS: list[dict[str, Any]] = []

#: Run in a new process, since memory that was used before is cheaper: CPU seconds of loading a file
#: that is in the page cache, and the anonymous memory that it adds.
ONCE = """
import json, sys, time
from classad.files.ads import load_file
from classad.loading.long_form import load_long
def anonymous():
    try:
        with open("/proc/self/smaps_rollup") as lines:
            found = [line.split()[1] for line in lines if line.startswith("Anonymous:")]
            return int(found[0]) * 1024
    except OSError:
        return 0
load_long(b"a = 1\\n")
before, begin = anonymous(), time.process_time()
loaded = load_file(sys.argv[1])
passed = time.process_time() - begin
print(json.dumps([passed, anonymous() - before]))
"""


def once(path: Path) -> tuple[float, int]:
    """Seconds and bytes of memory of loading a file in a process of its own."""
    done = subprocess.run([sys.executable, "-c", ONCE, str(path)], check=True, capture_output=True)
    passed, memory = json.loads(done.stdout)
    return passed, memory


def growth(count: int, folder: str) -> None:
    """Rates and memory at ``count`` ads and at ten times as many, in turns."""
    times: dict[int, list[float]] = {count: [], 10 * count: []}
    paths = {number: slots(number, f"{folder}/{number}") for number in times}
    memory = {}
    for _ in range(9):
        for number, path in paths.items():
            passed, memory[number] = once(path)
            times[number].append(passed)
    rates = {number: number / min(found) for number, found in times.items()}
    for number, path in paths.items():
        report(number, path.stat().st_size, "load_file", min(times[number]), None, None)
        if memory[number]:
            each = memory[number] / number
            print(f"{'':20}{number:8} ads: {each:.0f} bytes of memory each")
            ROWS.append({"row": "memory", "ads": number, "bytes_per_ad": each})
    ratio = rates[10 * count] / rates[count]
    print(f"rate at {10 * count} ads / rate at {count} ads: {ratio:.2f}")
    row: dict[str, Any] = {"row": "growth", "ads": count, "ratio": ratio}
    if all(memory.values()):
        row["memory_exponent"] = math.log10(memory[10 * count] / memory[count])
    ROWS.append(row)


def main() -> None:
    parser = argparse.ArgumentParser(description="Loading long-form ads, against classad2.")
    parser.add_argument("ads", nargs="*", type=int)
    parser.add_argument("--growth", type=int, default=10000, metavar="N")
    options = parser.parse_args()
    other = peer()
    print(f"kernels: {kernels.backend}; classad2: {'yes' if other else 'not installed'}")
    print(f"{'':20}{'ads':>8}{'same':>6}{'ours, s':>10}{'ads/s':>10}{'MB/s':>8}", end="")
    print(f"{'classad2, s':>12}{'ratio':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for count in options.ads or [1000, 8000]:
            compare(count, folder, other)
        if options.growth:
            growth(options.growth, folder)
    about = {"machine": platform.machine(), "python": platform.python_version(), "seed": 1}
    for row in ROWS:
        print(json.dumps(about | row))


if __name__ == "__main__":
    main()
