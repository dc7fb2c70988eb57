"""Plants changes that chance draws and counts those that no test sees: ``python -m fuzz.sampled``.

Needs the dependency group ``coverage``.  The first run, and ``--again``, runs all tests
with coverage, which takes a quarter of an hour, and keeps in ``--cover`` which tests run which
lines.  A change is caught when a test that runs its line fails, or takes ten times as long.

Outputs: a line for each survivor, a table by room; with ``--log`` also what saw the others.  Exit
codes: 0 at most ``--allowed`` of a hundred survive, 1 more, 2 bad usage.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

from fuzz.mutants import ROOT
from fuzz.sampled import c_changes
from fuzz.sampled.changes import Change
from fuzz.sampled.changes import changes as python_changes
from fuzz.sampled.cover import Cover, load, measure
from fuzz.sampled.equivalent import EQUIVALENT
from fuzz.sampled.forks import Forks
from fuzz.sampled.rooms import deciding
from fuzz.sampled.trial import Copy, Outcome

COVER: Final = ROOT / "build" / "fuzz" / "cover.json"
#: What sees the C core, which has no coverage.
C_TESTS: Final = (
    "tests/csrc", "tests/classad/test_table_vectors.py", "tests/classad/test_table_sums.py",
    "tests/classad/test_table_verdicts.py", "tests/classad/test_table_texts.py",
    "tests/classad/test_table_members.py", "tests/classad/test_table.py",
    "tests/classad/test_table_one_by_one.py", "tests/classad/test_adfile_long.py",
    "tests/classad/test_parser.py", "tests/classad/test_traps.py",
    "tests/fuzz/test_fuzz.py::test_a_few_cases_of_every_target[kernels]",
    "tests/fuzz/test_fuzz.py::test_a_few_cases_of_every_target[loaders]",
    "tests/fuzz/test_fuzz.py::test_a_few_cases_of_every_target[parsers]",
)  # fmt: skip
#: Seconds of tests that a change gets.
PATIENCE: Final = 120.0
#: Of these those that are asked first, and of how many files at most.
_SOON: Final = 8.0
_FILES: Final = 2
#: Bytes of address space that the tests of a change may take: it may fill lists without end.
MEMORY: Final = 8 * 2**30
#: A survivor as it is printed.
_TOLD: Final = re.compile(r"SURVIVES (\S+?):(\d+): (.*) \([^()]*\)$")


class Planted(NamedTuple):
    """A change of a file."""

    file: str
    change: Change
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What names it as long as its line stays as it is."""
        line = self.text.splitlines()[self.change.line - 1].strip()
        return self.file, line, self.change.shown(self.text)

    @property
    def shown(self) -> str:
        """File, line and change."""
        return f"{self.file}:{self.change.line}: {self.change.shown(self.text)}"


def c_sources(root: Path) -> list[str]:
    """The files of the C core."""
    return sorted(str(path.relative_to(root)) for path in (root / "csrc").glob("*.c"))


def changes(file: str, text: str) -> list[Change]:
    """All changes of a file."""
    return c_changes.changes(text) if file.endswith(".c") else python_changes(text)


def drawn(root: Path, files: Sequence[str], seed: int, count: int, only: str) -> list[Planted]:
    """Changes, each as likely as any other."""
    everything = [
        Planted(file, change, text)
        for file in files
        if only in file
        for text in [(root / file).read_text(encoding="utf-8")]
        for change in changes(file, text)
    ]
    return random.Random(seed).sample(everything, min(count, len(everything)))


def listed(root: Path, lines: Sequence[str]) -> list[Planted]:
    """The survivors of an earlier run, wherever their lines are now."""
    found = []
    for told in filter(None, map(_TOLD.match, lines)):
        text = (root / told[1]).read_text(encoding="utf-8")
        same = [it for it in changes(told[1], text) if it.shown(text) == told[3]]
        if not same:
            print(f"GONE {told[1]}:{told[2]}: {told[3]}")
            continue
        nearest = min(same, key=lambda it, line=int(told[2]): abs(it.line - line))  # type: ignore[misc]
        found.append(Planted(told[1], nearest, text))
    return found


def up_to_date(cover: Cover, root: Path, commit: str, files: Iterable[str]) -> Cover:
    """The coverage that was measured at a commit, by the lines that files have now."""
    earlier, now = {}, {}
    for file in files:
        command = ["git", "show", f"{commit}:{file}"]
        shown = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if shown.returncode == 0:
            earlier[file], now[file] = shown.stdout, (root / file).read_text(encoding="utf-8")
    return cover.carried_over(earlier, now)


def chosen(tests: Sequence[str], cover: Cover, patience: float) -> Iterator[str]:
    """As many of the quickest tests as fit the patience, in seconds."""
    seconds = dict(zip(cover.tests, cover.seconds, strict=True))
    spent = 0.0
    for test in tests:
        spent += seconds[test]
        if spent > patience:
            return
        if test.isprintable():
            yield test


def newer(root: Path, cover: Cover, file: str) -> list[str]:
    """The files of tests beside the room of a file that the coverage does not know yet."""
    known = {test.partition("::")[0] for test in cover.tests}
    found = (root / "tests" / file.partition("/")[0]).rglob("test_*.py")
    return sorted({path.relative_to(root).as_posix() for path in found} - known)


def unknown(tests: Iterable[str], cover: Cover, file: str) -> list[str]:
    """Of loaded tests those beside the room of a file that are new in files that are known."""
    files = {test.partition("::")[0] for test in cover.tests}
    near = f"tests/{file.partition('/')[0]}/"
    beside = (it for it in tests if it.startswith(near) and it.partition("::")[0] in files)
    return sorted(set(beside).difference(cover.tests))


def batches(tests: Sequence[str], file: str, seconds: Mapping[str, float]) -> list[list[str]]:
    """Those first that most changes are seen by: to load all files of tests takes its time, too.

    These are the quickest of the few files that have most of the tests beside the file's room;
    then come the others beside it, then the rest.
    """
    room = file.partition("/")[0]
    near = tuple(f"tests/{it}" for it in ({room, "csrc"} if room == "classad" else {room}))
    files = Counter(test.partition("::")[0] for test in tests if test.startswith(near))
    likely = {name for name, _ in files.most_common(_FILES)}
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    spent = 0.0
    for test in tests:
        beside = test.startswith(near)
        if beside and test.partition("::")[0] in likely and spent < _SOON:
            spent += seconds.get(test, 0.0)
            parts[0].append(test)
        else:
            parts[1 if beside else 2].append(test)
    return [part for part in parts if part]


def tried(
    planted: Sequence[Planted], by_change: Sequence[Sequence[str]], cover: Cover, jobs: int,
    forked: bool, once: bool,
) -> Iterator[tuple[Planted, Outcome]]:  # fmt: skip
    """What becomes of each change, in order; some at the same time, each in a copy of its own.

    ``by_change``: the tests that each may be seen by; ``forked``: first in a fork of a process that
    has loaded the tests; ``once``: a survivor of the fork is not tried in a copy.
    """
    seconds = dict(zip(cover.tests, cover.seconds, strict=True))
    with ExitStack() as stack:
        copies: SimpleQueue[Copy] = SimpleQueue()
        there: set[str] = set()
        for _ in range(jobs):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            copies.put(copy := Copy(folder, seconds))
            there = set(copy.prepare(sorted({test for tests in by_change for test in tests})))
        servers: SimpleQueue[Forks] = SimpleQueue()
        for _ in range(jobs if forked else 0):
            servers.put(stack.enter_context(Forks(ROOT, sorted(there), seconds, MEMORY)))

        def trial(item: Planted, tests: Sequence[str]) -> tuple[Planted, Outcome]:
            left = batches([test for test in tests if test in there], item.file, seconds)
            changed = item.change.applied(item.text)
            if not left:
                return item, Outcome(False, "no test runs this line")
            if forked:
                server = servers.get()
                try:
                    asked = [it for part in left for it in part]
                    if cover.tests:
                        asked += unknown(server.tests, cover, item.file)
                    outcome = server.try_out(item.file, changed, asked)
                finally:
                    servers.put(server)
                if outcome is not None and (outcome.caught or once):
                    return item, outcome
            copy = copies.get()
            try:
                return item, copy.try_out(item.file, changed, left)
            finally:
                copies.put(copy)

        pool = stack.enter_context(ThreadPoolExecutor(jobs))
        yield from pool.map(trial, planted, by_change)


def report(results: Iterator[tuple[Planted, Outcome]], count: int, log: Path | None) -> float:
    """Print survivors and the table; the share of survivors in percent."""
    planted: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    for number, (item, outcome) in enumerate(results, 1):
        room = item.file.partition("/")[0]
        planted[room] += 1
        survived[room] += not outcome.caught
        verdict = f"{'caught' if outcome.caught else 'SURVIVES'} {item.shown} ({outcome.by})"
        if not outcome.caught:
            print(verdict, flush=True)
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(" ".join(verdict.split()) + "\n")
        print(f"{number} of {count}", end="\r", file=sys.stderr, flush=True)
    for room in planted:
        print(f"{room}: {planted[room] - survived[room]} of {planted[room]} caught")
    share = 100 * survived.total() / max(1, planted.total())
    print(f"{survived.total()} of {planted.total()} survive ({share:.1f} %)")
    return share


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.sampled", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="changes to draw (100)")
    parser.add_argument("--only", default="", help="a part of the names of files")
    parser.add_argument(
        "--room", default="", help="of the changes drawn, only those of this folder"
    )
    parser.add_argument("--native", action="store_true", help="changes of the C core")
    parser.add_argument("--survivors", type=Path, help="not drawn, but those that this file names")
    parser.add_argument("--tests", nargs="+", default=(), help="not by coverage, but these tests")
    parser.add_argument("--cover", type=Path, default=COVER, help="where the coverage is kept")
    parser.add_argument(
        "--measured-at", metavar="COMMIT", help="the coverage is that of an earlier commit"
    )
    parser.add_argument("--again", action="store_true", help="measure the coverage anew")
    parser.add_argument("--jobs", type=int, default=1, help="changes tried at a time (1)")
    parser.add_argument(
        "--forked", action="store_true",
        help="first in a fork of a process that has loaded the tests, which is quicker",
    )  # fmt: skip
    parser.add_argument(
        "--once", action="store_true",
        help="with --forked: what survives in a fork is not tried in a copy as well",
    )  # fmt: skip
    parser.add_argument(
        "--patience", type=float, default=PATIENCE, metavar="SECONDS",
        help=f"seconds of tests for a change ({PATIENCE:g})",
    )  # fmt: skip
    parser.add_argument("--log", type=Path, help="write a line for each change to this file")
    parser.add_argument("--allowed", type=float, default=3.0, help="survivors of a hundred (3)")
    args = parser.parse_args(arguments)
    tests = args.tests or (C_TESTS if args.native else ())
    if args.again or not (tests or args.cover.is_file()):
        measure(ROOT, ()).save(args.cover)
    cover = Cover([], [], {}) if tests else load(args.cover)
    if args.survivors:
        planted = listed(ROOT, args.survivors.read_text(encoding="utf-8").splitlines())
    else:
        files = c_sources(ROOT) if args.native else deciding(ROOT)
        planted = drawn(ROOT, files, args.seed, args.count, args.only)
    planted = [it for it in planted if it.file.startswith(args.room) and it.key not in EQUIVALENT]
    if args.measured_at:
        cover = up_to_date(cover, ROOT, args.measured_at, {it.file for it in planted})
    by_change = [
        list(tests)
        or [
            *chosen(cover.running(it.file, it.change.line), cover, args.patience),
            *newer(ROOT, cover, it.file),
        ]
        for it in planted
    ]
    forked = args.forked and not args.native
    results = tried(planted, by_change, cover, args.jobs, forked, args.once)
    share = report(results, len(planted), args.log)
    return 0 if share <= args.allowed else 1


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.exit(main())
