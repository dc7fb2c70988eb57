"""``pieslice negotiate``: from files to a printed result.

What lives here: the order of the steps, and where text goes: the result on standard output, what
was wrong with the input on standard error.
Inputs: the parsed arguments and the two streams.  Outputs: the exit code.
Never here: reading formats (``io``), deciding (``cycle``), wording of the result (``report``).
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

from classad.errors import Diagnostic
from negotiator.agreement import compare
from negotiator.io import Capture, CapturePaths, InputError, read_capture
from negotiator.json_report import to_json
from negotiator.progress import Progress
from negotiator.report import Outcome, blocks
from negotiator.tables import Block, print_rich, printable, render_plain

EXIT_OK: Final = 0
EXIT_BAD: Final = 2

#: How many problems with the input are shown in full; JSON has them all.
MAX_SHOWN: Final = 20
DEFAULT_WIDTH: Final = 100


def negotiate_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Read the capture, run the cycle, print the result."""
    progress = Progress(err)
    capture = load(args, err, progress)
    if capture is None:
        return EXIT_BAD
    outcome = run(capture, args.seed, progress)
    if args.json:
        out.write(to_json(outcome, capture.diagnostics))
    else:
        show(blocks(outcome), args, out)
    return EXIT_OK


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
    try:
        paths = _paths(args)
        now = None if args.now is None else parse_time(args.now)
        capture = read_capture(paths, now=now, progress=progress)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
        return None
    show_diagnostics(capture.diagnostics, err)
    return capture


def show(report: list[Block], args: argparse.Namespace, out: IO[str]) -> None:
    """Print a report as wide and as colourful as the arguments and the stream want it."""
    width = args.width or terminal_width(out)
    if out.isatty() and not args.no_color and not os.environ.get("NO_COLOR"):
        print_rich(report, out, width)
    else:
        out.write(render_plain(report, width))


def run(capture: Capture, seed: int, progress: Progress) -> Outcome:
    """The cycle and its comparison with the real negotiator."""
    from negotiator.cycle import negotiate

    with progress.stage("negotiating"):
        result = negotiate(
            capture.snapshot, capture.policy, now=capture.facts.now, rng=random.Random(seed)
        )
    agreement = None if capture.expected is None else compare(result, capture.expected)
    return Outcome(capture.facts, result, capture.unsupported, agreement, capture.expected_name)


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
    for item in diagnostics[:MAX_SHOWN]:
        text = item.headline() if item.severity == "note" else item.render()
        lines = text.split("\n")
        err.writelines(f"{printable(line)}\n" for line in lines)
    left = len(diagnostics) - MAX_SHOWN
    if left > 0:
        err.write(f"and {left} more messages; --json lists them all\n")


def _paths(args: argparse.Namespace) -> CapturePaths:
    given = {
        name: Path(value)
        for name in CapturePaths.overridable()
        if (value := getattr(args, name)) is not None
    }
    if args.dir is None and not {"slots", "jobs"} <= set(given):
        message = "give the folder of a capture, or at least --slots and --jobs"
        raise InputError([Diagnostic(message, help="pieslice negotiate examples/campus")])
    return CapturePaths(None if args.dir is None else Path(args.dir), given)
