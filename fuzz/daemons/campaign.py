"""Draws scenarios until the time is over, runs each on the daemons and on ours, counts and keeps.

Inputs: a ``System``, a seed, seconds, which kinds.  Outputs: ``Tally``; a difference leaves a file
in the schema of recorded scenarios.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from attr import Factory, define, field, frozen

from fuzz.daemons.compare import Verdict, compare, known_departures, undetermined
from fuzz.daemons.crowded import crowded_scenario
from fuzz.daemons.document import document
from fuzz.daemons.plausible import plausible_scenario
from fuzz.daemons.record import record
from fuzz.daemons.recordings import Recordings
from fuzz.daemons.shrink import shrink
from fuzz.daemons.sites.mixing import mixed, site_scenario, small_pool
from fuzz.daemons.system import DaemonError, System, version_of
from fuzz.daemons.wild.scenario import wild_scenario
from pieslice.data import JsonData, Record

#: Kind of scenario -> what draws it from a seed.
KINDS: Final[Mapping[str, Callable[[int], JsonData]]] = {
    "wild": wild_scenario,
    "plausible": plausible_scenario,
    "crowded": crowded_scenario,
    "site": site_scenario,
}
#: Seconds after which a cycle of the real negotiator is said not to end.
_LIMIT: Final = 60
#: Details that are written into a file and shown.
_MOST_DETAILS: Final = 40


@define
class Tally:
    """What a campaign has found so far; ``differing``: names of scenarios."""

    scenarios: int = 0
    cycles: int = 0
    matches: int = 0
    differing: list[str] = field(factory=list)
    known: Counter[str] = field(factory=Counter)
    #: Those that agreed the second time.
    unsteady: list[str] = field(factory=list)
    #: Not recorded: the daemons abort, do not end, or are free to decide this way or that.
    left_out: Counter[str] = field(factory=Counter)

    @property
    def line(self) -> str:
        """The campaign in one line."""
        told = [
            f"daemons: {self.scenarios} scenarios, {self.cycles} cycles, {self.matches} matches: "
            f"{len(self.differing)} differed"
        ]
        if self.differing:
            told.append(f" ({', '.join(self.differing)})")
        if self.known:
            told.append(f"; known: {_counted(self.known)}")
        if self.unsteady:
            told.append(f"; differed once: {', '.join(self.unsteady)}")
        if self.left_out:
            told.append(f"; left out: {_counted(self.left_out)}")
        return "".join(told)


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{what} {count}" for what, count in sorted(counter.items()))


@frozen
class Campaign:
    """How scenarios are run; ``tries``: how many recordings a smaller scenario may cost."""

    system: System
    port_base: int
    found: Path
    tries: int
    tell: Callable[[str], None]
    #: Parts of ``sites`` that every scenario gets.
    mix: tuple[str, ...] = ()
    recordings: Recordings = Factory(Recordings)

    def run(self, kinds: list[str], seed: int, *, seconds: float, count: int | None) -> Tally:
        """Scenarios of every kind from a seed on; each seed is drawn once of each kind."""
        tally = Tally()
        end = time.monotonic() + seconds
        with contextlib.suppress(KeyboardInterrupt):  # what was found so far is told
            for scenario in _drawn(kinds, seed, count, self.mix):
                if time.monotonic() > end:
                    break
                self.one(scenario, tally)
        return tally

    def one(self, scenario: Record, tally: Tally) -> None:
        """Run a scenario, and note what comes of it."""
        name = scenario["name"]
        if undetermined(scenario):
            tally.left_out["ties by address"] += 1
            return
        try:
            case = self.case(scenario)
        except DaemonError as error:
            numbers = known_departures(scenario, version_of(self.system))
            tally.left_out[numbers[0] if numbers else "no recording"] += 1
            if not numbers:
                self.tell(f"{name}: not recorded: {str(error).strip().splitlines()[0][:200]}")
            return
        cycles = case["observed"]["cycles"]
        tally.scenarios += 1
        tally.cycles += len(cycles)
        tally.matches += sum(len(cycle["matches"]) for cycle in cycles)
        verdict = compare(case)
        if verdict.known and verdict.fields:
            tally.known.update(verdict.known)
        elif verdict.differs:
            self._differs(case, verdict, tally)

    def case(self, scenario: Record, *, again: bool = False, keep: bool = True) -> JsonData:
        """The scenario with what the daemons do, ``again``: the second time."""
        timed = {"timeout": _LIMIT, **scenario}
        recordings = self.recordings if keep else Recordings()
        observed = recordings.observed(
            scenario, lambda: record(self.system, timed, self.port_base), again=again
        )
        return {
            "scenario": dict(scenario),
            "observed": observed,
            "reproducible": True,
            "unstable": [],
        }

    def _differs(self, case: JsonData, verdict: Verdict, tally: Tally) -> None:
        name = case["scenario"]["name"]
        try:
            again = compare(self.case(case["scenario"], again=True)).differs
        except DaemonError:
            again = False
        if not again:
            tally.unsteady.append(name)
            self.tell(f"{name}: differed once: {verdict.fields[0]}")
            return
        tally.differing.append(name)
        if self.tries:
            case, verdict = self._smaller(case, verdict)
        self.found.mkdir(parents=True, exist_ok=True)
        path = self.found / f"daemons-{name}.json"
        path.write_text(document(case) + "\n", encoding="utf-8")
        self.tell(f"{name}: {' '.join(sorted(verdict.heads))} differ: {path}")
        for detail in verdict.details[:_MOST_DETAILS] if self.tries else verdict.details[:1]:
            self.tell(f"  {detail}")

    def _smaller(self, case: JsonData, verdict: Verdict) -> tuple[JsonData, Verdict]:
        """The smallest case found in which nothing else differs than in the whole one."""
        best = (case, verdict)

        def holds(scenario: JsonData) -> bool:
            nonlocal best
            try:
                smaller = self.case(scenario, keep=False)
            except DaemonError:
                return False
            told = compare(smaller)
            if not told.differs or not told.heads <= verdict.heads:
                return False
            best = (smaller, told)
            return True

        shrink(case["scenario"], holds, self.tries)
        return best


def _drawn(
    kinds: list[str], seed: int, count: int | None, mix: tuple[str, ...]
) -> Iterator[JsonData]:
    number = seed
    while count is None or number < seed + count:
        for kind in kinds:
            drawn = small_pool(number) if mix and kind == "site" else KINDS[kind](number)
            yield mixed(drawn, mix, number) if mix else drawn
        number += 1
