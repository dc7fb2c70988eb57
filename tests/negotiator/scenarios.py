"""The recorded scenarios of the real negotiator under tests/vectors/negotiation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from negotiator.model.result import CycleResult
from negotiator.scenario.read import NOW
from tests.conform.negotiation.course import first_snapshot as snapshot_of
from tests.conform.negotiation.course import play, policy_of
from tests.conform.negotiation.scenarios import decided

__all__ = ["NOW", "VECTORS", "decided", "load", "names", "play", "policy_of"]
__all__ += ["run", "snapshot_of"]

VECTORS = Path(__file__).parents[1] / "vectors" / "negotiation"


def load(name: str) -> dict[str, Any]:
    """The scenario and what was observed."""
    found: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return found


def names() -> list[str]:
    """All recorded scenarios."""
    return sorted(path.stem for path in VECTORS.glob("*.json"))


def run(case: Mapping[str, Any]) -> CycleResult:
    """The first cycle of a scenario."""
    return next(play(case)).result
