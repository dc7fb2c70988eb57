"""Conformance sees what it compares: each fact of a recorded cycle, changed, is a difference."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from tests.conform.negotiation.course import Played, play
from tests.conform.negotiation.scenarios import differences

ROOM = Path(__file__).parents[1] / "vectors" / "negotiation"
#: Recorded, but not compared: what follows from facts that are, or is a number of the daemon alone.
NOT_COMPARED = {
    "slot_order", "submitter_order", "significant_attributes", "evaluations", "remarks", "log",
    "request_attributes", "num_submitter_ads", "num_slot_ads", "requests.pie_left",
    "matches.of", "matches.autocluster", "matches.log_preempting",
    "pies.end", "pies.quota", "pies.spins.num_slots", "pies.spins.min_slot_weight",
    "pies.spins.num_submitter_ads", "pies.spins.submitters.prio_factor",
    "pies.spins.submitters.abs_share", "pies.spins.submitters.starved",
    "requests.autocluster", "requests.count", "requests.of", "requests.cached_match_list",
    "groups.events.summary.groups", "groups.events.summary.requesting",
    *(f"groups.events.{kind}" for kind in (
        "text", "total", "subtree", "children", "usage", "reset-requested", "fairshare1",
        "fairshare3", "remainders1", "remainders2", "remainders3", "surplus1", "surplus2",
        "surplus2b", "surplus4",
    )),
}  # fmt: skip
CASES = ("random-104", "groups-surplus", "preempt-kinds-order", "ceiling", "pie-at-least-one")


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where numbers, words and truths stand."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from leaves(part, (*path, number))
    else:
        yield path


def other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + max(1.0, abs(value) / 10)
        case str():
            # A number that stands in a word stays one.
            return f"1{value}" if value[:1].isdigit() else f"{value}x"
    return "x"


def changed(seen: Mapping[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    found = copy.deepcopy(dict(seen))
    place: Any = found
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = other(place[path[-1]])
    return found


def named(seen: Mapping[str, Any], path: tuple[str | int, ...]) -> str:
    """The fact without numbers; events of groups with their kind."""
    words = [step for step in path if isinstance(step, str)]
    if path[:2] == ("groups", "events"):
        words.insert(2, seen["groups"]["events"][path[2]]["event"])
    return ".".join(words)


def is_compared(name: str) -> bool:
    return not any(name == it or name.startswith(f"{it}.") for it in NOT_COMPARED)


def played(name: str) -> Played:
    case = json.loads((ROOM / f"{name}.json").read_text(encoding="utf-8"))
    (only,) = play(case)
    assert not differences(only)
    return only


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_fact_that_is_changed_is_a_difference(name: str) -> None:
    ours = played(name)
    tried: Counter[str] = Counter()
    wrong = set()
    for path in leaves(ours.seen):
        fact = named(ours.seen, path)
        tried[fact] += 1
        # The same lines compare all facts of a name.
        if tried[fact] <= 6:
            told = differences(evolve(ours, seen=changed(ours.seen, path)))
            if bool(told) != is_compared(fact):
                wrong.add(fact)
    assert wrong == set()
    assert len(tried) > 30
