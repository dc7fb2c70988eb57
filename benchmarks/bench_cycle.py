"""Time of a whole negotiation cycle: the example pool, lean pools that only scan, full ones.

Run: ``python benchmarks/bench_cycle.py [SLOTSxREQUESTS | PROFILE ...]``, by default ``1000x100
5000x100 small``.  Profiles are ``small``, ``medium`` and ``large``: pools of ``make_pool.py`` (seed
1), after loading, with the columns from nothing, with the columns that an equal cycle before has
left, and (not ``large``) slot by slot; whether all results are equal stands beside the times.
For the example pool the agreement with the recorded cycle stands beside the time.  A lean pool has
26 attributes a slot and one request an autocluster, the last conjunct of whose Requirements no slot
satisfies: the cycle tests every pair and must match none.  CPU seconds of this process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from negotiator.agreement import compare
from negotiator.command import without_collecting
from negotiator.cycle import negotiate
from negotiator.engine import Engines, make_engines
from negotiator.io import Capture, CapturePaths, read_capture
from negotiator.result import CycleResult

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "campus"

SLOT = """\
MyType = "Machine"
Name = "slot{number}@n{machine}"
Machine = "n{machine}"
Arch = "X86_64"
OpSys = "LINUX"
OpSysAndVer = "Debian12"
Cpus = 1
Memory = {memory}
Disk = 10000000
KFlops = {kflops}
Mips = 21000
SlotID = {number}
SlotWeight = Cpus
TotalCpus = 16
LoadAvg = 0.1
KeyboardIdle = 1000
IsOwner = false
State = "Unclaimed"
Activity = "Idle"
EnteredCurrentState = 1700000000
FileSystemDomain = "test"
HasFileTransfer = true
Rank = 0.0
CurrentRank = 0.0
MyCurrentTime = 1700000100
Requirements = (TARGET.RequestCpus <= MY.Cpus) && (TARGET.RequestMemory <= MY.Memory)

"""

JOB = """\
ClusterId = {cluster}
ProcId = 0
AutoClusterId = {cluster}
JobStatus = 1
Owner = "alice"
User = "alice@test"
JobPrio = 0
QDate = 1700000000
RequestCpus = 1
RequestMemory = {memory}
RequestDisk = 1000
FileSystemDomain = "elsewhere"
Rank = TARGET.KFlops
Requirements = (TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && \
(TARGET.Disk >= RequestDisk) && (TARGET.Memory >= RequestMemory) && \
(TARGET.FileSystemDomain == MY.FileSystemDomain)

"""

PROFILES = {
    "small": {"--slots": 1000, "--jobs": 200, "--autoclusters": 50},
    "medium": {"--slots": 10_000, "--jobs": 2000, "--autoclusters": 1000},
    "large": {"--slots": 100_000, "--jobs": 20_000, "--autoclusters": 10_000},
}

#: A cycle of any length is one cycle here.
CONFIG = "".join(
    f"NEGOTIATOR_MAX_TIME_PER_{limit} = 1000000\n"
    for limit in ("CYCLE", "SUBMITTER", "SCHEDD", "PIESPIN")
)


def write_lean(folder: Path, slots: int, requests: int) -> None:
    """The capture of a lean pool."""
    with open(folder / "slots.ads", "w", encoding="utf-8") as file:
        for slot in range(slots):
            file.write(
                SLOT.format(
                    number=1 + slot % 16,
                    machine=f"{slot // 16:05}",
                    memory=1024 * (1 + slot % 7),
                    kflops=100000 + slot % 1000,
                )
            )
    with open(folder / "jobs.ads", "w", encoding="utf-8") as file:
        for job in range(requests):
            file.write(JOB.format(cluster=1 + job, memory=10 + job))
    (folder / "condor_config").write_text(CONFIG, encoding="utf-8")


def timed(folder: Path) -> tuple[Capture, CycleResult, float, float]:
    """The capture, the result, and the seconds that reading and negotiating took."""
    start = time.process_time()
    capture = read_capture(CapturePaths(folder), now=None)
    read = time.process_time()
    result = negotiate(capture.snapshot, capture.policy, now=capture.facts.now, rng=Random(0))
    return capture, result, read - start, time.process_time() - read


def example() -> None:
    runs = [timed(EXAMPLE) for _ in range(3)]
    capture, result, _, _ = runs[0]
    assert capture.expected is not None
    agreement = compare(result, capture.expected)
    reading, cycle = min(run[2] for run in runs), min(run[3] for run in runs)
    print(
        f"examples/campus: read {reading:.3f} s, cycle {cycle:.3f} s, best of 3; "
        f"{agreement.agreeing} of {agreement.expected} decisions agree, {agreement.extra} extra"
    )


def lean(slots: int, requests: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_lean(Path(folder), slots, requests)
        _, result, reading, cycle = timed(Path(folder))
    assert not result.matches, "a lean pool has no matching pair"
    pairs = slots * requests
    print(
        f"lean, {slots} slots, {requests} requests: read {reading:.2f} s, cycle {cycle:.2f} s, "
        f"{cycle / pairs * 1e6:.2f} us a pair"
    )


def profile(name: str) -> None:
    """A pool with everything in it, by both engines."""
    numbers = PROFILES[name]
    with tempfile.TemporaryDirectory() as folder:
        maker = Path(__file__).with_name("make_pool.py")
        words = [str(word) for pair in numbers.items() for word in pair]
        command = [sys.executable, str(maker), *words, "--seed", "1", "--out", folder]
        subprocess.run(command, check=True, capture_output=True)
        (Path(folder) / "condor_config").write_text(CONFIG, encoding="utf-8")
        capture = read_capture(CapturePaths(Path(folder)), now=None)
    kept = make_engines("columns", lasting=True)
    engines: dict[str, str | Engines] = {"cold": kept, "warm": kept}
    if name != "large":
        engines["reference"] = "reference"
    seconds, results = {}, {}
    for how, engine in engines.items():
        begun = time.process_time()
        result = negotiate(
            capture.snapshot,
            capture.policy,
            now=capture.facts.now,
            rng=Random(0),
            engine=engine,
        )
        seconds[how], results[how] = time.process_time() - begun, result
    texts = {repr(result) for result in results.values()}
    times = ", ".join(f"{how} {taken:.2f} s" for how, taken in seconds.items())
    print(
        f"{name}, {numbers['--slots']} slots, {numbers['--autoclusters']} autoclusters: {times}; "
        f"{len(results['cold'].matches)} matches, {len(results['cold'].rejections)} rejections; "
        f"{'all results equal' if len(texts) == 1 else 'RESULTS DIFFER'}",
        flush=True,
    )


def main() -> None:
    example()
    for size in sys.argv[1:] or ["1000x100", "5000x100", "small"]:
        if size in PROFILES:
            with without_collecting():
                profile(size)
            continue
        slots, _, requests = size.partition("x")
        lean(int(slots), int(requests))


if __name__ == "__main__":
    main()
