"""Pairs a second: a table of slots against HTCondor's classad2, on generated pools.

Run: ``python benchmarks/bench_match.py [SIZE ...]``, by default ``1000x50 10000x500`` (slots x
autoclusters).
Pools come from ``make_pool.py`` (seed 1); one job of each autocluster is matched with every slot.
*cold*: a table just loaded, nothing known; *warm*: the same jobs again.  classad2's
``symmetricMatch`` runs on a sample of pairs (``--sample N``) between the two, and its rate is taken
for the whole.  Agreement: the sampled pairs for which both say the same.  ``--profile`` prints
where the cold run spends its time.  A table, then JSON lines; CPU seconds; no test looks at them.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from classad import ClassAd, Rows, Table, kernels, read_ads

HERE = Path(__file__).parent


def peer() -> Any:
    """The real library, in daemon mode, or None."""
    try:
        import_module("htcondor2")  # before classad2, which it switches to the daemons' semantics
        return import_module("classad2")
    except ImportError:
        return None


def make_pool(slots: int, autoclusters: int, folder: str) -> None:
    """Write the files of a generated pool."""
    command = [sys.executable, str(HERE / "make_pool.py"), "--slots", str(slots)]
    command += ["--jobs", str(2 * autoclusters), "--autoclusters", str(autoclusters)]
    subprocess.run(
        [*command, "--seed", "1", "--out", folder], check=True, stdout=subprocess.DEVNULL
    )


def one_of_each(path: Path) -> list[ClassAd]:
    """One job of each autocluster."""
    jobs: dict[int, ClassAd] = {}
    for job in read_ads(path):
        jobs.setdefault(job["AutoClusterId"], job)
    return list(jobs.values())


def pool(slots: int, autoclusters: int, folder: str) -> tuple[Table, list[ClassAd]]:
    """The slots, and one job of each autocluster."""
    make_pool(slots, autoclusters, folder)
    return Table.from_file(Path(folder) / "slots.ads"), one_of_each(Path(folder) / "jobs.ads")


def theirs(
    other: Any, slots: Table, jobs: list[ClassAd], sample: int
) -> tuple[float, list[tuple[int, int, bool]]]:
    """Seconds for a pair, and what classad2 says about the pairs of a sample."""
    rows = list(range(0, len(slots), max(1, len(slots) * min(len(jobs), 50) // sample)))
    some = list(range(0, len(jobs), max(1, len(jobs) // 50)))
    chosen = slots.ads(Rows.of(len(slots), rows))
    machines = [other.parseOne(ad.printOld(), other.ParserType.Old) for ad in chosen]
    queue = [other.parseOne(jobs[number].printOld(), other.ParserType.Old) for number in some]
    begin = time.process_time()
    said = [[job.symmetricMatch(machine) for machine in machines] for job in queue]
    passed = time.process_time() - begin
    pairs = [
        (number, row, yes)
        for number, answers in zip(some, said, strict=True)
        for row, yes in zip(rows, answers, strict=True)
    ]
    return passed / len(pairs), pairs


def measure(slots: int, autoclusters: int, other: Any, options: Any) -> dict[str, Any]:
    """One profile."""
    with tempfile.TemporaryDirectory() as folder:
        table, jobs = pool(slots, autoclusters, folder)
    gc.collect()
    begin = time.process_time()
    found = profiled(table, jobs) if options.profile else table.match_many(jobs)
    cold = time.process_time() - begin
    row: dict[str, Any] = {"slots": slots, "autoclusters": len(jobs), "cold_s": cold}
    row["matches"] = sum(map(len, found))
    if other is not None:
        row["classad2_pair_s"], pairs = theirs(other, table, jobs, options.sample)
        row["agree"] = sum((place in found[number]) == yes for number, place, yes in pairs)
        row["compared"] = len(pairs)
    gc.collect()
    begin = time.process_time()
    again = table.match_many(jobs)
    row["warm_s"] = time.process_time() - begin
    assert again == found
    return row


def profiled(table: Table, jobs: list[ClassAd]) -> Any:
    """The cold run, with its profile on standard output."""
    from cProfile import Profile
    from pstats import Stats

    profile = Profile()
    found = profile.runcall(table.match_many, jobs)
    Stats(profile).sort_stats("tottime").print_stats(25)
    return found


def show(row: dict[str, Any]) -> None:
    """One line of the table."""
    pairs = row["slots"] * row["autoclusters"]
    line = f"{row['slots']:8} x {row['autoclusters']:<7}"
    for key in ("cold_s", "warm_s"):
        line += f"{row[key]:9.3f}{pairs / row[key] / 1e6:10.1f}"
        if "compared" in row:
            row[key.replace("_s", "_ratio")] = row["classad2_pair_s"] * pairs / row[key]
            line += f"{row[key.replace('_s', '_ratio')]:9.0f}x"
    if "compared" in row:
        line += f"{1e6 * row['classad2_pair_s']:10.1f}   {row['agree']} of {row['compared']}"
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Matching slots and jobs, against classad2.")
    parser.add_argument("sizes", nargs="*", metavar="SLOTSxAUTOCLUSTERS")
    parser.add_argument("--sample", type=int, default=20_000, metavar="PAIRS")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    other = peer()
    print(f"kernels: {kernels.backend}; classad2: {'yes' if other else 'not installed'}")
    print(
        f"{'':18}{'cold, s':>9}{'Mpairs/s':>10}{'ratio':>10}{'warm, s':>9}{'Mpairs/s':>10}", end=""
    )
    print(f"{'ratio':>10}{'classad2, us':>10}  agreement")
    rows = []
    for size in options.sizes or ["1000x50", "10000x500"]:
        slots, _, autoclusters = size.partition("x")
        rows.append(measure(int(slots), int(autoclusters), other, options))
        show(rows[-1])
    about = {"machine": platform.machine(), "python": platform.python_version(), "seed": 1}
    for row in rows:
        print(json.dumps(about | row))


if __name__ == "__main__":
    main()
