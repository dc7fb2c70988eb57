"""Reads the command line of ``pieslice fuzz``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pieslice.command_line import number, whole_number
from pieslice.inputs.configuration import add_reader, guarded
from pieslice.inputs.options import add_width, may_run

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``fuzz``."""
    parser = subcommands.add_parser(
        "fuzz",
        help="search for slots and jobs that break a policy",
        description="Search for slots and jobs that break a policy, and show the simplest case.",
        epilog="exit status: 0 none found, 1 a counterexample, 2 bad usage or input",
        examples=(
            ("pieslice fuzz condor_config --examples 2000", "try 2000 pairs"),
            ("pieslice fuzz condor_config --pool mypool --property no-thrash", "one property"),
        ),
    )
    add_reader(parser, "policy")
    parser.add_argument(
        "--pool", metavar="DIR", help="learn what slots and jobs look like from a capture"
    )
    may_run(parser, "pool")
    parser.add_argument(
        "--knob", metavar="NAME",
        help="only what is about this expression, such as PREEMPTION_RANK",
    )  # fmt: skip
    parser.add_argument(
        "--property", action="append", default=[], metavar="P",
        help="only this property (may be repeated): total, no-thrash, margin, guard, quota-safe,"
        " stable-declared, monotone:[-]ATTRIBUTE, same:POLICY, holds:EXPRESSION",
    )  # fmt: skip
    parser.add_argument(
        "--margin", type=_share, default=20.0, metavar="PERCENT",
        help="by how much a priority must be better (20)",
    )  # fmt: skip
    parser.add_argument(
        "--min-run-time", type=whole_number("a whole number above 0", 1, 10**12 - 1), metavar="S",
        help="seconds that a job should run undisturbed (default: what the policy says)",
    )  # fmt: skip
    parser.add_argument(
        "--examples",
        type=whole_number("a whole number above 0", 1, 10**12 - 1),
        default=200_000,
        metavar="N",
        help="pairs to try (200000)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the search (0)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_width(parser)
    parser.set_defaults(run=_fuzz)


def _share(text: str) -> float:
    return number(text, "a percentage", lambda it: 0 <= it <= 10_000)


@guarded
def _fuzz(args: argparse.Namespace) -> int:
    from pieslice.fuzzing.command import fuzz_command

    return fuzz_command(args, sys.stdout)
