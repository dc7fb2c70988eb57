"""The recorded scenarios of the real negotiator under tests/vectors/negotiation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from negotiator.engines import ENGINES
from negotiator.model.result import CycleResult
from negotiator.scenario.read import NOW
from tests.conform.negotiation.course import first_snapshot as snapshot_of
from tests.conform.negotiation.course import play, policy_of
from tests.conform.negotiation.scenarios import decided, differences

__all__ = ["NOW", "VECTORS", "decided", "load", "names", "play", "policy_of"]
__all__ += ["played_by_both_engines", "run", "snapshot_of"]

VECTORS = Path(__file__).parents[1] / "vectors" / "negotiation"


def load(name: str) -> dict[str, Any]:
    """The scenario and what was observed."""
    found: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return found


def names() -> list[str]:
    """All recorded scenarios."""
    return sorted(path.stem for path in VECTORS.glob("*.json"))


def played_by_both_engines(case: Mapping[str, Any]) -> None:
    """Each decides what the real negotiator did, and the same down to every count.

    Compared are decisions, rounds of the pie, requests, group events and the accountant's records.
    """
    for number, cycles in enumerate(zip_longest(*(play(case, each) for each in ENGINES)), 1):
        for engine, cycle in zip(ENGINES, cycles, strict=True):
            assert [f"cycle {number}: {item}" for item in differences(cycle)] == [], engine
        # As text: a limit can be NaN, which equals nothing.
        assert len({repr(cycle.result) for cycle in cycles}) == 1, number


def run(case: Mapping[str, Any]) -> CycleResult:
    """The first cycle of a scenario."""
    return next(play(case)).result
