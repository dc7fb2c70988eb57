"""Reads the command line of ``pieslice sweep``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pieslice.command_line import whole_number
from pieslice.inputs.options import add_width

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``sweep``."""
    from pieslice.simulation.cli import add_what_is_simulated

    parser = subcommands.add_parser(
        "sweep",
        help="simulate every combination of some settings, on all cores or a Dask cluster",
        description="Simulate a pool once for every combination of the values of some macros.",
        examples=(
            (
                "pieslice sweep 10 --workload day.toml --days 0.1 --set MAX_JOBS_RUNNING=2,9",
                "two limits on running jobs",
            ),
        ),
    )
    add_what_is_simulated(parser)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=V1,V2",
        help="a macro and the values to try; can be given again",
    )
    parser.add_argument(
        "--seeds", type=_numbers, default=[0], metavar="N,N", help="seeds to try each with (0)"
    )
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="cores to use (all)")
    parser.add_argument(
        "--scheduler", metavar="URL", help="a Dask cluster instead: tcp://host:port"
    )
    parser.add_argument(
        "--tries",
        type=whole_number("a whole number above 0", 1),
        default=2,
        metavar="N",
        help="attempts for each point (2)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder for the results")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="continue an interrupted sweep")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    add_width(parser)
    parser.set_defaults(run=_sweep)


def _numbers(text: str) -> list[int]:
    try:
        found = [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is not a list of whole numbers") from None
    return list(dict.fromkeys(found))


def _sweep(args: argparse.Namespace) -> int:
    from pieslice.sweeps.command import sweep_command

    return sweep_command(args, sys.stdout, sys.stderr)
