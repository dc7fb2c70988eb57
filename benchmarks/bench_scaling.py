"""Measures how the time of matching grows with slots and with autoclusters, as exponents.

Run: ``python benchmarks/bench_scaling.py [--slots N ...] [--autoclusters N ...]``, 1000, 3000 and
10000 slots with 100, 300 and 1000 autoclusters unless given.  Each number is the best of three cold
runs: a new table over the loaded columns, one job of each autocluster against all slots.  The
exponent between the smallest and the largest size is the slope on logarithmic axes: 1 is
proportional.  A table, then JSON lines; CPU seconds.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

from bench_match import make_pool, one_of_each

from classad import ClassAd, Table
from classad.files.ads import load_file


def cold(loaded: Any, jobs: list[ClassAd], rounds: int = 3) -> float:
    """The best time for matching with nothing known."""
    times = []
    for _ in range(rounds):
        table = Table.from_columns(loaded)
        gc.collect()
        begin = time.process_time()
        table.match_many(jobs)
        times.append(time.process_time() - begin)
    return min(times)


def grid(slots: list[int], autoclusters: list[int]) -> dict[tuple[int, int], float]:
    """The times of all combinations."""
    found = {}
    for count in slots:
        with tempfile.TemporaryDirectory() as folder:
            make_pool(count, max(autoclusters), folder)
            loaded = load_file(Path(folder) / "slots.ads")
            jobs = one_of_each(Path(folder) / "jobs.ads")
        for number in autoclusters:
            found[count, number] = cold(loaded, jobs[:number])
    return found


def exponents(times: dict[tuple[int, int], float]) -> tuple[float, float]:
    """The growth in slots with the most autoclusters, and in autoclusters with the most slots."""
    (least, few), (most, many) = min(times), max(times)
    in_slots = math.log(times[most, many] / times[least, many]) / math.log(most / least)
    in_jobs = math.log(times[most, many] / times[most, few]) / math.log(many / few)
    return in_slots, in_jobs


def main() -> None:
    parser = argparse.ArgumentParser(description="How the time of matching grows.")
    parser.add_argument("--slots", nargs="+", type=int, default=[1000, 3000, 10000])
    parser.add_argument("--autoclusters", nargs="+", type=int, default=[100, 300, 1000])
    options = parser.parse_args()
    if min(len(set(options.slots)), len(set(options.autoclusters))) < 2:
        parser.error("it takes two numbers of slots and two of autoclusters to tell growth")
    times = grid(options.slots, options.autoclusters)
    print(f"{'slots':>8}" + "".join(f"{number:>12}" for number in options.autoclusters))
    for count in options.slots:
        cells = "".join(f"{times[count, number]:>10.3f} s" for number in options.autoclusters)
        print(f"{count:8}{cells}")
    in_slots, in_jobs = exponents(times)
    print(f"exponent in slots {in_slots:.2f}, in autoclusters {in_jobs:.2f}")
    about = {"machine": platform.machine(), "python": platform.python_version(), "seed": 1}
    most = {"most_slots": max(options.slots), "most_autoclusters": max(options.autoclusters)}
    print(json.dumps(about | most | {"in_slots": in_slots, "in_autoclusters": in_jobs}))


if __name__ == "__main__":
    main()
