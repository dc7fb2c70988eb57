"""Measures a whole negotiation cycle: the example pool, lean pools that only scan, full ones.

Run: ``python benchmarks/bench_cycle.py [SLOTSxREQUESTS | PROFILE ...]``, by default ``1000x100
5000x100 small``.  Profiles are ``small``, ``medium`` (with 983 submitters), the same
with 50 ``submitters`` or 200 ``groups`` with quotas, and ``large``: pools of ``make_pool.py`` (seed
1), after loading, with the columns from nothing, with the columns that an equal cycle before has
left, and (``small``, or with ``--reference``) slot by slot; whether all results are equal stands
beside the times.  Each is measured in processes of its own, some of them several times; the best
time counts.  ``huge`` is ``large`` with ten slots, of ten names, in the place of each; they are
repeated in memory, and every one has cells of its own.  ``--pool FOLDER`` takes the pool from a
folder instead of making it.
For the example pool the agreement with the recorded cycle stands beside the time.  A lean pool has
26 attributes a slot and one request an autocluster, the last conjunct of whose Requirements no slot
satisfies: the cycle tests every pair and must match none.  CPU seconds of this process; the time of
a fixed loop around each cycle tells how fast the machine was at that moment.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from array import array
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from attr import evolve

from classad.loading.columns import BufferColumn, LoadedColumn, LoadedColumns
from negotiator.capture.agreement import compare
from negotiator.cycle import negotiate
from negotiator.engines import make_engines
from negotiator.io import Capture, CapturePaths, read_capture
from negotiator.matching.engine import Engines
from negotiator.model.garbage import without_collecting
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.result import CycleResult

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
    "submitters": {"--slots": 10_000, "--jobs": 2000, "--autoclusters": 1000, "--submitters": 50},
    "groups": {"--slots": 10_000, "--jobs": 2000, "--autoclusters": 1000, "--groups": 200},
    "large": {"--slots": 100_000, "--jobs": 20_000, "--autoclusters": 10_000},
    "huge": {"--slots": 100_000, "--jobs": 20_000, "--autoclusters": 10_000},
}
#: How many processes measure it, one after the other; the fastest counts, since other work on the
#: machine only adds.
TIMES = {"small": 3, "medium": 5, "submitters": 3, "groups": 3, "large": 3, "huge": 1}
#: How many slots of a huge pool are made of one that was read.
COPIES = 10

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


def make_profile(name: str, folder: Path) -> None:
    """The capture of a profile."""
    write_pool(PROFILES[name], folder)


def write_pool(options: dict[str, int], folder: Path) -> None:
    """The capture that ``make_pool.py`` makes."""
    maker = Path(__file__).with_name("make_pool.py")
    words = [str(word) for pair in options.items() for word in pair]
    command = [sys.executable, str(maker), *words, "--seed", "1", "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    groups = folder / "groups.conf"
    text = CONFIG + (groups.read_text(encoding="utf-8") if groups.exists() else "")
    (folder / "condor_config").write_text(text, encoding="utf-8")


def repeated(slots: LoadedSlots, times: int) -> LoadedSlots:
    """Slots that have everything but their names from those given."""
    loaded, count = slots.loaded, slots.loaded.n_rows
    names = [
        name if copy == 0 else f"{name}.{copy}"
        for copy in range(times)
        for name in loaded.values(loaded.columns[loaded.names.index("Name")])
    ]
    texts = [*loaded.texts, *names]
    columns: list[LoadedColumn] = []
    for column in loaded.columns:
        payload = array("q", column.payload.tobytes() * times)
        if column.name == "Name":
            payload = array("q", range(len(loaded.texts), len(texts)))
        rows = None
        if column.rows is not None:
            rows = memoryview(
                array("i", (row + copy * count for copy in range(times) for row in column.rows))
            )
        columns.append(
            BufferColumn(
                column.name,
                column.key,
                column.present * times,
                memoryview(column.tags.tobytes() * times),
                memoryview(payload),
                rows,
            )
        )
    row_shapes = list(loaded._row_shapes) * times
    many = LoadedColumns(
        count * times, columns, lambda: texts, loaded._names, loaded._positions, row_shapes, []
    )
    order = array("i", (row + copy * count for copy in range(times) for row in slots.order))
    return LoadedSlots(many, order, [names[row] for row in order])


def peak() -> float | None:
    """The most memory that this process has had at once, in GB; None where nobody tells."""
    try:
        import resource
    except ImportError:
        return None
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 3)


def measured(name: str, folder: Path, reference: bool) -> dict[str, Any]:
    """What one process finds out about the pool in a folder, by both engines."""
    capture = read_capture(CapturePaths(folder), now=None)
    snapshot = capture.snapshot
    if name == "huge":
        assert isinstance(snapshot.slots, LoadedSlots)
        snapshot = evolve(snapshot, slots=repeated(snapshot.slots, COPIES))
    kept = make_engines("columns", lasting=True)
    engines: dict[str, str | Engines] = {"cold": kept, "warm": kept}
    if reference:
        engines["reference"] = "reference"
    loaded = peak()
    seconds, paces, results = {}, {}, []
    for how, engine in engines.items():
        if how == "reference":
            snapshot = evolve(snapshot, slots=tuple(snapshot.slots))  # made before the clock runs
        before, begun = pace(), time.process_time()
        now = capture.facts.now
        result = negotiate(snapshot, capture.policy, now=now, rng=Random(0), engine=engine)
        seconds[how] = time.process_time() - begun
        paces[how] = (before + pace()) / 2
        results.append(result)
    most = peak()  # before the records of claims are made, which only the texts want
    texts = {sha256(repr(result).encode()).hexdigest() for result in results}
    found = {"matches": len(result.matches), "rejections": len(result.rejections)}
    return {
        "seconds": seconds, "paces": paces, "texts": sorted(texts), "loaded": loaded,
        "peak": most, **found,
    }  # fmt: skip


def profile(name: str, folder: Path, reference: bool) -> None:
    """A pool with everything in it, in processes that know nothing of each other."""
    words = ["--alone", name, "--pool", str(folder)] + ["--reference"] * reference
    command = [sys.executable, __file__, *words]
    runs = []
    for number in range(TIMES[name]):
        # Slot by slot it is neither fast nor of interest how fast: once is enough.
        asked = command if number == 0 else [word for word in command if word != "--reference"]
        done = subprocess.run(asked, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout))
    times, best, loops = [], {}, {}
    for how in runs[0]["seconds"]:
        taken, loop = min(
            (run["seconds"][how], run["paces"][how]) for run in runs if how in run["seconds"]
        )
        best[how], loops[how] = taken, loop
        times.append(f"{how} {taken:.2f} s (a loop: {1000 * loop:.0f} ms)")
    numbers = PROFILES[name]
    same = len({text for run in runs for text in run["texts"]}) == 1
    print(
        f"{name}, {numbers['--slots'] * (COPIES if name == 'huge' else 1)} slots, "
        f"{numbers['--autoclusters']} autoclusters: {', '.join(times)}, best of {len(runs)}; "
        f"{runs[0]['matches']} matches, {runs[0]['rejections']} rejections; "
        f"{'all results equal' if same else 'RESULTS DIFFER'}; "
        f"{runs[0]['peak']} GB at most, {runs[0]['loaded']} after loading",
        flush=True,
    )
    ROWS.append({
        "profile": name, "seconds": best, "loops": loops, "same": same,
        "peak_gb": runs[0]["peak"], "matches": runs[0]["matches"],
    })  # fmt: skip


ROWS: list[dict[str, Any]] = []


def pace() -> float:
    """Seconds of CPU for a loop that is always the same, since shared machines are not."""
    begun = time.process_time()
    table = {}
    for number in range(300_000):
        table[number & 1023] = (number, str(number))
    return time.process_time() - begun


def options() -> Namespace:
    """What is asked on the command line."""
    parser = ArgumentParser()
    parser.add_argument("sizes", nargs="*", default=["1000x100", "5000x100", "small"])
    parser.add_argument("--pool", type=Path)
    parser.add_argument("--reference", action="store_true")
    parser.add_argument("--alone", action="store_true", help="measure in this process, print JSON")
    return parser.parse_args()


def main() -> None:
    asked = options()
    if asked.alone:
        with without_collecting():
            print(json.dumps(measured(asked.sizes[0], asked.pool, asked.reference)))
        return
    example()
    for size in asked.sizes:
        if size in PROFILES:
            with tempfile.TemporaryDirectory() as made:
                if asked.pool is None:
                    make_profile(size, Path(made))
                reference = asked.reference or size == "small"
                profile(size, asked.pool or Path(made), reference)
            continue
        slots, _, requests = size.partition("x")
        lean(int(slots), int(requests))
    about = {"machine": platform.machine(), "python": platform.python_version(), "seed": 1}
    for row in ROWS:
        print(json.dumps(about | row))


if __name__ == "__main__":
    main()
