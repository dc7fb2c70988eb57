"""Compares a recorded scenario with both engines.

Inputs: a case: the ``scenario`` and what was ``observed``.  Outputs: ``Verdict``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attr import field, frozen

from negotiator.capture.slots import pool_order
from negotiator.engines import ENGINES
from pieslice.data import JsonData, Record
from tests.conform.negotiation.course import play
from tests.conform.negotiation.scenarios import decided, differences


@frozen
class Verdict:
    """What differs, by engine; ``known``: numbers in DIVERGENCES.md that account for it."""

    fields: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    #: The first lines of what differs, for people.
    details: tuple[str, ...] = field(default=(), repr=False)

    @property
    def differs(self) -> bool:
        """Whether something differs that has no number."""
        return bool(self.fields) and not self.known

    @property
    def heads(self) -> frozenset[str]:
        """What kind of fields differ, without positions."""
        return frozenset(_head(name) for name in self.fields)


def _head(name: str) -> str:
    what = name.partition(": ")[2] or name
    return what.removeprefix("number of ").partition("[")[0].partition(".")[0]


def compare(case: Mapping[str, Any]) -> Verdict:
    """The fields in which an engine differs from the recording, or the engines from each other.

    A departure accounts for a difference in its own cycle and in those behind it.
    """
    fields: list[str] = []
    details: list[str] = []
    numbers: set[str] = set()
    unexplained = False
    results = []
    for engine in ENGINES:
        told: list[str] = []
        departed: set[str] = set()
        try:
            for number, cycle in enumerate(play(case, engine), 1):
                departed |= {item.kind.number for item in cycle.result.departures}
                found = [(f"cycle {number}: {item.field}", item) for item in differences(cycle)]
                unexplained |= bool(found) and not departed
                fields += [f"{engine}, {name}" for name, _ in found]
                details += [
                    f"{engine}, {name}: recorded {item.expected}, ours {item.actual}"
                    for name, item in found
                ]
                told.append(repr(cycle.result))
        except Exception as error:  # whatever an engine raises is a finding
            unexplained = True
            fields.append(f"{engine}: raises {type(error).__name__}")
            details.append(f"{engine}: {type(error).__name__}: {error}")
        numbers |= departed
        results.append(told)
    if any(told != results[0] for told in results[1:]):
        unexplained = True
        fields.append("engines: results")
    known = () if unexplained else tuple(sorted(numbers))
    return Verdict(tuple(dict.fromkeys(fields)), known, tuple(details))


def known_departures(scenario: Record, version: str) -> tuple[str, ...]:
    """Numbers of what a cycle of ours does where the real one did not come to its end.

    Without a recording each cycle goes on from what ours decided before.  ``version``: of the real
    one.
    """
    given = [entry["name"] for entry in scenario["slots"]]
    names = [given[place] for place in pool_order(given)]
    steps = scenario.get("cycles", [{}])
    cycles: list[JsonData] = []
    for number in range(1, len(steps) + 1):
        seen: JsonData = {"slot_order": names, "matches": [], "rejections": []}
        cycles.append(seen)
        observed = {"negotiator": version, "cycles": cycles}
        case = {"scenario": {**scenario, "cycles": steps[:number]}, "observed": observed}
        try:
            *_, last = play(case)
        except (
            Exception
        ):  # nothing is known of a scenario that cannot be played without a recording
            return ()
        found = tuple(item.kind.number for item in last.result.departures)
        if found:
            return found
        matches, _ = decided(last.result)
        seen["matches"] = [
            {key: value for key, value in match.items() if value is not None} for match in matches
        ]
    return ()


#: With this knob slots of equal rank are ordered by their place in memory.
_BY_ADDRESS: Final = "NEGOTIATOR_IGNORE_JOB_RANKS"


def undetermined(scenario: Record) -> bool:
    """Whether the negotiator's own decisions may differ from run to run."""
    if scenario["config"].get(_BY_ADDRESS, "False") != "True":
        return False
    without = sum("Uniq" not in entry["ad"] for entry in scenario["slots"])
    return without > 1 or len(scenario.get("cycles", ())) > 1
