"""Checks the recorded scenarios of one or more cycles.

Decides how such a file is recognised.

Inputs: parsed files.  Outputs: the kinds.  Follows: the README beside the recordings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from negotiator.scenario.course import play
from pieslice.conform.negotiation.scenarios import differences
from pieslice.conform.runner import Case, Kind, Mismatch
from pieslice.data import Content


def check_scenario(case: Case) -> list[Mismatch]:
    """Every cycle of a scenario; fields are prefixed by the cycle's number where it has several."""
    found: list[Mismatch] = []
    several = len(case["observed"]["cycles"]) > 1
    for number, played in enumerate(play(case), 1):
        prefix = f"cycle {number}: " if several else ""
        found += (
            Mismatch(prefix + item.field, item.expected, item.actual)
            for item in differences(played)
        )
    return found


def _scenarios(content: Content) -> Iterable[Case] | None:
    if not isinstance(content, dict) or not {"scenario", "observed"} <= set(content):
        return None
    return [{"id": content["scenario"].get("name", "scenario"), **content}]


CYCLE_KINDS: Final = (
    Kind(
        "negotiation",
        lambda case: {"scenario", "observed"} <= set(case),
        check_scenario,
        frozenset(("id", "scenario", "observed", "reproducible", "unstable")),
        _scenarios,
    ),
)
