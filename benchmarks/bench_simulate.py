"""Measures a simulated week: 1,000 slots, 100,000 jobs of 20 users, a cycle every minute.

Run: ``python benchmarks/bench_simulate.py [HOURS [SLOTS [JOBS_PER_WEEK]]]``, by default the whole
week.  Jobs come at random, some in batches, and run for 40 minutes to four hours, so that the pool
is about 93 % full.  The last line is a cycle in which nothing can be matched, though jobs wait.
CPU seconds of this process; nothing is written.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from negotiator.model.garbage import without_collecting
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.setup import Plan, build
from pieslice.simulation.summary import summarise

WEEK = 168
RUN_TIMES = (1620, 3240, 4860, 6480, 9720)
MEMORY = (1000, 2000, 3000, 4000)
BATCHES = (1, 5, 20, 1)


def streams(jobs: int) -> str:
    """Twenty users with jobs of their own kind, and one whose jobs fit nowhere."""
    text = '[[stream]]\nuser = "giant"\nmemory = 1000000\nbacklog = 5\n'
    for number in range(20):
        text += (
            f'[[stream]]\nuser = "user{number:02d}"\nmemory = {MEMORY[number % 4]}\n'
            f"per_hour = {jobs / 20 / WEEK}\nbatch = {BATCHES[number % 4]}\n"
            f"run_time = {RUN_TIMES[number % 5]}\nspread = 0.4\n"
        )
    return text


def stuck(hours: float) -> tuple[float, int]:
    """CPU seconds and number of the cycles of a pool in which no waiting job fits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stuck.toml"
        path.write_text('[[stream]]\nuser = "giant"\nmemory = 1000000\nbacklog = 1000\n')
        plan = Plan("1000", str(path), int(hours * 3600))
        simulation, negotiator = build(plan, lambda *event: None)
        simulation.advance(0)
        negotiator.cycle(60)
        begun = time.process_time()
        for moment in range(60, plan.seconds, 60):
            simulation.advance(moment)
            negotiator.cycle(60)
        return time.process_time() - begun, plan.seconds // 60 - 1


def run(negotiator: Negotiator, seconds: int) -> float:
    """CPU seconds of all cycles and what happens between them."""
    begun = time.process_time()
    with without_collecting():
        for moment in range(0, seconds, 60):
            negotiator.simulation.advance(moment)
            negotiator.cycle(60)
    return time.process_time() - begun


def main() -> None:
    """Print one line for each part."""
    words = sys.argv[1:]
    hours = float(words[0]) if words else WEEK
    slots = words[1] if len(words) > 1 else "1000"
    jobs = int(words[2]) if len(words) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "week.toml"
        path.write_text(streams(jobs))
        plan = Plan(slots, str(path), int(hours * 3600))
        begun = time.process_time()
        simulation, negotiator = build(plan, lambda *event: None)
        print(f"building          {time.process_time() - begun:8.2f} s")
    seconds = run(negotiator, plan.seconds)
    state = simulation.state
    print(
        f"simulating        {seconds:8.2f} s  {hours:g} hours, {state.arrived} jobs, "
        f"{state.cycles} cycles, {state.full_cycles} of them with matchmaking"
    )
    print(f"a cycle           {1000 * seconds / state.cycles:8.2f} ms")
    summary = summarise(simulation, complete=True)
    print(f"utilisation       {summary['utilisation']:8.3f}")
    seconds, cycles = stuck(2.0)
    print(f"an idle cycle     {1000 * seconds / cycles:8.2f} ms")


if __name__ == "__main__":
    main()
