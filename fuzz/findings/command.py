"""Reads the command line of ``python -m fuzz findings`` and prints the tables.

Exit codes: 0 as the manifest says and no crash, 1 something else is missed or said, or a crash.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fuzz.findings.corpus import CORPUS, clean, current, known, planted, written
from fuzz.findings.crashes import problems
from fuzz.findings.judge import checked, found, pointed
from fuzz.findings.mutation import Count, counted, drawn

_FOUND: Final = Path("build/fuzz")


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments say."""
    args = _parser().parse_args(arguments)
    if args.torn:
        return _torn(args.seed, args.torn)
    not_found = _corpus()
    false = _false_findings()
    manifest = current(not_found, false)
    if args.update:
        (CORPUS / "manifest.json").write_text(written(manifest), encoding="utf-8")
    if not args.corpus_only:
        counts = counted(drawn(args.seed, args.per_class))
        _table(f"mutations of clean files, seed {args.seed}", counts)
        _missed(counts, args.show)
    return 1 if manifest != known() else 0


def _corpus() -> list[str]:
    counts: dict[str, Count] = {}
    elsewhere, not_found = [], []
    for fault in planted():
        seen = checked(fault.path)
        count = counts.setdefault(fault.fault, Count())
        count.planted += 1
        if not found(fault, seen):
            not_found.append(fault.name)
            count.missed.append(f"{fault.name}: line {fault.line}, `{fault.word}`")
            continue
        count.found += 1
        if not pointed(fault, seen):
            places = ", ".join(f"{x.id} {x.line}:{x.start}" for x in seen)
            elsewhere.append(f"{fault.name}: `{fault.word}` at line {fault.line}; it is {places}")
    _table("planted faults of the corpus", counts)
    _missed(counts, None)
    print(f"\nfound in the right line, but pointing at another word: {len(elsewhere)}")
    print("".join(f"  {line}\n" for line in elsewhere), end="")
    return not_found


def _false_findings() -> list[str]:
    wholes = clean()
    false = [(path, item) for path in wholes for item in checked(path)]
    print(f"\nfindings in {len(wholes)} clean configurations: {len(false)}")
    for path, item in false:
        print(f"  {path.name}:{item.line}: {item.level} {item.id}: {item.message}")
    return sorted({path.name for path, _ in false})


def _table(title: str, counts: dict[str, Count]) -> None:
    total, hit = (sum(getattr(c, n) for c in counts.values()) for n in ("planted", "found"))
    print(f"\n{title}: {hit} of {total} found ({100 * hit / max(total, 1):.1f} %)\n")
    print(f"  {'class':28} planted  found  missed")
    for name, count in counts.items():
        missing = count.planted - count.found
        print(f"  {name:28} {count.planted:7}  {count.found:5}  {missing or '':>6}")


def _missed(counts: dict[str, Count], show: int | None) -> None:
    for count in counts.values():
        for line in count.missed[:show]:
            print(f"  missed  {line}")


def _torn(seed: int, count: int) -> int:
    number = 0
    for number, (text, problem) in enumerate(problems(seed, count), 1):
        _FOUND.mkdir(parents=True, exist_ok=True)
        path = _FOUND / f"findings-{seed}-{number}.conf"
        path.write_bytes(text)
        print(f"  {path}: {problem}", flush=True)
    print(f"{count} torn files, seed {seed}: {number} problems")
    return 1 if number else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz findings",
        description="What `pieslice check` finds, misses and says of clean files.",
    )
    parser.add_argument("--seed", type=int, default=1, help="where to begin (default 1)")
    parser.add_argument(
        "--per-class", type=int, default=25, metavar="N", help="mutations of a class at most"
    )
    parser.add_argument(
        "--show", type=int, default=4, metavar="N", help="missed mutations shown of a class"
    )
    parser.add_argument("--corpus-only", action="store_true", help="without mutations")
    parser.add_argument(
        "--update", action="store_true", help="write what is missed into the manifest"
    )
    parser.add_argument(
        "--torn", type=int, metavar="N", help="N torn files instead: no exception, none slow"
    )
    return parser
