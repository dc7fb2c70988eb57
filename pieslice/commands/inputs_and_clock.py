"""What the commands about a pool share: from arguments to a pool, from an answer to its place.

What lives here: how the arguments of ``pieslice.commands.options`` are carried out, and where text
goes: the answer on standard output or into a file, what was wrong with the input on standard error.
Inputs: the parsed arguments and streams.  Outputs: a ``Capture``, None where there is none.
Never here: reading formats (``io``), telling what a file is (``inputs``), deciding (``cycle``),
wording (``report``).
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import math
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from attr import evolve

from classad.errors import Diagnostic
from negotiator.capture.agreement import compare
from negotiator.engines import ENGINES
from negotiator.io import Capture, CapturePaths, InputError, read_capture
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.result import CycleResult
from pieslice.commands.inputs import Inputs, sort_out
from pieslice.reports.layout import Block, print_rich, printable, render_plain
from pieslice.reports.progress import Progress
from pieslice.reports.text import Outcome
from policy.dialects import find_dialect

EXIT_OK: Final = 0
EXIT_BAD: Final = 2

#: How many problems with the input are shown in full; JSON has them all.
MAX_SHOWN: Final = 20
DEFAULT_WIDTH: Final = 100


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
    show_diagnostics(capture.diagnostics, err)
    return capture


def _inputs(args: argparse.Namespace, diagnostics: list[Diagnostic]) -> Inputs:
    """Where each part of the pool is to be read from."""
    from pieslice.policy.options import Misuse, definitions

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


def show(report: Sequence[Block], args: argparse.Namespace, out: IO[str]) -> None:
    """Print a report as wide and as colourful as the arguments and the stream want it."""
    width = args.width or (DEFAULT_WIDTH if args.output else terminal_width(out))
    plain = args.output or args.no_color or not out.isatty() or os.environ.get("NO_COLOR")
    if plain:
        deliver(render_plain(report, width), args, out)
    else:
        print_rich(report, out, width)


def deliver(text: str, args: argparse.Namespace, out: IO[str]) -> None:
    """Write a finished answer to the file that the arguments name, else to ``out``."""
    if args.output is None:
        out.write(text)
    else:
        data = text.encode("utf-8", "backslashreplace")
        Path(args.output).write_bytes(data)


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


def run(capture: Capture, seed: int, progress: Progress, engine: str = ENGINES[0]) -> Outcome:
    """The cycle and its comparison with the real negotiator."""
    from negotiator.cycle import negotiate

    with progress.stage("negotiating"):
        result = negotiate(
            capture.snapshot,
            capture.policy,
            now=capture.facts.now,
            rng=random.Random(seed),
            costs=capture.costs,
            engine=engine,
        )
    return outcome_of(capture, result)


def outcome_of(capture: Capture, result: CycleResult) -> Outcome:
    """What is reported of a cycle of a pool."""
    agreement = None if capture.expected is None else compare(result, capture.expected)
    return Outcome(
        capture.facts,
        result,
        capture.unsupported,
        agreement,
        capture.expected_name,
        assignments=capture.assignments,
    )


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


def terminal_width(stream: IO[str]) -> int:
    """The width of the terminal, or a width for files and pipes."""
    return shutil.get_terminal_size().columns if stream.isatty() else DEFAULT_WIDTH


def show_diagnostics(diagnostics: Sequence[Diagnostic], err: IO[str]) -> None:
    """Print what was wrong with the input, each with its place."""
    shown = diagnostics[:MAX_SHOWN]
    if len(diagnostics) > MAX_SHOWN and diagnostics[-1].severity == "error":
        # An error that ends the run comes last.
        shown = [*diagnostics[: MAX_SHOWN - 1], diagnostics[-1]]
    for item in shown:
        text = item.headline() if item.severity == "note" else item.render()
        lines = text.split("\n")
        err.writelines(f"{printable(line)}\n" for line in lines)
    left = len(diagnostics) - MAX_SHOWN
    if left > 0:
        err.write(f"and {left} more messages; --json lists them all\n")
