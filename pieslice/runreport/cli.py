"""Reads the command line of ``pieslice report``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pieslice.inputs.options import add_width, output_file

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


#: The page of whoever names none.
_DEFAULT_PAGE: Final = "./report.html"


def add_commands(subcommands: Subcommands) -> None:
    """Add ``report``."""
    parser = subcommands.add_parser(
        "report",
        help="make a page of HTML with charts from the folder of a simulation, or of two",
        description="Make one self-contained page of HTML from the folder of a simulation; with "
        "the folder of another one, compare them.",
        examples=(
            ("pieslice report run -o page.html", "after `simulate ... -o run`"),
            ("pieslice report runs/a runs/b", "after `simulate --compare ... -o runs`"),
        ),
    )
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of `simulate -o`")
    parser.add_argument(
        "other", type=Path, nargs="?", metavar="B", help="folder of the run to compare with"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_file,
        default=_DEFAULT_PAGE,
        metavar="F",
        help="file of the page (default report.html); - is standard output",
    )
    parser.add_argument("--title", metavar="TEXT", help="title of the page")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="also write each chart to a file")
    parser.add_argument(
        "--plot-format", choices=("png", "svg", "pdf"), default="png", help="form of those files"
    )
    parser.add_argument("--json", action="store_true", help="print a comparison as JSON")
    add_width(parser)
    parser.set_defaults(run=_report, default_output=_DEFAULT_PAGE)


def _report(args: argparse.Namespace) -> int:
    from pieslice.runreport.command import report_command

    return report_command(args, sys.stdout, sys.stderr)
