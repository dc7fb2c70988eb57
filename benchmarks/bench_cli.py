"""Measures whole processes: ``pieslice select`` against ``condor_status -ads``, commands alone.

Run: ``python benchmarks/bench_cli.py [--slots N] [--condor COMMAND] [--folder DIR]``, 10000 slots
unless given.  The tool of HTCondor is run if it is on PATH; ``--condor`` is what stands before
its name (such as ``chroot /srv/htcondor``), and ``--folder``, inside of what that sees as /, is
where the ads are put.  Agreement: both print the same lines, sorted.  With ``--commands`` what
people wait for: the cycle of the example pool, and of the medium pool of ``bench_cycle`` its cycle,
a question about a job, a difference, and reading it.  Best of three; the CPU time of the process
and of what it starts.  A table, then JSON lines.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench_cycle import EXAMPLE, make_profile
from bench_match import make_pool

WHERE = 'Cpus > 4 && State == "Unclaimed"'
OURS = [sys.executable, "-c", "import sys; from pieslice.cli import main; sys.exit(main())"]


def seconds(command: Sequence[str]) -> tuple[float, str]:
    """The best CPU time of three runs, and what the last one printed."""
    times, printed = [], ""
    for _ in range(3):
        before = os.times()
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        printed = done.stdout
        after = os.times()
        times.append(
            after.children_user + after.children_system
            - before.children_user - before.children_system
        )  # fmt: skip
    return min(times), "\n".join(sorted(printed.splitlines()))


def compare(name: str, mine: Sequence[str], theirs: Sequence[str] | None) -> dict[str, Any]:
    """One row."""
    row: dict[str, Any] = {"row": name}
    row["ours_s"], printed = seconds(mine)
    line = f"{name:34}{row['ours_s']:9.2f}"
    if theirs is None:
        print(f"{line}   the real tool is not on PATH")
        return row
    row["theirs_s"], expected = seconds(theirs)
    row["ratio"] = row["theirs_s"] / row["ours_s"]
    row["same"] = printed == expected
    print(f"{line}{row['theirs_s']:9.2f}{row['ratio']:8.1f}x  {'yes' if row['same'] else 'NO'}")
    return row


def commands() -> list[dict[str, Any]]:
    """A row for each command that has a goal."""
    with tempfile.TemporaryDirectory() as made:
        pool = str(Path(made) / "pool")
        make_profile("medium", Path(pool))
        for path in Path(pool).iterdir():
            os.utime(path, (0, 0))  # of a file that has just been written no columns are kept
        with open(f"{pool}/jobs.ads", encoding="utf-8") as ads:
            cluster = next(line.split()[-1] for line in ads if line.startswith("ClusterId"))
        nothing = "import sys; from pieslice.inputs.pool import PoolReading, pool_inputs, read_pool"
        nothing += "; from pathlib import Path; from pieslice.inputs import sorting"
        read = f"{nothing}; read_pool(PoolReading(pool_inputs([Path(sys.argv[1])], [])))"
        asked = {
            "negotiate examples/campus": [*OURS, "negotiate", str(EXAMPLE)],
            "negotiate medium": [*OURS, "negotiate", pool],
            "why medium": [*OURS, "why", pool, f"{cluster}.0"],
            "diff medium": [*OURS, "diff", pool, "-D", "PRIORITY_HALFLIFE=7200"],
            "read medium": [sys.executable, "-c", read, pool],
            "read medium again": [sys.executable, "-c", read, pool],
            "read nothing": [sys.executable, "-c", nothing],
        }
        rows = []
        for name, words in asked.items():
            # What is kept of one command is not to serve another one.
            os.environ["PIESLICE_CACHE"] = str(Path(made, "cache")) if "again" in name else ""
            rows.append({"row": name, "ours_s": seconds(words)[0]})
    imports = rows.pop()["ours_s"]
    for row in rows[-2:]:
        row["ours_s"] -= imports
    for row in rows:
        print(f"{row['row']:34}{row['ours_s']:9.3f}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Whole processes, against HTCondor's tools.")
    parser.add_argument("--slots", type=int, default=10000)
    parser.add_argument("--condor", default="", metavar="COMMAND")
    parser.add_argument("--folder", metavar="DIR")
    parser.add_argument("--commands", action="store_true")
    options = parser.parse_args()
    about = {"machine": platform.machine(), "python": platform.python_version(), "seed": 1}
    if options.commands:
        for row in commands():
            print(json.dumps(about | row))
        return
    prefix = shlex.split(options.condor)
    root = Path(prefix[1]) if prefix[:1] == ["chroot"] else Path("/")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        make_pool(options.slots, 1, folder)
        path = Path(folder) / "slots.ads"
        seen = "/" + str(path.resolve().relative_to(root.resolve()))
        there = prefix or shutil.which("condor_status")
        select = [*OURS, "select", str(path), "-constraint", WHERE, "-af", "Name", "Cpus", "Memory"]
        status = [*prefix, "condor_status", "-ads", seen, *select[len(OURS) + 2 :]]
        print(f"{'':34}{'ours, s':>9}{'real, s':>9}{'ratio':>9}  same")
        row = compare(f"select from {options.slots} ads", select, status if there else None)
    print(json.dumps(about | row))


if __name__ == "__main__":
    main()
