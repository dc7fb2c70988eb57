"""Reads the command line of ``pieslice report``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``report``."""
    parser = subcommands.add_parser(
        "report",
        help="make a page of HTML with plots from the folder of a simulation",
        description="Make one self-contained page of HTML from the folder of a simulation.",
        examples=(("pieslice report run -o page.html", "after `simulate ... -o run`"),),
    )
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of `simulate -o`")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("report.html"), metavar="F", help="report.html"
    )
    parser.add_argument("--title", metavar="TEXT", help="title of the page")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="also write each plot to a file")
    parser.add_argument(
        "--plot-format", choices=("png", "svg", "pdf"), default="png", help="form of those files"
    )
    parser.set_defaults(run=_report)


def _report(args: argparse.Namespace) -> int:
    from pieslice.runreport.command import report_command

    return report_command(args, sys.stderr)
