"""The same input gives the same bytes, whatever the process and the machine around it are like."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOUR = "examples/tour"
SCENARIO = "tests/vectors/negotiation/groups-autoregroup.json"

COMMANDS = (
    ("negotiate", TOUR, "--format", "json", "--summary"),
    ("negotiate", TOUR, "--summary"),
    ("negotiate", SCENARIO, "--format", "json"),
    ("negotiate", TOUR, "--format", "csv", "--table", "machines"),
    ("why", TOUR, "11.0", "--json"),
    ("why", TOUR, "3.1", "--json"),
    ("rank", TOUR, "15.0", "--json"),
    ("quotas", TOUR, "--json"),
    ("quotas", SCENARIO, "--json"),
    ("diff", TOUR, "--config", f"{TOUR}/breadth_first", "--json"),
)

#: One process runs all commands; starting Python takes longer than most of them.
SCRIPT = """
import sys
from pieslice.cli import main
for line in sys.argv[1:]:
    print("$", line)
    main(line.split())
"""

#: Hash order, zone, locale, the width of a terminal that is none, the kernels of other platforms.
SURROUNDINGS = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    {"PYTHONHASHSEED": "1", "TZ": "America/Chicago", "LC_ALL": "de_DE.UTF-8", "COLUMNS": "40"},
    {"PYTHONHASHSEED": "4711", "TZ": "Asia/Kolkata", "LC_ALL": "C", "CLASSAD_KERNELS": "python"},
)


def output(surroundings: dict[str, str]) -> bytes:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **surroundings}
    lines = [" ".join(command) for command in COMMANDS]
    command = [sys.executable, "-c", SCRIPT, *lines]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    assert done.stdout.count(b"$ ") >= len(COMMANDS)
    return done.stdout


def test_the_surroundings_do_not_matter() -> None:
    first, *others = (output(surroundings) for surroundings in SURROUNDINGS)
    for number, other in enumerate(others, 1):
        for left, right in zip(first.split(b"\n"), other.split(b"\n"), strict=True):
            assert left == right, SURROUNDINGS[number]
        assert first == other
