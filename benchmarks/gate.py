"""Checks the speed that every change has to keep: ratios, growth, instructions, no times.

Run: ``python benchmarks/gate.py``.  On small pools: matching against classad2 cold and warm (left
out without classad2), some adversarial profiles, how matching grows with slots and autoclusters,
and how loading grows.  The limits are a third of what ``docs/performance.md`` reports or less, so
that a busy machine passes and a lost cache does not.  Exit status 1 if a limit is missed or an
answer differs.

Then what Valgrind counts of some rows of ``instructions.py``, and the memory of a cycle, beside
``recorded.json``, which has the numbers of each Python that they were recorded with: 2 % more than
there fails.  Without Valgrind, or with a Python that nothing is recorded of, that is said, and
these rows are left out.  A change that costs more on purpose, or less, records its numbers
(``--record``) and says why.  ``--counted`` leaves out the ratios.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bench_adversarial
import bench_cycle
import bench_load
import bench_match
import bench_scaling
import instructions

from classad.loading.long_form import load_long

#: Profiles that are checked, with the ratio to classad2 that each has to reach.
ADVERSARIAL = {"start_by_job": 20.0, "preemption": 15.0, "odd_values": 7.0}

RECORDED = Path(__file__).with_name("recorded.json")
#: Rows of ``instructions.py`` whose millions of instructions are recorded.
COUNTED = (
    "cycle: 10,000 slots, 1,000 autoclusters, cold", "cycle: an equal one after it",
    "pieslice negotiate examples/campus", "pieslice why, examples/campus",
)  # fmt: skip
MEMORY = "memory of a cycle of 10,000 slots, MB"
#: How much more than the recorded number fails.
MORE = 1.02


class Gate:
    """What has been found so far."""

    def __init__(self) -> None:
        self.failed = False

    def least(self, what: str, found: float, limit: float) -> None:
        """A number that must not be smaller."""
        self.note(what, found, found >= limit, f"at least {limit:g}")

    def most(self, what: str, found: float, limit: float) -> None:
        """A number that must not be bigger."""
        self.note(what, found, found <= limit, f"at most {limit:g}")

    def note(self, what: str, found: float, good: bool, limit: str) -> None:
        self.failed |= not good
        print(f"{'ok' if good else 'FAILED':8}{what:44}{found:9.2f}   {limit}", flush=True)


def matching(gate: Gate) -> None:
    """Ratios to classad2."""
    other = bench_match.peer()
    if other is None:
        print("classad2 is not installed: no ratios")
        return
    options = argparse.Namespace(sample=5000, profile=False)
    row = bench_match.measure(4000, 300, other, options)
    pairs = row["slots"] * row["autoclusters"]
    gate.least("4000 x 300 cold / classad2", row["classad2_pair_s"] * pairs / row["cold_s"], 20)
    gate.least("4000 x 300 warm / classad2", row["classad2_pair_s"] * pairs / row["warm_s"], 120)
    gate.least("pairs that agree", row["agree"] / row["compared"], 1)
    for name, limit in ADVERSARIAL.items():
        row = bench_adversarial.measure(name, 1000, 100, other, 2000)
        gate.least(f"{name} / classad2", row["ratio"], limit)
        gate.least("pairs that agree", row["agree"] / row["compared"], 1)


def growth(gate: Gate) -> None:
    """Exponents."""
    in_slots, in_jobs = bench_scaling.exponents(bench_scaling.grid([1000, 8000], [50, 400]))
    gate.most("exponent of matching in slots", in_slots, 1.05)
    gate.most("exponent of matching in autoclusters", in_jobs, 1.05)
    rates = []
    for count in (500, 5000):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(bench_load.slots(count, folder)).read_bytes()
        times = []
        for _ in range(4):
            begin = time.process_time()
            load_long(data)
            times.append(time.process_time() - begin)
        rates.append(count / min(times))
    gate.least("rate of loading 5000 ads / 500 ads", rates[1] / rates[0], 0.6)


def counts() -> dict[str, float]:
    """What the rows take, in millions of instructions, and the memory of a cycle."""
    python = Path(sys.executable)
    instructions.compile_all(python, instructions.HERE.parent)
    found = {}
    with tempfile.TemporaryDirectory() as made:
        switch = instructions.make_switch(Path(made))
        for name in COUNTED:
            count = instructions.counted(python, name, switch, Path(made) / "profile")
            assert count is not None, f"{name} fails"
            found[name] = round(count / 1e6, 1)
        pool = Path(made) / "pool"
        bench_cycle.make_profile("medium", pool)
        words = [sys.executable, bench_cycle.__file__, "--alone", "medium", "--pool", str(pool)]
        environment = instructions.environment()
        done = subprocess.run(words, env=environment, check=True, capture_output=True)
        found[MEMORY] = round(1000 * json.loads(done.stdout)["peak"], 1)
    return found


def counted(gate: Gate, record: bool) -> None:
    """Instructions and memory beside the recorded ones; ``record``: they become these."""
    if shutil.which("valgrind") is None:
        print("Valgrind is not installed: no instructions are counted")
        return
    known = json.loads(RECORDED.read_text("utf-8"))
    if record:
        known[sys.version] = counts()
        RECORDED.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    elif sys.version not in known:
        print(f"nothing is recorded of Python {sys.version}: no instructions are counted")
    else:
        found = counts()
        for name, limit in known[sys.version].items():
            gate.most(name, found[name], MORE * limit)


def main() -> int:
    parser = argparse.ArgumentParser(description="The speed that every change has to keep.")
    parser.add_argument("--counted", action="store_true", help="leave out the ratios")
    parser.add_argument("--record", action="store_true", help="record what is counted")
    asked = parser.parse_args()
    gate = Gate()
    if not (asked.counted or asked.record):
        matching(gate)
        growth(gate)
    counted(gate, asked.record)
    return int(gate.failed)


if __name__ == "__main__":
    sys.exit(main())
