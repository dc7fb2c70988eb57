"""Reads the command line of ``pieslice userprio``.

It takes the options of condor_userprio, which begin with one dash and may be shortened in that
tool's own way; they are therefore passed on as they are.  Exit status: 0 done, 1 a change is
refused, 2 bad usage or input.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``userprio``."""
    userprio = subcommands.add_parser(
        "userprio",
        help="print priorities and usage as condor_userprio does, or change them in a saved state",
        add_help=False,
        prefix_chars="\0",
    )
    userprio.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    userprio.set_defaults(run=_userprio)


def _userprio(args: argparse.Namespace) -> int:
    from pieslice.userprio.command import userprio_command

    return userprio_command(args.arguments, sys.stdout, sys.stderr)
