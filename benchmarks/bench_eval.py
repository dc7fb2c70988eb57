"""Measures evaluating and matching: this package and HTCondor's classad2, alternating in one run.

Run: ``python benchmarks/bench_eval.py [SECONDS_PER_RUN]``.  classad2 comes with the ``htcondor``
wheel; without it only our own column is printed.  Each row first says whether both give the same
value, then the best times and classad2's time divided by ours (above 1: ours is faster).
Times are CPU times, best of several; on a shared machine they vary, and no test looks at them.
"""

from __future__ import annotations

import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

import classad
from classad.ads.ad import make_ad
from classad.match import symmetric_match
from classad.syntax.parser import parse_expression

JOB = """[
  Owner = "alice"; AcctGroup = "group_physics"; RequestCpus = 2; RequestMemory = 2048;
  RequestDisk = 100000; RequestGPUs = undefined; JobUniverse = 5; FileSystemDomain = "campus";
  WantGpu = false; Rank = TARGET.KFlops + 1000 * (TARGET.Arch == "X86_64"); ImageSize = 1234;
  Requirements = (TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX")
    && (versionGE(split(TARGET.CondorVersion)[1],"25.12.0") || (TARGET.Disk >= RequestDisk))
    && (TARGET.Memory >= RequestMemory)
    && ((TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer))
]"""
SLOT = """[
  Name = "slot1@node"; Arch = "X86_64"; OpSys = "LINUX"; Memory = 8192; Cpus = 16; SlotID = 1;
  Disk = 79748208; KFlops = 1500000; KeyboardIdle = 4000; HasFileTransfer = true; Rank = 0.0;
  State = "Unclaimed"; FileSystemDomain = "campus"; LoadAvg = 0.1; Mips = 25000;
  CondorVersion = "$CondorVersion: 25.14.1 2026-10-16 PackageID: 25.14.1 $";
  Start = (KeyboardIdle > 60) && (TARGET.RequestMemory <= 4096);
  WithinResourceLimits = MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0
    && TARGET.RequestMemory <= MY.Memory && MY.Disk > 0
    && (TARGET.RequestDisk - ifThenElse(MappingMethod ?: "" != "Copy",
        ifThenElse(RequestedCatalogs =?= undefined || catalogs =?= undefined,0,
          sum(evalInEachContext(member(CatalogID,RequestedCatalogIDs) ? CatalogSize : 0,catalogs))),
        0)) <= MY.Disk && (TARGET.RequestGPUs =?= undefined || MY.GPUs >= TARGET.RequestGPUs);
  Requirements = Start && WithinResourceLimits
]"""
REJECTING = SLOT.replace("KeyboardIdle > 60", "KeyboardIdle > 6000")
PRE_JOB_RANK = (
    "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory"
)
POST_JOB_RANK = (
    "(RemoteOwner =?= UNDEFINED) * (ifthenElse(isUndefined(KFlops), 1000, Kflops) - SlotID"
    " - 1.0e10*(Offline=?=True))"
)
FOUR = 'Memory >= 1024 && Arch == "x86_64" && OpSys == "LINUX" && Cpus >= 1'
TWO = 'Memory >= 1024 && Arch == "X86_64"'
REQUIREMENTS = " ".join(JOB.partition("Requirements = ")[2].rstrip("]\n ").split())
EVALUATED = {
    "attribute": "Memory",
    "comparison": "Memory >= 1024",
    "two terms": TWO,
    "four terms": FOUR,
    "default pre-job rank": PRE_JOB_RANK,
    "default post-job rank": POST_JOB_RANK,
    "KFlops + 1000*(Arch==..)": 'KFlops + 1000 * (Arch == "X86_64")',
}


class Side:
    """One implementation: how it makes expressions and ads and matches them."""

    def __init__(
        self,
        tree: Callable[[str], Any],
        ad: Callable[[str], Any],
        match: Callable[[Any, Any], bool],
    ) -> None:
        self.tree = tree
        self.ad = ad
        self.match = match


def rows(side: Side) -> dict[str, Callable[[], Any]]:
    """Name of each row and what is timed."""
    job, slot, rejecting = side.ad(JOB), side.ad(SLOT), side.ad(REJECTING)
    table: dict[str, Callable[[], Any]] = {}
    for name, text in EVALUATED.items():
        evaluate = side.tree(text).eval
        table[f"eval: {name}"] = lambda evaluate=evaluate: evaluate(slot)
    requirements = side.tree(REQUIREMENTS).eval
    table["eval: Requirements, two ads"] = lambda: requirements(job, slot)
    table["symmetric match, yes"] = lambda: side.match(job, slot)
    table["symmetric match, no"] = lambda: side.match(job, rejecting)
    for name, text in (("literal", "1024"), ("comparison", "Memory >= 1024")):
        table[f"parse: {name}"] = lambda text=text: side.tree(text)
    table[f"parse: Requirements, {len(REQUIREMENTS)} bytes"] = lambda: side.tree(REQUIREMENTS)
    return table


def ours() -> Side:
    def ad(text: str) -> Any:
        node: Any = parse_expression(text)
        return make_ad(node, None)

    return Side(classad.ExprTree, ad, symmetric_match)


def theirs() -> Side | None:
    try:
        import classad2
        import htcondor2  # noqa: F401 - classad2 has daemon semantics only once this is loaded
    except ImportError:
        return None
    return Side(classad2.ExprTree, classad2.ClassAd, lambda a, b: a.symmetricMatch(b))


def timing(function: Callable[[], Any], seconds: float) -> Callable[[], float]:
    """Measures CPU nanoseconds a call, the better of two runs of about ``seconds`` each."""
    timer = timeit.Timer(function, timer=time.process_time)
    count, taken = timer.autorange()
    count = max(1, int(count * seconds / taken))
    return lambda: min(timer.repeat(2, count)) / count * 1e9


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.1
    mine, other = rows(ours()), theirs()
    peer = rows(other) if other is not None else {}
    print(f"{'':36}{'same':>6}{'ours, ns':>12}{'classad2, ns':>14}{'ratio':>8}")
    for name, function in mine.items():
        measure = timing(function, seconds)
        if name not in peer:
            print(f"{name:36}{'-':>6}{measure():12.0f}")
            continue
        same = str(function()) == str(peer[name]())
        measure_peer = timing(peer[name], seconds)
        pairs = [(measure(), measure_peer()) for _ in range(3)]
        a, b = (min(column) for column in zip(*pairs, strict=True))
        print(f"{name:36}{'yes' if same else 'NO':>6}{a:12.0f}{b:14.0f}{b / a:8.2f}", flush=True)


if __name__ == "__main__":
    main()
