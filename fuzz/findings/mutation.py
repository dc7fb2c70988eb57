"""Plants faults in the clean configurations and counts, class by class, how many are found.

Inputs: a seed, how many a class.  Outputs: ``Count`` for every class, with what was missed.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from attr import define, field, frozen

from fuzz.findings.corpus import clean, decoded
from fuzz.findings.judge import Seen, checked
from fuzz.findings.mutators import Mutation, statements
from fuzz.findings.pool_mutators import EVERY


@frozen
class Case:
    """A mutation of one file of a clean configuration."""

    fault: str
    whole: Path
    file: Path
    mutation: Mutation

    @property
    def line(self) -> str:
        """One line about it."""
        return f"{self.fault}: {self.file.name}:{self.mutation.lines[0]}: {self.mutation.told}"


@define
class Count:
    """How many faults of a class were planted and found."""

    planted: int = 0
    found: int = 0
    missed: list[str] = field(factory=list)


def cases(wholes: Sequence[Path]) -> Iterator[Case]:
    """Every fault of every class, wherever it can stand."""
    for whole in wholes:
        files = sorted(whole.rglob("*.conf")) if whole.is_dir() else [whole]
        for file in files:
            text = decoded(file)
            items = statements(text)
            for fault, mutator in EVERY.items():
                for mutation in mutator(text, items):
                    if mutation.text != text:
                        yield Case(fault, whole, file, mutation)


def drawn(seed: int, per_class: int) -> list[Case]:
    """At most ``per_class`` cases of every class; the same ones for the same seed."""
    chance = random.Random(seed)
    by_class: dict[str, list[Case]] = {fault: [] for fault in EVERY}
    for case in cases(clean()):
        by_class[case.fault].append(case)
    return [
        case
        for found in by_class.values()
        for case in chance.sample(found, min(per_class, len(found)))
    ]


def seen_in(case: Case) -> list[Seen]:
    """The findings for the mutated configuration, those of the mutated file only."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / case.whole.name
        if not case.whole.is_dir():
            place.write_text(case.mutation.text, encoding="utf-8")
            return checked(place)
        place.mkdir()
        for file in case.whole.iterdir():
            text = case.mutation.text if file == case.file else decoded(file)
            (place / file.name).write_text(text, encoding="utf-8")
        return [item for item in checked(place) if Path(item.file).name == case.file.name]


def counted(chosen: Sequence[Case]) -> dict[str, Count]:
    """Found and missed by class."""
    counts: dict[str, Count] = {}
    for case in chosen:
        count = counts.setdefault(case.fault, Count())
        count.planted += 1
        if any(item.line in case.mutation.lines for item in seen_in(case)):
            count.found += 1
        else:
            count.missed.append(case.line)
    return counts
