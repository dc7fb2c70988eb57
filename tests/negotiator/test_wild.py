"""Scenarios that mix many features, and the minimal ones of rules found by them: none gets worse.

Not all of them agree with the real negotiator yet.  A line of ``agreeing.txt`` is a scenario and

* ``agrees``: both engines decide what was recorded, and the same down to every count,
* ``columns-agree``: the engine of the columns does, the reference engine decides otherwise,
* ``engines-differ``: the engines decide differently, and the columns not what was recorded.

A scenario without a line differs from its recording, and the engines decide the same.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from negotiator.engines import ENGINES
from negotiator.scenario.course import play
from pieslice.cli import main
from pieslice.conform.negotiation.scenarios import differences

VECTORS = Path(__file__).parents[1] / "vectors"
CORNERS = VECTORS / "negotiation-corner"
WILD = VECTORS / "negotiation-wild"
LIST = Path(__file__).parent / "agreeing.txt"

#: What is said of a scenario without a line.
NO_LINE = "differs"
#: How many scenarios have which lines; the first number only grows, the second only shrinks.
LEAST_AGREEING = 497
MOST_ENGINES_DIFFER = 0


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
    found = {path.stem: (path, 0) for path in sorted(CORNERS.glob("*.json"))}
    for path in sorted(WILD.glob("*.jsonl.gz")):
        found |= {name_in(line): (path, number) for number, line in enumerate(lines_of(path))}
    return found


def listed() -> dict[str, str]:
    """What the list says of a scenario."""
    pairs = (line.partition(" ") for line in LIST.read_text().splitlines())
    return {name: standing for name, _, standing in pairs}


PLACES = places()
LISTED = listed()


def load(name: str) -> dict[str, Any]:
    """A scenario with what the real negotiator did."""
    path, number = PLACES[name]
    text = lines_of(path)[number] if path.suffix == ".gz" else path.read_text()
    case: dict[str, Any] = json.loads(text)
    return case


def played(case: dict[str, Any], engine: str) -> tuple[list[str], list[str]]:
    """The results of all cycles as text, and the fields that differ from the recording."""
    cycles = list(play(case, engine))
    fields = [
        f"cycle {number}: {item.field}"
        for number, cycle in enumerate(cycles, 1)
        for item in differences(cycle)
    ]
    # As text: a limit can be NaN, which equals nothing.
    return [repr(cycle.result) for cycle in cycles], fields


def standing_of(name: str) -> tuple[str, str]:
    """The standing of a scenario as the list has it, and what says so."""
    case = load(name)
    (results, fields), (other_results, other_fields) = (played(case, each) for each in ENGINES)
    told = f"columns: {fields or 'as recorded'}; reference: {other_fields or 'as recorded'}"
    if results != other_results:
        return "engines-differ" if fields else "columns-agree", told
    return NO_LINE if fields else "agrees", told


@pytest.mark.parametrize("name", PLACES)
def test_scenario(name: str) -> None:
    standing, told = standing_of(name)
    before = LISTED.get(name, NO_LINE)
    assert not (standing == "agrees" != before), (
        f"{name} agrees now, good: add the line `{name} agrees` to {LIST.name}"
    )
    assert standing == before, (
        f"{name}: {standing}, was: {before} ({told}); "
        f"where that is better than before, change its line in {LIST.name}"
    )


def test_the_list() -> None:
    """Every line is about a scenario, in order, and no fewer agree than before."""
    lines = LIST.read_text().splitlines()
    assert lines == sorted(set(lines))
    assert len(lines) == len(LISTED)
    assert LISTED.keys() <= PLACES.keys()
    counts = Counter(LISTED.values())
    assert counts.keys() <= {"agrees", "columns-agree", "engines-differ"}
    assert counts["agrees"] >= LEAST_AGREEING
    assert len(LISTED) - counts["agrees"] <= MOST_ENGINES_DIFFER


def test_all_scenarios_are_there() -> None:
    wild = sum(path.parent == WILD for path, _ in PLACES.values())
    assert (wild, len(PLACES) - wild) == (469, 36)


def test_conform_reads_the_compressed_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And names a scenario that differs."""
    names = sorted(name for name, (path, _) in PLACES.items() if path.parent == WILD)
    good = next(name for name in names if LISTED.get(name) == "agrees")
    bad = load(good)
    bad["scenario"]["name"] = "spoilt"
    bad["observed"]["cycles"][0]["matches"] = []
    text = "\n".join(json.dumps(case) for case in (load(good), bad))
    (tmp_path / "some.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert main(["conform", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert "some.jsonl.gz: spoilt (negotiation)" in told
    assert told.endswith("1 passed, 1 failed\n")
