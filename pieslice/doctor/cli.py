"""Reads the command line of ``pieslice doctor`` and prints what was found."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.terminal import terminal_width

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands, version: str) -> None:
    """Add ``doctor``."""
    parser = subcommands.add_parser(
        "doctor",
        help="check the installation, and print a page for a bug report",
        description="Check the installation: packages, kernels, dependencies, optional parts,"
        " HTCondor. Exit status 1 if something is broken.",
        examples=(("pieslice doctor", "is everything there; put the page into a bug report"),),
    )
    parser.add_argument(
        "--root", type=Path, metavar="DIR", help="also a folder with HTCondor's own daemons"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--width", type=int, metavar="N", help="width of the text")
    parser.add_argument("--wide", action="store_true", help="every line whole")
    parser.set_defaults(run=partial(_doctor, version))


def _doctor(version: str, args: argparse.Namespace) -> int:
    from pieslice.doctor.checks import examine
    from pieslice.doctor.page import text

    checks = examine(args.root)
    if args.json:
        from pieslice.doctor.document import DoctorDocument

        page = DoctorDocument(version, checks).to_json()
    else:
        width = 1_000_000 if args.wide else args.width or terminal_width(sys.stdout)
        page = text(version, checks, width)
    sys.stdout.write(page)
    return EXIT_NO if any(check.state == "broken" for check in checks) else EXIT_OK
