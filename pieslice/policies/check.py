"""Checks configurations and prints numbered findings: ``pieslice check``.

Inputs: the arguments, files.  Outputs: the report on standard output.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.inputs.configuration import add_reader, guarded, reader_of
from pieslice.inputs.options import add_width
from pieslice.inputs.versions import FORM, version_from
from pieslice.terminal import in_colour

if TYPE_CHECKING:
    from pieslice.command_line import Subcommands


def add_commands(subcommands: Subcommands) -> None:
    """Add ``check``."""
    check = subcommands.add_parser(
        "check",
        help="check a configuration for errors and doubtful settings",
        description="Check whether the daemons would start with a configuration, and list"
        " numbered findings; see docs/findings for their meaning. Without --subsys the verdicts"
        " of all daemons whose macros the files set.",
        examples=(
            ("pieslice check condor_config", "would the daemons start; the worst three findings"),
            ("pieslice check condor_config --all", "all findings"),
            ("pieslice check mypool --subsys SCHEDD", "as one daemon reads it"),
            (
                "pieslice check mypool --condor-version 24.0 --upgrade 25.0",
                "what an upgrade changes",
            ),
        ),
    )
    add_reader(check, nargs="+")
    check.set_defaults(subsys=None)
    check.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help="form of the report (default text)",
    )
    check.add_argument(
        "--all", action="store_true", help="show all findings, not only the worst three"
    )
    check.add_argument(
        "--fragment",
        action=argparse.BooleanOptionalAction,
        help="other files complete this one, and what it lacks is only noted; --no-fragment: it is"
        " whole (default: by what it lacks)",
    )
    check.add_argument(
        "--upgrade",
        type=version_from("--upgrade"),
        metavar="V",
        help=f"say what changes on the way from --condor-version to this one: {FORM}",
    )
    check.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    add_width(check)
    check.set_defaults(run=_check)


@guarded
def _check(args: argparse.Namespace) -> int:
    from pieslice.policies.answers import check_configuration
    from pieslice.policies.formats import report
    from pieslice.reports.layout import with_verdicts
    from pieslice.reports.output import chosen_width
    from policy.lint.finding import ERROR, WARNING
    from policy.lint.findings import FINDINGS

    reader = reader_of(args)
    asked = args.subsys is not None
    results = [
        check_configuration(
            path, reader, asked=asked, fragment=args.fragment, to=args.upgrade
        ).checked
        for path in args.path
    ]
    width = chosen_width(args, sys.stdout)
    text = report(results, args.format, FINDINGS, every=args.all, width=width)
    if args.format == "text" and in_colour(sys.stdout):
        text = "\n".join(map(with_verdicts, text.split("\n")))
    print(text)
    fatal = (ERROR, WARNING) if args.strict else (ERROR,)
    worse = any(result.count(severity) for result in results for severity in fatal)
    return EXIT_NO if worse or not all(result.starts for result in results) else EXIT_OK
