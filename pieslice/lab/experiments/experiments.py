"""Runs what takes long of a policy that is edited: days of the pool, sweeps, searches.

Inputs: how a pool is read, texts from the page, what is to be run.  Outputs: plain values for JSON;
raise ``Error``.  ``told`` is given how far it is: the part that is done, and that in words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from time import monotonic
from typing import Final

from classad.errors import Diagnostic
from negotiator.model.garbage import without_collecting
from pieslice.api.errors import Error
from pieslice.command_line import CENTURY
from pieslice.data import JsonObject, Record
from pieslice.fuzzing.choose import Named, NoSuchProperty, chosen
from pieslice.fuzzing.finding import BrokenProperty
from pieslice.fuzzing.search import search
from pieslice.fuzzing.study import Intent, study_of
from pieslice.inputs.pool import PoolReading
from pieslice.lab.experiments.counterexample import pool_files
from pieslice.lab.experiments.elements import elements
from pieslice.lab.experiments.wanted import Fuzzing, Simulating, Sweeping
from pieslice.lab.pool.shown import shown_block
from pieslice.lab.pool.trials import Trials
from pieslice.lab.texts import EditedTexts, called
from pieslice.runreport.figures import figure, textures
from pieslice.runreport.plots import charts
from pieslice.runreport.verdict import sentences
from pieslice.simulation.answers import Run, SimulatedPolicy, simulated
from pieslice.simulation.errors import RunError, WorkloadError
from pieslice.simulation.running import Kept, RunReporter, run_here
from pieslice.simulation.setup import CAPTURED, Plan
from pieslice.sweeps.grid import axes_of
from policy.dialects import HTCONDOR
from policy.explain.trial import CannotTry

Told = Callable[[JsonObject], None]
_DAY, _HOUR = 86_400, 3600
#: Seconds between two words about how far it is.
_PAUSE: Final = 0.2
#: Macros of a sweep, and cycles.
_AXES: Final = 2
_CYCLES: Final = 400
#: What the two sides of a comparison are called.
RUNNING, EDITED = "the running policy", "the edited policy"


class Experiments:
    """A pool for experiments with its policy."""

    def __init__(self, reading: PoolReading, seed: int = 0) -> None:
        self._reading = reading
        self._trials = Trials(reading, seed)

    def simulate(self, texts: EditedTexts, given: Simulating, *, told: Told) -> JsonObject:
        """Days of the pool under the running policy and, if there is another one, under that."""
        if self._reading.local_names or self._reading.dialect.name != HTCONDOR.name:
            raise Error("a simulation has one negotiator, by HTCondor's own rules")
        readings = [(RUNNING, self._reading)]
        if texts.changed:
            readings.append((EDITED, self._trials.reading(texts)))
        plans = [(name, _plan(given, reading, name)) for name, reading in readings]
        notes: list[Diagnostic] = []
        sides = []
        for number, (name, plan) in enumerate(plans):
            reporter = RunReporter(_progress(number, len(plans), plan.seconds, told), notes.extend)
            sides.append(SimulatedPolicy(name, (_run(plan, reporter),)))
        return _compared(sides, notes)

    def sweep(self, texts: EditedTexts, given: Sweeping, *, told: Told) -> JsonObject:
        """Who gains and loses with each value of a macro, or of two, set after the texts."""
        if len(given.axes) > _AXES:
            raise Error(f"a sweep has {_AXES} macros at most")
        try:
            axes = axes_of(given.axes)
        except RunError as problem:
            raise Error(str(problem)) from problem
        count = prod(len(axis.values) for axis in axes)
        if count > _CYCLES:
            raise Error(f"{count} cycles: a sweep has {_CYCLES} at most")
        points = []
        tell = _progress(0, 1, count, told)
        for number, values in enumerate(product(*(axis.values for axis in axes))):
            lines = [f"{axis.name} = {text}\n" for axis, text in zip(axes, values, strict=True)]
            points.append(self._trials.point(texts, lines))
            tell(number + 1, f"{number + 1} of {count} cycles")
        return {
            "axes": [{"name": axis.name, "values": list(axis.values)} for axis in axes],
            "points": points,
            "users": self._trials.users(),
        }

    def fuzz(self, texts: EditedTexts, given: Fuzzing, *, told: Told) -> JsonObject:
        """Situations in which the policy breaks what policies keep; see ``pieslice fuzz``."""
        config, schema = self._trials.config(texts), self._trials.schema()
        try:
            study = study_of(config, schema, Intent())
            tests = chosen(study, (), Named(), given.macro or None)
        except (CannotTry, NoSuchProperty) as problem:
            raise Error(str(problem)) from problem
        if not tests:
            raise Error("nothing to test: the policy sets no expression of slots or jobs")
        found = search(tests, given.pairs, given.seed, _progress(0, 1, given.pairs, told))
        return {
            "pairs": found.examples,
            "tested": [{"name": name, "says": says} for name, says in found.tested],
            "findings": [_finding(one) for one in found.findings],
        }


def _finding(found: BrokenProperty) -> JsonObject:
    """A counterexample for the page; ``files``: the pool that it is."""
    return {
        "property": found.property,
        "macro": found.macro,
        "place": called(found.place),
        "clause": found.clause,
        "says": found.says,
        "steps": [
            {
                "sentence": step.sentence,
                "at": step.at,
                "side": step.side,
                "my": {name: value for name, value in step.my.items() if name not in step.added},
                "job": {name: it for name, it in step.target.items() if name not in step.added},
                "cycle": {
                    name: step.my.get(name, step.target.get(name, ""))
                    for name in sorted(step.added)
                },
            }
            for step in found.steps
        ],
        "files": pool_files(found.case),
        "now": found.case.now,
    }


def _plan(given: Simulating, reading: PoolReading, name: str) -> Plan:
    """The run in a pool; raises ``Error`` for numbers out of range."""
    if not 0 < given.days <= CENTURY:
        raise Error("days are a number above 0, and at most a century")
    if not 0 <= given.every <= 24 * CENTURY:
        raise Error("hours until jobs come again are a number of at least 0")
    if given.run_time < 1:
        raise Error("the mean run time is a number of seconds of at least 1")
    return Plan(
        name,
        _streams(given.workload) if given.workload.strip() else CAPTURED,
        round(given.days * _DAY),
        seed=given.seed,
        every=round(given.every * _HOUR),
        run_time=given.run_time,
        reading=reading,
    )


def _run(plan: Plan, reporter: RunReporter) -> Run:
    kept = Kept()
    try:
        with without_collecting():
            summary = run_here(plan, reporter, kept)
    except (RunError, WorkloadError) as problem:
        raise Error(str(problem)) from problem
    return Run(plan, summary, tuple(kept.rows["events"]), tuple(kept.rows["series"]))


def _progress(number: int, count: int, seconds: int, told: Told) -> Callable[[float, str], None]:
    """Tells of a run among others, not more often than somebody can read."""
    last = 0.0

    def moved(done: float, words: str) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= _PAUSE:
            last = now
            which = f"run {number + 1} of {count}, " if count > 1 else ""
            told({"part": (number + done / seconds) / count, "words": f"{which}{words}"})

    return moved


def _compared(sides: Sequence[SimulatedPolicy], notes: Sequence[Diagnostic]) -> JsonObject:
    """What the page shows of the runs, as ``pieslice report`` does."""
    runs = [(side.name, side.runs[0].data()) for side in sides]
    drawn = charts(runs)
    answer = simulated(sides, [sides[0].runs[0].plan.seed])
    return {
        "sides": [side.name for side in sides],
        "sentences": sentences([run for _, run in runs], [side.summaries for side in sides]),
        "numbers": [shown_block(block) for block in answer.blocks()],
        "charts": elements("".join((textures(drawn), *map(figure, drawn)))),
        "notes": list(dict.fromkeys(one.message for one in notes)),
    }


def _streams(text: str) -> tuple[Record, ...]:
    """The streams of a .toml file."""
    try:
        found = tomllib.loads(text).get("stream", [])
    except tomllib.TOMLDecodeError as problem:
        raise Error(f"the workload: {problem}") from None
    if not isinstance(found, list) or not found:
        raise Error("the workload has no [[stream]]")
    return tuple(found)
