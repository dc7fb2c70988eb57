"""Scenarios that mix many features."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from tests.conform.command import main
from tests.negotiator.scenarios import played_by_both_engines

WILD = Path(__file__).parents[1] / "vectors" / "negotiation-wild"
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
    found = {}
    for path in sorted(WILD.glob("*.jsonl.gz")):
        found |= {name_in(line): (path, number) for number, line in enumerate(lines_of(path))}
    return found


PLACES = places()
NAMES = sorted(PLACES)


def load(name: str) -> dict[str, Any]:
    """A scenario with what the real negotiator did."""
    path, number = PLACES[name]
    case: dict[str, Any] = json.loads(lines_of(path)[number])
    return case


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if number % QUICK else ())
        for number, name in enumerate(NAMES)
    ],
)
def test_scenario(name: str) -> None:
    played_by_both_engines(load(name))


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
