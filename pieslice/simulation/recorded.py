"""Keeps every cycle of a simulation in a history.

Each capture is the pool before a cycle, in the order of the simulation, with the decisions of that
cycle as ``expected.json`` and the configuration of the run.  A run that is taken up again goes on
after what is there.

Inputs: a negotiator, the path of a history.  Outputs: the history.  Raises ``HistoryError``.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

from negotiator.capture.files import AS_IT_CAME
from negotiator.io import CapturePaths
from negotiator.model.result import CycleResult
from pieslice.recording.store import Recorder
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.moment import moment_texts
from pieslice.simulation.replay import opened
from pieslice.simulation.setup import Plan

#: Holds a cycle within.
Keep: TypeAlias = Callable[[], AbstractContextManager[None]]


@contextlib.contextmanager
def recording(path: Path | None, negotiator: Negotiator, plan: Plan) -> Iterator[Keep]:
    """Keep each cycle that is held within what this gives, if there is a history to keep it in."""
    if path is None:
        yield contextlib.nullcontext
        return
    results: list[CycleResult] = []
    negotiator.told = results.append
    simulation, config = negotiator.simulation, _configuration(plan)

    with Recorder(path) as recorder:

        @contextlib.contextmanager
        def keep() -> Iterator[None]:
            time = simulation.epoch + simulation.state.now
            manifest = json.dumps({"order": AS_IT_CAME, "ended": time}) + "\n"
            texts = {**moment_texts(negotiator), **config, "capture.json": manifest}
            yield
            decisions = _decisions(results.pop())
            if recorder.last is None or recorder.last.time < time:
                recorder.append(time, {**texts, "expected.json": decisions})

        yield keep


def _configuration(plan: Plan) -> dict[str, str]:
    """The configuration of the run as a file, with what was set after it."""
    with opened(plan.pool) as folder:
        pool = Path(folder or plan.pool)
        path = None if plan.config is None else Path(plan.config)
        if path is None and pool.is_dir():
            path = CapturePaths(pool).find("config")
        text = "" if path is None else path.read_text("utf-8", "surrogateescape")
    more = [file.read_text("utf-8", "surrogateescape") for file in plan.overlays]
    more += (text for _, text in plan.texts)
    more += (f"{name} = {value}" for name, value in plan.settings)
    return {"condor_config": "\n".join([text, *more, ""]) if more else text}


def _decisions(result: CycleResult) -> str:
    """What a cycle did, in the form of recorded decisions."""
    matches = [
        {"job": item.job, "submitter": item.submitter, "slot": item.slot, "preempted": item.holder}
        for item in result.matches
    ]
    rejections = [
        {"job": item.job, "submitter": item.submitter, "reason": item.text}
        for item in result.rejections
    ]
    data = {
        "negotiator": "simulated",
        "cycle_started_at": result.now,
        "matches": matches,
        "rejections": rejections,
    }
    return json.dumps(data, indent=1) + "\n"
