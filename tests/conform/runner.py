"""Runs recorded cases and counts which of them this implementation reproduces.

Inputs: paths of vector files (``.json`` or ``.jsonl``, either with ``.gz``) or of folders, and the
kinds of case to know.  Outputs: one ``Outcome`` per case, with every difference as expected and
actual.  A case is recognised by its data, never by the name of its file; a field that its kind does
not know is a difference too, so that nothing recorded goes unchecked.  Cases of a kind that cannot
be played are counted apart.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pieslice.data import Content, JsonData

Case = JsonData


class Mismatch(NamedTuple):
    """One difference: the field, what was recorded and what came out.

    ``explained``: what the recording lacks that the difference comes from, shown to do so; such a
    difference is noted, and is no failure.
    """

    field: str
    expected: object
    actual: object
    explained: str | None = None


class Kind(NamedTuple):
    """A kind of case.

    ``recognises`` looks at a case; ``check`` returns the differences; ``fields`` are all fields
    that it reads as input or compares.  ``cases`` takes the parsed content of a ``.json`` file or
    of a line apart (None: it is not of this kind); any other line is one case.  ``beside`` does the
    same for a file or line that is about the folder it lies in.  ``unplayed``: why cases of the
    kind, though known, are not played.
    """

    name: str
    recognises: Callable[[Case], bool]
    check: Callable[[Case], list[Mismatch]]
    fields: frozenset[str]
    cases: Callable[[Content], Iterable[Case] | None] | None = None
    beside: Callable[[Path, Content], Iterable[Case] | None] | None = None
    unplayed: str | None = None


class Outcome(NamedTuple):
    """The result of one case."""

    path: str
    id: str
    kind: str
    mismatches: tuple[Mismatch, ...]
    unplayed: str | None = None

    @property
    def passed(self) -> bool:
        """Whether it was played and every difference, if there is any, is explained."""
        return self.unplayed is None and all(item.explained is not None for item in self.mismatches)


class Summary(NamedTuple):
    """The counts of a run and the failures in order; ``noted`` passed with a note.

    ``not_played``: how many cases there are of each kind that is not played, and why it is not.
    """

    passed: int
    failures: tuple[Outcome, ...]
    by_kind: dict[str, tuple[int, int]]
    noted: tuple[Outcome, ...] = ()
    not_played: Mapping[str, tuple[int, str]] = MappingProxyType({})

    @property
    def failed(self) -> int:
        """How many cases differ."""
        return len(self.failures)


def unplayed(
    name: str,
    reason: str,
    recognises: Callable[[Case], bool],
    cases: Callable[[Content], Iterable[Case] | None] | None = None,
) -> Kind:
    """A kind whose cases are known and not played, for a reason."""
    return Kind(name, recognises, lambda _: [], frozenset(), cases, unplayed=reason)


class UnreadableVectors(Exception):  # noqa: N818 - says what is wrong, not that something is
    """A path that is no vector file: the message says why, with the line where there is one."""


def run(
    paths: Sequence[Path],
    kinds: Sequence[Kind],
    *,
    progress: Callable[[Outcome], None] | None = None,
) -> Summary:
    """Run every case below ``paths``.  Raises ``UnreadableVectors``."""
    failures: list[Outcome] = []
    noted: list[Outcome] = []
    counts: dict[str, list[int]] = {}
    not_played: dict[str, tuple[int, str]] = {}
    for outcome in outcomes(paths, kinds):
        if outcome.unplayed is not None:
            count, _ = not_played.get(outcome.kind, (0, ""))
            not_played[outcome.kind] = (count + 1, outcome.unplayed)
            continue
        tally = counts.setdefault(outcome.kind, [0, 0])
        if outcome.passed:
            tally[0] += 1
            noted += [outcome] if outcome.mismatches else []
        else:
            tally[1] += 1
            failures.append(outcome)
        if progress is not None:
            progress(outcome)
    table = {name: (good, bad) for name, (good, bad) in sorted(counts.items())}
    passed = sum(good for good, _ in table.values())
    return Summary(passed, tuple(failures), table, tuple(noted), dict(sorted(not_played.items())))


def outcomes(paths: Sequence[Path], kinds: Sequence[Kind]) -> Iterator[Outcome]:
    """The outcome of every case below ``paths``, in file order."""
    for path in _files(paths):
        for position, case in enumerate(_cases(path, kinds), 1):
            yield check_case(case, kinds, str(path), position)


def check_case(case: Case, kinds: Sequence[Kind], path: str = "", position: int = 0) -> Outcome:
    """Run one case with the first kind that recognises it."""
    name = str(case.get("id") or f"#{position}")
    for kind in kinds:
        if not kind.recognises(case):
            continue
        if kind.unplayed is not None:
            return Outcome(path, name, kind.name, (), kind.unplayed)
        unknown = sorted(set(case) - kind.fields)
        mismatches = [
            Mismatch(field, "a field known to the runner", "unknown") for field in unknown
        ]
        mismatches += kind.check(case)
        return Outcome(path, name, kind.name, tuple(mismatches))
    fields = ", ".join(sorted(case))
    return Outcome(path, name, "unknown", (Mismatch("kind", "a known kind of case", fields),))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = [p for p in sorted(path.rglob("*")) if _is_vector_file(p)]
            if not found:
                raise UnreadableVectors(f"{path}: no .json or .jsonl file in this folder")
            yield from found
        elif path.exists():
            yield path
        else:
            raise UnreadableVectors(f"{path}: no such file or folder")


def _is_vector_file(path: Path) -> bool:
    name = path.name.removesuffix(".gz")
    return path.is_file() and name.endswith((".json", ".jsonl"))


def _cases(path: Path, kinds: Sequence[Kind]) -> Iterator[Case]:
    text = _read(path)
    if path.name.removesuffix(".gz").endswith(".jsonl"):
        for case in _line_cases(path, text):
            found = _taken_apart(path, case, kinds)
            yield from [case] if found is None else found
        return
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UnreadableVectors(f"{path}: not JSON: {problem}") from None
    found = _taken_apart(path, content, kinds)
    if found is not None:
        yield from found
    elif isinstance(content, list) and all(isinstance(case, dict) for case in content):
        yield from content
    elif isinstance(content, dict):
        yield content
    else:
        raise UnreadableVectors(f"{path}: holds no cases (neither an object nor a list of them)")


def _taken_apart(path: Path, content: Content, kinds: Sequence[Kind]) -> Iterable[Case] | None:
    for kind in kinds:
        found = kind.cases(content) if kind.cases is not None else None
        if found is None and kind.beside is not None:
            found = kind.beside(path, content)
        if found is not None:
            return found
    return None


def _line_cases(path: Path, text: str) -> Iterator[Case]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise UnreadableVectors(f"{path}:{number}: not JSON: {problem}") from None
        if not isinstance(case, dict):
            raise UnreadableVectors(f"{path}:{number}: a case must be an object")
        yield case


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as problem:
        raise UnreadableVectors(f"{path}: {problem}") from None
