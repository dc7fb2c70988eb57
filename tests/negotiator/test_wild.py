"""Scenarios that mix many features, and the minimal ones of the rules found by them.

Both engines decide what the real negotiator did, and the same down to every count.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from negotiator.engines import ENGINES
from tests.conform.command import main
from tests.conform.negotiation.course import play
from tests.conform.negotiation.scenarios import differences

VECTORS = Path(__file__).parents[1] / "vectors"
CORNERS = VECTORS / "negotiation"
WILD = VECTORS / "negotiation-wild"
#: `make test` plays one wild scenario in so many, `make test-long` all.
QUICK = 5


@lru_cache(maxsize=2)
def lines_of(path: Path) -> list[str]:
    """The cases of a compressed file, one a line."""
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def name_in(line: str) -> str:
    """The name of a scenario, without reading the whole line."""
    start = '{"scenario": {"name": "'
    assert line.startswith(start)
    return line[len(start) : line.index('"', len(start))]


def places() -> dict[str, tuple[Path, int]]:
    """Where each scenario is recorded: its file, and the line in it."""
    found = {path.stem: (path, 0) for path in sorted(CORNERS.glob("corner-*.json"))}
    for path in sorted(WILD.glob("*.jsonl.gz")):
        found |= {name_in(line): (path, number) for number, line in enumerate(lines_of(path))}
    return found


PLACES = places()
NAMES = sorted(name for name, (path, _) in PLACES.items() if path.parent == WILD)


def load(name: str) -> dict[str, Any]:
    """A scenario with what the real negotiator did."""
    path, number = PLACES[name]
    text = lines_of(path)[number] if path.suffix == ".gz" else path.read_text()
    case: dict[str, Any] = json.loads(text)
    return case


def parameters() -> Iterator[Any]:
    """The names of all scenarios; most of the wild ones are marked as long."""
    for name in PLACES:
        long = name in NAMES and NAMES.index(name) % QUICK
        yield pytest.param(name, marks=[pytest.mark.slow, pytest.mark.long]) if long else name


@pytest.mark.slow
@pytest.mark.parametrize("name", list(parameters()))
def test_scenario(name: str) -> None:
    case = load(name)
    for number, cycles in enumerate(zip_longest(*(play(case, each) for each in ENGINES)), 1):
        for engine, cycle in zip(ENGINES, cycles, strict=True):
            told = [f"cycle {number}: {item}" for item in differences(cycle)]
            assert told == [], engine
        # As text: a limit can be NaN, which equals nothing.
        assert len({repr(cycle.result) for cycle in cycles}) == 1, number


def test_conform_reads_the_compressed_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And names a scenario that differs."""
    bad = load(NAMES[0])
    bad["scenario"]["name"] = "spoilt"
    bad["observed"]["cycles"][0]["matches"] = []
    text = "\n".join(json.dumps(case) for case in (load(NAMES[0]), bad))
    (tmp_path / "some.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert main([str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "some.jsonl.gz: spoilt (negotiation)" in told
    assert told.endswith("1 passed, 1 failed\n")
