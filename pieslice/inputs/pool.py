"""Reads the pool that the arguments of a command name.

``load`` carries out the options of ``pieslice.inputs.options``.  What was wrong with the input goes
to the error stream, each with its place, after the answer; at once where there is no pool then.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import math
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from attr import evolve

from classad.errors import Diagnostic
from negotiator.io import Capture, CapturePaths, InputError, read_capture
from negotiator.matching.stopwatch import RequestCosts
from pieslice.inputs.sorting import Inputs, sort_out
from pieslice.reports.output import hold_diagnostics, show_diagnostics
from pieslice.reports.progress import Progress
from policy.dialects import find_dialect


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Leave garbage alone.

    A pool is millions of objects that stay until the end: looking for garbage among them took half
    of the time (10,000 slots).
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def load(args: argparse.Namespace, err: IO[str], progress: Progress) -> Capture | None:
    """The pool that the arguments name; None, with the reason on ``err``, if there is none."""
    diagnostics: list[Diagnostic] = []
    try:
        inputs = _inputs(args, diagnostics)
        now = None if args.now is None else parse_time(args.now)
        names = list(dict.fromkeys(args.local_name or ()))
        if len(names) > 1 and args.command != "negotiate":
            message = f"pieslice {args.command} looks at one negotiator at a time"
            raise InputError([Diagnostic(message, help="give --local-name once")])
        costs = request_costs(getattr(args, "seconds_per_request", ()))
        dialect = find_dialect(args.dialect)
        if inputs.scenario is not None:
            from negotiator.scenario.as_capture import scenario_capture

            capture = scenario_capture(
                inputs.scenario, inputs.paths, now=now, local_names=names, dialect=dialect
            )
        else:
            capture = read_capture(
                inputs.paths, now=now, local_names=names, dialect=dialect, progress=progress
            )
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
        return None
    capture = evolve(capture, diagnostics=(*diagnostics, *capture.diagnostics), costs=costs)
    hold_diagnostics(capture.diagnostics, args, err)
    return capture


def _inputs(args: argparse.Namespace, diagnostics: list[Diagnostic]) -> Inputs:
    """Where each part of the pool is to be read from."""
    from pieslice.inputs.configuration import Misuse, definitions

    found = sort_out([Path(item) for item in args.inputs], diagnostics)
    named = {
        name: Path(value)
        for name in CapturePaths.overridable()
        if name != "config" and (value := getattr(args, name)) is not None
    }
    given = {**found.paths.given, **named}
    configs = [Path(path) for path in args.config or ()]
    overlays = found.paths.overlays
    if configs:
        # What --config names replaces the pool's own; files among the inputs stay below it.
        own = [given["config"]] if "config" in given else []
        first, *rest = [*own, *overlays, *configs]
        given["config"], overlays = first, tuple(rest)
    try:
        defines = tuple(definitions(args.define))
    except Misuse as problem:
        raise InputError([Diagnostic(str(problem))]) from None
    paths = evolve(found.paths, given=given, overlays=overlays, defines=defines)
    whole = paths.folder is not None or all(paths.has(what) for what in ("slots", "jobs"))
    if not whole and found.scenario is None:
        message = "give the folder of a capture, a scenario, or at least slot ads and job ads"
        raise InputError([Diagnostic(message, help="pieslice negotiate examples/campus")])
    return Inputs(paths, found.scenario)


def request_costs(texts: Sequence[str]) -> RequestCosts:
    """The costs of ``--seconds-per-request``; raises ``InputError``."""
    seconds, of_schedd = 0.0, {}
    for text in texts:
        schedd, equals, number = text.rpartition("=")
        try:
            cost = float(number)
        except ValueError:
            cost = math.nan
        if not 0 <= cost < math.inf:
            message = f"--seconds-per-request: `{number}` is not a number of seconds"
            raise InputError([Diagnostic(message)])
        if equals:
            of_schedd[schedd] = cost
        else:
            seconds = cost
    return RequestCosts(seconds, of_schedd)


def parse_time(text: str) -> float:
    """Seconds since the epoch from a number or an ISO 8601 time (UTC unless it has a zone)."""
    with contextlib.suppress(ValueError):
        seconds = float(text)
        if math.isfinite(seconds):
            return seconds
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        message = f"--now: `{text}` is neither seconds since the epoch nor an ISO 8601 time"
        raise InputError([Diagnostic(message)]) from None
    if moment.tzinfo is None:
        moment = datetime.fromisoformat(f"{text}+00:00")
    return moment.timestamp()
