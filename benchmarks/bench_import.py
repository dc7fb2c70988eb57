"""Measures ``import classad`` in fresh interpreters, and checks what it must not bring along.

Run: ``python benchmarks/bench_import.py [RUNS]``.  Prints the median, least and greatest time of
the import itself (the interpreter's own start is not counted) and of the first parse after it.
The first run, which may compile the modules, is left out.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("attr", "lark", "shtab", "pcre2")
BUDGET_MS = 60.0

PROGRAM = f"""
import json, sys, time
begin = time.perf_counter()
import classad
imported = time.perf_counter()
heavy = [name for name in {HEAVY} if name in sys.modules]
classad.ExprTree("a + b * 2")
parsed = time.perf_counter()
print(json.dumps([imported - begin, parsed - imported, heavy]))
"""


def run() -> tuple[float, float, list[str]]:
    """Seconds of the import and of the first parse, and the heavy packages imported."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    text = subprocess.check_output([sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT)
    first, second, heavy = json.loads(text)
    return first, second, heavy


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    results = [run() for _ in range(runs + 1)][1:]
    for label, times in (
        ("import classad", [result[0] * 1e3 for result in results]),
        ("first parse", [result[1] * 1e3 for result in results]),
    ):
        print(
            f"{label:16} median {statistics.median(times):6.1f} ms   "
            f"least {min(times):6.1f}   greatest {max(times):6.1f}   ({runs} fresh interpreters)"
        )
    heavy = sorted({name for result in results for name in result[2]})
    print(f"heavy packages imported: {', '.join(heavy) or 'none'}")
    median = statistics.median(result[0] * 1e3 for result in results)
    return int(bool(heavy) or median > BUDGET_MS)


if __name__ == "__main__":
    sys.exit(main())
