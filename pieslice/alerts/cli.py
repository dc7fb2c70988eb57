"""Reads the command line of ``pieslice watch``, and runs it.

Outputs: alerts as lines or JSON on standard output, notes and errors on standard error.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.options import add_output
from pieslice.shadow.cli import add_following, add_recording, refuse, said

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``watch``."""
    parser = subcommands.add_parser(
        "watch",
        usage="pieslice watch [POOL] --rules F [option ...]",
        help="tell by rules what goes wrong in a running pool, and when it is over",
        description="Follow the cycles of a running pool and tell by the rules of a file what goes"
        " wrong: jobs that starve, groups below their quota, cores that nobody gets, daemons that"
        " are silent. Each alert comes with the sentence of `pieslice why` that explains it, begins"
        " once and ends once. A recorded history in place of POOL is played: it shows what the"
        " rules would have told.",
        epilog="exit status: 0 nothing to tell, 1 there were alerts, 2 bad usage or rules",
        examples=(
            ("pieslice watch --check-rules alerts.toml", "are the rules right?"),
            ("pieslice watch pool.history --rules alerts.toml", "what would they have told?"),
            (
                "pieslice watch cm.campus.example --rules alerts.toml --cycles 1 --ask",
                "ask for one cycle, judge it",
            ),
        ),
    )
    parser.add_argument(
        "pool", nargs="?", metavar="POOL", help="the collector, a history, a folder of captures"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--rules", type=Path, metavar="F", help="the rules, in TOML")
    which.add_argument(
        "--check-rules", type=Path, metavar="F", help="say what is wrong with rules, and end"
    )
    add_following(parser)
    for option, text in (
        ("--state", "keep what the rules remember, so that a restart tells nothing twice"),
        ("--log", "append each alert that begins or ends as a line of JSON"),
        ("--prometheus", "write what is known of the pool as metrics"),
    ):
        parser.add_argument(option, type=Path, metavar="F", help=text)
    add_recording(parser)
    add_output(parser)
    parser.set_defaults(run=_watch)


def _watch(args: argparse.Namespace) -> int:
    from classad.language.bounds import checkpoint
    from negotiator.io import InputError
    from pieslice.alerts.command import rules_of, run
    from pieslice.live.daemons import DaemonError
    from pieslice.recording.store import HistoryError
    from pieslice.reports.layout import plural
    from pieslice.reports.output import deliver, say_diagnostics

    checkpoint("reading rules")
    try:
        if args.check_rules is None:
            return run(args)
        found = plural(len(rules_of(args.check_rules)), "rule")
        deliver(f"{args.check_rules}: {found}, nothing wrong\n", args, sys.stdout)
    except InputError as problem:
        say_diagnostics(problem.diagnostics, sys.stderr)
        return EXIT_BAD
    except (OSError, HistoryError, DaemonError) as problem:
        return refuse(said(problem))
    return EXIT_OK
