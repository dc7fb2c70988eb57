"""Keeps the experiments that run beside the page: each in a process of its own, which can be ended.

Inputs: what a worker begins with, a method of ``Experiments``.  Outputs: how far each run is, and
its answer, for server-sent events.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Final, cast

from attr import define, field, frozen

from pieslice.data import JsonObject, Record
from pieslice.lab import asked as reading
from pieslice.lab.experiments.wanted import Fuzzing, Simulating, Sweeping
from pieslice.lab.texts import EditedTexts
from pieslice.lab.worker import Gone, Outdated, Refused, Worker

#: Runs at a time: each takes a core.
MOST: Final = 2
#: Runs that have ended and whose answers are kept.
_KEPT: Final = 4
#: Pairs that a search tries.
PAIRS: Final = 200_000
MOST_PAIRS: Final = 20_000_000
_RUNNING: Final = "running"


@frozen
class Experiment:
    """A method of ``Experiments`` with its arguments."""

    method: str
    arguments: tuple[object, ...]


@define(eq=False)
class RunningExperiment:
    """A run; ``now``: how far it is, and in the end what came of it."""

    worker: Worker
    experiment: Experiment
    now: JsonObject = field(factory=lambda: {"state": _RUNNING, "part": 0, "words": "starting"})
    changed: asyncio.Event = field(factory=asyncio.Event)

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.now["state"] == _RUNNING

    def say(self, now: JsonObject) -> None:
        """Take what there is to say; after its end nothing."""
        if self.running:
            self.now = now
            self.changed.set()
            self.changed = asyncio.Event()

    async def events(self) -> AsyncIterator[str]:
        """How far it is, each time that it is further, and its end, as server-sent events."""
        while True:
            changed, now = self.changed, self.now
            yield f"data: {json.dumps(now, allow_nan=False, separators=(',', ':'))}\n\n"
            if now["state"] != _RUNNING:  # it may have ended while that was sent
                return
            await changed.wait()


class Runs:
    """The runs of a laboratory, by number."""

    def __init__(self) -> None:
        self._runs: dict[int, RunningExperiment] = {}
        self._last = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, given: tuple[object, ...], experiment: Experiment) -> int:
        """Begin one; ``given``: what its worker begins with; raises ``Refused``."""
        if sum(one.running for one in self._runs.values()) >= MOST:
            raise Refused(f"{MOST} experiments run already: stop one of them")
        ended = [number for number, one in self._runs.items() if not one.running]
        for number in ended[:-_KEPT]:
            del self._runs[number]
        worker = Worker("experiments")
        worker.begin(*given)
        self._last += 1
        run = self._runs[self._last] = RunningExperiment(worker, experiment)
        task = asyncio.get_running_loop().create_task(_carried_out(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return self._last

    def run(self, number: int) -> RunningExperiment:
        """A run; raises ``Refused`` where there is none."""
        if number not in self._runs:
            raise Refused(f"there is no experiment {number}")
        return self._runs[number]

    def finding(self, number: int, place: int) -> tuple[Record, EditedTexts]:
        """A counterexample that a run has found, and the texts that it was found in."""
        run = self.run(number)
        found = cast("JsonObject", run.now.get("answer", {})).get("findings", [])
        if not isinstance(found, list) or not 0 <= place < len(found):
            raise Refused(f"experiment {number} has no counterexample {place}")
        return found[place], cast("EditedTexts", run.experiment.arguments[0])

    def stop(self, number: int) -> None:
        """End a run."""
        run = self.run(number)
        run.say({"state": "stopped"})
        run.worker.close()

    def close(self) -> None:
        """End all."""
        for number, one in self._runs.items():
            if one.running:
                self.stop(number)


async def _carried_out(run: RunningExperiment) -> None:
    def told(value: JsonObject) -> None:
        run.say({"state": _RUNNING, **value})

    try:
        method, arguments = run.experiment.method, run.experiment.arguments
        answer = await run.worker.ask(method, *arguments, told=told)
        run.say({"state": "done", "answer": answer})
    except (Refused, Gone, Outdated) as problem:
        run.say({"state": "refused", "problem": str(problem)})
    finally:
        await asyncio.to_thread(run.worker.close)


def experiment(asked: Record) -> Experiment:
    """What is to be run; raises ``ValueError`` for what nobody understands."""
    kind, texts = reading.text(asked["kind"]), reading.texts(asked)
    if kind == "simulate":
        days = Simulating(
            days=reading.number(asked.get("days", 1)),
            every=reading.number(asked.get("every", 0)),
            run_time=int(reading.number(asked.get("run_time", 3600))),
            workload=reading.text(asked.get("workload", "")),
        )
        return Experiment(kind, (texts, days))
    if kind == "sweep":
        axes = [(reading.text(name), reading.text(values)) for name, values in asked["axes"]]
        return Experiment(kind, (texts, Sweeping(tuple(axes))))
    if kind == "fuzz":
        pairs = int(reading.number(asked.get("pairs", PAIRS)))
        if not 1 <= pairs <= MOST_PAIRS:
            raise ValueError(f"pairs are a number from 1 to {MOST_PAIRS:,}")
        given = Fuzzing(reading.text(asked.get("macro", "")), pairs)
        return Experiment(kind, (texts, given))
    raise ValueError(f"there is no experiment {kind!r}")
