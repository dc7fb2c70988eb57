"""Runs all benchmarks of one size, and prints what they found beside what was wanted.

Run: ``python benchmarks/goals.py small`` (less than five minutes) or ``large``.  The benchmarks run
one after the other, each in a process of its own, and print what they always print; their JSON
lines are collected, and at the end stands one table: what must be reached, what was aimed at, what
was measured in this run, and how many answers agreed.  Of several measurements of one thing the
worst counts.  What this run does not tell is named below the table: what the other size measures,
and without classad2 the ratios to it.

Exit status 1 if a benchmark failed or an answer differed.  A number that was missed is marked and
no more than that: times depend on the machine, and ``gate.py`` is what holds every change to
something.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent

#: What ``make bench`` and ``make bench-large`` run.
RUNS = {
    "small": (
        "bench_import",
        "bench_kernels",
        "bench_config",
        "bench_transforms",
        "bench_eval",
        "bench_parse 1000",
        "bench_load 1000 --growth 1000",
        "bench_match",
        "bench_scaling",
        "bench_scaling --cycle",
        "bench_adversarial --slots 1000 --jobs 50",
        "bench_cli",
        "bench_cli --commands",
        "bench_cycle 1000x100 small medium",
        "bench_simulate",
        "bench_session",
        "bench_lsp",
        "bench_lab campus medium",
    ),
    "large": (
        "bench_parse",
        "bench_load 8000",
        "bench_arrow",
        "bench_match 100000x10000",
        "bench_scaling --slots 1000 10000 100000 --autoclusters 100 1000 10000",
        "bench_adversarial",
        "bench_cli --slots 100000",
        "bench_fuzz",
        "bench_history",
        "bench_cycle large huge",
        "bench_lab large",
    ),
}

Row = dict[str, Any]


class Goal(NamedTuple):
    """A number to reach.

    ``rows``: which rows of a benchmark tell of it, by the values of some of their keys.  ``of``:
    the number that a row tells, None if it lacks it.  ``most``: whether it must not be more than
    ``must`` (a time, a size), instead of not less (a ratio).
    """

    what: str
    must: float
    aim: float
    unit: str
    bench: str
    rows: Row
    of: Callable[[Row], float | None]
    most: bool = False

    def measured(self, rows: Iterable[Row]) -> tuple[float, list[Row]] | None:
        """The worst number of this run, and the rows that tell of it; None if there is none."""
        wanted = {"bench": self.bench} | self.rows
        told = [row for row in rows if all(row.get(key) == wanted[key] for key in wanted)]
        found = [number for number in map(self.of, told) if number is not None]
        return ((max if self.most else min)(found), told) if found else None

    def met(self, number: float) -> str:
        """How good a number is."""
        sign = -1 if self.most else 1
        if sign * number >= sign * self.aim:
            return "aim met"
        return "met" if sign * number >= sign * self.must else "MISSED"

    def show(self, number: float) -> str:
        """A number with its unit, never rounded to a limit that it misses."""
        digits = 0 if abs(number) >= 100 else 1 if abs(number) >= 20 else 2
        text = f"{number:.{digits}f}"
        while digits < 6 and self.met(float(text)) != self.met(number):
            digits += 1
            text = f"{number:.{digits}f}"
        return text + self.unit


def under(*names: str) -> Callable[[Row], float | None]:
    """What stands under a key, or under a key within a key."""

    def of(row: Row) -> float | None:
        value: Any = row
        for name in names:
            value = None if value is None else value.get(name)
        return value

    return of


def load_exponent(row: Row) -> float:
    """How the time of loading grows, from the rates at some number of ads and ten times as many."""
    return 1 - math.log10(row["ratio"])


FULL, SOME = {"slots": 100_000, "autoclusters": 10_000}, {"slots": 10_000, "autoclusters": 500}
GROWTH = {"row": "growth", "ads": 10_000}
GRID = {"most_slots": 100_000, "most_autoclusters": 10_000}
WEEK = {"slots": 1000, "jobs": 10_000, "full": False}
MILLION = {"rows": 1_000_000}
SECONDS = under("seconds")
COLD, EQUAL = under("seconds", "cold"), under("seconds", "warm")


def command(what: str, row: str, must: float, aim: float) -> Goal:
    """CPU seconds of a whole process."""
    return Goal(what, must, aim, " s", "bench_cli", {"row": row}, under("ours_s"), most=True)


def edit(pool: str, kind: str) -> Row:
    """Edits of a kind in a session, or questions."""
    return {"profile": pool, "kind": kind}


def page(pool: str, what: str, must: float, aim: float, unit: str = " s") -> Goal:
    """What somebody waits for before the page of a pool, or what it takes."""
    of, rows = (SECONDS if unit == " s" else under("mb")), {"profile": pool, "what": what}
    return Goal(f"laboratory, {pool}: {what}", must, aim, unit, "bench_lab", rows, of, most=True)


GOALS = (
    Goal("match, 100k slots x 10k autoclusters, cold, to classad2",
         500, 2500, "x", "bench_match", FULL, under("cold_ratio")),
    Goal("the same, warm", 3500, 14000, "x", "bench_match", FULL, under("warm_ratio")),
    Goal("match, 10k slots x 500 autoclusters, cold, to classad2",
         140, 400, "x", "bench_match", SOME, under("cold_ratio")),
    Goal("pools against the grain, the worst of them, to classad2",
         60, 100, "x", "bench_adversarial", {"slots": 4000, "jobs": 200}, under("ratio")),
    Goal("load long-form ads, 8,000 ads, to classad2.parseAds",
         30, 100, "x", "bench_load", {"row": "load_long", "ads": 8000}, under("ratio")),
    Goal("rate of loading at 100k ads to that at 10k ads",
         0.9, 1.0, "x", "bench_load", GROWTH, under("ratio")),
    Goal("memory of an ad of 210 attributes",
         5000, 3300, " B", "bench_load", {"row": "memory", "ads": 100_000}, under("bytes_per_ad"),
         most=True),
    Goal("10 job transforms on 10,000 jobs",
         2, 1, " s", "bench_transforms", {"jobs": 10_000}, under("seconds"), most=True),
    Goal("a week's history of 1,000 slots and 10,000 jobs",
         500, 200, " MB", "bench_history", WEEK, under("week_mb"), most=True),
    Goal("why --at in it", 2, 1, " s", "bench_history", WEEK, under("why_at_s"), most=True),
    Goal("a million rows of 8 columns from Arrow",
         2, 0.5, " s", "bench_arrow", MILLION | {"row": "in"}, under("seconds"), most=True),
    Goal("the same to Arrow",
         1, 0.5, " s", "bench_arrow", MILLION | {"row": "out"}, under("seconds"), most=True),
    Goal("memory of them beside that of Arrow",
         3, 2, "x", "bench_arrow", MILLION | {"row": "memory"}, under("more"), most=True),
    Goal("ExprTree of a 281-byte Requirements, to classad2",
         1, 3, "x", "bench_parse", {"row": "ExprTree: Requirements, 281 bytes"}, under("ratio")),
    command("negotiate examples/campus", "negotiate examples/campus", 0.25, 0.15),
    command("negotiate, 10k slots, 2k jobs, 1,000 autoclusters", "negotiate medium", 1, 0.5),
    command("why of one of these jobs", "why medium", 1.5, 0.6),
    command("diff with one knob there", "diff medium", 1.3, 0.7),
    command("reading it", "read medium", 0.2, 0.1),
    command("reading it again", "read medium again", 0.08, 0.05),
    Goal("cycle, 100k slots, 20k jobs, 10k autoclusters",
         3.2, 2, " s", "bench_cycle", {"profile": "large"}, COLD, most=True),
    Goal("the same after an equal one",
         1.3, 0.7, " s", "bench_cycle", {"profile": "large"}, EQUAL, most=True),
    Goal("memory of these cycles",
         1.1, 1.1, " GB", "bench_cycle", {"profile": "large"}, under("peak_gb"), most=True),
    Goal("cycle, 10k slots, 2k jobs, 1,000 autoclusters",
         0.35, 0.25, " s", "bench_cycle", {"profile": "medium"}, COLD, most=True),
    Goal("the same, 10k slots, after an equal one",
         0.12, 0.06, " s", "bench_cycle", {"profile": "medium"}, EQUAL, most=True),
    Goal("cycle, a million slots",
         15, 9, " s", "bench_cycle", {"profile": "huge"}, COLD, most=True),
    Goal("memory of that cycle",
         4.5, 3, " GB", "bench_cycle", {"profile": "huge"}, under("peak_gb"), most=True),
    Goal("edit in a session, examples/campus",
         0.05, 0.025, " s", "bench_session", edit("campus", "edit"), SECONDS, most=True),
    Goal("edit in a session, 10k slots",
         0.6, 0.3, " s", "bench_session", edit("medium", "edit"), SECONDS, most=True),
    Goal("CONSIDER_PREEMPTION or a START there",
         0.8, 0.3, " s", "bench_session", edit("medium", "slow"), SECONDS, most=True),
    Goal("edit that affects nothing there",
         0.02, 0.01, " s", "bench_session", edit("medium", "nothing"), SECONDS, most=True),
    Goal("why, rank and quotas of a session there",
         0.3, 0.1, " s", "bench_session", edit("medium", "question"), SECONDS, most=True),
    Goal("language server: greeting",
         0.6, 0.4, " s", "bench_lsp", {"what": "greeting"}, SECONDS, most=True),
    Goal("from a key to the marks of 2,000 lines",
         0.5, 0.35, " s", "bench_lsp", {"what": "key to marks"}, SECONDS, most=True),
    Goal("worst answer while that is checked",
         0.05, 0.03, " s", "bench_lsp", {"what": "answer in a check"}, SECONDS, most=True),
    page("campus", "first view", 1.5, 1.0), page("campus", "edit", 0.15, 0.1),
    page("campus", "why of a user", 0.15, 0.1), page("campus", "why of a job", 0.15, 0.1),
    page("medium", "first view", 3, 2), page("medium", "edit", 1.0, 0.5),
    page("medium", "why of a user", 0.5, 0.3), page("medium", "why of a job", 0.5, 0.3),
    page("large", "edit", 5, 3), page("large", "frame", 0.05, 0.02),
    page("large", "memory", 150, 100, " MB"), page("large", "sent", 3, 2, " MB"),
    Goal("exponent of matching in slots",
         1.05, 0.6, "", "bench_scaling", GRID, under("in_slots"), most=True),
    Goal("exponent of matching in autoclusters",
         1.05, 0.9, "", "bench_scaling", GRID, under("in_autoclusters"), most=True),
    Goal("exponent of a cycle, worst of slots, jobs, autoclusters, submitters, groups",
         1.05, 0.6, "", "bench_scaling", {}, under("cycle"), most=True),
    Goal("exponent of reading a pool, the same",
         1.05, 0.8, "", "bench_scaling", {}, under("reading"), most=True),
    Goal("exponent of the memory of ads",
         1.05, 1.0, "", "bench_load", GROWTH, under("memory_exponent"), most=True),
    Goal("exponent of loading", 1.05, 1.0, "", "bench_load", GROWTH, load_exponent, most=True),
)  # fmt: skip


def agreement(rows: Iterable[Row]) -> tuple[int, int]:
    """How many answers agree, of how many that were compared; a row may compare as a whole."""
    agree = compared = 0
    for row in rows:
        if "compared" in row:
            agree, compared = agree + row["agree"], compared + row["compared"]
        elif row.get("same") is not None:
            agree, compared = agree + bool(row["same"]), compared + 1
    return agree, compared


def table(rows: list[Row]) -> list[str]:
    """The lines of the table; goals of which these rows do not tell are named below it."""
    lines = [f"{'what':58}{'must':>8}{'aim':>8}{'measured':>11}  {'':8}  agreement"]
    missing = []
    for goal in GOALS:
        found = goal.measured(rows)
        if found is None:
            missing.append(goal.what)
            continue
        number, told = found
        limits = "".join(f"{f'{limit:g}{goal.unit}':>8}" for limit in (goal.must, goal.aim))
        line = f"{goal.what:58}{limits}{goal.show(number):>11}  {goal.met(number):8}  {said(told)}"
        lines.append(line.rstrip())
    return lines + [f"not measured in this run: {what}" for what in missing]


def said(rows: list[Row]) -> str:
    """The agreement of some rows, in words."""
    agree, compared = agreement(rows)
    if any("compared" in row for row in rows):
        return f"{agree} of {compared}"
    return ("same" if agree == compared else "DIFFERENT") if compared else ""


def run(words: str) -> tuple[list[Row], bool]:
    """The rows of a benchmark, whose other lines go on to standard output; whether it went well."""
    bench, *arguments = shlex.split(words)
    print(f"== {words}", flush=True)
    command = [sys.executable, str(HERE / f"{bench}.py"), *arguments]
    rows: list[Row] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if line.startswith("{"):
                rows.append({"bench": bench} | json.loads(line))
    return rows, process.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="All benchmarks of one size, and the goals.")
    parser.add_argument("size", choices=RUNS)
    size = parser.parse_args().size
    rows: list[Row] = []
    good = True
    for words in RUNS[size]:
        found, well = run(words)
        rows += found
        good &= well
    agree, compared = agreement(rows)
    print("== goals", *table(rows), sep="\n")
    print(f"answers compared in all: {compared}; {agree} agree")
    return 0 if good and agree == compared else 1


if __name__ == "__main__":
    sys.exit(main())
