"""Reads the command line of ``pieslice forecast``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pieslice.command_line import CENTURY, number
from pieslice.inputs.options import add_width, may_run
from pieslice.inputs.versions import add_version

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``forecast``."""
    parser = subcommands.add_parser(
        "forecast",
        help="forecast priorities and shares hour by hour, without jobs and slots",
        description="Compute priorities and shares of users over the coming hours.",
        examples=(
            ("pieslice forecast mypool --hours 24", "from the priorities of a pool"),
            (
                "pieslice forecast --pool 100 --user ann=100 --user bob=50@12h",
                "from nothing: bob comes after 12 hours",
            ),
        ),
    )
    parser.add_argument(
        "source", nargs="?", type=Path, metavar="SOURCE", help="saved state, as for userprio"
    )
    may_run(parser, "source")
    for option, form, text in (
        ("--user", "NAME=CORES[@Hh[-Hh]]", "demand of a user, from hour H until hour H"),
        ("--prio", "NAME=N", "real priority of a user at the start"),
        ("--factor", "NAME=N", "priority factor of a user"),
    ):
        parser.add_argument(option, action="append", default=[], metavar=form, help=text)
    for option, default, text in (
        ("--pool", None, "size of the pool in weighted cores"),
        ("--half-life", None, "PRIORITY_HALFLIFE in seconds"),
        ("--start", None, "real priority of everybody at the start"),
    ):
        parser.add_argument(option, type=_positive, default=default, metavar="N", help=text)
    parser.add_argument("--config", type=Path, metavar="F", help="configuration with the half-life")
    add_version(parser)
    parser.add_argument(
        "--hours", type=_hours, default=96.0, metavar="H", help="hours to forecast (96)"
    )
    parser.add_argument(
        "--every", type=_positive, default=4.0, metavar="H", help="hours between rows (4)"
    )
    parser.add_argument(
        "--step", type=_step, default=60.0, metavar="S", help="seconds between cycles (60)"
    )
    parser.add_argument(
        "--floor", type=_positive, default=0.5, metavar="N", help="smallest real priority"
    )
    parser.add_argument(
        "--lag", type=int, choices=range(11), default=0, help="cycles until usage is charged"
    )
    parser.add_argument("--exact", action="store_true", help="do not round to six decimals")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--csv", action="store_true", help="print CSV")
    output.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--plot", type=Path, metavar="F", help="draw to a .png, .svg or .pdf file")
    parser.add_argument(
        "--what", choices=("priority", "cores", "both"), default="both", help="what to draw"
    )
    parser.add_argument("--title", metavar="TEXT", help="title of the plot")
    add_width(parser)
    parser.set_defaults(run=_forecast)


def _positive(text: str) -> float:
    return number(text, "a number of at least 0", lambda found: found >= 0)


def _hours(text: str) -> float:
    hours = _positive(text)
    if hours > 24 * CENTURY:
        raise argparse.ArgumentTypeError(f"`{text}` hours are more than a century")
    return hours


def _step(text: str) -> float:
    number = _positive(text)
    if number == 0:
        raise argparse.ArgumentTypeError("a step must be longer than 0 seconds")
    return number


def _forecast(args: argparse.Namespace) -> int:
    from pieslice.forecast.command import forecast_command

    return forecast_command(args, sys.stdout, sys.stderr)
