"""Refuses lines and branches that decide and that no test runs: ``python -m tests.branches``.

Inputs: what coverage kept of runs of the tests (``[tool.coverage]`` of pyproject.toml says of which
modules, and what cannot run), and ``tests/untested.json``, the files that have gaps still: how many
each.  Outputs: a line for each gap.  Exit codes: 0, 1 for a file with more gaps than the list says
or a pragma without its reason.  ``--update`` writes the list where it has become shorter.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from fuzz.sampled.rooms import deciding

ROOT: Final = Path(__file__).parents[1]
UNTESTED: Final = Path("tests/untested.json")
#: `# pragma: no cover - Windows only`
_PRAGMA: Final = re.compile(r"#\s*pragma:\s*no\s*(cover|branch)", re.I)
_WITH_REASON: Final = re.compile(r"# pragma: no (cover|branch) - \w+ \w+")


def without_reason(root: Path) -> list[str]:
    """Pragmas that do not say why, as `file:line`."""
    return [
        f"{name}:{number}"
        for name in deciding(root)
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1)
        if _PRAGMA.search(line) and not _WITH_REASON.search(line)
    ]


def gaps(report: Mapping[str, Any], files: Sequence[str]) -> dict[str, list[str]]:
    """By file, what a report of coverage misses: lines, and branches of lines that run."""
    found = {}
    for name in files:
        of_file = report["files"][name]
        lines = set(of_file["missing_lines"])
        branches = [it for it in of_file["missing_branches"] if lines.isdisjoint(map(abs, it))]
        places = sorted([(line, "never runs") for line in lines] + [
            (start, f"never goes to line {end}" if end > 0 else "never leaves")
            for start, end in branches
        ])  # fmt: skip
        found[name] = [f"{name}:{line}: {what}" for line, what in places]
    return found


def judged(found: Mapping[str, Sequence[str]], allowed: Mapping[str, int]) -> Iterator[str]:
    """What to say of the files that have more gaps than they may."""
    for name, places in found.items():
        if len(places) > allowed.get(name, 0):
            yield from places
            yield f"{name}: {len(places)} untested, {allowed.get(name, 0)} allowed"


def shrunk(found: Mapping[str, Sequence[str]], allowed: Mapping[str, int]) -> dict[str, int]:
    """The list as it may be from now on."""
    left = {name: min(count, len(found.get(name, ()))) for name, count in allowed.items()}
    return {name: count for name, count in sorted(left.items()) if count}


def report_of(data: Path | None) -> dict[str, Any]:
    """What coverage says of its data, the configured file if none is named."""
    from coverage import Coverage

    measured = Coverage(data_file=str(data)) if data else Coverage()
    measured.load()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "report.json")
        measured.json_report(outfile=str(out))
        result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.branches", description=__doc__)
    parser.add_argument("--data", type=Path, help="what coverage kept (as configured)")
    parser.add_argument("--all", action="store_true", help="show the gaps that are allowed too")
    parser.add_argument("--update", action="store_true", help="write the shorter list")
    args = parser.parse_args(arguments)
    allowed = json.loads(UNTESTED.read_text(encoding="utf-8"))
    found = gaps(report_of(args.data), deciding(Path()))
    left = shrunk(found, allowed)
    if args.update:
        UNTESTED.write_text(json.dumps(left, indent=2) + "\n", encoding="utf-8")
        allowed = left
    said = [f"{place}: a pragma without a reason" for place in without_reason(Path())]
    said += judged(found, {} if args.all else allowed)
    for line in said:
        print(line)
    count = sum(len(places) for places in found.values())
    print(f"{len(found)} files that decide: {count} lines and branches untested, "
          f"{sum(allowed.values())} allowed in {len(allowed)} files")  # fmt: skip
    if left != allowed:
        print("fewer than allowed: --update writes the shorter list")
    return 1 if said and not args.all else 0


if __name__ == "__main__":
    sys.exit(main())
