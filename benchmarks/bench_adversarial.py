"""Pools made to defeat a table of columns, against HTCondor's classad2, pair by pair.

Run: ``python benchmarks/bench_adversarial.py [PROFILE ...] [--slots N] [--jobs N]``; all profiles,
4000 slots and 200 jobs unless given.  Each profile takes away something that makes a table fast:
equal conjuncts, few START expressions, few values, plain values, a memory of results, a pool that
stands still.  Every job is matched with every slot once, in a table that was just loaded; in the
same process classad2's ``symmetricMatch`` runs on a sample of the pairs (``--sample N``), and its
rate is taken for the whole.  Agreement: the sampled pairs for which both say the same.
A table, then JSON lines; CPU seconds; ``gate.py`` looks at the ratios.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import random
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from classad import ClassAd, Table, kernels
from classad.loading.long_form import load_long

Texts = dict[str, str]


class Pool(NamedTuple):
    """Slots and jobs as texts of attributes.  ``budget``: bytes; ``moving``: slots change."""

    slots: list[Texts]
    jobs: list[Texts]
    budget: int = 512 * 2**20
    moving: bool = False


def peer() -> Any:
    """The real library, in daemon mode, or None."""
    try:
        import_module("htcondor2")  # before classad2, which it switches to the daemons' semantics
        return import_module("classad2")
    except ImportError:
        return None


# --- ordinary ads -------------------------------------------------------------------------------


def slot(number: int, rng: random.Random) -> Texts:
    """A slot of an ordinary pool."""
    cpus = rng.choice([1, 2, 4, 8, 16, 32])
    found = {
        "MyType": '"Machine"',
        "Name": f'"slot1@node{number:05}"',
        "Machine": f'"node{number:05}.pool.example"',
        "Arch": rng.choice(['"X86_64"'] * 9 + ['"aarch64"']),
        "OpSys": '"LINUX"',
        "Cpus": str(cpus),
        "Memory": str(cpus * rng.choice([2048, 4096, 8192]) - rng.randrange(64)),
        "Disk": str(rng.randrange(10**6, 10**8)),
        "KFlops": str(rng.randrange(10**6, 3 * 10**6)),
        "LoadAvg": f"{rng.random() * cpus:.3f}",
        "State": rng.choice(['"Unclaimed"', '"Unclaimed"', '"Claimed"']),
        "EnteredCurrentState": str(1_700_000_000 - rng.randrange(10**6)),
        "Site": f'"T2_{rng.choice("ABCDEFGHIJ")}"',
        "Start": rng.choice(
            [
                "TARGET.RequestMemory <= Memory",
                'TARGET.Owner =!= "mallory" && LoadAvg < Cpus',
                "TARGET.JobPrio >= 0 || Cpus > 4",
            ]
        ),
        "WithinResourceLimits": "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= Memory",
        "Requirements": "Start && WithinResourceLimits",
        "Rank": "0.0",
    }
    return found


def job(number: int, rng: random.Random) -> Texts:
    """A job of an ordinary queue."""
    return {
        "MyType": '"Job"',
        "Owner": f'"user{rng.randrange(20)}"',
        "ClusterId": str(number),
        "JobPrio": str(rng.randrange(-2, 3)),
        "RequestCpus": str(rng.choice([1, 1, 2, 4])),
        "RequestMemory": str(rng.choice([1024, 2048, 4096, 6000])),
        "RequestDisk": str(rng.randrange(10**5, 10**7)),
        "Requirements": 'TARGET.Arch == "X86_64" && TARGET.OpSys == "LINUX"'
        " && TARGET.Disk >= RequestDisk && TARGET.Memory >= RequestMemory",
        "Rank": "KFlops",
    }


def ordinary(slots: int, jobs: int) -> Pool:
    """Nothing against the grain."""
    rng = random.Random(1)
    return Pool([slot(n, rng) for n in range(slots)], [job(n, rng) for n in range(jobs)])


# --- profiles -----------------------------------------------------------------------------------


def unique_constants(pool: Pool, rng: random.Random) -> Pool:
    """Seven conjuncts with constants that no other job has."""
    for number, ad in enumerate(pool.jobs):
        ad["Requirements"] = (
            f'TARGET.Machine != "node{number:05}.pool.example" && KFlops > {10**6 + 997 * number}'
            f" && TARGET.Memory > {1000 + number} && Disk > {10**6 + 3 * number}"
            f' && LoadAvg < {30 - number / 100} && !regexp("node{number:03}7", TARGET.Machine)'
            f" && TARGET.Memory - {number} * TARGET.Cpus > 900"
        )
    return pool


def many_starts(pool: Pool, rng: random.Random) -> Pool:
    """More than a thousand START expressions, of three conjuncts each."""
    for ad in pool.slots:
        ad["Start"] = (
            f"TARGET.RequestMemory <= Memory && TARGET.RequestDisk < {rng.randrange(10**6, 10**7)}"
            f' && TARGET.Owner != "user{rng.randrange(40)}" && LoadAvg < {rng.randrange(5, 40)}'
        )
    return pool


def start_by_job(pool: Pool, rng: random.Random) -> Pool:
    """START reads what every job has for itself."""
    for ad in pool.slots:
        ad["Start"] = rng.choice(
            [
                "TARGET.ClusterId % 7 != Cpus % 7 && TARGET.RequestMemory <= Memory",
                "TARGET.RequestDisk * 2 < Disk",
                'strcat(TARGET.Owner, "@", TARGET.ClusterId) != "user1@17" && TARGET.JobPrio > -2',
            ]
        )
    return pool


def unique_strings(pool: Pool, rng: random.Random) -> Pool:
    """Strings that no other slot has, asked with regular expressions."""
    for number, ad in enumerate(pool.slots):
        ad["Label"] = f'"{rng.getrandbits(64):016x}-{number}"'
        ad["Tags"] = f'"{rng.getrandbits(20):05x},{rng.getrandbits(20):05x},common"'
    for ad in pool.jobs:
        ad["Requirements"] += (
            f' && regexp("^[{rng.randrange(1, 9)}-f].*{rng.randrange(10)}", TARGET.Label)'
            f' && !stringListMember("{rng.getrandbits(20):05x}", TARGET.Tags)'
        )
    return pool


def nested(pool: Pool, rng: random.Random) -> Pool:
    """Lists of ads with an expression evaluated in each."""
    for ad in pool.slots:
        devices = ", ".join(
            f"[Id = {n}; Capability = {rng.choice([7.0, 7.5, 8.0, 8.6])};"
            f" Memory = {rng.randrange(8000, 80000, 500)}]"
            for n in range(rng.randrange(4))
        )
        ad["AvailableGPUs"] = f"{{{devices}}}"
    for ad in pool.jobs:
        ad["Least"] = str(rng.randrange(8000, 60000))
        ad["RequireGPUs"] = f"Capability >= {rng.choice(['7.5', '8.0'])} && Memory >= Least"
        ad["Requirements"] += " && countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= 1"
    return pool


def own_ads(pool: Pool, rng: random.Random) -> Pool:
    """Lists that name ads of the slot itself, each under a name of its own."""
    for ad in pool.slots:
        names = [f"GPU_{rng.getrandbits(32):08x}" for _ in range(rng.randrange(4))]
        for name in names:
            capability, memory = rng.choice([7.0, 7.5, 8.0, 8.6]), rng.randrange(8000, 80000, 500)
            ad[name] = f"[Capability = {capability}; Memory = {memory}]"
        ad["AvailableGPUs"] = f"{{ {', '.join(names)} }}"
    for ad in pool.jobs:
        ad["Least"] = str(rng.randrange(8000, 60000))
        ad["RequireGPUs"] = f"Capability >= {rng.choice(['7.5', '8.0'])} && Memory >= Least"
        ad["Requirements"] += " && countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= 1"
    return pool


def odd_values(pool: Pool, rng: random.Random) -> Pool:
    """Attributes that half of the slots lack or have with another type."""
    for ad in pool.slots:
        for name in ("Memory", "KFlops", "LoadAvg", "Site", "Disk"):
            chance = rng.random()
            if chance < 0.25:
                del ad[name]
            elif chance < 0.5:
                ad[name] = rng.choice(["undefined", "error", '"12"', "true", "{ 1 }", "1.5"])
    for ad in pool.jobs:
        ad["Requirements"] = (
            f"(TARGET.KFlops > {rng.randrange(10**6, 3 * 10**6)} || TARGET.LoadAvg =?= undefined)"
            f" && TARGET.Memory + 1 > {rng.randrange(4000)} && TARGET.Site =!= error"
        )
    return pool


def clock_and_chance(pool: Pool, rng: random.Random) -> Pool:
    """The time in the requirements of all, and random() in those of a tenth of the jobs."""
    for ad in pool.slots:
        ad["Start"] = f"time() - EnteredCurrentState > {rng.choice([600, 6000, 60000])}"
    for number, ad in enumerate(pool.jobs):
        ad["Requirements"] += f" && time() > 1600000000 + {number}"
        if number % 10 == 0:
            ad["Requirements"] += " && random(10) < 20"
    return pool


def deep(pool: Pool, rng: random.Random) -> Pool:
    """Attributes that are expressions of expressions of expressions."""
    for ad in pool.slots:
        ad["A"] = "B + Cpus"
        ad["B"] = rng.choice(["C * 2", "C + 1", "C - 1"])
        ad["C"] = rng.choice(["Memory / 1024", "Disk / 1000000", "TARGET.RequestCpus + Cpus"])
    for ad in pool.jobs:
        ad["D"], ad["E"] = "E + 1", "F * 2"
        ad["F"] = f"TARGET.Cpus + {rng.randrange(30)}"
        ad["Requirements"] += f" && TARGET.A > {rng.randrange(10, 60)} && D > 5"
    return pool


def circular(pool: Pool, rng: random.Random) -> Pool:
    """References in a circle, in a part of the slots."""
    for ad in pool.slots:
        ad["A"] = rng.choice(["B", "B", "5"])
        ad["B"] = rng.choice(["C + 1", "A"])
        ad["C"] = rng.choice(["A", "Cpus"])
    for ad in pool.jobs:
        ad["Requirements"] += f" && TARGET.A =!= {rng.randrange(9)}"
    return pool


def preemption(pool: Pool, rng: random.Random) -> Pool:
    """Priorities of both sides and the slot's Rank against its CurrentRank."""
    for ad in pool.slots:
        ad["RemoteUserPrio"] = f"{500 * rng.random():.2f}"
        ad["CurrentRank"] = str(rng.randrange(3))
        ad["Rank"] = rng.choice(['TARGET.Owner == "user3"', "TARGET.JobPrio", "0.0"])
        ad["Start"] = (
            'State != "Claimed" || RemoteUserPrio > TARGET.SubmitterUserPrio * 1.2'
            " || MY.Rank > MY.CurrentRank"
        )
    for ad in pool.jobs:
        ad["SubmitterUserPrio"] = f"{400 * rng.random():.2f}"
    return pool


def small_budget(pool: Pool, rng: random.Random) -> Pool:
    """Constants of their own and a megabyte for all results."""
    return unique_constants(pool, rng)._replace(budget=2**20)


def moving_slots(pool: Pool, rng: random.Random) -> Pool:
    """One slot changes between every two jobs, as by a claim under a consumption policy."""
    return pool._replace(moving=True)


PROFILES: dict[str, Callable[[Pool, random.Random], Pool]] = {
    function.__name__: function
    for function in (
        unique_constants, many_starts, start_by_job, unique_strings, nested, own_ads, odd_values,
        clock_and_chance, deep, circular, preemption, small_budget, moving_slots,
    )
}  # fmt: skip


# --- measuring ----------------------------------------------------------------------------------


def long_form(ads: list[Texts]) -> str:
    """Ads as text."""
    return "\n".join("".join(f"{k} = {v}\n" for k, v in ad.items()) for ad in ads)


def ours(table: Table, jobs: list[ClassAd], moving: bool) -> Iterator[Any]:
    """The matches of each job."""
    if not moving:
        yield from table.match_many(jobs)
        return
    for number, ad in enumerate(jobs):
        row = 37 * number % len(table)
        changed = ClassAd(table.ad(row))
        changed["Cpus"] = number % 5
        changed["Memory"] = 1000 + number
        table.replace(row, changed)
        yield table.match(ad)


def theirs(other: Any, pool: Pool, sample: int) -> tuple[float, list[tuple[int, int, bool]]]:
    """Seconds for a pair, and what classad2 says about the pairs of a sample."""
    some = list(range(0, len(pool.jobs), max(1, len(pool.jobs) // 40)))
    rows = list(range(0, len(pool.slots), max(1, len(pool.slots) * len(some) // sample)))
    old = other.ParserType.Old
    machines = [other.parseOne(long_form([pool.slots[row]]), old) for row in rows]
    queue = [other.parseOne(long_form([pool.jobs[number]]), old) for number in some]
    begin = time.process_time()
    said = [[ad.symmetricMatch(machine) for machine in machines] for ad in queue]
    passed = time.process_time() - begin
    pairs = [
        (number, row, yes)
        for number, answers in zip(some, said, strict=True)
        for row, yes in zip(rows, answers, strict=True)
    ]
    return passed / len(pairs), pairs


def measure(name: str, slots: int, jobs: int, other: Any, sample: int) -> dict[str, Any]:
    """One profile."""
    pool = PROFILES[name](ordinary(slots, jobs), random.Random(2))
    table = Table.from_columns(load_long(long_form(pool.slots).encode()), budget=pool.budget)
    queue = list(load_long(long_form(pool.jobs).encode()).to_ads(ClassAd))
    gc.collect()
    begin = time.process_time()
    found = list(ours(table, queue, pool.moving))
    row = {"profile": name, "slots": slots, "jobs": jobs, "ours_s": time.process_time() - begin}
    row["matches"] = sum(map(len, found))
    if other is None:
        return row
    row["classad2_pair_s"], pairs = theirs(other, pool, sample)
    if pool.moving:  # the sample has the slots as they were
        touched = {37 * number % slots for number in range(jobs)}
        pairs = [pair for pair in pairs if pair[1] not in touched]
    row["agree"] = sum((place in found[number]) == yes for number, place, yes in pairs)
    row["compared"] = len(pairs)
    row["ratio"] = row["classad2_pair_s"] * slots * jobs / row["ours_s"]
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description="Matching against the grain, against classad2.")
    parser.add_argument("profiles", nargs="*", metavar="PROFILE", help=", ".join(PROFILES))
    parser.add_argument("--slots", type=int, default=4000)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--sample", type=int, default=8000, metavar="PAIRS")
    options = parser.parse_args()
    other = peer()
    print(f"kernels: {kernels.backend}; classad2: {'yes' if other else 'not installed'}")
    print(f"{'profile':18}{'ours, s':>9}{'us/pair':>9}{'classad2':>10}{'ratio':>8}  agreement")
    rows = []
    for name in options.profiles or PROFILES:
        row = measure(name, options.slots, options.jobs, other, options.sample)
        rows.append(row)
        each = 1e6 * row["ours_s"] / row["slots"] / row["jobs"]
        line = f"{name:18}{row['ours_s']:9.3f}{each:9.3f}"
        if "ratio" in row:
            line += f"{1e6 * row['classad2_pair_s']:10.1f}{row['ratio']:7.0f}x"
            line += f"  {row['agree']} of {row['compared']}"
        print(line, flush=True)
    about = {"machine": platform.machine(), "python": platform.python_version()}
    for row in rows:
        print(json.dumps(about | row))


if __name__ == "__main__":
    main()
