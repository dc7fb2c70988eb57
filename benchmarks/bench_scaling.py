"""Measures how the time of matching grows with slots and with autoclusters, as exponents.

Run: ``python benchmarks/bench_scaling.py [--slots N ...] [--autoclusters N ...] [--cycle]``, 1000,
3000 and 10000 slots with 100, 300 and 1000 autoclusters unless given.  Each number is the best of
three cold runs: a new table over the loaded columns, one job of each autocluster against all slots.
The exponent between the smallest and the largest size is the slope on logarithmic axes: 1 is
proportional.  With ``--cycle`` it is reading a pool and a whole cycle that are measured, on a pool
of 2,000 slots and jobs, and on five others that have eight times as much of one thing: slots, jobs,
autoclusters, submitters, groups with quotas.  A table, then JSON lines; CPU seconds.
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

from bench_cycle import timed, write_pool
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


#: A pool, and by how much one thing of it grows.
POOL = {
    "--slots": 2000, "--jobs": 2000, "--autoclusters": 250, "--submitters": 50, "--groups": 25,
}  # fmt: skip
FACTOR = 8


def reading_and_cycle(options: dict[str, int], rounds: int = 3) -> tuple[float, float]:
    """The best times for reading a pool and for a cycle of it."""
    with tempfile.TemporaryDirectory() as folder:
        write_pool(options, Path(folder))
        times = []
        for _ in range(rounds):
            gc.collect()
            times.append(timed(Path(folder))[2:])
    reading, cycle = (min(column) for column in zip(*times, strict=True))
    return reading, cycle


def growth_of_cycles() -> list[dict[str, Any]]:
    """How reading and a cycle grow, a row for each thing that a pool has."""
    least = reading_and_cycle(POOL)
    print(
        f"{'':14}{'reading':>10}{'cycle':>10}   exponents\n{'':14}{least[0]:10.3f}{least[1]:10.3f}"
    )
    rows = []
    for what, count in POOL.items():
        most = reading_and_cycle({**POOL, what: count * FACTOR})
        reading, cycle = (
            math.log(more / less) / math.log(FACTOR) for more, less in zip(most, least, strict=True)
        )
        name = f"{FACTOR} x {what[2:]}"
        print(f"{name:16}{most[0]:10.3f}{most[1]:10.3f}   {reading:.2f}, {cycle:.2f}", flush=True)
        rows.append({"grows": what[2:], "reading": reading, "cycle": cycle})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="How the time of matching grows.")
    parser.add_argument("--slots", nargs="+", type=int, default=[1000, 3000, 10000])
    parser.add_argument("--autoclusters", nargs="+", type=int, default=[100, 300, 1000])
    parser.add_argument("--cycle", action="store_true", help="of reading and of a cycle instead")
    options = parser.parse_args()
    about: dict[str, Any] = {
        "machine": platform.machine(), "python": platform.python_version(), "seed": 1,
    }  # fmt: skip
    if options.cycle:
        for row in growth_of_cycles():
            print(json.dumps(about | row))
        return
    if min(len(set(options.slots)), len(set(options.autoclusters))) < 2:
        parser.error("it takes two numbers of slots and two of autoclusters to tell growth")
    times = grid(options.slots, options.autoclusters)
    print(f"{'slots':>8}" + "".join(f"{number:>12}" for number in options.autoclusters))
    for count in options.slots:
        cells = "".join(f"{times[count, number]:>10.3f} s" for number in options.autoclusters)
        print(f"{count:8}{cells}")
    in_slots, in_jobs = exponents(times)
    print(f"exponent in slots {in_slots:.2f}, in autoclusters {in_jobs:.2f}")
    most = {"most_slots": max(options.slots), "most_autoclusters": max(options.autoclusters)}
    print(json.dumps(about | most | {"in_slots": in_slots, "in_autoclusters": in_jobs}))


if __name__ == "__main__":
    main()
