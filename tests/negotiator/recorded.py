"""What the cycles of recorded scenarios come to, as marks, those included that no recording tells.

``recorded.txt`` has a line for each cycle: the scenario, the number of the cycle, a mark for each
part.  ``python -m tests.negotiator.recorded`` writes it anew; ``--show NAME`` prints in full what
the cycles of a scenario come to.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from negotiator.scenario.course import Played, play
from tests.negotiator import scenarios, whole

KEPT: Final = Path(__file__).with_name("recorded.txt")
WILD: Final = scenarios.VECTORS.with_name("negotiation-wild")


def texts_of(cycle: Played) -> dict[str, str]:
    """The texts of a cycle's parts."""
    return whole.parts(cycle.result, offers=cycle.offers, steps=cycle.quota_steps)


def marks_of(cycle: Played) -> str:
    """The marks of a cycle's parts in a line."""
    return whole.marks(texts_of(cycle))


@cache
def _lines() -> dict[str, str]:
    found = (line.partition(": ") for line in KEPT.read_text().splitlines())
    return {head: marks for head, _, marks in found}


def kept(name: str, number: int) -> str:
    """The marks that a cycle had."""
    return _lines()[f"{name} {number}"]


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """All recorded scenarios, by name."""
    for name in scenarios.names():
        yield name, scenarios.load(name)
    for path in sorted(WILD.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            case = json.loads(line)
            yield case["scenario"]["name"], case


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", metavar="NAME")
    chosen = parser.parse_args()
    lines = []
    for name, case in cases():
        if chosen.show not in (None, name):
            continue
        for number, cycle in enumerate(play(case), 1):
            lines.append(f"{name} {number}: {marks_of(cycle)}")
            if chosen.show is not None:
                print(lines[-1])
                for part, text in texts_of(cycle).items():
                    print(f"--- {part}\n{text}")
    if chosen.show is None:
        KEPT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
