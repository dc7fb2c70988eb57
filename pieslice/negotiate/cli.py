"""Reads the command line of ``pieslice negotiate``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.inputs.options import (
    INPUT_HELP,
    add_costs,
    add_course,
    add_engine,
    add_inputs,
    add_local_name,
    add_output,
    add_tables,
)
from pieslice.inputs.versions import FORM, say_version, version_from
from pieslice.terminal import complain

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``negotiate``."""
    negotiate = subcommands.add_parser(
        "negotiate",
        help="run one negotiation cycle on a captured pool",
        description="Run one negotiation cycle on a captured pool and say who gets what and why.",
        epilog="Files that are not given are taken from the folder; see `pieslice help captures`.",
        examples=(
            ("pieslice negotiate mypool", "who gets which slots"),
            ("pieslice negotiate mypool --summary", "users, groups, machines, quotas"),
            ("pieslice negotiate mypool --config new_config", "under another policy"),
            ("pieslice negotiate mypool --table matches --format csv", "for a spreadsheet"),
        ),
    )
    negotiate.add_argument("inputs", nargs="*", metavar="POOL", help=INPUT_HELP)
    add_inputs(negotiate)
    add_local_name(negotiate, "; several for a pool with several negotiators")
    add_costs(negotiate)
    add_course(negotiate)
    add_engine(negotiate)
    add_tables(negotiate)
    add_output(negotiate, "csv")
    negotiate.set_defaults(run=_negotiate)
    versions = subcommands.add_parser(
        "versions",
        help="show the rules that changed between versions of HTCondor",
        description="Show the rules of the negotiation that changed between versions of HTCondor: "
        "all of them, or those in which two versions differ.",
        epilog="`pieslice diff POOL --versions A B` shows what they change on a pool.",
        examples=(
            ("pieslice versions", "all rules that changed"),
            ("pieslice versions 24.0 25.0", "what an upgrade changes"),
        ),
    )
    versions.add_argument(
        "versions", nargs="*", type=version_from("version"), metavar="V", help=f"two of {FORM}"
    )
    add_output(versions)
    versions.set_defaults(run=_versions)


def _versions(args: argparse.Namespace) -> int:
    from pieslice.negotiate.versions import rules_between
    from pieslice.reports.output import put

    if len(args.versions) not in (0, 2):
        complain("error: give two versions, or none\n  help: pieslice versions 24.0 25.0")
        return EXIT_BAD
    one, other = args.versions or (None, None)
    for followed in args.versions:
        say_version(followed)
    put(rules_between(one, other), args, sys.stdout)
    return EXIT_OK


def _negotiate(args: argparse.Namespace) -> int:
    from negotiator.model.garbage import without_collecting
    from pieslice.negotiate.command import negotiate_command

    with without_collecting():
        return negotiate_command(args, sys.stdout, sys.stderr)
