"""Counts the instructions that the benchmark rows take, beside those of another version.

Run: ``python benchmarks/instructions.py [--against CHECKOUT] [--only WORD ...] [--most PERCENT]``.
Valgrind runs a row in a process of its own and counts from behind its set-up to its end; whole
commands are counted from before their first import.  Unlike times these numbers are nearly the same
in every run (hashes are not random, the collector of garbage does not run), however busy the
machine is, so that a row that takes 2 % more shows.  Pools are small, since Valgrind takes 50 times
as long: all rows take an hour on a quiet core, each less than a minute.

CHECKOUT: a folder with another version and its ``.venv``, as ``git worktree add --detach CHECKOUT
COMMIT && make -C CHECKOUT .venv/installed-test`` makes it.  The rows are always those of this file;
one that the other version cannot run has no number there.  Exit status 1 if a row takes more than
``--most`` per cent more than there (2 unless given), or fails here.  ``--keep FOLDER`` keeps the
profiles of this version for ``callgrind_annotate``; ``--alone ROW --profile`` prints Python's.  A
table, then JSON lines.

Needs Valgrind with its headers, and a C compiler.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).resolve().parent
ROOMS = ("classad", "policy", "negotiator", "pieslice")
CAMPUS = HERE.parent / "examples" / "campus"

#: Tells Valgrind where to begin and to end.
SWITCH = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; }
void end(void) { CALLGRIND_STOP_INSTRUMENTATION; }
"""

#: What is counted, and what makes it ready in a folder of its own.  Set-ups import what they need,
#: so that whole commands begin with nothing imported.
Work = Callable[[], object]
ROWS: dict[str, Callable[[Path], Work]] = {}


def row(name: str) -> Callable[[Callable[[Path], Work]], Callable[[Path], Work]]:
    """Declares a row."""

    def declared(set_up: Callable[[Path], Work]) -> Callable[[Path], Work]:
        ROWS[name] = set_up
        return set_up

    return declared


def bench(name: str) -> Any:
    """A module of this folder."""
    return importlib.import_module(f"bench_{name}")


def often(times: int, work: Work) -> Work:
    """The same several times, after once, which does not count."""

    def all_of_them() -> None:
        for _ in range(times):
            work()

    work()
    return all_of_them


# --- the language -------------------------------------------------------------------------------


@row("import classad, first parse")
def import_classad(folder: Path) -> Work:
    return lambda: importlib.import_module("classad").ExprTree("a + b * 2")


def of_eval(name: str) -> Work:
    """A row of ``bench_eval``."""
    eval_ = bench("eval")
    return often(2000, eval_.rows(eval_.ours())[name])


for name in (
    "eval: comparison", "eval: four terms", "eval: default pre-job rank",
    "eval: Requirements, two ads", "symmetric match, yes", "symmetric match, no",
):  # fmt: skip
    row(name)(lambda folder, name=name: of_eval(name))  # type: ignore[misc]


@row("parse: Requirements, 281 bytes, printed")
def parse_printed(folder: Path) -> Work:
    import classad

    text = bench("parse").REQUIREMENTS
    return often(500, lambda: str(classad.ExprTree(text)))


@row("parse: Requirements by the grammar")
def parse_by_grammar(folder: Path) -> Work:
    from classad.syntax.parser import parse_expression

    text = bench("parse").REQUIREMENTS
    return often(20, lambda: parse_expression(text))


@row("parseAds, 100 ads")
def parse_ads(folder: Path) -> Work:
    import classad

    text = "\n".join(bench("parse").slot_ads(100))
    return often(2, lambda: list(classad.parseAds(text, classad.ParserType.Old)))


@row("load_long, 1,000 ads")
def load(folder: Path) -> Work:
    from classad.loading.long_form import load_long

    data = bench("load").slots(1000, str(folder)).read_bytes()
    return often(2, lambda: load_long(data))


@row("load_long, 200 ads, every ad made")
def load_ads(folder: Path) -> Work:
    from classad import ClassAd
    from classad.loading.long_form import load_long

    data = bench("load").slots(200, str(folder)).read_bytes()
    return often(1, lambda: list(load_long(data).to_ads(ClassAd)))


@row("kernels: order 10,000 rows by 5 columns")
def kernels(folder: Path) -> Work:
    from array import array

    from classad import kernels

    keys = [kernels.OrderKey(array("d", column)) for column in bench("kernels").columns(10_000)]
    _, order = kernels._choose("c")
    return often(5, lambda: order(keys, 10_000, array("i", range(10_000)), 100, True))


# --- tables -------------------------------------------------------------------------------------


@row("match, 1,000 slots x 50 autoclusters, cold")
def match_cold(folder: Path) -> Work:
    table, jobs = bench("match").pool(1000, 50, str(folder))
    return lambda: table.match_many(jobs)


@row("the same, warm")
def match_warm(folder: Path) -> Work:
    table, jobs = bench("match").pool(1000, 50, str(folder))
    return often(20, lambda: table.match_many(jobs))


@row("match, 1,000 slots x 400 autoclusters, cold")
def match_many(folder: Path) -> Work:
    table, jobs = bench("match").pool(1000, 400, str(folder))
    return lambda: table.match_many(jobs)


def against_the_grain(name: str) -> Work:
    """A row of ``bench_adversarial``."""
    from classad import ClassAd, Table
    from classad.loading.long_form import load_long

    made = bench("adversarial")
    pool = made.PROFILES[name](made.ordinary(300, 30), Random(2))
    slots, jobs = (load_long(made.long_form(ads).encode()) for ads in (pool.slots, pool.jobs))
    table, queue = Table.from_columns(slots, budget=pool.budget), list(jobs.to_ads(ClassAd))
    return lambda: list(made.ours(table, queue, pool.moving))


for name in (
    "unique_constants", "many_starts", "start_by_job", "unique_strings", "nested", "own_ads",
    "odd_values", "clock_and_chance", "deep", "circular", "preemption", "small_budget",
    "moving_slots",
):  # fmt: skip
    row(f"against the grain: {name}")(
        lambda folder, name=name: against_the_grain(name)  # type: ignore[misc]
    )


@row("Arrow: 50,000 rows in")
def arrow_in(folder: Path) -> Work:
    from classad import Table

    columns = bench("arrow").columns(50_000)
    return often(2, lambda: Table.from_arrow(columns))


@row("Arrow: 50,000 rows out")
def arrow_out(folder: Path) -> Work:
    from classad import Table

    return often(2, Table.from_arrow(bench("arrow").columns(50_000)).to_arrow)


# --- configurations and cycles ------------------------------------------------------------------


@row("configuration: first reading")
def config_first(folder: Path) -> Work:
    from policy.io import read_config

    return lambda: read_config(str(CAMPUS / "condor_config"))


@row("configuration: later readings")
def config_later(folder: Path) -> Work:
    from policy.io import read_config

    return often(5, lambda: read_config(str(CAMPUS / "condor_config")))


@row("configuration: model of the negotiator")
def config_model(folder: Path) -> Work:
    from policy.io import read_config
    from policy.load import load_policy

    config = read_config(str(CAMPUS / "condor_config"))
    return often(10, lambda: load_policy(config))


@row("configuration: all findings")
def config_findings(folder: Path) -> Work:
    from policy.io import read_config
    from policy.lint.findings import lint

    config = read_config(str(CAMPUS / "condor_config"))
    return often(3, lambda: lint(config))


def reading(folder: Path) -> Work:
    """Reads a capture."""
    from negotiator.io import CapturePaths, read_capture

    return lambda: read_capture(CapturePaths(folder), now=None)


def cycle(folder: Path, engine: str) -> Work:
    """A cycle of a capture; columns last for later cycles."""
    from attr import evolve

    from negotiator.cycle import negotiate
    from negotiator.engines import make_engines
    from negotiator.model.garbage import without_collecting

    capture: Any = reading(folder)()
    engines: Any = "reference"
    snapshot = capture.snapshot
    if engine == "reference":
        snapshot = evolve(snapshot, slots=tuple(snapshot.slots))
    else:
        engines = make_engines("columns", lasting=True)

    def work() -> None:
        with without_collecting():
            now = capture.facts.now
            negotiate(snapshot, capture.policy, now=now, rng=Random(0), engine=engines)

    return work


def generated(folder: Path, slots: int, jobs: int, autoclusters: int) -> Path:
    """The capture of a pool with everything in it."""
    made = bench("cycle")
    made.PROFILES["own"] = {"--slots": slots, "--jobs": jobs, "--autoclusters": autoclusters}
    made.make_profile("own", folder)
    return folder


@row("read examples/campus")
def read_campus(folder: Path) -> Work:
    return often(1, reading(CAMPUS))


@row("read 1,000 slots, 200 jobs")
def read_small(folder: Path) -> Work:
    return often(1, reading(generated(folder, 1000, 200, 50)))


@row("cycle: examples/campus, cold")
def cycle_campus(folder: Path) -> Work:
    return cycle(CAMPUS, "columns")


@row("cycle: lean, 1,000 slots x 100 requests")
def cycle_lean(folder: Path) -> Work:
    bench("cycle").write_lean(folder, 1000, 100)
    return cycle(folder, "columns")


@row("cycle: 1,000 slots, 50 autoclusters, cold")
def cycle_cold(folder: Path) -> Work:
    return cycle(generated(folder, 1000, 200, 50), "columns")


@row("cycle: the same, warm")
def cycle_warm(folder: Path) -> Work:
    return often(1, cycle(generated(folder, 1000, 200, 50), "columns"))


@row("cycle: the same, slot by slot")
def cycle_reference(folder: Path) -> Work:
    return cycle(generated(folder, 300, 100, 25), "reference")


@row("cycle: 4,000 slots, 400 autoclusters, cold")
def cycle_medium(folder: Path) -> Work:
    return cycle(generated(folder, 4000, 800, 400), "columns")


@row("cycle: the same, warm, bigger")
def cycle_medium_warm(folder: Path) -> Work:
    return often(1, cycle(generated(folder, 4000, 800, 400), "columns"))


@row("cycle: 10,000 slots, 1,000 autoclusters, cold")
def cycle_large(folder: Path) -> Work:
    return cycle(generated(folder, 10_000, 2000, 1000), "columns")


@row("cycle: an equal one after it")
def cycle_large_warm(folder: Path) -> Work:
    return often(1, cycle(generated(folder, 10_000, 2000, 1000), "columns"))


@row("session: why of a job, 1,000 slots, again")
def session_why(folder: Path) -> Work:
    import pieslice

    base = pieslice.read(generated(folder, 1000, 200, 50)).session().base
    job = base.cycle.rejections["job"][-1]
    return often(1, lambda: base.why(job))


@row("simulation: 3 hours, 100 slots")
def simulate(folder: Path) -> Work:
    from pieslice.simulation.setup import Plan, build

    made = bench("simulate")
    (folder / "week.toml").write_text(made.streams(10_000))
    _, negotiator = build(Plan("100", str(folder / "week.toml"), 10_800), lambda *event: None)
    return lambda: made.run(negotiator, 10_800)


@row("fuzz: 2,000 pairs of the first sound policy")
def fuzz(folder: Path) -> Work:
    made = bench("fuzz")
    found = made.study(min(made.POLICIES.iterdir()))
    tests = made.chosen(found, (), made.Named())
    return lambda: made.search(tests, 2000, 0)


# --- whole commands -----------------------------------------------------------------------------


def environment() -> dict[str, str]:
    """In which the same is counted each time: Python keeps bytecode, and commands keep code."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONHASHSEED": "0"}


def command(*words: object) -> Work:
    """A command, from before its first import; what it prints is let go.

    What is kept between processes is: this one has run it before.
    """
    sys.argv = ["pieslice", *map(str, words)]

    def work() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            cli = importlib.import_module("pieslice.cli")
            code = getattr(cli, "program", cli.main)()
            assert code != 2, f"{words} is bad usage"

    words = [sys.executable, "-m", "pieslice", *sys.argv[1:]]
    subprocess.run(words, env=environment(), capture_output=True)
    return work


@row("pieslice --help")
def command_help(folder: Path) -> Work:
    return command("--help")


@row("pieslice eval")
def command_eval(folder: Path) -> Work:
    return command("eval", "1 + 2 * 3")


@row("pieslice select, 1,000 ads")
def command_select(folder: Path) -> Work:
    path = generated(folder, 1000, 2, 1) / "slots.ads"
    return command("select", path, "-constraint", bench("cli").WHERE, "-af", "Name", "Cpus")


@row("pieslice negotiate examples/campus")
def command_negotiate(folder: Path) -> Work:
    return command("negotiate", CAMPUS)


@row("pieslice negotiate, 1,000 slots, 200 jobs")
def command_negotiate_small(folder: Path) -> Work:
    return command("negotiate", generated(folder, 1000, 200, 50))


@row("pieslice why, examples/campus")
def command_why(folder: Path) -> Work:
    return command("why", CAMPUS, "14.0")


@row("pieslice check, examples/campus")
def command_check(folder: Path) -> Work:
    return command("check", CAMPUS / "condor_config")


@row("pieslice check --format github: rules only")
def command_check_rules(folder: Path) -> Work:
    return command("check", "--format", "github", CAMPUS / "condor_config")


@row("pieslice check --format sarif, 2,000 lines")
def command_check_long(folder: Path) -> Work:
    text = "import bench_lsp; print(bench_lsp.text_of(2000), end='')"
    with (folder / "condor_config").open("w") as file:
        subprocess.run([sys.executable, "-c", text], cwd=HERE, stdout=file, check=True)
    return command("check", "--format", "sarif", folder / "condor_config")


# --- counting -----------------------------------------------------------------------------------


def alone(name: str, switch: str, *, profiled: bool) -> None:
    """Run a row in this process; ``switch``: the library that tells Valgrind, empty without it."""
    with tempfile.TemporaryDirectory() as folder:
        work = ROWS[name](Path(folder))
        compile_patterns()
        gc.collect()
        gc.disable()
        if profiled:
            from cProfile import Profile
            from pstats import Stats

            profile = Profile()
            profile.runcall(work)
            Stats(profile).sort_stats("tottime").print_stats(40)
            return
        tell = ctypes.CDLL(switch) if switch else None
        if tell is not None:
            tell.begin()
        work()
        if tell is not None:
            tell.end()


def compile_patterns() -> None:
    """Compile the regular expressions of what is imported, as which row uses them first says
    nothing of it; whole commands have imported nothing, and pay for theirs.
    """
    for module in list(sys.modules.values()):
        for value in list(vars(module).values()):
            if type(value).__name__ == "_Late":
                getattr(value, "match")  # noqa: B009


def make_switch(folder: Path) -> str:
    """The library that tells Valgrind where to begin."""
    source, made = folder / "switch.c", folder / "switch.so"
    source.write_text(SWITCH)
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-O", "-o", made, source], check=True)
    return str(made)


def compile_all(python: Path, checkout: Path) -> None:
    """Write the bytecode of a checkout, so that no row does."""
    rooms = [str(checkout / room) for room in ROOMS]
    subprocess.run([str(python), "-m", "compileall", "-q", *rooms], check=True)


def counted(python: Path, name: str, switch: str, profile: Path) -> int | None:
    """Instructions of a row; None if it fails, after what it said."""
    words = [
        "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={profile}",
        str(python), str(Path(__file__).resolve()), "--alone", name, "--switch", switch,
    ]  # fmt: skip
    done = subprocess.run(words, env=environment(), capture_output=True, text=True)
    if done.returncode:
        print(f"{name}, {python}: {done.stderr[-1500:]}", file=sys.stderr)
        return None
    found = re.findall(r"^(?:totals|summary): (\d+)", profile.read_text(), re.MULTILINE)
    return int(found[-1])


def chosen(words: list[str]) -> Iterator[str]:
    """The rows whose names contain one of some words; all without any."""
    return (name for name in ROWS if not words or any(word in name for word in words))


def options() -> argparse.Namespace:
    """What is asked on the command line."""
    parser = argparse.ArgumentParser(description="Instructions of the benchmark rows.")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--most", type=float, default=2.0, metavar="PERCENT")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    parser.add_argument("--profile", action="store_true", help="Python's profile of the rows")
    parser.add_argument("--alone", metavar="ROW", help="run a row in this process")
    parser.add_argument("--switch", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    asked = options()
    if asked.alone:
        alone(asked.alone, asked.switch, profiled=asked.profile)
        return 0
    folders = {"here": HERE.parent} | ({"there": asked.against.resolve()} if asked.against else {})
    pythons = {where: folder / ".venv" / "bin" / "python" for where, folder in folders.items()}
    for where, python in pythons.items():
        compile_all(python, folders[where])
    failed, rows = False, []
    print(f"{'millions of instructions':48}{'here':>10}{'there':>10}{'more':>9}", flush=True)
    with tempfile.TemporaryDirectory() as made:
        switch = make_switch(Path(made))
        for name in chosen(asked.only):
            found: dict[str, int | None] = {}
            for where, python in pythons.items():
                kept = where == "here" and asked.keep is not None
                profile = (asked.keep if kept else Path(made)) / f"{list(ROWS).index(name):02}.out"
                found[where] = counted(python, name, switch, profile)
            here, there = found["here"], found.get("there")
            more = None if here is None or there is None else 100 * (here / there - 1)
            failed |= here is None or (more is not None and more > asked.most)
            cells = "".join(f"{n / 1e6:10.2f}" if n else f"{'-':>10}" for n in (here, there))
            last = "" if more is None else f"{more:+8.2f}%{'  MORE' * (more > asked.most)}"
            print(f"{name:48}{cells}{last}", flush=True)
            rows.append({"row": name, "here": here, "there": there, "more_percent": more})
    for each in rows:
        print(json.dumps(each))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
