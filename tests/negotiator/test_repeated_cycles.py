"""A cycle that is run again decides the same, without looking for what was found before."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from negotiator.columns.engine import ColumnEngine
from negotiator.cycle import negotiate
from negotiator.engines import make_engines
from negotiator.matching.replay import NotedSearches, RepeatingEngines
from negotiator.scenario.read import NOW
from tests.conform.negotiation.course import first_snapshot, policy_of

WILD = sorted((Path(__file__).parents[1] / "vectors" / "negotiation-wild").glob("*.gz"))


def cases(every: int) -> list[dict[str, Any]]:
    lines = [line for path in WILD for line in gzip.decompress(path.read_bytes()).splitlines()]
    return [json.loads(line) for line in lines[::every]]


def check(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, policy = first_snapshot(case), policy_of(case["scenario"])
    engines, noted, looked = make_engines("columns", lasting=True), NotedSearches(), list[str]()
    find = ColumnEngine.find

    def finds(self: ColumnEngine, board: Any, request: Any, asker: Any, *rest: Any) -> Any:
        looked.append(asker.submitter)
        return find(self, board, request, asker, *rest)

    def run(engine: Any) -> str:
        looked.clear()
        return repr(negotiate(snapshot, policy, now=NOW, rng=Random(0), engine=engine))

    monkeypatch.setattr(ColumnEngine, "find", finds)
    usual = run("columns")
    assert run(RepeatingEngines(engines, noted)) == usual
    noted.end()
    everybody = list(looked)
    assert run(RepeatingEngines(engines, noted, ("nobody", "nowhere"))) == usual
    # What is looked for again is what was found slot by slot.
    assert len(looked) == noted.searches.count(None)
    for submitter in set(everybody):
        for queue in snapshot.queues:
            assert run(RepeatingEngines(engines, noted, (submitter, queue.name))) == usual


@pytest.mark.parametrize("case", cases(160), ids=lambda case: case["scenario"]["name"])
def test_a_repeated_cycle_decides_the_same(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(case, monkeypatch)


@pytest.mark.slow
def test_every_repeated_cycle_decides_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in cases(9):
        with monkeypatch.context() as patch:
            check(case, patch)
