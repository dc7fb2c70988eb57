"""Reads the command lines of ``pieslice record``, ``history`` and ``when``, and runs them.

Outputs: text or JSON on standard output, notes on standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_BAD, EXIT_OK, number
from pieslice.inputs.options import add_max_size, add_output
from pieslice.shadow.cli import add_asking
from pieslice.terminal import complain, printable

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands
    from pieslice.recording.store import History
    from pieslice.reports.result import Result


def add_commands(subcommands: Subcommands) -> None:
    """Add the commands."""
    record = subcommands.add_parser(
        "record",
        help="add captures of a pool to a history",
        description="Add the folders of captures to a history, a file that keeps captures of one "
        "pool over time: only what changed, compressed. Commands about a pool take it with --at. "
        "A running pool in the place of a folder is captured, with --every again and again; with "
        "several pools the name of HISTORY has {pool} where that of the pool is to stand.",
        examples=(
            ("pieslice record pool.history mypool", "begin a history, or go on with it"),
            ("pieslice record pool.history mypool --time 1795300000 --keep 7", "keep a week"),
        ),
    )
    record.add_argument("history", type=Path, metavar="HISTORY", help="the file; made if missing")
    record.add_argument(
        "captures", nargs="+", metavar="DIR", help="folders of captures, earliest first, or pools"
    )
    record.add_argument(
        "--every",
        type=_positive,
        metavar="S",
        help="capture running pools every S seconds, until it is ended (default: once)",
    )
    add_asking(record)
    record.add_argument(
        "--time",
        metavar="T",
        help="time of the capture: seconds since the epoch or ISO 8601, local time unless it has "
        "a zone (default: the newest time in its ads)",
    )
    record.add_argument(
        "--keep", type=_positive, metavar="DAYS", help="drop captures that are older than that"
    )
    add_max_size(record, "a history: the oldest captures go first")
    record.set_defaults(run=_record)
    history = subcommands.add_parser(
        "history",
        help="show what a history holds, or the life of a job in it",
        description="Show what a history holds: span, gaps, size, how well the pool was loaded and "
        "how long slots stayed empty. With JOB: its life, cycle by cycle, and who preempted it.",
        examples=(
            ("pieslice history pool.history", "what is in it"),
            ("pieslice history pool.history 8.0", "what became of this job?"),
        ),
    )
    when = subcommands.add_parser(
        "when",
        help="estimate from a history when a job will start",
        description="Estimate when a waiting job will start from how long jobs like it have "
        "waited, with the track record of such estimates on the same history.",
        examples=(("pieslice when pool.history 8.0", "when will this job start?"),),
    )
    for parser, run, nargs in ((history, _history, "?"), (when, _when, None)):
        parser.add_argument("history", type=Path, metavar="HISTORY", help="a recorded history")
        parser.add_argument("job", nargs=nargs, metavar="JOB", help="cluster.proc")
        add_output(parser)
        parser.set_defaults(run=run)


def _positive(text: str) -> float:
    return number(text, "a number above 0", lambda found: found > 0)


def _record(args: argparse.Namespace) -> int:
    from negotiator.io import InputError
    from pieslice.history.following import add_captures, record_pools
    from pieslice.inputs.moments import moment_of
    from pieslice.inputs.running import is_address
    from pieslice.live.daemons import DaemonError
    from pieslice.recording.store import HistoryError
    from pieslice.reports.output import show_diagnostics

    try:
        pools = [text for text in args.captures if is_address(text)]
        if pools and (len(pools) < len(args.captures) or args.time is not None):
            raise HistoryError("running pools are captured now: no folders and no --time with them")
        if pools:
            return record_pools(args, pools)
        if args.every is not None:
            raise HistoryError("--every is of running pools, HOST or HOST:PORT")
        time = None if args.time is None else moment_of(args.time, "--time")
        if time is not None and len(args.captures) > 1:
            raise HistoryError("--time is of one capture: give one folder")
        days, size = args.keep, args.max_size
        for line in add_captures(args.history, list(map(Path, args.captures)), time, days, size):
            print(printable(line))
    except InputError as problem:
        show_diagnostics(problem.diagnostics, sys.stderr)
        return EXIT_BAD
    except (HistoryError, DaemonError) as problem:
        return _bad(problem)
    return EXIT_OK


def _history(args: argparse.Namespace) -> int:
    from pieslice.history.answers import HistoryAnswer, LifeAnswer
    from pieslice.history.questions import life, summary

    if args.job is None:
        return _answer(args, lambda history: HistoryAnswer(history.path.name, summary(history)))
    return _answer(args, lambda history: LifeAnswer(life(history, args.job)))


def _when(args: argparse.Namespace) -> int:
    from pieslice.history.answers import StartAnswer
    from pieslice.history.questions import start

    return _answer(args, lambda history: StartAnswer(start(history, args.job)))


def _answer(args: argparse.Namespace, ask: Callable[[History], Result]) -> int:
    from pieslice.recording.store import History, HistoryError
    from pieslice.reports.output import put

    try:
        with History(args.history) as history:
            answer = ask(history)
    except HistoryError as problem:
        return _bad(problem)
    put(answer, args, sys.stdout)
    return EXIT_OK


def _bad(problem: Exception) -> int:
    complain(f"error: {problem}")
    return EXIT_BAD
