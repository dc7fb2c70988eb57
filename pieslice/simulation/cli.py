"""Reads the command line of ``pieslice simulate``."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pieslice.command_line import CENTURY, number
from pieslice.inputs.options import add_where, add_width, may_run
from pieslice.inputs.versions import add_version

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


_EXAMPLES: Final = (
    (
        "pieslice simulate 10 --workload day.toml --days 0.1 -o run",
        "ten slots; the run is kept in a folder",
    ),
    (
        "pieslice simulate 10 --workload day.toml --days 0.1 --record day.history",
        "keep every cycle, for `pieslice why --at` and `pieslice history`",
    ),
    (
        "pieslice simulate mypool --workload capture --every 2 --days 0.1",
        "the jobs of a capture, again every two hours",
    ),
    (
        "pieslice simulate mypool --days 0.1 --compare CLAIM_WORKLIFE=9 b",
        "the pool's configuration with a macro that is set, and a file",
    ),
    (
        "pieslice simulate 10 --workload day.toml --days 0.1 --seeds 2 --compare a b",
        "which of two policies is better, and is it chance?",
    ),
)


_COMPARE: Final = (
    "run two configurations on one workload: files, or NAME=TEXT for the pool's with that"
)


def add_commands(subcommands: Subcommands) -> None:
    """Add ``simulate``."""
    parser = subcommands.add_parser(
        "simulate",
        help="simulate a pool over days: jobs, cycles, claims, preemption, priorities",
        description="Simulate a pool over days with the full negotiation cycle.",
        examples=_EXAMPLES,
    )
    add_what_is_simulated(parser)
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the random numbers (0)"
    )
    parser.add_argument(
        "--seeds",
        type=_whole,
        default=1,
        metavar="N",
        help="run N workloads, with this seed and the next ones, and tell the spread (1)",
    )
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help=_COMPARE)
    parser.add_argument(
        "-D",
        "--define",
        "--set",
        action="append",
        dest="set",
        default=[],
        type=setting,
        metavar="NAME=TEXT",
        help="a definition after all configuration files; can be given again",
    )
    for option, kind, default, text in (
        ("--series", _whole, 600, "seconds between rows of the series (600)"),
        ("--checkpoint-hours", _positive, 6.0, "simulated hours between checkpoints (6)"),
    ):
        parser.add_argument(option, type=kind, default=default, metavar="N", help=text)
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder for the run")
    parser.add_argument(
        "--report", type=Path, metavar="F", help="also write the page of `pieslice report`"
    )
    parser.add_argument(
        "--capture",
        nargs=2,
        action=_At,
        metavar=("HOUR", "DIR"),
        help="write the pool before the cycle at HOUR as a capture, for `pieslice why`, and end",
    )
    parser.add_argument(
        "--record", type=Path, metavar="F", help="also keep every cycle in the history F"
    )
    parser.add_argument("--resume", type=Path, metavar="DIR", help="continue an interrupted run")
    parser.add_argument(
        "--format", choices=("csv", "jsonl"), default="csv", help="form of events and series"
    )
    parser.add_argument("--parquet", action="store_true", help="also write both as Parquet")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    add_width(parser)
    parser.set_defaults(run=_simulate)


class _At(argparse.Action):
    """An hour and a folder."""

    def __call__(
        self, parser: argparse.ArgumentParser, args: argparse.Namespace, values: object, *_: object
    ) -> None:
        assert isinstance(values, list)
        try:
            hour = _hours(values[0])
        except argparse.ArgumentTypeError as problem:
            raise argparse.ArgumentError(self, str(problem)) from None
        setattr(args, self.dest, (hour, Path(values[1])))


def add_what_is_simulated(parser: argparse.ArgumentParser) -> None:
    """The pool, the workload, the configuration and how long, as for a sweep."""
    parser.add_argument(
        "pool",
        nargs="?",
        metavar="POOL",
        help="folder of a capture, HOST of a running pool, or N or NxCORES plain slots",
    )
    may_run(parser, "pool")
    parser.add_argument(
        "--workload",
        metavar="W",
        help="a .toml, .csv, .swf file (also .gz), history, or `capture`: the pool's own (default)",
    )
    parser.add_argument(
        "--replay", metavar="F", help="the jobs of a history in its pool, for as long as it goes"
    )
    parser.add_argument("--config", metavar="F", help="configuration (default: that of the folder)")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="F",
        help="a file that is read after the configuration: what is to change, and nothing else",
    )
    add_where(parser)
    add_version(parser)
    parser.add_argument(
        "--now", metavar="T", help="start time: seconds since the epoch or ISO 8601"
    )
    parser.add_argument("--machines", metavar="F", help="CSV: time, machine, event (leave, join)")
    parser.add_argument("--days", type=_days, metavar="N", help="days to simulate (1)")
    for option, kind, default, text in (
        ("--every", _hours, 0.0, "hours after which captured jobs are submitted again (0: never)"),
        ("--run-time", _whole, 3600, "mean run time of captured jobs in seconds (3600)"),
        ("--claim-worklife", int, None, "CLAIM_WORKLIFE in seconds"),
        ("--retirement", _natural, None, "MAXJOBRETIREMENTTIME in seconds"),
        ("--vacate", _natural, 10, "seconds that a job takes to vacate (10)"),
    ):
        parser.add_argument(option, type=kind, default=default, metavar="N", help=text)
    parser.add_argument(
        "--fresh", action="store_true", help="start with fresh priorities, not those of the capture"
    )


def setting(text: str) -> tuple[str, str]:
    """The name and the text of ``NAME=TEXT``; the name must be that of some macro."""
    from pieslice.simulation.errors import RunError
    from pieslice.simulation.setup import read_setting

    try:
        return read_setting(text)
    except RunError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _positive(text: str) -> float:
    return number(text, "a number above 0", lambda found: found > 0)


def _days(text: str) -> float:
    days = _positive(text)
    if days > CENTURY:
        raise argparse.ArgumentTypeError(f"`{text}` days are more than a century")
    return days


def _whole(text: str) -> int:
    number = _positive(text)
    if number != int(number):
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number")
    return int(number)


def _hours(text: str) -> float:
    if re.fullmatch(r"0+(\.0*)?", text, re.ASCII):
        return 0.0
    try:
        return _positive(text)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of at least 0") from None


def _natural(text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number from 0 to 999999999")
    return int(text)


def _simulate(args: argparse.Namespace) -> int:
    from pieslice.simulation.command import simulate_command

    return simulate_command(args, sys.stdout, sys.stderr)
